"""A question with the query that it asks: words of which each says what it is for.

What it names stands in the words as signs: a word that holds `sign(0)` is the first mention, with
whatever stands around the sign. The names themselves are kept apart.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from ...agent.kg.terms import is_literal
from ...agent.query.actions import Action
from ...agent.query.values import value_of
from ..questions.graph import Graph, Node
from ..wording.english import Texts
from ..wording.noise import misspell, swap_windows, without_punctuation
from ..wording.phrasebook import Phrasebook

Use: TypeAlias = Literal["used", "mention", "filler", "unread"]
"""What a word is for: it makes part of the query, names something, asks nothing, or is left out."""

_FIRST_SIGN = 0xE000
_SIGN = re.compile("[\ue000-\ue0ff]")


class Word(NamedTuple):
    """A word and what it is for."""

    text: str
    use: Use = "used"

    @property
    def names(self) -> bool:
        """Whether a mention is in it."""
        return _SIGN.search(self.text) is not None


Words: TypeAlias = tuple[Word, ...]


def sign(number: int) -> str:
    """The character that stands for the mention of a number."""
    return chr(_FIRST_SIGN + number)


def numbered(text: str) -> list[tuple[int, re.Match[str]]]:
    """The signs in a text, each with its number."""
    return [(ord(match[0]) - _FIRST_SIGN, match) for match in _SIGN.finditer(text)]


def words_of(text: str, use: Use = "used") -> Words:
    """The words of a text; those with a sign are mentions."""
    return tuple(Word(word, "mention" if _SIGN.search(word) else use) for word in text.split())


def text_of(words: Iterable[Word]) -> str:
    """The words as one text."""
    return " ".join(word.text for word in words)


def disturbed(
    words: Words,
    dropped: frozenset[str],
    swaps: Sequence[tuple[Mapping[str, Texts], float]],
    rng: Random,
) -> Words:
    """What hurried or foreign writers make of the words; none goes that changes what is asked.

    Of each of `swaps`, words are replaced at a rate by others that may stand for them. Only words
    among `dropped` are left out.
    """
    for options, rate in swaps:
        words = _swapped(words, options, rate, rng)
    if rng.random() < 0.35:
        rate = rng.choice((0.1, 0.2, 0.5))
        words = (
            tuple(word for word in words if word.text not in dropped or rng.random() > rate)
            or words
        )
    for chance, edit in ((0.3, _misspelt), (0.05, _transposed), (0.1, _unpunctuated)):
        if rng.random() < chance:
            words = edit(words, rng)
    return words


def _swapped(words: Words, options: Mapping[str, Texts], rate: float, rng: Random) -> Words:
    def others(window: Words) -> list[Words]:
        alike = len({word.use for word in window}) == 1
        texts = options.get(text_of(window), ()) if alike else ()
        return [words_of(text, window[0].use) for text in texts]

    return swap_windows(words, others, rate, rng)


def _misspelt(words: Words, rng: Random) -> Words:
    """One word or two with a slip of the hand; none that names something, and no short one."""
    changed = list(words)
    for _ in range(rng.choice((1, 1, 2))):
        index = rng.randrange(len(changed))
        word = changed[index]
        if len(word.text) > 3 and not word.names:
            changed[index] = word._replace(text=misspell(word.text, rng))
    return tuple(changed)


def _transposed(words: Words, rng: Random) -> Words:
    """Two neighbours in the other order, unless one of them names something."""
    if len(words) < 3:
        return words
    index = rng.randrange(len(words) - 1)
    first, second = words[index : index + 2]
    if first.names or second.names:
        return words
    return (*words[:index], second, first, *words[index + 2 :])


def _unpunctuated(words: Words, _: Random) -> Words:
    bare = (word._replace(text=without_punctuation(word.text)) for word in words)
    return tuple(word for word in bare if word.text)


class Named(NamedTuple):
    """What a sign stands for: a text of the question, and the class of what it names.

    The class is `number` or `text` where that is a value.
    """

    text: str
    kind: str


class Earlier(NamedTuple):
    """What came before: classes of topics and answers, or the question before."""

    topics: str = ""
    answers: str = ""
    many: bool = False
    question: Words = ()


class QueryQuestion(NamedTuple):
    """A question and the actions of its query; `None` where the graph cannot answer it.

    Pointers are the numbers of `named`, whose signs stand in the words.
    """

    words: Words
    named: tuple[Named, ...]
    actions: tuple[Action, ...] | None
    earlier: Earlier | None = None


def earlier_class(graph: Graph, node: Node) -> str:
    """The class that the agent tells of what came before, or the kind of value that it was."""
    term = graph.terms[node]
    if not is_literal(term):
        return graph.kinds[node] or "entity"
    value = value_of(term)
    if value is None:
        return "text"
    return "date" if value.unit == "date" else "number"


def named_node(graph: Graph, book: Phrasebook, node: Node) -> Named:
    """What a sign stands for that names a node; values are `number`s."""
    kind = graph.kinds[node]
    is_value = kind in book.names.values or is_literal(graph.terms[node])
    return Named(graph.names[node], "number" if is_value else kind)


def in_digits(number: float, rng: Random) -> str:
    """A round number near another one, as people write it."""
    digits = max(0, len(str(int(abs(number)))) - 2)
    size = round(number, -digits) if digits else round(number)
    size = int(size) or 1
    return f"{size:,}" if abs(size) >= 1000 and rng.random() < 0.4 else str(size)
