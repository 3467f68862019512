"""An endless stream of questions over a graph, each with a path that answers it or none."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from random import Random
from typing import NamedTuple

from ...agent.llm.prompt import Mention
from ..wording.english import OTHER, TOPIC, English
from ..wording.noise import disturb
from ..wording.phrasebook import Phrasebook
from .compose import Composer, Route, plenty_of, route_of
from .graph import Graph, Move, Moves, Node, execute, sample_walk
from .in_common import in_common
from .shapes import Shapes, find_shapes
from .unanswerable import Refuser, of_foreign

_FOREIGN = 0.25
"""How many of the unanswerable questions, where their first move is one that nobody asks of some
classes, are about a topic of such a class."""


class Sample(NamedTuple):
    """A question, where it names its topics, and a walk that answers it.

    `walk` starts at the topic; without `moves` the graph does not say.
    """

    question: str
    mentions: tuple[Mention, ...]
    walk: tuple[Node, ...]
    moves: Moves | None


class Meeting(NamedTuple):
    """Two topics that a walk each leads from to the same entity, and where that leads on.

    The first walk is along `moves`, the other along one `move`; `after` may be empty.
    """

    topics: tuple[Node, Node]
    moves: Moves
    move: Move
    after: Moves
    walks: tuple[tuple[Node, ...], tuple[Node, ...], tuple[Node, ...]]

    def routes(self, graph: Graph) -> tuple[Route, Route, Route]:
        """The routes of the three walks."""
        first, other, onward = self.walks
        return (
            route_of(graph, self.moves, first),
            route_of(graph, (self.move,), other),
            route_of(graph, self.after, onward),
        )


@dataclass(frozen=True)
class Mix:
    """Shares of the stream: unanswerable questions, joint ones, and noise on the text."""

    unanswerable: float = 0.17
    joint: float = 0.11
    noise: float = 0.5


@dataclass(frozen=True)
class Questioner:
    """Composes questions over one graph."""

    graph: Graph
    shapes: Shapes
    composer: Composer
    refuser: Refuser
    mix: Mix

    def sample(self, rng: Random) -> Sample:
        """One question."""
        kind = rng.random()
        if kind < self.mix.unanswerable:
            return self.unanswerable(rng)
        is_joint = kind < self.mix.unanswerable + self.mix.joint
        return (is_joint and self._joint(rng)) or self._answerable(rng)

    def absent(self, rng: Random) -> Sample | None:
        """A question that its topic lacks the relations for, as an island lacks borders."""
        shape, topic = self.shapes.sample(rng)
        lacking = rng.sample(shape.topics, 1)
        if execute(self.graph, lacking[0], shape.moves):
            return None
        walk = sample_walk(self.graph, topic, shape.moves, rng, None) or (topic,)
        text = self.composer.question(route_of(self.graph, shape.moves, walk), rng)
        return self._sample(text, lacking, tuple(lacking), None, rng)

    def undisturbed(self) -> "Questioner":
        """The same without noise."""
        return replace(self, mix=replace(self.mix, noise=0.0))

    def refusing(self, share: float) -> "Questioner":
        """The same with another share of questions that have no answer."""
        return replace(self, mix=replace(self.mix, unanswerable=share))

    def stream(self, seed: int) -> Iterator[Sample]:
        """Questions without end, the same for the same seed."""
        rng = Random(f"questions {seed}")
        while True:
            yield self.sample(rng)

    def _answerable(self, rng: Random) -> Sample:
        shape, topic = self.shapes.sample(rng)
        walk = sample_walk(self.graph, topic, shape.moves, rng, None) or (topic,)
        text = self.composer.question(route_of(self.graph, shape.moves, walk), rng)
        return self._sample(text, (topic,), walk, shape.moves, rng)

    def meeting(self, rng: Random) -> Meeting | None:
        """Two entities that one step each leads to the same one, and what that has to do with."""
        shape, topic = self.shapes.sample(rng)
        moves = shape.moves[:1]
        walk = sample_walk(self.graph, topic, moves, rng, None) or (topic,)
        answer = walk[-1]
        others = [
            (move, node)
            for move, edges in self.graph.edges.items()
            for node in edges
            if move != moves[0] or node != topic
            if answer in edges[node] and node != topic
        ]
        if not others:
            return None
        move, other = rng.choice(others)
        after, end = self._onward(answer, (topic, other), rng)
        return Meeting((topic, other), moves, move, after, (walk, (other, answer), (answer, *end)))

    def _joint(self, rng: Random) -> Sample | None:
        meeting = self.meeting(rng)
        if meeting is None:
            return None
        text = in_common(self.composer, *meeting.routes(self.graph), rng)
        if not text:
            return None
        walk, other, (_, *end) = meeting.walks
        if rng.random() < 0.5:
            moves = (*meeting.moves, *meeting.after)
            return self._sample(text, meeting.topics, (*walk, *end), moves, rng)
        moves = (meeting.move, *meeting.after)
        return self._sample(text, meeting.topics, (*other, *end), moves, rng)

    def _onward(
        self, node: Node, topics: Sequence[Node], rng: Random
    ) -> tuple[Moves, tuple[Node, ...]]:
        """A move from where two topics meet, and where it leads; mostly none."""
        if rng.random() < 0.5:
            return (), ()
        move = rng.choice(self.graph.leaving[node])
        ends = [end for end in self.graph.edges[move][node] if end not in topics]
        return ((move,), (rng.choice(ends),)) if ends else ((), ())

    def unanswerable(self, rng: Random) -> Sample:
        """One question that has no answer in the graph."""
        text, topics = self.refused(rng)
        return self._sample(text, topics, topics[:1], None, rng)

    def refused(self, rng: Random) -> tuple[str, tuple[Node, ...]]:
        """The text of a question that has no answer in the graph, and its topics."""
        shape, topic = self.shapes.sample(rng)
        walk = sample_walk(self.graph, topic, shape.moves, rng, None) or (topic,)
        route = route_of(self.graph, shape.moves, walk)
        foreign = self.composer.book.foreign.get(route.key[0])
        if foreign and rng.random() < _FOREIGN:
            kind = rng.choice(foreign)
            topic = rng.choice(self.graph.nodes[kind])
            text = of_foreign(self.composer, route, kind, rng)
        else:
            text = self.refuser.question(route, rng)
        other = rng.choice(self.graph.nodes[rng.choice(sorted(self.graph.nodes))])
        return text, (topic, other)

    def _sample(
        self,
        text: str,
        topics: Sequence[Node],
        walk: tuple[Node, ...],
        moves: Moves | None,
        rng: Random,
    ) -> Sample:
        if rng.random() < self.mix.noise:
            text = disturb(text, self.composer.english, self.composer.book.synonyms, rng)
        question, mentions = name_topics(self.graph, text, topics)
        return Sample(question, mentions, walk, moves)


def make_questioner(
    graph: Graph,
    book: Phrasebook,
    english: English,
    *,
    hops: int,
    seed: int,
    mix: Mix | None = None,
    every: bool = True,
) -> Questioner:
    """Find the shapes of a graph, `every` relation's or the common ones, and how to word them."""
    composer = Composer(book, english, plenty_of(graph))
    words = frozenset(
        word.strip()
        for wording in (*chain.from_iterable(book.wordings.values()), *book.generic.values())
        for text in wording.word
        for word in re.split(r"[{}/()|]+", text)
    )
    shapes = find_shapes(graph, hops, Random(f"shapes {seed}"), every=every)
    return Questioner(graph, shapes, composer, Refuser(composer, words), mix or Mix())


def name_topics(graph: Graph, text: str, topics: Sequence[Node]) -> tuple[str, tuple[Mention, ...]]:
    """Put the names of the topics where a text leaves room: the first for `TOPIC`, then others."""
    question, mentions, last = "", list[Mention](), 0
    for part in re.split(f"([{TOPIC}{OTHER}])", text):
        if part in (TOPIC, OTHER):
            last = min(last + (part == OTHER), len(topics) - 1)
            node = topics[0 if part == TOPIC else last]
            name = graph.names[node]
            start = len(question)
            mentions.append(Mention(start, start + len(name), name, graph.kinds[node]))
            question += name
        else:
            question += part
    return question, tuple(mentions)
