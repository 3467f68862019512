"""The general reader over one graph: the likeliest queries that its schema allows.

With it comes its account: which words of a question a query leaves out.
"""

from collections.abc import Collection, Generator, Mapping, Sequence, Set
from contextlib import contextmanager
from itertools import pairwise
from math import exp, inf, log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..caching import Pool
from ..decoding.plan import BeamPlan, Cost
from ..errors import NoPathError, QuestionError
from ..kg import KnowledgeGraph
from ..kg.labels.names import normalise
from ..linking.words import COMMON_WORDS, FUNCTION_WORDS, is_everyday, singular
from ..operations import NUMPY
from ..query.account import FILLER, UNREAD
from ..query.actions import LITERAL, Action
from ..query.automaton import Following, Partial, query_of
from ..query.facts import Facts
from ..query.prompt import Numbered
from ..query.question import Asked
from ..query.reader import ReadQueries, distinct_queries
from ..query.schema import GraphSchema, Schema
from ..records import Word
from .graph import ReadingTools
from .inputs import (
    CLASS,
    KIND_NUMBERS,
    KINDS,
    LITERALS,
    MOST_STEPS,
    NONE,
    Label,
    kind_of,
    label_way,
    number_actions,
)
from .lexicon import QuestionWord, label_words, words_of
from .matching import FEATURES
from .network import logs_of

_OTHER_GRAPH = "the reader was tuned to another graph: its confidence says less here"
_PLAIN = frozenset(("pointer", "class", "step"))


class LabelReader:
    """Reads questions over one graph by its labels."""

    def __init__(self, tools: Pool[ReadingTools]) -> None:
        self._tools = tools

    def read(self, asked: Asked, plan: BeamPlan) -> ReadQueries:
        """The queries that the beams of a search end in.

        Raises NoPathError where no query can begin, ServiceError and ShortageError.
        """
        pointed = asked.pointed
        with self._tools.lent() as tools:
            tools.start_clock()
            schema = GraphSchema(
                tools.tables, pointed.bound, values=pointed.values, earlier=asked.before.terms()
            )
            search = _Search(tools, schema, asked)
            ended = search.run(plan)
            if not ended:
                raise NoPathError("no query can begin at what the question names")
            actions = [actions for _, actions in ended]
            chances = [exp(chance) for chance, _ in ended]
            kg = tools.facts.kg
            earlier = asked.before.terms()
            queries = distinct_queries(kg, tools.naming, actions, chances, pointed, earlier)
            notes = [_OTHER_GRAPH] if tools.is_foreign else []
        return ReadQueries(queries, Cost(forward_passes=search.passes), notes)

    @contextmanager
    def facts(self) -> Generator[Facts]:
        """The facts of the graph, for executing what was read."""
        with self._tools.lent() as tools:
            yield tools.facts


class _Offer(NamedTuple):
    """An action that may come, and the field of `Logs` with what it names."""

    action: Action
    kind: int
    field: str = ""
    """Empty where it names nothing."""
    at: int = 0
    """The index of what it names there; -1 for a mention that is no word of the question."""


