"""Instructions are computed once for a model, and change nothing."""

from dataclasses import replace
from pathlib import Path as Folder
from typing import Any

import pytest
import torch
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.plan import BeamPlan, Question
from groundwalk.agent.decoding.search import beam_search
from groundwalk.agent.decoding.torch_network import forget
from groundwalk.agent.llm.prompt import path_prompt, path_tokens, shared_tokens

from . import oracle, worlds

TOKENIZER = worlds.byte_level()
INSTRUCTION = list(range(20, 60))
PLAN = BeamPlan(beams=4, scores="full")


def constraint(folder: Folder) -> ReasoningPaths:
    kg = worlds.graph([(0, 0, 1), (1, 0, 2), (1, 1, 3), (0, 2, 4)], folder)
    return oracle.constraint(kg, TOKENIZER, [worlds.entity(0)], PathLimits())


def words(model: Any, questions: list[Question[Any]]) -> list[list[tuple[Any, float]]]:
    found = beam_search(model, questions, PLAN)
    return [[(h.tokens, round(h.score, 9)) for h in each.hypotheses] for each in found]


def test_a_shared_instruction_changes_no_result_and_is_computed_once(tmp_path: Folder) -> None:
    model, paths = worlds.random_model(len(TOKENIZER)), constraint(tmp_path)
    prompts = [[*INSTRUCTION, 5, 9], [*INSTRUCTION, 30], [*INSTRUCTION, 5, 9, 31]]
    apart = words(model, [Question(prompt, paths) for prompt in prompts])
    shared = [Question(prompt, paths, len(INSTRUCTION)) for prompt in prompts]
    assert words(model, shared) == apart
    with worlds.taken_in(model) as less:
        (again,) = beam_search(model, shared[:1], PLAN)
    with worlds.taken_in(model) as more:
        (whole,) = beam_search(model, [Question(prompts[0], paths)], PLAN)
    taken = [sum(rows * width for rows, width in shapes) for shapes in (less, more)]
    assert taken[0] == taken[1] - len(INSTRUCTION)
    assert again.cost == whole.cost and whole.cost.prompt_tokens == len(prompts[0])
    (first,) = beam_search(worlds.random_model(len(TOKENIZER)), shared[:1], PLAN)
    assert first.cost == replace(whole.cost, forward_passes=whole.cost.forward_passes + 1)


def test_weights_that_change_make_it_anew(tmp_path: Folder) -> None:
    model, paths = worlds.random_model(len(TOKENIZER)), constraint(tmp_path)
    question = Question([*INSTRUCTION, 5, 9], paths, len(INSTRUCTION))
    before = words(model, [question])
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(1.1)
    after = words(model, [question])
    assert after != before
    assert after == words(model, [Question(question.prompt, paths)])


def test_what_a_fused_optimizer_wrote_is_seen_once_it_is_forgotten(tmp_path: Folder) -> None:
    model, paths = worlds.random_model(len(TOKENIZER)), constraint(tmp_path)
    question = Question([*INSTRUCTION, 5, 9], paths, len(INSTRUCTION))
    words(model, [question])
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, fused=True)
    model(input_ids=torch.tensor([INSTRUCTION])).logits.sum().backward()
    optimizer.step()
    forget(model)
    assert words(model, [question]) == words(model, [replace(question, shared=0)])


def test_prompts_that_begin_differently_share_nothing(tmp_path: Folder) -> None:
    model, paths = worlds.random_model(len(TOKENIZER)), constraint(tmp_path)
    prompts = [[*INSTRUCTION, 5], [7, *INSTRUCTION[1:], 5]]
    apart = words(model, [Question(prompt, paths) for prompt in prompts])
    assert words(model, [Question(prompt, paths, len(INSTRUCTION)) for prompt in prompts]) == apart


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("instruct", [False, True])
def test_the_shared_part_of_a_prompt_is_its_instruction(masked: bool, instruct: bool) -> None:
    def tokens(question: str) -> list[int]:
        return path_tokens(TOKENIZER, path_prompt(question, [], masked=masked, instruct=instruct))

    one, two = tokens("Who was born in Ulm?"), tokens("aardvarks eat what")
    shared = shared_tokens(TOKENIZER, one, masked=masked, instruct=instruct)
    assert shared == shared_tokens(TOKENIZER, two, masked=masked, instruct=instruct)
    assert one[:shared] == two[:shared]
    spelled = TOKENIZER.decode(one[:shared])
    assert isinstance(spelled, str)
    assert "Question:" in spelled and ("Write reasoning paths" in spelled) == instruct
