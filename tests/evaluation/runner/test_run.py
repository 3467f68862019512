"""The run directory and the numbers in it."""

import io
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import InputError, ModelError
from groundwalk.agent.state import State
from groundwalk.evaluation.analysis.summary import RunSummary, Summary, Unanswerable
from groundwalk.evaluation.records import SCHEMA
from groundwalk.evaluation.runner.evaluate import run
from rich.console import Console

from ..stubs import SAMPLES, config, opens, stub_answer

QUIET = Console(quiet=True)


@pytest.fixture(name="made")
def _made(tmp_path: Path) -> tuple[Path, Summary]:
    out = tmp_path / "deep" / "out"
    return out, run(SAMPLES, opens(), out, config(), console=QUIET).methods["gcr"]


def lines(out: Path) -> list[dict[str, Any]]:
    text = (out / "samples.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_the_files_of_a_run(made: tuple[Path, Summary]) -> None:
    out, summary = made
    assert {path.name for path in out.iterdir()} == {"config.json", "samples.jsonl", "summary.json"}
    assert json.loads((out / "config.json").read_text(encoding="utf-8")) == {
        **asdict(config()),
        "methods": ["gcr"],
    }
    whole = asdict(RunSummary(SCHEMA, {"gcr": summary}))
    assert json.loads((out / "summary.json").read_text(encoding="utf-8")) == whole


def test_a_line_for_every_question(made: tuple[Path, Summary]) -> None:
    found = lines(made[0])
    assert [line["id"] for line in found] == [sample.id for sample in SAMPLES]
    first = found[0]
    assert first["status"] == "answered"
    assert first["gold"] == [{"term": "<urn:Lima>", "label": "Lima", "aliases": []}]
    assert first["answers"][0]["chains"][0][0]["tail"]["label"] == "Lima"
    assert set(first["metrics"].values()) == {1.0}
    assert (first["triples"], first["supported"]) == (1, 1)
    assert first["usage"]["tokens"] == 10
    assert first["seconds"] >= 0
    assert first["notes"] == ["noted"]
    assert first["error"] is None
    second = found[1]["metrics"]
    assert (second["hits_at_1"], second["hit"], second["f1"]) == (0, 1, 0.5)


def test_errors_are_recorded_as_misses(made: tuple[Path, Summary]) -> None:
    third = lines(made[0])[2]
    assert (third["status"], third["error"]) == ("error", "service: the store did not answer")
    assert set(third["metrics"].values()) == {0.0}


def test_every_answerable_question_counts(made: tuple[Path, Summary]) -> None:
    summary = made[1]
    assert summary.accuracy is not None
    assert summary.accuracy.questions == 4
    assert summary.accuracy.hits_at_1.mean == 1 / 4
    assert summary.accuracy.hit.mean == 2 / 4
    assert summary.accuracy.f1.mean == 1.5 / 4
    assert {h: a.questions for h, a in summary.by_hops.items()} == {"1": 2, "2": 1}
    assert {n: a.questions for n, a in summary.by_answers.items()} == {"1": 3, "2-4": 1}
    assert summary.statuses == {"abstained": 2, "answered": 3, "error": 2}


def test_questions_without_an_answer_are_counted_apart(made: tuple[Path, Summary]) -> None:
    assert made[1].unanswerable == Unanswerable(questions=3, answered=1, silent=1, failed=1)


def test_faithfulness_and_costs(made: tuple[Path, Summary]) -> None:
    faith, costs = made[1].faithfulness, made[1].costs
    assert (faith.triples, faith.supported, faith.share) == (4, 3, 0.75)
    assert faith.unsupported_answers == 1
    assert (costs.tokens, costs.llm_calls, costs.forward_passes) == (50, 5, 0)
    assert 0 <= costs.median_seconds <= costs.slowest_seconds <= costs.seconds


def test_lines_are_there_as_soon_as_they_are_answered(tmp_path: Path) -> None:
    seen: list[int] = []

    def answer(question: str) -> State:
        seen.append(len(lines(tmp_path)))
        return stub_answer(question)

    run(SAMPLES, opens(answer), tmp_path, config(), console=QUIET)
    assert seen == list(range(len(SAMPLES)))


def test_labels_of_the_kg_match_too(tmp_path: Path) -> None:
    own = opens(labels=lambda terms: ["Lima" for _ in terms])
    chosen = SAMPLES[1:2]
    summary = run(chosen, own, tmp_path, config(chosen), console=QUIET).methods["gcr"]
    assert summary.accuracy is not None
    assert summary.accuracy.f1.mean == 1


def failing(error: Exception) -> Callable[[str], State]:
    """Answers the first question and raises the error at the second."""

    def answer(question: str) -> State:
        if question == SAMPLES[1].question:
            raise error
        return stub_answer(question)

    return answer


def test_what_would_meet_every_question_is_raised(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        answer = failing(ModelError("does not load"))
        run(SAMPLES, opens(answer), tmp_path, config(), console=QUIET)
    assert len(lines(tmp_path)) == 1


def test_any_other_error_is_a_line(tmp_path: Path) -> None:
    run(SAMPLES, opens(failing(ZeroDivisionError("by zero"))), tmp_path, config(), console=QUIET)
    assert lines(tmp_path)[1]["error"] == "error: ZeroDivisionError: by zero"
    assert len(lines(tmp_path)) == len(SAMPLES)


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(InputError, match="not empty"):
        run(SAMPLES, opens(), tmp_path, config(), console=QUIET)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputError, match="cannot be written"):
            run(SAMPLES, opens(), out, config(), console=QUIET)
    with pytest.raises(InputError, match="no questions"):
        run([], opens(), tmp_path / "new", config([]), console=QUIET)


def test_only_questions_without_an_answer(tmp_path: Path) -> None:
    chosen = SAMPLES[3:4]
    summary = run(chosen, opens(), tmp_path, config(chosen), console=QUIET).methods["gcr"]
    assert summary.accuracy is None
    assert (summary.by_hops, summary.by_answers) == ({}, {})
    assert summary.faithfulness.share is None


def test_progress_in_a_pipe_is_plain(tmp_path: Path) -> None:
    console = Console(file=io.StringIO())
    run(SAMPLES, opens(), tmp_path, config(), console=console)
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue().splitlines()
    assert len(shown) == 1
    assert shown[0].startswith("7/7  ")
    assert shown[0].endswith("/s  Hits@1 25.0  2 errors")


def test_progress_of_many_methods_is_one_line(tmp_path: Path) -> None:
    console, methods = Console(file=io.StringIO(), width=80), ("gcr", "plan", "rog", "tog", "dog")
    run(SAMPLES, opens(), tmp_path, config(SAMPLES, methods), console=console)
    assert isinstance(console.file, io.StringIO)
    (line,) = console.file.getvalue().splitlines()
    assert len(line) > 80 and all(f"{method} 25.0" in line for method in methods)


def test_progress_on_a_terminal_moves(tmp_path: Path) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    run(SAMPLES, opens(), tmp_path, config(), console=console)
    assert isinstance(console.file, io.StringIO)
    assert "Hits@1 25.0" in console.file.getvalue()
