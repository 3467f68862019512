"""A KG in an `rdflib.Graph` or `rdflib.Dataset` that an application hands in."""

from collections.abc import Iterable, Iterator
from itertools import islice

import pyoxigraph as ox
import rdflib
from rdflib.term import Identifier

from ...errors import InputError, ServiceError
from ..nodes import Node, to_node, to_term
from ..profile import GENERIC, Profile
from ..store import Counts, count
from ..terms import XSD, Step, Term, Triple
from .local import SCAN_LIMIT, LocalStore

_STRING = ox.NamedNode(f"{XSD}string")

_Triples = Iterator[tuple[object, object, object]]


def check_graph(graph: object) -> None:
    """Raise InputError for what is no graph of rdflib."""
    if not isinstance(graph, rdflib.Graph):
        raise InputError(
            f"a {type(graph).__name__} is no graph of rdflib",
            "give a parsed rdflib.Graph; open_kg opens files and addresses",
        )


class RdflibStore(LocalStore):
    """Implements `Store`. The graph is read as it is at each question, and never written to.

    The graphs of a dataset are read as one. What N-Triples cannot say (variables, formulas, IRIs
    with blanks in them) is left out; rdflib knows no triple terms (RDF 1.2), so it holds none.
    Where a node has more facts than `limit`, those that rdflib gives first are kept.
    """

    def __init__(
        self, graph: rdflib.Graph, *, source: str = "rdflib", profile: Profile = GENERIC
    ) -> None:
        self.source = source
        self._graph = graph
        self._skips = profile.skips

    def triples(self) -> Iterator[Triple]:
        """Every triple, fact or not, each once, in rdflib's own order."""
        return self._triples(None, None, None)

    def facts(self) -> Iterator[Triple]:
        """Every fact, each once, in rdflib's own order."""
        return (triple for triple in self.triples() if not self._skips(triple.relation))

    def statements(self, predicate: Term) -> Iterator[Triple]:
        """Every triple of one predicate, fact or not, in rdflib's own order."""
        return self._triples(None, _identifier(predicate), None)

    def counts(self) -> Counts:
        """The size of the graph; entities are the IRIs and blank nodes that facts connect."""
        return count(sum(1 for _ in self.triples()), self.facts())

    def _neighbours(self, term: Term, inverse: bool, limit: int) -> list[Step]:
        try:
            node = _identifier(term)
        except ValueError:
            return []
        steps = {Step(triple) for triple in self._capped(self._triples(node, None, None), limit)}
        if inverse:
            reaching = self._capped(self._triples(None, None, node), limit)
            steps.update(Step(triple, True) for triple in reaching)
        return sorted(steps, key=lambda step: (step.triple.relation, step.target, step.inverse))

    def _follow(self, term: Term, relation: Term, inverse: bool, limit: int) -> list[Step]:
        try:
            node, predicate = _identifier(term), _identifier(relation)
        except ValueError:
            return []
        ends = (None, predicate, node) if inverse else (node, predicate, None)
        triples = islice(self._triples(*ends), limit)
        return sorted((Step(triple, inverse) for triple in triples), key=lambda step: step.target)

    def _relations_at(self, term: Term, inverse: bool) -> list[Term]:
        """The relations of the first million triples of a node."""
        try:
            node = _identifier(term)
        except ValueError:
            return []
        triples = self._triples(None, None, node) if inverse else self._triples(node, None, None)
        relations = {triple.relation for triple in islice(triples, SCAN_LIMIT)}
        return sorted(relation for relation in relations if not self._skips(relation))

    def _capped(self, triples: Iterator[Triple], limit: int) -> Iterable[Triple]:
        seen = islice(triples, max(SCAN_LIMIT, limit))
        return islice((triple for triple in seen if not self._skips(triple.relation)), limit)

    def _holds_one(self, triple: Triple) -> bool:
        """Whether a triple is in the graph, exactly as written."""
        try:
            head, relation, tail = (_identifier(term) for term in triple)
        except ValueError:
            return False
        return next(self._triples(head, relation, tail), None) is not None

    def _triples(
        self, head: Identifier | None, relation: Identifier | None, tail: Identifier | None
    ) -> Iterator[Triple]:
        """Matching triples, each once."""
        seen_triples: set[Triple] = set()
        try:
            for match in self._matching(head, relation, tail):
                triple = _triple(match)
                if triple is not None and triple not in seen_triples:
                    seen_triples.add(triple)
                    yield triple
        except (OSError, RuntimeError) as error:
            raise ServiceError(
                f"the graph of {self.source} cannot be read: {error}",
                "do not change it while it is read",
            ) from error

    def _matching(
        self, head: Identifier | None, relation: Identifier | None, tail: Identifier | None
    ) -> _Triples:
        """As rdflib finds them: it tells `"x"` from `"x"^^xsd:string`, in RDF 1.1 one literal."""
        tails = [tail]
        if isinstance(tail, rdflib.Literal) and tail.language is None and tail.datatype is None:
            tails.append(rdflib.Literal(str(tail), datatype=rdflib.XSD.string))
        for end in tails:
            if isinstance(self._graph, rdflib.ConjunctiveGraph):
                for quad in self._graph.quads((head, relation, end, None)):
                    yield quad[:3]
            else:
                yield from self._graph.triples((head, relation, end))


def _identifier(term: Term) -> Identifier:
    """A term as rdflib holds it. Raises ValueError when it is no term, or one of RDF 1.2."""
    node = to_node(term)
    if isinstance(node, ox.NamedNode):
        return rdflib.URIRef(node.value)
    if isinstance(node, ox.BlankNode):
        return rdflib.BNode(node.value)
    if node.direction is not None:
        raise ValueError(f"rdflib knows no base directions: {term[:80]}")
    if node.language is not None:
        return rdflib.Literal(node.value, lang=node.language)
    datatype = None if node.datatype == _STRING else rdflib.URIRef(node.datatype.value)
    return rdflib.Literal(node.value, datatype=datatype, normalize=False)


def _node(identifier: object) -> Node:
    """Raises ValueError for what has no spelling in N-Triples."""
    if isinstance(identifier, rdflib.URIRef):
        return ox.NamedNode(str(identifier))
    if isinstance(identifier, rdflib.BNode):
        return ox.BlankNode(str(identifier))
    if not isinstance(identifier, rdflib.Literal):
        raise ValueError(f"no RDF term: {identifier}")
    if identifier.language:
        return ox.Literal(str(identifier), language=identifier.language)
    if identifier.datatype:
        return ox.Literal(str(identifier), datatype=ox.NamedNode(str(identifier.datatype)))
    return ox.Literal(str(identifier))


def _triple(nodes: tuple[object, object, object]) -> Triple | None:
    try:
        head, relation, tail = (to_term(_node(part)) for part in nodes)
    except ValueError:
        return None
    return Triple(head, relation, tail)
