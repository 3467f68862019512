"""Links a question to the KG by the names in it: the longest first, homonyms by context."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from ..kg.labels import LabelIndex
from ..kg.names import normalise
from ..kg.terms import Term
from .context import is_apposition, listed_with, relation_phrases, relevance, surroundings
from .mention import Candidate, Mention, is_ambiguous
from .mentions import Span, Token, bracketed, quoted, spans, spellings, tokenise, whole_end
from .plausible import Typing, everyday_words, is_plausible, typing_of
from .ranking import Found, Graded, candidates, found, grade, grade_fuzzy, in_context
from .words import PREPOSITIONS, is_everyday

_LEAST_SIMILARITY = 0.8
_SHORTEST_TYPO = 5
_MOST_WORDS_OF_TYPO = 5


class Linker(Protocol):
    """Finds what a question is about."""

    def link(self, question: str) -> list[Mention]:
        """The topic mentions in order of appearance, each with its candidates, best first."""
        ...


class LabelLinker:
    """A linker that needs nothing but the KG's label index."""

    def __init__(self, labels: LabelIndex) -> None:
        self._labels = labels
        vocabulary = labels.vocabulary()
        self._everyday = everyday_words(vocabulary)
        self._relations = relation_phrases(vocabulary)

    def link(self, question: str) -> list[Mention]:
        """Find the entities that a question names.

        Names in [brackets] are taken at their word, and then nothing else is linked. Without an
        exact match anywhere, names with a typo or two are tried. A topic that is named twice is
        one mention.
        """
        if marked := bracketed(question):
            named = [
                self._explicit(question, span) or self._close_to(question, span) for span in marked
            ]
            return self._mentions(question, [], [item for item in named if item])
        tokens = tokenise(question)
        exact = self._named(question, tokens)
        return self._mentions(question, tokens, exact or self._misspelt(question, tokens))

    def _explicit(self, question: str, span: Span) -> Found | None:
        """What a marked text names: exactly if anything is spelled so, else as compared."""
        text = question[span.start : span.end]
        hits = self._labels.lookup(normalise(text))
        same = [hit for hit in hits if hit.text == text]
        return found(span, text, (grade(hit) for hit in same or hits))

    def _close_to(self, question: str, span: Span) -> Found | None:
        """What a text names with a typo or two."""
        text = question[span.start : span.end]
        return found(span, text, self._similar(normalise(text)))

    def _similar(self, norm: str) -> Iterator[Graded]:
        for similar in self._labels.similar(norm, 5, distance=2 if len(norm) >= 8 else 1):
            similarity = 1 - similar.distance / max(len(norm), len(similar.norm))
            if similarity >= _LEAST_SIMILARITY:
                for hit in self._labels.lookup(similar.norm):
                    yield grade_fuzzy(hit, similarity)

    def _named(self, question: str, tokens: Sequence[Token]) -> list[Found]:
        """Exact matches, without overlaps: quoted names, then the longest."""
        marks = (_in_words(tokens, mark) for mark in quoted(question))
        explicit = [item for mark in marks if mark and (item := self._explicit(question, mark))]
        forms = {
            span: spellings(tokens, span) for span in spans(tokens, self._labels.longest() + 1)
        }
        known = self._labels.known(form.norm for several in forms.values() for form in several)
        typing = typing_of(tokens, self._everyday)
        named: list[Found] = []
        for span, several in forms.items():
            grades = (
                grade(hit, exact=form.exact)
                for form in several
                if form.norm in known
                for hit in self._labels.lookup(form.norm)
                if is_plausible(tokens, span, hit.text, typing, self._everyday)
            )
            text = question[span.start : span.end]
            if item := found(span, text, grades, case_tells=typing.telling):
                named.append(item)
        named.sort(key=lambda item: (item.span.first - item.span.last, -item.fit, item.span))
        kept = _without_overlaps([*explicit, *named])
        return _proper(question, tokens, kept) if typing.telling else kept

    def _misspelt(self, question: str, tokens: Sequence[Token]) -> list[Found]:
        """Names with typos, without overlaps: the most similar first, then the longest."""
        typing = typing_of(tokens, self._everyday)
        near: list[Found] = []
        for span in spans(tokens, min(self._labels.longest(), _MOST_WORDS_OF_TYPO)):
            words = tokens[span.first : span.last + 1]
            text = question[span.start : span.end]
            if len(text) < _SHORTEST_TYPO or any(character.isdigit() for character in text):
                continue
            if not self._is_everyday(words, typing) and (item := self._close_to(question, span)):
                near.append(item)
        near.sort(key=lambda item: (-item.fit, item.span.first - item.span.last, item.span))
        return _without_overlaps(near)

    def _is_everyday(self, words: Sequence[Token], typing: Typing) -> bool:
        """Whether words at an end are everyday ones, or capitals show that none is a name."""
        ends = words[0], words[-1]
        if any(word.tail or is_everyday([word.norm], self._everyday) for word in ends):
            return True
        return typing.telling and not any(word.capital for word in words)

    def _mentions(
        self, question: str, tokens: Sequence[Token], named: Iterable[Found]
    ) -> list[Mention]:
        """Rank candidates in context, drop what only describes another mention, merge topics."""
        first = {
            item.span: self._mention(question, item)
            for item in sorted(named, key=lambda item: item.span)
        }
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
            mentions[span] = self._in_context(
                question, tokens, span, mention, list(beside.values()), others, listed
            )
            best = f" {normalise(mentions[span].candidates[0].description)} "
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

    def _mention(self, question: str, item: Found) -> Mention:
        infos = self._labels.describe([graded.hit.term for graded in item.grades])
        start, end = item.span.start, whole_end(question, item.span)
        return Mention(question[start:end], start, end, candidates(item, infos))

    def _in_context(
        self,
        question: str,
        tokens: Sequence[Token],
        span: Span,
        mention: Mention,
        beside: Sequence[Candidate],
        others: Sequence[Mention],
        listed: Collection[Span],
    ) -> Mention:
        if len(mention.candidates) == 1 or span.first < 0:
            return mention
        said = surroundings(question, tokens, span, self._relations, self._everyday, listed)
        clear = [other.candidates[0] for other in others if not is_ambiguous(other)]
        beside_labels = [candidate.label for candidate in beside]
        other_labels = [candidate.label for candidate in clear]
        infos = self._labels.describe([candidate.term for candidate in mention.candidates])
        fits = [relevance(info, said, beside_labels, other_labels) for info in infos]
        named = frozenset(candidate.term for candidate in clear)
        return replace(mention, candidates=in_context(mention.candidates, fits, named))


