"""An opened KG: its source, its names, the facts that walks take; and why it may have none."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PureWindowsPath
from typing import Self

from .classes import SUBCLASS, ClassOrder
from .derived import Reading
from .derived.layer import NodeSource
from .derived.relations import WithoutPatterns, plain_name, property_label
from .derived.walks import Walks
from .files.holding import Held
from .files.statements import LeftOut
from .labels.names import local_name
from .patterns import asked, pattern_relation
from .profile import Profile
from .store import Counts, Labels, Store
from .terms import Path as Walk
from .terms import Term, Triple
from .truths import Truths

MOST_WHOLE = 500_000
"""The facts of a graph that may be read whole to answer a question."""


def is_endpoint(src: str) -> bool:
    """Whether a source is the address of a SPARQL endpoint."""
    return src.strip().lower().startswith(("http:", "https:"))


@dataclass(frozen=True)
class KnowledgeGraph:
    """An opened KG. `folder` is where caches that belong to it may be kept, if there is one.

    `graphs` are the named graphs that it was cut to; without any it is everything in the source.
    A KG is `pinned` where its digest stands for its content; an endpoint's may change at any time.
    `store` and `labels` are the KG itself, which verification asks; walks are decoded and executed
    over `walks`, with the names of `walk_labels`: the same, unless the `reading` makes more of it.
    `held` keeps a folder that is replaced from being taken away. `left_out` are the broken
    statements of its files that it lacks. `nodes` are those that patterns of the profile read,
    where the store does not name them.

    >>> kg = open_kg("world")
    >>> (kenya,) = kg.labels.named("Kenya")
    >>> kenya, kg.labels.names([kenya])
    ('<https://groundwalk.example/world/country/kenya>', ['Kenya'])
    """

    store: Store
    labels: Labels
    profile: Profile
    source: str
    digest: str
    folder: Path | None
    graphs: tuple[str, ...] = ()
    pinned: bool = True
    reading: Reading = Reading("keep")
    held: Held | None = None
    left_out: LeftOut = LeftOut()
    nodes: NodeSource | None = None

    @property
    def name(self) -> str:
        """The source without its folder, for users and hosts; the whole address of an endpoint."""
        if is_endpoint(self.source):
            return self.source
        return PureWindowsPath(self.source).name or self.source

    @cached_property
    def stamp(self) -> str:
        """What tells the names of files that were made of this content, read so, from others'."""
        made_of = json.dumps([self.digest, self.graphs, asdict(self.profile)])
        return sha256(made_of.encode()).hexdigest()[:8] + self.reading.suffix

    @property
    def walks(self) -> Store:
        """The facts that walks may use; virtual ones stand for runs of triples of the store."""
        return self.store if self.reading.plain else self._walks.store

    @property
    def walk_labels(self) -> Labels:
        """The names of what walks use."""
        return self._plain_labels if self.reading.plain else self._walks.labels

    @cached_property
    def walk_relations(self) -> tuple[Term, ...]:
        """The relations that walks may use, the most used first; those that the reading makes, too.

        Of an endpoint, and of a graph of more than `MOST_WHOLE` facts, those that `walk_labels`
        lists. Raises ServiceError.
        """
        if self.reading.plain or not self.pinned or self.counts.facts > MOST_WHOLE:
            return tuple(relation.term for relation in self.walk_labels.relations())
        uses = Counter(fact.relation for fact in self.walks.facts())
        return tuple(sorted(uses, key=lambda term: (-uses[term], term)))

    @cached_property
    def class_order(self) -> ClassOrder:
        """Which classes are above which, as the KG says."""
        store = self.store if self.profile.skips(SUBCLASS) else self.walks
        return ClassOrder(store, is_remote=not self.pinned)

    @cached_property
    def membership(self) -> ClassOrder:
        """The order by which members of a class are members of the classes above it, too.

        It is empty at an endpoint, and where the profile relates classes, as in an ontology.
        """
        holds = self.pinned and not self.profile.relates_classes
        return self.class_order if holds else ClassOrder(None)

    @cached_property
    def truths(self) -> Truths:
        """The relations that lead to true or false."""
        return Truths(self.walks, self.stated)

    def asked_as(self, term: Term) -> str:
        """What questions call a relation or a class: its name, unless a pattern says otherwise."""
        made = pattern_relation(term)
        pattern = self.profile.pattern_of.get(made.pattern) if made else None
        if made is None or pattern is None or not pattern.asked:
            return plain_name(self.walk_labels.names([term])[0])
        return asked(pattern, property_label(self.labels, made.predicate), made.number)

    @property
    def as_stored(self) -> "KnowledgeGraph":
        """The same KG with its facts as they are, for methods that do not prove their walks."""
        return replace(self, reading=Reading("keep"))

    @property
    def listed(self) -> Store:
        """The facts that are listed of an entity: as stored, unless patterns say some of them."""
        reads = self.profile.patterns and not self.reading.plain
        return self.walks if reads else self.store

    def stated(self, relation: Term) -> Iterator[Triple]:
        """The facts of one relation, or its triples where they are no facts; as `listed`."""
        if self.reading.plain or self.profile.skips(relation):
            return self.store.statements(relation)
        facts = self._walks.of_relation(relation)
        return self.store.statements(relation) if facts is None else facts

    def is_one_way(self, fact: Triple) -> bool:
        """Whether a fact of `walks` is walked from head to tail only, as another says the rest."""
        return not self.reading.plain and self._walks.store.is_one_way(fact)

    def prove(self, paths: Sequence[Walk]) -> list[Walk | None]:
        """Each path of `walks` along triples of the store, from the same topic to the same end.

        None where the store no longer holds one. Raises ServiceError.
        """
        return list(paths) if self.reading.plain else self._walks.prove(paths)

    def used(self, path: Walk, proof: Walk) -> list[str]:
        """What of the reading a path rests on, in words, given its proof."""
        return [] if self.reading.plain else self._walks.used(path, proof)

    def representatives(self, terms: Iterable[Term]) -> dict[Term, Term]:
        """What stands for each term in `walks`. Raises ServiceError."""
        if self.reading.plain:
            return {term: term for term in terms}
        return self._walks.representatives(terms)

    @cached_property
    def _plain_labels(self) -> Labels:
        return WithoutPatterns(self.labels) if self.profile.patterns else self.labels

    @cached_property
    def _walks(self) -> Walks:
        return Walks(self.store, self.labels, self.profile, self.reading, self.nodes)

    @property
    def counts(self) -> Counts:
        """The size of the KG. Raises ServiceError where it cannot be counted."""
        return self.store.counts()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of files and connections; `with open_kg(...) as kg:` does so at its end."""
        self.labels.close()
        if self.held is not None:
            self.held.release()


_SHOWN = 2
"""Predicates that are named of each kind."""


def why_no_facts(kg: KnowledgeGraph) -> str:
    """One line for the user; empty where the KG has facts, or is an endpoint and not counted."""
    if not kg.pinned or kg.counts.facts:
        return ""
    profile = kg.profile
    kinds = {
        "names and descriptions": (
            *profile.labels,
            *profile.aliases,
            *profile.hidden,
            *profile.descriptions,
        ),
        "classes": profile.types,
        "definitions of the vocabulary": profile.schema,
    }
    there = {kind: _used_predicates(kg, predicates) for kind, predicates in kinds.items()}
    listing = " and ".join(f"{kind} ({', '.join(used)})" for kind, used in there.items() if used)
    hidden = f", only {listing}" if listing else ""
    is_ontology = not profile.patterns and _used_predicates(kg, (SUBCLASS,))
    hint = "; --profile owl reads what an ontology says of its classes" if is_ontology else ""
    return (
        f"there are no facts to walk: none of the {kg.counts.triples:,} triples relates an entity "
        f"to another one or to a value{hidden}{hint}"
    )


def _used_predicates(kg: KnowledgeGraph, predicates: tuple[Term, ...]) -> list[str]:
    """The names of the first predicates that any triple has."""
    names: list[str] = []
    for predicate in predicates:
        if len(names) < _SHOWN and next(kg.store.statements(predicate), None):
            names.append(local_name(predicate))
    return names
