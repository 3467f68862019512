"""Which relations lead to true or false."""

from ..caching import Recent
from .store import Store
from .terms import XSD, Term

TRUE, FALSE = (f'"{text}"^^<{XSD}boolean>' for text in ("true", "false"))
_MOST_KEPT = 10_000


class Truths:
    """Relations with the values true and false, looked up when they are asked about, and kept.

    Safe to share between threads.
    """

    def __init__(self, facts: Store) -> None:
        self._facts = facts
        self._known: Recent[Term, bool] = Recent(_MOST_KEPT)

    def holds(self, relation: Term) -> bool:
        """Whether a relation leads to true or false. Raises ServiceError."""
        known = self._known.get(relation)
        if known is None:
            known = any(self._facts.follow([TRUE, FALSE], relation, inverse=True, limit=1))
            self._known.put({relation: known})
        return known
