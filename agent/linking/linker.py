"""Links a question to the KG by the names in it: the longest first, homonyms by context."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from ..kg.labels import TermInfo
from ..kg.names import normalise
from ..kg.store import Labels
from ..kg.terms import Term
from .context import (
    Surroundings,
    is_apposition,
    listed_with,
    relation_phrases,
    relevance,
    surroundings,
)
from .mention import Candidate, Mention, is_ambiguous
from .mentions import (
    MentionFinder,
    Span,
    Spelling,
    Token,
    bracketed,
    in_words,
    quoted,
    spans,
    spellings,
    tokenise,
    whole_end,
)
from .plausible import Typing, everyday_words, is_plausible, typing_of, words_of_name
from .ranking import Found, as_typed, candidates, found, grade, grade_fuzzy, in_context
from .typos import likeness, most_typos, suspects
from .words import PREPOSITIONS

_LEAST_LIKENESS = 0.8
_MOST_LOOKED_UP = 50
"""Stretches of one question that are compared with the names of the KG for typos."""


class Linker(Protocol):
    """Finds what a question is about."""

    def link(self, question: str) -> list[Mention]:
        """The topic mentions in order of appearance, each with its candidates, best first."""
        ...


class LabelLinker:
    """A linker that needs nothing but the KG's names.

    A question costs one look-up for all its stretches of words, one for each that names something,
    and one for what the candidates are. A label index of a million names answers these within a
    millisecond. Behind an endpoint they are three to seven requests, one after the other, so a
    question waits as many times as long as the endpoint takes, and names with typos are not found.
    """

    def __init__(self, labels: Labels, *, finder: MentionFinder | None = None) -> None:
        """With a `finder`, what it finds in a question is looked up in the place of all n-grams."""
        self._labels = labels
        self._finder = finder
        self._longest = labels.longest()
        vocabulary = labels.vocabulary()
        self._everyday = everyday_words(vocabulary)
        self._relations = relation_phrases(vocabulary)

    def link(self, question: str) -> list[Mention]:
        """Find the entities that a question names.

        Names in [brackets] are taken at their word, and then nothing else is linked. Where a name
        seems to be missing, those with a typo or two are tried. A topic that is named twice is one
        mention.
        """
        if marked := bracketed(question):
            named = [
                self._explicit(question, span) or self._close_to(question, span) for span in marked
            ]
            return self._mentions(question, [], [item for item in named if item])
        tokens = tokenise(question)
        if self._finder:
            return self._mentions(question, tokens, self._given(question, tokens, self._finder))
        typing = typing_of(tokens, self._everyday)
        exact = self._named(question, tokens, typing)
        return self._mentions(question, tokens, self._mended(question, tokens, typing, exact))

    def _explicit(self, question: str, span: Span) -> Found | None:
        """What a marked text names: exactly if anything is spelled so, else as compared."""
        text = question[span.start : span.end]
        norm = normalise(text)
        if norm not in self._labels.known({norm: text}):
            return None
        hits = self._labels.lookup(norm)
        same = [hit for hit in hits if hit.text == text]
        return found(span, text, (grade(hit) for hit in same or hits))

    def _close_to(self, question: str, span: Span, intact: Sequence[str] = ()) -> Found | None:
        """What a text names with a typo or two, none of them in digits or in what is `intact`."""
        text = question[span.start : span.end]
        norm = normalise(text)
        grades = [
            grade_fuzzy(hit, alike)
            for near in self._labels.similar(norm, 5, distance=most_typos(norm))
            if (alike := likeness(norm, near, intact)) >= _LEAST_LIKENESS
            for hit in self._labels.lookup(near.norm)
        ]
        return found(span, text, grades)

    def _given(self, question: str, tokens: Sequence[Token], finder: MentionFinder) -> list[Found]:
        """What the stretches that a finder gives name, exactly or with a typo or two."""
        marks = [in_words(tokens, start, end) for start, end in sorted(finder(question))]
        given = [
            mark._replace(start=tokens[mark.first].start, end=tokens[mark.last].end)
            for mark in marks
            if mark
        ]
        forms = {span: spellings(question, tokens, span) for span in given}
        known = self._known(forms)
        named = [
            self._spelled(question, span, several, known) or self._close_to(question, span)
            for span, several in forms.items()
        ]
        return _without_overlaps(item for item in named if item)

    def _named(self, question: str, tokens: Sequence[Token], typing: Typing) -> list[Found]:
        """Exact matches, without overlaps: quoted names, then those of the most words."""
        marks = [in_words(tokens, mark.start, mark.end) for mark in quoted(question)]
        kept = [item for mark in marks if mark and (item := self._explicit(question, mark))]
        forms = {
            span: spellings(question, tokens, span) for span in spans(tokens, self._longest + 1)
        }
        known = self._known(forms)
        by_size: defaultdict[int, list[Span]] = defaultdict(list)
        for span, several in forms.items():
            if any(form.norm in known for form in several):
                by_size[words_of_name(tokens, span, typing, self._everyday)].append(span)
        for size in sorted(by_size, reverse=True):
            named = [
                item
                for span in by_size[size]
                if not _overlaps(span, kept)
                and (item := self._spelled(question, span, forms[span], known, (tokens, typing)))
            ]
            named.sort(key=lambda it: (typing.telling and not it.same_case, _order(it)))
            kept = _without_overlaps([*kept, *named])
        return kept

    def _known(self, forms: Mapping[Span, Sequence[Spelling]]) -> set[str]:
        written: dict[str, str] = {}
        for several in forms.values():
            for form in several:
                written.setdefault(form.norm, form.written)
        return self._labels.known(written)

    def _spelled(
        self,
        question: str,
        span: Span,
        forms: Sequence[Spelling],
        known: Collection[str],
        typed: tuple[Sequence[Token], Typing] | None = None,
    ) -> Found | None:
        """What the known ones of a span's forms name; with `typed`, where it is meant as a name."""
        grades = [
            grade(hit, exact=form.exact)
            for form in forms
            if form.norm in known
            for hit in self._labels.lookup(form.norm)
            if not typed
            or is_plausible(question, typed[0], span, hit.text, typed[1], self._everyday)
        ]
        text = as_typed(question, span, grades)
        return found(span, text, grades, case_tells=bool(typed and typed[1].telling))

    def _mended(
        self, question: str, tokens: Sequence[Token], typing: Typing, exact: Sequence[Found]
    ) -> Sequence[Found]:
        """What was found, and where something is missing in it names with typos."""
        firm = _firm(question, tokens, exact) if typing.telling else exact
        kept = [item.span for item in firm]
        tried = 0
        mended: list[Found] = []
        for span in suspects(tokens, typing, self._everyday, self._longest, kept):
            if tried < _MOST_LOOKED_UP and not _overlaps(span, mended):
                tried += 1
                intact = [
                    normalise(question[other.start : other.end])
                    for other in kept
                    if span.start <= other.start < span.end
                ]
                if item := self._close_to(question, span, intact):
                    mended.append(item)
        named = _without_overlaps([*mended, *firm])
        proper = any(_has_capital(tokens, item.span) for item in named)
        return named if proper else _without_overlaps([*mended, *exact])

    def _mentions(
        self, question: str, tokens: Sequence[Token], named: Iterable[Found]
    ) -> list[Mention]:
        """Rank candidates in context, drop what only describes another mention, merge topics."""
        items = sorted(named, key=lambda item: item.span)
        terms = dict.fromkeys(graded.hit.term for item in items for graded in item.grades)
        if not terms:
            return []
        infos = {info.term: info for info in self._labels.describe(list(terms))}
        first = {item.span: _mention(question, item, infos) for item in items}
        lists = listed_with(question, tokens, list(first))
        mentions: dict[Span, Mention] = {}
        absorbed: set[Span] = set()
        for span, mention in first.items():
            beside = {
                other: first[other].candidates[0]
                for other in first
                if is_apposition(question, tokens, span, other)
            }
            listed = lists[span] - {span, *beside}
            others = [first[other] for other in first if other not in (span, *beside, *listed)]
            several = len(mention.candidates) > 1
            if several and span.first >= 0:
                said = surroundings(question, tokens, span, self._relations, self._everyday, listed)
                mention = _in_context(mention, said, list(beside.values()), others, infos)
            mentions[span] = mention
            best = f" {normalise(mention.candidates[0].description)} "
            absorbed.update(
                other
                for other, candidate in beside.items()
                if f" {normalise(candidate.label)} " in best
            )
        topics: dict[Term, Mention] = {}
        for span, mention in mentions.items():
            if span not in absorbed:
                topics.setdefault(mention.candidates[0].term, mention)
        return list(topics.values())


