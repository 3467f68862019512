"""Which of the stretches that name something are kept: those before, without overlaps."""

from collections.abc import Iterable, Sequence

from .context import listed_with
from .mentions import Span, Token
from .ranking import LinkedSpan
from .words import PREPOSITIONS


def order(item: LinkedSpan) -> tuple[int, float, Span]:
    """The longest first, then the best fit."""
    return item.span.first - item.span.last, -item.fit, item.span


def overlaps(span: Span, items: Iterable[LinkedSpan]) -> bool:
    """Whether a span shares a letter with that of an item."""
    return any(span.start < item.span.end and item.span.start < span.end for item in items)


def is_inside(span: Span, spans: Iterable[Span]) -> bool:
    """Whether a span is a part, and not all, of one of the spans."""
    return any(own.first <= span.first and span.last <= own.last and own != span for own in spans)


def without_overlaps(items: Iterable[LinkedSpan]) -> list[LinkedSpan]:
    """Keep what does not overlap anything before it."""
    disjoint: list[LinkedSpan] = []
    for item in items:
        if not overlaps(item.span, disjoint):
            disjoint.append(item)
    return disjoint


def firm(question: str, tokens: Sequence[Token], items: Sequence[LinkedSpan]) -> list[LinkedSpan]:
    """Without lone words in lower case that the KG spells with a capital, as questions do names.

    A word after a preposition, or in one list with a name in capitals, stays.
    """

    def stays(item: LinkedSpan) -> bool:
        span = item.span
        if span.first < span.last or item.grades[0].hit.text[:1].islower():
            return True
        if span.first > 0 and tokens[span.first - 1].norm in PREPOSITIONS:
            return True
        return not lists[span].isdisjoint(proper)

    lists = listed_with(question, tokens, sorted(item.span for item in items))
    proper = [item.span for item in items if has_capital(tokens, item.span)]
    return [item for item in items if item.span in proper or stays(item)]


def has_capital(tokens: Sequence[Token], span: Span) -> bool:
    """Whether a word of a span starts with a capital letter or is a number."""
    return any(token.capital for token in tokens[span.first : span.last + 1])
