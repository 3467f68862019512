"""Relation paths as a local model plans them without any constraint (RoG section 4.3).

Nothing keeps the model from relations that the KG does not have; what it writes is read tolerantly,
in our own format (`<PLAN>borders -> ^capital</PLAN>`) and in that of the published checkpoints
(`<PATH> r1 <SEP> r2 </PATH>`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as Folder
from typing import Any, NamedTuple, cast

from ..decoding.plan import Cost
from ..decoding.wire import INVERSE, PATH, PLAN
from .free_text import Writing, write_freely
from .local import LocalModel
from .prompt import Mention, wire_prompt

_PLANNED = re.compile(r"<(?:PLAN|PATH)>(.*?)(?:</(?:PLAN|PATH)>|$)", re.DOTALL)
_BETWEEN = re.compile(r"<SEP>|->")


class Planned(NamedTuple):
    """A relation as the model wrote it, and whether it is to be walked backwards."""

    name: str
    inverse: bool


@dataclass(frozen=True)
class Plans:
    """The relation paths of one question, best first, with the log-probabilities of their texts."""

    plans: tuple[tuple[tuple[Planned, ...], float], ...]
    unreadable: int
    cost: Cost


def write_plans(
    local: LocalModel,
    question: str,
    mentions: Sequence[Mention],
    *,
    beams: int = 3,
    longest: int = 100,
    prompts: Folder | None = None,
) -> Plans:
    """Let the model write freely by beam search; `longest` is in tokens.

    Raises ConstraintError where the model cannot hold the prompt.
    """
    tokens, _ = wire_prompt(local, question, mentions, PLAN, prompts)
    known = cast("dict[str, int]", cast(Any, local.tokenizer).get_added_vocab())
    closing = frozenset(known[tag] for tag in (PLAN.close, PATH.close) if tag in known)
    written = write_freely(local, tokens, Writing(longest, beams=beams, closing=closing))
    read = [
        (read_plan(text), score) for text, score in zip(written.texts, written.scores, strict=True)
    ]
    distinct: dict[tuple[Planned, ...], float] = {}
    for relations, score in read:
        if relations:
            distinct.setdefault(relations, score)
    return Plans(
        tuple(distinct.items()),
        sum(not relations for relations, _ in read),
        written.cost,
    )


def read_plan(text: str) -> tuple[Planned, ...]:
    """The relations of the first plan in a text; none where it holds no plan."""
    found = _PLANNED.search(text)
    if found is None:
        return ()
    relations = [read_relation(name) for name in _BETWEEN.split(found[1])]
    return tuple(relation for relation in relations if relation.name)


def read_relation(text: str) -> Planned:
    """A relation as it is written in a plan; a caret before it walks it backwards."""
    name = text.strip()
    return Planned(name.removeprefix(INVERSE).strip(), name.startswith(INVERSE))