class _Search:
    """A beam search over actions, for one question."""

    def __init__(self, tools: ReadingTools, schema: GraphSchema, asked: Asked) -> None:
        self.passes = 0
        self._tools = tools
        self._schema = schema
        self._words = words_of(asked.question, asked.mentions.numbered, asked.before.asked)
        self._word_of = {word.mention: index for index, word in enumerate(self._words)}
        self._labels: dict[tuple[str, int], Label] = {}
        self._label_index: dict[tuple[str, int], int] = {}
        self._matches = np.zeros((len(self._words), 0, len(FEATURES)), np.float32)
        self._know(tools.labels.near(self._words, tools.inputs))

    def run(self, plan: BeamPlan) -> list[tuple[float, tuple[Action, ...]]]:
        """The likeliest whole queries with the logarithms of how likely, the likeliest first."""
        live, ended = [(0.0, Partial())], list[tuple[float, tuple[Action, ...]]]()
        least = log(plan.least) if plan.least else -inf
        enough = plan.enough or plan.beams
        while live and self.passes < MOST_STEPS:
            following = [partial.following(self._schema) for _, partial in live]
            steps = self._steps(live, following)
            self.passes += 1
            continued = list[tuple[float, Partial]]()
            for chance, row, action in steps[: plan.beams]:
                if chance < least and len(ended) >= enough:
                    break
                _, partial = live[row]
                if action.kind == "end" and following[row].may_end:
                    ended.append((chance, (*partial.actions, action)))
                else:
                    continued.append((chance, partial.after(action)))
            ended.sort(key=lambda query: -query[0])
            live = continued
            if live and len(ended) >= enough and live[0][0] < ended[enough - 1][0]:
                break
        return ended[: plan.beams]

    def _steps(
        self, live: Sequence[tuple[float, Partial]], following: Sequence[Following]
    ) -> list[tuple[float, int, Action]]:
        """The actions that may come, each with its row of `live`, the likeliest query first."""
        chances = self._chances([partial for _, partial in live], following)
        steps = [
            (before + chance, row, action)
            for row, ((before, partial), actions) in enumerate(zip(live, chances, strict=True))
            for action, chance in actions
            if action.kind != "end" or self._may_end(partial)
        ]
        return sorted(steps, key=lambda step: -step[0])

    def _may_end(self, partial: Partial) -> bool:
        """Whether the set that would end there can meet the one that it is joined to.

        Where only a few members are looked at, that shows no relation to be absent.
        """
        is_known = self._tools.tables.is_whole
        return not is_known or may_overlap(partial.actions, self._schema)

    def _chances(
        self, live: Sequence[Partial], following: Sequence[Following]
    ) -> list[list[tuple[Action, float]]]:
        """Each action that may come, with the logarithm of how likely it is."""
        known = [action for partial in live for action in partial.actions]
        known += [action for coming in following for action in coming.actions]
        self._know([(action.name, label_way(action)) for action in known if action.name])
        offers = [
            self._offers(coming.actions, is_literal=_is_literal(partial))
            for partial, coming in zip(live, following, strict=True)
        ]
        words, labels = self._words, list(self._labels.values())
        batch, read = self._tools.read(words, labels, self._matches)
        numbers = [number_actions(partial.actions, words, labels) for partial in live]
        scores = self._tools.network.scored(batch.of_actions(numbers), read, last=True)
        logs = logs_of(scores, batch.ways, *self._masks(live, offers))
        chances = list[list[tuple[Action, float]]]()
        for row in range(len(live)):
            values = [part[row, 0].tolist() for part in logs]
            kinds, within = values[0], dict(zip(logs._fields, values, strict=True))
            chances.append(
                [
                    (action, kinds[kind] + (within[field][index] if field else 0.0))
                    for action, kind, field, index in offers[row]
                    if index >= 0
                ]
            )
        return chances

    def _offers(self, actions: Sequence[Action], *, is_literal: bool) -> list[_Offer]:
        offers = list[_Offer]()
        for action in actions:
            kind = KIND_NUMBERS[kind_of(action)]
            if action.name:
                index = self._label_index[action.name, label_way(action)]
                field = "classes" if action.kind == "class" else "hops"
                offers.append(_Offer(action, kind, field, index))
            elif action.number is None:
                offers.append(_Offer(action, kind))
            elif is_literal:
                offers.append(_Offer(action, kind, "literals", min(action.number, LITERALS - 1)))
            else:
                offers.append(_Offer(action, kind, "words", self._word_of.get(action.number, -1)))
        return offers

    def _masks(
        self, live: Sequence[Partial], offers: Sequence[Sequence[_Offer]]
    ) -> Sequence[npt.NDArray[np.bool_]]:
        """What may come where each query ends, as `logs_of` has it."""
        rows = len(live)
        legal = np.zeros((rows, 1, len(KINDS)), bool)
        is_literal = np.zeros((rows, 1), bool)
        offered = np.zeros((rows, 1, len(self._labels) or 1), bool)
        pointable = np.zeros((rows, 1, len(self._words)), bool)
        for row, partial in enumerate(live):
            is_literal[row] = _is_literal(partial)
            legal[row, 0, KIND_NUMBERS[NONE]] = True
            for _, kind, field, index in offers[row]:
                legal[row, 0, kind] = True
                if field in ("hops", "classes"):
                    offered[row, 0, index] = True
                elif field == "words" and index >= 0:
                    pointable[row, 0, index] = True
        return legal, is_literal, offered, pointable

    def _know(self, names: Sequence[tuple[str, int]]) -> None:
        """Learn the labels that are new, each of a name and its way."""
        new = [key for key in dict.fromkeys(names) if key not in self._labels]
        if new:
            labels = [self._tools.labels.label(*key) for key in new]
            self._label_index |= {key: len(self._labels) + n for n, key in enumerate(new)}
            self._labels |= zip(new, labels, strict=True)
            matches = self._tools.inputs.matches(self._words, labels)
            self._matches = np.concatenate([self._matches, matches], 1)


