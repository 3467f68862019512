"""Which classes of a graph are above which, by its statements of `rdfs:subClassOf`."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from ..caching import Recent, once
from .store import Store
from .terms import Step, Term

SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"

_MOST_KEPT = 100_000
"""Classes of which it is remembered what is next above them."""
_MOST_CHAINS = 64
"""Classes of which all that are below are remembered."""
_EVERY = 1_000_000_000


class ClassOrder:
    """The classes above and below classes, looked up when they are needed, and remembered.

    Nothing is looked up again in a graph without such a statement. Safe to share between threads;
    its methods raise ServiceError.
    """

    def __init__(self, store: Store | None) -> None:
        """Look nothing up yet. `store` has the statements; without one no class is above another.

        >>> ClassOrder(None).upward("<urn:Choir>", "<urn:Choir>")
        ()
        """
        self._store = store
        self._is_said = once(self._find_any)
        self._next: Recent[Term, Sequence[Term]] = Recent(_MOST_KEPT)
        self._below: Recent[Term, Mapping[Term, Step]] = Recent(_MOST_CHAINS)

    @property
    def is_empty(self) -> bool:
        """Whether no class is above another."""
        return not self._is_said()

    def above(self, classes: Iterable[Term]) -> set[Term]:
        """The classes that a statement or several lead to from any of some."""
        found, level = set[Term](), list(classes)
        while level and not self.is_empty:
            above = self._next.take(level, self._read_next)
            level = sorted({*chain.from_iterable(above.values())} - found)
            found.update(level)
        return found

    def below(self, class_: Term) -> Mapping[Term, Step]:
        """The classes below one, the nearest first, each with its step to the next one up."""
        if self.is_empty:
            return {}
        known = self._below.get(class_)
        if known is None:
            known = self._read_below(class_)
            self._below.put({class_: known})
        return known

    def upward(self, class_: Term, above: Term) -> tuple[Step, ...] | None:
        """The shortest steps from a class up to another; none to itself, None to others."""
        up, steps, at = self.below(above), list[Step](), class_
        while at != above:
            if at not in up:
                return None
            steps.append(up[at])
            at = steps[-1].target
        return tuple(steps)

    def _find_any(self) -> bool:
        return (
            self._store is not None
            and next(iter(self._store.statements(SUBCLASS)), None) is not None
        )

    def _read_next(self, classes: Sequence[Term]) -> Mapping[Term, Sequence[Term]]:
        around = self._follow(classes, inverse=False)
        return {c: [s.target for s in steps] for c, steps in zip(classes, around, strict=True)}

    def _read_below(self, class_: Term) -> Mapping[Term, Step]:
        below, level = dict[Term, Step](), [class_]
        while level:
            new = dict[Term, Step]()
            for step in chain.from_iterable(self._follow(level, inverse=True)):
                if step.target != class_ and step.target not in below:
                    new.setdefault(step.target, Step(step.triple))
            below |= new
            level = list(new)
        return below

    def _follow(self, classes: Sequence[Term], *, inverse: bool) -> list[list[Step]]:
        assert self._store is not None
        return self._store.follow(classes, SUBCLASS, inverse, limit=_EVERY)
