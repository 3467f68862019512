"""Which of several things of one name is meant, by a short text of it that stands beside the name.

*Flow Meter A-200* is the one with that code, whatever the relation is called.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from ..kg import KnowledgeGraph
from ..kg.labels.names import normalise
from ..kg.nodes import lexical_form, literal_tag
from ..kg.terms import XSD, Term, is_literal
from ..linking import Candidate, Mention, is_ambiguous
from ..linking.spans import Span, Token, tokenise, whole_end
from ..linking.words import FUNCTION_WORDS, TITLES

_MOST_WORDS = 4
"""Of a text that stands beside a name."""
_MOST_FACTS = 50
"""Facts that are looked at, of one thing."""
_MANY = 10
"""Candidates of a mention where there may be more things of its name."""


def told_by_values(kg: KnowledgeGraph, question: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions, each with the text beside it that only some of its candidates have.

    That text is no mention of its own any more. Raises ServiceError.
    """
    tokens, remaining = tokenise(question), list(mentions)
    for mention in mentions:
        if mention not in remaining or len(mention.candidates) < 2:
            continue
        for named in (mention, *_named_again(question, mention, remaining)):
            others = [other for other in remaining if other != named]
            narrowed = _narrowed_by_value(
                kg, question, _stretches(question, tokens, named, others), named
            )
            if narrowed != named:
                start, end = narrowed.start, narrowed.end
                apart = (other for other in others if other.end <= start or end <= other.start)
                remaining = sorted([narrowed, *apart], key=lambda mention: mention.start)
    return remaining


def _named_again(question: str, mention: Mention, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """The mention where its text stands again, which the linker takes for one with it."""
    for match in re.finditer(rf"\b{re.escape(mention.text)}\b", question, re.IGNORECASE):
        start, end = match.span()
        if mention.text and all(it.end <= start or end <= it.start for it in mentions):
            yield replace(mention, text=match[0], start=start, end=end)


def _narrowed_by_value(
    kg: KnowledgeGraph, question: str, stretches: Iterator[Span], mention: Mention
) -> Mention:
    """The mention with the first of the stretches that is a text of some candidates, not of all."""
    first = next(stretches, None)
    if first is None:
        return mention
    namesakes = _namesakes(kg, mention)
    texts = _texts(kg, [candidate.term for candidate in namesakes])
    for span in (first, *stretches):
        said = normalise(question[span.start : span.end])
        fitting = [candidate for candidate in namesakes if said in texts[candidate.term]]
        if 0 < len(fitting) < len(namesakes):
            most = max(candidate.score for candidate in namesakes)
            alike = tuple(replace(candidate, score=most) for candidate in fitting)
            start, end = min(mention.start, span.start), max(mention.end, span.end)
            end = whole_end(question, span._replace(start=start, end=end))
            return Mention(question[start:end], start, end, alike)
    return mention


def _stretches(
    question: str, tokens: Sequence[Token], mention: Mention, others: Sequence[Mention]
) -> Iterator[Span]:
    """The words beside a mention that may be a text of what it means, and its titles.

    After the name only codes and what is in brackets: *Is Flow Meter red?* asks about the colour.
    Titles are part of the mention: *Dr. Weber* is the one with that title.
    """
    for span in (
        *_titles_of(tokens, mention),
        *_spans_after(question, tokens, mention),
        *_spans_before(question, tokens, mention),
    ):
        inside = [other for other in others if other.start < span.end and span.start < other.end]
        if all(_names_nothing_else(other, span) for other in inside):
            yield span


def _titles_of(tokens: Sequence[Token], mention: Mention) -> Iterator[Span]:
    """The titles that a mention begins with."""
    of_mention = [(at, token) for at, token in enumerate(tokens) if mention.start <= token.start]
    for at, token in takewhile(lambda pair: pair[1].norm in TITLES, of_mention):
        if token.end < mention.end:
            yield Span(token.start, token.end, at, at)


def _spans_after(question: str, tokens: Sequence[Token], mention: Mention) -> Iterator[Span]:
    """The codes right after a mention, or what stands in brackets there; the longest first."""
    first = sum(token.start < mention.end for token in tokens)
    gap = question[mention.end : tokens[first].start].strip() if first < len(tokens) else ")"
    if gap not in ("", ",", "("):
        return
    for last in reversed(range(first, min(first + _MOST_WORDS, len(tokens)))):
        span = Span(tokens[first].start, tokens[last].end, first, last)
        is_whole = question[span.end : span.end + 1] == ")"
        if is_whole if gap == "(" else _has_digit(question, span):
            yield span


def _spans_before(question: str, tokens: Sequence[Token], mention: Mention) -> Iterator[Span]:
    """The words right before a mention, the longest first; only codes where it is clear."""
    last = sum(token.end <= mention.start for token in tokens) - 1
    if last < 0 or not question[tokens[last].end : mention.start].isspace():
        return
    for first in range(max(last + 1 - _MOST_WORDS, 0), last + 1):
        span = Span(tokens[first].start, tokens[last].end, first, last)
        is_plain = FUNCTION_WORDS.isdisjoint((tokens[first].norm, tokens[last].norm))
        if _has_digit(question, span) or (is_plain and is_ambiguous(mention)):
            yield span


def _has_digit(question: str, span: Span) -> bool:
    return any(map(str.isdigit, question[span.start : span.end]))


def _names_nothing_else(mention: Mention, span: Span) -> bool:
    """Whether a mention within a span means a value, or a thing that it does not name in full."""
    best = mention.candidates[0]
    is_inside = span.start <= mention.start and mention.end <= span.end
    return is_inside and (is_literal(best.term) or best.matched in ("part", "fuzzy"))


def _namesakes(kg: KnowledgeGraph, mention: Mention) -> tuple[Candidate, ...]:
    """The candidates, and the others of that name where the mention lists only the likeliest."""
    if not kg.pinned or len(mention.candidates) < _MANY:
        return mention.candidates
    listed = {candidate.term for candidate in mention.candidates}
    hits = dict.fromkeys(hit.term for hit in kg.labels.lookup(normalise(mention.text)))
    infos = kg.labels.describe([term for term in hits if term not in listed])
    others = (
        Candidate(info.term, info.name, info.label, info.description, info.kind, 0.0, "label")
        for info in infos
    )
    return (*mention.candidates, *others)


def _texts(kg: KnowledgeGraph, terms: Sequence[Term]) -> Mapping[Term, frozenset[str]]:
    """The normalised texts that each term leads to; numbers and dates are none."""
    around = kg.walks.neighbours(terms, inverse=False, limit=_MOST_FACTS)
    return {
        term: frozenset(
            normalise(lexical_form(step.target)) for step in steps if _is_text(step.target)
        )
        for term, steps in zip(terms, around, strict=True)
    }


def _is_text(term: Term) -> bool:
    return is_literal(term) and ":" not in literal_tag(term).removeprefix(f"{XSD}string")
