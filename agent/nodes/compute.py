"""Operations over the verified answers of parts and of earlier turns."""

from collections.abc import Sequence

from ..kg import KnowledgeGraph
from ..state import NOT_UNDERSTOOD, Operation, Part, Turn
from .computed import Computed
from .earlier import again, earlier_members
from .measured import counted, extreme_of
from .members import members_of
from .truth import truth

_UNREAD = f"{NOT_UNDERSTOOD} well enough to be answered"


def compute(
    kg: KnowledgeGraph, operation: Operation, parts: Sequence[Part], turns: Sequence[Turn]
) -> Computed | None:
    """The outcome, given the parts, as far as they are answered; None where the next is needed.

    Raises ServiceError where the store does not answer.
    """
    kind = operation["kind"]
    if kind == "unread":
        return Computed("abstained", notes=[_UNREAD])
    if kind == "why":
        return again(kg, turns)
    if kind == "truth":
        return truth(kg, operation)
    if operation["over"] == "last":
        members = earlier_members(kg, operation, parts, turns)
    else:
        members = members_of(operation, parts)
    if members is None or members.status != "answered":
        return members
    if kind == "extreme":
        return extreme_of(kg, operation, members)
    if kind == "count" and not _is_number(members):
        return counted(kg, operation, members)
    return members


def _is_number(members: Computed) -> bool:
    """Whether the graph itself holds the number that was asked for."""
    return members.result is not None and members.result["kind"] == "count"
