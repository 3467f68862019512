"""From a linked question to what the path decoder searches: a prompt, and the paths it may take."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path as Folder
from typing import Any, cast

from ..decoding.graph_index import GraphIndex
from ..decoding.paths import PathLimits, PathState, ReasoningPaths
from ..decoding.plan import Question
from ..decoding.session import Reply, WritingPlan
from ..decoding.units import unit_tokens, wire_tokens
from ..decoding.wire import MARKERS, PATH, escape
from ..errors import ConstraintError
from ..kg.terms import Term
from .local import LocalModel
from .prompt import Mention, answer_tokens, wire_prompt

_LONGEST_ANSWER = 32
"""Tokens of a hypothesis answer that the model writes freely."""


def path_question(
    local: LocalModel,
    index: GraphIndex,
    text: str,
    mentions: Sequence[Mention],
    topics: Mapping[Term, str],
    limits: PathLimits,
    prompts: Folder | None = None,
    examples: int = 0,
) -> tuple[Question[PathState], ReasoningPaths]:
    """The question for `beam_search`, and its constraint, which turns states into paths.

    `topics` are the entities to start from with their names. Raises NoPathError when no path leaves
    them, and ConstraintError where the model cannot write paths.
    """
    names = [escape(name) for name in topics.values()]
    units = unit_tokens(local.tokenizer, replace(index.style, lead=""), names)
    tags = wire_tokens(local.tokenizer, PATH)
    paths = ReasoningPaths(index, dict(zip(topics, units, strict=True)), tags, limits)
    tokens, shared = wire_prompt(local, text, mentions, PATH, prompts, examples)
    return Question(tokens, paths, shared), paths


def free_answer(local: LocalModel, prompts: Folder | None = None) -> Reply:
    """How the model names a hypothesis answer after a path, in its own words (GCR section 4.2).

    Raises ConstraintError where the tokenizer knows no end of a text.
    """
    end = local.tokenizer.eos_token_id
    if not isinstance(end, int):
        raise ConstraintError(
            "the model's tokenizer has no token that ends a text, so answers cannot be written",
            "leave out the free hypothesis answers",
        )
    heading = tuple(answer_tokens(local.tokenizer, prompts))
    added: dict[str, int] = cast(Any, local.tokenizer).get_added_vocab()
    tags = frozenset(added[marker] for marker in MARKERS if marker in added)
    return Reply(heading, WritingPlan(frozenset([end]), _LONGEST_ANSWER, tags))


def answer_text(local: LocalModel, reply: Sequence[int]) -> str:
    """The first line that the model wrote; nothing where it was not asked."""
    lines = str(local.tokenizer.decode(list(reply), skip_special_tokens=True)).splitlines()
    return next((line.strip() for line in lines if line.strip()), "")
