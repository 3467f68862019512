"""Paired comparison of runs."""

import json
from pathlib import Path

import pytest
import typer
from groundwalk.agent.errors import InputError
from groundwalk.cli.evaluate import compare as command
from groundwalk.evaluation.analysis.comparison import compare, compare_runs
from groundwalk.evaluation.records import Record
from groundwalk.evaluation.scoring.metrics import no_scores
from typer.testing import CliRunner

from ..stub_records import stub_records


def run_directory(folder: Path, *records: Record) -> Path:
    folder.mkdir()
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "samples.jsonl").write_text(lines, encoding="utf-8")
    return folder


def worse() -> list[Record]:
    """The stub records, but for the first question, which went wrong, and one left silent."""
    records = stub_records("plan")
    records[0]["metrics"] = no_scores()
    records[4]["answers"], records[4]["right"] = [], []
    return records


def test_paired_differences() -> None:
    found = compare(stub_records(), worse())
    assert (found.common, found.answerable) == (7, 4)
    hits = found.metrics["hits_at_1"]
    assert (hits.first, hits.second, hits.difference.mean) == (0.25, 0, -0.25)
    assert (hits.higher, hits.lower, hits.p_value) == (0, 1, 1)
    assert hits.difference.low <= -0.25 <= hits.difference.high <= 0
    assert found.metrics["f1"].difference.mean == -0.25
    silence = found.unanswerable_answered
    assert silence is not None
    assert (silence.first, silence.second, silence.lower) == (pytest.approx(1 / 3), 0, 1)


def test_a_side_against_itself_and_against_the_other_way_round() -> None:
    same = compare(stub_records(), stub_records())
    assert {d.p_value for d in same.metrics.values()} == {1}
    assert {(d.difference.low, d.difference.high) for d in same.metrics.values()} == {(0, 0)}
    one, other = compare(stub_records(), worse()), compare(worse(), stub_records())
    for metric, difference in one.metrics.items():
        assert other.metrics[metric].difference.mean == -difference.difference.mean
        assert other.metrics[metric].p_value == pytest.approx(difference.p_value, abs=0.01)


def test_only_common_questions_count() -> None:
    found = compare(stub_records()[:3], stub_records()[2:])
    assert (found.common, found.only_first, found.only_second) == (1, 2, 4)
    with pytest.raises(InputError, match="no question in common"):
        compare(stub_records()[:3], stub_records()[3:])


def test_without_answerable_questions_only_silence_is_compared() -> None:
    found = compare(stub_records()[3:5], worse()[3:5])
    assert found.metrics == {}
    assert found.unanswerable_answered is not None
    assert compare(stub_records()[:3], worse()[:3]).unanswerable_answered is None


def test_other_gold_answers_are_refused() -> None:
    changed = worse()
    changed[1]["gold"][0]["label"] = "Callao"
    with pytest.raises(InputError, match="jsonl s2 has other gold answers"):
        compare(stub_records(), changed)
    changed[1]["gold"] = list(reversed(stub_records()[1]["gold"]))
    assert compare(stub_records(), changed).common == 7


def test_which_methods_are_compared(tmp_path: Path) -> None:
    both = run_directory(tmp_path / "both", *stub_records(), *worse())
    gcr = run_directory(tmp_path / "gcr", *stub_records())
    plan = run_directory(tmp_path / "plan", *worse())
    three = run_directory(
        tmp_path / "three", *stub_records(), *worse(), *stub_records("rog"), *stub_records("dog")
    )

    def sides(first: Path, second: Path | None, *methods: str) -> list[tuple[str, str]]:
        found = compare_runs(first, second, methods)
        return [(c.first.split()[-1], c.second.split()[-1]) for c in found]

    assert sides(both, None) == sides(gcr, plan) == [("gcr", "plan")]
    assert sides(both, None, "plan", "gcr") == [("plan", "gcr")]
    assert sides(both, gcr) == [("gcr", "gcr")]
    assert sides(both, three) == [("gcr", "gcr"), ("plan", "plan")]
    assert sides(both, three, "gcr", "rog") == [("gcr", "rog")]
    for first, second, methods, reason in (
        (gcr, None, (), "has 1 methods, not two: gcr"),
        (three, None, (), "has 4 methods"),
        (both, None, ("gcr",), "names 1, not two"),
        (both, None, ("gcr", "dog"), "has no method 'dog'"),
        (both, run_directory(tmp_path / "dog", *stub_records("dog")), (), "no method in common"),
        (both, tmp_path / "none", (), "cannot be read"),
    ):
        with pytest.raises(InputError, match=reason):
            compare_runs(first, second, methods)


def test_the_command(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(command)
    run = str(run_directory(tmp_path / "both", *stub_records(), *worse()))
    shown = CliRunner().invoke(app, [run, "--methods", "gcr, plan"]).output.splitlines()
    assert shown[:3] == [
        "first: gcr",
        "second: plan",
        "7 questions of both, 4 answerable; left out: 0 of the first only, 0 of the second only",
    ]
    assert shown[4].split()[:4] == ["Hits@1", "25.0", "0.0", "-25.0"]
    assert shown[-1].split()[:4] == ["unans.", "answered", "33.3", "0.0"]
    written = CliRunner().invoke(app, [run, "--json"]).output
    assert json.loads(written)[0]["metrics"]["hits_at_1"]["lower"] == 1
