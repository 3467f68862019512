"""The shown triples as Turtle, and how they answered the question, in the terms of W3C PROV.

Plain RDF 1.1: each triple as the KG holds it, and a reified statement of it, from which a chain is
derived. Written by Oxigraph, because rdflib's serialiser spells numbers anew. The blank nodes of
the KG get other names. Our own nodes are all blank, so that no statement is added about the terms
of the KG.
"""

from itertools import chain

import pyoxigraph as ox

from ..kg.nodes import to_any_node, to_term
from ..kg.terms import XSD, Term, Triple
from .reply import Origin, Reply, escaped, notes, step_of, summary, understood

_PREFIXES = {
    "dcterms": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": XSD,
}
_DIRECTED = "https://www.w3.org/ns/i18n#"
"""The namespace of the datatypes by which RDF 1.1 gives a text a language and a direction."""

_Node = ox.NamedNode | ox.BlankNode | ox.Literal

_GRAPH, _QUESTION, _MODEL = ox.BlankNode("graph"), ox.BlankNode("question"), ox.BlankNode("model")
_AGENT, _METHOD, _ROLE = ox.BlankNode("groundwalk"), ox.BlankNode("method"), ox.BlankNode("role")


def turtle(reply: Reply, origin: Origin) -> str:
    """The triples of the KG, then the answers with their chains, then the question."""
    document = _Document()
    document.question(reply, origin)
    chains = 0
    for number, answer in enumerate(reply["answers"], 1):
        node = ox.BlankNode(f"answer{number}")
        document.entity(node, answer["label"])
        document.add(node, "rdf:value", document.node(answer["term"]))
        document.add(node, "prov:wasGeneratedBy", _QUESTION)
        for steps in answer["chains"]:
            chains += 1
            walk = ox.BlankNode(f"chain{chains}")
            document.add(node, "prov:wasDerivedFrom", walk)
            document.entity(walk)
            document.add(walk, "rdf:type", _iri("rdf:Seq"))
            document.add(walk, "prov:wasGeneratedBy", _QUESTION)
            for position, step in enumerate(steps, 1):
                statement = document.statement(step_of(step).triple, step["verdict"])
                document.add(walk, f"rdf:_{position}", statement)
                document.add(walk, "prov:wasDerivedFrom", statement)
    if computed := reply.get("result"):
        node = ox.BlankNode("result")
        document.entity(node, computed["text"])
        document.add(node, "prov:wasGeneratedBy", _QUESTION)
        for number, _ in enumerate(reply["answers"], 1):
            document.add(node, "prov:wasDerivedFrom", ox.BlankNode(f"answer{number}"))
        for step in computed["triples"]:
            statement = document.statement(step_of(step).triple, step["verdict"])
            document.add(node, "prov:wasDerivedFrom", statement)
    return document.to_turtle()


