"""What a growing index asks of a KG, and how a store answers it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..kg.store import Store
from ..kg.terms import Step, Term


class Names(Protocol):
    """What terms are called, such as a KG's label index."""

    def names(self, terms: Sequence[Term]) -> list[str]:
        """A name for each term."""
        ...


class Neighbourhood(Names, Protocol):
    """All that a growing index asks of a KG. After an error the index may be asked again."""

    def neighbours(self, nodes: Sequence[Term]) -> list[list[Step]]:
        """The steps that leave each node, in both directions and in any order.

        What it leaves out, such as steps beyond a limit, no walk will take.
        """
        ...


@dataclass(frozen=True)
class StoreNeighbourhood:
    """The neighbourhoods of a store, whose terms `labels` names."""

    store: Store
    labels: Names
    limit: int = 100_000
    """Steps that are looked at, for each node and direction."""

    def neighbours(self, nodes: Sequence[Term]) -> list[list[Step]]:
        """The steps that leave each node."""
        return self.store.neighbours(nodes, limit=self.limit)

    def names(self, terms: Sequence[Term]) -> list[str]:
        """A name for each term."""
        return self.labels.names(terms)
