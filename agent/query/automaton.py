"""The automaton of a query: which actions may come next, and which query they make."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..errors import QuestionError
from .actions import Action, spell_action
from .choices import Choices
from .grammar import Moves, Offered, whole
from .normal import Value, normal
from .schema import Schema
from .tree import Query, read_query, write_query

MOST_ACTIONS = 64
"""Actions of a query, its end among them."""


def legal(partial: Sequence[Action], schema: Schema, *, most: int = MOST_ACTIONS) -> list[Action]:
    """The actions that may come next; none after the end.

    `most` is how many actions the whole query may have. Raises QuestionError where those before are
    no beginning of a query.
    """
    _, choices = _read(partial)
    room = most - len(partial)
    return [own for choice in choices if choice.least <= room for own in choice.offer(schema)]


class Following(NamedTuple):
    """The actions that may come next, each once; and whether an end among them is that of all."""

    actions: list[Action]
    may_end: bool


class Partial:
    """A partial query whose actions are known to be legal, and how it goes on.

    Reading goes on from where it is, for the first query that follows; for others it is done again.
    """

    def __init__(self, actions: tuple[Action, ...] = ()) -> None:
        self.actions = actions
        self._reading: _Reading | None = None

    def following(self, schema: Schema, *, most: int = MOST_ACTIONS) -> Following:
        """What `legal` says of it."""
        if self._reading is None:
            self._reading = _replayed(self.actions)
        offered, room = self._reading.offered, most - len(self.actions)
        choices = _made(offered)
        actions: dict[Action, None] = {}
        may_end = False
        for choice in choices:
            if choice.least <= room:
                offer = list(choice.offer(schema))
                actions.update(dict.fromkeys(offer))
                may_end = may_end or (bool(offer) and choice.kind == "end" and choice.least == 1)
        return Following(list(actions), may_end)

    def after(self, action: Action) -> "Partial":
        """The partial query with one more action, which is legal, and not the end of all."""
        longer = Partial((*self.actions, action))
        if self._reading is not None:
            moves, self._reading = self._reading.moves, None
            longer._reading = _Reading(moves, moves.send(action))
        return longer


class _Reading(NamedTuple):
    """A grammar that has read some actions, and what it offers next."""

    moves: Moves[Query]
    offered: Offered


def _replayed(actions: Sequence[Action]) -> _Reading:
    moves = whole()
    offered = next(moves)
    for action in actions:
        offered = moves.send(action)
    return _Reading(moves, offered)


def query_of(actions: Sequence[Action], values: Mapping[int, Value] | None = None) -> Query:
    """The query that actions make, in its normal form.

    `values` are what mentions stand for as values of filters, where that is not their text. Raises
    QuestionError for actions that are no query, or not a whole one.
    """
    query, choices = _read(actions)
    if query is None:
        raise QuestionError("the query has no end", f"there may come {_listed(choices)}")
    tree = write_query(query)
    if values:
        _value(tree, values)
    return normal(read_query(tree))


def _read(actions: Sequence[Action]) -> tuple[Query | None, Choices]:
    """The query of actions, or the choices after a partial one."""
    moves = whole()
    choices = _made(next(moves))
    for place, action in enumerate(actions):
        fitting = [own for own in choices if own.fits(action)]
        if not fitting:
            raise QuestionError(
                f"action {place + 1} of the query, {spell_action(action)}, cannot stand there",
                f"there may come {_listed(choices)}",
            )
        if min(own.least for own in fitting) > MOST_ACTIONS - place:
            raise QuestionError(f"a query has at most {MOST_ACTIONS} actions", "ask for less")
        try:
            choices = _made(moves.send(action))
        except StopIteration as end:
            if place + 1 < len(actions):
                raise QuestionError("there are actions after the end", "leave them out") from None
            return end.value, ()
    return None, choices


def _made(offered: Offered) -> Choices:
    return offered() if callable(offered) else offered


def _listed(choices: Choices) -> str:
    return ", ".join(dict.fromkeys(own.kind for own in choices))


def _value(tree: object, values: Mapping[int, Value]) -> None:
    """Write the values of mentions beside them."""
    if isinstance(tree, list):
        for own in tree:
            _value(own, values)
    elif isinstance(tree, dict):
        if value := values.get(tree.get("mention", -1)):
            tree.update(value=value.value, **({"unit": value.unit} if value.unit else {}))
        for own in tree.values():
            _value(own, values)
