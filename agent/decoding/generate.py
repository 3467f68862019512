"""The search as a decoding method of Hugging Face's `generate`.

    output = model.generate(**inputs, custom_generate=constrained(paths, BeamPlan(beams=5)))

The plan alone says how to search: logits processors, sampling, stopping criteria and length limits
of the generation config do not apply to words of an automaton. Log-probabilities are those of the
plan's `scores`.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

import torch
from transformers import PreTrainedModel
from transformers.generation.configuration_utils import GenerationConfig
from transformers.generation.utils import GenerateBeamDecoderOnlyOutput

from ..errors import ConstraintError
from .constraint import RelationConstraint, State
from .search import BeamPlan, Found, Hypothesis, Question, beam_search

Generate = Callable[..., torch.Tensor | GenerateBeamDecoderOnlyOutput]


def constrained(
    constraints: RelationConstraint[State] | Sequence[RelationConstraint[State]], plan: BeamPlan
) -> Generate:
    """A value for `custom_generate`: one constraint for each prompt, or one for all of them.

    What `generate` then returns is what it returns for a beam search: rows of prompt and word,
    padded, `plan.beams` of them for each prompt, best first; with `return_dict_in_generate` also
    their `sequences_scores`. Where no prompt has so many words, there are fewer rows; where another
    prompt of the batch has more, rows that hold a prompt alone and score minus infinity fill up.
    The call raises ConstraintError where the number of constraints is not that of the prompts, or
    where `num_beams` or `num_return_sequences` ask for something else than the plan.
    """

    def decode(
        model: PreTrainedModel,
        input_ids: torch.Tensor,
        *,
        generation_config: GenerationConfig,
        **model_kwargs: Any,
    ) -> torch.Tensor | GenerateBeamDecoderOnlyOutput:
        _check(generation_config)
        several = isinstance(constraints, Sequence)
        given = constraints if several else [constraints] * len(input_ids)
        own = cast(Sequence[RelationConstraint[State]], given)
        if len(own) != len(input_ids):
            raise ConstraintError(f"{len(own)} constraints were given for {len(input_ids)} prompts")
        prompts = _prompts(input_ids, model_kwargs.get("attention_mask"))
        questions = [
            Question(prompt, constraint) for prompt, constraint in zip(prompts, own, strict=True)
        ]
        found = beam_search(model, questions, plan, relevance=False)
        sequences, scores = _rows(input_ids, found, plan, generation_config.pad_token_id)
        if not generation_config.return_dict_in_generate:
            return sequences
        return GenerateBeamDecoderOnlyOutput(
            sequences=cast(torch.LongTensor, sequences), sequences_scores=scores
        )

    return decode


def follow(constraint: RelationConstraint[State], tokens: Sequence[int]) -> State:
    """The state after the tokens of a word: `constraint.path(follow(constraint, tokens))`.

    Tokens after the end of the word count as padding. Raises ConstraintError where the tokens are
    not a word.
    """
    state = constraint.start()
    for token in tokens:
        if constraint.done(state):
            break
        state = constraint.advance(state, int(token))
    if not constraint.done(state):
        raise ConstraintError("the tokens end before the word does")
    return state


def _check(config: GenerationConfig) -> None:
    for name in ("num_beams", "num_return_sequences"):
        if (getattr(config, name, None) or 1) != 1:
            raise ConstraintError(
                f"{name} has no meaning beside a plan", "give the beams in the plan: BeamPlan(...)"
            )


def _prompts(input_ids: torch.Tensor, mask: torch.Tensor | None) -> list[list[int]]:
    """The tokens of each prompt, without the padding on its left."""
    if mask is None:
        return input_ids.tolist()
    return [row[seen.bool()].tolist() for row, seen in zip(input_ids, mask, strict=True)]


def _rows(
    input_ids: torch.Tensor, found: Sequence[Found[State]], plan: BeamPlan, pad: int | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Sequences and their scores; without a padding token, closing tags are repeated."""
    count = max(len(each.hypotheses) for each in found)
    longest = max(len(word.tokens) for each in found for word in each.hypotheses)
    prompt = input_ids.shape[1]
    rows: list[list[int]] = []
    scores: list[float] = []
    for ids, each in zip(input_ids.tolist(), found, strict=True):
        filler = pad if pad is not None else each.hypotheses[0].tokens[-1]
        words: list[Hypothesis[State] | None] = [*each.hypotheses]
        for word in words + [None] * (count - len(words)):
            row = [*ids, *(word.tokens if word else ())]
            rows.append(row + [filler] * (prompt + longest - len(row)))
            scores.append(_final(word, plan) if word else -torch.inf)
    device = input_ids.device
    return torch.tensor(rows, device=device), torch.tensor(scores, device=device)


def _final(word: Hypothesis[State], plan: BeamPlan) -> float:
    return word.score / len(word.tokens) ** plan.length_penalty
