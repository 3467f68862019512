"""What is varied in a question with a query: noise, words that ask nothing, words no query can say.

Each word keeps saying what it is for: it makes part of the query, is `filler`, or is `unread`. So a
name that gives way to one that the graph does not hold is no mention any more, but unread words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from ...agent.query.actions import LITERAL, Action
from ..questions.compose import Composer
from ..questions.graph import Graph
from ..wording.english import Texts, sections, wordings
from .question import (
    Named,
    QueryQuestion,
    Word,
    Words,
    disturbed,
    named_node,
    numbered,
    sign,
    words_of,
)
from .skeletons import VALUES, chosen

_ADJECTIVES = 0.2
"""How many of the names that follow a noun stand before it, where they can."""
_OF = frozenset({"of", "in", "from"})
_LIMITED = 0.15
"""How many of the claims have words such as `only`, which make another claim of it."""
_ALONE = 0.05
"""How many other questions have such words before a name."""
_BE = ("is", "are", "that is", "that are", "and is", "and are")
"""What an adjective follows that says something at the end of a question."""
_WHOLE = "\uf8a2"
"""Stands for a whole question in what is put around it."""
_TITLED = 0.2
"""How many invented names are a name of the graph with one word changed."""
_SMALL = 0.2
"""How many are written without capital letters."""


@dataclass(frozen=True)
class Modifiers:
    """Words around and inside questions that ask nothing, and words that no graph can say."""

    filler: Mapping[str, Texts]
    unread: Mapping[str, Texts]


def load_modifiers() -> Modifiers:
    """The packaged words."""
    tables = wordings("modifiers")
    return Modifiers(sections(tables["filler"]), sections(tables["unread"]))


@dataclass(frozen=True)
class Variation:
    """Varies the questions over one graph; the shares are how many get each kind of change."""

    graph: Graph
    composer: Composer
    modifiers: Modifiers
    unread: float
    """Of the answerable questions."""
    filler: float
    noise: float

    def varied(self, question: QueryQuestion, rng: Random) -> QueryQuestion:
        """A question with the same query in other words, or with words added that it leaves out."""
        words, named = self._with_adjectives(question.words, rng), question.named
        if question.actions is not None and rng.random() < self.unread:
            words, named = self._with_unread(words, named, rng)
        if self.unread and question.actions is not None:
            words = self._limited(words, question.actions, rng)
        if rng.random() < self.filler:
            words = self._with_filler(words, rng)
        if rng.random() < self.noise:
            english, book = self.composer.english, self.composer.book
            swaps = ((english.contractions, 0.06), (book.synonyms, 0.1))
            words = disturbed(words, self._dropped, swaps, rng)
        return question._replace(words=words, named=named)

    @cached_property
    def _dropped(self) -> frozenset[str]:
        return frozenset(self.composer.english.frames["dropped"])

    def _with_filler(self, words: Words, rng: Random) -> Words:
        """With words that ask nothing: before, after or among the others, or around all."""
        style = rng.random()
        if style < 0.3:
            return (*self._filler("before", rng), *words)
        if style < 0.5:
            return (*words, *self._filler("after", rng))
        if style < 0.62:
            index = rng.randint(0, len(words))
            return (*words[:index], *self._filler("inside", rng), *words[index:])
        if style < 0.74:
            index = rng.choice([*self._after_nouns(words), len(words)])
            return (*words[:index], *self._filler("world", rng), *words[index:])
        before, _, after = self.composer.decorate(_WHOLE, rng).partition(_WHOLE)
        return (*words_of(before, "filler"), *words, *words_of(after, "filler"))

    def _filler(self, key: str, rng: Random) -> Words:
        return words_of(chosen(rng.choice(self.modifiers.filler[key]), rng), "filler")

    def _with_adjectives(self, words: Words, rng: Random) -> Words:
        """The words, some names before a noun: `Spanish rivers` for `rivers of Spain`."""
        if rng.random() > _ADJECTIVES:
            return words
        for index in self._after_nouns(words):
            after = [word.text for word in words[index : index + 3]]
            if not after or after[0] not in _OF:
                continue
            end = index + 1 + (after[1:2] == ["the"])
            if end < len(words) and any(sign(n) == words[end].text for n in range(32)):
                return (*words[: index - 1], words[end], words[index - 1], *words[end + 1 :])
        return words

    def _with_unread(
        self, words: Words, named: tuple[Named, ...], rng: Random
    ) -> tuple[Words, tuple[Named, ...]]:
        """With words that say something that no query of the graph can say."""
        index, key = self._unread_at(words, rng)
        text = chosen(rng.choice(self.modifiers.unread[key]), rng)
        if key == "adjective" and index == len(words):
            text = f"{rng.choice(_BE)} {text}"
        if key == "role":
            text = rng.choice(("the ", "")) + text + " of"
        if key == "verb":
            text = rng.choice(("and ", "and also ", "that ", "that also ", "but ")) + text
            other = rng.choice(self.graph.nodes[rng.choice(sorted(self.graph.nodes))])
            text = text.replace("{x}", sign(len(named)))
            named = (*named, named_node(self.graph, self.composer.book, other))
        added = tuple(word._replace(use="unread") for word in words_of(text))
        return (*words[:index], *added, *words[index:]), named

    def _limited(self, words: Words, actions: Sequence[Action], rng: Random) -> Words:
        """Some with a word that says of a thing that it is the only one; no query can say that."""
        claims = is_claim(actions)
        places = [index for index, word in enumerate(words) if word.names]
        if claims:
            articles = [index + 1 for index, word in enumerate(words) if word.text == "the"]
            places += [*articles, *range(1, max(places, default=0))]
        denies = any(action.kind in ("not", "missing") for action in actions)
        if not places or denies or rng.random() >= (_LIMITED if claims else _ALONE):
            return words
        index = rng.choice(places)
        text = chosen(rng.choice(self.modifiers.unread["limit"]), rng)
        return (*words[:index], *words_of(text, "unread"), *words[index:])

    def _unread_at(self, words: Words, rng: Random) -> tuple[int, str]:
        """The index at which unread words are put in, and which kind of them."""
        nouns, style = self._after_nouns(words), rng.random()
        if style < 0.34 and nouns:
            return rng.choice(nouns) - 1, "adjective" if rng.random() < 0.85 else "adverb"
        if style < 0.66:
            return rng.choice(nouns) if nouns and rng.random() < 0.5 else len(words), "after"
        if style < 0.78:
            return len(words) if rng.random() < 0.8 else 0, "time"
        if style < 0.82:
            return len(words), "manner"
        if style < 0.86:
            return len(words), "adjective"
        names = [index for index, word in enumerate(words) if word.names]
        if style < 0.93 and names:
            return rng.choice(names), "role"
        return len(words), "verb"

    def _after_nouns(self, words: Words) -> list[int]:
        """The indexes after class nouns."""
        return [n for n, word in enumerate(words, 1) if word.text.strip(",;:") in self._nouns]

    @cached_property
    def _nouns(self) -> frozenset[str]:
        """The class nouns of one word, in both numbers."""
        nouns = (noun for kind in self.graph.nodes for noun in self.composer.book.nouns(kind))
        texts = (text for noun in nouns for text in (noun.one, noun.many))
        return frozenset(text for text in texts if " " not in text)


def is_claim(actions: Sequence[Action]) -> bool:
    """Whether a query asks if named things are in a set, and so has an `and` of them alone."""
    kinds = [action.kind for action in actions]
    return kinds[-2:] == ["yesno", "end"] and kinds[-5:-2] == ["and", "pointer", "end"]


def with_unknown_name(
    question: QueryQuestion, names: Sequence[str], terms: Mapping[str, str], rng: Random
) -> QueryQuestion | None:
    """The question with an invented name, which no query can say; None where it has no name.

    `names` are those of the graph. Its actions are what a careless reader makes of it: where they
    pointed at the name, they begin at all of its class (`terms`).
    """
    named = question.named
    free = [
        number
        for word in question.words
        for number, _ in numbered(word.text)
        if named[number].kind in terms and named[number].kind not in VALUES
    ]
    if not free or question.actions is None:
        return None
    number = rng.choice(free)
    invented = invented_name(named[number].text, names, rng)
    words = list[Word]()
    for word in question.words:
        if sign(number) not in word.text:
            words.append(word)
            continue
        parts = word.text.replace(sign(number), invented).split()
        words += [Word(part, "unread") for part in parts]
    start = Action("class", terms[named[number].kind])
    actions = [*question.actions]
    for index, action in enumerate(actions):
        is_pointer = not (index and actions[index - 1].kind in LITERAL)
        if is_pointer and action == Action("pointer", number=number):
            actions[index] = start
    return question._replace(words=tuple(words), actions=tuple(actions))


def invented_name(name: str, names: Sequence[str], rng: Random) -> str:
    """A name that looks like those of the graph, in place of one of them."""
    words = name.split()
    if len(words) > 1 and rng.random() < _TITLED:
        index = rng.randrange(len(words))
        words[index] = _joined(words[index], _word(names, -1, rng))
        invented = " ".join(words)
    else:
        invented = _joined(_word(names, 0, rng), _word(names, -1, rng))
    last = _word(names, -1, rng)
    if rng.random() < _TITLED and last not in names:
        invented += f" {last}"
    return invented.lower() if rng.random() < _SMALL else invented


def _word(names: Sequence[str], index: int, rng: Random) -> str:
    """A word of some name, the first or the last; of letters if one is soon found."""
    word = ""
    for _ in range(20):
        word = (rng.choice(names).split() or [""])[index]
        if word.isalpha():
            break
    return word


def _joined(first: str, last: str) -> str:
    """The beginning of one word and the end of another."""
    begin = first[: max(2, (len(first) + 1) // 2)]
    return begin + last[len(last) // 2 :].lower()