class _Document:
    """Triples of the KG, and of ours about them; a statement of a triple is made once."""

    def __init__(self) -> None:
        self._held: list[ox.Triple] = []
        self._about: list[ox.Triple] = []
        self._statements: dict[Triple, ox.BlankNode] = {}
        self._blanks: dict[Term, ox.BlankNode] = {}

    def to_turtle(self) -> str:
        """The KG's triples, then ours by subject."""
        by_subject: dict[object, list[ox.Triple]] = {}
        for triple in dict.fromkeys(self._about):
            by_subject.setdefault(triple.subject, []).append(triple)
        triples = [*dict.fromkeys(self._held), *chain.from_iterable(by_subject.values())]
        document = ox.serialize(triples, format=ox.RdfFormat.TURTLE, prefixes=_PREFIXES)
        assert document is not None
        *prefixes, rest = document.decode().split("\n", len(_PREFIXES))  # which come in any order
        return escaped("\n".join([*sorted(prefixes), "", rest]))

    def add(self, subject: ox.BlankNode, predicate: str, value: _Node | str) -> None:
        """A triple about one of our nodes; a string is a text."""
        node = ox.Literal(value) if isinstance(value, str) else value
        self._about.append(ox.Triple(subject, _iri(predicate), node))

    def entity(self, subject: ox.BlankNode, label: str = "") -> None:
        """An entity of PROV."""
        self.add(subject, "rdf:type", _iri("prov:Entity"))
        if label:
            self.add(subject, "rdfs:label", label)

    def question(self, reply: Reply, origin: Origin) -> None:
        """The question as an activity: its time, graph, model and method."""
        self.add(_QUESTION, "rdf:type", _iri("prov:Activity"))
        self.add(_QUESTION, "rdfs:label", reply["question"])
        silence = [] if reply["answers"] else [summary(reply)]
        for remark in [*understood(reply), *silence, *notes(reply)]:
            self.add(_QUESTION, "rdfs:comment", remark)
        if origin.begun:
            begun = ox.Literal(origin.begun, datatype=_iri("xsd:dateTime"))
            self.add(_QUESTION, "prov:startedAtTime", begun)
        self.add(_QUESTION, "prov:used", _GRAPH)
        self.entity(_GRAPH, origin.source)
        if origin.digest:
            self.add(_GRAPH, "dcterms:identifier", f"sha256:{origin.digest}")
        for graph in origin.graphs:
            self.add(_GRAPH, "dcterms:hasPart", self.node(graph))
        if origin.model:
            self.add(_QUESTION, "prov:used", _MODEL)
            self.entity(_MODEL, origin.model)
        self.add(_QUESTION, "prov:wasAssociatedWith", _AGENT)
        self.add(_AGENT, "rdf:type", _iri("prov:SoftwareAgent"))
        self.add(_AGENT, "rdfs:label", f"groundwalk {origin.version}".strip())
        self.add(_QUESTION, "prov:qualifiedAssociation", _ROLE)
        self.add(_ROLE, "rdf:type", _iri("prov:Association"))
        self.add(_ROLE, "prov:agent", _AGENT)
        self.add(_ROLE, "prov:hadPlan", _METHOD)
        self.entity(_METHOD, reply["method"])
        self.add(_METHOD, "rdf:type", _iri("prov:Plan"))

    def statement(self, triple: Triple, verdict: str = "") -> ox.BlankNode:
        """The statement of a triple; one that was judged to be in the KG is written itself too."""
        statement = self._statements.get(triple)
        if statement is not None:
            return statement
        statement = self._statements[triple] = ox.BlankNode(f"statement{len(self._statements) + 1}")
        head, relation, tail = map(self.node, triple)
        self.add(statement, "rdf:type", _iri("rdf:Statement"))
        for part, node in (("subject", head), ("predicate", relation), ("object", tail)):
            self.add(statement, f"rdf:{part}", node)
        if verdict:
            self.entity(statement)
            self.add(statement, "rdfs:comment", verdict)
        if verdict == "supported":
            self.add(statement, "prov:hadPrimarySource", _GRAPH)
            plain = not isinstance(_parsed_term(triple.tail), ox.Triple) and not _is_directed(tail)
            if plain and isinstance(relation, ox.NamedNode) and not isinstance(head, ox.Literal):
                self._held.append(ox.Triple(head, relation, tail))
        return statement

    def node(self, term: Term) -> _Node:
        """A term in RDF 1.1: a triple is its statement, what is no term at all its text."""
        match _parsed_term(term):
            case ox.BlankNode():
                return self._blanks.setdefault(term, ox.BlankNode(f"node{len(self._blanks) + 1}"))
            case ox.Triple() as triple:
                return self.statement(Triple(*map(to_term, triple)))
            case ox.Literal() as text if text.direction is not None:
                kind = ox.NamedNode(f"{_DIRECTED}{text.language}_{text.direction.value}")
                return ox.Literal(text.value, datatype=kind)
            case None:
                return ox.Literal(term)
            case node:
                return node


def _parsed_term(term: Term) -> _Node | ox.Triple | None:
    try:
        return to_any_node(term)
    except ValueError:
        return None


def _is_directed(node: _Node) -> bool:
    return isinstance(node, ox.Literal) and node.datatype.value.startswith(_DIRECTED)


def _iri(name: str) -> ox.NamedNode:
    prefix, _, local = name.partition(":")
    return ox.NamedNode(_PREFIXES[prefix] + local)
