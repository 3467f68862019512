"""The triples around the topic entities that a prompt shows: DoG's query-centric graph (App. B).

What is near to a question its words say, or the embedding model that the options name.
"""

from collections.abc import Collection, Sequence
from functools import lru_cache

from ...agent.answers.candidates import name_terms
from ...agent.answers.question import Question
from ...agent.decoding.wire import SEPARATOR, escape
from ...agent.kg import KnowledgeGraph
from ...agent.kg.terms import Term, Triple
from ...agent.kg.walking.ranking import (
    BM25Ranker,
    EmbeddingRanker,
    Ranker,
    top_connected,
    triple_texts,
)
from ...agent.kg.walking.view import GraphView
from ...agent.llm.embeddings import load_embeddings
from ...agent.options import Options
from ..ground import Ground


def ranker_of(options: Options) -> Ranker:
    """BM25, or the model of `Options.embeddings`. Raises InputError (ModelError)."""
    return embedding_ranker(options.embeddings) if options.embeddings else BM25Ranker()


@lru_cache(maxsize=2)
def embedding_ranker(name: str) -> Ranker:
    """A sentence-transformers model, from a folder or the hub. Raises InputError, ModelError."""
    return EmbeddingRanker(load_embeddings(name))


def shown_triples(question: Question, ground: Ground) -> list[Triple]:
    """The triples within the question's hops, those nearest to it first, as `nearest` chooses.

    Raises InputError (ModelError) where `Options.embeddings` cannot be opened, and ServiceError.
    """
    triples = _around(ground.facts, question.terms, question.hops)
    return nearest(ground.kg, question.text, triples, question.terms, question.options)


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
    triples: dict[Triple, None] = {}
    for _ in range(hops):
        steps = [step for around in view.neighbours(level) for step in around]
        triples.update((step.triple, None) for step in steps)
        level = sorted({step.target for step in steps} - seen)
        seen.update(level)
    return list(triples)
