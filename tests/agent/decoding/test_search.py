"""The search along the graph equals a naive one under the enumerated mask, and cannot leave it."""

import tempfile
from pathlib import Path as Folder
from typing import Any, Literal

import pytest
import torch
from groundwalk.agent.decoding.index import build_index
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.plan import BeamPlan, Question
from groundwalk.agent.decoding.search import beam_search
from groundwalk.agent.decoding.torch_network import TorchNetwork
from groundwalk.agent.decoding.units import unit_style, wire_tokens
from groundwalk.agent.decoding.wire import PATH
from groundwalk.agent.errors import ConstraintError, NoPathError
from hypothesis import strategies as st
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

from ...properties import holds_for
from . import oracle, worlds

TOKENIZERS = {"byte-level": worlds.byte_level(), "metaspace": worlds.metaspace()}
MODELS = {name: worlds.random_model(len(t)) for name, t in TOKENIZERS.items()}
PROMPT = [5, 9, 30]

facts = st.sets(
    st.tuples(
        st.integers(0, len(worlds.HOSTILE) - 1),
        st.integers(0, len(worlds.RELATIONS) - 1),
        st.integers(0, len(worlds.HOSTILE) - 1),
    ),
    min_size=1,
    max_size=18,
)


def search(model: Any, prompt: list[int], constraint: Any, **options: Any) -> tuple[Any, Any]:
    (found,) = beam_search(model, [Question(prompt, constraint)], BeamPlan(**options))
    return found.hypotheses, found.cost


limits = st.builds(
    PathLimits,
    hops=st.integers(1, 3),
    inverse=st.booleans(),
    revisits=st.sampled_from(["walk", "no-topic", "simple"]),
)


def opened(
    facts: set[worlds.Fact], topics: list[str], limits: PathLimits, family: str
) -> tuple[oracle.Words, ReasoningPaths | None]:
    """All words, and the constraint if there are some."""
    tokenizer = TOKENIZERS[family]
    with tempfile.TemporaryDirectory() as folder:
        kg = worlds.graph(facts, Folder(folder))
        index = build_index(kg, tokenizer)
        legal = oracle.words(kg, tokenizer, index, topics, limits)
        made = oracle.constraint(kg, tokenizer, topics, limits, index) if legal else None
        kg.close()
    return legal, made


@holds_for(
    facts=facts,
    limits=limits,
    family=st.sampled_from(sorted(TOKENIZERS)),
    beams=st.sampled_from([1, 3, 10]),
    scores=st.sampled_from(["allowed", "full"]),
    data=st.data(),
    quick=40,
    slow=120,
)
def test_top_k_equals_naive_search(
    facts: set[worlds.Fact],
    limits: PathLimits,
    family: str,
    beams: int,
    scores: Any,
    data: st.DataObject,
) -> None:
    tokenizer, model = TOKENIZERS[family], MODELS[family]
    with tempfile.TemporaryDirectory() as folder:
        kg = worlds.graph(facts, Folder(folder))
        index = build_index(kg, tokenizer)
        nodes = sorted({t for _, _, t in facts} | {h for h, _, _ in facts})
        picked = data.draw(st.lists(st.sampled_from(nodes), min_size=1, max_size=2, unique=True))
        topics = [worlds.entity(i) for i in picked]
        legal = oracle.words(kg, tokenizer, index, topics, limits)
        units = oracle.topic_units(kg, tokenizer, index, topics)
        kg.close()
        if not legal:
            with pytest.raises(NoPathError):
                ReasoningPaths(index, units, wire_tokens(tokenizer, PATH), limits)
            return
        if len(legal) > 2_000:
            return
        constraint = ReasoningPaths(index, units, wire_tokens(tokenizer, PATH), limits)
        found, cost = search(model, PROMPT, constraint, beams=beams, scores=scores)
        expected = oracle.naive_search(model, PROMPT, legal, beams=beams, scores=scores)
        assert [h.tokens for h in found] == [word for word, _ in expected]
        assert [h.score for h in found] == pytest.approx([score for _, score in expected], abs=1e-5)
        for hypothesis in found:
            assert constraint.path(hypothesis.state) == legal[hypothesis.tokens]
            flags = constraint.relation_tokens(hypothesis.state)
            assert len(flags) == len(hypothesis.tokens)
            assert 0.0 <= hypothesis.relevance <= 1.0
        assert cost.forward_passes <= max(len(word) for word in legal) + 2
        prefixes = {h.tokens[:end] for h in found for end in range(1, len(h.tokens) + 1)}
        assert cost.prompt_tokens == len(PROMPT)
        assert max(cost.forced_tokens, len(prefixes)) <= cost.tokens


def test_the_cost_is_what_the_model_took_in_and_what_ends_the_words(tmp_path: Folder) -> None:
    tokenizer, model = TOKENIZERS["byte-level"], MODELS["byte-level"]
    kg = ring(tmp_path)
    constraint = oracle.constraint(kg, tokenizer, [worlds.entity(0)], PathLimits(hops=2))
    with worlds.taken_in(model) as shapes:
        found, cost = search(model, PROMPT, constraint, beams=3)
    assert cost.forward_passes == len(shapes)
    taken = sum(rows * width for rows, width in shapes)
    assert cost.prompt_tokens + cost.tokens == taken + len(found), "closing tags are not taken in"


def ring(folder: Folder) -> Any:
    return worlds.graph([(i, 0, (i + 1) % 6) for i in range(6)], folder)


