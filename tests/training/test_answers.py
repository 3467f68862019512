"""What follows the last step goes on where it was stopped, and all its seconds are counted."""

import time
from pathlib import Path

import pytest
from groundwalk.training.fitting.exams import Exam, answer, forget_answers
from groundwalk.training.fitting.thresholds import Answered
from groundwalk.training.trainer.checkpoint import Elapsed
from groundwalk.training.trainer.watched import Watcher


class Asked:
    """Exams of three and of six numbers, which may be interrupted after some."""

    def __init__(self, most: int = 9) -> None:
        self.numbers = list[int]()
        self.most = most

    def ask(self, number: int) -> Answered:
        if len(self.numbers) == self.most:
            raise KeyboardInterrupt
        self.numbers.append(number)
        return Answered(number / 10, number % 2 == 0)

    def answer(self, partial: Path) -> dict[str, list[Answered]]:
        exams = {"a": Exam([10, 11, 12], self.ask), "b": Exam(range(6), self.ask)}
        return answer(exams, partial, Elapsed(partial, time.monotonic()), Watcher())


def test_exams_take_turns(tmp_path: Path) -> None:
    asked = Asked()
    found = asked.answer(tmp_path)
    assert found["a"] == [(1.0, True), (1.1, False), (1.2, True)]
    assert [one.confidence for one in found["b"]] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    assert asked.numbers == [0, 10, 1, 2, 11, 3, 4, 12, 5]


def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    first, second = Asked(most=4), Asked()
    with pytest.raises(KeyboardInterrupt):
        first.answer(tmp_path)
    whole = Asked()
    (tmp_path / "whole").mkdir()
    assert second.answer(tmp_path) == whole.answer(tmp_path / "whole")
    assert first.numbers + second.numbers == whole.numbers
    forget_answers(tmp_path)
    again = Asked()
    again.answer(tmp_path)
    assert again.numbers == whole.numbers


@pytest.mark.parametrize(
    "broken",
    ["", "[]", '{"of": 9}', '{"of": 9, "answers": [[1]]}', '{"of": 8, "answers": [[1, true]]}'],
)
def test_what_cannot_be_read_is_asked_again(tmp_path: Path, broken: str) -> None:
    (tmp_path / "answers.json").write_text(broken, encoding="utf-8")
    asked = Asked()
    asked.answer(tmp_path)
    assert len(asked.numbers) == 9


def test_the_seconds_of_all_processes_are_counted(tmp_path: Path) -> None:
    first = Elapsed(tmp_path, time.monotonic() - 100)
    first.save()
    second = Elapsed(tmp_path, time.monotonic() - 20)
    assert 120 <= second.seconds < 125
    (tmp_path / "seconds.json").write_text("{", encoding="utf-8")
    assert Elapsed(tmp_path, time.monotonic()).seconds < 5
