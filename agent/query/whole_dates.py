"""Dates that are said with their month are compared whole, and not by their years."""

from typing import Any, cast

from .comparison import YEAR, operand_of
from .question import Mentions
from .tree import Query, read_query, write_query


def with_whole_dates(query: Query, mentions: Mentions) -> Query:
    """The query, where a condition by years of a date with its month compares all that is said.

    Who was born on 29 February 1996? Not all that were born in that year.
    """
    tree = write_query(query)
    return read_query(tree) if _compare(tree, mentions) else query


def _compare(value: object, mentions: Mentions) -> bool:
    """Change the conditions of a tree in place; whether there was one to change."""
    if isinstance(value, list):
        children = cast("list[object]", value)
        return any([_compare(child, mentions) for child in children])
    if not isinstance(value, dict):
        return False
    node = cast("dict[str, Any]", value)
    changed = any([_compare(child, mentions) for child in node.values()])
    if node.get("of") == "year" and 0 < operand_of(_date_as_said(node, mentions)).grain < YEAR:
        del node["of"]
        return True
    return changed


def _date_as_said(condition: dict[str, Any], mentions: Mentions) -> str | int | float | bool:
    """What a condition compares with; empty where that is no value that was said."""
    number, value = condition.get("mention"), condition.get("value")
    if isinstance(value, dict) and list(cast("dict[str, Any]", value)) == ["start"]:
        start, value = value["start"], None
        number = (
            start[0] if isinstance(start, list) and len(cast("list[int]", start)) == 1 else None
        )
    if value is None and isinstance(number, int):
        plain = mentions.values.get(number)
        text = mentions.bound[number].text
        value = text if plain is None or plain.value is None else plain.value
    return value if isinstance(value, str | int | float) else ""
