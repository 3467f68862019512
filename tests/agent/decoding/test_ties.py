"""Ties go to the smaller token sequence, whatever the order of the facts in the file."""

import copy
from collections.abc import Sequence
from functools import cache
from pathlib import Path as Folder
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from groundwalk.agent.decoding.paths import PathLimits
from groundwalk.agent.decoding.plan import BeamPlan, Question
from groundwalk.agent.decoding.search import beam_search
from groundwalk.agent.kg import Path
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import LlamaForCausalLM

from . import language, oracle, worlds
from .bounds import Word
from .constant import by_hand, constant_model
from .diverse import diverse_search, followers
from .test_search import MODELS, PROMPT, TOKENIZERS, limits, opened

CONSTANT = {name: constant_model(len(tokenizer)) for name, tokenizer in TOKENIZERS.items()}


class Coarse(LlamaForCausalLM):
    """A model whose logits are rounded to halves, so that many words tie."""

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """As the model, then round."""
        output: Any = super().forward(*inputs, **named)
        output.logits = (2 * output.logits).round() / 2
        return output


def coarse(model: Any) -> Any:
    rounded = Coarse(model.config).double().eval()
    rounded.load_state_dict(copy.deepcopy(model.state_dict()))
    return rounded


COARSE = {name: coarse(model) for name, model in MODELS.items()}


@settings(max_examples=40, deadline=None)
@given(
    facts=language.facts(10),
    limits=limits,
    family=st.sampled_from(sorted(TOKENIZERS)),
    data=st.data(),
)
def test_all_words_in_order_under_a_constant_model(
    facts: set[worlds.Fact], limits: PathLimits, family: str, data: st.DataObject
) -> None:
    """As many beams as words: nothing is lost, and the order can be worked out by hand."""
    legal, constraint = opened(facts, language.topics(data.draw, facts), limits, family)
    if constraint is None or len(legal) > 300:
        return
    plan = BeamPlan(beams=len(legal))
    (found,) = beam_search(CONSTANT[family], [Question(PROMPT, constraint)], plan)
    scores = by_hand(legal)
    expected = sorted(scores, key=lambda word: (-round(scores[word], 6), word))
    assert [h.tokens for h in found.hypotheses] == expected
    assert {h.tokens: h.score for h in found.hypotheses} == pytest.approx(scores)


@settings(max_examples=40, deadline=None)
@given(
    facts=language.facts(12),
    limits=limits,
    family=st.sampled_from(sorted(TOKENIZERS)),
    plan=st.builds(
        BeamPlan,
        beams=st.sampled_from([1, 2, 5, 10]),
        scores=st.sampled_from(["allowed", "full"]),
    ),
    data=st.data(),
)
def test_ties_on_the_way_are_broken_as_a_naive_search_breaks_them(
    facts: set[worlds.Fact],
    limits: PathLimits,
    family: str,
    plan: BeamPlan,
    data: st.DataObject,
) -> None:
    legal, constraint = opened(facts, language.topics(data.draw, facts), limits, family)
    if constraint is None or len(legal) > 1_000:
        return
    model = COARSE[family]
    (found,) = beam_search(model, [Question(PROMPT, constraint)], plan)
    expected = diverse_search(followers(model, PROMPT, legal, plan.scores), plan)
    assert [h.tokens for h in found.hypotheses] == [word for word, _ in expected]
    scores = [score for _, score in expected]
    assert [h.score for h in found.hypotheses] == pytest.approx(scores, abs=1e-6)


def answers(facts: Sequence[worlds.Fact], family: str) -> list[tuple[Word, float, Path]]:
    """What comes of a file with the facts in this order."""
    tokenizer, topics = TOKENIZERS[family], [worlds.entity(0)]
    with TemporaryDirectory() as folder:
        kg = worlds.graph(facts, Folder(folder))
        constraint = oracle.constraint(kg, tokenizer, topics, PathLimits(revisits="walk"))
        kg.close()
    (found,) = beam_search(CONSTANT[family], [Question(PROMPT, constraint)], BeamPlan(beams=5))
    return [(h.tokens, h.score, constraint.path(h.state)) for h in found.hypotheses]


SIBLINGS = [(0, 2, tail) for tail in (4, 1, 5, 13, 14, 15)] + [(3, 2, 0), (0, 0, 3), (8, 3, 0)]


@cache
def in_order(family: str) -> list[tuple[Word, float, Path]]:
    return answers(SIBLINGS, family)


@settings(max_examples=12, deadline=None)
@given(facts=st.permutations(SIBLINGS), family=st.sampled_from(sorted(TOKENIZERS)))
def test_the_order_of_the_file_is_no_matter(facts: list[worlds.Fact], family: str) -> None:
    found = answers(facts, family)
    assert found == in_order(family)
    assert len(found) == 5
    scores = [round(score, 6) for _, score, _ in found]
    assert len(set(scores)) < len(scores), "some of them tie"
    ranked = [(-score, word) for score, (word, _, _) in zip(scores, found, strict=True)]
    assert ranked == sorted(ranked)
