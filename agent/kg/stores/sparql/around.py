"""What is around the entities that a question may be about, read at once before it is asked for.

Whatever reads the question looks at the facts of these entities, at the classes of what they lead
to and at their names. Two requests side by side bring all that, for a minute. Verification asks the
endpoint itself in any case.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from time import monotonic
from typing import NamedTuple

from ....caching import Recent
from ....errors import ServiceError
from ...profile import Profile
from ...terms import REIFIES, Step, Term, Triple, is_iri, is_triple_term
from . import label_queries, queries
from .about import Terms
from .beside import side_by_side
from .client import Answer, SparqlClient
from .queries import Query, Scope, can_ask

_SECONDS = 60.0
"""How long what was read holds."""
_TIMEOUT = 10.0
_MOST_NODES = 7
_MOST_TRIPLES = 499
"""Of a node in a direction; with more it is a hub, of which nothing is kept."""
_MOST_REMEMBERED = 10_000


class _Side(NamedTuple):
    """Triples that leave a node, or reach it, and until when they hold."""

    until: float
    steps: tuple[Step, ...]


class Surroundings:
    """Safe to share between threads. Raises nothing: what is not read here is asked for later."""

    def __init__(self, client: SparqlClient, profile: Profile, terms: Terms) -> None:
        self._client = client
        self._profile = profile
        self._terms = terms
        self._scope = Scope(client.settings.graphs)
        self._sides: Recent[tuple[Term, bool], _Side] = Recent(_MOST_REMEMBERED)
        self._types: Recent[Term, _Side] = Recent(_MOST_REMEMBERED)
        self._is_slow = False

    def read(self, nodes: Sequence[Term]) -> None:
        """Read what is around IRIs, at most seven. An endpoint that failed is not asked again."""
        new = [node for node in dict.fromkeys(nodes) if is_iri(node) and can_ask(node)]
        new = [node for node in new if self.steps(node, False) is None][:_MOST_NODES]
        while new and max(len(query.text) for query in self._queries(new)) > self._client.longest:
            new.pop()
        if not new or self._is_slow:
            return
        try:
            triples, texts = side_by_side(*(self._asking(query) for query in self._queries(new)))
        except ServiceError:
            self._is_slow = True
            return
        if not triples.cut:
            self._keep(new, triples, texts)

    def steps(self, node: Term, inverse: bool, relation: Term | None = None) -> list[Step] | None:
        """The facts that leave a node, or reach it, in the order of the endpoint.

        With a relation those of it, also where it is one of classes. None where they are unknown.
        """
        is_type = not inverse and relation in self._profile.types
        side = self._types.get(node) if is_type else self._sides.get((node, inverse))
        is_unknown = self._skips(relation) and not is_type
        if side is None or side.until < monotonic() or is_unknown:
            return None
        if relation is None:
            return [step for step in side.steps if not self._skips(step.triple.relation)]
        return [step for step in side.steps if step.triple.relation == relation]

    def near(self, nodes: Sequence[Term]) -> list[Term]:
        """The IRIs around nodes, as far as they are known."""
        every = (self.steps(node, inverse) or () for node in nodes for inverse in (False, True))
        return list(dict.fromkeys(s.target for steps in every for s in steps if is_iri(s.target)))

    def _skips(self, relation: Term | None) -> bool:
        return relation is not None and self._profile.skips(relation)

    def _queries(self, nodes: Sequence[Term]) -> tuple[Query, Query]:
        each, languages = _MOST_TRIPLES + 1, self._profile.languages
        return (
            queries.surroundings(nodes, self._scope, each),
            label_queries.texts_around(nodes, self._terms.predicates, languages, self._scope, each),
        )

    def _asking(self, query: Query) -> Callable[[], Answer]:
        return lambda: self._client.select(query, timeout=_TIMEOUT)

    def _keep(self, nodes: Sequence[Term], triples: Answer, texts: Answer) -> None:
        """Keep the sides that are whole; none where the endpoint answers about other nodes."""
        sizes = Counter((node, way) for way, node, *_ in triples.rows)
        if any(node not in nodes for node, _ in sizes):
            return
        whole = {
            (node, inverse): list[Step]()
            for node in nodes
            for inverse, way in ((False, '"out"'), (True, '"in"'))
            if sizes[node, way] <= _MOST_TRIPLES
        }
        for way, node, relation, other in triples.rows:
            if node is None or relation is None or other is None:
                continue
            inverse = way == '"in"'
            is_fact = not is_triple_term(other) or relation == REIFIES
            if is_fact and (node, inverse) in whole:
                triple = (other, relation, node) if inverse else (node, relation, other)
                whole[node, inverse].append(Step(Triple(*triple), inverse))
        until = monotonic() + _SECONDS
        self._sides.put({side: _Side(until, (*steps,)) for side, steps in whole.items()})
        types = {node: steps for (node, inverse), steps in whole.items() if not inverse}
        if not texts.cut:
            types = self._types_near(self.near(nodes), texts) | types
        self._types.put({node: _Side(until, (*steps,)) for node, steps in types.items()})

    def _types_near(self, near: Sequence[Term], texts: Answer) -> dict[Term, list[Step]]:
        """The classes of what is near, whose names are learnt too."""
        values: dict[Term, list[tuple[Term, Term]]] = {term: [] for term in near}
        for term, predicate, value in texts.rows:
            if term is not None and predicate is not None and value is not None:
                values.setdefault(term, []).append((predicate, value))
        self._terms.learn(values)
        return {
            term: [
                Step(Triple(term, predicate, value), False)
                for predicate, value in pairs
                if predicate in self._profile.types
            ]
            for term, pairs in values.items()
        }
