"""Dates that are said with their month are compared whole, and not by their years."""

from typing import Any, cast

from .comparison import YEAR, operand_of
from .question import Mentions
from .tree import Query, read_query, write_query, written_nodes


def with_whole_dates(query: Query, mentions: Mentions) -> Query:
    """The query, where a condition by years of a date with its month compares all that is said.

    Who was born on 29 February 1996? Not all that were born in that year.
    """
    tree = write_query(query)
    by_year = [node for node in written_nodes(tree) if node.get("of") == "year"]
    whole = [n for n in by_year if 0 < operand_of(_date_as_said(n, mentions)).grain < YEAR]
    for condition in whole:
        del condition["of"]
    return read_query(tree) if whole else query


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
