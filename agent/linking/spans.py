"""The words of a question, and which stretches of them may be the name of something."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from mimetypes import guess_type
from os.path import commonprefix
from typing import NamedTuple, TypeAlias

from ..kg.labels.names import is_unspaced, normalise, words
from .words import TITLES, singular

_BRACKETED = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]")
_QUOTED = re.compile(
    '["\u201c\u201e\u00ab]([^"\u201c\u201d\u201e\u00ab\u00bb]+)["\u201d\u201c\u00bb]'
)
_INITIALISM = re.compile(r"(?:^|\W)(?:\w\.)+\w$")
_CODE = re.compile(r"(?=.*[0-9])[A-Za-z][A-Za-z0-9]+")
_IDENTIFIER = re.compile(r"(?<![\w.-])[A-Za-z][A-Za-z0-9]*(?:[-_/][A-Za-z0-9]+)*(?![\w-])")
_LONGEST_CODE = 30
_APOSTROPHES = "'\u2019\u2018\u02bc`\u00b4"
_SENTENCE_END = ".?!:;\n\u3002\uff01\uff1f"
_ADDRESS = re.compile(r"\b\w[\w.+'-]*@\w[\w-]*(?:\.[\w-]*\w)+")


MentionFinder: TypeAlias = Callable[[str], Sequence[tuple[int, int]]]
"""Finds what is named in a question, as start and end offsets: a tagger such as GLiNER, say."""


class Token(NamedTuple):
    """A word of the question; `opens` when a sentence starts with it, `tail` for a lone 's.

    Every letter of an unspaced script is a word, which `joins` the one before it. A `dotted` one
    ends the name of a file, as the second of `rhine.csv`, or goes on with an e-mail address.
    """

    text: str
    norm: str
    start: int
    end: int
    opens: bool
    tail: bool
    joins: bool = False
    dotted: bool = False

    @property
    def capital(self) -> bool:
        """Whether the word starts with a capital letter or is a number."""
        return not self.text[:1].islower()

    @property
    def unspaced(self) -> bool:
        """Whether the word is a letter of a script in which names stand within runs of letters."""
        return is_unspaced(self.text[0])


class Span(NamedTuple):
    """A stretch of text, as offsets into the question and, where there are words, into those."""

    start: int
    end: int
    first: int
    last: int


_TURNED = 3
"""The most words of a name whose last may stand first."""


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
    addresses = addresses_in(question)
    for start, end in words(question):
        text = question[start:end]
        norm = normalise(text)
        before = question[tokens[-1].end if tokens else 0 : start]
        joins = bool(tokens) and not before
        ended = any(mark in before for mark in _SENTENCE_END)
        opens = not tokens or (ended and not (before in (".", ". ") and _is_short(tokens[-1])))
        clings = len(before) == 1 and before in _APOSTROPHES
        if clings and norm == "t" and tokens and tokens[-1].norm.endswith("n"):
            last = tokens.pop()
            text = question[last.start : end]
            tokens.append(last._replace(text=text, norm=normalise(text), end=end))
            continue
        tail = norm == "s" and clings
        dotted = any(first < start < last for first, last in addresses) or (
            bool(tokens) and before == "." and guess_type(f"file.{text}")[0] is not None
        )
        tokens.append(Token(text, norm, start, end, opens, tail, joins, dotted))
    return tokens


def _is_short(token: Token) -> bool:
    """Whether a full stop after a word may end an initial or a title, and no sentence."""
    return len(token.text) == 1 or (token.capital and token.norm in TITLES)


def bracketed(question: str) -> list[Span]:
    """What stands in [square brackets], without them."""
    return [_trimmed(question, *match.span(1)) for match in _BRACKETED.finditer(question)]


def quoted(question: str) -> list[Span]:
    """What stands in double quotation marks, without them."""
    return [_trimmed(question, *match.span(1)) for match in _QUOTED.finditer(question)]


def spans(tokens: Sequence[Token], longest: int) -> Iterator[Span]:
    """Every stretch of up to `longest` words that splits no possessive, file's name or address."""
    for first, token in enumerate(tokens):
        if not (token.tail or token.dotted):
            for last in range(first, min(first + longest, len(tokens))):
                if not (last + 1 < len(tokens) and tokens[last + 1].dotted):
                    yield Span(token.start, tokens[last].end, first, last)


def addresses_in(question: str) -> list[tuple[int, int]]:
    """Where the e-mail addresses of a question stand."""
    return [match.span() for match in _ADDRESS.finditer(question)]


def is_address(text: str) -> bool:
    """Whether a text is an e-mail address."""
    return _ADDRESS.fullmatch(text) is not None


