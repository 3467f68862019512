"""The words of questions with answers, asked of other relations.

Where questions spell their relations as the graph labels them (`what is the artist of X 's album`),
their words with the labels of another walk are a question as well. So a new model learns to read
the relations that no question of the file has.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

from ..questions.clauses import OTHER
from ..questions.graph import Graph, Move, Moves, Node
from ..wording.label_words import plain_label, property_of
from .lessons import Lesson

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
        for place, move in enumerate(walked[1]):
            text = text.replace(_SLOTS[place], self.spell(self.graph.labels[move.relation]))
        return Retold(text, *walked)

    @cached_property
    def _moves(self) -> Mapping[bool, tuple[Move, ...]]:
        moves = defaultdict[bool, list[Move]](list)
        for move in sorted(self.graph.edges):
            if self.spell(self.graph.labels[move.relation]):
                moves[move.inverse].append(move)
        return {inverse: tuple(own) for inverse, own in moves.items()}

    @cached_property
    def _starts(self) -> Mapping[Move, tuple[Node, ...]]:
        return {move: tuple(found) for move, found in self.graph.edges.items()}

    def _walk(self, ways: Sequence[bool], rng: Random) -> tuple[tuple[Node, ...], Moves] | None:
        """A walk around an edge of any relation, at any place; None where it ends early."""
        graph, place = self.graph, rng.randrange(len(ways))
        if not self._moves.get(ways[place]):
            return None
        move = rng.choice(self._moves[ways[place]])
        start = rng.choice(self._starts[move])
        walk, moves = [start, rng.choice(graph.edges[move][start])], [move]
        for way in ways[place + 1 :]:
            step = self._step(walk[-1], way, rng)
            if step is None:
                return None
            moves.append(step[0])
            walk.append(step[1])
        for way in reversed(ways[:place]):
            step = self._step(walk[0], not way, rng)
            if step is None:
                return None
            moves.insert(0, Move(step[0].relation, way))
            walk.insert(0, step[1])
        walked = zip(moves, walk, walk[1:], strict=False)
        if not all(end in graph.edges.get(own, {}).get(node, ()) for own, node, end in walked):
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
    telling = [own for own in lessons if OTHER not in own.text and _differ(graph, own.paths[0])]
    spelled = [_counted(graph, telling, spell) for spell in _SPELLINGS]
    best, spell = max(zip(spelled, _SPELLINGS, strict=True), key=lambda own: own[0].total())
    if best.total() <= _HALF * len(telling):
        return None
    orders = dict[tuple[str, tuple[bool, ...]], Form]()
    for form, _ in sorted(best.items(), key=lambda own: (-own[1], own[0])):
        orders.setdefault((_ANY_SLOT.sub("", form.text), form.inverse), form)
    return Forms(graph, {form: best[form] for form in orders.values()}, spell)


def _counted(graph: Graph, lessons: Sequence[Lesson], spell: Spelling) -> Counter[Form]:
    """The forms that are met with enough relation paths, and how often."""
    found, paths = Counter[Form](), defaultdict[Form, set[Moves]](set)
    for lesson in lessons:
        form = _form(graph, lesson.text, lesson.paths[0], spell)
        if form:
            found[form] += 1
            paths[form].add(lesson.paths[0])
    return Counter({form: n for form, n in found.items() if len(paths[form]) >= _FEWEST})


def _differ(graph: Graph, moves: Moves) -> bool:
    """Whether no two relations have one name, so that each place in a text is that of one."""
    names = [plain_label(property_of(graph.labels[move.relation])) for move in moves]
    return len(names) <= len(_SLOTS) and all(names) and len(set(names)) == len(names)


def _form(graph: Graph, text: str, moves: Moves, spell: Spelling) -> Form | None:
    """The form of a text that has each of its relations once."""
    names = [spell(graph.labels[move.relation]) for move in moves]
    for place in sorted(range(len(names)), key=lambda own: -len(names[own])):
        if names[place].lower() not in text.lower():
            return None
        name = re.compile(rf"(?<!\w){re.escape(names[place])}(?!\w)", re.IGNORECASE)
        text, times = name.subn(_SLOTS[place], text)
        if times != 1:
            return None
    return Form(text, tuple(move.inverse for move in moves))
