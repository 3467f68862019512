"""What a graph lends to questions with operators, and the words for it.

Measures are relations to numbers or dates, and things are counted where there are several of them.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

from ...agent.kg.terms import is_literal
from ...agent.query.actions import Action, Kind
from ...agent.query.values import value_of
from ..questions.compose import Composer, plenty_of
from ..questions.graph import Graph, Move, Node
from ..questions.shapes import Shapes
from ..wording.english import Texts, sections, wordings
from ..wording.label_words import label_words
from ..wording.phrasebook import Compares
from .question import Named, QueryQuestion, words_of
from .skeletons import chosen

_MOSTLY = 0.8
"""The share of numbers among the ends of a measure."""
_COUNTABLE = 1.15
"""How many things a relation leads to on average, where it makes sense to count them."""
_FEW = 0.7
"""Where there are more texts than this share of the things that have them, they name these."""
_UNIT = re.compile(r" \((?P<unit>[^()]+)\)$| in (?P<name>\w+)$")
CARDINALS = ("two", "three", "four", "five")


class Measure(NamedTuple):
    """A relation to numbers or dates, the words for it, and its values."""

    move: Move
    name: str
    grades: Mapping[str, Texts]
    values: tuple[Node, ...]
    dates: bool
    compares: Compares = Compares()


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


def load_clause_words() -> OperatorWords:
    """The packaged templates of what stands in the place of one name or value."""
    return OperatorWords(sections(wordings("clauses")), {})


def load_operator_words() -> OperatorWords:
    """The packaged templates."""
    tables = wordings("operators")
    grades = {word: sections(of_word) for word, of_word in tables.pop("grades").items()}
    return OperatorWords(sections(tables), grades)


@dataclass(frozen=True)
class Operators:
    """Composes such questions over one graph; `classes` are the terms of classes by label."""

    graph: Graph
    shapes: Shapes
    composer: Composer
    words: OperatorWords
    phrases: OperatorWords
    classes: Mapping[str, str]
    names_texts: bool = False
    """Whether a question may name what the graph keeps as a text."""

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
            for kind in sorted({self.graph.kinds[node] for node in edges}):
                compares = self._compares(move, kind)
                grades = dict(self._grades(name, dates=dates))
                grades |= {grade: texts for grade in grades if (texts := getattr(compares, grade))}
                measures[kind].append(Measure(move, name, grades, tuple(known), dates, compares))
        return {kind: tuple(of_kind) for kind, of_kind in measures.items()}

    def _grades(self, name: str, *, dates: bool) -> Mapping[str, Texts]:
        grades = self.words.grades
        words = (word for word in reversed(name.lower().split()) if word in grades)
        return grades[next(words, "date" if dates else "other")]

    def _compares(self, move: Move, kind: str) -> Compares:
        wording = self.composer.book.wording((self.graph.spell(move),), kind, "")
        return wording.compares if wording else Compares()

    @cached_property
    def text_moves(self) -> tuple[tuple[Move, tuple[Node, ...]], ...]:
        """The moves from texts to the things that have them, where there are few, each with these.

        A text is neither a number nor a date.
        """
        moves = list[tuple[Move, tuple[Node, ...]]]()
        for move, edges in sorted(self.graph.edges.items()):
            texts = tuple(sorted(edges)) if move.inverse else ()
            few = len(texts) < _FEW * len({node for ends in edges.values() for node in ends})
            if texts and few and all(map(self.is_text, texts)):
                moves.append((move, texts))
        return tuple(moves)

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

    def ends_of(self, move: Move) -> frozenset[str]:
        """The classes of what a move leads to."""
        kinds = self.graph.kinds
        return frozenset(kinds[end] for ends in self.graph.edges[move].values() for end in ends)

    def is_counted(self, move: Move) -> bool:
        """Whether a move leads to several things."""
        return self.plenty[self.graph.spell(move)] > _COUNTABLE

    def are_things(self, kind: str) -> bool:
        """Whether a class is one of things, and not of values."""
        return self.is_thing(self.graph.nodes[kind][0])

    def is_thing(self, node: Node) -> bool:
        """Whether a node is no value and no text, so that a question can name it."""
        return not is_literal(self.graph.terms[node]) and not self.is_value(node)

    def is_text(self, node: Node) -> bool:
        """Whether a node is a text that is neither a number nor a date."""
        return is_literal(self.graph.terms[node]) and not self.is_value(node)

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

    def an_end(self, moves: Sequence[Move], rng: Random) -> tuple[Move, str] | None:
        """One of some moves and a noun for what it leads to; None where there is none."""
        move = rng.choice(moves) if moves else None
        word = move and self.end_word(move, rng)
        return (move, word) if move and word else None

    def end_word(self, move: Move, rng: Random) -> str | None:
        """A noun in the singular for what a move leads to."""
        ends = self.ends_of(move)
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
        others, is_alone = self.words.grades["other"], len(self.measures[members.kind]) == 1
        is_ambiguous = not is_alone and measure.grades["most"] == others["most"]
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
