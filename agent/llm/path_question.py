"""From a linked question to what the path decoder searches: a prompt, and the paths it may take."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path as Folder

from ..decoding.index import TokenIndex
from ..decoding.paths import PathLimits, PathState, ReasoningPaths
from ..decoding.search import Question
from ..decoding.units import unit_tokens, wire_tokens
from ..decoding.wire import PATH, escape
from ..kg.terms import Term
from .local import LocalModel
from .prompt import Mention, path_prompt, path_tokens, shared_tokens


def path_question(
    local: LocalModel,
    index: TokenIndex,
    text: str,
    mentions: Sequence[Mention],
    topics: Mapping[Term, str],
    limits: PathLimits,
    prompts: Folder | None = None,
) -> tuple[Question[PathState], ReasoningPaths]:
    """The question for `beam_search`, and its constraint, which turns states into paths.

    `topics` are the entities to start from with their names. Raises NoPathError when no path leaves
    them, and ConstraintError where the model cannot write paths.
    """
    names = [escape(name) for name in topics.values()]
    units = unit_tokens(local.tokenizer, replace(index.style, lead=""), names)
    tags = wire_tokens(local.tokenizer, PATH)
    paths = ReasoningPaths(index, dict(zip(topics, units, strict=True)), tags, limits)
    masked, instruct = local.settings.masked, local.settings.instruct
    prompt = path_prompt(text, mentions, masked=masked, instruct=instruct, prompts=prompts)
    tokens = path_tokens(local.tokenizer, prompt, prompts)
    shared = shared_tokens(
        local.tokenizer, tokens, masked=masked, instruct=instruct, prompts=prompts
    )
    return Question(tokens, paths, shared), paths