def _without_overlaps(items: Iterable[Found]) -> list[Found]:
    """Keep what does not overlap anything before it."""
    kept: list[Found] = []
    for item in items:
        span = item.span
        if all(span.end <= other.span.start or other.span.end <= span.start for other in kept):
            kept.append(item)
    return kept


def _proper(question: str, tokens: Sequence[Token], items: Sequence[Found]) -> list[Found]:
    """Without words in lower case that are names in the KG, where other names have capitals.

    A word after a preposition, or in one list with such a name, stays.
    """

    def has_capital(item: Found) -> bool:
        return any(token.capital for token in tokens[item.span.first : item.span.last + 1])

    def stays(item: Found) -> bool:
        span = item.span
        if span.first < span.last or has_capital(item) or item.grades[0].hit.text[:1].islower():
            return True
        if span.first > 0 and tokens[span.first - 1].norm in PREPOSITIONS:
            return True
        return not lists[span].isdisjoint(proper)

    ordered = sorted(item.span for item in items)
    lists = listed_with(question, tokens, ordered)
    proper = [item.span for item in items if has_capital(item)]
    return [item for item in items if not proper or stays(item)]


def _in_words(tokens: Sequence[Token], mark: Span) -> Span | None:
    """A marked text as a span of whole words; None where it holds no word."""
    inside = [i for i, token in enumerate(tokens) if mark.start <= token.start < mark.end]
    return Span(mark.start, mark.end, inside[0], inside[-1]) if inside else None
