"""What groundwalk asks of a knowledge graph: its triples and its names. Read only.

`metered` counts the HTTP requests that a piece of work takes, and keeps why a store did not answer.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import NamedTuple, Protocol

from ..errors import ServiceError
from .labels.index import Hit, RelationInfo, Similar, TermInfo, Word
from .terms import Step, Term, Triple, is_literal


class Counts(NamedTuple):
    """The size of a KG: all triples, those between entities, and what they connect."""

    triples: int
    facts: int
    entities: int
    relations: int


def count(triples: int, facts: Iterable[Triple]) -> Counts:
    """The size of a KG with so many triples; entities are the IRIs and blank nodes of facts."""
    number = 0
    entities: set[Term] = set()
    relations: set[Term] = set()
    for head, relation, tail in facts:
        number += 1
        relations.add(relation)
        entities.update(term for term in (head, tail) if not is_literal(term))
    return Counts(triples, number, len(entities), len(relations))


class Way(NamedTuple):
    """A way out of a node: by one relation, from tail to head where `inverse`."""

    node: Term
    relation: Term
    inverse: bool


class Store(Protocol):
    """A source of triples: the user's own data, asked anew for every verification.

    Every method raises ServiceError where the source does not answer; `holds` may say None.

    A triple whose tail is a triple term (RDF 1.2) is no fact. It shows in `holds`, and one of
    `rdf:reifies` in `statements` and `follow` too: backwards it leaves the subject of its tail.
    """

    source: str

    def neighbours(
        self, nodes: Sequence[Term], *, inverse: bool = True, limit: int = 100_000
    ) -> list[list[Step]]:
        """The facts that leave each node, and with `inverse` those that reach it.

        Facts are the triples that the profile lets a walk use. At most `limit` steps a node and
        direction, and all of them where there are fewer; sorted by relation, then target.
        """
        ...

    def follow(
        self, nodes: Sequence[Term], relation: Term, inverse: bool, *, limit: int = 100_000
    ) -> list[list[Step]]:
        """The steps that leave each node by one relation in one direction, sorted by target.

        At most `limit` a node, and all of them where there are fewer.
        """
        ...

    def relations_at(self, nodes: Sequence[Term], inverse: bool) -> list[list[Term]]:
        """The relations of the facts that leave each node, or with `inverse` reach it; sorted.

        For hubs, whose facts are too many to be read: the cost follows the relations, not the
        facts, as far as the source can do that.
        """
        ...

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way, as `follow` gives them: many ways in few requests.

        At most `limit` a way, and all of them where there are fewer.
        """
        ...

    def holds(self, triples: Sequence[Triple]) -> Sequence[bool | None]:
        """Whether each triple is in the source, exactly as written; None where it did not say."""
        ...

    def facts(self) -> Iterator[Triple]:
        """Every fact, each once, in no particular order."""
        ...

    def statements(self, predicate: Term) -> Iterator[Triple]:
        """Every triple of one predicate, fact or not, in no particular order."""
        ...

    def counts(self) -> Counts:
        """The size of the KG."""
        ...


