"""Sets in words, over any graph: of a class or a walk, and narrowed by what members have.

What the graph holds decides which make sense: measures are relations to numbers or dates, and
things are counted where there are several of them.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

from ...agent.kg.terms import is_literal
from ...agent.query.actions import Action, Kind
from ...agent.query.values import value_of
from ..questions.compose import Composer, plenty_of, route_of
from ..questions.graph import Graph, Move, Node, execute, sample_walk
from ..questions.shapes import Shapes
from ..wording.english import Texts, wordings
from ..wording.label_words import label_words
from ..wording.phrasebook import plural
from .question import Named, QueryQuestion, in_digits, sign, words_of
from .skeletons import chosen

_MOSTLY = 0.8
"""The share of numbers among the ends of a measure."""
_COUNTABLE = 1.15
"""How many things a relation leads to on average, where it makes sense to count them."""
_UNIT = re.compile(r" \((?P<unit>[^()]+)\)$| in (?P<name>\w+)$")
CARDINALS = ("two", "three", "four", "five")


class Measure(NamedTuple):
    """A relation to numbers or dates, the words for it, and its values."""

    move: Move
    name: str
    grades: Mapping[str, Texts]
    values: tuple[Node, ...]
    dates: bool


class Members(NamedTuple):
    """A set in words: its actions, and what they say of it.

    `bare` has no determiner. Signs are numbered from `first`.
    """

    text: str
    bare: str
    kind: str
    actions: tuple[Action, ...]
    named: tuple[Named, ...]
    nodes: frozenset[Node]


@dataclass(frozen=True)
class OperatorWords:
    """Templates by what they say, grades of measures, and words that stand before a set."""

    templates: Mapping[str, Texts]
    grades: Mapping[str, Mapping[str, Texts]]

    def filled(self, name: str, rng: Random, needed: str = "", **slots: str) -> str:
        """One of the texts that the templates of a name stand for; with a slot that is `needed`."""
        templates = [text for text in self.templates[name] if needed in text]
        text = chosen(rng.choice(templates), rng)
        return re.sub(r"\{(\w+)\}", lambda slot: slots[slot[1]], text)


def load_operator_words() -> OperatorWords:
    """The packaged templates."""
    tables = wordings("operators")
    grades = {
        word: {grade: tuple(texts) for grade, texts in of_word.items()}
        for word, of_word in tables.pop("grades").items()
    }
    return OperatorWords({name: tuple(texts) for name, texts in tables.items()}, grades)


@dataclass(frozen=True)
class Operators:
    """Composes such questions over one graph; `classes` are the terms of classes by label."""

    graph: Graph
    shapes: Shapes
    composer: Composer
    words: OperatorWords
    classes: Mapping[str, str]

    # Sets

    def members(self, rng: Random, first: int = 0, *, plain: bool = False) -> Members | None:
        """A set in words: of a class or a walk, and narrowed where it is not `plain`."""
        members = self._of_class(rng) if rng.random() < 0.25 else self.of_walk(rng, first)
        if members is None or plain or rng.random() < 0.6:
            return members
        return self.narrowed(members, rng, first) or members

    def _of_class(self, rng: Random) -> Members | None:
        kinds = [
            kind for kind in self.graph.nodes if kind in self.classes and self.are_things(kind)
        ]
        if not kinds:
            return None
        kind = rng.choice(kinds)
        noun = self.composer.noun(kind, True, rng)
        text = rng.choice(("all {}", "the {}", "all the {}", "all {} there are")).format(noun)
        actions = (Action("class", self.classes[kind]),)
        return Members(text, noun, kind, actions, (), frozenset(self.graph.nodes[kind]))

    def of_walk(self, rng: Random, first: int) -> Members | None:
        """What one or two hops lead to; None for values. Its topic has the number `first`."""
        shape, topic = self.shapes.sample(rng)
        moves = shape.moves[: rng.choice((1, 1, 2))]
        walk = sample_walk(self.graph, topic, moves, rng, None)
        if walk is None or not (self.is_thing(walk[-1]) and self.is_thing(topic)):
            return None
        route = route_of(self.graph, moves, walk)
        text = self.composer.phrase(route, len(moves), rng, sign(first)).text
        actions = (Action("pointer", number=first), *map(self.step, moves))
        reached = execute(self.graph, topic, moves)
        return Members(
            text, self._bare(text), route.kinds[-1], actions, (self.named(topic),), reached
        )

    def _bare(self, text: str) -> str:
        for determiner in self.words.templates["determiners"]:
            if text.startswith(f"{determiner} "):
                return text.removeprefix(f"{determiner} ")
        return text

    def narrowed(self, members: Members, rng: Random, first: int) -> Members | None:
        """The same set with a condition; None where what was drawn does not fit it."""
        make = rng.choice((_valued, _counted, _held, _without, _without, _joined, _spelled))
        narrowed = make(self, members, rng, first + len(members.named))
        if narrowed is None:
            return None
        text = narrowed.text
        return narrowed._replace(text=f"the {text}" if rng.random() < 0.4 else text, bare=text)

    # What the graph holds

    @cached_property
    def measures(self) -> Mapping[str, tuple[Measure, ...]]:
        """The measures of the things of each class."""
        measures = defaultdict[str, list[Measure]](list)
        for move, edges in self.graph.edges.items():
            if move.inverse:
                continue
            ends = sorted({end for targets in edges.values() for end in targets})
            values = {end: value_of(self.graph.terms[end]) for end in ends}
            known = {end: value for end, value in values.items() if value is not None}
            if not ends or len(known) < _MOSTLY * len(ends):
                continue
            dates = sum(value.unit == "date" for value in known.values()) > len(known) / 2
            label = self.graph.labels[move.relation]
            name = label_words(_UNIT.sub("", label)).nouns[0]
            measure = Measure(move, name, self._grades(name, dates=dates), tuple(known), dates)
            for kind in sorted({self.graph.kinds[node] for node in edges}):
                measures[kind].append(measure)
        return {kind: tuple(of_kind) for kind, of_kind in measures.items()}

    def _grades(self, name: str, *, dates: bool) -> Mapping[str, Texts]:
        grades = self.words.grades
        words = (word for word in reversed(name.lower().split()) if word in grades)
        return grades[next(words, "date" if dates else "other")]

    @cached_property
    def plenty(self) -> Mapping[str, float]:
        """How many things each move leads to on average, by its spelling."""
        return plenty_of(self.graph)

    @cached_property
    def moves_of(self) -> Mapping[str, tuple[Move, ...]]:
        """The moves from the things of each class to other things."""
        moves_of = defaultdict[str, set[Move]](set)
        for move, edges in self.graph.edges.items():
            for node, targets in edges.items():
                if not self.is_value(targets[0]):
                    moves_of[self.graph.kinds[node]].add(move)
        return {kind: tuple(sorted(moves)) for kind, moves in moves_of.items()}

    def moves_at(self, members: Members) -> list[Move]:
        """The moves from the members to other things; those of their class, if they have one."""
        moves = self.moves_of.get(members.kind, ())
        return [move for move in moves if self._leaves(members, move)]

    def _leaves(self, members: Members, move: Move) -> bool:
        return bool(members.kind) or not members.nodes.isdisjoint(self.graph.edges[move])

    def counted_moves(self, members: Members) -> list[Move]:
        """The moves from the members that lead to several things."""
        return [move for move in self.moves_at(members) if self.is_counted(move)]

    def is_counted(self, move: Move) -> bool:
        """Whether a move leads to several things."""
        return self.plenty[self.graph.spell(move)] > _COUNTABLE

    def are_things(self, kind: str) -> bool:
        """Whether a class is one of things, and not of values."""
        return self.is_thing(self.graph.nodes[kind][0])

    def is_thing(self, node: Node) -> bool:
        """Whether a node is no value and no text, so that a question can name it."""
        return not is_literal(self.graph.terms[node]) and not self.is_value(node)

    def is_value(self, node: Node) -> bool:
        """Whether a node is a number or a date."""
        return value_of(self.graph.terms[node]) is not None

    def a_measure(self, members: Members, rng: Random) -> Measure | None:
        """A measure of the members; None where they have none."""
        known = self.measures_at(members)
        return rng.choice(known) if known else None

    def measures_at(self, members: Members) -> list[Measure]:
        """The measures of the members; those of their class, if they have one."""
        known = self.measures.get(members.kind, ())
        return [measure for measure in known if self._leaves(members, measure.move)]

    # Words and actions

    def step(self, move: Move, kind: Kind = "step") -> Action:
        """The action that takes a move."""
        return Action(kind, self.graph.relations[move.relation], move.inverse)

    def named(self, node: Node) -> Named:
        """What a sign stands for that names a node."""
        return Named(self.graph.names[node], self.graph.kinds[node])

    def end_word(self, move: Move, kind: str, rng: Random) -> str | None:
        """A noun in the singular for what a move leads to from a class."""
        edges = self.graph.edges[move]
        ends = {self.graph.kinds[end] for node in edges for end in edges[node]}
        end = next(iter(ends)) if len(ends) == 1 else ""
        if end and end in self.composer.book.classes and (move.inverse or rng.random() < 0.4):
            return self.composer.noun(end, False, rng)
        if move.inverse:
            return end or None
        label = self.graph.labels[move.relation]
        return rng.choice(label_words(_UNIT.sub("", label)).nouns)

    def measured(
        self, members: Members, measure: Measure, name: str, rng: Random, **more: str
    ) -> str:
        """A text about a set and a measure, from the templates of a name."""
        grades = {grade: rng.choice(texts) for grade, texts in measure.grades.items()}
        is_ambiguous = (
            measure.grades is self.words.grades["other"] and len(self.measures[members.kind]) > 1
        )
        slots = {"s": members.bare, "np": members.text, "m": measure.name, **grades, **more}
        return self.words.filled(name, rng, "{m}" if is_ambiguous else "", **slots)

    def worded(self, members: Members, name: str, rng: Random, **more: str) -> str:
        """A text about a set, from the templates of a name."""
        return self.words.filled(name, rng, s=members.bare, np=members.text, **more)

    def question(self, text: str, members: Members, *after: Action) -> QueryQuestion:
        """A question about a set, with what is done to it."""
        return QueryQuestion(
            words_of(text), members.named, (*members.actions, *after, Action("end"))
        )

    def other(self, members: Members, rng: Random) -> Node:
        """A thing of the class of a set: a member of it every other time."""
        nodes = sorted(members.nodes) if rng.random() < 0.5 and members.nodes else ()
        return rng.choice(nodes or self.graph.nodes[members.kind])


# Narrowing


def _valued(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    measure = ops.a_measure(members, rng)
    if measure is None:
        return None
    kind: Kind = rng.choice(("greater", "greater", "less", "less", "atleast", "atmost", "equal"))
    node = rng.choice(measure.values)
    value = value_of(ops.graph.terms[node])
    assert value is not None
    year: tuple[Action, ...] = ()
    template: str = kind
    if measure.dates:
        kind = "greater" if rng.random() < 0.5 else "less"
        template = "after" if kind == "greater" else "before"
        text, year = str(int(value.size[0])), (Action("year"),)
    else:
        text = in_digits(value.number, rng)
    worded = ops.measured(members, measure, template, rng, v=sign(first))
    actions = (ops.step(measure.move, "where"), *year, Action(kind))
    return members._replace(
        text=worded,
        actions=(*members.actions, *actions, Action("pointer", number=first)),
        named=(*members.named, Named(text, "number")),
    )


def _counted(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    moves = ops.counted_moves(members)
    if not moves:
        return None
    move = rng.choice(moves)
    word = ops.end_word(move, members.kind, rng)
    if not word:
        return None
    kind: Kind = rng.choice(("greater", "less", "atleast", "atmost", "equal"))
    size = rng.randint(1, 6)
    text = str(size) if size == 1 or rng.random() < 0.5 else (*CARDINALS, "six")[size - 2]
    worded = ops.worded(members, f"many_{kind}", rng, ws=plural(word), v=sign(first))
    actions = (ops.step(move, "where"), Action("many"), Action(kind))
    return members._replace(
        text=worded,
        actions=(*members.actions, *actions, Action("pointer", number=first)),
        named=(*members.named, Named(text, "number")),
    )


def _held(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    moves = [
        move
        for move in ops.moves_at(members)
        if len(ops.graph.edges[move]) < 0.97 * len(ops.graph.nodes[members.kind])
    ]
    if not moves:
        return None
    move = rng.choice(moves)
    word = ops.end_word(move, members.kind, rng)
    if not word:
        return None
    kind: Kind = "exists" if rng.random() < 0.4 else "missing"
    worded = ops.worded(members, kind, rng, w=word)
    return members._replace(
        text=worded, actions=(*members.actions, ops.step(move, "where"), Action(kind))
    )


def _without(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    if rng.random() < 0.4:
        node = ops.other(members, rng)
        worded = ops.worded(members, "except", rng, o=sign(first))
        inner = (Action("pointer", number=first),)
        named = (ops.named(node),)
    else:
        other = same_class(ops, members, rng, first)
        if other is None:
            return None
        worded = ops.worded(members, "not", rng, o=other.text)
        inner, named = other.actions, other.named
    return members._replace(
        text=worded,
        actions=(*members.actions, Action("not"), *inner, Action("end")),
        named=(*members.named, *named),
    )


def _joined(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    other = same_class(ops, members, rng, first)
    if other is None:
        return None
    worded = ops.worded(members, "and", rng, o=other.text)
    return members._replace(
        text=worded,
        actions=(*members.actions, Action("and"), *other.actions, Action("end")),
        named=(*members.named, *other.named),
    )


def _spelled(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    kind: Kind = rng.choice(("starts", "starts", "ends", "contains"))
    name = ops.graph.names[ops.other(members, rng)]
    size = rng.randint(1, 3)
    text = name[-size:] if kind == "ends" else name[:size]
    if not text.strip() or '"' in text:
        return None
    text = f'"{text}"' if size > 1 or not text.isalpha() else text.upper()
    worded = ops.worded(members, kind, rng, v=sign(first))
    actions = (Action("where"), Action("self"), Action(kind))
    return members._replace(
        text=worded,
        actions=(*members.actions, *actions, Action("pointer", number=first)),
        named=(*members.named, Named(text, "text")),
    )


def same_class(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    """Another set of things of the class."""
    for _ in range(12):
        other = ops.of_walk(rng, first)
        if other is not None and other.kind == members.kind:
            return other
    return None
