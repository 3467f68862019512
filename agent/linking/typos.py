"""Names with typos: which stretches of a question to try, and how alike a name must be."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set

from rapidfuzz.distance import OSA

from ..kg.labels.index import Similar
from .plausible import Casing
from .spans import Span, Token, is_dotted, spans
from .words import is_everyday, is_ordinary

_SHORTEST = 5
_MOST_WORDS = 5
_MOST_WORDS_IN_CAPITALS = 10
_SHORTEST_WITH_TWO = 8
_SHORTEST_APART = 8
"""Letters of a word that stands apart from which one may be lost: Cyprus, Cyrus."""
_LEAST_LEFT = 0.65
"""How alike the words must be that are not exactly a name of their own."""
_ARTICLES = frozenset({"a", "an", "the"})
_DOUBLED = re.compile(r"(\w)\1")


def most_typos(norm: str) -> int:
    """With how many typos a normalised text is looked for."""
    return 2 if len(norm.removeprefix("the ")) >= _SHORTEST_WITH_TWO else 1


def likeness(
    norm: str, name: Similar, intact: Iterable[str] = (), *, stands_apart: bool = False
) -> float:
    """How alike a text and a name are from 0 to 1, a leading `the` apart.

    They are nothing alike where digits differ, the name lacks a part that is `intact`, or what is
    left without these parts is another word, as in `led Stone` and `Fred Stone`. Two typos change
    no first letter, and no word by half: Ruritania is not Mauritania, nor Mount Doom Mount Cook.
    A word that `stands_apart`, see `is_apart`, is the name but for letters doubled or swapped, or
    one that a long word lacks, all within it: others are other words, as Javanese and Japanese.
    """
    if _digits(norm) != _digits(name.norm):
        return 0.0
    texts = [norm.removeprefix("the "), name.norm.removeprefix("the ")]
    letters = max(map(len, texts))
    if stands_apart and not _is_slip(*texts):
        return 0.0
    for part in intact:
        if f" {part} " not in f" {name.norm} ":
            return 0.0
        texts = [f" {text} ".replace(f" {part} ", " ", 1).strip() for text in texts]
    if name.distance > (1 - _LEAST_LEFT) * max(map(len, texts)):
        return 0.0
    if name.distance > 1 and (texts[0][:1] != texts[1][:1] or _has_another_word(*texts)):
        return 0.0
    return 1 - name.distance / letters


def _is_slip(text: str, name: str) -> bool:
    if not is_within(text, name):
        return False
    doubled = _DOUBLED.sub(r"\1", text) == _DOUBLED.sub(r"\1", name)
    letters = iter(name)
    lost = _SHORTEST_APART <= len(text) == len(name) - 1 and all(
        letter in letters for letter in text
    )
    return doubled or lost or sorted(text) == sorted(name)


def _has_another_word(text: str, name: str) -> bool:
    """Whether any word of as many words is less than alike to that in its place."""
    pairs = list(zip(text.split(), name.split(), strict=False))
    if len(text.split()) != len(name.split()):
        return False
    most = [(1 - _LEAST_LEFT) * max(map(len, pair)) for pair in pairs]
    return any(OSA.distance(*pair) > limit for pair, limit in zip(pairs, most, strict=True))


def suspects(
    tokens: Sequence[Token],
    casing: Casing,
    everyday: frozenset[str],
    longest: int,
    linked: Collection[Span] = (),
) -> list[Span]:
    """Stretches of up to `longest` words, and an article, that look like names; the longest first.

    Where names are `linked` already, only those that hold a word which should be part of one: in
    capitals, or an unusual one, which where capitals tell must stand beside a lone name. They may
    swallow what is linked, as `Michael Wadleihg` does if there is a Michael, not cut it. A single
    ordinary word is among them only where `and` or `or` joins it to a name.
    """
    stretches = _like_names(tokens, casing, everyday, longest)
    if linked:
        odd = _odd(tokens, casing, everyday, linked)
        stretches = (span for span in stretches if _completes(tokens, span, linked, odd))
    return sorted(stretches, key=lambda span: (-len(_core(tokens, span)), span))


def lone_words(tokens: Sequence[Token], everyday: frozenset[str]) -> list[Span]:
    """The long words in lower case that are neither ordinary nor everyday ones.

    In a question whose capitals tell names they may still be one, where it has no other.
    """
    return [
        Span(token.start, token.end, at, at)
        for at, token in enumerate(tokens)
        if len(token.norm) >= _SHORTEST_APART
        and token.text.islower()
        and token.text.isalpha()
        and not (token.unspaced or is_dotted(tokens, at))
        and not (is_everyday([token.norm], everyday) or is_ordinary(token.norm))
    ]


def is_within(norm: str, name: str) -> bool:
    """Whether a word is as a name but for letters within: the ends of `romanian` say otherwise."""
    return (norm[:1], norm[-1:]) == (name[:1], name[-1:])


def is_apart(tokens: Sequence[Token], span: Span, linked: Collection[Span]) -> bool:
    """Whether a span is a single word that nothing joins to the names `linked`.

    Its ends tell it from them: `Romanian` is no misspelt `Romania`, nor `Tiger` a `Niger`.
    """
    joined = any(_are_joined(tokens, span, other) for other in linked)
    return bool(linked) and len(_core(tokens, span)) == 1 and not joined


def _digits(text: str) -> list[str]:
    return [character for character in text if character.isdigit()]


def _like_names(
    tokens: Sequence[Token], casing: Casing, everyday: frozenset[str], longest: int
) -> Iterator[Span]:
    """Stretches that may be a name by where they end and by what is in them.

    A short question as a whole may be a name, whatever it begins and ends with.
    """
    most = _MOST_WORDS_IN_CAPITALS if casing.informative else _MOST_WORDS
    for span in spans(tokens, min(longest + 1, most)):
        core = _core(tokens, span)
        whole = len(tokens) == span.last - span.first + 1
        if not core or any(token.unspaced or token.dotted for token in core):
            continue
        ends = whole or all(_may_end_a_name(end, casing, everyday) for end in (core[0], core[-1]))
        is_word = not whole and len(core) == 1 and core[0].text.islower()
        if ends and not (is_word and is_ordinary(core[0].norm)):
            if _is_like_a_name(core, casing, everyday):
                yield span


def _may_end_a_name(token: Token, casing: Casing, everyday: frozenset[str]) -> bool:
    """Whether a name may begin or end with a word: with no everyday one, capitals apart."""
    in_capitals = casing.informative and _has_capital(token) and not token.opens
    return not token.tail and (in_capitals or not is_everyday([token.norm], everyday))


def _is_like_a_name(words: Sequence[Token], casing: Casing, everyday: frozenset[str]) -> bool:
    """Whether words are long enough, not all everyday ones, and have capitals where these tell."""
    norms = [token.norm for token in words]
    name = " ".join(norms)
    if len(name) < _SHORTEST or not any(map(str.isalpha, name)):
        return False
    if is_everyday(norms, everyday) and not (casing.informative and len(norms) > 1):
        return False
    return not casing.informative or any(map(_has_capital, words))


def _odd(
    tokens: Sequence[Token], casing: Casing, everyday: frozenset[str], linked: Collection[Span]
) -> set[int]:
    """The places of words that are in no name and look like part of one."""
    covered = {position for span in linked for position in range(span.first, span.last + 1)}
    alone = {span.first for span in linked if span.first == span.last}

    def is_odd(position: int, token: Token) -> bool:
        if not casing.informative or position - 1 in alone or position + 1 in alone:
            return not is_everyday([token.norm], everyday)
        opens = token.opens and is_everyday([token.norm], everyday)
        return _has_capital(token) and not opens and token.norm != "i"

    return {
        position
        for position, token in enumerate(tokens)
        if position not in covered and is_odd(position, token)
    }


def _completes(
    tokens: Sequence[Token],
    span: Span,
    linked: Collection[Span],
    odd: Set[int],
) -> bool:
    """Whether a stretch holds an odd word, only whole names, and is no lone ordinary word."""
    if odd.isdisjoint(range(span.first, span.last + 1)):
        return False
    touched = [other for other in linked if other.first <= span.last and span.first <= other.last]
    if touched:
        return all(span.first <= other.first and other.last <= span.last for other in touched)
    return not (is_apart(tokens, span, linked) and is_ordinary(_core(tokens, span)[0].norm))


def _are_joined(tokens: Sequence[Token], text: Span, other: Span) -> bool:
    left, right = sorted((text, other))
    between = [token.norm for token in tokens[left.last + 1 : right.first]]
    return between in (["and"], ["or"], ["and", "the"], ["or", "the"])


def _core(tokens: Sequence[Token], span: Span) -> Sequence[Token]:
    """The words of a span without a leading article."""
    return tokens[span.first + (tokens[span.first].norm in _ARTICLES) : span.last + 1]


def _has_capital(token: Token) -> bool:
    """Whether there is a capital anywhere in the word, as in `eBnjamin`, or it is a number."""
    return not token.text.islower()
