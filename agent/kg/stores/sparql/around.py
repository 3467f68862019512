"""What is around the entities that a question may be about, read at once before it is asked for.

Whatever reads the question looks at the facts of these entities, at the classes of what they lead
to and at their names. Two requests side by side bring all that, anew for each question, and for ten
seconds. Verification asks the endpoint itself in any case.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import NamedTuple

from ....caching import Recent
from ....errors import ServiceError
from ...profile import Profile
from ...terms import REIFIES, Step, Term, Triple, is_iri, is_literal, is_triple_term
from . import label_queries, queries
from .about import Terms
from .beside import side_by_side
from .client import Answer, SparqlClient
from .queries import Query, Scope, can_ask

_SECONDS = 10.0
"""How long what was read holds, unless the next question has it read before."""
_TIMEOUT = 10.0
_PAUSE = 60.0
"""Seconds in which an endpoint that was too slow for this is not asked so again."""
_MOST_NODES = 7
_MOST_TRIPLES = 499
"""Of a node in a direction; with more it is a hub, of which nothing is kept."""
_MOST_AHEAD, _LITTLE = 96, 99
"""Nodes that a walk may go to, and triples of one in a direction."""
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
        self._slow_until = 0.0

    def read(
        self, nodes: Sequence[Term], *, most: int = _MOST_NODES, most_per_node: int = _MOST_TRIPLES
    ) -> None:
        """Read what is around the first few nodes, but for those with more than `most_per_node`.

        An endpoint that failed is left alone for a minute.
        """
        new = [node for node in dict.fromkeys(nodes) if can_ask(node)]
        new = new[:most]
        while (
            new
            and max(len(q.text) for q in self._queries(new, most_per_node)) > self._client.longest
        ):
            new.pop()
        if not new or monotonic() < self._slow_until:
            return
        try:
            triples, texts = side_by_side(
                *(self._asking(query) for query in self._queries(new, most_per_node))
            )
        except ServiceError:
            self._slow_until = monotonic() + _PAUSE
            return
        if not triples.cut:
            self._remember(new, triples, texts, most_per_node)

    def read_ahead(self, nodes: Sequence[Term]) -> list[Term]:
        """Read what is around nodes to which a walk may go; the terms that are known there.

        Two requests for 48 of them, side by side. Of one with much around it nothing is read, nor
        of any where they are more than 96.
        """
        new = [node for node in dict.fromkeys(nodes) if self.steps(node, True) is None]
        if len(new) <= _MOST_AHEAD:
            size = _MOST_AHEAD // 2
            side_by_side(
                *(
                    partial(self.read, new[first : first + size], most=size, most_per_node=_LITTLE)
                    for first in range(0, len(new), size)
                )
            )
        sides = (self.steps(node, inverse) or () for node in nodes for inverse in (False, True))
        steps = [step for side in sides for step in side]
        return list(dict.fromkeys(term for s in steps for term in (s.triple.relation, s.target)))

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

    def _queries(self, nodes: Sequence[Term], most_per_node: int) -> tuple[Query, Query]:
        predicates, languages = self._terms.predicates, self._profile.languages
        return (
            queries.surroundings(nodes, self._scope, most_per_node + 1),
            label_queries.texts_around(
                nodes, predicates, languages, self._scope, most_per_node + 1
            ),
        )

    def _asking(self, query: Query) -> Callable[[], Answer]:
        return lambda: self._client.select(query, timeout=_TIMEOUT)

    def _remember(
        self, nodes: Sequence[Term], triples: Answer, texts: Answer, most_per_node: int
    ) -> None:
        """Keep the sides that are whole; none where the endpoint answers about other nodes.

        A literal that nothing reaches may be written otherwise there: of it nothing is known.
        """
        sizes = Counter((node, way) for way, node, *_ in triples.rows)
        if any(node not in nodes and not is_literal(node or "") for node, _ in sizes):
            return
        steps_of = {
            (node, inverse): list[Step]()
            for node in nodes
            for inverse, way in ((False, '"out"'), (True, '"in"'))
            if (is_iri(node) or sizes[node, way]) and sizes[node, way] <= most_per_node
        }
        for way, node, relation, other in triples.rows:
            if node is None or relation is None or other is None:
                continue
            inverse = way == '"in"'
            is_fact = not is_triple_term(other) or relation == REIFIES
            if is_fact and (node, inverse) in steps_of:
                triple = (other, relation, node) if inverse else (node, relation, other)
                steps_of[node, inverse].append(Step(Triple(*triple), inverse))
        until = monotonic() + _SECONDS
        self._sides.put({side: _Side(until, (*steps,)) for side, steps in steps_of.items()})
        types = {n: steps for (n, inverse), steps in steps_of.items() if not inverse and is_iri(n)}
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
