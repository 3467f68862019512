"""What rdflib says of triples, which has read the same text and nothing else."""

import logging
from collections.abc import Iterable, Sequence

import rdflib
from groundwalk.agent.kg import Path
from rdflib.exceptions import ParserError
from rdflib.plugins.parsers.ntriples import NTGraphSink, W3CNTriplesParser

logging.getLogger("rdflib.term").setLevel(logging.ERROR)  # it warns of every hostile name


class Kept(dict[str, rdflib.BNode]):
    """Blank nodes by their own names, for a parser that would give them new ones."""

    def get(self, name: str, default: object = None) -> rdflib.BNode:  # pyright: ignore
        return rdflib.BNode(name)


def read(text: str) -> rdflib.Graph:
    """The graph of a text in N-Triples."""
    graph = rdflib.Graph()
    parser = W3CNTriplesParser(NTGraphSink(graph), bnode_context=Kept())
    parser.parsestring(text)
    return graph


class Oracle:
    """Looks triples up, each spelling once."""

    def __init__(self, text: str) -> None:
        self._graph = read(text)
        self._known: dict[Sequence[str], bool] = {}

    def holds(self, triple: Sequence[str]) -> bool:
        """Whether the text has the triple; what is no triple in N-Triples it has not."""
        key = tuple(triple)
        if key not in self._known:
            self._known[key] = self._look_up(key)
        return self._known[key]

    def proves(self, topics: Iterable[str], path: Path) -> bool:
        """Whether a path walks, from one of the topics on, along triples that the text has."""
        place = path.topic
        for (head, relation, tail), inverse in path.steps:
            source, target = (tail, head) if inverse else (head, tail)
            if source != place or not self.holds((head, relation, tail)):
                return False
            place = target
        return bool(path.steps) and path.topic in topics

    def carries(self, topics: Iterable[str], chain: Path) -> bool:
        """Whether the text has a chain's triples, each of which touches what came before it."""
        known = set(topics)
        for head, relation, tail in (step.triple for step in chain.steps):
            if known.isdisjoint((head, tail)) or not self.holds((head, relation, tail)):
                return False
            known |= {head, tail}
        return bool(chain.steps)

    def _look_up(self, triple: Sequence[str]) -> bool:
        try:
            ((head, relation, tail),) = read(f"{' '.join(triple)} .\n")
        except (ValueError, ParserError):
            return False
        if isinstance(tail, rdflib.Literal) and tail.datatype == rdflib.XSD.string:
            tail = rdflib.Literal(str(tail))  # in RDF 1.1 that is the same literal
        return (head, relation, tail) in self._graph
