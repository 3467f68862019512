"""Constraints: automata over tokens whose words are walks of the KG, or queries about it.

The search drives a constraint and knows nothing of graphs; the automaton knows nothing of models.
Reasoning paths, well-formed chains and relation paths are `Automaton`s over an index.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from ..errors import ConstraintError
from .arrays import EMPTY, Array
from .graph_index import GraphIndex

State = TypeVar("State", bound=Hashable)


class Constraint(Protocol[State]):
    """An automaton over token ids. States are cheap, hashable values."""

    def start(self) -> State:
        """The state before the opening tag. Raises NoPathError when the graph holds no walk."""
        ...

    def prepare(self, states: Sequence[State]) -> None:
        """Fetch, in one look-up, what expanding these states will ask of the graph."""
        ...

    def allowed(self, state: State) -> Sequence[int]:
        """The legal next token ids, ascending; empty only when `done(state)`."""
        ...

    def advance(self, state: State, token: int) -> State:
        """The state after a legal token. Raises ConstraintError for any other token."""
        ...

    def done(self, state: State) -> bool:
        """Whether the closing tag has been read."""
        ...

    def relation_tokens(self, state: State) -> Sequence[bool]:
        """For each token of a finished word: whether it chooses a relation or where to stop.

        These tokens, and not those that spell entities, tell how relevant a walk is.
        """
        ...


class _HasPhase(Hashable, Protocol):
    """A state with a phase: what is being read, or `done`."""

    @property
    def phase(self) -> str: ...


PhaseState = TypeVar("PhaseState", bound=_HasPhase)


class Needs(NamedTuple):
    """What an expansion asks of the index: the runs of nodes, and the order of edges in runs."""

    nodes: Array = EMPTY
    runs: Array = EMPTY


class Expanding(ABC, Generic[PhaseState]):
    """A constraint that says of a state what follows it. Each state is expanded once."""

    def __init__(self) -> None:
        self._children: dict[PhaseState, dict[int, PhaseState]] = {}

    def allowed(self, state: PhaseState) -> Sequence[int]:
        """The legal next tokens, ascending."""
        return sorted(self._children_of(state))

    def advance(self, state: PhaseState, token: int) -> PhaseState:
        """The state after a legal token."""
        after = self._children_of(state).get(token)
        if after is None:
            raise ConstraintError(f"token {token} is not legal here")
        return after

    def done(self, state: PhaseState) -> bool:
        """Whether the closing tag has been read."""
        return state.phase == "done"

    def _children_of(self, state: PhaseState) -> dict[int, PhaseState]:
        children = self._children.get(state)
        if children is None:
            children = self._children[state] = self._expand(state)
        return children

    @abstractmethod
    def _expand(self, state: PhaseState) -> dict[int, PhaseState]:
        """The state after each legal token."""


class Automaton(Expanding[PhaseState]):
    """A constraint over an index."""

    def __init__(self, index: GraphIndex) -> None:
        super().__init__()
        self._index = index

    def prepare(self, states: Sequence[PhaseState]) -> None:
        """Fetch, in one look-up, what expanding these states will ask of the graph.

        Forced tokens are followed to the next look-up, so that names of different lengths share it.
        """
        if self._index.whole:
            return
        nodes, runs = [EMPTY], [EMPTY]
        for state in states:
            while True:
                needs = self._needs(state)
                nodes.append(self._index.missing(needs.nodes))
                runs.append(self._index.disordered(needs.runs))
                if len(nodes[-1]) or len(runs[-1]):
                    break
                children = self._children_of(state)
                if len(children) != 1:
                    break
                (state,) = children.values()
                if self.done(state):
                    break
        self._index.fetch(np.unique(np.concatenate(nodes)), np.unique(np.concatenate(runs)))

    def _needs(self, state: PhaseState) -> Needs:
        """What expanding this state asks of the index first."""
        return Needs()
