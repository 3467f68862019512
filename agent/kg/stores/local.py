"""A KG in this process, which is asked about one node after the other."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ..store import Way
from ..terms import Step, Term, Triple

SCAN_LIMIT = 1_000_000
"""Triples looked at for one node and direction, so that a class with millions of members ends."""


class LocalStore(ABC):
    """The part of `Store` that all stores in this process share."""

    def neighbours(
        self, nodes: Sequence[Term], *, inverse: bool = True, limit: int = 100_000
    ) -> list[list[Step]]:
        """The facts that leave each node, and with `inverse` those that reach it.

        A term that the store does not hold, or that is no term at all, has none.
        """
        return [self._neighbours(node, inverse, limit) for node in nodes]

    def follow(
        self, nodes: Sequence[Term], relation: Term, inverse: bool, *, limit: int = 100_000
    ) -> list[list[Step]]:
        """The steps that leave each node by one relation in one direction, sorted by target."""
        return [self._follow(node, relation, inverse, limit) for node in nodes]

    def relations_at(self, nodes: Sequence[Term], inverse: bool) -> list[list[Term]]:
        """The relations of the facts that leave each node, or with `inverse` reach it; sorted."""
        return [self._relations_at(node, inverse) for node in nodes]

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way, sorted by target."""
        return [self._follow(*way, limit) for way in ways]

    def holds(self, triples: Sequence[Triple]) -> list[bool]:
        """Whether each triple is in the store; text that is not a triple is not."""
        return [self._holds_one(triple) for triple in triples]

    @abstractmethod
    def _neighbours(self, term: Term, inverse: bool, limit: int) -> list[Step]: ...

    @abstractmethod
    def _follow(self, term: Term, relation: Term, inverse: bool, limit: int) -> list[Step]: ...

    @abstractmethod
    def _relations_at(self, term: Term, inverse: bool) -> list[Term]: ...

    @abstractmethod
    def _holds_one(self, triple: Triple) -> bool: ...
