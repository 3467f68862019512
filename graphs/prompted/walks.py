"""What agents that walk a KG step by step ask of it: the ways out of an entity, and their steps."""

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from typing_extensions import TypedDict

from ...agent.answers.candidates import name_terms, spell
from ...agent.decoding.wire import SEPARATOR, escape, spell_relation
from ...agent.kg import KnowledgeGraph
from ...agent.kg import store as stores
from ...agent.kg.terms import Step, Term, is_literal, unknown_term
from ...agent.kg.walking.ranking import BM25Ranker
from ...agent.records import Answer, Candidate, Named, StepRecord

_T = TypeVar("_T")

MOST_WAYS = 200
"""Ways out of one entity that an agent chooses from, those nearest to the question."""


class Way(TypedDict):
    """A relation by which an entity may be left, from tail to head where `inverse`."""

    relation: Named
    inverse: bool


class Walk(TypedDict):
    """A walk from a topic entity, how it was scored when it last grew, and its relevance.

    The relevance is the probability that a local model gives to its relations; 1 where a chat LLM
    chose them.
    """

    topic: Named
    steps: list[StepRecord]
    score: float
    relevance: float


def target(step: StepRecord) -> Named:
    """The entity that a step reaches."""
    return step["head"] if step["inverse"] else step["tail"]


def end(walk: Walk) -> Named:
    """The entity that a walk has reached."""
    return target(walk["steps"][-1]) if walk["steps"] else walk["topic"]


class PerNode(NamedTuple, Generic[_T]):
    """What there is for each node that was asked about, the requests, and what was left out."""

    of_each: list[list[_T]]
    requests: int
    cuts: list[str]


def ways_out(
    kg: KnowledgeGraph, nodes: Sequence[Term], question: str, *, inverse: bool = True
) -> PerNode[Way]:
    """The ways out of each node by the names of their relations.

    Literals have none. Of more than `MOST_WAYS` those nearest to the question are given. Raises
    ServiceError.
    """
    entities = list(dict.fromkeys(node for node in nodes if not is_literal(node)))
    if not entities:
        return PerNode([[] for _ in nodes], 0, [])
    directions = (False, True) if inverse else (False,)
    leaving = _relations_out(kg, entities, directions)
    terms = [relation for relations in leaving.values() for relation, _ in relations]
    crowded = [entity for entity, relations in leaving.items() if len(relations) > MOST_WAYS]
    named = name_terms(kg.labels, [*terms, *crowded])
    ways = {
        entity: _nearest([Way(relation=named[r], inverse=i) for r, i in relations], question)
        for entity, relations in leaving.items()
    }
    cuts = [
        f"{MOST_WAYS:,} of the {len(leaving[entity]):,} relations of "
        f"{escape(named[entity]['label'])}"
        for entity in crowded
    ]
    return PerNode([ways.get(node, []) for node in nodes], len(directions), cuts)


def _relations_out(
    kg: KnowledgeGraph, entities: Sequence[Term], directions: Sequence[bool]
) -> dict[Term, list[tuple[Term, bool]]]:
    """The relations of each entity, with whether they lead to it from a head."""
    leaving: dict[Term, list[tuple[Term, bool]]] = {entity: [] for entity in entities}
    for direction in directions:
        around = kg.store.relations_at(entities, direction)
        for entity, relations in zip(entities, around, strict=True):
            leaving[entity] += [(relation, direction) for relation in relations]
    return leaving


def steps_along(
    kg: KnowledgeGraph, asked: Sequence[tuple[Term, Way]], limit: int
) -> PerNode[StepRecord]:
    """The steps of each way out of a node, at most `limit`. Raises ServiceError."""
    if not asked:
        return PerNode([], 0, [])
    ways = [stores.Way(node, way["relation"]["term"], way["inverse"]) for node, way in asked]
    more = kg.store.follow_each(ways, limit=limit + 1)
    followed = [steps[:limit] for steps in more]
    named = name_terms(kg.labels, [t for steps in followed for s in steps for t in s.triple])
    cuts = [
        f"{limit:,} of the more than {limit:,} facts about {escape(named[node]['label'])} "
        f"along {spell_relation(escape(way['relation']['label']), way['inverse'])}"
        for (node, way), steps in zip(asked, more, strict=True)
        if len(steps) > limit
    ]
    return PerNode([[_record(named, step) for step in steps] for steps in followed], 1, cuts)


