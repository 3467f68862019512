"""Streaming gives the words of the search, in its order, and not only at the end."""

import tempfile
from pathlib import Path as Folder

import pytest
from groundwalk.agent.decoding.index import build_index
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.search import BeamPlan, Question, beam_search
from groundwalk.agent.decoding.stream import stream_search
from groundwalk.agent.decoding.units import wire_tokens
from groundwalk.agent.decoding.wire import PATH
from hypothesis import given, settings
from hypothesis import strategies as st

from . import oracle, worlds

TOKENIZER = worlds.byte_level()
MODEL = worlds.random_model(len(TOKENIZER))
nodes = st.integers(0, len(worlds.HOSTILE) - 1)


def constraint(facts: set[worlds.Fact]) -> ReasoningPaths:
    with tempfile.TemporaryDirectory() as folder:
        kg = worlds.graph(facts, Folder(folder))
        index = build_index(kg, TOKENIZER)
        units = oracle.topic_units(kg, TOKENIZER, index, [worlds.entity(min(facts)[0])])
        kg.close()
    tags = wire_tokens(TOKENIZER, PATH)
    return ReasoningPaths(index, units, tags, PathLimits(2, revisits="walk"))


@settings(max_examples=25, deadline=None)
@given(
    facts=st.sets(st.tuples(nodes, st.integers(0, 5), nodes), min_size=1, max_size=10),
    plan=st.sampled_from(
        [
            BeamPlan(1),
            BeamPlan(4),
            BeamPlan(4, "full"),
            BeamPlan(4, early_stopping=True),
            BeamPlan(4, groups=2),
            BeamPlan(4, length_penalty=1.0),
        ]
    ),
)
def test_the_same_words_in_the_same_order(facts: set[worlds.Fact], plan: BeamPlan) -> None:
    question = Question([5, 9, 30], constraint(facts))
    (found,) = beam_search(MODEL, [question], plan)
    streamed = list(stream_search(MODEL, question, plan))
    assert [s.hypothesis.tokens for s in streamed] == [h.tokens for h in found.hypotheses]
    for own, other in zip(streamed, found.hypotheses, strict=True):
        assert own.hypothesis.score == pytest.approx(other.score)
        assert own.hypothesis.relevance == pytest.approx(other.relevance)
        assert own.hypothesis.state == other.state
    assert streamed[-1].cost.forced_tokens == found.cost.forced_tokens


def test_a_word_comes_before_the_search_is_over() -> None:
    """A short path that no longer one can beat needs not wait for the others."""
    facts = {(0, 0, 1), (0, 1, 2), *((2, r, t) for r in range(6) for t in range(3, 18))}
    question = Question([5, 9, 30], constraint(facts))
    plan = BeamPlan(30)
    (found,) = beam_search(MODEL, [question], plan, relevance=False)
    first = next(stream_search(MODEL, question, plan))
    assert first.hypothesis.tokens == found.hypotheses[0].tokens
    assert first.cost.forward_passes < found.cost.forward_passes
