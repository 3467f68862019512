"""Questions by which it is seen whether tuning helped: nothing is learnt of them.

They are the user's own, made ones, and made ones in which a word of a label is said by another of
the lexicon, so that words which are not in the labels still work.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

from ...agent.kg import KnowledgeGraph
from ...agent.reader.lexicon import Lexicon
from ...agent.reader.words import QuestionWord, label_words
from ..data import Material
from ..watch import Watcher, counted
from .batches import Batcher
from .examples import Example
from .learning import Right, measured
from .lessons import examples_over
from .sources import SchemaLabels

if TYPE_CHECKING:
    from torch import nn

ASKED, MADE, REWORDED = "asked", "made", "reworded"
"""The parts: questions of the user, made ones, and made ones in other words."""
_OF_EACH = 75
_MOST_DRAWN = 3_000
_SEED = 1_000_003
"""Added to the seed, so that other questions are made than those that are learnt."""
_SHARE = 5
"""Of so many questions of the user one is held out."""

Parts = Mapping[str, Sequence[Example]]


def is_held_out(question: str) -> bool:
    """Whether a question of the user is held out; its text alone decides."""
    return int(sha256(question.strip().encode()).hexdigest(), 16) % _SHARE == 0


def held_out(
    kg: KnowledgeGraph,
    material: Material,
    schema: SchemaLabels,
    lexicon: Lexicon,
    name: str,
    seed: int,
    watcher: Watcher,
) -> dict[str, list[Example]]:
    """The parts that are made; `name` is that of the schema."""
    rng = Random(f"reworded {seed}")
    labels = {word for own in schema.hops for word in label_words(own.label)}
    labels |= {word for own in schema.classes for word in label_words(own)}
    drawn = islice(examples_over(kg, material, name, seed + _SEED), _MOST_DRAWN)
    made = list(counted(drawn, _OF_EACH, "making questions", watcher))
    other = (reworded(own, labels, lexicon, rng) for own in drawn)
    changed = (own for own in other if own is not None)
    found = list(counted(changed, _OF_EACH, "rewording questions", watcher))
    parts = {MADE: made, REWORDED: found}
    return {part: several for part, several in parts.items() if several}


def reworded(
    example: Example, labels: Iterable[str], lexicon: Lexicon, rng: Random
) -> Example | None:
    """The question with a word of one of its labels said by another that no label has.

    None where the lexicon has no other one.
    """
    barred = frozenset(labels)
    others = [
        (place, other)
        for name, _, is_class in example.names
        if not is_class
        for place, word in enumerate(example.words)
        if not word.is_earlier and word.what == "word" and word.text in label_words(name)
        for other in sorted(_others(word.text, name, lexicon) - barred)
    ]
    if not others:
        return None
    place, other = rng.choice(others)
    words: Iterator[QuestionWord] = (
        replace(word, text=other) if at == place else word for at, word in enumerate(example.words)
    )
    return replace(example, words=tuple(words))


def _others(word: str, label: str, lexicon: Lexicon) -> set[str]:
    """The words that are related to one of a label, and its aliases of one word."""
    aliases = (own[0] for own in lexicon.aliases.get(label_words(label), ()) if len(own) == 1)
    return {*lexicon.related.get(word, ()), *aliases}


def scored(network: "nn.Module", batcher: Batcher, parts: Parts) -> dict[str, Right]:
    """How much of each part a network reads rightly."""
    return {name: measured(network, batcher, several) for name, several in parts.items()}
