"""Which nodes are mediators: statement (CVT) nodes, that stand between what they connect."""

from collections.abc import Callable, Iterable, Sequence

from ..profile import UNLABELLED, Profile
from ..recent import Recent
from ..store import Store
from ..terms import Term, is_literal
from .statements import StatementStore

MOST_STEPS = 50
"""Steps that may leave a mediator. A node with more is an entity, whatever it looks like."""

_MOST_REMEMBERED = 100_000
_MOST_LABELS = 100
"""Labels read of a node, so that those in many languages do not fill an answer."""


class Mediators:
    """Tells nodes that look like mediators, in batches; safe to share between threads.

    They are of `Profile.nodes`, or statements about triples. Whether they are ones shows by their
    steps.
    """

    def __init__(self, store: Store, profile: Profile, statements: StatementStore) -> None:
        self._store = store
        self._labels = profile.labels if UNLABELLED in profile.nodes else ()
        self._unlabelled = UNLABELLED in profile.nodes
        self._prefixes = tuple(text for text in profile.nodes if text != UNLABELLED)
        self._statements = statements
        self._known: Recent[Term, bool] = Recent(_MOST_REMEMBERED)

    def among(self, terms: Iterable[Term]) -> set[Term]:
        """Those of the terms that look like mediators. Raises ServiceError."""
        wanted = [term for term in terms if not is_literal(term)]
        return {term for term, is_one in self._known.take(wanted, self._read).items() if is_one}

    def all(self) -> Callable[[Term], bool]:
        """What tells every node of the KG, for reading all of it; keeps labelled terms in memory.

        Raises ServiceError.
        """
        labelled = {t.head for label in self._labels for t in self._store.statements(label)}
        statements = self._statements.nodes()

        def looks_like_one(term: Term) -> bool:
            if is_literal(term):
                return False
            unlabelled = self._unlabelled and term not in labelled
            return unlabelled or term in statements or term.startswith(self._prefixes)

        return looks_like_one

    def _read(self, terms: list[Term]) -> dict[Term, bool]:
        found = {term: term.startswith(self._prefixes) for term in terms}
        if self._unlabelled:
            left = [term for term in terms if not found[term]]
            for label in self._labels:
                left = self._without(left, label)
            found.update(dict.fromkeys(left, True))
        others = [term for term, is_one in found.items() if not is_one]
        found.update(dict.fromkeys(self._statements.among(others), True))
        return found

    def _without(self, terms: Sequence[Term], predicate: Term) -> list[Term]:
        """The terms that are the head of no triple of a predicate."""
        if not terms:
            return []
        around = self._store.follow(terms, predicate, False, limit=_MOST_LABELS)
        return [term for term, steps in zip(terms, around, strict=True) if not steps]
