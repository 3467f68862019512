"""The automaton of a query: which actions may come next, which query they make, and the reverse."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..decoding.wire import POINTERS
from ..errors import QuestionError
from .actions import Action, Choices, Kind, spell_action
from .choices import ORDERS, PRESENCE, WORDINGS
from .grammar import Moves, Offered, whole_query
from .normal import MentionValue, normal, values_of
from .schema import Schema
from .tree import (
    ANYTHING,
    AnyOf,
    Column,
    Domain,
    Entity,
    Extreme,
    Filter,
    Having,
    Last,
    Measure,
    OfClass,
    Part,
    Query,
    Start,
    Step,
    read_query,
    write_query,
    written_nodes,
)

MOST_ACTIONS = 64
"""Actions of a query, its end among them."""

_COMPARISONS: dict[str, Kind] = {
    op: kind
    for kinds in (ORDERS, WORDINGS, PRESENCE)
    for kind, op in kinds.items()  # pyright: ignore[reportAssignmentType]
}
_HINT = "put it into the question, as a mention"


# Actions that follow one another


class _Reading(NamedTuple):
    """A grammar that has read some actions, and what it offers next."""

    moves: Moves[Query]
    offered: Offered

    @property
    def choices(self) -> Choices:
        return self.offered() if callable(self.offered) else self.offered

    def after(self, action: Action) -> "_Reading":
        return _Reading(self.moves, self.moves.send(action))


def _beginning() -> _Reading:
    moves = whole_query()
    return _Reading(moves, next(moves))


def legal(partial: Sequence[Action], schema: Schema, *, most: int = MOST_ACTIONS) -> list[Action]:
    """The actions that may come next; none after the end.

    `most` is how many actions the whole query may have. Raises QuestionError where those before are
    no beginning of a query.
    """
    _, choices = _read_actions(partial)
    room = most - len(partial)
    return [action for choice in choices if choice.least <= room for action in choice.offer(schema)]


class Following(NamedTuple):
    """The actions that may come next, each once; and whether an end among them is that of all."""

    actions: list[Action]
    may_end: bool


class Partial:
    """A partial query whose actions are known to be legal, and how it goes on.

    The first longer query takes over the grammar that has read it; for others it is read again.
    """

    def __init__(self, actions: tuple[Action, ...] = ()) -> None:
        self.actions = actions
        self._reading: _Reading | None = None

    def following(self, schema: Schema, *, most: int = MOST_ACTIONS) -> Following:
        """The actions that `legal` gives."""
        if self._reading is None:
            self._reading = _beginning()
            for action in self.actions:
                self._reading = self._reading.after(action)
        room = most - len(self.actions)
        actions: dict[Action, None] = {}
        may_end = False
        for choice in self._reading.choices:
            if choice.least <= room:
                offer = list(choice.offer(schema))
                actions.update(dict.fromkeys(offer))
                may_end = may_end or (bool(offer) and choice.kind == "end" and choice.least == 1)
        return Following(list(actions), may_end)

    def after(self, action: Action) -> "Partial":
        """The partial query with one more action, which is legal, and not the end of all."""
        longer = Partial((*self.actions, action))
        if self._reading is not None:
            longer._reading, self._reading = self._reading.after(action), None
        return longer


def query_of(
    actions: Sequence[Action],
    values: Mapping[int, MentionValue] | None = None,
    *,
    are_legal: bool = False,
) -> Query:
    """The query that actions make, in its normal form.

    `values` are what mentions stand for as values of filters, where that is not their text. Raises
    QuestionError for actions that are no query, or not a whole one; `are_legal` says that each of
    them could stand where it does.
    """
    query, choices = _read_actions(actions, are_legal)
    if query is None:
        raise QuestionError("the query has no end", f"there may come {_listed(choices)}")
    tree = write_query(query)
    if values:
        _add_values(tree, values)
    return normal(read_query(tree))


def _read_actions(
    actions: Sequence[Action], are_legal: bool = False
) -> tuple[Query | None, Choices]:
    """The query of actions, or the choices after a partial one."""
    reading = _beginning()
    for index, action in enumerate(actions):
        if not are_legal:
            _check(reading.choices, action, index)
        try:
            reading = reading.after(action)
        except StopIteration as end:
            if index + 1 < len(actions):
                raise QuestionError("there are actions after the end", "leave them out") from None
            return end.value, ()
    return None, reading.choices


def _check(choices: Choices, action: Action, index: int) -> None:
    """Raise QuestionError for an action that is none of the choices."""
    fitting = [choice for choice in choices if choice.fits(action)]
    if not fitting:
        raise QuestionError(
            f"action {index + 1} of the query, {spell_action(action)}, cannot stand there",
            f"there may come {_listed(choices)}",
        )
    if min(choice.least for choice in fitting) > MOST_ACTIONS - index:
        raise QuestionError(f"a query has at most {MOST_ACTIONS} actions", "ask for less")


def _listed(choices: Choices) -> str:
    return ", ".join(dict.fromkeys(choice.kind for choice in choices))


def _add_values(tree: object, values: Mapping[int, MentionValue]) -> None:
    """Write the values of mentions beside them."""
    for node in written_nodes(tree):
        if value := values.get(node.get("mention", -1)):
            node.update(value=value.value, **({"unit": value.unit} if value.unit else {}))


# Actions that say a query


def actions_of(query: Query) -> tuple[Action, ...]:
    """The actions of a query, up to its normal form; `values_of` gives the values beside mentions.

    Raises QuestionError for what they cannot say: things and values that no mention names, and what
    is larger or deeper than a sequence of actions may be.
    """
    wanted = normal(query)
    actions = (*_set(wanted), *_form(wanted), Action("end"))
    if query_of(actions, values_of(wanted)) != wanted:
        raise QuestionError("actions cannot say this query", "say it in a simpler way")
    return actions


def _set(query: Query) -> Iterator[Action]:
    yield from _start(query.start)
    yield from _hops("step", query.steps, then="step")
    if query.of_class:
        yield Action("class", query.of_class)
    for condition in query.filters:
        yield from _filter(condition)
    for other in query.also:
        yield from _inner("and", other)
    for other in query.without:
        yield from _inner("not", other)
    if query.group:
        yield from _hops("group", query.group)
    for condition in query.having:
        yield Action("having")
        yield from _aggregate(condition)
        yield Action(_COMPARISONS[condition.op])
        yield _mention(condition)
    if query.extreme is not None:
        yield from _extreme(query.extreme)


def _start(start: Start) -> Iterator[Action]:
    match start:
        case tuple():
            yield from map(_pointer, start)
        case OfClass(name=name):
            yield Action("class", "" if name == ANYTHING else name)
        case Domain(domain=name):
            yield Action("has", name)
        case AnyOf(any=queries):
            for index, inner in enumerate(queries):
                yield Action("or" if index else "any")
                yield from _set(inner)
            yield Action("end")
        case Last(last=what):
            yield Action(what)
        case Part(part=number):
            yield Action("part")
            yield _pointer(number)
        case Query():
            yield from _set(start)
        case Entity(entity=name):
            raise QuestionError(f"the query begins at {name!r}, which it does not mention", _HINT)


def _filter(condition: Filter) -> Iterator[Action]:
    yield from _measure("where", condition)
    if condition.of:
        yield Action("year")
    yield Action(_COMPARISONS[condition.op])
    if isinstance(condition.value, Query):
        yield Action("value")
        yield from _set(condition.value)
        yield from _form(condition.value)
        yield Action("end")
    elif condition.op not in PRESENCE.values():
        yield _mention(condition)


def _extreme(extreme: Extreme) -> Iterator[Action]:
    kind: Kind = "most" if extreme.most else "least"
    if extreme.agg:
        yield Action(kind)
        yield from _aggregate(extreme)
    else:
        yield from _measure(kind, extreme)
    if extreme.place is not None:
        yield from (Action("place"), _pointer(extreme.place))
    elif extreme.n > 1:
        yield from (Action("first"), _pointer(extreme.n))


def _measure(kind: Kind, measure: Measure) -> Iterator[Action]:
    yield from _hops(kind, measure.steps) if measure.steps else (Action(kind), Action("self"))
    if measure.among is not None:
        yield from _inner("among", measure.among)
    if measure.count:
        yield Action("many")


def _aggregate(part: Having | Extreme | Column) -> Iterator[Action]:
    assert part.agg is not None
    yield from _hops(part.agg, part.of) if part.of else (Action(part.agg),)


def _form(query: Query) -> Iterator[Action]:
    if query.to is not None:
        yield from _inner("to", query.to)
    elif query.answer != "list":
        yield Action(query.answer)  # pyright: ignore[reportArgumentType]
    for other in query.every:
        yield from _inner("all", other)
    for column in query.columns:
        if column.agg:
            yield Action("column")
            yield from _aggregate(column)
        else:
            yield from _hops("column", column.steps)


def _inner(kind: Kind, query: Query) -> Iterator[Action]:
    yield Action(kind)
    yield from _set(query)
    yield Action("end")


def _hops(kind: Kind, steps: tuple[Step, ...], then: Kind = "then") -> Iterator[Action]:
    for index, step in enumerate(steps):
        yield Action(then if index else kind, step.relation, step.inverse)


def _mention(condition: Filter | Having) -> Action:
    if condition.mention is None:
        raise QuestionError(f"the value {condition.value!r} is no mention", _HINT)
    return _pointer(condition.mention)


def _pointer(number: int) -> Action:
    if number >= len(POINTERS):
        raise QuestionError(
            f"{number} is too large: pointers go to {len(POINTERS) - 1}", "ask for less"
        )
    return Action("pointer", number=number)
