"""Yes-or-no properties: a query asks what has one, and means what it is true of.

Of `sold out`, with the values true and false, every concert has one. *Which are sold out* asks
for those with the value true, *which are not* for those with false; what has none is in neither.
Where only true is ever said, what is without the property has no value, and nothing changes.
Where a table has the texts `yes` and `no`, these are compared.
"""

from collections.abc import Sequence
from typing import Any

from ..kg import KnowledgeGraph
from ..kg.terms import Term
from .actions import Action
from .tree import Query, read_query, write_query, written_nodes

_ASKING = frozenset(("exists", "missing", "has", "yesno"))
_VALUE_OF_ONE = ("pointer", "step", "end")


def with_truth_values(
    kg: KnowledgeGraph,
    query: Query,
    actions: Sequence[Action],
    mention_terms: Sequence[Term | None],
) -> Query:
    """The query of actions, with yes-or-no properties compared with true or false.

    Where it asks for the value that such a property of one thing has, it asks whether that is true.
    `mention_terms` are the terms of the mentions. An endpoint is not asked what its properties are:
    the query stays as it is. Raises ServiceError.
    """
    kinds = tuple(action.kind for action in actions)
    if not kg.pinned or (kinds != _VALUE_OF_ONE and _ASKING.isdisjoint(kinds)):
        return query
    tree = write_query(query)
    if kinds == _VALUE_OF_ONE:
        (number,), (step,) = tree["start"], tree["steps"]
        if _has_truth(kg, mention_terms[number], step):
            tree["answer"] = "yesno"
    _compare(tree, kg)
    return read_query(tree)


def _has_truth(kg: KnowledgeGraph, entity: Term | None, step: dict[str, Any]) -> bool:
    """Whether a hop leads from a thing to true or false."""
    if entity is None or step.get("inverse") or not kg.truths.of(step["relation"]):
        return False
    return any(kg.walks.follow([entity], step["relation"], inverse=False, limit=1))


def _compare(tree: dict[str, Any], kg: KnowledgeGraph) -> None:
    """Compare, in place, such properties in the conditions, starts and last hops of a tree."""
    for node in written_nodes(tree):
        start, steps = node.get("start"), node.get("steps")
        if node.get("op") in ("exists", "not exists") and not node.get("inverse"):
            wanted = node["op"] == "exists"
            truths = kg.truths.of(node["relation"])
            if truths and (wanted or wanted in truths):
                node |= {"op": "=", "value": truths.get(wanted, wanted)}
        if isinstance(start, dict) and "domain" in start and kg.truths.of(str(start["domain"])):
            node["start"] = {"start": start, "filters": [_is_true(kg, str(start["domain"]))]}
        if steps and node.keys() == {"start", "steps", "answer"} and node["answer"] == "yesno":
            *before, last = steps
            if last.keys() == {"relation"} and kg.truths.of(last["relation"]):
                node |= {"steps": before, "filters": [_is_true(kg, last["relation"])]}


def _is_true(kg: KnowledgeGraph, relation: Term) -> dict[str, Any]:
    """That a yes-or-no property is true; of one that is never, that it would be."""
    return {"relation": relation, "op": "=", "value": kg.truths.of(relation).get(True, True)}
