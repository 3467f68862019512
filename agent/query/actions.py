"""The actions that make up a query, their spelling as a text, and the choices that offer them.

An action is one token of the format `QUERY` in `agent/decoding/wire.py`, with the name after it. A
choice is what there is at some point of a query; of each a schema makes actions. What the schema
says is asked when a choice is offered, and not before.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

from ..decoding.wire import INVERSE, POINTERS, QUERY, QUERY_MARKERS, escape, spell_relation
from ..errors import QuestionError
from .normal import Field, follows
from .schema import Schema
from .tree import Query, Step

Kind: TypeAlias = Literal[
    "pointer", "class", "has", "any", "or", "answers", "topics", "part",
    "step", "then", "where", "self", "among", "many", "year",
    "equal", "unequal", "less", "greater", "atmost", "atleast",
    "starts", "ends", "contains", "exists", "missing", "value",
    "and", "not", "group", "having", "most", "least", "first", "place",
    "count", "sum", "avg", "min", "max", "yesno", "all", "to", "column", "end",
]  # fmt: skip
"""What an action does. But for a pointer, and the end of the whole query, it names the marker.

Frozen: a reader numbers kinds by their position, so another kind or order needs new weights.
"""

LITERAL: frozenset[Kind] = frozenset(("place", "first", "part"))
"""Actions after which a pointer is the number itself, and no mention."""
_KINDS = frozenset(get_args(Kind))
_TOKEN = re.compile(r"<([^<>]*)>([^<>]*)")


class Action(NamedTuple):
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
    return (*(_action_of(token[1], token[2].strip()) for token in tokens), Action("end"))


def spell_action(action: Action, names: Mapping[str, str] = {}) -> str:
    """The text of one action inside a query."""
    if action.number is not None:
        return POINTERS[action.number]
    marker = f"<{action.kind.upper()}>"
    if not action.name:
        return marker
    return marker + spell_relation(escape(names.get(action.name, action.name)), action.inverse)


def _action_of(marker: str, name: str) -> Action:
    if f"<{marker}>" in POINTERS and not name:
        return Action("pointer", number=int(marker))
    if f"<{marker}>" not in QUERY_MARKERS or marker.lower() not in _KINDS:
        raise QuestionError(
            f"<{marker}>{name} is no action of a query", "see `agent/decoding/wire.py`"
        )
    kind = cast("Kind", marker.lower())
    return Action(kind, name.removeprefix(INVERSE), name.startswith(INVERSE))


Needs = Callable[[Schema], frozenset[str]]
"""The measures of which a set or a value needs one to be compared: `number`, `date`, `count`."""
Suits = Callable[[Schema, Query], bool]
Offer = Callable[[Schema], Iterable[Action]]

MOST_OPEN = 4
"""Depth to which sets may be nested."""
MOST_WRAPPED = 4
"""Nodes that may begin at one another, in a chain."""

Closer: TypeAlias = Literal["end", "or"]

_NO_NUMBERS = range(0)


class Choice(NamedTuple):
    """A kind of action that may come next.

    `least` is how many actions make a query of it at least, itself and all after it.
    """

    kind: Kind
    least: int
    offer: Offer
    has_name: bool = False
    hop: bool = False
    numbers: range = _NO_NUMBERS

    def fits(self, action: Action) -> bool:
        """Whether an action is of this kind, and has what its kind needs."""
        if self.kind != action.kind or bool(action.name) != self.has_name:
            return False
        if self.numbers:
            return action.number in self.numbers and not action.inverse
        return action.number is None and (self.hop or not action.inverse)


Choices = tuple[Choice, ...]


def mark(kind: Kind, least: int, condition: Callable[[Schema], object] | None = None) -> Choice:
    """An action without a name; `condition` says whether a schema allows it."""

    def offer(schema: Schema) -> Iterable[Action]:
        return (Action(kind),) if condition is None or condition(schema) else ()

    return Choice(kind, least, offer)


def class_action(kind: Kind, least: int, names: Callable[[Schema], Iterable[str]]) -> Choice:
    """An action with the name of a class, or of a relation that everything has."""

    def offer(schema: Schema) -> Iterable[Action]:
        return _class_actions(kind, tuple(names(schema)))

    return Choice(kind, least, offer, has_name=True)


def hop(kind: Kind, least: int, members: Query, suits: Suits | None = None) -> Choice:
    """A hop from members; with `suits`, one that leads to a set that does."""

    def offer(schema: Schema) -> Iterable[Action]:
        hops = schema.hops(members)
        if suits is None:
            return _hop_actions(kind, tuple(hops))
        return (
            Action(kind, name, inverse)
            for name, inverse in hops
            if suits(schema, along(members, Step(relation=name, inverse=inverse)))
        )

    return Choice(kind, least, offer, has_name=True, hop=True)


@lru_cache(maxsize=1_000)
def _class_actions(kind: Kind, names: tuple[str, ...]) -> tuple[Action, ...]:
    return tuple(Action(kind, name) for name in names)


@lru_cache(maxsize=1_000)
def _hop_actions(kind: Kind, hops: tuple[tuple[str, bool], ...]) -> tuple[Action, ...]:
    return tuple(Action(kind, name, inverse) for name, inverse in hops)


def hops_to(
    kind: Kind, least: int, members: Query, fits: Suits, suits: Suits
) -> tuple[Choice, Choice]:
    """Hops to a set that fits, after which `least` actions come, and to one a hop before it."""

    def is_before(schema: Schema, values: Query) -> bool:
        return not fits(schema, values) and suits(schema, values)

    return hop(kind, least + 1, members, fits), hop(kind, least + 2, members, is_before)


def pointer(least: int, allowed: Callable[[Schema, int], object], first: int = 0) -> Choice:
    """A pointer to one of the mentions that are allowed."""

    def offer(schema: Schema) -> Iterable[Action]:
        for mention in range(first, min(len(schema.mentions), len(POINTERS))):
            if allowed(schema, mention):
                yield Action("pointer", number=mention)

    return Choice("pointer", least, offer, numbers=range(first, len(POINTERS)))


def number(least: int, first: int, last: Callable[[Schema], int] | None = None) -> Choice:
    """A pointer that is the number itself, from the first to one before the last."""

    def offer(schema: Schema) -> Iterable[Action]:
        end = len(POINTERS) if last is None else min(last(schema), len(POINTERS))
        return [Action("pointer", number=value) for value in range(first, end)]

    return Choice("pointer", least, offer, numbers=range(first, len(POINTERS)))


def under_condition(choices: Iterable[Choice], condition: Callable[[Schema], object]) -> Choices:
    """Choices that a schema offers only on a condition."""

    def limited(offer: Offer) -> Offer:
        return lambda schema: offer(schema) if condition(schema) else ()

    return tuple(choice._replace(offer=limited(choice.offer)) for choice in choices)


def along(members: Query, *steps: Step) -> Query:
    """What hops from members lead to."""
    if not steps:
        return members
    if follows(members, "steps"):
        return members.model_copy(update={"steps": (*members.steps, *steps)})
    return Query(start=members, steps=steps)


def leads(schema: Schema, members: Query, measures: frozenset[str]) -> bool:
    """Whether members are what is wanted, or are one hop from it."""
    return bool(schema.measures(members) & measures) or any(
        schema.measures(along(members, Step(relation=name, inverse=inverse))) & measures
        for name, inverse in schema.hops(members)
    )


def is_any(choices: Iterable[Choice], schema: Schema) -> bool:
    """Whether a schema offers some action."""
    return any(True for choice in choices for _ in choice.offer(schema))


@dataclass
class SetContext:
    """Where a set stands in a query: how it is closed, and what has to be true of it."""

    form: Literal["whole", "value", "part"]
    closers: tuple[Closer, ...]
    actions_after: int
    """The least number of actions after its end."""
    open: int = 0
    needs: Needs | None = None
    wrapped: int = 0

    @property
    def ending(self) -> int:
        """The least number of actions to its end, where the set is what is needed."""
        return self.actions_after + (1 if "end" in self.closers else 3)

    @property
    def close(self) -> int:
        """The least number of actions after an operation on the set."""
        return self.ending + (self.needs is not None)

    def within(
        self,
        actions_after: int,
        form: Literal["value", "part"] = "part",
        closers: tuple[Closer, ...] = ("end",),
        needs: Needs | None = None,
    ) -> "SetContext":
        """The context of a set inside this one."""
        return SetContext(form, closers, actions_after, self.open + 1, needs)

    def is_free(self, schema: Schema) -> bool:
        """Whether nothing is needed of the set, or a number, which its size would be."""
        return self.needs is None or bool(self.needs(schema) & {"number", "count"})

    def is_fit(self, schema: Schema, query: Query) -> bool:
        """Whether a set is what is needed here."""
        return self.needs is None or bool(schema.measures(query) & self.needs(schema))

    def suits(self, schema: Schema, query: Query) -> bool:
        """Whether a set is what is needed here, or can become so."""
        return (
            self.needs is None or self.is_free(schema) or leads(schema, query, self.needs(schema))
        )

    @property
    def suiting(self) -> Suits | None:
        """`suits`; None where nothing is needed."""
        return None if self.needs is None else self.suits

    def has_room(self, query: Query, field: Field) -> bool:
        """Whether a part may be added, in a node around this one where it takes one."""
        wraps = not follows(query, field)
        is_reserved = self.needs is not None and field != "steps"
        return self.wrapped + wraps + is_reserved <= MOST_WRAPPED

    def opened(self, query: Query, field: Field, *, aggregate: bool = False) -> Query:
        """The node that a part is added to."""
        if follows(query, field, aggregate=aggregate):
            return query
        self.wrapped += 1
        return Query(start=query)

    def added(self, query: Query, field: Field, part: object) -> Query:
        """The set with another part of a field."""
        node = self.opened(query, field)
        return node.model_copy(update={field: (*getattr(node, field), part)})
