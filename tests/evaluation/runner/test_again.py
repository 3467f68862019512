"""A run whose store or chat LLM went down: it stops in time, and asks again what got no answer."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import GroundwalkError, InputError, ServiceError
from groundwalk.agent.state import State
from groundwalk.evaluation.analysis.summary import RunSummary
from groundwalk.evaluation.runner.evaluate import run
from groundwalk.evaluation.samples import Gold, Sample
from rich.console import Console

from ..stubs import config, opens, proven, says

SAMPLES = tuple(Sample(f"n{n:02}", f"question {n}", (Gold(label="Lima"),)) for n in range(60))


class Answers:
    """Answers every question but some, which end in an error, and remembers what it was asked."""

    def __init__(
        self, error: GroundwalkError | None = None, fails: Callable[[int], bool] = lambda _: True
    ) -> None:
        self.error, self.fails, self.asked = error, fails, list[int]()

    def __call__(self, question: str) -> State:
        number = int(question.split()[1])
        self.asked.append(number)
        if self.error is not None and self.fails(number):
            raise self.error
        return says(proven("Lima"))


DOWN = ServiceError("the endpoint did not answer: 503")


def ask(out: Path, answers: Callable[[str], State], count: int = 60) -> tuple[RunSummary, str]:
    """A run of the first questions, and what it said."""
    console, samples = Console(file=io.StringIO(), width=40), SAMPLES[:count]
    summary = run(samples, opens(answers), out, config(samples), console=console)
    assert isinstance(console.file, io.StringIO)
    return summary, console.file.getvalue()


def lines(out: Path) -> list[dict[str, Any]]:
    text = (out / "samples.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_what_a_service_failed_is_asked_again_and_nothing_else(tmp_path: Path) -> None:
    first, said = ask(tmp_path, Answers(DOWN, lambda n: n % 3 == 0))
    assert first.methods["gcr"].troubles.errors == 20
    assert "again" not in said
    well = Answers()
    second, said = ask(tmp_path, well)
    assert said.splitlines()[0] == "20 answers that a service failed are asked again"
    assert well.asked == list(range(0, 60, 3))
    assert second.methods["gcr"].statuses == {"answered": 60}
    assert [line["id"] for line in lines(tmp_path)] == [sample.id for sample in SAMPLES]
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    third, said = ask(tmp_path, well)
    assert (third, said, len(well.asked)) == (second, "", 20)
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_an_llm_that_did_not_answer_is_asked_again(tmp_path: Path) -> None:
    def voted(question: str) -> State:
        state = says(proven("Lima"))
        assert "usage" in state
        return {**state, "usage": {**state["usage"], "llm_failed": int(question == "question 4")}}

    ask(tmp_path, voted, 9)
    well = Answers()
    _, said = ask(tmp_path, well, 9)
    assert well.asked == [4]
    assert said.splitlines()[0] == "1 answer that a service failed is asked again"


def test_an_error_of_the_question_is_not_asked_again(tmp_path: Path) -> None:
    odd = 'a "error": "service: " and "llm_failed": 3'
    ask(tmp_path, Answers(GroundwalkError(odd), lambda n: n == 2), 4)
    unasked = Answers()
    ask(tmp_path, unasked, 4)
    assert unasked.asked == []
    assert odd in lines(tmp_path)[2]["error"]


def test_a_service_that_is_down_ends_the_run_and_the_same_command_goes_on(tmp_path: Path) -> None:
    down = Answers(DOWN, lambda n: n >= 10)
    with pytest.raises(ServiceError, match="20 questions in a row, .*: the endpoint did") as raised:
        ask(tmp_path, down)
    assert "the same command goes on" in raised.value.hint
    assert down.asked == list(range(30))
    with pytest.raises(ServiceError):
        ask(tmp_path, down)
    assert down.asked[30:] == list(range(30, 50))  # what was never asked comes first
    well = Answers()
    summary, said = ask(tmp_path, well)
    assert said.startswith("20 answers")
    assert sorted(well.asked) == list(range(10, 60))
    assert summary.methods["gcr"].statuses == {"answered": 60}
    assert [line["id"] for line in lines(tmp_path)] == [sample.id for sample in SAMPLES]


def test_an_answer_in_between_begins_the_count_anew(tmp_path: Path) -> None:
    ask(tmp_path, Answers(DOWN, lambda n: n != 19 and n != 39))
    assert len(lines(tmp_path)) == 60


def test_questions_that_a_service_never_answers_do_not_keep_a_run_from_its_end(
    tmp_path: Path,
) -> None:
    heavy = Answers(DOWN, lambda n: n < 25)
    with pytest.raises(ServiceError):
        ask(tmp_path, heavy)
    for _ in range(2):
        summary, _ = ask(tmp_path, heavy)
        assert summary.methods["gcr"].statuses == {"answered": 35, "error": 25}


def test_other_settings_drop_nothing(tmp_path: Path) -> None:
    ask(tmp_path, Answers(DOWN, lambda n: n % 3 == 0))
    before = (tmp_path / "samples.jsonl").read_bytes()
    with pytest.raises(InputError, match="has 60 questions"):
        ask(tmp_path, Answers(), 30)
    assert (tmp_path / "samples.jsonl").read_bytes() == before
