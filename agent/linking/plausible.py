"""Whether a stretch of a question is meant as a name: capitals, acronyms and everyday words."""

from collections.abc import Iterable, Sequence
from itertools import dropwhile
from typing import NamedTuple

from ..kg.labels.index import Word
from ..kg.labels.names import normalise
from .mentions import Span, Token, normalised
from .words import COMMON_WORDS, FUNCTION_WORDS, OTHER_FUNCTION_WORDS, is_everyday

_LONGEST_ACRONYM = 4


class Typing(NamedTuple):
    """How a question was typed: `telling` when capitals tell names from words, `lower` without."""

    telling: bool
    lower: bool


def typing_of(tokens: Sequence[Token], everyday: frozenset[str]) -> Typing:
    """Judge a question's capitals, those of `I` and of the words that open sentences apart."""
    inside = [t for t in tokens if not t.opens and t.norm != "i" and t.text[0].isalpha()]
    upper = any(token.text[0].isupper() for token in inside)
    lower = any(token.text[0].islower() and is_everyday([token.norm], everyday) for token in tokens)
    return Typing(telling=upper and lower, lower=not upper)


def everyday_words(vocabulary: Iterable[Word], languages: Iterable[str] = ()) -> frozenset[str]:
    """The words that alone name no entity: function words, common ones, relations and classes.

    Function words are those of English and of `languages`, as far as they are known.

    A name inside a relation's label (`located in Germany`) stays a name.
    """
    words: set[str] = {*FUNCTION_WORDS, *COMMON_WORDS}
    for tag in languages:
        words |= OTHER_FUNCTION_WORDS.get(tag.partition("-")[0], frozenset())
    for entry in vocabulary:
        pieces = entry.text.replace("_", " ").split()
        content = [piece for piece in pieces if piece.casefold() not in FUNCTION_WORDS]
        titled = all(piece[0].isupper() for piece in content)
        for piece in content:
            acronym = len(piece) > 1 and piece.isupper()
            if titled or not (piece[0].isupper() and (acronym or piece != pieces[0])):
                words.update(normalise(piece).split())
    return frozenset(words)


def words_of_name(
    tokens: Sequence[Token], span: Span, typing: Typing, everyday: frozenset[str]
) -> int:
    """How many words of a span count for it: not `directed by` before a name in capitals."""

    def is_extra(token: Token) -> bool:
        return (token.opens or not token.capital) and is_everyday([token.norm], everyday)

    words = tokens[span.first : span.last + 1]
    return len(list(dropwhile(is_extra, words))) if typing.telling else len(words)


def is_plausible(
    question: str,
    tokens: Sequence[Token],
    span: Span,
    surface: str,
    typing: Typing,
    everyday: frozenset[str],
) -> bool:
    """Whether the words of a span may be meant as the name that the KG spells `surface`."""
    words = tokens[span.first : span.last + 1]
    written = "".join(token.text for token in words)
    shown = typing.telling and any(token.capital and not token.opens for token in words)
    if _is_acronym(surface) and all(
        len(token.text) == len(written) or len(token.text) == 1 for token in words
    ):
        if written.isupper():
            return typing.telling or typing.lower or not is_everyday([written.casefold()], everyday)
        if span.first > 0 and tokens[span.first - 1].norm == "the":
            return True
        return typing.lower and not is_everyday([written.casefold()], everyday)
    if len(written) == 1:
        return shown and written == surface and written.isalpha()
    if is_everyday(normalised(words).split(), everyday):
        whole = words[-1].capital and question.startswith(surface, span.start)
        return shown and (whole or all(token.capital or token.tail for token in words))
    return True


def _is_acronym(surface: str) -> bool:
    letters = "".join(character for character in surface if character.isalnum())
    return 1 < len(letters) <= _LONGEST_ACRONYM and letters.isalpha() and letters.isupper()