def _mention(question: str, item: Found, infos: Mapping[Term, TermInfo]) -> Mention:
    start, end = item.span.start, whole_end(question, item.span)
    described = [infos[graded.hit.term] for graded in item.grades]
    return Mention(question[start:end], start, end, candidates(item, described))


def _in_context(
    mention: Mention,
    said: Surroundings,
    beside: Sequence[Candidate],
    others: Sequence[Mention],
    infos: Mapping[Term, TermInfo],
) -> Mention:
    clear = [other.candidates[0] for other in others if not is_ambiguous(other)]
    beside_labels = [candidate.label for candidate in beside]
    other_labels = [candidate.label for candidate in clear]
    fits = [
        relevance(infos[candidate.term], said, beside_labels, other_labels)
        for candidate in mention.candidates
    ]
    named = frozenset(candidate.term for candidate in clear)
    return replace(mention, candidates=in_context(mention.candidates, fits, named))


def _order(item: Found) -> tuple[int, float, Span]:
    """The longest first, then the best fit."""
    return item.span.first - item.span.last, -item.fit, item.span


def _overlaps(span: Span, items: Iterable[Found]) -> bool:
    return any(span.start < item.span.end and item.span.start < span.end for item in items)


def _without_overlaps(items: Iterable[Found]) -> list[Found]:
    """Keep what does not overlap anything before it."""
    kept: list[Found] = []
    for item in items:
        if not _overlaps(item.span, kept):
            kept.append(item)
    return kept


def _firm(question: str, tokens: Sequence[Token], items: Sequence[Found]) -> list[Found]:
    """Without lone words in lower case that the KG spells with a capital, as questions do names.

    A word after a preposition, or in one list with a name in capitals, stays.
    """

    def stays(item: Found) -> bool:
        span = item.span
        if span.first < span.last or item.grades[0].hit.text[:1].islower():
            return True
        if span.first > 0 and tokens[span.first - 1].norm in PREPOSITIONS:
            return True
        return not lists[span].isdisjoint(proper)

    lists = listed_with(question, tokens, sorted(item.span for item in items))
    proper = [item.span for item in items if _has_capital(tokens, item.span)]
    return [item for item in items if item.span in proper or stays(item)]


def _has_capital(tokens: Sequence[Token], span: Span) -> bool:
    return any(token.capital for token in tokens[span.first : span.last + 1])
