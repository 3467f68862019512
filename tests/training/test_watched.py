"""When a run stops, which weights it keeps, and what it says meanwhile."""

from io import StringIO
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from groundwalk.training.recipe import Recipe
from groundwalk.training.trainer.watched import LOOKS, Lines, Looks, Watched, counted, show_progress
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console


class Told:
    """Held-out questions whose scores are known."""

    def __init__(self, scores: list[float]) -> None:
        self._scores = iter(scores)

    def hits(self) -> float:
        return next(self._scores)


@given(st.lists(st.sampled_from([0.2, 0.4, 0.6]), min_size=1, max_size=LOOKS), st.integers(1, 4))
def test_patience_ends_a_run_and_keeps_the_best_weights(scores: list[float], patience: int) -> None:
    looks = Looks(cast(Watched, Told(scores)), 20 * LOOKS, patience)
    model: Any = torch.nn.Linear(1, 1)
    seen = list[float]()
    for step in range(1, 20 * len(scores) + 1):
        if not looks.is_due(step):
            continue
        with torch.no_grad():
            model.weight.fill_(float(step))
        looks.look(step, model)
        seen.append(scores[len(seen)])
        best = max(seen)
        since = len(seen) - 1 - seen.index(best)
        assert looks.is_over == (since >= patience)
        if looks.is_over:
            break
    looks.restore(model)
    last = max(place for place, score in enumerate(seen, 1) if score == max(seen))
    assert model.weight.item() == 20 * last
    assert list(looks.seen.values()) == seen


def test_without_patience_the_last_weights_are_the_models() -> None:
    looks = Looks(cast(Watched, Told([0.9, 0.1])), LOOKS, None)
    model: Any = torch.nn.Linear(1, 1)
    for step in (1, 2):
        looks.look(step, model)
    assert not looks.is_over and not looks.weights and looks.last == 0.1


def test_lines_come_now_and_then_and_say_how_long_it_takes() -> None:
    lines, now = list[str](), [0.0]
    watcher = Lines(lines.append, clock=lambda: now[0])
    for step in range(1, 101):
        now[0] += 1.0
        watcher.step(step, 100, 0.5, None if step < 15 else 0.25)
    then = "then the confidence is fitted"
    assert lines[0] == f"step 10 of 100, loss 0.500, 1 min 30 s left, {then}"
    assert lines[1] == f"step 20 of 100, loss 0.500, held-out Hits@1 25.0%, 1 min 20 s left, {then}"
    assert lines[-1] == "step 100 of 100, loss 0.500, held-out Hits@1 25.0%"
    assert len(lines) == 10


def test_time_left_is_reckoned_from_the_pace_of_this_process() -> None:
    lines, now = list[str](), [0.0]
    watcher = Lines(lines.append, clock=lambda: now[0])
    for step in range(5000, 5030):  # a run that goes on
        now[0] += 1.0
        watcher.step(step, 10_000, 0.5, None)
    assert lines[0].split(", then")[0].endswith(f"{4991 // 3600} h {4991 % 3600 // 60} min left")


def test_what_follows_the_steps_is_shown_like_them() -> None:
    lines, now = list[str](), [0.0]
    watcher = Lines(lines.append, clock=lambda: now[0])
    for step in range(1, 3):
        now[0] += 9.0
        watcher.step(step, 2, 0.5, None)
    for done in counted(range(4_000), 2_000, "making questions", watcher, before=1_000):
        now[0] += 1 / 64
        assert done < 1_000
    assert lines == [
        "step 2 of 2, loss 0.500",
        "making questions: 1,640 of 2,000, 6 s left",
        "making questions: 2,000 of 2,000",
    ]


def test_a_terminal_shows_one_bar_at_a_time() -> None:
    console = Console(file=StringIO(), force_terminal=True, width=120)
    with show_progress(console) as watcher:
        watcher.step(1, 2, 0.5, 0.25)
        watcher.part("making questions", 1, 2)
        watcher.part("making questions", 2, 2)
        (task,) = vars(watcher)["_progress"].tasks
    assert (task.description, task.completed, task.total) == ("making questions", 2, 2)


def test_a_line_elsewhere_is_whole_and_as_it_is() -> None:
    written = StringIO()
    with show_progress(Console(file=written, width=20)) as watcher:
        watcher.say("of a graph [as it is called] nothing can be asked")
    assert written.getvalue() == "of a graph [as it is called] nothing can be asked\n"


@pytest.mark.parametrize(
    ("more", "stops"),
    [
        ({}, True),
        ({"batch": 8}, True),
        ({"patience": 0}, False),
        ({"patience": 3}, False),
        ({"steps": 4000}, False),
        ({"base": "x"}, False),
        ({"questions": Path("qa.txt")}, False),
    ],
)
def test_a_new_model_of_made_questions_stops_by_itself(more: dict[str, Any], stops: bool) -> None:
    assert Recipe(**more).stops_by_itself == stops


def test_a_record_holds_what_was_set_and_is_plain() -> None:
    assert Recipe().record() == {}
    assert Recipe(steps=5, formats=["path"]).record() == {"steps": 5, "formats": ["path"]}


@pytest.mark.parametrize(("base", "supervised", "steps"), [("", True, 800), ("", False, 4000)])
def test_what_is_left_open_is_chosen(base: str, supervised: bool, steps: int) -> None:
    chosen = Recipe(base=base, batch=7).schedule_for(supervised=supervised)
    assert (chosen.steps, chosen.batch) == (steps, 7)
