"""Links a question to the KG by the names in it: the longest first, homonyms by context."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Protocol

from ..kg.labels.index import Hit
from ..kg.labels.meanings import entities_meant, namesakes, written_term
from ..kg.labels.names import normalise
from ..kg.store import Labels
from ..kg.terms import Term
from .context import nouns, relation_phrases, relation_spans
from .mention import Mention
from .parts import (
    MOST_TRIED,
    Part,
    beginnings,
    name_parts,
    part_of_marked,
    share,
    wider,
)
from .persons import Persons
from .plausible import Casing, casing_of, everyday_words, is_plausible, words_of_name
from .ranking import (
    LinkedSpan,
    best_known,
    firm,
    grade,
    grade_fuzzy,
    grade_part,
    has_capital,
    is_inside,
    is_value,
    linked_span,
    order,
    overlaps,
    with_end_marks,
    without_overlaps,
)
from .spans import (
    MentionFinder,
    Span,
    Spelling,
    Token,
    bracketed,
    codes_in,
    quoted,
    spans,
    spellings,
    tokenise,
    turned_form,
    words_of_stretch,
)
from .topics import Words, mentions
from .typos import is_apart, is_within, likeness, lone_words, most_typos, suspects
from .words import MONTHS, singular

_LEAST_LIKENESS = 0.8
_MOST_LOOKED_UP = 50
"""Stretches of one question that are compared with the names of the KG for typos."""
_MOST_LONE_WORDS = 10
"""The same of words in lower case of a question that names nothing."""
_MOST_BEGINNINGS = 20
"""Stretches of one question that are looked up as the beginning of a longer name."""
_MOST_CODES = 10
"""Codes of one question that are looked up as the ends of IRIs."""


class Linker(Protocol):
    """Finds what a question is about."""

    def link(self, question: str) -> list[Mention]:
        """The topic mentions in order of appearance, each with its candidates, best first."""
        ...


class LabelLinker:
    """A linker that needs nothing but the KG's names.

    A question costs one look-up for all its stretches of words, one for each that names something,
    and one for what the candidates are. A label index of a million names answers these within a
    millisecond. Behind an endpoint a question waits for two or three requests, one after the other,
    and names with typos are not found.
    """

    def __init__(
        self,
        labels: Labels,
        *,
        finder: MentionFinder | None = None,
        languages: Sequence[str] = ("en",),
    ) -> None:
        """With a `finder`, what it finds in a question is looked up in the place of all n-grams.

        `languages` are those of the questions beside English: their small words name nothing.
        """
        self._labels = labels
        self._finder = finder
        self._longest = labels.longest()
        vocabulary = labels.vocabulary()
        self._everyday = everyday_words(vocabulary, languages)
        self._persons = Persons(labels, self._everyday, self._match_part)
        self._words = Words(self._everyday, relation_phrases(vocabulary), nouns(vocabulary))

    def link(self, question: str) -> list[Mention]:
        """Find the entities that a question names.

        Names and terms in [brackets] are taken at their word, and then nothing else is linked. What
        candidates are listed as is taken too, with its description or class. Where a name
        seems to be missing, those with a typo or two are tried, and those of which a word is part.
        A topic that is named twice is one mention.
        """
        if marked := bracketed(question):
            linked_spans = [
                self._term(question, span)
                or self._explicit(question, span)
                or self._listed(question, span)
                or self._marked(question, span)
                for span in marked
            ]
            return self._topics(question, [], [item for item in linked_spans if item])
        tokens = tokenise(question)
        if self._finder:
            return self._topics(question, tokens, self._found_by(question, tokens, self._finder))
        casing = casing_of(tokens, self._everyday)
        exact = self._exact_matches(question, tokens, casing)
        exact += self._coded(question, tokens, exact)
        exact = self._with_longer(question, tokens, casing, exact)
        exact = [item for item in exact if not _is_of_date(tokens, item)]
        exact = self._persons.named(question, tokens, casing, exact)
        parted = self._parted(question, tokens, casing, exact)
        mended = self._mended(question, tokens, casing, exact, parted)
        linked = without_overlaps([*mended, *parted])
        if not linked and casing.informative:
            linked = self._misspelt_word(question, tokens)
        linked_spans = [self._persons.titled(question, tokens, item) for item in linked]
        return self._topics(question, tokens, linked_spans)

    def _explicit(self, question: str, span: Span) -> LinkedSpan | None:
        """What a marked text names: exactly if anything is spelled so, else as compared."""
        text = question[span.start : span.end]
        norm = normalise(text)
        if norm not in self._labels.known({norm: text}):
            return None
        hits = self._labels.lookup(norm)
        same = [hit for hit in hits if hit.text == text]
        return linked_span(span, text, (grade(hit) for hit in same or hits))

    def _term(self, question: str, span: Span) -> LinkedSpan | None:
        """The marked term itself."""
        term = written_term(question[span.start : span.end])
        return None if term is None else self._span_of_terms(question, span, [term])

    def _listed(self, question: str, span: Span) -> LinkedSpan | None:
        """What is listed under a marked text; with what no label says, all that has the name."""
        text = question[span.start : span.end]
        terms = entities_meant(self._labels, text) or namesakes(self._labels, text)
        return self._span_of_terms(question, span, terms)

    def _span_of_terms(self, question: str, span: Span, terms: Sequence[Term]) -> LinkedSpan | None:
        text = question[span.start : span.end]
        infos = [info for info in self._labels.describe(terms) if info.degree]
        return linked_span(span, text, (grade(Hit(i.term, text, "label", i.degree)) for i in infos))

    def _marked(self, question: str, span: Span) -> LinkedSpan | None:
        """What a marked text names with a typo or two, else in part."""
        part = part_of_marked(span, question[span.start : span.end])
        return self._close_to(question, span) or (
            self._match_part(question, part) if part else None
        )

    def _close_to(
        self, question: str, span: Span, intact: Sequence[str] = (), *, stands_apart: bool = False
    ) -> LinkedSpan | None:
        """What a text names with a typo or two, none of them in digits or in what is `intact`.

        `likeness` says what changes a word that `stands_apart`.
        """
        text = question[span.start : span.end]
        norm = normalise(text)
        grades = [
            grade_fuzzy(hit, alike)
            for near in self._labels.similar(norm, 5, distance=most_typos(norm))
            if (alike := likeness(norm, near, intact, stands_apart=stands_apart)) >= _LEAST_LIKENESS
            for hit in self._labels.lookup(near.norm)
        ]
        return linked_span(span, text, grades)

    def _misspelt_word(self, question: str, tokens: Sequence[Token]) -> list[LinkedSpan]:
        """The one word in lower case that is near exactly one name, where nothing is named."""
        misspelt = list[LinkedSpan]()
        for span in lone_words(tokens, self._everyday)[:_MOST_LONE_WORDS]:
            norm = tokens[span.first].norm
            near = self._labels.similar(norm, 2)
            if len(near) == 1 and near[0].distance == 1 and is_within(norm, near[0].norm):
                misspelt += filter(None, [self._close_to(question, span)])
        return misspelt if len(misspelt) == 1 else []

    def _found_by(
        self, question: str, tokens: Sequence[Token], finder: MentionFinder
    ) -> list[LinkedSpan]:
        """What the stretches that a finder gives name, exactly or with a typo or two."""
        marks = [words_of_stretch(tokens, start, end) for start, end in sorted(finder(question))]
        found_spans = [
            mark._replace(start=tokens[mark.first].start, end=tokens[mark.last].end)
            for mark in marks
            if mark
        ]
        forms = {span: spellings(question, tokens, span) for span in found_spans}
        known = self._known_norms(forms)
        named = [
            self._spelled(question, span, variants, known) or self._marked(question, span)
            for span, variants in forms.items()
        ]
        return without_overlaps(item for item in named if item)

    def _exact_matches(
        self, question: str, tokens: Sequence[Token], casing: Casing
    ) -> list[LinkedSpan]:
        """Exact matches, without overlaps: quoted names, then those of the most words."""
        marks = [words_of_stretch(tokens, mark.start, mark.end) for mark in quoted(question)]
        linked = [item for mark in marks if mark and (item := self._explicit(question, mark))]
        forms = {
            span: spellings(question, tokens, span) for span in spans(tokens, self._longest + 1)
        }
        inverted = {
            span: form
            for span in forms
            if (form := turned_form(question, tokens, span, self._words.nouns))
        }
        forms |= {span: [*forms[span], form] for span, form in inverted.items()}
        known_norms = self._known_norms(forms)
        related = relation_spans(forms, self._words.relations)
        by_size: defaultdict[int, list[Span]] = defaultdict(list)
        for span, variants in forms.items():
            if any(form.norm in known_norms for form in variants) and not is_inside(span, related):
                size = words_of_name(tokens, span, casing, self._everyday)
                if span in inverted and inverted[span].norm in known_norms:
                    size = span.last + 1 - span.first
                by_size[size].append(span)
        for size in sorted(by_size, reverse=True):
            spelled = [
                item
                for span in by_size[size]
                if not overlaps(span, linked)
                and (
                    item := self._spelled(
                        question, span, forms[span], known_norms, (tokens, casing)
                    )
                )
                and not self._persons.opens_name(tokens, item)
            ]
            spelled.sort(key=lambda it: (casing.informative and not it.same_case, order(it)))
            linked = without_overlaps([*linked, *spelled])
        return linked

    def _known_norms(self, forms: Mapping[Span, Sequence[Spelling]]) -> set[str]:
        written: dict[str, str] = {}
        for variants in forms.values():
            for form in variants:
                written.setdefault(form.norm, form.written)
        return self._labels.known(written)

    def _spelled(
        self,
        question: str,
        span: Span,
        forms: Sequence[Spelling],
        known_norms: Collection[str],
        typed: tuple[Sequence[Token], Casing] | None = None,
    ) -> LinkedSpan | None:
        """What the known ones of a span's forms name; with `typed`, where it is meant as a name."""
        grades = [
            grade(hit, exact=form.exact)
            for form in forms
            if form.norm in known_norms
            for hit in self._labels.lookup(form.norm)
            if not typed
            or is_plausible(question, typed[0], span, hit.text, typed[1], self._everyday)
        ]
        text = with_end_marks(question, span, grades)
        return linked_span(
            span, text, grades, case_informative=bool(typed and typed[1].informative)
        )

    def _topics(
        self, question: str, tokens: Sequence[Token], named: Iterable[LinkedSpan]
    ) -> list[Mention]:
        return mentions(self._labels, question, tokens, named, self._words)

    def _coded(
        self, question: str, tokens: Sequence[Token], exact: Sequence[LinkedSpan]
    ) -> list[LinkedSpan]:
        """What codes mean that are no names, but the ends of IRIs: `Q52`."""
        named = [
            linked_span(span, text, map(grade, self._labels.with_local_name(text)))
            for span in islice(codes_in(question, tokens), _MOST_CODES)
            if not overlaps(span, exact) and (text := question[span.start : span.end])
        ]
        return [item for item in named if item]

    def _with_longer(
        self, question: str, tokens: Sequence[Token], casing: Casing, exact: Sequence[LinkedSpan]
    ) -> list[LinkedSpan]:
        """The linked spans, replaced by things whose names begin with more words.

        *Helios Energy* is Helios Energy Ltd, though *Energy* alone is an industry.
        """
        longer: list[LinkedSpan] = []
        taken = [item.span for item in exact]
        parts = beginnings(question, tokens, casing, self._everyday, taken)
        for part in islice(parts, _MOST_BEGINNINGS):
            if not overlaps(part.span, longer):
                grades = [
                    grade_part(hit, portion)
                    for hit in self._labels.containing(part.words)
                    if f"{normalise(hit.text)} ".removeprefix("the ").startswith(part.phrase)
                    and (portion := share(part._replace(phrase=""), hit))
                ]
                text = question[part.span.start : part.span.end]
                longer += filter(None, [linked_span(part.span, text, best_known(grades))])
        return without_overlaps([*longer, *exact])

    def _parted(
        self, question: str, tokens: Sequence[Token], casing: Casing, exact: Sequence[LinkedSpan]
    ) -> list[LinkedSpan]:
        """Names of which what was not found yet is a part."""
        taken = [item.span for item in exact]
        parted: list[LinkedSpan] = []
        for part in islice(name_parts(question, tokens, casing, self._everyday, taken), MOST_TRIED):
            if not overlaps(part.span, parted) and (item := self._match_part(question, part)):
                known = [*taken, *(other.span for other in parted)]
                parted.append(self._narrowed(question, wider(tokens, part, known), item))
        return parted

    def _narrowed(self, question: str, parts: Iterable[Part], item: LinkedSpan) -> LinkedSpan:
        """What a wider part names: one of several, by the number of a concert, or of itself.

        It may be several things of one name.
        """
        meant = {graded.hit.term for graded in item.grades}
        for part in parts:
            wider = self._match_part(question, part)
            named = {} if wider is None else {g.hit.term: g.hit.text for g in wider.grades}
            if wider and named.keys() <= meant and len({*map(normalise, named.values())}) == 1:
                return wider
        return item

    def _match_part(self, question: str, part: Part) -> LinkedSpan | None:
        """What has all words of a part in its name, or these with the last in the singular."""
        *before, last = part.words
        for words in dict.fromkeys((part.words, (*before, singular(last)))):
            variant = part._replace(words=words)
            grades = [
                grade_part(hit, portion)
                for hit in self._labels.containing(words)
                if (portion := share(variant, hit))
            ]
            if len(grades) == 1 or (grades and not part.numbered):
                text = question[part.span.start : part.span.end]
                return linked_span(part.span, text, best_known(grades))
        return None

    def _mended(
        self,
        question: str,
        tokens: Sequence[Token],
        casing: Casing,
        exact: Sequence[LinkedSpan],
        parted: Sequence[LinkedSpan],
    ) -> Sequence[LinkedSpan]:
        """What was found, and where something is missing in it names with typos.

        A lone word that is part of a name as it stands is no misspelt other one.
        """
        certain = firm(question, tokens, exact) if casing.informative else exact
        linked = [item.span for item in certain]
        intact_words = {item.span for item in parted if item.span.first == item.span.last}
        tried = 0
        mended: list[LinkedSpan] = []
        for span in suspects(tokens, casing, self._everyday, self._longest, linked):
            if span not in intact_words and tried < _MOST_LOOKED_UP and not overlaps(span, mended):
                tried += 1
                intact = [
                    normalise(question[other.start : other.end])
                    for other in linked
                    if span.start <= other.start < span.end
                ]
                apart = is_apart(tokens, span, linked)
                if item := self._close_to(question, span, intact, stands_apart=apart):
                    mended.append(item)
        named = without_overlaps([*mended, *certain])
        proper = any(has_capital(tokens, item.span) for item in (*named, *parted))
        return named if proper else without_overlaps([*mended, *exact])


def _is_of_date(tokens: Sequence[Token], item: LinkedSpan) -> bool:
    """Whether a value is a month beside the number of its day or year: `May 2024`, `3 May`."""
    first, last = item.span.first, item.span.last
    beside = [*tokens[max(0, first - 1) : first], *tokens[last + 1 : last + 2]]
    is_month = first == last and tokens[first].norm in MONTHS
    return is_month and is_value(item) and any(token.norm.isdecimal() for token in beside)
