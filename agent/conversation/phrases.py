"""English phrases that the rules for operators share, and what the rules make."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import cast

from ..kg.names import normalise
from ..linking.words import singular
from ..state import Kind, Operation, Over, Part
from .masking import MARK, Masked

OF_THEM = r"(?:of|among|from)\s+(?:them|these|those)(?:\s+[^\W\d_]+)??"
BE = "is|are|was|were"
DO = "does|do|did"
HAVE = "has|have|had"
NOT = (
    r"(?:\bnot\b|\bcannot\b|\b\w*n['\u2018\u2019\u02bc\u00b4`]t\b"
    rf"|\b(?:{BE}|{DO}|{HAVE}|ca|could|would|should|must|wo|ai)nt\b)"
)
"""`not` and what it is drawn together with, as people type it."""
HOW_MANY = re.compile(
    rf"how many(?:\s+(?:{BE}) (?:there|they|these|those)|\s+(?:of|among) (?:them|these|those)"
    rf"|\s+is that)?(?:\s+(?:{BE}) there)?(?:\s+in (?:all|total)|\s+altogether)?"
    r"|(?:what is|what's) (?:their|the) (?:total )?number|count (?:them|these|those)",
    re.I,
)
"""The question for the size of the last answer set."""
PREPOSITION = re.compile(r"(?:in|on|at|from|near|within|outside|inside|along|around)\b", re.I)


@dataclass(frozen=True)
class Parsed:
    """An operation and the plain questions that it needs, in their order."""

    operation: Operation
    parts: list[Part]


def operation(kind: Kind, over: Over, question: Masked, **more: object) -> Operation:
    """An operation; what is not told is empty."""
    empty = Operation(
        kind=kind,
        over=over,
        noun="",
        condition="",
        negated=False,
        named=[],
        mentions=question.unmasked(question.text)["mentions"],
        most=True,
        properties=[],
        notes=[],
    )
    return cast(Operation, {**empty, **more})


def is_plural(noun: str) -> bool:
    """Whether a noun phrase is an English plural."""
    last = noun.lower().split()[-1]
    return singular(last) != last


_ASKING = re.compile(
    r"(?:which|what|who|list|name|(?:give|show|tell) (?:me|us)|find)"
    r"(?:\s+are)?(?:\s+all)?(?:\s+the)?\s+",
    re.I,
)


def noun_phrase(text: str) -> str:
    """What a question asks for: its first words up to a plural one; empty where there is none."""
    words = list[str]()
    for word in _ASKING.sub("", text, count=1).split():
        if re.search(MARK, word) or len(words) > 4:
            break
        words.append(word)
        if is_plural(word):
            return " ".join(words)
    return ""


def is_relation(word: str, text: str, relations: Collection[str]) -> bool:
    """Whether a word is part of a relation's name that the text has."""
    said = f" {normalise(re.sub(MARK, ' ', text))} "
    return any(word in name.split() and f" {name} " in said for name in relations)
