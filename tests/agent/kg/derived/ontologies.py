"""Random small ontologies, and what they say, worked out from their triples in the plainest way."""

from collections import defaultdict
from collections.abc import Iterator

from groundwalk.agent.kg import Triple, load_profile
from groundwalk.agent.kg.patterns import FactPattern, PatternRelation
from hypothesis import strategies as st

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
TYPE, SUB, SAME_CLASS = f"<{RDF}type>", f"<{RDFS}subClassOf>", f"<{OWL}equivalentClass>"
INTERSECTION = f"<{OWL}intersectionOf>"
FIRST, REST, NIL = f"<{RDF}first>", f"<{RDF}rest>", f"<{RDF}nil>"
ON, SOME, ONLY = f"<{OWL}onProperty>", f"<{OWL}someValuesFrom>", f"<{OWL}allValuesFrom>"
ON_CLASS = f"<{OWL}onClass>"
NUMBERS = ("qualifiedCardinality", "minQualifiedCardinality", "maxQualifiedCardinality")

OWL_PROFILE = load_profile("owl")


def iri(name: str) -> str:
    return f"<http://example.org/{name}>"


CLASSES = [iri(f"C{i}") for i in range(4)]
PROPERTIES = [iri(f"p{i}") for i in range(2)]
BLANKS = [f"_:b{i}" for i in range(4)]
CELLS = [f"_:l{i}" for i in range(4)]
TWO = '"2"^^<http://www.w3.org/2001/XMLSchema#integer>'
TEXT = '"so"'

named, blank, cell = map(st.sampled_from, (CLASSES, BLANKS, CELLS))
expression = named | blank
_said = st.one_of(
    st.builds(Triple, expression, st.sampled_from([SUB, SAME_CLASS, TYPE]), expression),
    st.builds(Triple, named, st.sampled_from([SUB, SAME_CLASS]), blank),
    st.builds(Triple, expression, st.just(INTERSECTION), cell),
    st.builds(Triple, cell, st.just(FIRST), expression),
    st.builds(Triple, cell, st.just(REST), cell | st.just(NIL)),
    st.builds(Triple, blank, st.just(ON), st.sampled_from([*PROPERTIES, BLANKS[0]])),
    st.builds(Triple, blank, st.sampled_from([SOME, ONLY, ON_CLASS]), expression),
    st.builds(Triple, blank, st.just(f"<{OWL}hasValue>"), named | st.just(TEXT)),
    st.builds(Triple, blank, st.sampled_from(NUMBERS).map(lambda n: f"<{OWL}{n}>"), st.just(TWO)),
    st.builds(Triple, named, st.just(iri("p0")), named | st.just(TEXT)),
)
loose = st.lists(_said, min_size=1, max_size=30).map(lambda triples: sorted(set(triples)))
"""Triples of ontologies, mostly in no order that makes sense: shared and circular lists too."""


@st.composite
def built(draw: st.DrawFn) -> list[Triple]:
    """A well-formed ontology: each class below expressions of restrictions and intersections."""
    triples = list[Triple]()

    def node() -> str:
        return f"_:n{len(triples)}"

    def written(depth: int) -> str:
        kinds = ["class", "some", "only", "number"] + (["and"] if depth else [])
        kind = draw(st.sampled_from(kinds))
        if kind == "class":
            return draw(named)
        made = node()
        triples.append(Triple(made, TYPE, f"<{OWL}Class>"))
        if kind == "and":
            at = made
            for place, member in enumerate(draw(st.integers(1, 3)) * [None]):
                assert member is None
                cell = node()
                triples.append(Triple(at, REST if place else INTERSECTION, cell))
                triples.append(Triple(cell, FIRST, written(depth - 1)))
                at = cell
            triples.append(Triple(at, REST, NIL))
            return made
        triples.append(Triple(made, ON, draw(st.sampled_from(PROPERTIES))))
        if kind == "number":
            triples.append(Triple(made, f"<{OWL}{draw(st.sampled_from(NUMBERS))}>", TWO))
        predicate = {"some": SOME, "only": ONLY, "number": ON_CLASS}[kind]
        triples.append(Triple(made, predicate, written(max(depth - 1, 0))))
        return made

    for _ in range(draw(st.integers(1, 4))):
        relation = draw(st.sampled_from([SUB, SUB, SAME_CLASS]))
        triples.append(Triple(draw(named), relation, written(2)))
    return sorted(set(triples))


ontologies = loose | built()


class Ontology:
    """The facts of an ontology, by definition."""

    def __init__(self, triples: list[Triple]) -> None:
        self.triples = triples
        self.tails: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for head, relation, tail in triples:
            self.tails[head, relation].append(tail)

    def members(self, node: str) -> set[str]:
        """What a blank node is a conjunction of, at any depth."""
        found, left = set[str](), [node]
        while left:
            one = left.pop()
            for member in self._listed(one) if one.startswith("_:") else ():
                if member not in found:
                    found.add(member)
                    left.append(member)
        return found - {node}

    def _listed(self, node: str) -> Iterator[str]:
        cells, left = set[str](), list(self.tails[node, INTERSECTION])
        while left:
            at = left.pop()
            if at not in cells:
                cells.add(at)
                yield from self.tails[at, FIRST]
                left.extend(cell for cell in self.tails[at, REST] if cell.startswith("_:"))

    def said(self) -> set[Triple]:
        """The facts that patterns say."""
        found = set[Triple]()
        for triple in self.triples:
            for head, way, node in (
                (triple.head, (triple.relation, False), triple.tail),
                (triple.tail, (triple.relation, True), triple.head),
            ):
                if not head.startswith("<"):
                    continue
                members = self.members(node)
                for pattern in OWL_PROFILE.patterns:
                    if way not in pattern.heads:
                        continue
                    if pattern.member_by:
                        named = {member for member in members if member.startswith("<")}
                        found |= {Triple(head, pattern.member_by, tail) for tail in named}
                        continue
                    for one in {node, *members}:
                        for relation, tail in self._of(one, pattern):
                            found.add(Triple(head, relation, tail))
        return found

    def _of(self, node: str, pattern: FactPattern) -> Iterator[tuple[str, str]]:
        numbers = ["2" for p in pattern.numbers for n in self.tails[node, p] if n == TWO]
        for prop in (t for p in pattern.relations for t in self.tails[node, p]):
            if prop.startswith("<"):
                for number in numbers if pattern.numbers else [""]:
                    relation = PatternRelation(pattern.name, prop, number).term
                    for tail in (t for p in pattern.tails for t in self.tails[node, p]):
                        if not tail.startswith("_:"):
                            yield relation, tail
                        elif pattern.opens:
                            for member in self.members(tail):
                                if member.startswith("<"):
                                    yield relation, member

    def facts(self) -> set[Triple]:
        """All facts: those that patterns say, and the triples that are none of their making."""
        plain = {
            t
            for t in self.triples
            if not OWL_PROFILE.skips(t.relation)
            and not (t.relation in OWL_PROFILE.through and "_:" in t.head[:2] + t.tail[:2])
        }
        return plain | self.said()