def _is_literal(partial: Partial) -> bool:
    """Whether a pointer that comes next is a number itself."""
    return bool(partial.actions) and partial.actions[-1].kind in LITERAL


def may_overlap(actions: Sequence[Action], schema: Schema) -> bool:
    """Whether the set that would end after these actions can meet the one that it is joined to.

    It cannot where neither a member of that one, nor any other thing of its class, has the relation
    that the added set is reached by: no club has a position, so no club is among those who play
    one. What is not joined to another set, or is more than a walk, may be anything.
    """
    joined = [index for index, action in enumerate(actions) if action.kind in ("and", "not")]
    if not joined or actions[-1].kind != "step":
        return True
    before, added = actions[: joined[-1]], actions[joined[-1] + 1 :]
    if any(action.kind not in _PLAIN for action in added):
        return True
    try:
        members = query_of((*before, Action("end")))
    except QuestionError:
        return True
    last = added[-1]
    return (last.name, not last.inverse) in schema.hops(members)


_EVERYDAY = FUNCTION_WORDS | COMMON_WORDS
_UNREAD_ALONE = 0.02
"""The least likelihood of being left out of a word that no label can have used, as there is none;
of the *rivers* in *how many rivers are there?*, where the answers before are counted."""
_MET = 0.5
"""The least share of a word's meeting with labels for one of them to have used it."""
_MET_BESIDE = 0.0
"""The same of a word beside one of a label; over graphs apart 1% of the right answers have one with
less."""


_LIKENESS = {"exact": 1.0, "alias": 1.0, "begins": 1.0, "related": 0.5}
"""How much a word is like a label by each feature; by the others not at all."""
_WORTH = np.array([_LIKENESS.get(name, 0.0) for name in FEATURES], np.float32)


_PLAIN_SETS = frozenset(("pointer", "answers", "topics", "part", "end"))
"""Actions of which a query computes nothing."""
_EVERY = frozenset(("class", "count", "end"))
"""Those of a query for every member of a class, or how many there are."""
_SETS = _PLAIN_SETS | _PLAIN
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
    changing = set[int]()
    if _SETS.issuperset(action.kind for action in actions):
        changing = _beside(words, [label.called for label in named if label.way != CLASS])
    if _EVERY.issuperset(action.kind for action in actions):
        changing = _next_to(words, said_parts)
    for index in changing.copy():
        if max(word_label_scores[index], default=0.0) >= _MET_BESIDE:
            changing.remove(index)
    for action in _had(actions, tools.tables.kg):
        label = tools.labels.label(action.name, label_way(action))
        changing |= _maybe_values(words, label, named.index(label), word_label_scores)
    changing |= _of_others(words, said_parts, tools.inputs.lexicon.apart)
    if any(label.way == CLASS for label in named):
        of_query = {*(label.tail for label in named), *(word.kind for word in words)}
        changing |= _of_other_classes(words, tools.labels.class_names(), of_query)
    for index, word in enumerate(words):
        is_said = not said_parts.isdisjoint(_forms(word))
        if _is_in_vain(word, pointed, said_parts):
            unread[index] = 1.0
        elif not is_said and _may_ask(word):
            is_met = max(word_label_scores[index], default=0.0) >= _MET
            if index in changing or not is_met and _is_called(tools.tables.kg, word):
                unread[index] = 1.0
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
    words: Sequence[QuestionWord], classes: Collection[str], of_query: Collection[str]
) -> set[int]:
    """The words that name a class, where a query for another leads to none of it."""
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
    """Whether something in a graph is called as a word is, or as one of many is."""
    return kg.pinned and any(
        kg.labels.lookup(normalise(text)) for text in (word.text, singular(word.text))
    )


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
