"""An endless stream of questions over a graph, each with the query that it asks, or none.

They are walks and what two of them have in common, worded as for the other formats; skeletons; what
a graph cannot answer; and questions that a file has. Around and inside them stand words that ask
nothing, and words that no query of the graph can say.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from ...agent.query.actions import Action
from ..questions.compose import Composer, Route, route_of
from ..questions.graph import Graph, Move, Moves, Node, sample_walk
from ..questions.in_common import in_common
from ..questions.questioner import Questioner
from ..questions.shapes import Shape
from ..wording.english import OTHER, TOPIC
from ..wording.phrasebook import Noun
from .operator_questions import operator_question
from .operators import Operators
from .question import (
    Earlier,
    Named,
    QueryQuestion,
    earlier_class,
    named_node,
    numbered,
    sign,
    words_of,
)
from .skeletons import VALUES, Skeleton, chosen, slots_of
from .variation import Modifiers, Variation, with_unknown_name

_ORDINALS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_CARDINALS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
TAUGHT = 0.3
"""The share of the questions of a file among the others."""
_MARKS = ("\uf8a0", "\uf8a1")
"""The nouns of a class, of one and of many, until it is known whether a text has any of them."""


@dataclass(frozen=True)
class Shares:
    """How the stream is mixed; the rest are plain walks."""

    skeletons: float = 0.55
    operators: float = 0.1
    joint: float = 0.06
    unanswerable: float = 0.13
    unread: float = 0.16
    """Of the answerable ones, how many have words that no query can say."""
    unknown_names: float = 0.05
    """Of the answerable ones, how many ask about a name that nobody has instead."""
    filler: float = 0.25
    noise: float = 0.45
    earlier: float = 0.08
    """How many that stand alone come after another question all the same."""
    taught: float = TAUGHT
    """How many are those of a file, where there is one."""


@dataclass(frozen=True)
class QueryQuestioner:
    """Composes questions with queries over one graph."""

    plain: Questioner
    skeletons: tuple[Skeleton, ...]
    modifiers: Modifiers
    terms: Mapping[str, str]
    """The terms of classes by label."""
    operators: Operators | None = None
    shares: Shares = Shares()
    lessons: tuple[QueryQuestion, ...] = ()
    """Questions with queries that a file has."""

    @property
    def graph(self) -> Graph:
        """The graph that is asked about."""
        return self.plain.graph

    @property
    def composer(self) -> Composer:
        """What words the walks."""
        return self.plain.composer

    @cached_property
    def _variation(self) -> Variation:
        shares = self.shares
        return Variation(
            self.graph,
            self.composer,
            self.modifiers,
            unread=shares.unread,
            filler=shares.filler,
            noise=shares.noise,
        )

    def stream(self, seed: int) -> Iterator[QueryQuestion]:
        """Questions without end, the same for the same seed."""
        rng = Random(f"queries {seed}")
        while True:
            yield self.sample(rng)

    def sample(self, rng: Random) -> QueryQuestion:
        """One question."""
        if self.lessons and rng.random() < self.shares.taught:
            return self._variation.varied(rng.choice(self.lessons), rng)
        shares = self.shares
        makers = (
            (self._unanswerable, shares.unanswerable),
            (self._joint, shares.joint),
            (self._from_skeleton, shares.skeletons if self.skeletons else 0.0),
            (self._operated, shares.operators if self.skeletons else shares.skeletons),
        )
        rest = 1.0 - sum(share for _, share in makers)
        weights = [*(share for _, share in makers), rest]
        make = rng.choices([*(maker for maker, _ in makers), self._walk], weights)[0]
        made = make(rng) or self._walk(rng)
        if made.actions is not None and rng.random() < shares.unknown_names:
            unknown = with_unknown_name(made, self.graph.names, self.terms, rng)
            made = unknown._replace(actions=None) if unknown else made
        made = self._variation.varied(made, rng)
        if made.earlier is None and rng.random() < shares.earlier:
            made = self._after_another(made, rng)
        return made

    # Walks

    def _walk(self, rng: Random) -> QueryQuestion:
        shape, topic = self.plain.shapes.sample(rng)
        walk = sample_walk(self.graph, topic, shape.moves, rng, None) or (topic,)
        route = route_of(self.graph, shape.moves, walk)
        text, classes = self._worded(route, rng)
        actions = [Action("pointer", number=0), *self._steps(shape.moves, classes)]
        return self._question(text, (topic,), (*actions, Action("end")))

    def _worded(self, route: Route, rng: Random) -> tuple[str, dict[int, str]]:
        """A wording of a route, and by step the classes that it narrows an end to.

        A relation may lead to things of several classes; then a class noun says which are meant.
        """
        wide = {
            step: kind
            for step, kind in enumerate(route.kinds)
            if step and kind in self.terms and len(self._kinds_at(route, step)) > 1
        }
        kinds = set(wide.values())
        if not wide or len(kinds) < len(wide) or kinds & {route.kinds[0]}:
            return self.composer.plain(route, rng), {}
        classes, drawn = dict(self.composer.book.classes), dict[str, tuple[Noun, Noun]]()
        for number, kind in enumerate(sorted(kinds)):
            one, many = (mark + chr(0xF8B0 + number) for mark in _MARKS)
            drawn[kind] = Noun(one, many), rng.choice(self.composer.book.nouns(kind))
            classes[kind] = (drawn[kind][0],)
        book = replace(self.composer.book, classes=classes)
        text = replace(self.composer, book=book).plain(route, rng)
        narrowed = dict[int, str]()
        for step, kind in wide.items():
            mark, noun = drawn[kind]
            if mark.one in text or mark.many in text:
                text = text.replace(mark.one, noun.one).replace(mark.many, noun.many)
                if self._is_distinct(noun, kind, self._kinds_at(route, step)):
                    narrowed[step] = kind
        return text, narrowed

    def _kinds_at(self, route: Route, step: int) -> frozenset[str]:
        """The classes of what a step of a route may lead to."""
        return self._ends[route.key[step - 1], route.kinds[step - 1]]

    def _is_distinct(self, noun: Noun, kind: str, kinds: frozenset[str]) -> bool:
        """Whether a noun is that of one class among several."""
        others = (other for other in kinds if other != kind)
        return not any(noun in self.composer.book.nouns(other) for other in others)

    @cached_property
    def _ends(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """The classes that each move leads to from each class."""
        ends = dict[tuple[str, str], set[str]]()
        for move, edges in self.graph.edges.items():
            for source, targets in edges.items():
                key = self.graph.spell(move), self.graph.kinds[source]
                ends.setdefault(key, set()).update(self.graph.kinds[target] for target in targets)
        return {key: frozenset(kinds) for key, kinds in ends.items()}

    def _steps(self, moves: Moves, classes: Mapping[int, str] = {}) -> Iterator[Action]:
        for step, move in enumerate(moves, 1):
            yield self._step(move)
            if step in classes:
                yield Action("class", self.terms[classes[step]])

    def _step(self, move: Move) -> Action:
        return Action("step", self.graph.relations[move.relation], move.inverse)

    def _joint(self, rng: Random) -> QueryQuestion | None:
        meeting = self.plain.meeting(rng)
        if meeting is None:
            return None
        text = in_common(self.composer, *meeting.routes(self.graph), rng)
        if not text:
            return None
        other = (
            Action("and"),
            Action("pointer", number=1),
            self._step(meeting.move),
            Action("end"),
        )
        actions = (
            Action("pointer", number=0),
            *self._steps(meeting.moves),
            *other,
            *self._steps(meeting.after),
            Action("end"),
        )
        return self._question(text, meeting.topics, actions)

    def _unanswerable(self, rng: Random) -> QueryQuestion:
        text, topics = self.plain.refused(rng)
        return self._question(text, topics, None)

    def _question(
        self, text: str, topics: Sequence[Node], actions: tuple[Action, ...] | None
    ) -> QueryQuestion:
        """A question whose text has `TOPIC` for the first topic and `OTHER` for the others."""
        signed, last = "", 0
        for letter in text:
            if letter == OTHER:
                last = min(last + 1, len(topics) - 1)
            signed += sign(0 if letter == TOPIC else last) if letter in (TOPIC, OTHER) else letter
        return QueryQuestion(
            words_of(signed),
            tuple(named_node(self.graph, self.composer.book, topic) for topic in topics),
            actions,
        )

    def _operated(self, rng: Random) -> QueryQuestion | None:
        return self.operators and operator_question(self.operators, rng)

    # Skeletons

    def _from_skeleton(self, rng: Random) -> QueryQuestion | None:
        skeleton = rng.choice(self.skeletons)
        rank = min(2 + int(rng.expovariate(0.7)), 10)
        named = [self._filled(skeleton, slot.kinds, slot.number, rng) for slot in skeleton.slots]
        text = self._signed(skeleton.worded(rng), rank, rng)
        earlier = None
        if (before := skeleton.before) and before.question:
            asked = self._signed(chosen(before.question, rng), rank, rng)
            kinds = [one.kind for one in named if one.kind not in VALUES]
            topics = rng.choice(kinds) if kinds else ""
            earlier = Earlier(
                topics, rng.choice(self._earlier_classes), rng.random() < 0.5, words_of(asked)
            )
        elif before:
            earlier, more = self._earlier(before.topics, before.answers, len(named), rng)
            earlier = earlier._replace(many=before.many)
            named += more
        actions = [
            action._replace(number=rank) if index == skeleton.ranked else action
            for index, action in enumerate(map(self._in_terms, skeleton.actions))
        ]
        return QueryQuestion(words_of(text), tuple(named), tuple(actions), earlier)

    def _in_terms(self, action: Action) -> Action:
        if not action.name:
            return action
        if action.kind == "class":
            return action._replace(name=self.terms[action.name])
        return action._replace(name=self._relations[action.name])

    @cached_property
    def _earlier_classes(self) -> tuple[str, ...]:
        """What answers before may have been; empty where there were none."""
        classes = {earlier_class(self.graph, nodes[0]) for nodes in self.graph.nodes.values()}
        return ("", *sorted(classes))

    @cached_property
    def _relations(self) -> Mapping[str, str]:
        return dict(zip(self.graph.labels, self.graph.relations, strict=True))

    def _filled(self, skeleton: Skeleton, kinds: Sequence[str], number: int, rng: Random) -> Named:
        kind = rng.choice(kinds)
        if kind not in VALUES:
            return Named(self.graph.names[rng.choice(self.graph.nodes[kind])], kind)
        if kind == "letter":
            return Named(rng.choice("ABCDEFGHIJKLMNOPRSTUVWYZ"), "text")
        if kind == "text":
            name = rng.choice(self.graph.names)
            return Named(f'"{name[: rng.randint(2, 4)].strip()}"', "text")
        return Named(self._number(skeleton, number, rng), "number")

    def _number(self, skeleton: Skeleton, number: int, rng: Random) -> str:
        """A number like those that it is compared with."""
        pointers = [n for n, action in enumerate(skeleton.actions) if action.number == number]
        before = skeleton.actions[: pointers[0]] if pointers else ()
        named = (action for action in reversed(before) if action.kind != "then" and action.name)
        measured = next(named, None)
        kinds = [action.kind for action in before[-3:]]
        if "many" in kinds or "having" in kinds or measured is None:
            small = rng.randint(1, 6)
            words = ("one", *_CARDINALS)
            return words[small - 1] if rng.random() < 0.5 else str(small)
        size = 10 ** rng.randint(1, 2) * rng.randint(1, 80)
        return f"{size:,}" if rng.random() < 0.4 else str(size)

    def _signed(self, text: str, rank: int, rng: Random) -> str:
        """A text with signs in its slots; how many are kept is a mention too, as any number."""
        parts, end = list[str](), 0
        for slot in slots_of(text):
            parts.append(text[end : slot.start()])
            end = slot.end()
            if slot[1]:
                parts.append(sign(int(slot[1])))
            elif slot[3] == "nth":
                parts.append(_ORDINALS[rank - 2] if rng.random() < 0.65 else _short(rank))
            else:
                parts.append(_CARDINALS[rank - 2] if rng.random() < 0.6 else str(rank))
        return "".join(parts) + text[end:]

    def _after_another(self, question: QueryQuestion, rng: Random) -> QueryQuestion:
        """The same question, which does not need what came before it."""
        earlier, named = self._earlier("", "", len(question.named), rng)
        return question._replace(named=(*question.named, *named), earlier=earlier)

    def _earlier(
        self, topics: str, answers: str, first: int, rng: Random
    ) -> tuple[Earlier, list[Named]]:
        """A question before about a topic of a class with answers of one; empty for any class."""
        fitting = self._shapes_between.get((topics, answers)) or self._shapes_between["", ""]
        shape = rng.choice(fitting)
        topic = rng.choice(shape.topics)
        walk = sample_walk(self.graph, topic, shape.moves, rng, None)
        if walk is None:
            shape, topic = self.plain.shapes.sample(rng)
            walk = sample_walk(self.graph, topic, shape.moves, rng, None) or (topic,)
        text = self.composer.plain(route_of(self.graph, shape.moves, walk), rng)
        before = self._question(text, (topic,), None)
        words = tuple(word._replace(text=_moved(word.text, first)) for word in before.words)
        earlier = Earlier(
            topics or earlier_class(self.graph, topic),
            answers or earlier_class(self.graph, walk[-1]),
            rng.random() < 0.5,
            words,
        )
        return earlier, list(before.named)

    @cached_property
    def _shapes_between(self) -> Mapping[tuple[str, str], Sequence[Shape]]:
        """The shapes of one or two hops from a class to a class, and under empty classes all."""
        between = dict[tuple[str, str], list[Shape]]()
        for shape in self.plain.shapes.shapes:
            if len(shape.moves) > 2:
                continue
            kinds = {shape.kind}
            for move in shape.moves:
                spelled = self.graph.spell(move)
                kinds = {end for kind in kinds for end in self._ends.get((spelled, kind), ())}
            for end in kinds:
                between.setdefault((shape.kind, end), []).append(shape)
            between.setdefault(("", ""), []).append(shape)
        return between


def _moved(text: str, count: int) -> str:
    """A text with the numbers of its signs raised."""
    for number, match in reversed(numbered(text)):
        text = text[: match.start()] + sign(number + count) + text[match.end() :]
    return text


def _short(rank: int) -> str:
    return f"{rank}{ {2: 'nd', 3: 'rd'}.get(rank, 'th') }"
