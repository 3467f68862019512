"""`generate` along the graph returns what the search returns, in the shapes of `generate`."""

from collections.abc import Iterator
from pathlib import Path as Folder
from typing import Any

import pytest
import torch
from groundwalk.agent.decoding.generate import constrained, follow
from groundwalk.agent.decoding.index import build_index
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.search import BeamPlan, Question, beam_search
from groundwalk.agent.decoding.units import wire_tokens
from groundwalk.agent.decoding.wire import PATH
from groundwalk.agent.errors import ConstraintError

from . import oracle, worlds

TOKENIZER: Any = worlds.byte_level()
MODEL: Any = worlds.random_model(len(TOKENIZER))
PAD = int(TOKENIZER.pad_token_id or 0)
pytestmark = pytest.mark.filterwarnings("ignore:Using the model-agnostic default")
FACTS = [(0, 0, 1), (0, 1, 2), (1, 2, 3), (2, 0, 4), (5, 0, 6)]


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, ReasoningPaths]]:
    """The paths from each entity: many from 0, one from 5."""
    kg = worlds.graph(FACTS, tmp_path_factory.mktemp("graph"))
    index = build_index(kg, TOKENIZER)
    tags, limits = wire_tokens(TOKENIZER, PATH), PathLimits(2)
    yield {
        i: ReasoningPaths(
            index, oracle.topic_units(kg, TOKENIZER, index, [worlds.entity(i)]), tags, limits
        )
        for i in (0, 5)
    }
    kg.close()


def prompts(*rows: list[int]) -> dict[str, torch.Tensor]:
    """Padded on the left, as tokenizers do it for generation."""
    width = max(map(len, rows))
    ids = [[PAD] * (width - len(row)) + row for row in rows]
    mask = [[0] * (width - len(row)) + [1] * len(row) for row in rows]
    return {"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(mask)}


@pytest.mark.parametrize("plan", [BeamPlan(4), BeamPlan(3, "full", length_penalty=1.0)])
def test_same_words_and_scores_as_the_search(
    paths: dict[int, ReasoningPaths], plan: BeamPlan
) -> None:
    prompt = [5, 9, 30]
    output = MODEL.generate(
        **prompts(prompt),
        custom_generate=constrained(paths[0], plan),
        return_dict_in_generate=True,
        pad_token_id=PAD,
    )
    (found,) = beam_search(MODEL, [Question(prompt, paths[0])], plan)
    assert len(output.sequences) == plan.beams == len(found.hypotheses)
    for row, score, word in zip(
        output.sequences.tolist(), output.sequences_scores, found.hypotheses, strict=True
    ):
        assert row[:3] == prompt and tuple(row[3 : 3 + len(word.tokens)]) == word.tokens
        assert set(row[3 + len(word.tokens) :]) <= {PAD}
        final = word.score / len(word.tokens) ** plan.length_penalty
        assert float(score) == pytest.approx(final, abs=1e-6)
        assert paths[0].path(follow(paths[0], row[3:])) == paths[0].path(word.state)


def test_plain_call_returns_a_tensor(paths: dict[int, ReasoningPaths]) -> None:
    inputs = TOKENIZER("New York", return_tensors="pt", return_token_type_ids=False)
    sequences = MODEL.generate(**inputs, custom_generate=constrained(paths[0], BeamPlan(2)))
    assert isinstance(sequences, torch.Tensor) and sequences.dtype == torch.long
    assert TOKENIZER.decode(sequences[0]).startswith("New York<PATH>A -> ")


def test_each_prompt_of_a_batch_has_its_own_constraint(paths: dict[int, ReasoningPaths]) -> None:
    rows = [[5, 9, 30, 7], [8, 6]]
    own = [paths[0], paths[5]]
    plan = BeamPlan(3)
    output = MODEL.generate(
        **prompts(*rows),
        custom_generate=constrained(own, plan),
        return_dict_in_generate=True,
        pad_token_id=PAD,
    )
    assert output.sequences.shape[0] == 2 * 3
    words = output.sequences[:, 4:].view(2, 3, -1)
    scores = output.sequences_scores.view(2, 3)
    for i, (prompt, constraint) in enumerate(zip(rows, own, strict=True)):
        (found,) = beam_search(MODEL, [Question(prompt, constraint)], plan)
        for j, word in enumerate(found.hypotheses):
            assert tuple(words[i, j].tolist()[: len(word.tokens)]) == word.tokens
            assert float(scores[i, j]) == pytest.approx(word.score, abs=1e-6)
    assert output.sequences[3, :4].tolist() == [PAD, PAD, 8, 6]
    assert scores[1].tolist() == [0.0, -torch.inf, -torch.inf]
    assert set(words[1, 1].tolist()) == {PAD}


def test_fewer_words_than_beams_are_fewer_rows(paths: dict[int, ReasoningPaths]) -> None:
    sequences = MODEL.generate(
        **prompts([5]), custom_generate=constrained(paths[5], BeamPlan(8)), pad_token_id=PAD
    )
    assert len(sequences) == 1


def test_without_a_padding_token_the_closing_tag_is_repeated(
    paths: dict[int, ReasoningPaths], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MODEL.generation_config, "eos_token_id", None)
    sequences = MODEL.generate(**prompts([5]), custom_generate=constrained(paths[0], BeamPlan(6)))
    close = wire_tokens(TOKENIZER, PATH)[1]
    assert set(sequences[:, -1].tolist()) == {close}


@pytest.mark.parametrize("wrong", [{"num_beams": 4}, {"num_beams": 4, "num_return_sequences": 2}])
def test_beams_are_the_plans_business(
    paths: dict[int, ReasoningPaths], wrong: dict[str, int]
) -> None:
    with pytest.raises(ConstraintError, match="no meaning beside a plan"):
        MODEL.generate(**prompts([5]), custom_generate=constrained(paths[0], BeamPlan(2)), **wrong)


def test_constraints_must_be_as_many_as_prompts(paths: dict[int, ReasoningPaths]) -> None:
    with pytest.raises(ConstraintError, match="2 constraints were given for 1 prompts"):
        MODEL.generate(
            **prompts([5]), custom_generate=constrained([paths[0], paths[5]], BeamPlan(2))
        )


def test_tokens_that_are_no_word_are_an_error(paths: dict[int, ReasoningPaths]) -> None:
    with pytest.raises(ConstraintError, match="end before"):
        follow(paths[0], [wire_tokens(TOKENIZER, PATH)[0]])


def test_no_path_is_an_error_before_generating(tmp_path: Folder) -> None:
    kg = worlds.graph([(0, 0, 1)], tmp_path)
    index = build_index(kg, TOKENIZER)
    units = oracle.topic_units(kg, TOKENIZER, index, [worlds.entity(3)])
    kg.close()
    with pytest.raises(ConstraintError):
        ReasoningPaths(index, units, wire_tokens(TOKENIZER, PATH), PathLimits(2))
