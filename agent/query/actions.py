"""The actions that make up a query, and their spelling as a text.

An action is one token of the format `QUERY` in `agent/decoding/wire.py`, with the name after it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, cast, get_args

from ..decoding.wire import INVERSE, POINTERS, QUERY, QUERY_MARKERS, escape, spell_relation
from ..errors import QuestionError

Kind: TypeAlias = Literal[
    "pointer", "class", "has", "any", "or", "answers", "topics", "part",
    "step", "then", "where", "self", "among", "many", "year",
    "equal", "unequal", "less", "greater", "atmost", "atleast",
    "starts", "ends", "contains", "exists", "missing", "value",
    "and", "not", "group", "having", "most", "least", "first", "place",
    "count", "sum", "avg", "min", "max", "yesno", "all", "to", "column", "end",
]  # fmt: skip
"""What an action does. But for a pointer, and the end of the whole query, it names the marker."""

LITERAL: frozenset[Kind] = frozenset(("place", "first", "part"))
"""Actions after which a pointer is the number itself, and no mention."""
_KINDS = frozenset(get_args(Kind))
_TOKEN = re.compile(r"<([^<>]*)>([^<>]*)")


@dataclass(frozen=True)
class Action:
    """One action: with the `name` of a relation or class, or with the `number` of a pointer."""

    kind: Kind
    name: str = ""
    inverse: bool = False
    number: int | None = None


def literal_pointers(actions: Sequence[Action]) -> frozenset[int]:
    """The indices of the pointers that are no mention but the number itself."""
    pairs = enumerate(pairwise(actions), 1)
    return frozenset(
        i for i, (before, a) in pairs if before.kind in LITERAL and a.number is not None
    )


def pointed_at(actions: Sequence[Action]) -> frozenset[int]:
    """The numbers of the mentions that actions point at."""
    literal = literal_pointers(actions)
    pointers = (action.number for i, action in enumerate(actions) if i not in literal)
    return frozenset(number for number in pointers if number is not None)


def spell(actions: Iterable[Action], names: Mapping[str, str]) -> str:
    """The text of a whole query; `names` are the display names of its terms, where they differ."""
    *inner, _ = actions
    return QUERY.open + "".join(spell_action(action, names) for action in inner) + QUERY.close


def read_text(text: str) -> tuple[Action, ...]:
    """The actions of a text; their names are the escaped ones that it holds.

    Raises QuestionError where it is no sequence of actions. Whether they make a query is not asked.
    """
    text = text.strip()
    if not text.startswith(QUERY.open) or not text.endswith(QUERY.close):
        raise QuestionError(
            f"the text of a query stands between {QUERY.open} and {QUERY.close}", "write them"
        )
    inner = text.removeprefix(QUERY.open).removesuffix(QUERY.close)
    tokens = list(_TOKEN.finditer(inner))
    if "".join(token[0] for token in tokens) != inner:
        raise QuestionError("the text of a query is a sequence of markers", "escape its names")
    return (*(_read(token[1], token[2].strip()) for token in tokens), Action("end"))


def spell_action(action: Action, names: Mapping[str, str] = {}) -> str:
    """The text of one action inside a query."""
    if action.number is not None:
        return POINTERS[action.number]
    marker = f"<{action.kind.upper()}>"
    if not action.name:
        return marker
    return marker + spell_relation(escape(names.get(action.name, action.name)), action.inverse)


def _read(marker: str, name: str) -> Action:
    if f"<{marker}>" in POINTERS and not name:
        return Action("pointer", number=int(marker))
    if f"<{marker}>" not in QUERY_MARKERS or marker.lower() not in _KINDS:
        raise QuestionError(
            f"<{marker}>{name} is no action of a query", "see `agent/decoding/wire.py`"
        )
    kind = cast("Kind", marker.lower())
    return Action(kind, name.removeprefix(INVERSE), name.startswith(INVERSE))
