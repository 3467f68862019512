"""A query of a user's as readers write it: what the question says of it are mentions.

By hand a query says its values where it compares them. A reader points at the words of the question
in their place, and begins a walk at a text that is named.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

from ...agent.query.named_values import values_in
from ...agent.query.spelling import NamedValue
from ...agent.query.tree import ANY_CLASS
from ...agent.query.values import is_currency
from ..asked.lessons import positions

Spot: TypeAlias = tuple[int, int]
"""Where a text names something: its first character, and the one after its last."""
_Node: TypeAlias = dict[str, Any]


class Said(NamedTuple):
    """Where a text says a value, and the term of the relation that leads to it; empty for none."""

    spot: Spot
    relation: str = ""


def with_mentions(tree: _Node, text: str, named_at: Sequence[Spot | None]) -> list[Said]:
    """Put mentions in the places of values that the text says; returns these.

    `named_at` are the places of the mentions before them, from whose number they count on. The tree
    has terms for its relations, and is changed.
    """
    said = list[Said]()

    def may_be(spot: Spot) -> bool:
        return is_free(spot, [*named_at, *(one.spot for one in said)])

    def mention(one: Said) -> int:
        said.append(one)
        return len(named_at) + len(said) - 1

    def text_said(value: str, relation: str) -> int | None:
        spot = next(filter(may_be, positions(text, value)), None)
        return None if spot is None else mention(Said(spot, relation))

    values = [value for value in values_in(text) if may_be((value.start, value.end))]

    def value_said(value: object, unit: str) -> int | None:
        same = (it for it in values if _is_same(it, value, unit) and may_be((it.start, it.end)))
        one = next(same, None)
        return None if one is None else mention(Said((one.start, one.end)))

    _write(tree, value_said, text_said)
    return said


def is_free(spot: Spot, taken: Sequence[Spot | None]) -> bool:
    """Whether a place has no character of those that are taken."""
    return all(spot[1] <= first or last <= spot[0] for first, last in filter(None, taken))


def _write(
    part: object,
    value_said: Callable[[object, str], int | None],
    text_said: Callable[[str, str], int | None],
) -> None:
    if isinstance(part, list):
        for one in cast("list[object]", part):
            _write(one, value_said, text_said)
    elif isinstance(part, dict):
        node = cast(_Node, part)
        for one in list(node.values()):
            _write(one, value_said, text_said)
        if node.get("value") is not None and not isinstance(node["value"], dict):
            number = value_said(node["value"], node.get("unit", ""))
            if number is not None:
                del node["value"]
                node["mention"] = number
        for condition in list(node.get("filters", ())):
            _write_equal(node, condition, text_said)


def _write_equal(
    node: _Node, condition: _Node, text_said: Callable[[str, str], int | None]
) -> None:
    """A condition of a node that compares with a truth or a named text, in other words."""
    value, plain = condition.get("value"), condition.keys() <= _PLAIN and condition["op"] == "="
    if not plain or "relation" not in condition:
        return
    if isinstance(value, bool):
        condition["op"] = "exists" if value else "not exists"
        del condition["value"]
    elif isinstance(value, str):
        number = text_said(value, condition["relation"])
        if number is None:
            return
        node["filters"].remove(condition)
        if not node["filters"]:
            del node["filters"]
        _begin(node, {"start": [number], "steps": _back(condition)})


_PLAIN = frozenset({"relation", "inverse", "via", "op", "value"})


def _back(condition: _Node) -> list[_Node]:
    """The hops from the values of a condition back to the members."""
    last = {"relation": condition["relation"], "inverse": condition.get("inverse", False)}
    hops = [*condition.get("via", ()), last]
    return [{**hop, "inverse": not hop.get("inverse", False)} for hop in reversed(hops)]


def _begin(node: _Node, walk: _Node) -> None:
    """Have a node begin with a walk where it has all of a class, and else meet it."""
    start, is_open = node.get("start"), not {"steps", "class"} & node.keys()
    if not (is_open and isinstance(start, dict)):
        node.setdefault("and", []).append(walk)
        return
    whole = cast(_Node, start)
    if whole.keys() == {"class"}:
        node |= walk
        if whole["class"] not in ANY_CLASS:
            node["class"] = whole["class"]
    elif whole.keys() == {"domain"} and whole["domain"] == walk["steps"][-1]["relation"]:
        node |= walk
    else:
        node.setdefault("and", []).append(walk)


def _is_same(said: NamedValue, value: object, unit: str) -> bool:
    """Whether a value that a text says is one of a query."""
    number = _comparable(said.text if said.value.value is None else said.value.value)
    is_of_unit = said.value.unit in (unit, "") or (not unit and is_currency(said.value.unit))
    return number == _comparable(value) and number is not None and is_of_unit


def _comparable(value: object) -> float | str | None:
    """A number, also of digits, or a text, as it is compared; None for what is neither."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return value if isinstance(value, str) else None
