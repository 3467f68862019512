"""Which words of a question a query leaves out, as the general reader sees it.

What the network says of each word is not all: it has not learnt that a word beside one of a label
may ask for something else, nor what the graph has names for.
"""

from collections.abc import Collection, Mapping, Sequence, Set
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from ..caching import Pool
from ..kg import KnowledgeGraph
from ..kg.labels.names import normalise
from ..linking.words import COMMON_WORDS, FUNCTION_WORDS, is_everyday, singular
from ..operations import NUMPY
from ..query.account import FILLER, UNREAD
from ..query.actions import Action
from ..query.prompt import Numbered
from ..query.question import Asked
from ..records import Word
from .graph import ReadingTools
from .inputs import CLASS, Label, label_way, number_actions
from .lexicon import QuestionWord, form_share, label_words, words_of
from .matching import FEATURES

_EVERYDAY = FUNCTION_WORDS | COMMON_WORDS
_UNREAD_ALONE = 0.02
"""The least likelihood of being left out of a word that no label can have used, as there is none;
of the *rivers* in *how many rivers are there?*, where the answers before are counted."""
_MET = 0.5
"""The least share of a word's meeting with labels for one of them to have used it."""
_MET_BESIDE = -1.0
"""The same of a word beside one of a label; over graphs apart 3 of 198 right answers have one with
less."""
_SUSPECTED = 0.6
"""How likely a word is left out at least that may ask for something else: no reading is sure then,
and the likeliest mostly stays so."""
_LIKENESS = {"exact": 1.0, "alias": 1.0, "begins": 1.0, "related": 0.5}
"""How much a word is like a label by each feature; by the others not at all."""
_WORTH = np.array([_LIKENESS.get(name, 0.0) for name in FEATURES], np.float32)
_PLAIN_SETS = frozenset(("pointer", "answers", "topics", "part", "end"))
"""Actions of which a query computes nothing."""
_EVERY = frozenset(("class", "count", "end"))
"""Those of a query for every member of a class, or how many there are."""
_SETS = _PLAIN_SETS | {"class", "step"}
"""The same of a query that has labels."""


class _Account(NamedTuple):
    """What is known of each word after a whole query."""

    words: Sequence[QuestionWord]
    labels: Sequence[Label]
    """Those of the query."""
    unread: Sequence[float]
    """How likely each word is left out."""
    word_label_scores: Sequence[Sequence[float]]
    """For each word, how far each label of the query explains it."""
    pointed: Collection[int | None]
    """The mentions that the query points at."""
    filler: str
    """What words are used by that no label explains: in a query without labels they ask what it
    computes, as in *how many are there?*"""


class LabelAccount:
    """A `WordReader` that comes with the general reader, for any graph."""

    def __init__(self, tools: Pool[ReadingTools]) -> None:
        self._tools = tools

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        """The words in the order of the question; none where an action has no word of it."""
        with self._tools.lent() as tools:
            read = _read_account(tools, question, mentions, actions)
            threshold = tools.unread
        if read is None:
            return []
        uses = [_used_by(index, read, threshold) for index, _ in enumerate(read.words)]
        computes = not _SETS.issuperset(action.kind for action in actions)
        if computes and {*uses} == {FILLER}:  # as in *which is the largest?*
            uses = [FILLER if word.text in FUNCTION_WORDS else "operator" for word in read.words]
        return [
            Word(text=question[word.start : word.end], start=word.start, end=word.end, used_by=use)
            for word, use in zip(read.words, uses, strict=True)
        ]

    def most_unread(
        self, question: str, mentions: Sequence[Numbered], readings: Sequence[Sequence[Action]]
    ) -> list[float]:
        """Of each query, the largest share of being unread of a word that it does not point at."""
        with self._tools.lent() as tools:
            return [
                _most_unread(_read_account(tools, question, mentions, actions))
                for actions in readings
            ]

    def likeness(self, asked: Asked, actions: Sequence[Action]) -> float:
        """How much labels of a query are like words of its question, or of the one before it.

        The mean over the labels, each by the word that is most like it; 1 where none is named.
        """
        words = [
            word
            for word in words_of(asked.question, asked.mentions.numbered, asked.before.asked)
            if word.what == "word"
        ]
        named_labels = dict.fromkeys(
            (action.name, label_way(action)) for action in actions if action.name
        )
        if not named_labels:
            return 1.0
        if not words:
            return 0.0
        with self._tools.lent() as tools:
            tools.start_clock()
            matches = tools.inputs.matches(
                words, [tools.labels.label(*key) for key in named_labels]
            )
        return float((matches * _WORTH).max((0, 2)).mean())


