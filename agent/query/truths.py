"""Yes-or-no properties: a query asks what has one, and means what it is true of.

Of `sold out`, with the values true and false, every concert has one. *Which are sold out* asks
for those with the value true, *which are not* for those with false; what has none is in neither.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, cast

from ..kg import KnowledgeGraph
from ..kg.terms import XSD, Term
from .actions import Action
from .tree import Query, read_query, write_query

TRUE, FALSE = (f'"{text}"^^<{XSD}boolean>' for text in ("true", "false"))
_MEANT = {"exists": True, "not exists": False}


_SAYING = frozenset(("exists", "missing", "has", "yesno"))


def may_say_truth(actions: Iterable[Action]) -> bool:
    """Whether the query of these actions may ask what has a property."""
    return any(action.kind in _SAYING for action in actions)


def as_truths(kg: KnowledgeGraph, query: Query) -> Query:
    """The query with such properties compared with true or false; its names are terms.

    Raises ServiceError.
    """

    @cache
    def is_truth(relation: Term) -> bool:
        return bool(relation) and any(
            kg.walks.follow([TRUE, FALSE], relation, inverse=True, limit=1)
        )

    tree = write_query(query)
    _mean(tree, is_truth)
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
        if isinstance(start, dict) and is_truth(cast("dict[str, Any]", start).get("domain", "")):
            node["start"] = {"start": start, "filters": [_true(start["domain"])]}
        if steps and node.keys() == {"start", "steps", "answer"} and node["answer"] == "yesno":
            *before, last = steps
            if last.keys() == {"relation"} and is_truth(last["relation"]):
                node |= {"steps": before, "filters": [_true(last["relation"])]}


def _true(relation: Term) -> dict[str, Any]:
    return {"relation": relation, "op": "=", "value": True}
