"""When the search ends: what a running beam may still win, and the closing tag."""

import math
from dataclasses import replace
from typing import Any

import pytest
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.plan import BeamPlan, Question
from groundwalk.agent.decoding.search import beam_search
from groundwalk.agent.decoding.units import wire_tokens
from groundwalk.agent.decoding.wire import PATH
from hypothesis import given, settings
from hypothesis import strategies as st

from . import language, worlds
from .bounds import Word
from .constant import constant_model
from .test_huggingface import Ranked
from .test_search import MODELS, PROMPT, TOKENIZERS, limits, opened

FAMILY = "byte-level"
OPEN, CLOSE = wire_tokens(TOKENIZERS[FAMILY], PATH)


def searched(constraint: ReasoningPaths, plan: BeamPlan, model: Any) -> Ranked:
    (found,) = beam_search(model, [Question(PROMPT, constraint)], plan)
    return [(h.tokens, h.score) for h in found.hypotheses]


def chain(length: int, limits: PathLimits) -> tuple[list[Word], ReasoningPaths]:
    """Entities in a row: a path of each number of hops, shortest first."""
    facts = {(i, 2, i + 1) for i in range(length)}
    legal, constraint = opened(facts, [worlds.entity(0)], limits, FAMILY)
    assert constraint is not None
    return sorted(legal, key=len), constraint


def closing(probability: float) -> Any:
    """A model that closes with this probability wherever it may also go on."""
    logit = math.log(probability / (1 - probability))
    return constant_model(len(TOKENIZERS[FAMILY]), {CLOSE: logit})


def test_it_goes_on_while_a_running_beam_may_win() -> None:
    words, constraint = chain(4, PathLimits(hops=3, inverse=False))
    found = searched(constraint, BeamPlan(beams=2), closing(0.4))
    expected = {words[0]: 0.4, words[2]: 0.6 * 0.6}
    assert [word for word, _ in found] == list(expected)
    assert [math.exp(s) for _, s in found] == pytest.approx(list(expected.values()))


@pytest.mark.parametrize("logit", [-30.0, 30.0])
def test_only_the_closing_tag_ends_a_word(logit: float) -> None:
    """Words come by length as the model likes or hates to close, and its own end is no end."""
    words, constraint = chain(4, PathLimits(hops=3, inverse=False))
    tokenizer = TOKENIZERS[FAMILY]
    special = {token: 40.0 for token in tokenizer.all_special_ids if token != CLOSE}
    model = constant_model(len(tokenizer), {CLOSE: logit, **special})
    found = searched(constraint, BeamPlan(beams=3), model)
    assert [word for word, _ in found] == (words if logit > 0 else words[::-1])
    for word, _ in found:
        assert word[0] == OPEN and word[-1] == CLOSE
        assert not set(word[1:-1]) & set(tokenizer.all_special_ids)


@settings(max_examples=60, deadline=None)
@given(
    facts=language.facts(10),
    limits=limits,
    beams=st.sampled_from([2, 5, 10]),
    scores=st.sampled_from(["allowed", "full"]),
    enough=st.integers(1, 3),
    least=st.sampled_from([0.3, 0.05, 0.001]),
    data=st.data(),
)
def test_words_that_are_likely_enough_are_found_all_the_same(
    facts: set[worlds.Fact],
    limits: PathLimits,
    beams: int,
    scores: Any,
    enough: int,
    least: float,
    data: st.DataObject,
) -> None:
    _, constraint = opened(facts, language.topics(data.draw, facts), limits, FAMILY)
    if constraint is None:
        return
    plan = BeamPlan(beams=beams, scores=scores)
    whole = searched(constraint, plan, MODELS[FAMILY])
    pruned = searched(constraint, replace(plan, enough=enough, least=least), MODELS[FAMILY])
    likely = [word for word, score in whole if math.exp(score) >= least * (1 + 1e-6)]
    assert [word for word, _ in pruned][: len(likely)] == likely
    assert len(pruned) >= min(enough, len(whole))
