"""JSON in a chat model's reply, wherever it stands, and numbers as people write them."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, cast

NUMBER = r"(\d+(?:\.\d+)?|\.\d+)\s*+(%|/\s*(?:100|10|5|1)\b)?"
"""A number, and what it is a share of, where that is said."""
MARKS = "|*_`\"'“”‘’{}[]()<>,;: \t"
"""What may stand around a name or a number and is no part of it."""
_MOST_STARTS = 50
"""Brackets of a reply that may be the beginning of JSON."""
_MOST = 1e9


def first_json(reply: str) -> Any:
    """The first JSON object or list in a reply, in a fence or not."""
    decoder = json.JSONDecoder()
    for start in islice(re.finditer(r"[\[{]", reply), _MOST_STARTS):
        try:
            value, _ = decoder.raw_decode(reply, start.start())
        except (ValueError, RecursionError):
            continue
        if _is_told(value):
            return value
    return None


def _is_told(value: Any) -> bool:
    """Whether JSON data tells more than a number in brackets does, such as `[1]`."""
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return len(items) > 1 or any(isinstance(item, str | dict | list) for item in items)
    return bool(value)


def flat(data: Any, depth: int = 0) -> Iterator[tuple[str, float | None]]:
    """The texts of JSON data, each with the number that stands beside it."""
    if depth > 5:
        return
    if isinstance(data, dict):
        record = cast("dict[str, Any]", data)
        numbers = {key: n for key, v in record.items() if (n := as_number(v)) is not None}
        texts = [v for key, v in record.items() if isinstance(v, str) and key not in numbers]
        if len(numbers) == 1 and texts:
            yield texts[0], next(iter(numbers.values()))
            return
        for key, value in record.items():
            if key in numbers:
                yield key, numbers[key]
            else:
                yield from flat(value, depth + 1)
    elif isinstance(data, list):
        for item in cast("list[Any]", data):
            yield from flat(item, depth + 1)
    elif isinstance(data, str) or as_number(data) is not None:
        yield str(data), None


def number(text: str) -> float | None:
    """The number that a text is, as 0.4, 40% or 4/10."""
    found = re.fullmatch(NUMBER, text.strip(MARKS))
    return share(float(found[1]), found[2]) if found else None


def share(number: float, unit: str | None) -> float:
    """A number of hundredths, tenths or as it is; no number is above a billion."""
    number = min(number, _MOST)
    if not unit:
        return number
    return number / (100.0 if unit == "%" else float(unit.lstrip("/ ")))


def as_number(value: object) -> float | None:
    """The number that a JSON value is or spells."""
    if isinstance(value, str):
        return number(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= _MOST else None
