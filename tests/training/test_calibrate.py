from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from groundwalk.agent.errors import DatasetError
from groundwalk.evaluation.samples import Gold
from groundwalk.evaluation.samples import Sample as Question
from groundwalk.training.fitting import exams as tuning
from groundwalk.training.fitting.thresholds import (
    Judged,
    confidence_of,
    fit_threshold,
    lenient_threshold,
    silence_threshold,
    tuned_threshold,
)
from groundwalk.training.questions.graph import Move
from groundwalk.training.questions.questioner import Sample
from hypothesis import example, given
from hypothesis import strategies as st


def cost(threshold: float, scores: list[float], labels: list[bool], false_cost: float) -> float:
    pairs = list(zip(scores, labels, strict=True))
    wrong = sum(score >= threshold and not right for score, right in pairs)
    return false_cost * wrong + sum(score < threshold and right for score, right in pairs)


def test_the_threshold_lies_in_the_gap() -> None:
    assert fit_threshold([0.1, 0.2, 0.8, 0.9], [False, False, True, True]) == pytest.approx(0.5)


def test_a_false_answer_costs_more_than_a_withheld_one() -> None:
    scores, labels = [0.3, 0.4, 0.5, 0.9], [True, True, False, True]
    assert fit_threshold(scores, labels, false_cost=1) < 0.3
    assert fit_threshold(scores, labels, false_cost=3) > 0.5


def test_nothing_to_tell_apart() -> None:
    assert fit_threshold([], []) == 0
    assert fit_threshold([0.4, 0.6], [True, True]) == 0


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=12))
def test_no_other_threshold_costs_less(pairs: list[tuple[float, bool]]) -> None:
    scores, labels = [score for score, _ in pairs], [right for _, right in pairs]
    found = cost(fit_threshold(scores, labels, false_cost=3), scores, labels, 3)
    if len(set(labels)) == 2:
        for threshold in [0.0, *scores]:
            assert found <= cost(threshold, scores, labels, 3) + 1e-9


@example([(0.0, False), (0.0, False), (0.0, True), (1.0, False)])
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=30))
def test_the_lenient_threshold_is_the_lowest_of_those_about_as_good(
    pairs: list[tuple[float, bool]],
) -> None:
    scores, labels = [score for score, _ in pairs], [right for _, right in pairs]
    found = lenient_threshold(scores, labels)
    if len(set(labels)) < 2:
        assert found == 0
        return
    costs = {score: cost(score, scores, labels, 1) for score in [*scores, 1.0]}
    most = min(costs.values()) + min(costs.values()) ** 0.5
    assert costs[found] <= most
    assert all(costs[score] > most for score in costs if score < found)


def test_silence_threshold_leaves_its_share_answered() -> None:
    scores = [0.9, 0.5, 0.1, *[0.0] * 22]
    assert silence_threshold(scores, share=0.04) == pytest.approx(0.7)
    assert silence_threshold(scores, share=0.0) == pytest.approx(0.95)
    assert silence_threshold([], share=0.04) == pytest.approx(0.5)


def test_an_unanswerable_question_that_is_answered_costs_more_than_a_wrong_answer() -> None:
    def judged(confidence: float, *, right: bool, answerable: bool = True) -> Judged:
        moves = (Move(0),) if answerable else None
        return Judged(Sample("?", (), (0,), moves), confidence, right)

    rights = [judged(score, right=True) for score in (0.1, 0.2, 0.9)]
    wrong = [*rights, judged(0.3, right=False)]
    absent = [*rights, judged(0.3, right=False, answerable=False)]
    assert confidence_of(wrong) < 0.1
    assert 0.3 < confidence_of(absent) < 0.9


def threshold_on(questions: Sequence[Question], generated: Sequence[Judged] = ()) -> float:
    confidence = tuning.confidence_in(cast(Any, None), cast(Any, None), "gcr")
    silent = tuning.without_answer(questions)
    return tuned_threshold([confidence(one) for one in silent], generated)


def test_a_path_that_is_no_answer_does_not_raise_the_threshold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    states: list[dict[str, Any]] = [
        {"answers": [], "result": None, "confidence": 0.9},
        {"answers": [{}], "result": None, "confidence": 0.2},
    ]

    def agent(*_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(invoke=answer)

    def answer(*_: object, **__: object) -> dict[str, Any]:
        return states.pop(0)

    monkeypatch.setattr(tuning, "build_graph", agent)
    asked = [Question(id=str(n), question="?", answers=()) for n in range(2)]
    assert threshold_on(asked) == pytest.approx(0.6)


def test_questions_that_no_wording_was_read_from_tell_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    surest = {"read": 0.9, "fresh": 0.3, "answered": 0.99}

    def agent(*_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(invoke=answer)

    def answer(asked: dict[str, str], **__: object) -> dict[str, Any]:
        return {"answers": [{}], "confidence": surest[asked["question"]]}

    monkeypatch.setattr(tuning, "build_graph", agent)
    asked = [
        Question(id="1", question="read", answers=()),
        Question(id="2", question="fresh", answers=(), tags=("calibration",)),
        Question(id="3", question="answered", answers=(Gold(term="x"),)),
    ]
    assert threshold_on(asked) == pytest.approx(0.65)
    assert threshold_on(asked[:1]) == pytest.approx(0.95)
    with pytest.raises(DatasetError, match="all have answers"):
        threshold_on(asked[2:])
    sample = Sample("?", (), (0,), None)
    generated = [Judged(sample, confidence, False) for confidence in (0.9, 0.7, *[0.1] * 38)]
    generated += [Judged(sample._replace(moves=(Move(0),)), 0.99, True)] * 40
    threshold = threshold_on(asked, generated)
    assert threshold == pytest.approx(0.65), "0.4 leaves 5% of the generated ones answered"
    threshold = threshold_on(asked, generated[:20])
    assert threshold == pytest.approx(0.8)
    threshold = threshold_on(asked, generated[:19])
    assert threshold == pytest.approx(0.65), "too few tell nothing"
