"""Threads that search together get what each gets alone, in fewer passes; none waits in vain."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from groundwalk.agent.decoding import search as gathering
from groundwalk.agent.decoding.index import build_index
from groundwalk.agent.decoding.plan import BeamPlan, Question, SearchResult
from groundwalk.agent.decoding.search import Gathering, beam_search, search
from groundwalk.agent.errors import ConstraintError

from . import oracle, worlds
from .test_batches import FACTS, MIXED, assert_equal
from .test_search import MODELS, TOKENIZERS

FAMILY = sorted(TOKENIZERS)[0]
MODEL = MODELS[FAMILY]
PLAN = BeamPlan(beams=5)


@pytest.fixture(scope="module", name="questions")
def _questions(tmp_path_factory: pytest.TempPathFactory) -> list[Question[Any]]:
    tokenizer = TOKENIZERS[FAMILY]
    kg = worlds.graph(FACTS, tmp_path_factory.mktemp("kg"))
    index = build_index(kg, tokenizer)
    made = list[Question[Any]]()
    for prompt, topics, limits in MIXED:
        terms = [worlds.entity(topic) for topic in topics]
        paths = oracle.constraint(kg, tokenizer, terms, limits, index)
        made.append(Question(prompt, paths))
    kg.close()
    return made


@pytest.fixture(name="batches")
def _batches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The size of every batch that is searched."""
    sizes = list[int]()

    def spied(model: Any, questions: Any, plan: Any, **more: Any) -> Any:
        sizes.append(len(questions))
        return beam_search(model, questions, plan, **more)

    monkeypatch.setattr(gathering, "beam_search", spied)
    return sizes


def together(works: list[Callable[[], Any]]) -> list[Any]:
    """What works return or raise that begin at the same time, in a thread each."""
    own, begin = Gathering(), threading.Barrier(len(works))

    def one(work: Callable[[], Any]) -> Any:
        with own.taking_part():
            begin.wait()
            try:
                return work()
            except Exception as error:
                return error

    with ThreadPoolExecutor(len(works)) as threads:
        return list(threads.map(one, works))


def asks(question: Question[Any], plan: BeamPlan = PLAN) -> Callable[[], SearchResult[Any]]:
    return lambda: search(MODEL, question, plan)


def test_a_thread_alone_searches_at_once(questions: list[Question[Any]]) -> None:
    assert_equal(asks(questions[0])(), beam_search(MODEL, questions[:1], PLAN)[0])


def test_one_batch_and_the_same_answers(questions: list[Question[Any]], batches: list[int]) -> None:
    found = together([asks(question) for question in questions])
    assert batches == [len(questions)]
    for own, question in zip(found, questions, strict=True):
        assert_equal(own, beam_search(MODEL, [question], PLAN)[0])


def test_unlike_plans_are_batches_of_their_own(
    questions: list[Question[Any]], batches: list[int]
) -> None:
    plans = [PLAN, BeamPlan(beams=2), PLAN, BeamPlan(beams=2), PLAN]
    found = together([asks(q, plan) for q, plan in zip(questions, plans, strict=True)])
    assert sorted(batches) == [2, 3]
    for own, question, plan in zip(found, questions, plans, strict=True):
        assert_equal(own, beam_search(MODEL, [question], plan)[0])


def test_one_that_cannot_be_searched_fails_by_itself(questions: list[Question[Any]]) -> None:
    long = Question([1] * 5_000, questions[1].constraint)
    first, error, last = together([asks(questions[0]), asks(long), asks(questions[2])])
    assert isinstance(error, ConstraintError)
    assert_equal(first, beam_search(MODEL, [questions[0]], PLAN)[0])
    assert_equal(last, beam_search(MODEL, [questions[2]], PLAN)[0])


def test_nobody_waits_for_a_thread_that_left_or_searches_less(
    questions: list[Question[Any]], batches: list[int]
) -> None:
    def thrice() -> list[SearchResult[Any]]:
        return [search(MODEL, question, PLAN) for question in questions[:3]]

    def fails() -> None:
        raise ValueError

    found = together([thrice, asks(questions[3]), lambda: None, fails])
    assert len(found[0]) == 3
    assert sum(batches) == 4
    assert isinstance(found[3], ValueError)
