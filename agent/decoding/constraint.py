"""The protocol of all constraints: an automaton over tokens whose words are walks of the KG.

The search drives it and knows nothing of graphs; the automaton knows nothing of models. Frozen:
reasoning paths, well-formed chains and relation paths are three implementations of it.
"""

from collections.abc import Hashable, Sequence
from typing import Protocol, TypeVar

from ..kg.terms import Path

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


class RelationConstraint(Constraint[State], Protocol[State]):
    """A constraint whose words walk relations: all that the beam search asks for."""

    def relation_tokens(self, state: State) -> Sequence[bool]:
        """For each token of a finished word: whether it chooses a relation or where to stop.

        These tokens, and not those that spell entities, tell how relevant a walk is.
        """
        ...


class PathConstraint(RelationConstraint[State], Protocol[State]):
    """A constraint whose words are reasoning paths."""

    def path(self, state: State) -> Path:
        """The path that a finished state stands for, in RDF terms."""
        ...