def spelled_ways(ways: Sequence[Way]) -> list[str]:
    """A name for each way, as the wire format spells relations; no two alike."""
    return distinct(
        [spell_relation(escape(way["relation"]["label"]), way["inverse"]) for way in ways]
    )


def spelled_names(entities: Sequence[Named]) -> list[str]:
    """A name for each entity in one line; no two alike."""
    return distinct([escape(entity["label"]) for entity in entities])


def distinct(names: Sequence[str]) -> list[str]:
    """The names, where escaping made them equal with numbers."""
    taken = dict[str, None]()
    for name in names:
        text, number = name, 1
        while text in taken:
            number += 1
            text = f"{name} ({number})"
        taken[text] = None
    return list(taken)


def entity_names(steps: Sequence[StepRecord]) -> list[str]:
    """The name of every head and tail, once."""
    return list(dict.fromkeys(step[part]["label"] for step in steps for part in ("head", "tail")))


def walk_names(walk: Walk) -> list[str]:
    """The walk's escaped names, entities and relations in turn, as the wire format has them."""
    return spell(walk["topic"], walk["steps"]).split(SEPARATOR)


def fact_lines(steps: Sequence[StepRecord]) -> list[str]:
    """Each triple once, as the KG holds it: head, relation, tail."""
    lines = [
        SEPARATOR.join(escape(step[part]["label"]) for part in ("head", "relation", "tail"))
        for step in steps
    ]
    return list(dict.fromkeys(lines))


def walked(walk: Walk) -> Candidate:
    """The candidate that a walk is."""
    reached = end(walk)
    return Candidate(
        topic=walk["topic"],
        steps=walk["steps"],
        answer=reached,
        hypothesis=reached["label"],
        text=spell(walk["topic"], walk["steps"]),
        score=round(walk["score"], 6),
        relevance=round(walk["relevance"], 6),
    )


def claimed(
    kg: KnowledgeGraph, walk: Walk, relation: str | Way, entity: str | None = None
) -> Candidate:
    """What a reply claimed that it was not offered, as a candidate for the verifier to judge.

    A relation of the walk's end, or an entity behind a relation of it; names that nothing in the KG
    has stand for themselves.
    """
    if isinstance(relation, str):
        inverse = relation.startswith("^")
        way = Way(relation=_known(kg, relation.lstrip("^"), relation=True), inverse=inverse)
    else:
        way = relation
    other = _known(kg, entity) if entity is not None else Named(term=unknown_term(""), label="…")
    here = end(walk)
    step = StepRecord(
        head=other if way["inverse"] else here,
        relation=way["relation"],
        tail=here if way["inverse"] else other,
        inverse=way["inverse"],
        verdict="unknown",
    )
    return walked({**walk, "steps": [*walk["steps"], step], "score": 0.0, "relevance": 0.0})


def _known(kg: KnowledgeGraph, name: str, *, relation: bool = False) -> Named:
    terms = kg.labels.named(name, relation=relation) if name else []
    return Named(term=terms[0] if terms else unknown_term(name), label=name)


def _record(named: dict[Term, Named], step: Step) -> StepRecord:
    head, relation, tail = (named[term] for term in step.triple)
    return StepRecord(
        head=head, relation=relation, tail=tail, inverse=step.inverse, verdict="unknown"
    )


def _nearest(ways: list[Way], question: str) -> list[Way]:
    ordered = sorted(ways, key=lambda way: (way["relation"]["label"], way["inverse"]))
    if len(ordered) <= MOST_WAYS:
        return ordered
    scores = BM25Ranker().scores(question, [way["relation"]["label"] for way in ordered])
    best = sorted(range(len(ordered)), key=lambda i: (-round(scores[i], 6), i))[:MOST_WAYS]
    return [ordered[i] for i in sorted(best)]


def chain_candidate(steps: list[StepRecord], answers: Sequence[Answer] = ()) -> Candidate:
    """The record of all that was written, for the verifier to judge."""
    last = steps[-1]["head"] if steps[-1]["inverse"] else steps[-1]["tail"]
    answer = Named(term=answers[0]["term"], label=answers[0]["label"]) if answers else last
    parts = ("head", "relation", "tail")
    texts = [SEPARATOR.join(escape(step[part]["label"]) for part in parts) for step in steps]
    return Candidate(
        topic=steps[0]["tail"] if steps[0]["inverse"] else steps[0]["head"],
        steps=steps,
        answer=answer,
        hypothesis=" and ".join(answer["label"] for answer in answers),
        text=" | ".join(texts),
        score=0.0,
        relevance=1.0 if answers else 0.0,
        form="chain",
    )
