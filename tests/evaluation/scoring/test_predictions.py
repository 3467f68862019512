"""Scoring files of predictions and run directories, and what is said of broken ones."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from groundwalk.agent.errors import InputError
from groundwalk.cli.evaluate import score
from groundwalk.evaluation.records import Asked, Record, answered
from groundwalk.evaluation.samples import Gold, Sample
from groundwalk.evaluation.scoring.predictions import score_file
from typer.testing import CliRunner

from ..stub_records import stub_records
from ..stubs import SAMPLES, proven, says

LINE = {"id": "1", "prediction": "Lima\nOslo", "ground_truth": ["Lima"], "other": None}


def write(file: Path, *lines: object) -> Path:
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    file.write_text("\n".join(texts), encoding="utf-8")
    return file


def means(path: Path, dialect: str) -> dict[str, float]:
    (found,) = score_file(path, dialect)
    return {name: value.mean for name, value in found.metrics.items()}


def test_lines_of_any_system(tmp_path: Path) -> None:
    other = {"id": 2, "prediction": ["Rome"], "ground_truth": ["Lima"]}
    file = write(tmp_path / "p.jsonl", LINE, "", other, LINE)
    (found,) = score_file(file, "rog")
    assert (found.questions, found.without_gold, found.repeated) == (3, 0, 1)
    assert means(file, "rog")["Hit1"] == 2 / 3
    assert means(file, "strict")["Precision"] == pytest.approx(1 / 3)


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text(f"{json.dumps(LINE)}\n{json.dumps(LINE | {'id': 2})}", encoding="utf-8-sig")
    (found,) = score_file(file, "gcr")
    assert found.questions == 2


def test_lines_without_gold_are_told_and_not_scored(tmp_path: Path) -> None:
    nothing = {"id": "n", "prediction": "Lima", "ground_truth": []}
    (found,) = score_file(write(tmp_path / "p.jsonl", LINE, nothing), "gcr")
    assert (found.questions, found.without_gold) == (2, 1)
    assert found.metrics["Hit"].mean == 1
    (found,) = score_file(write(tmp_path / "p.jsonl", nothing), "gcr")
    assert found.metrics == {}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "line 2: is not a prediction: Invalid JSON"),
        ("[]", "line 2: is not a prediction"),
        ({"id": "2", "ground_truth": ["a"]}, "prediction: Field required"),
        ({"id": "2", "prediction": None, "ground_truth": ["a"]}, "prediction"),
        ({"id": "2", "prediction": "a", "ground_truth": "a"}, "ground_truth: Input should be"),
        ({"id": "2", "prediction": "a", "ground_truth": [1]}, "ground_truth.0"),
    ],
)
def test_broken_lines_are_named(tmp_path: Path, line: Any, reason: str) -> None:
    file = write(tmp_path / "p.jsonl", LINE, line)
    with pytest.raises(InputError, match=reason) as raised:
        score_file(file, "rog")
    assert "\n" not in raised.value.message


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        score_file(tmp_path / "none", "rog")
    with pytest.raises(InputError, match="holds no predictions"):
        score_file(write(tmp_path / "p.jsonl"), "rog")
    with pytest.raises(InputError, match="no dialect 'rogue'"):
        score_file(write(tmp_path / "p.jsonl", LINE), "rogue")


def run_directory(folder: Path, records: list[Record]) -> Path:
    folder.mkdir()
    write(folder / "samples.jsonl", *records)
    return folder


def test_a_run_directory_has_a_score_for_each_method(tmp_path: Path) -> None:
    records = [*stub_records("gcr"), *stub_records("plan")]
    found = score_file(run_directory(tmp_path / "run", records), "strict")
    assert [one.method for one in found] == ["gcr", "plan"]
    for one in found:
        assert (one.questions, one.without_gold) == (len(SAMPLES), 3)
        assert one.metrics["F1"].mean == 1.5 / 4


def test_strict_takes_the_records_own_metrics_and_others_the_labels(tmp_path: Path) -> None:
    sample = Sample("1", "q", (Gold(term="<urn:Lima>"),))
    record = answered(sample, Asked("d", "s", "gcr"), says(proven("Lima")), 0.1)
    run = run_directory(tmp_path / "run", [record])
    assert means(run, "strict")["Hits@1"] == 1
    assert means(run / "samples.jsonl", "gcr")["Hit"] == 1  # by the end of the gold IRI


def test_the_command(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(score)
    file = str(write(tmp_path / "p.jsonl", LINE))
    shown = CliRunner().invoke(app, [file, "--dialect", "rog"])
    assert shown.output.splitlines()[:2] == ["rog, 1 questions", "           per cent  95%"]
    assert "Precision  50.0000   50.0-50.0" in shown.output
    written = CliRunner().invoke(app, [file, "--dialect", "rog", "--json"])
    assert json.loads(written.output)[0]["metrics"]["Hit"]["mean"] == 1
