"""Whether a stretch of a question is meant as a name: capitals, acronyms and everyday words."""

from collections.abc import Iterable, Sequence
from itertools import dropwhile
from typing import NamedTuple

from ..kg.labels.index import Word
from ..kg.labels.names import normalise
from .spans import Span, Token, normalised
from .words import COMMON_WORDS, FUNCTION_WORDS, OTHER_FUNCTION_WORDS, is_everyday

_LONGEST_ACRONYM = 4


class Casing(NamedTuple):
    """`informative` if a question's capitals tell names from words, `lower` if it has none."""

    informative: bool
    lower: bool


def casing_of(tokens: Sequence[Token], everyday: frozenset[str]) -> Casing:
    """Judge a question's capitals, those of `I` and of the words that open sentences apart."""
    inside = [t for t in tokens if not t.opens and t.norm != "i" and t.text[0].isalpha()]
    upper = any(token.text[0].isupper() for token in inside)
    lower = any(token.text[0].islower() and is_everyday([token.norm], everyday) for token in tokens)
    return Casing(informative=upper and lower, lower=not upper)


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
    tokens: Sequence[Token], span: Span, casing: Casing, everyday: frozenset[str]
) -> int:
    """How many words of a span count for it: not `directed by` before a name in capitals."""

    def is_extra(token: Token) -> bool:
        return (token.opens or not token.capital) and is_everyday([token.norm], everyday)

    words = tokens[span.first : span.last + 1]
    return len(list(dropwhile(is_extra, words))) if casing.informative else len(words)


def is_plausible(
    question: str,
    tokens: Sequence[Token],
    span: Span,
    surface: str,
    casing: Casing,
    everyday: frozenset[str],
) -> bool:
    """Whether the words of a span may be meant as the name that the KG spells `surface`."""
    words = tokens[span.first : span.last + 1]
    text = "".join(token.text for token in words)
    is_capitalised = casing.informative and any(
        token.capital and not token.opens for token in words
    )
    if _is_acronym(surface) and _is_spelled_out(words, text):
        return _is_plausible_acronym(tokens, span, text, casing, everyday)
    if len(text) == 1:
        return is_capitalised and text == surface and text.isalpha()
    if is_everyday(normalised(words).split(), everyday):
        same_case = words[-1].capital and question.startswith(surface, span.start)
        return is_capitalised and (same_case or _are_capitalised(words))
    return True


def _are_capitalised(words: Sequence[Token]) -> bool:
    return all(token.capital or token.tail for token in words)


def _is_plausible_acronym(
    tokens: Sequence[Token], span: Span, text: str, casing: Casing, everyday: frozenset[str]
) -> bool:
    """Whether letters are meant as an acronym: in capitals, after `the`, or no everyday word."""
    word = is_everyday([text.casefold()], everyday)
    if text.isupper():
        return casing.informative or casing.lower or not word
    after_article = span.first > 0 and tokens[span.first - 1].norm == "the"
    return after_article or (casing.lower and not word)


def _is_spelled_out(words: Sequence[Token], written: str) -> bool:
    """Whether words are one, or letter by letter."""
    return all(len(token.text) in (1, len(written)) for token in words)


def _is_acronym(surface: str) -> bool:
    letters = "".join(character for character in surface if character.isalnum())
    return 1 < len(letters) <= _LONGEST_ACRONYM and letters.isalpha() and letters.isupper()