def codes_in(question: str, tokens: Sequence[Token]) -> Iterator[Span]:
    """The words that are written as identifiers are, `Q52`, and such of several words, `WH-B`."""
    for match in _IDENTIFIER.finditer(question):
        text = match[0]
        has_digit = any(map(str.isdigit, text)) and not text.isdigit()
        span = words_of_stretch(tokens, *match.span())
        if span is None or len(text) > _LONGEST_CODE or not (has_digit or text.isupper()):
            continue
        is_one = _CODE.fullmatch(text) is not None
        if (is_one or span.last > span.first) and not any(
            is_dotted(tokens, at) for at in range(span.first, span.last + 1)
        ):
            yield span


def is_dotted(tokens: Sequence[Token], position: int) -> bool:
    """Whether a word is part of the name of a file or of an address."""
    return any(token.dotted for token in tokens[position : position + 2])


def words_of_stretch(tokens: Sequence[Token], start: int, end: int) -> Span | None:
    """A stretch of text as a span of the words that begin in it; None where none does."""
    inside = [position for position, token in enumerate(tokens) if start <= token.start < end]
    return Span(start, end, inside[0], inside[-1]) if inside else None


def normalised(tokens: Iterable[Token]) -> str:
    """The normalised text of words that follow one another."""
    return "".join(word.norm if word.joins else f" {word.norm}" for word in tokens).strip()


def spellings(question: str, tokens: Sequence[Token], span: Span) -> list[Spelling]:
    """The forms to look a stretch of words up by.

    As written; single letters joined, so that `U.S.` finds `US`, but no digits, as of `7/7`; a
    plural made singular, of the last word or before `of`; an apostrophe left out or put in, so that
    `Schindlers List` finds `Schindler's List`; with a leading `the`.
    """
    words = tokens[span.first : span.last + 1]
    end = whole_end(question, span)
    text = question[span.start : end]
    forms = [Spelling(normalised(words), True, text)]
    if _are_letters(words):
        joined = "".join(word.text for word in words)
        forms.append(Spelling(normalise(joined), True, joined))
    changed = [
        question[span.start : start] + instead + question[stop:end]
        for start, stop, instead in _changes(words)
    ]
    if words[0].norm != "the" and not words[0].unspaced:
        changed.append(f"the {text}")
    for written in changed:
        if all(form.norm != (norm := normalise(written)) for form in forms):
            forms.append(Spelling(norm, False, written))
    return forms


def _are_letters(words: Sequence[Token]) -> bool:
    """Whether several words are a letter or digit each, no two digits beside one another."""
    are_single = len(words) > 1 and all(len(w.norm) == 1 and not w.unspaced for w in words)
    return are_single and not any(
        one.norm.isdecimal() and next_one.norm.isdecimal() for one, next_one in pairwise(words)
    )


def turned_form(
    question: str, tokens: Sequence[Token], span: Span, nouns: Collection[str]
) -> Spelling | None:
    """The form of `the river Jordan` that finds `Jordan River`; None for other words.

    Such a span follows *the* and begins with one of the `nouns` of classes.
    """
    words = tokens[span.first : span.last + 1]
    follows = span.first > 0 and tokens[span.first - 1].norm == "the"
    if not follows or words[0].norm not in nouns or not 1 < len(words) <= _TURNED:
        return None
    written = f"{question[words[1].start : whole_end(question, span)]} {words[0].text}"
    return Spelling(normalise(written), False, written)


def whole_end(question: str, span: Span) -> int:
    """The end of a span with the bracket or the last full stop of an initialism that ends it."""
    text, after = question[span.start : span.end], question[span.end : span.end + 1]
    unclosed = after == ")" and text.count("(") > text.count(")")
    initialism = after == "." and _INITIALISM.search(text)
    return span.end + 1 if unclosed or initialism else span.end


def _changes(words: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """Where a name may be spelled otherwise in the KG, and what may stand there instead."""
    *inner, last = words
    if not last.tail and (singular_form := _singular_form(last)):
        yield last.start, last.end, singular_form
    for word, after in pairwise(words):
        if after.tail and after is not last:
            yield word.end, after.end, after.text
        elif after.norm == "of" and (singular_form := _singular_form(word)):
            yield word.start, word.end, singular_form
    for word in inner:
        if singular(word.norm) == word.norm[:-1]:
            yield word.end - 1, word.end, f"'{word.text[-1]}"


def _singular_form(word: Token) -> str:
    """The singular in the word's own case; empty where it is none."""
    form = singular(word.norm)
    if form == word.norm:
        return ""
    shared = len(commonprefix([form, word.text.casefold()]))
    return word.text[:shared] + form[shared:]


def _trimmed(question: str, start: int, end: int) -> Span:
    text = question[start:end]
    start += len(text) - len(text.lstrip())
    return Span(start, max(start, start + len(text.strip())), -1, -1)
