"""Templates of wordings: `(which|what) {t} {borders//border} {x}`.

{x}      what is asked about          {x's}   its genitive
{t}      a class noun for what is reached
{a/b}    `a` if {x} is one thing, `b` if it is many
{a//b}   the same for what is reached
(a|b|)   a choice; may nest
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import NamedTuple, TypeAlias

from ...agent.errors import InputError

Node: TypeAlias = "str | Slot | Agreement | tuple[tuple[Node, ...], ...]"
"""A literal, a slot, an agreement, or the alternatives of a choice."""


@dataclass(frozen=True)
class Slot:
    """`{x}`, `{x's}` or `{t}`."""

    name: str


@dataclass(frozen=True)
class Agreement:
    """`{one/many}`, of {x} or of the target."""

    one: str
    many: str
    target: bool


class Phrase(NamedTuple):
    """A noun phrase: its text, whether it names many, and whether it ends in a clause."""

    text: str
    many: bool = False
    heavy: bool = False


class Filling(NamedTuple):
    """What a template's slots are filled with."""

    x: Phrase
    many: bool = False
    """Whether what is reached is worded as many."""
    noun: str = ""
    """The class noun for what is reached, in the right number."""


_SLOTS = ("x", "x's", "t")
_BEFORE_VOWEL = re.compile(r"\ba (?=(?!one|once|eu|uni|us|uto)[aeiou])")


def fill(template: str, filling: Filling, rng: Random) -> str:
    """One of the texts that a template stands for, on one line."""
    parts = list[str]()
    _write(parse(template), filling, rng, parts)
    return with_article(" ".join("".join(parts).split()))


def with_article(text: str) -> str:
    """A text with `an` before the vowels that are heard: an ocean, but a union."""
    return _BEFORE_VOWEL.sub("an ", text)


def mentions_slot(template: str, name: str) -> bool:
    """Whether every text of the template names {x} (`x`), or some its genitive (`x's`)."""
    return _has_slot(parse(template), name, any if name == "x's" else all)


@lru_cache(maxsize=65536)
def parse(template: str) -> tuple[Node, ...]:
    """Read a template. Raises InputError when brackets do not match or a slot is unknown."""
    nodes, end = _sequence(template, 0, False)
    if end != len(template):
        raise InputError(f"template {template!r}: a {template[end]!r} too many")
    return nodes


def _sequence(text: str, at: int, nested: bool) -> tuple[tuple[Node, ...], int]:
    nodes, literal = list[Node](), ""
    while at < len(text) and not (text[at] == ")" or (nested and text[at] == "|")):
        if text[at] == "(":
            nodes.append(literal)
            choice, at = _choice(text, at + 1)
            nodes.append(choice)
            literal = ""
        elif text[at] == "{":
            end = text.find("}", at)
            if end < 0:
                raise InputError(f"template {text!r}: a brace is not closed")
            nodes += [literal, _slot(text, text[at + 1 : end])]
            literal, at = "", end + 1
        else:
            literal += text[at]
            at += 1
    return (*(node for node in nodes if node != ""), *([literal] if literal else [])), at


def _choice(text: str, at: int) -> tuple[tuple[tuple[Node, ...], ...], int]:
    alternatives = list[tuple[Node, ...]]()
    while True:
        nodes, at = _sequence(text, at, True)
        alternatives.append(nodes)
        if at >= len(text):
            raise InputError(f"template {text!r}: a parenthesis is not closed")
        if text[at] == ")":
            return tuple(alternatives), at + 1
        at += 1


def _slot(text: str, name: str) -> Node:
    if name in _SLOTS:
        return Slot(name)
    for mark in ("//", "/"):
        if name.count(mark) == 1:
            one, many = name.split(mark)
            return Agreement(one, many, mark == "//")
    raise InputError(
        f"template {text!r}: {{{name}}} is not a slot", "use {x}, {x's}, {t}, {a/b} or {a//b}"
    )


def _write(nodes: Sequence[Node], filling: Filling, rng: Random, parts: list[str]) -> None:
    for node in nodes:
        if isinstance(node, str):
            parts.append(node)
        elif isinstance(node, Agreement):
            parts.append(
                node.many if (filling.many if node.target else filling.x.many) else node.one
            )
        elif isinstance(node, Slot):
            parts.append(_slot_text(node, filling))
        else:
            _write(rng.choice(node), filling, rng, parts)


def _slot_text(slot: Slot, filling: Filling) -> str:
    if slot.name == "t":
        return filling.noun
    text = filling.x.text
    if slot.name == "x":
        return text
    return text + ("'" if filling.x.many and text.endswith("s") else "'s")


def _has_slot(nodes: Sequence[Node], name: str, over: Callable[[list[bool]], bool]) -> bool:
    for node in nodes:
        if isinstance(node, Slot) and (node.name == name or (name == "x" and node.name == "x's")):
            return True
        if isinstance(node, tuple) and over([_has_slot(option, name, over) for option in node]):
            return True
    return False
