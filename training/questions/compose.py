"""Questions from relation paths: wordings nested in wordings, fronted, referred back to, clipped.

A composer knows nothing of particular entities: it writes `TOPIC` where the topic is named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from ..wording.english import CLAUSES, HOLE, TOPIC, English, predicate, refer_back, stated, suited
from ..wording.phrasebook import Key, Noun, Phrasebook, Wording
from ..wording.template import Filling, Phrase, fill, mentions_slot, with_article
from .graph import Graph, Moves

_EMPTY = Wording()


class Route(NamedTuple):
    """A relation path to word: its moves as spelled, and the class of each entity on the way."""

    key: Key
    kinds: tuple[str, ...]


class _Chunk(NamedTuple):
    """The last moves of a route that one wording stands for, and where its {x} ends."""

    wording: Wording
    inner: int


@dataclass(frozen=True)
class Composer:
    """Writes questions; `plenty` is how many entities each move reaches on average."""

    book: Phrasebook
    english: English
    plenty: Mapping[str, float]

    def question(self, route: Route, rng: Random, topic: str = TOPIC) -> str:
        """One wording of the question that a route answers, some with harmless words around it."""
        text = self.plain(route, rng, topic)
        return self.decorate(text, rng) if rng.random() < 0.25 else text

    def plain(self, route: Route, rng: Random, topic: str = TOPIC) -> str:
        """One wording of the question that a route answers, and no more."""
        chunk = self._chunk(route, len(route.key), rng)
        style = rng.random()
        text = ""
        if style < 0.5:
            text = self._ask(route, chunk, rng, topic)
        elif style < 0.7:
            text = self._that(route, chunk, rng, topic)
        elif style < 0.8:
            text = self._telegraph(route, rng, topic)
        return text or self._noun(route, rng, topic)

    def phrase(self, route: Route, end: int, rng: Random, topic: str = TOPIC) -> Phrase:
        """A noun phrase for what the first `end` moves of a route reach."""
        if end == 0:
            return self._topic(route.kinds[0], rng, topic)
        chunk = self._chunk(route, end, rng)
        carried = self._carried(route, end, rng, topic)
        if carried:
            return carried
        inner = self.phrase(route, chunk.inner, rng, topic)
        many = self.plural(route.key[end - 1], inner.many, rng)
        noun = self.noun(route.kinds[end], many, rng)
        if chunk.wording.noun and (rng.random() < 0.55 or not chunk.wording.that):
            template = suited(chunk.wording.noun, inner, rng)
            heavy = inner.heavy or not mentions_slot(template, "x's")
            return Phrase(fill(template, Filling(inner, many, noun), rng), many, heavy)
        clause = fill(suited(chunk.wording.that, inner, rng), Filling(inner, many, noun), rng)
        return self.determined(clause, noun, many, rng)

    def decorate(self, text: str, rng: Random) -> str:
        """A whole question with harmless words around it."""
        if rng.random() < 0.7:
            return fill(rng.choice(self.english.frames["ask"]), Filling(Phrase(text)), rng)
        aside = rng.choice(self.english.frames["aside"])
        aside = aside.replace("{n}", rng.choice(self.english.unanswerable["attribute"]))
        aside = fill(aside, Filling(Phrase("")), rng)
        joint = rng.choice(self.english.frames["joint"])
        return f"{aside}{joint}{text}" if rng.random() < 0.6 else f"{text}{joint}{aside}"

    def refer(self, intro: Phrase, kind: str, text: str, rng: Random, opening: str = "") -> str:
        """An introduction of something and a question whose hole refers back to it."""
        visited = self.book.names.visited
        frames = self.english.frames
        intros = frames["intro"] + (frames["visit"] if not visited or kind in visited else ())
        opening = opening or fill(rng.choice(intros), Filling(intro), rng)
        noun = self.noun(kind, intro.many, rng)
        joint = rng.choice(self.english.frames["joint"])
        return opening + joint + refer_back(text, intro.many, noun, rng)

    def wording(self, route: Route, start: int, end: int) -> Wording:
        """What is said of the moves of a route between two places on the way."""
        key, kinds = route.key[start:end], route.kinds
        return self.book.wording(key, kinds[start], kinds[end]) or _EMPTY

    def _chunk(self, route: Route, end: int, rng: Random) -> _Chunk:
        pair = self.wording(route, end - 2, end) if end > 1 else _EMPTY
        if pair is not _EMPTY and rng.random() < 0.55:
            return self._seen_through(route, _Chunk(pair, end - 2), rng)
        one = self.wording(route, end - 1, end)
        return self._seen_through(route, _Chunk(one, end - 1), rng)

    def _seen_through(self, route: Route, chunk: _Chunk, rng: Random) -> _Chunk:
        """Leave out a step that people leave out: the language of a city."""
        if not chunk.inner:
            return chunk
        before = self.wording(route, chunk.inner - 1, chunk.inner)
        first = route.key[chunk.inner]
        if first in before.through and rng.random() < 0.5:
            return chunk._replace(inner=chunk.inner - 1)
        return chunk

    def _carried(self, route: Route, end: int, rng: Random, topic: str) -> Phrase | None:
        """`cities where people speak {x}`: two steps in one clause."""
        if end < 2 or rng.random() > 0.35:
            return None
        before = self.wording(route, end - 2, end - 1)
        if route.key[end - 1] not in before.carries or not before.that:
            return None
        inner = self.phrase(route, end - 2, rng, topic)
        many = rng.random() < 0.8
        noun = self.noun(route.kinds[end], many, rng)
        word = self.wording(route, end - 1, end).word
        if word and rng.random() < 0.7:
            noun = fill(rng.choice(word), Filling(inner, many, noun), rng)
        clause = fill(suited(before.that, inner, rng), Filling(inner, many, noun), rng)
        return self.determined(clause, noun, many, rng)

    def determined(self, clause: str, noun: str, many: bool, rng: Random) -> Phrase:
        """A class noun and a clause that says which: `the rivers that flow through {x}`."""
        frame = rng.choice(self.english.frames["many" if many else "one"])
        return Phrase(fill(frame, Filling(Phrase(clause), many, noun), rng), many, True)

    def _ask(self, route: Route, chunk: _Chunk, rng: Random, topic: str) -> str:
        if not chunk.wording.ask:
            return ""
        inner = self.phrase(route, chunk.inner, rng, topic)
        many = self.plural(route.key[-1], inner.many, rng)
        noun = self.noun(route.kinds[-1], many, rng)
        refers = rng.random() < 0.22
        template = suited(chunk.wording.ask, HOLE if refers else inner, rng)
        hole = Phrase(HOLE.text, inner.many)
        text = fill(template, Filling(hole, many, noun), rng)
        if refers:
            opening = self._stated(route, chunk.inner, inner.many, rng, topic)
            return self.refer(inner, route.kinds[chunk.inner], text, rng, opening)
        if text.endswith(f" in {hole.text}") and rng.random() < 0.4:
            front = rng.choice(
                ("in {}, {}", "in {} {}", "in {}: {}", "{}: {}", "{}, {}", "for {}, {}")
            )
            return front.format(inner.text, text.removesuffix(f" in {hole.text}"))
        return fill(template, Filling(inner, many, noun), rng)

    def _stated(self, route: Route, end: int, many: bool, rng: Random, topic: str) -> str:
        """What the first `end` moves of a route reach, told in a sentence; mostly empty."""
        if not end or rng.random() > 0.6:
            return ""
        chunk = self._chunk(route, end, rng)
        inner = self.phrase(route, chunk.inner, rng, topic)
        if not chunk.wording.that:
            return ""
        noun = self.noun(route.kinds[end], many, rng)
        clause = fill(suited(chunk.wording.that, inner, rng), Filling(inner, many, noun), rng)
        return stated(clause, many, noun, named=rng.random() < 0.6, rng=rng)

    def _noun(self, route: Route, rng: Random, topic: str) -> str:
        answer = self.phrase(route, len(route.key), rng, topic)
        noun = self.noun(route.kinds[-1], answer.many, rng)
        frame = rng.choice(self.english.frames["noun"])
        return fill(frame, Filling(answer, answer.many, noun), rng)

    def _that(self, route: Route, chunk: _Chunk, rng: Random, topic: str) -> str:
        if not chunk.wording.that:
            return ""
        inner = self.phrase(route, chunk.inner, rng, topic)
        many = self.plural(route.key[-1], inner.many, rng)
        noun = self.noun(route.kinds[-1], many, rng)
        clause = fill(suited(chunk.wording.that, inner, rng), Filling(inner, many, noun), rng)
        verb = predicate(clause)
        if verb:
            frame = rng.choice(self.english.frames["verb"])
            return fill(frame, Filling(Phrase(verb, many), many, noun), rng)
        if clause.split(" ", 1)[0] in CLAUSES or clause.startswith(inner.text):
            answer = self.determined(clause, noun, many, rng)
            frame = rng.choice(self.english.frames["noun"])
            return fill(frame, Filling(answer, many, noun), rng)
        frame = rng.choice(self.english.frames["adjective"])
        return fill(frame, Filling(Phrase(clause, many), many, noun), rng)

    def _telegraph(self, route: Route, rng: Random, topic: str) -> str:
        name = ("one", "two", "three")[len(route.key) - 1] if len(route.key) < 4 else ""
        steps = range(len(route.key))
        words = [self.wording(route, step, step + 1).word for step in steps]
        if not name or not all(words):
            return ""
        text = rng.choice(self.english.telegraph[name]).replace("{x}", topic)
        for step, (letter, options) in enumerate(zip("abc", words, strict=False)):
            many = self.plural(route.key[step], False, rng)
            noun = self.noun(route.kinds[step + 1], many, rng)
            word = fill(rng.choice(options), Filling(Phrase(""), many, noun), rng)
            text = text.replace(f"{{{letter}}}", word)
        return text

    def _topic(self, kind: str, rng: Random, topic: str) -> Phrase:
        if rng.random() < 0.86 or not kind or kind in self.book.names.values:
            return self.named(kind, rng, topic)
        noun = self.noun(kind, False, rng)
        form = rng.choice(
            (
                "the {n} {x}",
                "the {n} of {x}",
                "{x} {n}",
                "the {x} {n}",
                "{n} {x}",
                "{x} (the {n})",
                "the {n} called {x}",
                "{x}, a {n}",
                "the {n} named {x}",
                "{x} the {n}",
            )
        )
        return Phrase(with_article(form.format(n=noun, x=topic)))

    def named(self, kind: str, rng: Random, topic: str) -> Phrase:
        """A topic by its name alone, with an article where such names mostly have one."""
        names = self.book.names
        if kind in names.values:
            return Phrase(topic)
        article = rng.random() < (0.7 if kind in names.article else 0.03)
        many = kind in names.plural and rng.random() < 0.7
        return Phrase(f"the {topic}" if article else topic, many)

    def noun(self, kind: str, many: bool, rng: Random) -> str:
        """A word for a class."""
        noun: Noun = rng.choice(self.book.nouns(kind))
        return noun.many if many else noun.one

    def plural(self, move: str, inner: bool, rng: Random) -> bool:
        """Whether what a move reaches is put in the plural; `inner`: what it starts from is."""
        if inner:
            return rng.random() < 0.93
        plenty = self.plenty.get(move, 1.0)
        return plenty > 1.1 and rng.random() < (0.5 if plenty < 2.5 else 0.85)


def plenty_of(graph: Graph) -> dict[str, float]:
    """How many entities each move reaches on average, by its spelling."""
    return {
        graph.spell(move): sum(map(len, edges.values())) / len(edges)
        for move, edges in graph.edges.items()
    }


def route_of(graph: Graph, moves: Moves, walk: Sequence[int]) -> Route:
    """The route of a walk."""
    return Route(tuple(map(graph.spell, moves)), tuple(graph.kinds[node] for node in walk))
