"""The words of a question, and which stretches of them may be the name of something."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..kg.names import normalise
from .words import singular

_BRACKETED = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]")
_QUOTED = re.compile(
    '["\u201c\u201e\u00ab]([^"\u201c\u201d\u201e\u00ab\u00bb]+)["\u201d\u201c\u00bb]'
)
_INITIALISM = re.compile(r"(?:^|\W)(?:\w\.)+\w$")
_APOSTROPHES = "'\u2019\u2018\u02bc`\u00b4"
_SENTENCE_END = ".?!:;\n"


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
    """A form under which a stretch of words is looked up; `exact` unless it was changed for it."""

    norm: str
    exact: bool


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


def spellings(tokens: Sequence[Token], span: Span) -> list[Spelling]:
    """The forms to look a stretch of words up by: as written, singular, with a leading `the`.

    Single letters are joined too, so that `U.S.` finds `US`.
    """
    words = [token.norm for token in tokens[span.first : span.last + 1]]
    norm = " ".join(words)
    forms = [Spelling(norm, True)]
    last = singular(words[-1])
    if last != words[-1] and not tokens[span.last].tail:
        forms.append(Spelling(" ".join([*words[:-1], last]), False))
    if words[0] != "the":
        forms.append(Spelling(f"the {norm}", False))
    if len(words) > 1 and all(len(word) == 1 for word in words):
        forms.append(Spelling("".join(words), True))
    return forms


def whole_end(question: str, span: Span) -> int:
    """The end of a span with the bracket or the last full stop of an initialism that ends it."""
    text, after = question[span.start : span.end], question[span.end : span.end + 1]
    unclosed = after == ")" and text.count("(") > text.count(")")
    initialism = after == "." and _INITIALISM.search(text)
    return span.end + 1 if unclosed or initialism else span.end


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
    return any(part.isalnum() for part in unicodedata.normalize("NFKD", character))


def _trimmed(question: str, start: int, end: int) -> Span:
    text = question[start:end]
    start += len(text) - len(text.lstrip())
    return Span(start, max(start, start + len(text.strip())), -1, -1)
