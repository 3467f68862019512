"""A KG in an Oxigraph store, in memory or on disk; the graphs of a dataset are read as one."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property, lru_cache
from itertools import islice

import pyoxigraph as ox

from ...errors import ServiceError
from ..nodes import Node, to_any_node, to_node, to_term
from ..profile import GENERIC, Profile
from ..store import Counts, count
from ..terms import REIFIES, Step, Term, Triple, is_literal, is_triple_term, node_of
from .local import SCAN_LIMIT, LocalStore

_REIFIES = ox.NamedNode(REIFIES[1:-1])


class OxigraphStore(LocalStore):
    """Implements `Store`. A triple that several named graphs hold is one triple.

    Where a node has more facts than `limit`, the first ones in the store's own order are kept:
    always the same for the same store. What reifies the triples of a subject is read whole when it
    is first asked for, and kept in memory; the store must not change after that.
    """

    def __init__(
        self,
        store: ox.Store,
        *,
        source: str = "memory",
        profile: Profile = GENERIC,
        counts: Counts | None = None,
        relations: Callable[[], Iterable[Term]] | None = None,
    ) -> None:
        """`counts` is the size where it is known, `relations` tells every relation of a fact.

        Without `relations`, those of a hub are looked for among its first million triples.
        """
        self.source = source
        self._store = store
        self._skips = cache(profile.skips)
        self._counts = counts
        self._relations = cache(lambda: [*map(_predicate, relations())] if relations else None)

    def facts(self) -> Iterator[Triple]:
        """Every fact, each once, in the store's own order."""
        quads = self._quads(None, None, None)
        facts = (_triple(quad) for quad in quads if not self._skips(str(quad.predicate)))
        several = next(iter(self._store.named_graphs()), None) is not None
        return _distinct(facts) if several else facts

    def counts(self) -> Counts:
        """The size of the KG; entities are the IRIs and blank nodes that facts connect."""
        if self._counts is None:
            self._counts = count(len(self._store), self.facts())
        return self._counts

    def statements(self, predicate: Term) -> Iterator[Triple]:
        """Every triple of one predicate, fact or not, in the store's own order."""
        return map(_triple, self._quads(None, to_node(predicate), None))

    def _neighbours(self, term: Term, inverse: bool, limit: int) -> list[Step]:
        try:
            node = to_node(term)
        except ValueError:
            return []
        itself = self._spelling(node)
        ends = (
            [(*end, True) for end in self._relations_and_ends(node, True, limit)] if inverse else []
        )
        if not isinstance(node, ox.Literal):
            ends.extend((*end, False) for end in self._relations_and_ends(node, False, limit))
        return [
            Step(Triple(other, relation, itself), True)
            if back
            else Step(Triple(itself, relation, other))
            for relation, other, back in sorted(ends)
        ]

    def _relations_and_ends(self, node: Node, inverse: bool, limit: int) -> set[tuple[Term, Term]]:
        """The relations of a node's facts in one direction, with what is at their other end."""
        quads = self._quads(None, None, node) if inverse else self._quads(node, None, None)
        ends: set[tuple[Term, Term]] = set()
        for quad in islice(quads, max(SCAN_LIMIT, limit)):
            if len(ends) >= limit:
                break
            relation = str(quad.predicate)
            if not self._skips(relation):
                ends.add((relation, str(quad.subject if inverse else quad.object)))
        return ends

    def _relations_at(self, term: Term, inverse: bool) -> list[Term]:
        """Where the store was told the relations of the KG, each of them is looked up."""
        try:
            node = to_node(term)
        except ValueError:
            return []
        if isinstance(node, ox.Literal) and not inverse:
            return []
        ends = (None, node) if inverse else (node, None)
        known = self._relations()
        if known is None:
            quads = islice(self._quads(ends[0], None, ends[1]), SCAN_LIMIT)
            relations = {str(quad.predicate) for quad in quads}
        else:
            used = (r for r in known if next(self._quads(ends[0], r, ends[1]), None))
            relations = set(map(str, used))
        return sorted(relation for relation in relations if not self._skips(relation))

    def _spelling(self, node: Node) -> Term:
        """The term as the store holds it, where it is the tail of anything."""
        if isinstance(node, ox.Literal):
            return next((str(quad.object) for quad in self._quads(None, None, node)), str(node))
        return str(node)

    def _follow(self, term: Term, relation: Term, inverse: bool, limit: int) -> list[Step]:
        try:
            node, predicate = to_node(term), _relation(relation)
        except ValueError:
            return []
        if not isinstance(predicate, ox.NamedNode):
            return []
        if isinstance(node, ox.Literal) and not inverse:
            return []
        if inverse and predicate == _REIFIES:
            triples = self._reifying(str(node))
        else:
            ends = (None, predicate, node) if inverse else (node, predicate, None)
            triples = map(_triple, self._quads(*ends))
        matches = islice(_distinct(triples), limit)
        return sorted((Step(triple, inverse) for triple in matches), key=lambda step: step.target)

    def _reifying(self, subject: Term) -> Iterator[Triple]:
        """The triples of `rdf:reifies` whose tails are triples of a subject."""
        for reifier in self._reifiers.get(subject, ()):
            for triple in map(_triple, self._quads(to_node(reifier), _REIFIES, None)):
                if is_triple_term(triple.tail) and node_of(triple.tail) == subject:
                    yield triple

    @cached_property
    def _reifiers(self) -> dict[Term, list[Term]]:
        """What reifies the triples of each subject; Oxigraph cannot look that up."""
        reifiers: dict[Term, list[Term]] = {}
        for quad in self._quads(None, _REIFIES, None):
            if isinstance(quad.object, ox.Triple):
                reifiers.setdefault(str(quad.object.subject), []).append(str(quad.subject))
        return {subject: list(dict.fromkeys(nodes)) for subject, nodes in reifiers.items()}

    def _holds_one(self, triple: Triple) -> bool:
        """Whether a triple is in some graph of the store, exactly as written.

        Numbers and dates compare by value, because Oxigraph keeps no others: `"01"` and `"1"` of
        xsd:integer are the same literal.
        """
        if is_literal(triple.head):
            return False
        try:
            head, relation = to_node(triple.head), to_node(triple.relation)
            tail = to_any_node(triple.tail)
        except ValueError:
            return False
        if not isinstance(relation, ox.NamedNode):
            return False
        return next(self._quads(head, relation, tail), None) is not None

    def _quads(
        self, head: Node | None, relation: Node | None, tail: Node | ox.Triple | None
    ) -> Iterator[ox.Quad]:
        """Matching quads; triple terms only where they are asked for, or `rdf:reifies` is."""
        assert not isinstance(head, ox.Literal)
        assert relation is None or isinstance(relation, ox.NamedNode)
        every = relation == _REIFIES or isinstance(tail, ox.Triple)
        try:
            for quad in self._store.quads_for_pattern(head, relation, tail, None):
                if every or not isinstance(quad.object, ox.Triple):
                    yield quad
        except (OSError, RuntimeError) as error:
            raise ServiceError(
                f"the store of {self.source} cannot be read: {error}", "build it again"
            ) from error


_relation = lru_cache(maxsize=10_000)(to_node)
"""A relation as a node: one is followed from many."""


def _predicate(term: Term) -> ox.NamedNode:
    node = to_node(term)
    assert isinstance(node, ox.NamedNode)
    return node


def _triple(quad: ox.Quad) -> Triple:
    return Triple(str(quad.subject), str(quad.predicate), to_term(quad.object))


def _distinct(triples: Iterable[Triple]) -> Iterator[Triple]:
    seen: set[Triple] = set()
    for triple in triples:
        if triple not in seen:
            seen.add(triple)
            yield triple
