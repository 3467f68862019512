"""Training samples without end from lessons, some of them asked of other relations.

Where questions spell their relations as the graph labels them (`what is the artist of X 's album`),
their words with the labels of another walk are a question as well. So a new model learns to read
the relations that no question of the file has.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

from ..questions.graph import Graph, Move, Moves, Node, sample_walk
from ..questions.questioner import Questioner, Sample, name_topics
from ..wording.english import OTHER, TOPIC
from ..wording.label_words import plain_label, property_of
from ..wording.noise import disturb, scramble
from .lessons import Lesson

GENERATED = 0.3
"""The share of generated questions between the lessons of a new model."""
SCRAMBLED = 0.6
"""The share of noisy lessons of several hops that are scrambled; of one hop, all are."""
_HALF = 0.5
"""The share of the lessons that spell their relations, below which it may be by chance."""
_FEWEST = 3
"""Relation paths that one form of words is seen with, below which it may be about them alone."""
_SLOTS = "\ue000\ue001\ue002\ue003\ue004\ue005\ue006\ue007"
"""What stands for the first relation, the second ..."""
_ANY_SLOT = re.compile(f"[{_SLOTS}]")
_TRIES = 50

Spelling = Callable[[str], str]
_SPELLINGS: Sequence[Spelling] = (property_of, lambda label: plain_label(property_of(label)))
"""How questions write a label: as it stands, or as words."""


class Form(NamedTuple):
    """A question with a slot for each relation, in the directions in which it walks them."""

    text: str
    inverse: tuple[bool, ...]


class Retold(NamedTuple):
    """A question with `TOPIC` for its topic's name, and the walk that answers it."""

    text: str
    walk: tuple[Node, ...]
    moves: Moves


@dataclass(frozen=True)
class Forms:
    """The forms of words of a file of questions, and how often each is met."""

    graph: Graph
    counts: Mapping[Form, int]
    spell: Spelling

    def draw(self, rng: Random) -> Retold | None:
        """One question about a random walk; None where all that were tried ended early."""
        (form,) = rng.choices([*self.counts], [*self.counts.values()])
        tries = (self._walk(form.inverse, rng) for _ in range(_TRIES))
        walked = next(filter(None, tries), None)
        if walked is None:
            return None
        text = form.text
        for slot, move in zip(_SLOTS, walked[1], strict=False):
            text = text.replace(slot, self.spell(self.graph.labels[move.relation]))
        return Retold(text, *walked)

    @cached_property
    def _moves(self) -> Mapping[bool, tuple[Move, ...]]:
        moves = defaultdict[bool, list[Move]](list)
        for move in sorted(self.graph.edges):
            if self.spell(self.graph.labels[move.relation]):
                moves[move.inverse].append(move)
        return {inverse: tuple(of_way) for inverse, of_way in moves.items()}

    @cached_property
    def _starts(self) -> Mapping[Move, tuple[Node, ...]]:
        return {move: tuple(edges) for move, edges in self.graph.edges.items()}

    def _walk(self, ways: Sequence[bool], rng: Random) -> tuple[tuple[Node, ...], Moves] | None:
        """A walk with an edge of any relation as any of its steps; None where it ends early."""
        graph, middle = self.graph, rng.randrange(len(ways))
        if not self._moves.get(ways[middle]):
            return None
        move = rng.choice(self._moves[ways[middle]])
        start = rng.choice(self._starts[move])
        walk, moves = [start, rng.choice(graph.edges[move][start])], [move]
        for way in ways[middle + 1 :]:
            step = self._step(walk[-1], way, rng)
            if step is None:
                return None
            moves.append(step[0])
            walk.append(step[1])
        for way in reversed(ways[:middle]):
            step = self._step(walk[0], not way, rng)
            if step is None:
                return None
            moves.insert(0, Move(step[0].relation, way))
            walk.insert(0, step[1])
        walked = zip(moves, walk, walk[1:], strict=False)
        if not all(end in graph.edges.get(move, {}).get(node, ()) for move, node, end in walked):
            return None
        return None if graph.barred(walk[0]) & {*walk[1:]} else (tuple(walk), tuple(moves))

    def _step(self, node: Node, way: bool, rng: Random) -> tuple[Move, Node] | None:
        leaving = [move for move in self.graph.leaving.get(node, ()) if move.inverse == way]
        move = rng.choice(leaving) if leaving else None
        if move is None or not self.spell(self.graph.labels[move.relation]):
            return None
        return move, rng.choice(self.graph.edges[move][node])


