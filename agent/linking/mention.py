"""Mentions in a question with the entities that each may mean, and which of them a reply picks."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..kg.labels.meanings import written_term
from ..kg.labels.names import normalise
from ..kg.terms import Term

if TYPE_CHECKING:
    from ..records import Entity

Matched: TypeAlias = Literal["label", "alias", "hidden", "part", "fuzzy", "dense"]

MARGIN = 0.045
"""The least lead in score with which the best candidate is taken without asking."""


@dataclass(frozen=True)
class Candidate:
    """An entity that a mention may mean; `kind` is its class label, `score` from 0 to 1."""

    term: Term
    name: str
    label: str
    description: str
    kind: str
    score: float
    matched: Matched


@dataclass(frozen=True)
class Mention:
    """A stretch of the question, `question[start:end] == text`, and its candidates, best first."""

    text: str
    start: int
    end: int
    candidates: tuple[Candidate, ...]


def is_ambiguous(mention: Mention) -> bool:
    """Whether the two best candidates are too close to choose between."""
    scores = [candidate.score for candidate in mention.candidates[:2]]
    return len(scores) == 2 and scores[0] - scores[1] < MARGIN


def asking(name: str) -> str:
    """The question that is asked back about a name of several entities."""
    return f"Which {name} do you mean?"


def picked(reply: str, options: Sequence["Entity"], asked: str) -> list["Entity"]:
    """The options that a reply fits: exactly one where it is a choice.

    A number counts from 1, and a term means its option. The name that the question back, `asked`,
    is about fits all options, though it may be the label of one and an alias of another.
    Any other name in full means its option, though others may contain it; so does an option as it
    is listed, and a term without its angle brackets. A name that others have too, but for what
    tells them apart in brackets, fits them all.
    Any other text fits all options with that text somewhere in their name or description, whatever
    its case, accents and punctuation. Digits fit whole words only, so that a number that counts
    nothing is no part of a year.
    """
    text = reply.strip()
    numbers = [str(number) for number, _ in enumerate(options, 1)]
    if (number := text.rstrip(".)")) in numbers:
        return [options[numbers.index(number)]]
    if chosen := [option for option in options if option["term"] == text]:
        return chosen
    if normalise(asking(text)) == normalise(asked):
        return list(options)
    answer, terms = normalise(text), [option["term"] for option in options]
    listed = dict(zip(terms, listed_names(options), strict=True))
    fits: tuple[Callable[[Entity], bool], ...] = (
        lambda option: text in (listed[option["term"]], *_names(option)),
        lambda option: written_term(text) == option["term"],
        lambda option: answer in map(normalise, _names(option)),
        lambda option: any(_contains(shown, answer) for shown in _shown_texts(option)),
    )
    for fit in fits:
        if fitting := [option for option in options if fit(option)]:
            return fitting if answer else []
    return []


def listed_names(options: Sequence["Entity"]) -> list[str]:
    """Entities as they are listed: each name with what it is in brackets, or with its term.

    What the name has in brackets already is not said again: its class, or how what it is begins.
    """
    words = list(map(_described, options))
    return [
        text if words.count(text) == 1 else _name_with_term(option)
        for text, option in zip(words, options, strict=True)
    ]


def _name_with_term(entity: "Entity") -> str:
    """The name of an entity with its term in brackets, unless that is a blank node."""
    label, term = entity["label"], entity["term"]
    return label if term.startswith("_:") else f"{label} ({term})"


def _described(entity: "Entity") -> str:
    about = entity["description"] or entity["kind"]
    if not about:
        return _name_with_term(entity)
    name = entity["label"]
    for bracket in re.finditer(r" \(", name) if name.endswith(")") else ():
        said = name[bracket.end() : -1]
        if re.match(rf"{re.escape(said)}(?!\w)", about):
            return f"{name[: bracket.start()]} ({about})"
    return f"{name} ({about})"


def _names(option: "Entity") -> list[str]:
    """The name of an option, and what is before each bracket of one that ends in brackets."""
    label = option["label"]
    pieces = label.split(" (") if label.endswith(")") else [label]
    return [" (".join(pieces[:last]) for last in range(1, len(pieces) + 1)]


def _shown_texts(option: "Entity") -> tuple[str, str]:
    """What a person sees of an option."""
    return option["label"], option["description"] or option["kind"]


def _contains(text: str, answer: str) -> bool:
    normal = normalise(text)
    return f" {answer} " in f" {normal} " if answer.isdecimal() else answer in normal
