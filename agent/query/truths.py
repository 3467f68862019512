"""Yes-or-no properties: a query asks what has one, and means what it is true of.

Of `sold out`, with the values true and false, every concert has one. *Which are sold out* asks
for those with the value true, *which are not* for those with false; what has none is in neither.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

from ..kg import KnowledgeGraph
from ..kg.terms import Term
from .actions import Action
from .tree import Query, read_query, write_query

_MEANT = {"exists": True, "not exists": False}
_SAYING = frozenset(("exists", "missing", "has", "yesno"))
_OF_ONE = ("pointer", "step", "end")


def may_say_truth(kg: KnowledgeGraph, actions: Sequence[Action]) -> bool:
    """Whether the query of these actions may ask what has a property.

    An endpoint is not asked of every value that a question may be about.
    """
    kinds = tuple(action.kind for action in actions)
    return (kg.pinned and kinds == _OF_ONE) or not _SAYING.isdisjoint(kinds)


def as_truths(kg: KnowledgeGraph, query: Query) -> Query:
    """The query with such properties compared with true or false; its names are terms.

    Where the value of one thing is asked, it is whether the property is true. Raises ServiceError.
    """
    tree = write_query(query)
    match tree:
        case {"start": [_], "steps": [{"relation": str(relation), **how}], **more}:
            if not how and not more and kg.truths.holds(relation):
                tree["answer"] = "yesno"
        case _:
            pass
    _mean(tree, kg.truths.holds)
    return read_query(tree)


def _mean(value: object, is_truth: Callable[[Term], bool]) -> None:
    """Write in place what the conditions, starts and last hops of a tree mean."""
    if isinstance(value, list):
        for child in cast("list[object]", value):
            _mean(child, is_truth)
    elif isinstance(value, dict):
        node = cast("dict[str, Any]", value)
        for child in node.values():
            _mean(child, is_truth)
        meant = _MEANT.get(node.get("op", ""))
        if meant is not None and not node.get("inverse") and is_truth(node["relation"]):
            node |= {"op": "=", "value": meant}
        start, steps = node.get("start"), node.get("steps")
        if isinstance(start, dict) and "domain" in start and is_truth(str(start["domain"])):
            node["start"] = {"start": start, "filters": [_true(str(start["domain"]))]}
        if steps and node.keys() == {"start", "steps", "answer"} and node["answer"] == "yesno":
            *before, last = steps
            if last.keys() == {"relation"} and is_truth(last["relation"]):
                node |= {"steps": before, "filters": [_true(last["relation"])]}


def _true(relation: Term) -> dict[str, Any]:
    return {"relation": relation, "op": "=", "value": True}
