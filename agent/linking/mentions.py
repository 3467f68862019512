"""The words of a question, and which stretches of them may be the name of something."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from os.path import commonprefix
from typing import NamedTuple, TypeAlias

from ..kg.names import normalise
from .words import singular

_BRACKETED = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]")
_QUOTED = re.compile(
    '["\u201c\u201e\u00ab]([^"\u201c\u201d\u201e\u00ab\u00bb]+)["\u201d\u201c\u00bb]'
)
_INITIALISM = re.compile(r"(?:^|\W)(?:\w\.)+\w$")
_APOSTROPHES = "'\u2019\u2018\u02bc`\u00b4"
_SENTENCE_END = ".?!:;\n"


MentionFinder: TypeAlias = Callable[[str], Sequence[tuple[int, int]]]
"""Finds what is named in a question, as start and end offsets: a tagger such as GLiNER, say."""


class Token(NamedTuple):
    """A word of the question; `opens` when a sentence starts with it, `tail` for a lone 's."""

    text: str
    norm: str
    start: int
    end: int
    opens: bool
    tail: bool

    @property
    def capital(self) -> bool:
        """Whether the word starts with a capital letter or is a number."""
        return not self.text[:1].islower()


class Span(NamedTuple):
    """A stretch of text, as offsets into the question and, where there are words, into those."""

    start: int
    end: int
    first: int
    last: int


class Spelling(NamedTuple):
    """A form under which a stretch of words is looked up; `exact` unless it was changed for it.

    `written` is the form before normalisation, for sources that know no other.
    """

    norm: str
    exact: bool
    written: str


def tokenise(question: str) -> list[Token]:
    """The words of a question with their offsets."""
    tokens: list[Token] = []
    for start, end in _words(question):
        text = question[start:end]
        norm = normalise(text)
        before = question[tokens[-1].end if tokens else 0 : start]
        ended = any(mark in before for mark in _SENTENCE_END)
        opens = not tokens or (ended and not (before in (".", ". ") and len(tokens[-1].text) == 1))
        tail = norm == "s" and len(before) == 1 and before in _APOSTROPHES
        tokens.append(Token(text, norm, start, end, opens, tail))
    return tokens


def bracketed(question: str) -> list[Span]:
    """What stands in [square brackets], without them."""
    return [_trimmed(question, *match.span(1)) for match in _BRACKETED.finditer(question)]


def quoted(question: str) -> list[Span]:
    """What stands in double quotation marks, without them."""
    return [_trimmed(question, *match.span(1)) for match in _QUOTED.finditer(question)]


def spans(tokens: Sequence[Token], longest: int) -> Iterator[Span]:
    """Every stretch of up to `longest` words that neither starts nor ends inside a possessive."""
    for first, token in enumerate(tokens):
        if not token.tail:
            for last in range(first, min(first + longest, len(tokens))):
                yield Span(token.start, tokens[last].end, first, last)


def in_words(tokens: Sequence[Token], start: int, end: int) -> Span | None:
    """A stretch of text as a span of the words that begin in it; None where none does."""
    inside = [place for place, token in enumerate(tokens) if start <= token.start < end]
    return Span(start, end, inside[0], inside[-1]) if inside else None


def spellings(question: str, tokens: Sequence[Token], span: Span) -> list[Spelling]:
    """The forms to look a stretch of words up by.

    As written; single letters joined, so that `U.S.` finds `US`; a plural made singular, of the
    last word or before `of`; an apostrophe left out or put in, so that `Schindlers List` finds
    `Schindler's List`; with a leading `the`.
    """
    words = tokens[span.first : span.last + 1]
    end = whole_end(question, span)
    text = question[span.start : end]
    forms = [Spelling(" ".join(word.norm for word in words), True, text)]
    if len(words) > 1 and all(len(word.norm) == 1 for word in words):
        joined = "".join(word.text for word in words)
        forms.append(Spelling(normalise(joined), True, joined))
    changed = [
        question[span.start : start] + instead + question[stop:end]
        for start, stop, instead in _changes(words)
    ]
    if words[0].norm != "the":
        changed.append(f"the {text}")
    for written in changed:
        if all(form.norm != (norm := normalise(written)) for form in forms):
            forms.append(Spelling(norm, False, written))
    return forms


def whole_end(question: str, span: Span) -> int:
    """The end of a span with the bracket or the last full stop of an initialism that ends it."""
    text, after = question[span.start : span.end], question[span.end : span.end + 1]
    unclosed = after == ")" and text.count("(") > text.count(")")
    initialism = after == "." and _INITIALISM.search(text)
    return span.end + 1 if unclosed or initialism else span.end


def _changes(words: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """Where a name may be spelled otherwise in the KG, and what may stand there instead."""
    *inner, last = words
    if not last.tail and (one := _one(last)):
        yield last.start, last.end, one
    for word, after in pairwise(words):
        if after.tail and after is not last:
            yield word.end, after.end, after.text
        elif after.norm == "of" and (one := _one(word)):
            yield word.start, word.end, one
    for word in inner:
        if singular(word.norm) == word.norm[:-1]:
            yield word.end - 1, word.end, f"'{word.text[-1]}"


def _one(word: Token) -> str:
    """The singular in the word's own case; empty where it is none."""
    one = singular(word.norm)
    if one == word.norm:
        return ""
    same = len(commonprefix([one, word.text.casefold()]))
    return word.text[:same] + one[same:]


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Runs of letters, digits and the marks on them; cut where normalisation would cut."""
    start = None
    for place, character in enumerate(text):
        if _is_wordy(character) or (
            start is not None and unicodedata.category(character).startswith("M")
        ):
            start = place if start is None else start
        elif start is not None:
            yield start, place
            start = None
    if start is not None:
        yield start, len(text)


def _is_wordy(character: str) -> bool:
    """Whether normalisation makes letters or digits of it, as of the sign for `number`."""
    if character.isascii():
        return character.isalnum()
    return any(map(str.isalnum, unicodedata.normalize("NFKD", character).casefold()))


def _trimmed(question: str, start: int, end: int) -> Span:
    text = question[start:end]
    start += len(text) - len(text.lstrip())
    return Span(start, max(start, start + len(text.strip())), -1, -1)
