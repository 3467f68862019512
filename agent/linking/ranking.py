"""Scores of candidates: how well the text fits, how well connected, how well in context.

And of the stretches that name something, which are kept: the best ones, without overlaps.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import NamedTuple

from ..kg.labels.index import Hit, SurfaceKind, TermInfo
from ..kg.terms import Term, is_literal
from .context import Relevance, listed_with
from .mention import Candidate, Matched
from .spans import Span, Token
from .words import PREPOSITIONS

_FIT: Mapping[SurfaceKind, float] = {"label": 1.0, "local": 0.95, "alias": 0.9, "hidden": 0.8}
_MATCHED: Mapping[SurfaceKind, Matched] = {
    "label": "label",
    "local": "label",
    "alias": "alias",
    "hidden": "hidden",
}
_CHANGED = 0.97
_OTHER_CASE = 0.99
_OTHER_CASE_IF_INFORMATIVE = 0.9
_FUZZY = 0.75
_PART = 0.6
_LEAST_OF_PART = 0.8
"""What is left of the fit of a name of which hardly anything was said."""
_DEGREE = 0.15
_DEGREE_OF_PART = 0.3
"""Who is named in part is known: being well connected counts for more."""
_NEAR = 0.2
_FAR = 0.08
_MOST_CANDIDATES = 10


class Graded(NamedTuple):
    """A hit, how well the text fits it from 0 to 1, and how it was found."""

    hit: Hit
    fit: float
    matched: Matched


@dataclass(frozen=True)
class LinkedSpan:
    """A span that names something, and everything that it may mean, best fit first.

    `same_case` when the KG spells some of that exactly so.
    """

    span: Span
    grades: tuple[Graded, ...]
    same_case: bool

    @property
    def fit(self) -> float:
        """The best fit of all."""
        return self.grades[0].fit


def grade(hit: Hit, *, exact: bool = True) -> Graded:
    """Grade a hit by its kind; `exact` unless the text was changed to find it."""
    return Graded(hit, _FIT[hit.kind] * (1.0 if exact else _CHANGED), _MATCHED[hit.kind])


def grade_fuzzy(hit: Hit, similarity: float) -> Graded:
    """Grade a hit that was found in spite of a typo; below every exact hit of its kind."""
    return Graded(hit, _FUZZY * similarity * _FIT[hit.kind], "fuzzy")


def grade_part(hit: Hit, share: float) -> Graded:
    """Grade a hit of whose name a share was said; below every hit by its whole name."""
    portion = _LEAST_OF_PART + (1 - _LEAST_OF_PART) * share
    return Graded(hit, _PART * portion * _FIT[hit.kind], "part")


def best_known(grades: Sequence[Graded]) -> list[Graded]:
    """Of many parts of names those that score best when their degrees count too."""
    most = max((graded.hit.degree for graded in grades), default=0)
    ordered = sorted(
        grades,
        key=lambda g: (-g.fit * _fame(g.hit.degree, most, g.matched), g.hit.term),
    )
    return ordered[: 2 * _MOST_CANDIDATES]


def linked_span(
    span: Span, text: str, grades: Iterable[Graded], *, case_informative: bool = False
) -> LinkedSpan | None:
    """Every term once, by its best fit; None without any.

    A spelling in exactly this case leads, clearly so where the question's capitals tell names.
    """
    other_case = _OTHER_CASE_IF_INFORMATIVE if case_informative else _OTHER_CASE
    graded_hits = list(grades)
    same_case = any(graded.hit.text == text for graded in graded_hits)
    best: dict[Term, Graded] = {}
    for graded in graded_hits:
        if same_case and graded.hit.text != text:
            graded = graded._replace(fit=graded.fit * other_case)
        term = graded.hit.term
        if term not in best or graded.fit > best[term].fit:
            best[term] = graded
    ordered = sorted(best.values(), key=lambda g: (-g.fit, -g.hit.degree, g.hit.term))
    return LinkedSpan(span, tuple(ordered[: 2 * _MOST_CANDIDATES]), same_case) if ordered else None


def with_end_marks(question: str, span: Span, grades: Iterable[Graded]) -> str:
    """The text of a span, with the marks after it that a name ends with, as in `Taxi! again`.

    A mark at the end of the question is the question's own.
    """
    surfaces = [graded.hit.text for graded in grades]
    longer = [
        surface
        for surface in surfaces
        if question.startswith(surface, span.start)
        and question[span.start + len(surface) :].strip()
    ]
    return max([question[span.start : span.end], *longer], key=len)


def candidates(item: LinkedSpan, infos: Sequence[TermInfo]) -> tuple[Candidate, ...]:
    """Candidates by fit and by how well connected they are among their homonyms."""
    most = max(info.degree for info in infos)
    return _best_rivals(
        Candidate(
            *(info.term, info.name, info.label, info.description, info.kind),
            score=graded.fit * _fame(info.degree, most, graded.matched),
            matched=graded.matched,
        )
        for graded, info in zip(item.grades, infos, strict=True)
    )


def weighed_by_context(
    rivals: Sequence[Candidate], fits: Sequence[Relevance], meant_elsewhere: frozenset[Term]
) -> tuple[Candidate, ...]:
    """Lower the candidates that fit the question less than another of them does.

    `meant_elsewhere` are the entities that other mentions clearly mean.
    """
    most_near = max(fit.near for fit in fits)
    most_far = max(fit.far for fit in fits)
    elsewhere = any(candidate.term in meant_elsewhere for candidate in rivals)

    def share(candidate: Candidate, fit: Relevance) -> float:
        factor = 1.0
        if most_near:
            factor *= 1 - _NEAR * (1 - fit.near / most_near)
        if most_far:
            factor *= 1 - _FAR * (1 - fit.far / most_far)
        if elsewhere and candidate.term not in meant_elsewhere:
            factor *= 1 - _NEAR
        return factor

    return _best_rivals(
        replace(candidate, score=candidate.score * share(candidate, fit))
        for candidate, fit in zip(rivals, fits, strict=True)
    )


def weighed_as_adjective(
    rivals: Sequence[Candidate], hidden: Collection[Term]
) -> tuple[Candidate, ...]:
    """Candidates of which a hidden name is an adjective, where that is how the text is used.

    `French rivers` are of France, not of the language: hidden names count as labels do, and what
    is of another class counts less. Beside a name in full of its own class, a hidden one is just
    another spelling. `hidden` are the terms that were found by a hidden name, misspelt or not.
    """
    noun_kinds = {rival.kind for rival in rivals if rival.term not in hidden}
    adjectives = {rival.kind for rival in rivals if rival.term in hidden} - noun_kinds
    if not noun_kinds or not adjectives:
        return tuple(rivals)
    fit = _FIT["hidden"]
    return _best_rivals(
        replace(
            rival,
            score=rival.score / fit if rival.kind in adjectives else rival.score * fit,
        )
        for rival in rivals
    )


def _fame(degree: int, most: int, matched: Matched) -> float:
    """What is left of the score of an entity of this degree where a rival has the most."""
    weight = _DEGREE_OF_PART if matched == "part" else _DEGREE
    return 1 - weight * (1 - log(2 + degree) / log(2 + most))


def _best_rivals(rivals: Iterable[Candidate]) -> tuple[Candidate, ...]:
    ordered = sorted(rivals, key=lambda candidate: (-round(candidate.score, 6), candidate.term))
    return tuple(ordered[:_MOST_CANDIDATES])


def order(item: LinkedSpan) -> tuple[int, float, Span]:
    """The longest first, then the best fit."""
    return item.span.first - item.span.last, -item.fit, item.span


def is_value(item: LinkedSpan) -> bool:
    """Whether a span means nothing but literals."""
    return all(is_literal(graded.hit.term) for graded in item.grades)


def overlaps(span: Span, items: Iterable[LinkedSpan]) -> bool:
    """Whether a span shares a letter with that of an item."""
    return any(span.start < item.span.end and item.span.start < span.end for item in items)


def is_inside(span: Span, spans: Iterable[Span]) -> bool:
    """Whether a span is a part, and not all, of one of the spans."""
    return any(
        other.first <= span.first and span.last <= other.last and other != span for other in spans
    )


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