def test_relevance_is_the_unconstrained_probability_of_what_a_path_commits_to(
    tmp_path: Folder,
) -> None:
    tokenizer, model = TOKENIZERS["byte-level"], MODELS["byte-level"]
    kg = ring(tmp_path)
    constraint = oracle.constraint(kg, tokenizer, [worlds.entity(0)], PathLimits(hops=2))
    found, _ = search(model, PROMPT, constraint, beams=3)
    for hypothesis in found:
        flags = constraint.relation_tokens(hypothesis.state)
        expected = 1.0
        for i, token in enumerate(hypothesis.tokens):
            if flags[i]:
                ids = torch.tensor([[*PROMPT, *hypothesis.tokens[:i]]])
                with torch.no_grad():
                    expected *= float(model(input_ids=ids).logits[0, -1].softmax(0)[token])
        assert hypothesis.relevance == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("scores", ["allowed", "full"])
def test_what_rides_ahead_changes_passes_and_nothing_else(
    tmp_path: Folder, monkeypatch: pytest.MonkeyPatch, scores: Any
) -> None:
    tokenizer, model = TOKENIZERS["byte-level"], MODELS["byte-level"]
    kg = worlds.graph([(0, 0, 1), (0, 0, 2), (1, 1, 3), (2, 1, 4), (3, 0, 5)], tmp_path)
    index = build_index(kg, tokenizer)
    found, passes = list[Any](), list[int]()
    for ahead in (0, 16, 32):
        monkeypatch.setattr(TorchNetwork, "ahead", ahead)
        limits = PathLimits(hops=3)
        constraint = oracle.constraint(kg, tokenizer, [worlds.entity(0)], limits, index)
        hypotheses, cost = search(model, PROMPT, constraint, beams=4, scores=scores)
        found.append(hypotheses)
        passes.append(cost.forward_passes)
    for some in found[1:]:
        assert [h.tokens for h in some] == [h.tokens for h in found[0]]
        assert [h.score for h in some] == pytest.approx([h.score for h in found[0]], abs=1e-4)
    assert passes[0] >= passes[1] >= passes[2] and passes[0] > passes[2]


def test_fewer_paths_than_beams_returns_fewer(tmp_path: Folder) -> None:
    tokenizer = TOKENIZERS["byte-level"]
    kg = worlds.graph([(0, 0, 1)], tmp_path)
    constraint = oracle.constraint(kg, tokenizer, [worlds.entity(0)], PathLimits())
    found, cost = search(MODELS["byte-level"], PROMPT, constraint, beams=10)
    assert len(found) == 1 and found[0].score == 0.0
    assert cost.forced_tokens == len(found[0].tokens)


@pytest.mark.parametrize(("revisits", "reached"), [("no-topic", [5, 4]), ("walk", [5, 4, 1, 2])])
def test_walks_keep_off_topics_that_none_starts_from(
    tmp_path: Folder, revisits: Literal["no-topic", "walk"], reached: list[int]
) -> None:
    tokenizer = TOKENIZERS["byte-level"]
    kg = ring(tmp_path)
    limits = PathLimits(revisits=revisits, others=frozenset([worlds.entity(1)]))
    constraint = oracle.constraint(kg, tokenizer, [worlds.entity(0)], limits)
    found, _ = search(MODELS["byte-level"], PROMPT, constraint, beams=32)
    ends = {constraint.path(hypothesis.state).steps[-1].target for hypothesis in found}
    assert ends - {worlds.entity(0)} == set(map(worlds.entity, reached))


def test_illegal_token_is_an_error(tmp_path: Folder) -> None:
    tokenizer = TOKENIZERS["byte-level"]
    kg = ring(tmp_path)
    constraint = oracle.constraint(kg, tokenizer, [worlds.entity(0)], PathLimits())
    with pytest.raises(ConstraintError):
        constraint.advance(constraint.start(), 3)


def test_tokenizer_without_the_tag_is_an_error() -> None:
    bare = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()))
    with pytest.raises(ConstraintError, match="no token <PATH>"):
        wire_tokens(bare, PATH)


def test_no_questions_and_empty_prompts(tmp_path: Folder) -> None:
    tokenizer, model = TOKENIZERS["byte-level"], MODELS["byte-level"]
    kg = ring(tmp_path)
    constraint = oracle.constraint(kg, tokenizer, [worlds.entity(0)], PathLimits())
    assert beam_search(model, list[Question[Any]](), BeamPlan()) == []
    with pytest.raises(ConstraintError, match="a prompt is empty"):
        beam_search(model, [Question(PROMPT, constraint), Question([], constraint)], BeamPlan())


def test_prompt_longer_than_the_context_is_an_error(tmp_path: Folder) -> None:
    tokenizer, model = TOKENIZERS["byte-level"], MODELS["byte-level"]
    kg = ring(tmp_path)
    constraint = oracle.constraint(kg, tokenizer, [worlds.entity(0)], PathLimits())
    with pytest.raises(ConstraintError, match="more than the model's"):
        search(model, [5] * 4096, constraint, beams=2)


def test_pieces_add_up_to_the_tokenizers_own_spelling() -> None:
    plain = ["Paris", "New York", "Par", "capital", "r s", "U.S.", "São Tomé", "42"]
    assert unit_style(TOKENIZERS["byte-level"], plain).exact
    assert unit_style(TOKENIZERS["metaspace"], plain).exact
