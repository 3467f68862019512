"""Triples as a model writes them into its reasoning, however it encloses them.

`<TRIPLE>h -> r -> t</TRIPLE>`, `<h -> r -> t>`, `h -> r -> t` on a line of its own, or `(h, r, t)`
at the beginning of one. No text raises an error.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..decoding.wire import ARROW, INVERSE, PATH

_ENCLOSED = re.compile(
    r"<\s*TRIPLE\s*>(?P<tagged>.*?)(?:<\s*/\s*TRIPLE\s*>|$)|<(?P<plain>(?:[^<>]|(?<=[-=])>)+)>",
    re.I,
)
_TAG = re.compile(r"<\s*+/?\s*TRIPLE\s*>", re.I)
_ARROW = re.compile(r"(?<!-)-+>")
_OTHER_ARROW = re.compile(r"(?<!=)=+>|[→⟶⇒]")
_BULLET = re.compile(r"^\s*(?:[-*•>#]+|\(?\d{1,3}[.):])\s+")
_TUPLE = re.compile(r"^[(\[]([^()\[\]]+)[)\]]")
_PATH = re.compile(f"{re.escape(PATH.open)}(.*?)(?:{re.escape(PATH.close)}|$)", re.DOTALL)
_SENTENCE = re.compile(r"[.;]\s+")
_MARKS = " \t`\"'“”‘’*_"
_MOST = 200
"""Triples of one text that are read."""


class WrittenTriple(NamedTuple):
    """The names of a triple; `inverse` where it was written as a step from tail to head."""

    head: str
    relation: str
    tail: str
    inverse: bool = False


@dataclass(frozen=True)
class Reasoning:
    """The triples of a text in their order, and the text without them."""

    triples: tuple[WrittenTriple, ...]
    rest: str


def read_reasoning(text: str) -> Reasoning:
    """Take the triples out of a text, at most 200."""
    triples, prose = list[WrittenTriple](), list[str]()
    for line in text.splitlines():
        steps, left = _read_line(line)
        triples += steps
        prose.append(left)
    return Reasoning(tuple(triples[:_MOST]), "\n".join(prose))


def read_walk(text: str) -> tuple[WrittenTriple, ...]:
    """The steps of the first reasoning path in a text; none where it holds no whole step."""
    path = _PATH.search(text)
    return tuple(_steps([name.strip() for name in path[1].split(ARROW)])) if path else ()


def _read_line(line: str) -> tuple[list[WrittenTriple], str]:
    triples = list[WrittenTriple]()

    def replaced(match: re.Match[str]) -> str:
        steps = _triples(match["tagged"] or match["plain"] or "")
        triples.extend(steps)
        return " " if steps else match[0]

    unbulleted = _BULLET.sub("", line).strip()
    left = _ENCLOSED.sub(replaced, unbulleted if unbulleted.startswith("<") else line)
    if triples or _TAG.search(line):
        return triples, left
    names = _split(unbulleted)
    if len(names) > 2:
        ends = _SENTENCE.split(names[-1], maxsplit=1)
        return _triples(unbulleted), ends[1] if len(ends) > 1 else ""
    enclosed = _TUPLE.match(unbulleted)
    parts = [part.strip(_MARKS) for part in enclosed[1].split(",")] if enclosed else []
    if enclosed and len(parts) == 3 and all(parts):
        return [_triple(*parts)], unbulleted[enclosed.end() :]
    return [], line


def _triples(text: str) -> list[WrittenTriple]:
    return _steps([name.strip(_MARKS) for name in _split(text)])


def _split(text: str) -> list[str]:
    """The names between arrows; other arrows than `->` count where there is none."""
    return (_ARROW if _ARROW.search(text) else _OTHER_ARROW).split(text)


def _steps(names: Sequence[str]) -> list[WrittenTriple]:
    """The steps of a walk; a beginning of one that has no tail is left out."""
    steps = zip(names[0::2], names[1::2], names[2::2], strict=False)
    return [_triple(*step) for step in steps if all(step)]


def _triple(head: str, relation: str, tail: str) -> WrittenTriple:
    if relation.startswith(INVERSE):
        return WrittenTriple(tail, relation.removeprefix(INVERSE).strip(), head, True)
    return WrittenTriple(head, relation, tail)