def forms_of(graph: Graph, lessons: Sequence[Lesson]) -> Forms | None:
    """The forms in which lessons spell their relations; None where they mostly do not.

    Of those that differ in the order of the relations the one that is met most is kept.
    """
    distinct = [one for one in lessons if OTHER not in one.text and _differ(graph, one.paths[0])]
    spelled = [_counted(graph, distinct, spell) for spell in _SPELLINGS]
    best, spell = max(zip(spelled, _SPELLINGS, strict=True), key=lambda one: one[0].total())
    if best.total() <= _HALF * len(distinct):
        return None
    orders = dict[tuple[str, tuple[bool, ...]], Form]()
    for form, _ in sorted(best.items(), key=lambda one: (-one[1], one[0])):
        orders.setdefault((_ANY_SLOT.sub("", form.text), form.inverse), form)
    return Forms(graph, {form: best[form] for form in orders.values()}, spell)


def _counted(graph: Graph, lessons: Sequence[Lesson], spell: Spelling) -> Counter[Form]:
    """The forms that are met with enough relation paths, and how often."""
    counts, paths = Counter[Form](), defaultdict[Form, set[Moves]](set)
    for lesson in lessons:
        form = _form(graph, lesson.text, lesson.paths[0], spell)
        if form:
            counts[form] += 1
            paths[form].add(lesson.paths[0])
    return Counter({form: n for form, n in counts.items() if len(paths[form]) >= _FEWEST})


def _differ(graph: Graph, moves: Moves) -> bool:
    """Whether no two relations have one name, so that each place in a text is that of one."""
    names = [plain_label(property_of(graph.labels[move.relation])) for move in moves]
    return len(names) <= len(_SLOTS) and all(names) and len(set(names)) == len(names)


def _form(graph: Graph, text: str, moves: Moves, spell: Spelling) -> Form | None:
    """The form of a text that has each of its relations once."""
    names = [spell(graph.labels[move.relation]) for move in moves]
    for step in sorted(range(len(names)), key=lambda n: -len(names[n])):
        if names[step].lower() not in text.lower():
            return None
        name = re.compile(rf"(?<!\w){re.escape(names[step])}(?!\w)", re.IGNORECASE)
        text, times = name.subn(_SLOTS[step], text)
        if times != 1:
            return None
    return Form(text, tuple(move.inverse for move in moves))


class Vocabulary(NamedTuple):
    """The words of all lessons, as often as they are there, and each once."""

    running: Sequence[str]
    distinct: Sequence[str]


_NO_WORDS = Vocabulary((), ())


def lesson_stream(
    lessons: Sequence[Lesson],
    questioner: Questioner,
    *,
    noise: float,
    unanswerable: float,
    seed: int,
    new: bool = True,
) -> Iterator[Sample]:
    """Samples from the lessons without end, and some questions that the graph cannot answer.

    For a `new` model, which knows no language but that of the lessons, noisy ones are scrambled
    too, and generated questions between them ask for paths that no lesson has: in the words of the
    lessons where these spell their relations.
    """
    rng = Random(f"lessons {seed}")
    generated = questioner.refusing(0.0)
    forms = forms_of(questioner.graph, lessons) if new else None
    words = [word for lesson in lessons for word in _plain_words(lesson.text)] if new else []
    vocabulary = Vocabulary(words, sorted(set(words)))
    while True:
        if rng.random() < unanswerable:
            yield questioner.unanswerable(rng)
            continue
        if new and rng.random() < GENERATED:
            yield (forms and _retold(forms, rng)) or generated.sample(rng)
            continue
        lesson = rng.choice(lessons)
        sample = draw(questioner, lesson, rng, noise, vocabulary)
        if sample:
            yield sample


def draw(
    questioner: Questioner,
    lesson: Lesson,
    rng: Random,
    noise: float,
    vocabulary: Vocabulary = _NO_WORDS,
) -> Sample | None:
    """One sample of a lesson: a path, an answer, and noise on its words.

    With a vocabulary, noisy ones are scrambled too. Where there are several hops, the order of
    words tells that of the relations: then fewer are, and common words are not put between them.
    """
    graph, composer = questioner.graph, questioner.composer
    moves = rng.choice(lesson.paths)
    walk = sample_walk(graph, lesson.topic, moves, rng, lesson.answers)
    if walk is None:
        return None
    text = lesson.text
    if rng.random() < noise:
        text = disturb(text.lower(), composer.english, composer.book.synonyms, rng)
        others = vocabulary.running
        if len(moves) > 1:
            others = vocabulary.distinct if rng.random() < SCRAMBLED else ()
        if others:
            text = scramble(text, others, rng)
    question, mentions = name_topics(graph, text, (lesson.topic, *lesson.others))
    return Sample(question, mentions, walk, moves)


def _retold(forms: Forms, rng: Random) -> Sample | None:
    retold = forms.draw(rng)
    if retold is None:
        return None
    question, mentions = name_topics(forms.graph, retold.text, retold.walk[:1])
    return Sample(question, mentions, retold.walk, retold.moves)


def _plain_words(text: str) -> list[str]:
    """The words of a lesson's text but its topics."""
    return [word for word in text.lower().split() if TOPIC not in word and OTHER not in word]
