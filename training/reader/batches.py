"""Batches of examples: each with the labels of its query among others of its schema."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...agent.query.actions import LITERAL
from ...agent.reader.inputs import (
    CLASS,
    FORWARD,
    INVERSE,
    KIND_NUMBERS,
    Acted,
    Inputs,
    Label,
    Posed,
    acted,
)
from ...agent.reader.lexicon import Lexicon
from ...agent.reader.network import KINDS, NONE, Batch
from ...agent.reader.words import READ, label_words
from ..languages import wordings_of_all
from .examples import Example
from .sources import Hop, SchemaLabels

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Drawing:
    """How labels are drawn beside those of a query."""

    fewest: int = 10
    most: int = 48
    renamed: float = 0.3
    """How many labels are called by an alias, in every other example."""
    untold: float = 0.3
    """How many examples are told no class."""
    unknown: float = 0.3
    """How many examples have words in their labels whose meaning is not known."""
    turned: float = 0.35
    """How many relations of a query can be followed the other way, too."""
    none: float = 0.08
    """How many examples miss a label of their query, so that nothing fits."""
    barred: float = 0.8
    """How many examples bar the labels that a graph would not offer."""
    bare: float = 0.0
    """How many examples are over a graph without classes, where their query needs none."""
    both: float = 0.0
    """How many examples have every relation in both ways."""
    affixed: float = 0.0
    """How many examples have labels with words that say nothing, as in `has genre`."""


PLAIN = Drawing(
    fewest=30,
    most=30,
    renamed=0.0,
    untold=0.0,
    unknown=0.0,
    turned=0.0,
    none=0.0,
    barred=1.0,
)
"""Labels as they are, as a reader meets them."""


@dataclass(frozen=True)
class Pool:
    """The labels of a schema, and where words occur in them."""

    hops: Sequence[Hop]
    classes: Sequence[str]
    by_word: Mapping[str, Sequence[int]]
    by_label: Mapping[str, Sequence[int]]
    asked: Sequence[int] = ()
    """The hops that questions use, as often as they do."""
    begin: Mapping[tuple[str, int], frozenset[str]] = field(default_factory=dict)
    """The classes that a label may be followed from, by its name and way, where they are known."""
    beside: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """The hops that a class has, at either end."""


def pools_of(examples: Sequence[Example], schemas: Mapping[str, SchemaLabels]) -> dict[str, Pool]:
    """The labels of each schema: those that are known, and those that questions use."""
    hops = defaultdict[str, dict[Hop, None]](dict)
    classes = defaultdict[str, dict[str, None]](dict)
    known = {key: {own.label for own in labels.hops} for key, labels in schemas.items()}
    for key, labels in schemas.items():
        hops[key].update(dict.fromkeys(labels.hops))
        tails = (own.tail for own in labels.hops if own.tail)
        classes[key].update(dict.fromkeys(labels.classes or tails))
    used = defaultdict[str, list[str]](list)
    for own in examples:
        labels = [name for name, _, is_class in own.names if not is_class]
        for label in (*labels, *own.candidates):
            if label not in known.get(own.schema, ()):
                hops[own.schema].setdefault(Hop(label))
        used[own.schema] += labels
        classes[own.schema].update({name: None for name, _, is_class in own.names if is_class})
    return {key: _pool(list(own), list(classes[key]), used[key]) for key, own in hops.items()}


def _pool(hops: list[Hop], classes: list[str], used: Sequence[str]) -> Pool:
    by_word, by_label = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for number, hop in enumerate(hops):
        by_label[hop.label].append(number)
        for word in set(label_words(hop.label)):
            by_word[word].append(number)
    begin, beside = defaultdict[tuple[str, int], set[str]](set), defaultdict[str, list[int]](list)
    for number, hop in enumerate(hops):
        for way, end in ((FORWARD, hop.head), (INVERSE, hop.tail)):
            if end:
                begin[hop.label, way].add(end)
                beside[end].append(number)
    asked = [by_label[label][0] for label in used if label in by_label]
    ends = {key: frozenset(several) for key, several in begin.items()}
    return Pool(hops, classes, by_word, by_label, asked, ends, beside)


def every_word(
    examples: Sequence[Example], pools: Mapping[str, Pool], lexicon: Lexicon
) -> list[str]:
    """The words that batches of these examples may have, each once."""
    words = [word for own in examples for word in own.words]
    texts = {word.text for word in words if word.what in READ}
    names = {word.kind for word in words}
    for pool in pools.values():
        names.update(pool.classes, *((hop.label, hop.head, hop.tail) for hop in pool.hops))
    texts.update(word for name in names for word in label_words(name))
    texts.update(word for several in lexicon.aliases.values() for own in several for word in own)
    return sorted(texts)


class Targets(NamedTuple):
    """What is right at each place, `(B, T + 1)`; -1 where nothing is asked."""

    kinds: "Tensor"
    labels: "Tensor"
    words: "Tensor"
    literals: "Tensor"
    unread: "Tensor"
    """`(B, T + 1, N)`: whether a word asks what the actions before leave out; -1 if not known."""
    legal: "Tensor"
    """`(B, T + 1, kinds)`: what the grammar allows."""
    is_literal: "Tensor"
    """`(B, T + 1)`: whether a pointer there is a number itself."""
    offered: "Tensor"
    """`(B, T + 1, L)`: the labels that may come."""


class Batcher:
    """Makes batches of examples with labels drawn anew."""

    def __init__(
        self, lexicon: Lexicon, pools: Mapping[str, Pool], drawing: Drawing | None = None
    ) -> None:
        self.inputs = Inputs(lexicon)
        self.pools = pools
        self.drawing = drawing or Drawing()

    def batch(self, examples: Sequence[Example], rng: Random) -> tuple[Batch, Targets]:
        """A batch of examples with what is right at each place."""
        drawn = [self._drawn(own, rng) for own in examples]
        posed = [
            Posed(own.words, d.labels, d.right[:-1], d.told, d.unknown)
            for own, d in zip(examples, drawn, strict=True)
        ]
        batch = self.inputs.batch(posed)
        return batch, _targets(examples, drawn, batch)

    def labels(self, own: Example, rng: Random, *, bare: bool = False) -> list[Label]:
        """The labels of a query, then others of its schema; classes last, unless it is `bare`."""
        pool = self.pools.get(own.schema)
        names, gold = own.names, {name for name, _, _ in own.names}
        made = dict[tuple[str, int], Label]()
        both = rng.random() < self.drawing.both

        def add(name: str, way: int, tail: str) -> None:
            made.setdefault((name, way), Label(name, way, name, tail))

        for name, inverse, is_class in names:
            tail = "" if is_class else self._tail(pool, name, inverse, rng)
            add(name, CLASS if is_class else INVERSE if inverse else FORWARD, tail)
        for name, inverse, is_class in names:
            if not is_class and (both or rng.random() < self.drawing.turned):
                other = FORWARD if inverse else INVERSE
                add(name, other, self._tail(pool, name, not inverse, rng))
        if pool is None:
            return list(made.values())
        wanted = rng.randint(self.drawing.fewest, self.drawing.most)
        for hop in self._others(own, pool, gold, wanted, rng):
            ways = (FORWARD, INVERSE) if both or rng.random() < 0.3 else (rng.randrange(2),)
            for way in ways:
                add(hop.label, way, hop.head if way else hop.tail)
        if bare:
            return list(made.values())
        kinds = (
            [kind for kind in pool.classes if kind not in gold] if len(pool.classes) < 200 else []
        )
        if not kinds and pool.classes:
            kinds = [own for own in rng.choices(pool.classes, k=12) if own not in gold]
        for kind in rng.sample(kinds, min(len(kinds), rng.randint(2, 10))):
            add(kind, CLASS, "")
        return list(made.values())

    def _tail(self, pool: Pool | None, name: str, inverse: bool, rng: Random) -> str:
        known = [] if pool is None else pool.by_label.get(name, ())
        if pool is None or not known:
            return ""
        hop = pool.hops[rng.choice(known)]
        return hop.head if inverse else hop.tail

    def _others(
        self, own: Example, pool: Pool, gold: set[str], wanted: int, rng: Random
    ) -> list[Hop]:
        if own.candidates and rng.random() < 0.8:
            drawn = [Hop(label) for label in own.candidates if label not in gold]
            if len(drawn) >= min(wanted, 4):
                return drawn[:wanted]
        if len(pool.hops) <= wanted:
            return [hop for hop in pool.hops if hop.label not in gold]
        asked = {part for word in own.words for part in word.parts}
        asked |= {word for label in gold for word in label_words(label)}
        near = [n for word in sorted(asked) for n in _few(pool.by_word.get(word, ()), rng)]
        numbers = rng.sample(near, min(len(near), wanted // 3))
        if self.drawing.barred:
            known = [pool.hops[number] for label in gold for number in pool.by_label.get(label, ())]
            ends = {end for hop in known for end in (hop.head, hop.tail)}
            beside = [n for end in sorted(ends) for n in _few(pool.beside.get(end, ()), rng)]
            numbers += rng.sample(beside, min(len(beside), wanted // 3))
        numbers += rng.choices(pool.asked, k=wanted // 3) if pool.asked else []
        numbers += [rng.randrange(len(pool.hops)) for _ in range(wanted - len(numbers))]
        found = (pool.hops[number] for number in dict.fromkeys(numbers))
        return [hop for hop in found if hop.label not in gold]

    def _drawn(self, own: Example, rng: Random) -> "_Drawn":
        needs_class = any(action.kind == "class" for action in own.actions)
        bare = rng.random() < self.drawing.bare and not needs_class
        labels = self.labels(own, rng, bare=bare)
        told = rng.random() >= self.drawing.untold and not bare
        if not own.actions:
            return _Drawn(labels, [Acted(KIND_NUMBERS[NONE])], told)
        right = acted(own.actions, own.words, labels)
        if rng.random() < self.drawing.none and (gone := self._missing(own, rng)) is not None:
            labels = [label for label in labels if label.name != own.actions[gone].name]
            right = acted(own.actions[:gone], own.words, labels)
            right.append(Acted(KIND_NUMBERS[NONE]))
        pool = self.pools.get(own.schema)
        bars = rng.random() < self.drawing.barred
        barred = _barred(own, labels, right, pool) if bars and pool is not None else {}
        if rng.random() < 0.5:
            labels = [label._replace(called=self._called(label.name, rng)) for label in labels]
        if rng.random() < self.drawing.affixed:
            labels = _affixed(labels, rng)
        if not told:
            labels = [label._replace(tail="") for label in labels]
        hides = rng.random() < self.drawing.unknown
        unknown = _unknown(labels, rng) if hides else frozenset[str]()
        return _Drawn(labels, right, told, unknown, barred)

    def _missing(self, own: Example, rng: Random) -> int | None:
        """The place of an action whose label is taken away, which nothing before it has."""
        named = [place for place, action in enumerate(own.actions) if action.name]
        if not named:
            return None
        gone = rng.choice(named)
        before = (action.name for action in own.actions[:gone])
        return None if own.actions[gone].name in before else gone

    def _called(self, label: str, rng: Random) -> str:
        if rng.random() >= self.drawing.renamed:
            return label
        names = self.inputs.lexicon.aliases.get(label_words(label), ())
        return " ".join(rng.choice(names)) if names else label


class _Drawn(NamedTuple):
    labels: list[Label]
    right: list[Acted]
    told: bool
    unknown: frozenset[str] = frozenset()
    barred: Mapping[int, frozenset[int]] = {}
    """The labels that are not offered, by place."""


def _barred(
    own: Example, labels: Sequence[Label], right: Sequence[Acted], pool: Pool
) -> dict[int, frozenset[int]]:
    """By place the labels that nothing of the class has to which the actions before it lead.

    None are barred where that class is not known, nor where it would bar what is right.
    """
    barred = dict[int, frozenset[int]]()
    for place in range(1, len(right)):
        before, class_ = own.actions[place - 1], ""
        if before.kind == "pointer" and right[place - 1].word >= 0:
            class_ = own.words[right[place - 1].word].kind
        elif before.kind in ("step", "class") and before.name:
            label = labels[right[place - 1].label]
            class_ = label.name if before.kind == "class" else label.tail
        if class_ in pool.beside:
            others = (
                number
                for number, label in enumerate(labels)
                if class_ not in pool.begin.get(label.key, (class_,))
            )
            never = frozenset(others)
            if right[place].label not in never:
                barred[place] = never
    return barred


@cache
def _affixes() -> tuple[Sequence[str], Sequence[str]]:
    """Words before and after labels that say nothing of them, in all languages."""
    languages = wordings_of_all("affixes")
    before, after = ([w for own in languages for w in own[at]] for at in ("before", "after"))
    return before, after


def _affixed(labels: Sequence[Label], rng: Random) -> list[Label]:
    """The labels, those of relations often with a word more."""
    (before, after), often = _affixes(), rng.random()

    def called(label: Label) -> str:
        if label.way == CLASS or rng.random() > often:
            return label.called
        name = " ".join(label_words(label.called))
        if rng.random() < 0.5:
            return f"{rng.choice(before)} {name}"
        return f"{name} {rng.choice(after)}"

    return [label._replace(called=called(label)) for label in labels]


def _unknown(labels: Sequence[Label], rng: Random) -> frozenset[str]:
    """Some words of some labels."""
    part = rng.random()
    words = {word for own in labels for word in (*label_words(own.called), *label_words(own.tail))}
    return frozenset(word for word in sorted(words) if rng.random() < part)


def _few(numbers: Sequence[int], rng: Random) -> Sequence[int]:
    return numbers if len(numbers) <= 8 else rng.sample(numbers, 8)


def _targets(examples: Sequence[Example], drawn: Sequence[_Drawn], batch: Batch) -> Targets:
    import torch

    places, words = batch.kinds.shape[1] + 1, batch.words.shape[1]
    right = np.full((4, len(drawn), places), -1, np.int64)
    unread = np.full((len(drawn), places, words), -1, np.int64)
    legal = np.zeros((len(drawn), places, len(KINDS)), bool)
    literal = np.zeros((len(drawn), places), bool)
    offered = np.ones((len(drawn), places, batch.ways.shape[1]), bool)
    for row, (example, own) in enumerate(zip(examples, drawn, strict=True)):
        for place, action in enumerate(own.right):
            right[:, row, place] = action
            legal[row, place] = _legal_row(example.legal[place])
            literal[row, place] = bool(place) and example.actions[place - 1].kind in LITERAL
            offered[row, place, list(own.barred.get(place, ()))] = False
        if len(own.right) == len(example.actions):
            for place, values in _left_out(example, own).items():
                unread[row, place, : len(values)] = values
    kinds, labels, pointed, literals = map(torch.from_numpy, right)
    left = torch.from_numpy(unread)
    allowed, number = torch.from_numpy(legal), torch.from_numpy(literal)
    may_come = torch.from_numpy(offered)
    return Targets(kinds, labels, pointed, literals, left, allowed, number, may_come)


def _left_out(example: Example, own: _Drawn) -> dict[int, list[int]]:
    """By place what is known of each word, where the query may end before that action.

    A mention that is pointed at only later is left out so far, and so is a word that only a later
    label has. Of a whole query that is known where the question was made.
    """
    last = len(own.right) - 1
    nothing = set[str]().union(*_affixes())
    parts = [
        set(label_words(own.labels[a.label].called)) - nothing if a.label >= 0 else set[str]()
        for a in own.right
    ]
    found = dict[int, list[int]]()
    for place in range(1, last + 1):
        if not example.may_end[place]:
            continue
        before, after = own.right[:place], own.right[place:]
        pointed, later = {a.word for a in before}, {a.word for a in after}
        said = set[str]().union(*parts[:place])
        to_say = set[str]().union(*parts[place:])
        values = list[int]()
        for number, word in enumerate(example.words):
            if word.is_earlier:
                values.append(-1)
            elif word.mention is not None:
                values.append(0 if number in pointed else 1 if number in later else -1)
            elif place == last and example.unread is not None:
                values.append(int(number in example.unread))
            elif to_say.intersection(word.parts) and not said.intersection(word.parts):
                values.append(1)
            else:
                values.append(0 if said.intersection(word.parts) else -1)
        found[place] = values
    return found


@cache
def _legal_row(kinds: frozenset[str]) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    row = np.zeros(len(KINDS), bool)
    row[[KIND_NUMBERS[kind] for kind in kinds]] = True
    row[KIND_NUMBERS[NONE]] = True
    return row
