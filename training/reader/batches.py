"""Batches of examples: each with the labels of its query among others of its schema."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
    KINDS,
    NONE,
    ActionNumbers,
    Batch,
    Inputs,
    Label,
    PartialReading,
    number_actions,
)
from ...agent.reader.lexicon import Lexicon, label_words
from .examples import Example
from .made_graphs import VALUES
from .naming import OtherNames, meaningless_words
from .pools import Drawing, Pool
from .siblings import Siblings
from .sources import Hop

if TYPE_CHECKING:
    from torch import Tensor


_STEP = KIND_NUMBERS["step*"]
"""The kind of a hop along a relation."""


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
    """Makes batches of examples with labels drawn anew, and called by other names."""

    def __init__(
        self,
        lexicon: Lexicon,
        pools: Mapping[str, Pool],
        drawing: Drawing | None = None,
        names: OtherNames | None = None,
        siblings: Siblings | None = None,
    ) -> None:
        self.inputs = Inputs(lexicon)
        self.pools = pools
        self.drawing = drawing or Drawing()
        self.names = names or OtherNames(lexicon.aliases)
        self.siblings = siblings or Siblings()

    def batch(self, examples: Sequence[Example], rng: Random) -> tuple[Batch, Targets]:
        """A batch of examples with what is right at each place."""
        drawn = [self._drawn(example, rng) for example in examples]
        batch = self.inputs.batch(
            [
                PartialReading(d.example.words, d.labels, d.right[:-1], d.knows_classes, d.unknown)
                for d in drawn
            ]
        )
        return batch, _targets(drawn, batch)

    def labels(self, example: Example, rng: Random, *, bare: bool = False) -> list[Label]:
        """The labels of a query, then others of its schema; classes last, unless it is `bare`."""
        pool = self.pools.get(example.schema)
        both = rng.random() < self.drawing.both
        labels = self._gold_labels(example, pool, both=both, rng=rng)
        if pool is not None:
            gold = {name for name, _, _ in example.names}
            few = rng.random() < self.drawing.few
            most = 3 * self.drawing.fewest if few else self.drawing.most
            wanted = rng.randint(self.drawing.fewest, most)
            for hop in self._others(example, pool, gold, wanted, rng):
                ways = (FORWARD, INVERSE) if both or rng.random() < 0.3 else (rng.randrange(2),)
                labels += (
                    Label(hop.label, way, hop.label, hop.head if way else hop.tail) for way in ways
                )
            if not bare:
                labels += (Label(name, CLASS, name) for name in _other_classes(pool, gold, rng))
        first = dict[tuple[str, int], Label]()
        for label in labels:
            first.setdefault(label.key, label)
        return list(first.values())

    def _gold_labels(
        self, example: Example, pool: Pool | None, *, both: bool, rng: Random
    ) -> list[Label]:
        """The labels of a query, some relations in the other way, too."""
        labels = list[Label]()
        for name, inverse, is_class in example.names:
            tail = "" if is_class else _tail(pool, name, inverse, rng)
            labels.append(Label(name, CLASS if is_class else int(inverse), name, tail))
        for name, inverse, is_class in example.names:
            if not is_class and (both or rng.random() < self.drawing.turned):
                tail = _tail(pool, name, not inverse, rng)
                labels.append(Label(name, int(not inverse), name, tail))
        return labels

    def _others(
        self, example: Example, pool: Pool, gold: set[str], wanted: int, rng: Random
    ) -> list[Hop]:
        """Relations beside those of a query: its candidates, or such as are easily mistaken."""
        if example.candidates and rng.random() < 0.8:
            drawn = [Hop(label) for label in example.candidates if label not in gold]
            if len(drawn) >= min(wanted, 4):
                return drawn[:wanted]
        hops = pool.hops
        if len(hops) > wanted:
            numbers = self._near_numbers(example, pool, gold, wanted, rng)
            numbers += rng.choices(pool.asked, k=wanted // 3) if pool.asked else []
            numbers += [rng.randrange(len(hops)) for _ in range(wanted - len(numbers))]
            hops = [hops[number] for number in dict.fromkeys(numbers)]
        return [hop for hop in hops if hop.label not in gold]

    def _near_numbers(
        self, example: Example, pool: Pool, gold: set[str], wanted: int, rng: Random
    ) -> list[int]:
        """Relations that have words of the question or query, and those of the same classes."""
        words = {part for word in example.words for part in word.parts}
        words |= {word for label in gold for word in label_words(label)}
        numbers = _sampled(pool.by_word, words, wanted // 3, rng)
        if self.drawing.barred:
            known = [pool.hops[n] for label in gold for n in pool.by_label.get(label, ())]
            ends = {end for hop in known for end in (hop.head, hop.tail)}
            numbers += _sampled(pool.beside, ends, wanted // 3, rng)
        return numbers

    def _drawn(self, example: Example, rng: Random) -> "_Drawn":
        needs_class = any(action.kind == "class" for action in example.actions)
        bare = rng.random() < self.drawing.bare and not needs_class
        labels = self.labels(example, rng, bare=bare)
        knows_classes = rng.random() >= self.drawing.untold and not bare
        right = number_actions(example.actions, example.words, labels)
        if not example.actions:
            right = [ActionNumbers(KIND_NUMBERS[NONE])]
        elif rng.random() < self.drawing.none and (gone := _missing(example, rng)) is not None:
            labels = [label for label in labels if label.name != example.actions[gone].name]
            right = number_actions(example.actions[:gone], example.words, labels)
            right.append(ActionNumbers(KIND_NUMBERS[NONE]))
        elif rng.random() < self.drawing.mistaken and (
            mistaken := self._mistaken(example, labels, rng)
        ):
            example, labels, gone = mistaken
            right = number_actions(example.actions[:gone], example.words, labels)
            right.append(ActionNumbers(KIND_NUMBERS[NONE]))
        elif rng.random() < self.drawing.siblings:
            labels += self._siblings(example, labels, rng)
        pool = self.pools.get(example.schema)
        bars = rng.random() < self.drawing.barred
        barred = _barred(example, labels, right, pool) if bars and pool is not None else {}
        other_ways = _other_ways(right, labels) if rng.random() < self.drawing.one_way else {}
        if other_ways:
            step = rng.choice(sorted(other_ways))
            gone = frozenset((right[step].label,))
            barred[step] = barred.get(step, frozenset()) - {other_ways[step]} | gone
            right = [*right[:step], ActionNumbers(KIND_NUMBERS[NONE])]
        # A condition follows its relation from head to tail only.
        fixed = {action.name for action in example.actions if action.kind != "step"}
        labels = self.names.renamed(labels, pool, self.drawing, rng, fixed)
        if not knows_classes:
            # Of a file without classes it is still known where values are, of an endpoint not.
            seen = VALUES if bare and rng.random() < 0.5 else ()
            labels = [label if label.tail in seen else label._replace(tail="") for label in labels]
        hides = rng.random() < self.drawing.unknown
        unknown = _unknown(labels, rng) if hides else frozenset[str]()
        return _Drawn(example, labels, right, knows_classes, unknown, barred)

    def _mistaken(
        self, example: Example, labels: Sequence[Label], rng: Random
    ) -> tuple[Example, list[Label], int] | None:
        """An example of which a label does not fit, its labels, and the index of that action."""
        gone = _missing(example, rng)
        if gone is None or example.actions[gone].kind == "class":
            return None
        name = example.actions[gone].name
        mistaken = self.siblings.mistaken(example.words, name, rng)
        needed = {action.name for action in example.actions[:gone]}
        if mistaken is None or mistaken.label in needed:
            return None
        if mistaken.word in self.inputs.entry(mistaken.label).alike:
            return None
        others = [
            label._replace(name=mistaken.label, called=mistaken.label)
            if label.name == name
            else label
            for label in labels
            if label.name in (name, *needed)
            or (
                label.name != mistaken.label
                and mistaken.word not in self.inputs.entry(label.called).alike
            )
        ]
        return replace(example, words=mistaken.words), others, gone

    def _siblings(self, example: Example, labels: Sequence[Label], rng: Random) -> list[Label]:
        """A label more beside each relation of a query, that differs in one word."""
        there, siblings = {label.name for label in labels}, list[Label]()
        asked = {part for word in example.words for part in word.parts}
        for label in labels[: len(example.names)]:
            if label.way == CLASS or not (made := self.siblings.sibling(label.name, rng)):
                continue
            if made.label not in there and asked.isdisjoint(self.inputs.entry(made.word).alike):
                there.add(made.label)
                siblings.append(label._replace(name=made.label, called=made.label))
        return siblings


class _Drawn(NamedTuple):
    example: Example
    labels: list[Label]
    right: list[ActionNumbers]
    knows_classes: bool
    unknown: frozenset[str] = frozenset()
    barred: Mapping[int, frozenset[int]] = {}
    """The labels that are not offered, by place."""


def _tail(pool: Pool | None, name: str, inverse: bool, rng: Random) -> str:
    """A class that a relation leads to; empty where none is known."""
    known = () if pool is None else pool.by_label.get(name, ())
    if pool is None or not known:
        return ""
    hop = pool.hops[rng.choice(known)]
    return hop.head if inverse else hop.tail


def _other_classes(pool: Pool, gold: set[str], rng: Random) -> list[str]:
    many = len(pool.classes) >= 200
    names = [] if many else [name for name in pool.classes if name not in gold]
    if not names and pool.classes:
        names = [name for name in rng.choices(pool.classes, k=12) if name not in gold]
    return rng.sample(names, min(len(names), rng.randint(2, 10)))


def _sampled(
    numbers: Mapping[str, Sequence[int]], keys: set[str], most: int, rng: Random
) -> list[int]:
    """At most so many of the numbers of these keys, of none of them more than eight."""
    near = list[int]()
    for key in sorted(keys):
        few = numbers.get(key, ())
        near += few if len(few) <= 8 else rng.sample(few, 8)
    return rng.sample(near, min(len(near), most))


def _missing(example: Example, rng: Random) -> int | None:
    """The index of an action whose label is taken away, which nothing before it has."""
    named = [index for index, action in enumerate(example.actions) if action.name]
    if not named:
        return None
    gone = rng.choice(named)
    before = (action.name for action in example.actions[:gone])
    return None if example.actions[gone].name in before else gone


def _other_ways(right: Sequence[ActionNumbers], labels: Sequence[Label]) -> dict[int, int]:
    """Of each step, by its index, the label of its relation in the other way, where it is there."""
    numbers = {label.key: number for number, label in enumerate(labels)}
    other_ways = dict[int, int]()
    for index, action in enumerate(right):
        if action.kind == _STEP:
            label = labels[action.label]
            if (other := numbers.get((label.name, 1 - label.way))) is not None:
                other_ways[index] = other
    return other_ways


def _barred(
    example: Example, labels: Sequence[Label], right: Sequence[ActionNumbers], pool: Pool
) -> dict[int, frozenset[int]]:
    """By at the labels that nothing of the class has to which the actions before it lead.

    None are barred where that class is not known, nor where it would bar what is right.
    """
    barred = dict[int, frozenset[int]]()
    steps = zip(example.actions, right, right[1:], strict=False)
    for at, (action, numbers, following) in enumerate(steps, start=1):
        class_ = ""
        if action.kind == "pointer" and numbers.word >= 0:
            class_ = example.words[numbers.word].kind
        elif action.kind in ("step", "class") and action.name:
            label = labels[numbers.label]
            class_ = label.name if action.kind == "class" else label.tail
        if class_ in pool.beside:
            never = frozenset(
                number
                for number, label in enumerate(labels)
                if class_ not in pool.begin.get(label.key, (class_,))
            )
            if following.label not in never:
                barred[at] = never
    return barred


def _unknown(labels: Sequence[Label], rng: Random) -> frozenset[str]:
    """Some words of some labels."""
    part = rng.random()
    names = [name for label in labels for name in (label.called, label.tail)]
    words = {word for name in names for word in label_words(name)}
    return frozenset(word for word in sorted(words) if rng.random() < part)


def _targets(drawn: Sequence[_Drawn], batch: Batch) -> Targets:
    import torch

    rows, places = len(drawn), batch.kinds.shape[1] + 1
    right = np.full((4, rows, places), -1, np.int64)
    unread = np.full((rows, places, batch.words.shape[1]), -1, np.int64)
    legal = np.zeros((rows, places, len(KINDS)), bool)
    is_literal = np.zeros((rows, places), bool)
    offered = np.ones((rows, places, batch.ways.shape[1]), bool)
    for row, draw in enumerate(drawn):
        example = draw.example
        for at, numbers in enumerate(draw.right):
            right[:, row, at] = numbers
            legal[row, at] = _legal_row(example.legal[at])
            is_literal[row, at] = bool(at) and example.actions[at - 1].kind in LITERAL
            offered[row, at, list(draw.barred.get(at, ()))] = False
        if len(draw.right) == len(example.actions):
            for at, values in _left_out(draw).items():
                unread[row, at, : len(values)] = values
    return Targets(*map(torch.from_numpy, (*right, unread, legal, is_literal, offered)))


def _left_out(draw: _Drawn) -> dict[int, list[int]]:
    """By place what is known of each word, where the query may end before that action.

    A mention that is pointed at only later is left out so far, and so is a word that only a later
    label has. Of a whole query that is known where the question was made.
    """
    example, right, last = draw.example, draw.right, len(draw.right) - 1
    nothing = meaningless_words()
    parts = [
        set(label_words(draw.labels[numbers.label].called)) - nothing
        if numbers.label >= 0
        else set[str]()
        for numbers in right
    ]
    left_out = dict[int, list[int]]()
    for at in range(1, last + 1):
        if not example.may_end[at]:
            continue
        pointed = {numbers.word for numbers in right[:at]}
        pointed_later = {numbers.word for numbers in right[at:]}
        before, later = set[str]().union(*parts[:at]), set[str]().union(*parts[at:])
        values = left_out[at] = list[int]()
        for number, word in enumerate(example.words):
            if word.is_earlier:
                values.append(-1)
            elif word.mention is not None:
                values.append(_flag(number in pointed, number in pointed_later))
            elif at == last and example.unread is not None:
                values.append(int(number in example.unread))
            else:
                values.append(_flag(bool(before & {*word.parts}), bool(later & {*word.parts})))
    return left_out


def _flag(is_used: bool, is_used_later: bool) -> int:
    """Whether a word is left out so far; -1 where that is not known."""
    return 0 if is_used else 1 if is_used_later else -1


@cache
def _legal_row(kinds: frozenset[str]) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    row = np.zeros(len(KINDS), bool)
    row[[KIND_NUMBERS[kind] for kind in kinds]] = True
    row[KIND_NUMBERS[NONE]] = True
    return row
