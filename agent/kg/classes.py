"""Which classes of a graph are above which, by its statements of `rdfs:subClassOf`."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from ..caching import Recent, once
from ..errors import ShortageError
from ..stopping import look_up
from .store import Store
from .terms import Step, Term

SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"

_MOST_KEPT = 100_000
"""Classes of which it is remembered what is next above them."""
_MOST_CHAINS = 64
"""Classes of which all that are below are remembered."""
_MOST_BELOW = 1_000_000
"""Classes below one, or next to one, that are read."""
_AT_ONCE = 1_000
"""Classes that are followed before whoever waits is looked up."""
_MOST_LEVELS = 5
"""How far a class is followed at an endpoint, which is asked for each level."""


class ClassOrder:
    """The classes above and below classes, looked up when they are needed, and remembered.

    Nothing is looked up again in a graph without such a statement. At an endpoint, which is slow to
    tell whether it has one, classes are followed at once, and five levels far. Safe to share
    between threads; its methods raise ServiceError.
    """

    def __init__(self, store: Store | None, *, is_remote: bool = False) -> None:
        """Look nothing up yet. `store` has the statements; without one no class is above another.

        One that `is_remote` is an endpoint.

        >>> ClassOrder(None).upward("<urn:Choir>", "<urn:Choir>")
        ()
        """
        self._store = store
        self._levels = _MOST_LEVELS if is_remote else sys.maxsize
        self._is_said = once(lambda: is_remote or self._find_any())
        self._next: Recent[Term, Sequence[Term]] = Recent(_MOST_KEPT)
        self._below: Recent[Term, Mapping[Term, Step]] = Recent(_MOST_CHAINS)

    @property
    def is_empty(self) -> bool:
        """Whether no class is above another; False at an endpoint, which is not asked."""
        return not self._is_said()

    def above(self, classes: Iterable[Term]) -> set[Term]:
        """The classes that a statement or several lead to from any of some."""
        higher, level = set[Term](), list(classes)
        for _ in range(self._levels):
            if not level or self.is_empty:
                break
            above = self._next.take(level, self._read_next)
            level = sorted({*chain.from_iterable(above.values())} - higher)
            higher.update(level)
        return higher

    def below(self, class_: Term) -> Mapping[Term, Step]:
        """The classes below one, the nearest first, each with its step to the next one up.

        Raises ShortageError where they are more than can be held.
        """
        if self.is_empty:
            return {}
        known = self._below.get(class_)
        if known is None:
            known = self._read_below(class_)
            self._below.put({class_: known})
        return known

    def upward(self, class_: Term, above: Term) -> tuple[Step, ...] | None:
        """The shortest steps from a class up to another; none to itself, None to others."""
        up, steps, current = self.below(above), list[Step](), class_
        while current != above:
            if current not in up:
                return None
            steps.append(up[current])
            current = steps[-1].target
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
        for _ in range(self._levels):
            new = dict[Term, Step]()
            for step in chain.from_iterable(self._follow(level, inverse=True)):
                if step.target != class_ and step.target not in below:
                    new.setdefault(step.target, Step(step.triple))
                    if len(below) + len(new) > _MOST_BELOW:
                        raise ShortageError(
                            f"more than {_MOST_BELOW:,} classes are below {class_}",
                            "ask for a class further down",
                        )
            below |= new
            level = list(new)
            if not level:
                break
        return below

    def _follow(self, classes: Sequence[Term], *, inverse: bool) -> Iterator[list[Step]]:
        assert self._store is not None
        for first in range(0, len(classes), _AT_ONCE):
            look_up()
            some = classes[first : first + _AT_ONCE]
            yield from self._store.follow(some, SUBCLASS, inverse, limit=_MOST_BELOW + 1)
