"""Which relations lead to true or false, and to nothing else."""

from collections.abc import Callable, Iterator
from itertools import islice

from ..caching import Recent
from .nodes import literal_tag
from .store import Store
from .terms import XSD, Term, Triple, node_of

_BOOLEAN = f"{XSD}boolean"
_TRUE, _FALSE = (
    tuple(f'"{text}"^^<{_BOOLEAN}>' for text in texts) for texts in (("true", "1"), ("false", "0"))
)
_SAMPLE = 1_000
"""Statements of a relation that are looked at."""
_MOST_KEPT = 10_000


class Truths:
    """The truth values of relations, looked up when they are asked about, and kept.

    Safe to share between threads.
    """

    def __init__(self, facts: Store, stated: Callable[[Term], Iterator[Triple]]) -> None:
        """`stated` gives the facts of a relation."""
        self._facts = facts
        self._stated = stated
        self._known: Recent[Term, frozenset[bool]] = Recent(_MOST_KEPT)

    def of(self, relation: Term) -> frozenset[bool]:
        """Those that a relation leads to; none where it also leads to anything else.

        Raises ServiceError.
        """
        known = self._known.get(relation)
        if known is None:
            known = frozenset(
                value
                for value, terms in ((True, _TRUE), (False, _FALSE))
                if any(self._facts.follow(terms, relation, inverse=True, limit=1))
            )
            if known and not all(map(_is_truth, islice(self._stated(relation), _SAMPLE))):
                known = frozenset()
            self._known.put({relation: known})
        return known


def _is_truth(fact: Triple) -> bool:
    return literal_tag(node_of(fact.tail)) == _BOOLEAN
