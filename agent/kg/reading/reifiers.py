"""Reifiers: `r rdf:reifies <<( s p o )>>` (RDF 1.2), as in Turtle's `s p o ~ r {| ... |}`."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ..store import Store
from ..terms import REIFIES, Step, Term, Triple, is_triple_term, triple_of
from .layer import Run, read_enough
from .relations import about


class Reifiers:
    """Implements `Statements`. The triple itself need not be in the KG: it is only spoken of."""

    def __init__(self, store: Store, skips: Callable[[Term], bool]) -> None:
        self.relation = REIFIES
        self._store = store
        self._skips = skips

    def all(self) -> Iterator[Triple]:
        """What every reifier is about."""
        return (made for _, made in self._told(self._store.statements(REIFIES)))

    def steps(self, nodes: Sequence[Term], inverse: bool, limit: int) -> list[list[Step]]:
        """From reifiers to what they are about, or back."""

        def read(some: Sequence[Term], most: int) -> list[list[Step]]:
            return self._store.follow(some, REIFIES, inverse, limit=most)

        def derive(_: Sequence[Term], around: list[list[Step]]) -> list[list[Step]]:
            return [
                [Step(made, inverse) for _, made in self._told(step.triple for step in own)]
                for own in around
            ]

        return read_enough(nodes, limit, read, derive)

    def has(self, triples: Sequence[Triple]) -> list[bool | None]:
        """Whether each stands for a triple in the source."""
        return [run is not None for run in self.expand(triples)]

    def expand(self, triples: Sequence[Triple]) -> list[Run | None]:
        """From the reifier to the triple term; the smallest of several."""
        heads = list(dict.fromkeys(triple.head for triple in triples))
        proofs: dict[Triple, Triple] = {}
        for own in self._store.follow(heads, REIFIES, False):
            for real, made in self._told(step.triple for step in own):
                proofs[made] = min(real, proofs.get(made, real))
        return [(Step(proofs[t]),) if t in proofs else None for t in triples]

    def _told(self, triples: Iterable[Triple]) -> Iterator[tuple[Triple, Triple]]:
        """Triples of `rdf:reifies`, each with the virtual one that it makes."""
        for real in triples:
            if is_triple_term(real.tail):
                subject, predicate, _ = triple_of(real.tail)
                if not self._skips(predicate):
                    yield real, Triple(real.head, about(predicate), subject)
