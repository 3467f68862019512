"""When the search ends: `never`, length penalties and the closing tag.

With `never`, Hugging Face's `generate` and the search go on until no running beam can win, whatever
the length penalty; how long a word may become is the same maximum for both. What they return is
then a matter of scores alone, and `bounds` says it from plain forward passes. The tolerance is that
of the float32 sums of `generate`; the model is in float64.
"""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.search import BeamPlan, Question, beam_search
from groundwalk.agent.decoding.units import wire_tokens
from groundwalk.agent.decoding.wire import PATH
from hypothesis import given, settings
from hypothesis import strategies as st

from . import language, worlds
from .bounds import Word, bounds, teacher_forced
from .constant import constant_model
from .test_huggingface import Ranked, generate
from .test_precision import limits, opened, pad
from .test_search import MODELS, PROMPT, TOKENIZERS

TOLERANCE = 2e-4
FAMILY = "byte-level"
OPEN, CLOSE = wire_tokens(TOKENIZERS[FAMILY], PATH)


def final(word: Word, score: float, plan: BeamPlan) -> float:
    return score / len(word) ** plan.length_penalty


def searched(constraint: ReasoningPaths, plan: BeamPlan, model: Any) -> Ranked:
    """Words with their scores after the length penalty."""
    (found,) = beam_search(model, [Question(PROMPT, constraint)], plan)
    return [(h.tokens, final(h.tokens, h.score, plan)) for h in found.hypotheses]


@settings(max_examples=60, deadline=None)
@given(
    facts=language.facts(10),
    limits=limits,
    family=st.sampled_from(sorted(TOKENIZERS)),
    plan=st.builds(
        BeamPlan,
        beams=st.sampled_from([2, 5, 10]),
        scores=st.sampled_from(["allowed", "full"]),
        length_penalty=st.sampled_from([-1.0, 0.0, 1.0, 2.0]),
        early_stopping=st.just("never"),
    ),
    data=st.data(),
)
def test_never_as_hugging_face(
    facts: set[worlds.Fact], limits: PathLimits, family: str, plan: BeamPlan, data: st.DataObject
) -> None:
    legal, constraint = opened(facts, language.topics(data.draw, facts), limits, family)
    if constraint is None or len(legal) > 300:
        return
    model, words = MODELS[family], list(legal)
    plan = replace(plan, max_tokens=max(map(len, words)) + 1)
    within = bounds(
        teacher_forced(model, PROMPT, words, plan.scores),
        words,
        beams=plan.beams,
        tolerance=TOLERANCE,
        length_penalty=plan.length_penalty,
    )
    close = wire_tokens(TOKENIZERS[family], PATH)[1]
    ours = searched(constraint, plan, model)
    theirs = generate(model, legal, close, plan, pad(family))
    for found in (ours, theirs):
        assert within.certain <= {word for word, _ in found} <= set(within.possible)
        assert all(a[1] > b[1] - 1e-6 for a, b in pairwise(found))
        for word, score in found:
            off = TOLERANCE * len(word) ** -plan.length_penalty
            assert score == pytest.approx(final(word, within.possible[word], plan), abs=off)
    if len(within.certain) == len(within.possible):
        assert {word for word, _ in ours} == {word for word, _ in theirs}


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


def test_never_waits_for_a_longer_word_that_wins() -> None:
    (short, long), constraint = chain(3, PathLimits(hops=2, inverse=False))
    model, plan = closing(0.55), BeamPlan(beams=1, length_penalty=2.0)
    ((first, score),) = searched(constraint, plan, model)
    assert first == short and score == pytest.approx(math.log(0.55) / len(short) ** 2)
    ((first, score),) = searched(constraint, replace(plan, early_stopping="never"), model)
    assert first == long and score == pytest.approx(math.log(0.45) / len(long) ** 2)
    hurried = replace(plan, early_stopping="never", max_tokens=len(short))
    assert searched(constraint, hurried, model)[0][0] == short, "no word is longer, it was told"


def test_never_with_a_penalty_that_likes_short_words() -> None:
    """The third word is longer and still better than the second, which came before it."""
    words, constraint = chain(4, PathLimits(hops=3, inverse=False))
    plan = BeamPlan(beams=2, length_penalty=-1.0, early_stopping="never")
    found = searched(constraint, plan, closing(0.3))
    assert [word for word, _ in found] == [words[0], words[2]]
    scores = [math.log(0.3) * len(words[0]), 2 * math.log(0.7) * len(words[2])]
    assert [score for _, score in found] == pytest.approx(scores)


def test_true_stops_at_k_words_and_false_at_the_best_k() -> None:
    words, constraint = chain(4, PathLimits(hops=3, inverse=False))
    model = closing(0.4)
    for early_stopping, expected in (
        (True, {words[0]: 0.4, words[1]: 0.6 * 0.4}),
        (False, {words[0]: 0.4, words[2]: 0.6 * 0.6}),
    ):
        plan = BeamPlan(beams=2, early_stopping=early_stopping)
        found = searched(constraint, plan, model)
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
