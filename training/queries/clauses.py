"""What follows the noun of a set: a relation said of several things, of so many, or of none.

A wording of a relation says "won {x}". Here something else stands in the place of {x}: "won [A] or
[B]", "won more than three games", "never won [A]". Values are compared by wordings of their own:
"founded between [1850] and [1880]".
"""

from collections.abc import Mapping
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from ...agent.query.actions import Kind
from ..questions.graph import Move
from ..wording.english import Texts, denied, suited
from ..wording.template import Filling, Phrase, fill
from .operators import Measure, Operators

_YEARS: Mapping[str, str] = {"rank_most": "rank_latest", "rank_least": "rank_earliest"}
_THANS: Mapping[Kind, tuple[str, str]] = {
    "greater": ("greater_than", "later_than"),
    "less": ("less_than", "earlier_than"),
}


Unit: TypeAlias = Literal["", "year", "day"]
"""What a value counts; nothing for a number."""


class Relative(NamedTuple):
    """Wordings of the things of a class that a move leads to, and their noun."""

    texts: Texts
    noun: str
    start: str
    """The class of what the move begins at."""

    def said(self, inner: Phrase, rng: Random) -> str:
        """What follows the noun, where the move begins at what `inner` names."""
        return fill(suited(self.texts, inner, rng), Filling(inner, True, self.noun), rng)

    def denied(self, inner: Phrase, rng: Random) -> str:
        """The contrary of that; empty where the wording that was drawn has none."""
        return denied(self.said(inner, rng), inner.text)


def relative(
    ops: Operators, move: Move, start: str, end: str, rng: Random, *, written: bool = False
) -> Relative | None:
    """Wordings of what a move leads to from one class to another; None where there are none.

    Where it has to be `written`, those do not count that are made of labels.
    """
    book, key = ops.composer.book, (ops.graph.spell(move),)
    wording = book.wording(key, start, end)
    if wording is None or not wording.that or (written and not book.wordings.get(key)):
        return None
    return Relative(wording.that, ops.composer.noun(end, True, rng), start)


def back(move: Move) -> Move:
    """The move that leads the other way."""
    return Move(move.relation, not move.inverse)


def counting_clause(
    ops: Operators, move: Move, kind: str, rng: Random
) -> tuple[Relative, str] | None:
    """Wordings of the things of a class by what a move leads to, and the plural of that.

    None where they are not written down, or that is of several classes.
    """
    edges = ops.graph.edges[move]
    ends = {ops.graph.kinds[end] for node in edges for end in edges[node]}
    if len(ends) != 1 or not (end := next(iter(ends))):
        return None
    clause = relative(ops, back(move), end, kind, rng, written=True)
    return clause and (clause, ops.composer.noun(end, True, rng))


def number_of(ops: Operators, name: str, nouns: str, rng: Random, value: str = "") -> Phrase:
    """So many of what has a plural: `more than three games`."""
    return Phrase(ops.phrases.filled(name, rng, ws=nouns, v=value), many=True)


def several(ops: Operators, name: str, rng: Random, first: str, second: str) -> Phrase:
    """Two things in the place of one."""
    return Phrase(ops.phrases.filled(name, rng, a=first, b=second))


def comparing(
    ops: Operators, measure: Measure, kind: str, rng: Random, unit: Unit, **values: str
) -> str:
    """What follows a noun and compares a measure with values; empty where nothing says it."""
    texts = measure.compares.clause
    if not texts:
        return ""
    than = ops.phrases.filled(_name(kind, unit), rng, **values)
    return _compared(rng.choice(texts), "{v}", than, rng)


def _name(kind: str, unit: Unit) -> str:
    return f"{unit}_{kind}" if unit else kind


def ranking(ops: Operators, measure: Measure, kind: Kind, rng: Random) -> str:
    """A verb phrase that tells the first of a ranking; empty where nothing says it."""
    texts = measure.compares.by
    if not texts:
        return ""
    name = f"rank_{kind}"
    rank = ops.phrases.filled(_YEARS[name] if measure.dates else name, rng)
    return _compared(rng.choice(texts), "{g}", rank, rng)


def asked_of_one(
    ops: Operators,
    measure: Measure,
    kind: Kind,
    rng: Random,
    topic: str,
    unit: Unit = "",
    **values: str,
) -> str:
    """Whether a measure of a thing compares with a value, or with that of another thing `b`."""
    texts = measure.compares.ask
    name = _name(kind, unit)
    if "b" in values:
        name = _THANS[kind][measure.dates]
        texts = tuple(text for text in texts if text.endswith("{v}"))  # else a unit follows
    if not texts:
        return ""
    than = ops.phrases.filled(name, rng, **values)
    return _compared(rng.choice(texts), "{v}", than, rng, topic)


def against(ops: Operators, measure: Measure, kind: Kind, rng: Random, other: str) -> str:
    """What follows a noun and compares a measure with that of another thing; empty if unsaid."""
    texts = [text for text in measure.compares.clause if text.endswith("{v}")]
    if not texts:
        return ""
    than = ops.phrases.filled(_THANS[kind][measure.dates], rng, b=other)
    return _compared(rng.choice(texts), "{v}", than, rng)


def _compared(template: str, slot: str, text: str, rng: Random, topic: str = "") -> str:
    return fill(template.replace(slot, text), Filling(Phrase(topic), many=True), rng)
