"""The triples around the topic entities that a prompt shows: DoG's query-centric graph (App. B)."""

from collections.abc import Callable, Collection, Sequence

from ..decoding.wire import SEPARATOR, escape
from ..kg import KnowledgeGraph
from ..kg.ranking import top_connected, triple_texts
from ..kg.terms import Step, Term, Triple
from ..kg.view import GraphView, NeighbourCache, ViewLimits
from ..once import once
from ..options import Options
from ..state import State
from .ranker import ranker_of
from .records import name_terms

_MOST = 20_000
"""Triples that are ranked."""

Surroundings = Callable[[State, Options], tuple[list[Triple], GraphView]]


def surroundings(kg: KnowledgeGraph) -> Surroundings:
    """A function that finds the triples of a question, best first, and the view they come from.

    They lie within the hops of the question's view, and are chosen as `nearest` does. Raises
    InputError (ModelError) where `Options.embeddings` cannot be opened, and ServiceError.
    """

    @once
    def neighbours() -> NeighbourCache:
        return NeighbourCache(kg.store)

    def find(state: State, options: Options) -> tuple[list[Triple], GraphView]:
        view = state.get("view")
        assert view is not None, "load comes first"
        limits = ViewLimits(min(options.max_triples, _MOST), options.max_degree, view["inverse"])
        question = state.get("question", "")
        opened = GraphView(kg.store, kg.labels, limits, question, cache=neighbours())
        topics = [topic["term"] for topic in state.get("topics", [])]
        triples = _around(opened, topics, view["hops"])
        return nearest(kg, question, triples, topics, options), opened

    return find


def nearest(
    kg: KnowledgeGraph,
    question: str,
    triples: Sequence[Triple],
    topics: Collection[Term],
    options: Options,
) -> list[Triple]:
    """At most `Options.shown` triples, all connected to a topic entity, the nearest first.

    How near one is to the question its words tell, or the model of `Options.embeddings` (DoG,
    appendix B).
    """
    if not triples:
        return []
    scores = ranker_of(options).scores(question, triple_texts(triples, kg.labels))
    return top_connected(triples, topics, scores, options.shown)


def spelled(kg: KnowledgeGraph, triples: Sequence[Triple]) -> list[str]:
    """Each triple on a line, head first, as prompts show it."""
    names = name_terms(kg.labels, [term for triple in triples for term in triple])
    return [SEPARATOR.join(escape(names[term]["label"]) for term in triple) for triple in triples]


def _around(view: GraphView, topics: Sequence[Term], hops: int) -> list[Triple]:
    """The triples within some hops of the topics."""
    seen, level = set(topics), list(dict.fromkeys(topics))
    found: dict[Triple, None] = {}
    for _ in range(hops):
        steps = [step for around in view.neighbours(level) for step in around]
        found.update((step.triple, None) for step in steps)
        level = _new(steps, seen)
        seen.update(level)
    return list(found)


def _new(steps: Sequence[Step], seen: Collection[Term]) -> list[Term]:
    return sorted({step.target for step in steps} - set(seen))
