"""Likelihoods on a shared tree against plain forward passes of the same model."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch
from groundwalk.agent.decoding.units import tokenize
from groundwalk.agent.errors import ConstraintError
from groundwalk.agent.llm.likelihood import Alternatives, Likelihoods, shares
from groundwalk.agent.llm.local import LocalModel, load_model
from groundwalk.agent.llm.model_folder import ModelSettings
from groundwalk.agent.llm.prompt import Mention, wire_prompt
from groundwalk.agent.llm.walk_choices import Crossing, ListedChoices, WireChoices, walk_choices
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from ..decoding import worlds

TOKENIZER = worlds.byte_level()
MODEL = worlds.random_model(len(TOKENIZER))
LOCAL = LocalModel("random", MODEL, TOKENIZER, ModelSettings(instruct=False))

token = st.integers(0, len(TOKENIZER) - 1)
tokens = st.lists(token, min_size=1, max_size=5)


def plain(prompt: Sequence[int], option: Sequence[int]) -> float:
    """The log-probability of an option after a prompt, in a pass of its own."""
    ids = torch.tensor([[*prompt, *option]])
    with torch.inference_mode():
        logprobs: Any = MODEL(input_ids=ids).logits[0].log_softmax(-1)
    start = len(prompt) - 1
    return sum(float(logprobs[start + i, one]) for i, one in enumerate(option))


@settings(max_examples=60, deadline=None)
@given(
    prompts=st.lists(tokens, min_size=1, max_size=3),
    asked=st.lists(
        st.tuples(st.lists(token, max_size=4), st.lists(tokens, max_size=4)), max_size=4
    ),
    shared=st.integers(0, 3),
)
def test_likelihoods_are_those_of_a_plain_pass(
    prompts: list[list[int]],
    asked: list[tuple[list[int], list[list[int]]]],
    shared: int,
) -> None:
    likelihoods = Likelihoods(MODEL, prompts, shared)
    questions = [
        Alternatives([tuple(option) for option in options], tuple(after), i % len(prompts))
        for i, (after, options) in enumerate(asked)
    ]
    found = likelihoods.logprobs(questions)
    assert len(found) == len(questions)
    for question, values in zip(questions, found, strict=True):
        prompt = [*prompts[question.row], *question.after]
        expected = [plain(prompt, option) for option in question.options]
        assert values == pytest.approx(expected, abs=1e-8)


def test_all_that_is_asked_at_once_takes_one_pass() -> None:
    likelihoods = Likelihoods(MODEL, [[1, 2, 3]])
    asked = [Alternatives([(i, 5, 6), (i, 7)], (9, i)) for i in range(20)]
    first = likelihoods.logprobs(asked)
    assert likelihoods.cost.forward_passes == 1
    assert likelihoods.logprobs(asked) == first
    assert likelihoods.cost.forward_passes == 1, "what is known is not computed again"
    assert likelihoods.logprobs([]) == []


@given(st.lists(st.floats(-50, 0), max_size=6))
def test_shares_are_probabilities_in_proportion(values: list[float]) -> None:
    found = shares(values)
    assert sum(found) == pytest.approx(1.0 if values else 0.0)
    for one, other in zip(values, values[1:], strict=False):
        ratio = found[values.index(one)] * math.exp(other - one)
        assert found[values.index(other)] == pytest.approx(ratio)


def test_a_model_with_tags_is_asked_in_its_wire_format() -> None:
    mentions = [Mention(9, 14, "Paris")]
    choices = walk_choices(LOCAL, "Where is Paris?", mentions)
    assert isinstance(choices, WireChoices)
    prompt, _ = wire_prompt(LOCAL, "Where is Paris?", mentions)
    arrow, opening = tokenize(TOKENIZER, [" ->"])[0], TOKENIZER.convert_tokens_to_ids("<PATH>")
    closing = TOKENIZER.convert_tokens_to_ids("</PATH>")
    assert isinstance(opening, int) and isinstance(closing, int)
    paris, capital, cap, york = tokenize(TOKENIZER, ["Paris", " capital", " cap", " New York"])

    (first,) = choices.next([Crossing(["Paris"], ["capital", "cap"])])
    begun = [*prompt, opening, *paris, *arrow]
    values = [plain(begun, [*unit, *arrow]) for unit in (capital, cap)]
    assert [w.share for w in first] == pytest.approx(shares(values))
    there = plain(prompt, [opening])
    assert [w.relevance for w in first] == pytest.approx([math.exp(there + v) for v in values])

    walk = ["Paris", "capital", "New York"]
    onwards, behind = choices.next([Crossing(walk, ["cap"]), Crossing(walk[:2], ["Paris", "New"])])
    ended = [*begun, *capital, *arrow, *york]
    going = plain(ended, arrow[:1]) + plain([*ended, *arrow], [*cap, *arrow])
    assert onwards[0].share == 1.0 and onwards[0].relevance == pytest.approx(math.exp(going))
    spelled = tokenize(TOKENIZER, [" Paris", " New"])
    after = [*begun, *capital, *arrow]
    assert [w.share for w in behind] == pytest.approx(shares([plain(after, o) for o in spelled]))
    assert [w.relevance for w in behind] == [1.0, 1.0], "entities tell nothing of relevance"

    (stop,) = choices.stops([walk])
    ends = [plain(ended, [closing]), plain(ended, arrow[:1])]
    assert stop.share == pytest.approx(shares(ends)[0])
    assert stop.relevance == pytest.approx(math.exp(ends[0]))
    assert choices.cost.forward_passes == 3


class Bare(PreTrainedTokenizerFast):
    def get_added_vocab(self) -> dict[str, int]:
        return {}


def test_a_model_without_tags_reads_the_options() -> None:
    bare = Bare(tokenizer_object=TOKENIZER.backend_tokenizer, eos_token="<eos>")
    plain_words = replace(LOCAL, tokenizer=bare)
    choices = walk_choices(plain_words, "Where is Paris?", [])
    assert isinstance(choices, ListedChoices)
    found = choices.next([Crossing(["Paris"], ["capital", "cap"]), Crossing(["Paris"], [])])
    assert [len(own) for own in found] == [2, 0]
    assert sum(w.share for w in found[0]) == pytest.approx(1.0)
    (stop,) = choices.stops([["Paris", "capital", "Rome"]])
    assert 0 < stop.share < 1 and choices.cost.forward_passes == 2
    assert choices.next([Crossing(["Paris"], [])]) == [[]]


def test_the_bundled_model_knows_where_to_go_and_where_to_stop() -> None:
    question = "What is the capital of France?"
    local = load_model()
    choices = walk_choices(local, question, [Mention(23, 29, "France", "country")])
    options = ["borders", "capital", "^capital", "currency"]
    (weights,) = choices.next([Crossing(["France"], options)])
    assert weights[1].share > 0.9 and weights[1].relevance > 0.9
    stop, late = choices.stops(
        [["France", "capital", "Paris"], ["France", "borders", "Spain", "capital", "Madrid"]]
    )
    assert stop.relevance > 0.9 and late.share > 0.5


def test_a_walk_that_the_model_cannot_hold_is_an_error() -> None:
    choices = walk_choices(LOCAL, "x", [])
    with pytest.raises(ConstraintError, match="tokens"):
        choices.stops([["x" * 6_000]])
