"""The labels of schemas, from which those are drawn that stand beside the labels of a query."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...agent.reader.inputs import FORWARD, INVERSE
from ...agent.reader.lexicon import READ, label_words
from .examples import Example
from .sources import Hop, SchemaLabels


@dataclass(frozen=True)
class Drawing:
    """How labels are drawn beside those of a query."""

    fewest: int = 10
    most: int = 48
    few: float = 0.0
    """The share of examples that have the fewest labels, or up to three times as many."""
    renamed: float = 0.3
    """The share of labels that are called by an alias, in every other example."""
    near: bool = False
    """Whether they may have a near word in the place of one of their own, too."""
    untold: float = 0.3
    """The share of examples that are told no class."""
    unknown: float = 0.3
    """The share of examples whose labels have words without a known meaning."""
    turned: float = 0.35
    """The share of the relations of queries that can be followed the other way, too."""
    none: float = 0.08
    """The share of examples that lack a label of their query, so that nothing fits."""
    mistaken: float = 0.0
    """The share of examples of which a label does not fit by one word, here or in the question."""
    siblings: float = 0.0
    """The share of examples with a label beside each of their own that differs by one word."""
    one_way: float = 0.0
    """The share of examples that can follow a relation only against the way that is asked."""
    barred: float = 0.8
    """The share of examples that bar the labels which a graph would not offer."""
    bare: float = 0.0
    """The share of examples over a graph without classes, where their query needs none."""
    both: float = 0.0
    """The share of examples that have every relation in both ways."""
    converse: float = 0.0
    """The share of examples that have half of the relations turned round that can be."""
    affixed: float = 0.0
    """The share of examples whose labels have words that say nothing, as in `has genre`."""


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
    known = {key: {hop.label for hop in schema.hops} for key, schema in schemas.items()}
    for key, schema in schemas.items():
        hops[key].update(dict.fromkeys(schema.hops))
        tails = (hop.tail for hop in schema.hops if hop.tail)
        classes[key].update(dict.fromkeys(schema.classes or tails))
    used = defaultdict[str, list[str]](list)
    for example in examples:
        key = example.schema
        labels = [name for name, _, is_class in example.names if not is_class]
        for label in (*labels, *example.candidates):
            if label not in known.get(key, ()):
                hops[key].setdefault(Hop(label))
        used[key] += labels
        classes[key].update({name: None for name, _, is_class in example.names if is_class})
    return {key: _pool(list(hops[key]), list(classes[key]), used[key]) for key in hops}


def _pool(hops: list[Hop], classes: list[str], used: Sequence[str]) -> Pool:
    by_word, by_label = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    begin, beside = defaultdict[tuple[str, int], set[str]](set), defaultdict[str, list[int]](list)
    for number, hop in enumerate(hops):
        by_label[hop.label].append(number)
        for word in set(label_words(hop.label)):
            by_word[word].append(number)
        for way, end in ((FORWARD, hop.head), (INVERSE, hop.tail)):
            if end:
                begin[hop.label, way].add(end)
                beside[end].append(number)
    asked = [by_label[label][0] for label in used if label in by_label]
    ends = {key: frozenset(names) for key, names in begin.items()}
    return Pool(hops, classes, by_word, by_label, asked, ends, beside)


def every_word(
    examples: Sequence[Example], pools: Mapping[str, Pool], others: Iterable[str]
) -> list[str]:
    """The words that batches of these examples may have, each once; `others` are of new names."""
    words = [word for example in examples for word in example.words]
    texts = {word.text for word in words if word.what in READ}
    names = {word.kind for word in words}
    for pool in pools.values():
        names.update(pool.classes, *((hop.label, hop.head, hop.tail) for hop in pool.hops))
    texts.update(word for name in names for word in label_words(name))
    return sorted(texts.union(others))
