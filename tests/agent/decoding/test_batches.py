"""Questions that are searched together get what each gets alone."""

from pathlib import Path as Folder
from typing import Any

import pytest
from groundwalk.agent.decoding.index import build_index
from groundwalk.agent.decoding.paths import PathLimits
from groundwalk.agent.decoding.plan import BeamPlan, Question, SearchResult
from groundwalk.agent.decoding.search import beam_search
from hypothesis import given, settings
from hypothesis import strategies as st

from . import language, oracle, worlds
from .bounds import Word
from .diverse import diverse_search, followers
from .test_precision import limits, opened
from .test_search import MODELS, PROMPT, TOKENIZERS

FACTS = [(h, (h + t) % 4, t) for h in range(6) for t in range(6) if h != t and (h * t) % 5 != 2] + [
    (9, 2, 0),
    (10, 5, 11),
]
"""Dense among the first six entities; 9 hangs on them, and 10 and 11 are by themselves."""

MIXED: list[tuple[list[int], list[int], PathLimits]] = [
    ([5, 9, 30], [0, 3], PathLimits(hops=3)),
    ([7], [10], PathLimits(hops=1)),
    ([8, 6, 40, 41, 42, 43, 44, 45, 46, 47], [9], PathLimits(hops=3, inverse=False)),
    ([12, 13], [1, 9], PathLimits(hops=2, revisits="simple")),
    ([5, 9, 30], [4, 10], PathLimits(hops=3, revisits="walk")),
]
"""Prompt, topics and limits of each question."""


def assert_equal(together: SearchResult[Any], alone: SearchResult[Any]) -> None:
    ours, theirs = together.hypotheses, alone.hypotheses
    assert [h.tokens for h in ours] == [h.tokens for h in theirs]
    assert [h.state for h in ours] == [h.state for h in theirs]
    assert [h.score for h in ours] == pytest.approx([h.score for h in theirs], abs=1e-9)
    assert [h.relevance for h in ours] == pytest.approx([h.relevance for h in theirs], abs=1e-9)


@pytest.mark.parametrize("family", sorted(TOKENIZERS))
@pytest.mark.parametrize(
    "plan",
    [
        BeamPlan(beams=10),
        BeamPlan(beams=4, scores="full"),
        BeamPlan(beams=6, groups=3),
    ],
    ids=["allowed", "full", "groups"],
)
def test_five_mixed_questions_as_one_by_one(family: str, plan: BeamPlan, tmp_path: Folder) -> None:
    tokenizer, model = TOKENIZERS[family], MODELS[family]
    kg = worlds.graph(FACTS, tmp_path)
    index = build_index(kg, tokenizer)
    questions: list[Question[Any]] = []
    for prompt, topics, own in MIXED:
        terms = [worlds.entity(topic) for topic in topics]
        paths = oracle.constraint(kg, tokenizer, terms, own, index)
        questions.append(Question(prompt, paths))
    kg.close()
    alone = [beam_search(model, [question], plan)[0] for question in questions]
    assert {len(found.hypotheses) for found in alone} > {1}, "one has a single path"
    for together in (beam_search(model, questions, plan), beam_search(model, questions, plan)):
        for found, expected in zip(together, alone, strict=True):
            assert_equal(found, expected)
    backwards = beam_search(model, questions[::-1], plan)
    for found, expected in zip(backwards[::-1], alone, strict=True):
        assert_equal(found, expected)


@settings(max_examples=10, deadline=None)
@given(
    graphs=st.lists(st.tuples(language.facts(10), limits), min_size=2, max_size=5),
    family=st.sampled_from(sorted(TOKENIZERS)),
    scores=st.sampled_from(["allowed", "full"]),
    data=st.data(),
)
def test_questions_over_different_graphs_as_a_naive_search(
    graphs: list[tuple[set[worlds.Fact], PathLimits]], family: str, scores: Any, data: st.DataObject
) -> None:
    model, plan = MODELS[family], BeamPlan(beams=4, scores=scores)
    questions: list[Question[Any]] = []
    expected: list[list[tuple[Word, float]]] = []
    for facts, own in graphs:
        topics = language.topics(data.draw, facts)
        legal, constraint = opened(facts, topics, own, family)
        if constraint is not None and len(legal) <= 500:
            prompt = PROMPT * (1 + len(questions))
            questions.append(Question(prompt, constraint))
            expected.append(diverse_search(followers(model, prompt, legal, scores), plan))
    if not questions:
        return
    for found, words in zip(beam_search(model, questions, plan), expected, strict=True):
        assert [h.tokens for h in found.hypotheses] == [word for word, _ in words]
        values = [score for _, score in words]
        assert [h.score for h in found.hypotheses] == pytest.approx(values, abs=1e-6)
