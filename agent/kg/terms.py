"""RDF terms, triples and the paths made of them.

A term is its N-Triples spelling (`<iri>`, `"text"@en`, `_:b0`), so that it is hashable, sortable
and JSON without conversion. Labels are never identity: see `labels`.

A triple may be a term itself (RDF 1.2): `<<( <s> <p> <o> )>>`, only as the tail of another one. No
walk stops at such a term: in a walk it stands for its subject. So a walk goes from the subject to
what is said of the triple along `r rdf:reifies <<( s p o )>>`, from tail to head.
"""

from typing import NamedTuple, TypeAlias

Term: TypeAlias = str
"""An RDF term in N-Triples syntax, of RDF 1.2."""

REIFIES: Term = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>"
"""The relation from what speaks of a triple, its reifier, to that triple as a term."""

XSD = "http://www.w3.org/2001/XMLSchema#"
"""The namespace of the datatypes of numbers, dates and plain text."""

_OPENING, _CLOSING = "<<( ", " )>>"


class Triple(NamedTuple):
    """A triple as the KG holds it, whatever the direction in which it is walked."""

    head: Term
    relation: Term
    tail: Term


class Step(NamedTuple):
    """One triple of a walk; `inverse` when it is walked from tail to head."""

    triple: Triple
    inverse: bool = False

    @property
    def source(self) -> Term:
        """The entity that the step leaves."""
        return node_of(self.triple.tail) if self.inverse else self.triple.head

    @property
    def target(self) -> Term:
        """The entity that the step reaches."""
        return self.triple.head if self.inverse else node_of(self.triple.tail)


class Path(NamedTuple):
    """A reasoning path: a topic entity and the steps that lead away from it."""

    topic: Term
    steps: tuple[Step, ...]

    @property
    def end(self) -> Term:
        """The entity that the path reaches: GCR's hypothesis answer."""
        return self.steps[-1].target if self.steps else self.topic

    @property
    def relations(self) -> "RelationPath":
        """The relations that the path walks, with their directions (RoG section 2)."""
        return tuple((step.triple.relation, step.inverse) for step in self.steps)


RelationPath: TypeAlias = tuple[tuple[Term, bool], ...]
"""Relations with their directions (`True` is from tail to head), as RoG plans them."""


def unknown_term(text: str) -> Term:
    """What stands for a name that nothing in the KG has; a triple with it is never supported."""
    return f"?{text}"


def is_unknown(term: Term) -> bool:
    """Whether this only stands for a name that nothing in the KG has."""
    return term.startswith("?")


def is_iri(term: Term) -> bool:
    """Whether the term is an IRI."""
    return term.startswith("<") and not is_triple_term(term)


def is_literal(term: Term) -> bool:
    """Whether the term is a literal."""
    return term.startswith('"')


def is_triple_term(term: Term) -> bool:
    """Whether the term is itself a triple."""
    return term.startswith(_OPENING)


def triple_of(term: Term) -> Triple:
    """The triple that a triple term is."""
    return Triple(*term[len(_OPENING) : -len(_CLOSING)].split(" ", 2))


def triple_term(triple: Triple) -> Term:
    """A triple as a term."""
    return f"{_OPENING}{' '.join(triple)}{_CLOSING}"


def node_of(term: Term) -> Term:
    """Where a term stands in a walk: a triple term at its subject, any other at itself."""
    return triple_of(term).head if is_triple_term(term) else term


def is_connected(topics: frozenset[Term], path: Path) -> bool:
    """Whether the steps follow one another from a topic entity (DoG section 2.2)."""
    node = path.topic
    for step in path.steps:
        if step.source != node:
            return False
        node = step.target
    return path.topic in topics


def is_well_formed(topics: frozenset[Term], chain: Path) -> bool:
    """Whether each triple touches a topic entity or one before it (DoG section 2.2)."""
    known = set(topics)
    for step in chain.steps:
        ends = {step.source, step.target}
        if known.isdisjoint(ends):
            return False
        known |= ends
    return True
