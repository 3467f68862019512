"""Whether what `and` and `not` add to a set can have a member in common with it."""

from collections.abc import Sequence

from ..errors import QuestionError
from ..query.actions import Action
from ..query.automaton import query_of
from ..query.schema import Schema

_PLAIN = frozenset(("pointer", "class", "step"))


def may_overlap(actions: Sequence[Action], schema: Schema) -> bool:
    """Whether the set that would end after these actions can meet the one that it is joined to.

    It cannot where neither a member of that one, nor any other thing of its class, has the relation
    that the added set is reached by: no club has a position, so no club is among those who play
    one. What is not joined to another set, or is more than a walk, may be anything.
    """
    joined = [place for place, own in enumerate(actions) if own.kind in ("and", "not")]
    if not joined or actions[-1].kind != "step":
        return True
    before, added = actions[: joined[-1]], actions[joined[-1] + 1 :]
    if any(own.kind not in _PLAIN for own in added):
        return True
    try:
        members = query_of((*before, Action("end")))
    except QuestionError:
        return True
    last = added[-1]
    return (last.name, not last.inverse) in schema.hops(members)
