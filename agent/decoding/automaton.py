"""What the three constraints share: their states are expanded once, and looked up together."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from ..errors import ConstraintError
from .graph_index import GraphIndex
from .strings import Array


class Phased(Hashable, Protocol):
    """A state that has a phase; after the closing tag it is `done`."""

    @property
    def phase(self) -> str:
        """What is being read."""
        ...


Place = TypeVar("Place", bound=Phased)

_NONE = np.empty(0, np.int64)


class Needs(NamedTuple):
    """What has to be known: nodes with their runs, and runs with their edges in order."""

    nodes: Array = _NONE
    runs: Array = _NONE


class Automaton(ABC, Generic[Place]):
    """A constraint over an index; what its words are is told by `_expand`."""

    def __init__(self, index: GraphIndex) -> None:
        self._index = index
        self._children: dict[Place, dict[int, Place]] = {}

    def prepare(self, states: Sequence[Place]) -> None:
        """Fetch, in one look-up, what expanding these states will ask of the graph.

        Forced tokens are followed to the next look-up, so that names of different lengths share it.
        """
        if self._index.whole:
            return
        nodes, runs = [_NONE], [_NONE]
        for state in states:
            while True:
                needs = self._needs(state)
                nodes.append(self._index.missing(needs.nodes))
                runs.append(self._index.disordered(needs.runs))
                if len(nodes[-1]) or len(runs[-1]):
                    break
                children = self._after(state)
                if len(children) != 1:
                    break
                (state,) = children.values()
                if self.done(state):
                    break
        self._index.fetch(np.unique(np.concatenate(nodes)), np.unique(np.concatenate(runs)))

    def allowed(self, state: Place) -> Sequence[int]:
        """The legal next tokens, ascending."""
        return sorted(self._after(state))

    def advance(self, state: Place, token: int) -> Place:
        """The state after a legal token."""
        after = self._after(state).get(token)
        if after is None:
            raise ConstraintError(f"token {token} is not legal here")
        return after

    def done(self, state: Place) -> bool:
        """Whether the closing tag has been read."""
        return state.phase == "done"

    def _after(self, state: Place) -> dict[int, Place]:
        children = self._children.get(state)
        if children is None:
            children = self._children[state] = self._expand(state)
        return children

    @abstractmethod
    def _expand(self, state: Place) -> dict[int, Place]:
        """The state after each legal token."""

    def _needs(self, state: Place) -> Needs:
        """What expanding this state asks of the graph first."""
        return Needs()
