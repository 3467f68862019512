"""The automaton of a query: which actions may come next, and which query they make."""

from collections.abc import Mapping, Sequence

from ..errors import QuestionError
from .actions import Action, spell_action
from .choices import Choices
from .grammar import whole
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


def is_whole(actions: Sequence[Action]) -> bool:
    """Whether actions that may follow each other have come to the end of a query."""
    return _read(actions)[0] is not None


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
    choices = next(moves)
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
            choices = moves.send(action)
        except StopIteration as end:
            if place + 1 < len(actions):
                raise QuestionError("there are actions after the end", "leave them out") from None
            return end.value, ()
    return None, choices


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