def _most_unread(read: _Account | None) -> float:
    if read is None:
        return 0.0
    shares = zip(read.words, read.unread, strict=True)
    return max((s for word, s in shares if word.mention not in read.pointed), default=0.0)


def _read_account(
    tools: ReadingTools, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
) -> _Account | None:
    tools.start_clock()
    words = words_of(question, mentions)
    named_labels = dict.fromkeys(
        (action.name, label_way(action)) for action in actions if action.name
    )
    label_keys = dict.fromkeys([*tools.labels.near(words, tools.inputs), *named_labels])
    labels = [tools.labels.label(*key) for key in label_keys]
    try:
        numbers = number_actions(actions, words, labels)
    except KeyError:
        return None
    batch, read = tools.read(words, labels)
    scores = tools.network.scored(batch.of_actions([numbers]), read, last=True)
    named_indices = [index for index, key in enumerate(label_keys) if key in named_labels]
    pointed = {action.number for action in actions if action.number is not None}
    unread = NUMPY.sigmoid(scores.unread[0, -1]).tolist()
    word_label_scores = scores.word_label_scores[0][:, named_indices].tolist()
    named = [labels[index] for index in named_indices]
    said_parts = {part for label in named for part in label_words(label.called)}
    met = [max(row, default=0.0) for row in word_label_scores]
    suspects = _asking_more(words, actions, named, met, tools.inputs.lexicon.apart)
    suspects |= _of_other_classes(words, named, tools.labels.class_names())
    for action in _had(actions, tools.tables.kg):
        label = tools.labels.label(action.name, label_way(action))
        suspects |= _maybe_values(words, label, named.index(label), word_label_scores)
    for index, word in enumerate(words):
        if _is_in_vain(word, pointed, said_parts):
            unread[index] = 1.0
        elif said_parts.isdisjoint(_forms(word)) and _may_ask(word):
            is_name = met[index] < _MET and _is_called(tools.tables.kg, word)
            least = _SUSPECTED if index in suspects or is_name else 0.0
            unread[index] = max(unread[index], least)
    return _Account(
        words,
        named,
        unread,
        word_label_scores,
        pointed,
        FILLER
        if named_labels or _PLAIN_SETS.issuperset(action.kind for action in actions)
        else "operator",
    )


def _forms(word: QuestionWord) -> set[str]:
    """The parts of a word, also as one of many."""
    return {*word.parts, *map(singular, word.parts)}


def _beside(words: Sequence[QuestionWord], relations: Sequence[str]) -> set[int]:
    """The words that may make another relation of a label beside some words of it.

    They stand next to words of a label that has others, too: *birth place* is no `birth date`. A
    word that says nothing may stand in between, as in *date of death*. They also follow a whole
    label: *population density* is no `population`.
    """
    said = {part for word in words for part in _forms(word)}
    labels = [{*label_words(relation)} - FUNCTION_WORDS for relation in relations]
    said |= {part for part in set().union(*labels) if any(form_share(part, s) for s in said)}
    beside = set[int]()
    for index, word in enumerate(words):
        having = [label for label in labels if not label.isdisjoint(_forms(word))]
        if not having:
            continue
        beside.add(index + 1)
        if any(label <= said for label in having):
            continue
        beside.add(index - 1)
        if index + 1 < len(words) and words[index + 1].text in FUNCTION_WORDS:
            beside.add(index + 2)
    return beside & {*range(len(words))}


def _asking_more(
    words: Sequence[QuestionWord],
    actions: Sequence[Action],
    labels: Sequence[Label],
    met: Sequence[float],
    apart: Mapping[str, Collection[str]],
) -> set[int]:
    """The words that may ask for something else than the labels of a query.

    `met` says how far any label explains each word.
    """
    kinds = {action.kind for action in actions}
    label_parts = {part for label in labels for part in label_words(label.called)}
    followed = [label.called for label in labels if label.way != CLASS]
    beside = set[int]()
    if kinds <= _EVERY:
        beside = _next_to(words, label_parts)
    elif kinds <= _SETS and len(followed) == 1:  # of several labels others may explain a word
        beside = _beside(words, followed)
    unexplained = {index for index in beside if met[index] < _MET_BESIDE}
    return unexplained | _of_others(words, label_parts, apart)


