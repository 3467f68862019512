"""What groundwalk asks of a knowledge graph. Read only."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from .terms import Step, Term, Triple


class Counts(NamedTuple):
    """The size of a KG: all triples, those between entities, and what they connect."""

    triples: int
    facts: int
    entities: int
    relations: int


class Store(Protocol):
    """A source of triples: the user's own data, asked anew for every verification."""

    source: str

    def neighbours(
        self, nodes: Sequence[Term], *, inverse: bool = True, limit: int = 100_000
    ) -> list[list[Step]]:
        """The facts that leave each node, and with `inverse` those that reach it.

        Facts are the triples that the profile lets a walk use. At most `limit` steps a node and
        direction; sorted by relation, then target.
        """
        ...

    def follow(
        self, nodes: Sequence[Term], relation: Term, inverse: bool, *, limit: int = 100_000
    ) -> list[list[Step]]:
        """The steps that leave each node by one relation in one direction, sorted by target."""
        ...

    def holds(self, triples: Sequence[Triple]) -> list[bool]:
        """Whether each triple is in the source, exactly as written. Raises ServiceError."""
        ...

    def facts(self) -> Iterator[Triple]:
        """Every fact, each once, in no particular order."""
        ...

    def counts(self) -> Counts:
        """The size of the KG."""
        ...
