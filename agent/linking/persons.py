"""Persons as questions name them: by given and family names, with initials and titles before these.

*J. Weber* is one person where a graph keeps names in two values, and *Dr. Weber* maybe another.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from ..kg.store import Labels
from .parts import Part, is_initial
from .plausible import Casing
from .ranking import LinkedSpan, is_value, overlaps
from .spans import Span, Token
from .words import FUNCTION_WORDS, TITLES

_SHORT_TITLE = 3
"""Letters of a title that may be typed in lower case: a longer one may be a word, as *miss*."""
_WHOLE = 0.99
"""A share of a name that no part of it has."""


@dataclass(frozen=True)
class Persons:
    """The names of persons in a graph; `everyday` are words of its classes and relations.

    `match` says what a part of a name is part of.
    """

    labels: Labels
    everyday: Collection[str]
    match: Callable[[str, Part], LinkedSpan | None]

    def titled(self, question: str, tokens: Sequence[Token], item: LinkedSpan) -> LinkedSpan:
        """A name with the titles before it, but those that the KG uses for a class or relation.

        In lower case only short ones are titles, and none before a name with a capital.
        """
        first = item.span.first
        while first and self._is_title(tokens[first - 1]):
            title, gap = tokens[first - 1], question[tokens[first - 1].end : tokens[first].start]
            is_short = len(title.norm) <= _SHORT_TITLE and not tokens[first].capital
            if gap.strip() not in ("", ".") or not (title.capital or is_short):
                break
            first -= 1
        return replace(item, span=item.span._replace(start=tokens[first].start, first=first))

    def named(
        self, question: str, tokens: Sequence[Token], casing: Casing, exact: Sequence[LinkedSpan]
    ) -> list[LinkedSpan]:
        """The linked spans, where persons replace values that are parts of their names."""
        begins = {item.span: _with_initials(question, tokens, casing, item) for item in exact}
        whole = [
            person
            for item in exact
            for given in exact
            if given.span.last + 1 == begins[item.span] < item.span.first
            and (person := self._with_given_name(question, tokens, given, item))
        ]
        apart = [item for item in exact if not overlaps(item.span, whole)]
        persons = (self._of_person(question, tokens, it, begins[it.span]) for it in apart)
        return [*whole, *filter(None, persons)]

    def _with_given_name(
        self, question: str, tokens: Sequence[Token], given: LinkedSpan, family: LinkedSpan
    ) -> LinkedSpan | None:
        """Who has both names, and the initials between them unless the KG has no such names."""
        first, begin = given.span.last + 1, family.span.first
        if not is_value(given) or question[given.span.end : tokens[first].start].strip():
            return None
        words = _large_words(tokens, given.span) + _large_words(tokens, family.span)
        span = family.span._replace(start=given.span.start, first=given.span.first)
        initials = tuple(token.norm for token in tokens[first:begin])
        part = Part(span, words, "", False, initials=initials)
        return self.match(question, part) or self.match(
            question, part._replace(initials=(), least=_WHOLE)
        )

    def _of_person(
        self, question: str, tokens: Sequence[Token], item: LinkedSpan, begin: int
    ) -> LinkedSpan | None:
        """Who has a name with the initials and titles before it, where that name is but a value.

        *J. Weber* is nobody where all called Weber have other initials, and *Dr. Weber* one of them
        where there are several. The initials start at `begin`.
        """
        if not is_value(item):
            return item
        initials = tuple(token.norm for token in tokens[begin : item.span.first])
        span = item.span._replace(start=tokens[begin].start, first=begin)
        whole = self.titled(question, tokens, replace(item, span=span)).span
        words = _large_words(tokens, item.span)
        if whole == item.span or not self.labels.containing(words):
            return item
        named = self.match(question, Part(whole, words, "", False, initials=initials))
        return named if initials or (named and len(named.grades) > 1) else item

    def opens_name(self, tokens: Sequence[Token], item: LinkedSpan) -> bool:
        """Whether a value has nothing but titles, and another word that may be a name follows."""
        span = item.span
        after = tokens[span.last + 1 : span.last + 2]
        titles = all(map(self._is_title, tokens[span.first : span.last + 1]))
        return (
            titles and is_value(item) and any(token.norm not in FUNCTION_WORDS for token in after)
        )

    def _is_title(self, token: Token) -> bool:
        return token.norm in TITLES and token.norm not in self.everyday


def _with_initials(question: str, tokens: Sequence[Token], casing: Casing, item: LinkedSpan) -> int:
    """Where the initials start that stand before a value; its first word where there are none.

    Where capitals tell names, one before it needs no full stop: *M Weber*.
    """
    begin = item.span.first
    while begin and is_value(item):
        token, gap = tokens[begin - 1], question[tokens[begin - 1].end : tokens[begin].start]
        is_first_letter = is_initial(question, token, by_capital=casing.informative)
        if gap.strip() not in ("", ".") or not is_first_letter:
            break
        begin -= 1
    return begin


def _large_words(tokens: Sequence[Token], span: Span) -> tuple[str, ...]:
    words = tokens[span.first : span.last + 1]
    return tuple(token.norm for token in words if token.norm not in FUNCTION_WORDS)