class Labels(Protocol):
    """What the terms of a KG are called, and which terms a text may mean."""

    @property
    def exhaustive(self) -> bool:
        """Whether a text that it does not know is the name of nothing in the KG."""
        ...

    def names(self, terms: Sequence[Term]) -> list[str]:
        """The display name of each term, no two of one call alike."""
        ...

    def describe(self, terms: Sequence[Term]) -> list[TermInfo]:
        """What each term is; an unknown one has its local name and no facts."""
        ...

    def named(self, text: str, *, relation: bool = False) -> list[Term]:
        """The entities, or the relations, of exactly this name; else of this label."""
        ...

    def labelled(self, text: str, *, relation: bool = False) -> list[Term]:
        """The entities and values, or the relations, of exactly this label."""
        ...

    def lookup(self, norm: str) -> list[Hit]:
        """The entities that a normalised text may mean: labels first, then by degree."""
        ...

    def known(self, norms: Iterable[str]) -> set[str]:
        """Which of many normalised texts some entity may be meant by.

        A mapping gives for each the text as it was written, for sources that keep no normalised
        texts of their own; later calls of `lookup` then find by it too.
        """
        ...

    def similar(self, norm: str, limit: int = 10, *, distance: int = 2) -> list[Similar]:
        """Normalised names within an edit distance, nearest first; none where no index has them."""
        ...

    def containing(self, words: Sequence[str], limit: int = 200) -> list[Hit]:
        """The entities with all of these normalised words in one of their names, by degree.

        None where more than `limit` names have them, or the source cannot find them cheaply.
        """
        ...

    def with_local_name(self, name: str) -> list[Hit]:
        """The entities whose IRIs end with exactly this name, as `Q52`; none at an endpoint."""
        ...

    def relations(self) -> list[RelationInfo]:
        """Every relation that facts use, the most used first."""
        ...

    def vocabulary(self) -> list[Word]:
        """Labels and aliases of relations and classes: words that name no entity."""
        ...

    def longest(self) -> int:
        """The number of words of the longest name that is worth looking up."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class Meter:
    """Counts requests as they are sent; none where everything is at hand."""

    def __init__(self) -> None:
        self.requests = 0
        self.failure = ""
        """Why a store last gave no answer, where it raised nothing."""
        self._lock = Lock()

    def count(self) -> None:
        """One more request was sent."""
        with self._lock:
            self.requests += 1


_METERS: ContextVar[tuple[Meter, ...]] = ContextVar("meters", default=())


@contextmanager
def metered() -> Generator[Meter]:
    """Count the requests that this thread, or task, causes until the end of the block."""
    meter = Meter()
    token = _METERS.set((*_METERS.get(), meter))
    try:
        yield meter
    finally:
        _METERS.reset(token)


def meters() -> tuple[Meter, ...]:
    """Whoever counts the requests that are sent from here."""
    return _METERS.get()


@contextmanager
def unanswered() -> Generator[None]:
    """End the block where a service does not answer; whoever counts is told why."""
    try:
        yield
    except ServiceError as error:
        record_failure(error.message)


def record_failure(why: str) -> None:
    """Tell whoever counts why a store gave no answer."""
    for meter in meters():
        meter.failure = why


def class_labels(labels: Labels) -> list[Word]:
    """Labels and aliases of all classes."""
    return [word for word in labels.vocabulary() if not word.relation]


class LabelsOver:
    """Implements `Labels` by other labels, for subclasses that change some of it."""

    def __init__(self, labels: Labels) -> None:
        self._labels = labels

    @property
    def exhaustive(self) -> bool:
        """Whether every name of the KG is known here."""
        return self._labels.exhaustive

    def names(self, terms: Sequence[Term]) -> list[str]:
        """The display name of each term, no two of one call alike."""
        return self._labels.names(terms)

    def describe(self, terms: Sequence[Term]) -> list[TermInfo]:
        """What each term is; an unknown one has its local name and no facts."""
        return self._labels.describe(terms)

    def named(self, text: str, *, relation: bool = False) -> list[Term]:
        """The terms of the KG itself of exactly this name; else of this label."""
        return self._labels.named(text, relation=relation)

    def labelled(self, text: str, *, relation: bool = False) -> list[Term]:
        """The terms of the KG itself of exactly this label."""
        return self._labels.labelled(text, relation=relation)

    def lookup(self, norm: str) -> list[Hit]:
        """The entities that a normalised text may mean."""
        return self._labels.lookup(norm)

    def known(self, norms: Iterable[str]) -> set[str]:
        """Which of many normalised texts some entity may be meant by."""
        return self._labels.known(norms)

    def similar(self, norm: str, limit: int = 10, *, distance: int = 2) -> list[Similar]:
        """Normalised names within an edit distance, nearest first."""
        return self._labels.similar(norm, limit, distance=distance)

    def containing(self, words: Sequence[str], limit: int = 200) -> list[Hit]:
        """The entities with all of these normalised words in one of their names, by degree."""
        return self._labels.containing(words, limit)

    def with_local_name(self, name: str) -> list[Hit]:
        """The entities whose IRIs end with exactly this name."""
        return self._labels.with_local_name(name)

    def relations(self) -> list[RelationInfo]:
        """Every relation that facts of the KG itself use, the most used first."""
        return self._labels.relations()

    def vocabulary(self) -> list[Word]:
        """Labels and aliases of relations and classes."""
        return self._labels.vocabulary()

    def longest(self) -> int:
        """The number of words of the longest name that is worth looking up."""
        return self._labels.longest()

    def close(self) -> None:
        """Let go of files and connections."""
        self._labels.close()
