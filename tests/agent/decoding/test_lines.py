"""Models that cannot keep a tree in one cache find what a naive search finds, and say so."""

import tempfile
from pathlib import Path as Folder
from typing import Any, cast

import pytest
import torch
from groundwalk.agent.decoding.forward import TreeForward
from groundwalk.agent.decoding.index import build_index
from groundwalk.agent.decoding.lines import LineForward, shares_cache
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.plan import BeamPlan, Question
from groundwalk.agent.decoding.search import beam_search
from groundwalk.agent.decoding.torch_network import TorchNetwork
from groundwalk.agent.decoding.tree import log_softmax
from groundwalk.agent.errors import ConstraintError
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoConfig, AutoModelForCausalLM

from . import oracle, worlds

nodes = st.integers(0, len(worlds.HOSTILE) - 1)
facts = st.sets(st.tuples(nodes, st.integers(0, 5), nodes), min_size=1, max_size=5)
TOKENIZER = worlds.byte_level()
PROMPT = [5, 9, 30, 7, 12, 40, 8]
WINDOW = 4
"""Shorter than the prompt alone."""

_SIZES = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
}
_OLD_SIZES = {"hidden_size": 32, "n_layer": 2, "n_head": 4}


def built(kind: str, **options: Any) -> Any:
    """A float64 model with random weights."""
    torch.manual_seed(0)
    no_specials = {"pad_token_id": None, "bos_token_id": None, "eos_token_id": None}
    config = cast(Any, AutoConfig).for_model(
        kind, vocab_size=len(TOKENIZER), initializer_range=0.2, **no_specials, **options
    )
    return AutoModelForCausalLM.from_config(config).double().eval()


LINES = {
    "mistral": built("mistral", **_SIZES, sliding_window=WINDOW),
    "gemma 2": built("gemma2", **_SIZES, sliding_window=WINDOW, final_logit_softcapping=3.0),
    "gemma 3": built(
        "gemma3_text",
        **_SIZES,
        sliding_window=WINDOW,
        layer_types=["sliding_attention", "full_attention"],
    ),
    "mamba": built("mamba", hidden_size=16, state_size=4, num_hidden_layers=2),
    "bloom": built("bloom", **_OLD_SIZES),
}
TREES: dict[str, Any] = {
    "llama": worlds.random_model(len(TOKENIZER)),
    "mistral without a window": built("mistral", **_SIZES, sliding_window=None),
    "gpt2": built("gpt2", **_OLD_SIZES),
}


def constraint_over(facts: set[worlds.Fact], folder: str) -> tuple[ReasoningPaths, oracle.Words]:
    kg = worlds.graph(facts, Folder(folder))
    index = build_index(kg, TOKENIZER)
    topics, limits = [worlds.entity(min(h for h, _, _ in facts))], PathLimits(2, revisits="walk")
    legal = oracle.words(kg, TOKENIZER, index, topics, limits)
    constraint = oracle.constraint(kg, TOKENIZER, topics, limits, index)
    kg.close()
    return constraint, legal


@pytest.mark.parametrize("name", sorted(LINES))
@settings(max_examples=4, deadline=None)
@given(facts=facts, beams=st.sampled_from([1, 3]), scores=st.sampled_from(["allowed", "full"]))
def test_any_model_finds_what_a_naive_search_finds(
    name: str, facts: set[worlds.Fact], beams: int, scores: Any
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        constraint, legal = constraint_over(facts, folder)
    plan = BeamPlan(beams=beams, scores=scores)
    (found,) = beam_search(LINES[name], [Question(PROMPT, constraint)], plan)
    expected = oracle.naive_search(LINES[name], PROMPT, legal, beams=beams, scores=scores)
    assert found.cost.engine == "lines"
    assert [h.tokens for h in found.hypotheses] == [word for word, _ in expected]
    assert found.cost.forced_tokens <= found.cost.tokens
    scored = [h.score for h in found.hypotheses]
    assert scored == pytest.approx([score for _, score in expected], abs=1e-5)


@pytest.mark.parametrize("name", sorted(TREES))
def test_models_with_full_attention_keep_the_tree(name: str) -> None:
    assert shares_cache(TREES[name])


@pytest.mark.parametrize("name", sorted(TREES))
def test_both_engines_give_equal_logits(name: str) -> None:
    network = TorchNetwork(TREES[name])
    tree, lines = (logits_of(kind(network, [PROMPT])) for kind in (TreeForward, LineForward))
    assert abs(tree - lines).max() < 1e-9


def logits_of(forward: Any) -> Any:
    """The logits after every node of two branches that fork in the middle, in two calls."""
    tree = forward.trees[0]
    trunk = tree.child(tree.child(0, 11), 12)
    left = tree.child(tree.child(trunk, 13), 14)
    right = tree.child(tree.child(trunk, 15), 16)
    forward.evaluate({0: [left]})
    forward.evaluate({0: [right, left]})
    places = [(0, node) for node in range(len(tree.parents))]
    assert all(forward.known(*place) for place in places)
    logits = forward.logits(places)
    some = [[3, 5]] * len(places)
    few = forward.logprobs(places, some, full=False)
    whole = forward.logprobs(places, some, full=True)
    for values, own, of_all in zip(logits, few, whole, strict=True):
        assert own == pytest.approx(log_softmax(values[[3, 5]]))
        assert of_all == pytest.approx(log_softmax(values)[[3, 5]])
    return logits


def test_a_prompt_counts_each_time_that_it_is_taken_in(tmp_path: Folder) -> None:
    constraint, _ = constraint_over({(0, 0, 1), (0, 1, 2)}, str(tmp_path))
    for name, model in LINES.items():
        with worlds.taken_in(model) as shapes:
            (found,) = beam_search(model, [Question(PROMPT, constraint)], BeamPlan(beams=2))
        once, *others = shapes
        again = [rows for rows, width in others if width > len(PROMPT)] if name == "mamba" else []
        assert once == (1, len(PROMPT)) and found.cost.forward_passes == len(shapes)
        assert found.cost.prompt_tokens == len(PROMPT) * (1 + sum(again)), name
        assert name != "mamba" or again


def test_several_questions_in_one_batch(tmp_path: Folder) -> None:
    constraint, _ = constraint_over({(0, 0, 1), (0, 1, 2), (1, 0, 2)}, str(tmp_path))
    plan, model = BeamPlan(beams=3), LINES["gemma 3"]
    questions = [Question(prompt, constraint) for prompt in (PROMPT, PROMPT[:2])]
    together = beam_search(model, questions, plan)
    for question, found in zip(questions, together, strict=True):
        (alone,) = beam_search(model, [question], plan)
        assert [h.tokens for h in found.hypotheses] == [h.tokens for h in alone.hypotheses]
        assert [h.relevance for h in found.hypotheses] == pytest.approx(
            [h.relevance for h in alone.hypotheses]
        )


def test_prompt_longer_than_the_context_is_an_error(tmp_path: Folder) -> None:
    constraint, _ = constraint_over({(0, 0, 1)}, str(tmp_path))
    model = built("mistral", **_SIZES, sliding_window=WINDOW, max_position_embeddings=16)
    with pytest.raises(ConstraintError, match="more than the model's 16"):
        beam_search(model, [Question([5] * 16, constraint)], BeamPlan(beams=2))
