"""Run directories as they are found: whole, broken, or still being written."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.evaluation.analysis.summary import summarise
from groundwalk.evaluation.records import Record
from groundwalk.evaluation.report.embed import Outcome, outcome
from groundwalk.evaluation.report.runs import read_runs

from .runs import records, step, write_run


def unseen(run: str, record: Record) -> None:
    """Nobody wants to know."""


def test_records_are_seen_whole_and_kept_as_far_as_they_count(tmp_path: Path) -> None:
    seen: list[tuple[str, int]] = []

    def see(run: str, record: Record) -> None:
        seen.append((run, sum(len(answer["chains"]) for answer in record["answers"])))

    (run,) = read_runs([write_run(tmp_path / "run")], see)
    assert seen == [("run", n) for n in (1, 1, 1, 0, 0, 0, 0)]
    assert [r["id"] for r in run.records] == [r["id"] for r in records()]
    assert summarise(run.records, 7) == summarise(records(), 7)
    assert run.questions == 7 and run.methods == ("gcr",)


def _append(text: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        with (folder / "samples.jsonl").open("a", encoding="utf-8") as lines:
            lines.write(text)

    return change


def _write(name: str, text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(text, encoding="utf-8")


def _remove(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_remove("config.json"), "config.json cannot be read"),
        (_remove("samples.jsonl"), "samples.jsonl cannot be read"),
        (_write("config.json", "{"), "config.json is not JSON"),
        (_write("config.json", "[" * 100_000), "config.json is not JSON"),
        (_write("config.json", "[1]"), "config.json is no JSON object"),
        (_write("samples.jsonl", ""), "has no records yet"),
        (_write("samples.jsonl", "{"), "has no records yet"),
        (_append("broken\n"), "line 8: is not a record"),
        (_append('{"schema": 1}\n'), "line 8: is not a record"),
        (_append(json.dumps({**records()[0], "schema": 99}) + "\n"), "line 8: has schema 99"),
        (_append(json.dumps({**records()[0], "right": []}) + "\n"), "line 8: is not a record"),
        (_append(json.dumps(records()[1]) + "\n"), "line 8: wrong was answered before, in line 2"),
    ],
)
def test_what_is_broken_is_said_in_one_line(
    tmp_path: Path, change: Callable[[Path], object], message: str
) -> None:
    folder = write_run(tmp_path / "run")
    change(folder)
    with pytest.raises(InputError) as error:
        read_runs([folder], unseen)
    assert message in error.value.message
    assert "\n" not in error.value.message
    assert error.value.hint


def test_folders_that_are_none_or_twice(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    with pytest.raises(InputError, match="is no directory"):
        read_runs([tmp_path / "nowhere"], unseen)
    with pytest.raises(InputError, match="is named twice"):
        read_runs([folder, tmp_path / "x" / ".." / "run"], unseen)


def test_names_are_as_long_as_they_must(tmp_path: Path) -> None:
    folders = [write_run(tmp_path / place) for place in ("a/one/run", "b/one/run", "c/two")]
    assert [run.name for run in read_runs(folders, unseen)] == ["a/one/run", "b/one/run", "two"]
    assert [run.name for run in read_runs(folders[1:], unseen)] == ["run", "two"]


def test_a_run_whose_path_another_ends_in_has_its_whole_path(tmp_path: Path) -> None:
    first = write_run(tmp_path.resolve() / "run")
    path = first.relative_to(first.anchor).as_posix()
    second = write_run(tmp_path / "copy" / path)
    names = [run.name for run in read_runs([first, second], unseen)]
    assert [name.lstrip("/") for name in names] == [path, f"copy/{path}"]


def test_what_became_of_each_question() -> None:
    found = {record["id"]: outcome(record) for record in records()}
    assert found == {
        "right": Outcome.RIGHT,
        "wrong": Outcome.WRONG,
        "claimed": Outcome.RIGHT | Outcome.UNSUPPORTED,
        "silent": Outcome.ABSTAINED,
        "rightly": Outcome.RIGHT | Outcome.ABSTAINED | Outcome.UNANSWERABLE,
        "invented": Outcome.WRONG | Outcome.UNANSWERABLE,
        "failed": Outcome.ERROR,
    }


def test_an_answer_keeps_one_proof_if_it_has_any(tmp_path: Path) -> None:
    lines = records()[:2]
    untrue = [step("Peru", "capital", "Lima", verdict="unsupported")]
    lines[0]["answers"][0]["chains"] *= 3
    lines[0]["answers"][0]["chains"].insert(0, untrue)
    lines[1]["answers"][1]["chains"] = [untrue]
    (run,) = read_runs([write_run(tmp_path / "run", lines)], unseen)
    kept = [[len(a["chains"]) for a in r["answers"]] for r in run.records]
    assert kept == [[1], [0, 0]]
    assert summarise(run.records, 7) == summarise(lines, 7)