def _of_others(
    words: Sequence[QuestionWord],
    label_parts: Set[str],
    apart: Mapping[str, Collection[str]],
) -> set[int]:
    """The words that are never said for a word of a label which the question has not."""
    asked = {part for word in words for part in _forms(word)}
    others = {other for part in label_parts - asked for other in apart.get(part, ())}
    return {index for index, word in enumerate(words) if not others.isdisjoint(_forms(word))}


def _of_other_classes(
    words: Sequence[QuestionWord], labels: Sequence[Label], classes: Collection[str]
) -> set[int]:
    """The words that name a class, where a query for another leads to none of it."""
    if all(label.way != CLASS for label in labels):
        return set()
    of_query = {*(label.tail for label in labels), *(word.kind for word in words)}
    others = {name.lower() for name in classes} - {name.lower() for name in of_query}
    return {index for index, word in enumerate(words) if not others.isdisjoint(_forms(word))}


def _next_to(words: Sequence[QuestionWord], label_parts: Collection[str]) -> set[int]:
    """The words next to one of a class that is asked for whole: *purple robots* are not all."""
    said = (at for at, word in enumerate(words) if not _forms(word).isdisjoint(label_parts))
    beside = {at + way for at in said for way in (-1, 1)}
    return beside & {*range(len(words))}


def _had(actions: Sequence[Action], kg: KnowledgeGraph) -> list[Action]:
    """The relations of which a query asks only whether there is a value that is not true or false.

    An endpoint is not asked for the values of its relations.
    """
    pairs = pairwise(actions) if kg.pinned else ()
    return [
        action
        for action, after in pairs
        if action.kind == "where"
        and after.kind in ("exists", "missing")
        and not kg.truths.of(action.name)
    ]


def _maybe_values(
    words: Sequence[QuestionWord], label: Label, column: int, scores: Sequence[Sequence[float]]
) -> set[int]:
    """The words that may name a value of a relation which is only asked to have one.

    *The colour purple* and *purple bags* are not all that have a colour. Such words stand next to a
    word of the label, or mean it where none is said and the values are texts.
    """
    parts = {*label_words(label.called)} - FUNCTION_WORDS
    if beside := _next_to(words, parts):
        after = {at + 1 for at in beside if words[at].text in FUNCTION_WORDS}
        return beside | after & {*range(len(words))}
    if label.tail != "text":
        return set()
    return {at for at, row in enumerate(scores) if row[column] == max(row) >= _MET_BESIDE}


def _is_called(kg: KnowledgeGraph, word: QuestionWord) -> bool:
    """Whether something that others are said to be is called as a word is, or as one of many is.

    Such are kinds and groups of things, of which nothing else is said. The names of others may be
    any words, as titles are.
    """
    if not kg.pinned:
        return False
    hits = (kg.labels.lookup(normalise(text)) for text in (word.text, singular(word.text)))
    terms = [hit.term for hit in chain.from_iterable(hits)]
    leaving, reaching = (kg.walks.relations_at(terms, inverse) for inverse in (False, True))
    return any(into and not out for into, out in zip(reaching, leaving, strict=True))


def _may_ask(word: QuestionWord) -> bool:
    """Whether a word is none that may stand in any question."""
    return word.what == "word" and word.text.isalpha() and not is_everyday([word.text], _EVERYDAY)


def _is_in_vain(
    word: QuestionWord, pointed: Collection[int | None], label_words_: Collection[str]
) -> bool:
    """Whether a date, or a number in digits, is none that a query uses: nobody names one in vain.

    A query for the first three points at the number 3 itself.
    """
    if word.what != "date" and not (word.what == "number" and word.text[:1].isdigit()):
        return False
    is_literal = word.text.isdecimal() and int(word.text) in pointed
    return word.mention not in pointed and not is_literal and word.text not in label_words_


def _used_by(index: int, read: _Account, threshold: float) -> str:
    """What a word is used by: its mention, a label of the query, or nothing."""
    word, scores = read.words[index], read.word_label_scores[index]
    if word.mention is not None and word.mention in read.pointed:
        return "mention" if word.what == "thing" else "value"
    if _may_ask(word) and read.filler != FILLER:
        threshold = min(threshold, _UNREAD_ALONE)
    if read.unread[index] >= threshold:
        return UNREAD
    parts = set(word.parts)
    for label in read.labels:
        if not parts.isdisjoint((*label_words(label.called), *label_words(label.tail))):
            return label.called
    best = max(range(len(scores)), key=scores.__getitem__, default=None)
    return read.filler if best is None or scores[best] < _MET else read.labels[best].called
