"""Reading a chat model's reply as actions: a word in capitals, and what it is to do."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

_LEAD = r"^[\s\-*•>#_`\"'\d.)(\[{]*(?:(?:next\s+)?action\s*\d*\s*[:.\-]\s*)?[*_`\"'\[(]*"
_TAIL = "*_`\"'[]{}() \t"

_LONGEST = 1_000
"""Characters of a line that are read."""


class Action(NamedTuple):
    """One action of a reply, and its argument, which may be empty."""

    name: str
    text: str


def read_actions(reply: str, allowed: Sequence[str]) -> list[Action] | None:
    """The actions that a reply names, each once, in its order; None where it names none allowed.

    One a line or as JSON. In a reply of prose the first name in capitals counts.
    """
    names = "|".join(map(re.escape, allowed))
    start = re.compile(rf"{_LEAD}({names})\b[*_`\"'\])]*\s*[:\-–—]*\s*(.*)$", re.I)
    actions = list[Action]()
    for line in _lines(reply):
        match = start.match(line[:_LONGEST])
        if match:
            actions.append(Action(match[1].upper(), _text(match[2])))
    if not actions:
        inside = re.search(rf"\b({names})\b[ \t]*:?[ \t]*(.*)", reply)
        if inside:
            actions.append(Action(inside[1], _text(inside[2])))
    return list(dict.fromkeys(actions)) or None


def _text(argument: str) -> str:
    return argument[:_LONGEST].strip(_TAIL)


def _lines(reply: str) -> Iterator[str]:
    text = re.sub(r"```\w*", "", reply).strip()
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        yield from text.splitlines()
        return
    yield from _flat(data)


def _flat(data: Any) -> Iterator[str]:
    """Each action of JSON data as a line: a list of texts, or records of an action and the rest."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, list):
        for item in cast("list[Any]", data):
            yield from _flat(item)
    elif isinstance(data, dict):
        record = cast("dict[str, Any]", data)
        texts = [value for value in record.values() if isinstance(value, str)]
        if len(texts) == len(record) and "action" in {key.lower() for key in record}:
            yield ": ".join(texts)
            return
        for key, value in record.items():
            if isinstance(value, str):
                yield f"{key}: {value}"
                yield value
            else:
                yield from _flat(value)
