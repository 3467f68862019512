"""Labels by other names in training, so that a reader reads labels and knows none by heart.

A label is called by an alias, or has a near word in the place of one of its words. It gets a word
more that says nothing, as in *has genre*. Or it is turned round: what is *owned by* somebody is
what they *owned*, and whose *teacher* Ada is she is *teacher of*.
"""

from collections import defaultdict
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from random import Random

from ...agent.reader.inputs import CLASS, FORWARD, INVERSE, Label
from ...agent.reader.lexicon import MOST_LABEL_WORDS, label_words
from ..wording.english import wordings_of_all
from .made_graphs import is_value
from .pools import Drawing, Pool

_NEAREST = 2
"""How many of a word's near words may stand in its place."""


@dataclass(frozen=True)
class OtherNames:
    """What labels are renamed with: aliases by the words of a label, near words, and nouns.

    The near words of a word are in the order of a thesaurus, the nearest first. For a noun stands
    only a noun, and a noun for no other word: *owner* and *owns* lead opposite ways.
    """

    aliases: Mapping[tuple[str, ...], Sequence[tuple[str, ...]]] = field(default_factory=dict)
    near: Mapping[str, Sequence[str]] = field(default_factory=dict)
    nouns: Collection[str] = ()

    def words(self) -> Iterator[str]:
        """Every word that a new name may have, some several times."""
        yield from chain.from_iterable(chain.from_iterable(self.aliases.values()))
        yield from chain.from_iterable(self.near.values())
        yield from meaningless_words()

    def renamed(
        self,
        labels: Sequence[Label],
        pool: Pool | None,
        drawing: Drawing,
        rng: Random,
        fixed: Container[str] = (),
    ) -> list[Label]:
        """The labels by other names, as the drawing says; no two come to have the same words.

        Labels whose names are `fixed` are not turned round.
        """
        named, turned = list(labels), frozenset[str]()
        if rng.random() < 0.5:
            named = self._by_other_words(labels, drawing, rng)
        if pool is not None and rng.random() < drawing.converse:
            named, turned = self._turned(named, pool, rng, fixed)
        if rng.random() < drawing.affixed:
            named = _affixed(named, turned, rng)
        return _distinct(named, labels)

    def _by_other_words(
        self, labels: Sequence[Label], drawing: Drawing, rng: Random
    ) -> list[Label]:
        classes = {label.name for label in labels if label.way == CLASS}
        called = dict[str, str]()
        for name in {label.name: None for label in labels}:
            near = drawing.near and name not in classes  # what leads to a class names it, too
            is_renamed = rng.random() < drawing.renamed
            called[name] = self._other_name(name, near=near, rng=rng) if is_renamed else name
        return [label._replace(called=called[label.name]) for label in labels]

    def _other_name(self, label: str, *, near: bool, rng: Random) -> str:
        words = label_words(label)
        names = self.aliases.get(words, ())
        if names and not (near and rng.random() < 0.5):
            return " ".join(rng.choice(names))
        others = [self._in_place_of(word) if near else () for word in words]
        replaceable = [index for index, near_words in enumerate(others) if near_words]
        if not replaceable:
            return label
        index = rng.choice(replaceable)
        return " ".join((*words[:index], rng.choice(others[index]), *words[index + 1 :]))

    def _in_place_of(self, word: str) -> Sequence[str]:
        if word in meaningless_words():
            return ()
        is_noun = word in self.nouns
        alike = [near for near in self.near.get(word, ()) if (near in self.nouns) == is_noun]
        return alike[:_NEAREST]

    def _turned(
        self, labels: Sequence[Label], pool: Pool, rng: Random, fixed: Container[str]
    ) -> tuple[list[Label], frozenset[str]]:
        """The labels, half of those turned round that can be; and the names of these."""
        names = {label.name: label for label in labels if label.way != CLASS}
        converse = {
            name: other
            for name, label in names.items()
            if name not in fixed and rng.random() < 0.5 and (other := self._converse(label, pool))
        }
        turned = [
            label._replace(
                called=converse[label.name], way=INVERSE if label.way == FORWARD else FORWARD
            )
            if label.way != CLASS and label.name in converse
            else label
            for label in labels
        ]
        return turned, frozenset(converse)

    def _converse(self, label: Label, pool: Pool) -> str:
        """What a relation between things is called from its tail; empty where that is not known."""
        hops = [pool.hops[number] for number in pool.by_label.get(label.name, ())]
        if not hops or any(is_value(hop.tail) for hop in hops):
            return ""
        words = label_words(label.called)
        if len(words) == 2 and self._is_cut(*words):
            return words[0]
        named = all(word in self.nouns and word not in meaningless_words() for word in words)
        ending = _affixes("of_noun")[0]
        return " ".join((*words, ending)) if named and len(words) < MOST_LABEL_WORDS else ""

    def _is_cut(self, word: str, ending: str) -> bool:
        """Whether a word says the other way round what it says with the ending."""
        if word in meaningless_words():
            return False
        return ending in _affixes("of_noun" if word in self.nouns else "of_verb")


@cache
def _affixes(kind: str) -> Sequence[str]:
    return [word for words in wordings_of_all("affixes") for word in words[kind]]


@cache
def meaningless_words() -> frozenset[str]:
    """Words of labels that do not say what they are about, in all languages."""
    kinds = ("before", "after", "of_noun", "of_verb")
    return frozenset(word for kind in kinds for word in _affixes(kind))


def _affixed(labels: Sequence[Label], turned: Container[str], rng: Random) -> list[Label]:
    """The labels, those of relations often with a word more; none of those that were turned."""
    often = rng.random()

    def called(label: Label) -> str:
        if label.way == CLASS or label.name in turned or rng.random() > often:
            return label.called
        name = " ".join(label_words(label.called))
        if rng.random() < 0.5:
            return f"{rng.choice(_affixes('before'))} {name}"
        return f"{name} {rng.choice(_affixes('after'))}"

    return [label._replace(called=called(label)) for label in labels]


def _distinct(named: Sequence[Label], labels: Sequence[Label]) -> list[Label]:
    """The labels by their new names, but those as before whose words and way others have then."""

    def words(label: Label) -> tuple[int, tuple[str, ...]]:
        return label.way, label_words(label.called)

    distinct, clash = list(named), True
    while clash:
        several = defaultdict[tuple[int, tuple[str, ...]], set[str]](set)
        for label in distinct:
            several[words(label)].add(label.name)
        alike = {name for names in several.values() if len(names) > 1 for name in names}
        back = [
            before if label.name in alike else label
            for label, before in zip(distinct, labels, strict=True)
        ]
        clash, distinct = back != distinct, back
    return distinct
