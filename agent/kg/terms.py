"""RDF terms, triples and the paths made of them.

A term is its N-Triples spelling (`<iri>`, `"text"@en`, `_:b0`), so that it is hashable, sortable
and JSON without conversion. Labels are never identity: see `labels.py`.
"""

from typing import NamedTuple, TypeAlias

Term: TypeAlias = str
"""An RDF term in N-Triples syntax."""


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
        return self.triple.tail if self.inverse else self.triple.head

    @property
    def target(self) -> Term:
        """The entity that the step reaches."""
        return self.triple.head if self.inverse else self.triple.tail


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
    return term.startswith("<")


def is_literal(term: Term) -> bool:
    """Whether the term is a literal."""
    return term.startswith('"')


def is_connected(topics: frozenset[Term], path: Path) -> bool:
    """Whether the steps follow one another from a topic entity (DoG section 2.2)."""
    place = path.topic
    for step in path.steps:
        if step.source != place:
            return False
        place = step.target
    return path.topic in topics


def is_well_formed(topics: frozenset[Term], chain: Path) -> bool:
    """Whether each triple touches a topic entity or one before it (DoG section 2.2)."""
    known = set(topics)
    for step in chain.steps:
        ends = {step.triple.head, step.triple.tail}
        if known.isdisjoint(ends):
            return False
        known |= ends
    return True
