"""What a question says about a mention beside its name, to tell homonyms apart."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..kg.labels.index import TermInfo, Word
from ..kg.labels.names import normalise
from .spans import Span, Spelling, Token
from .words import FUNCTION_WORDS, OF_LANGUAGES, THE_ONE, is_everyday, singular

_MOST_BEFORE = 3
_MOST_AFTER = 6
_DETERMINERS = frozenset({"the", "a", "an", "not"})
_LIST_WORDS = frozenset({"and", "or"})


class Surroundings(NamedTuple):
    """Words that describe a mention (`near`), that it is not (`denied`), and the others (`far`)."""

    near: frozenset[str]
    denied: frozenset[str]
    far: frozenset[str]


class Relevance(NamedTuple):
    """How well a candidate fits what is said near its mention and far from it; 0 to 1."""

    near: float
    far: float


def relation_phrases(vocabulary: Iterable[Word]) -> frozenset[str]:
    """The normalised labels and aliases of relations."""
    return frozenset(normalise(word.text) for word in vocabulary if word.relation)


def nouns(vocabulary: Iterable[Word]) -> frozenset[str]:
    """What relations and classes are called, by the last word: `city` of `largest city`.

    Not of `flows through`, and no word of languages: `official` does not tell what is `Spanish`.
    """
    names = [normalise(word.text).split() for word in vocabulary]
    return _content(name[-1] for name in names if name) - OF_LANGUAGES


def relation_spans(
    forms: Mapping[Span, Sequence[Spelling]], relations: frozenset[str]
) -> list[Span]:
    """The spans of several words that name a relation; nothing within them is an entity.

    The UN of `UN subregion` is none, where that is what a relation is called.
    """
    return [
        span
        for span, variants in forms.items()
        if span.first < span.last
        and any(_with_singular_noun(f.norm) in relations for f in variants)
    ]


def _with_singular_noun(norm: str) -> str:
    before, space, last = norm.rpartition(" ")
    return before + space + singular(last)


def surroundings(
    question: str,
    tokens: Sequence[Token],
    span: Span,
    relations: frozenset[str],
    everyday: frozenset[str],
    listed: Collection[Span],
) -> Surroundings:
    """Read `the US state of X`, `the city X`, `X, the island` and `X (not the state)`.

    What is `listed` beside the mention says nothing about it.
    """
    near: list[str] = []
    denied: list[str] = []
    before = [token.norm for token in preceding(question, tokens, span)]
    if not _is_relation(before, relations):
        near += before
    turned = False
    for token in following(question, tokens, span):
        turned = turned or token.norm == "not"
        (denied if turned else near).append(token.norm)
    distant = {
        token.norm
        for position, token in enumerate(tokens)
        if not any(other.first <= position <= other.last for other in (span, *listed))
        and not is_everyday([token.norm], everyday)
    }
    return Surroundings(
        _content(near), _content(denied), _content(distant - set(near) - set(denied))
    )


def preceding(question: str, tokens: Sequence[Token], span: Span) -> list[Token]:
    """The words `US state` of `the US state of X`, and `city` of `the city X`."""
    position = span.first - 1
    if position >= 0 and tokens[position].norm == "the":
        position -= 1
    if position >= 0 and tokens[position].norm == "of":
        words = list(_words_back_from(question, tokens, position - 1))
        return words[::-1]
    if 0 < position == span.first - 1 and tokens[position - 1].norm == "the":
        return [tokens[position]] if _gap(question, tokens, position).isspace() else []
    return []


def following(question: str, tokens: Sequence[Token], span: Span) -> list[Token]:
    """The words of `X (the island)` and of `X, the island`, up to the end of the clause."""
    position = span.last + 1
    if position >= len(tokens):
        return []
    gap = question[span.end : tokens[position].start]
    if "(" not in gap and not ("," in gap and tokens[position].norm in _DETERMINERS):
        return []
    words = [tokens[position]]
    for later in range(position + 1, min(position + _MOST_AFTER, len(tokens))):
        if any(mark in _gap(question, tokens, later - 1) for mark in ",.;:?!)"):
            break
        words.append(tokens[later])
    return words


def is_apposition(question: str, tokens: Sequence[Token], span: Span, neighbour: Span) -> bool:
    """Whether `neighbour` only tells which `span` is meant: `Paris, France`, not `Paris, Rome`."""
    if neighbour in (span, None) or neighbour.first < 0 or span.first < 0:
        return False
    if neighbour.first == span.last + 1:
        gap = question[span.end : neighbour.start]
        if "(" in gap:
            return True
        if gap.strip() != ",":
            return False
        after = (
            question[neighbour.end : tokens[neighbour.last + 1].start]
            if _has_next(tokens, neighbour)
            else ""
        )
        listed = "," in after or (
            _has_next(tokens, neighbour) and tokens[neighbour.last + 1].norm in _LIST_WORDS
        )
        before = question[tokens[span.first - 1].end : span.start] if span.first else ""
        return not listed and "," not in before
    return any(
        neighbour.start <= token.start < neighbour.end
        for token in preceding(question, tokens, span)
    )


def says_which(
    question: str, tokens: Sequence[Token], span: Span, info: TermInfo, rivals: Sequence[TermInfo]
) -> Span | None:
    """The words after a name that only say which of several is meant: `Texas` of `Paris, Texas`.

    They stand so in the description of the one that is meant, and not in those of all its rivals.
    """
    first = span.last + 1
    if span.first < 0 or first >= len(tokens):
        return None
    is_bracketed = "(" in question[span.end : tokens[first].start]
    ends = list[int]()
    for last in range(first, min(first + _MOST_AFTER, len(tokens))):
        gap = _gap(question, tokens, last)
        ends += [last] if not is_bracketed or gap.startswith(")") else []
        if ")" in gap if is_bracketed else not gap.isspace():
            break
    for end in reversed(ends):
        words = [token.norm for token in tokens[first : end + 1]]
        other = Span(tokens[first].start, tokens[end].end, first, end)
        if words[-1] in FUNCTION_WORDS or not is_apposition(question, tokens, span, other):
            continue
        if words[0] in _DETERMINERS:
            del words[0]
        phrase = f" {' '.join(words)} "
        said, *others = (phrase in f" {normalise(each.description)} " for each in (info, *rivals))
        if said and not all(others):
            return other
    return None


def disambiguates(question: str, tokens: Sequence[Token], span: Span, neighbour: Span) -> bool:
    """Whether `neighbour` tells homonyms apart: `Georgia, the one in the Caucasus`, not `outside`.

    Nor in `Of the neighbours of Georgia, the one in the Caucasus`.
    """
    words = [
        token.norm for token in following(question, tokens, span) if token.end <= neighbour.start
    ]
    return " ".join(words).removesuffix(" the") in THE_ONE and tokens[0].norm != "of"


def described(question: str, tokens: Sequence[Token], listed: Collection[Span]) -> str:
    """The word right after a list of mentions, in the singular: `river` of `French rivers`.

    None where they are what somebody speaks: `people who speak French border Mali`.
    """
    first, last = min(listed).first - 1, max(listed).last + 1
    if last >= len(tokens) or not question[max(listed).end : tokens[last].start].isspace():
        return ""
    if first >= 0 and singular(tokens[first].norm) in OF_LANGUAGES:
        return ""
    return singular(tokens[last].norm)


def listed_with(
    question: str, tokens: Sequence[Token], ordered: Sequence[Span]
) -> dict[Span, set[Span]]:
    """For each mention, in order of appearance, those in one list with it: `X, the Y and Z`."""
    lists: dict[Span, set[Span]] = {}
    for position, span in enumerate(ordered):
        follows = position > 0 and _is_listed(question, tokens, ordered[position - 1], span)
        lists[span] = lists[ordered[position - 1]] if follows else set()
        lists[span].add(span)
    return lists


def _is_listed(question: str, tokens: Sequence[Token], left: Span, right: Span) -> bool:
    if left.first < 0 or right.first < 0:
        return False
    between = {token.norm for token in tokens[left.last + 1 : right.first]}
    linked = "," in question[left.end : right.start] or not between.isdisjoint(_LIST_WORDS)
    return linked and between <= _LIST_WORDS | {"the"}


def relevance(
    info: TermInfo,
    context: Surroundings,
    apposed_labels: Sequence[str],
    other_labels: Sequence[str],
) -> Relevance:
    """Compare what is said with a candidate's description and class.

    `apposed_labels` are the labels of entities in apposition to the mention, `other_labels` those
    of the other mentions.
    """
    description = f" {normalise(info.description)} "
    kind = _content(normalise(info.kind).split())
    words = _content(description.split()) | kind

    def names(label: str) -> bool:
        return normalise(label) != normalise(info.label) and f" {normalise(label)} " in description

    def says(word: str) -> bool:
        return word in words or any(len(word) > 3 and noun.endswith(word) for noun in kind)

    if kind & context.denied:
        near_share = 0.0
    elif any(names(label) for label in apposed_labels):
        near_share = 1.0
    elif context.near:
        near_share = sum(says(word) for word in context.near) / len(context.near)
    else:
        near_share = float(bool(context.denied))
    far = any(names(label) for label in other_labels) or not words.isdisjoint(context.far)
    return Relevance(near_share, float(far))


def _words_back_from(question: str, tokens: Sequence[Token], position: int) -> Iterator[Token]:
    for at in range(position, max(position - _MOST_BEFORE, -1), -1):
        if tokens[at].norm in _DETERMINERS or not _gap(question, tokens, at).isspace():
            return
        yield tokens[at]


def _gap(question: str, tokens: Sequence[Token], position: int) -> str:
    """What stands between a word and the next one."""
    after = tokens[position + 1].start if position + 1 < len(tokens) else len(question)
    return question[tokens[position].end : after]


def _has_next(tokens: Sequence[Token], span: Span) -> bool:
    return span.last + 1 < len(tokens)


def _is_relation(words: Sequence[str], relations: frozenset[str]) -> bool:
    """Whether `words` before `of` name a relation, as in `capital city of X`."""
    phrases = {" ".join(words[start:]) for start in range(len(words))} | set(words)
    return bool((phrases | {singular(phrase) for phrase in phrases}) & relations)


def _content(words: Iterable[str]) -> frozenset[str]:
    return frozenset(singular(word) for word in words if word not in FUNCTION_WORDS)
