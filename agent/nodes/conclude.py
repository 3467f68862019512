"""From what an agent gathered to answers: each with the walk from a topic entity that proves it."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from ..kg.terms import Term
from ..llm.matching import Labels
from ..state import Answer, Named, StepRecord
from .explore import Walk, end, target

_Party: TypeAlias = tuple[Term, tuple[tuple[Term, bool], ...]]
"""A topic and the relation path by which walks leave it."""


class Conclusion(NamedTuple):
    """Answers with their chains, what is only asserted, and how sure that is."""

    answers: list[Answer]
    unsupported: list[str]
    confidence: float


def proofs(
    topics: Sequence[Named], steps: Sequence[StepRecord]
) -> dict[Term, list[list[StepRecord]]]:
    """For each entity that the triples reach, a shortest walk from every topic that reaches it.

    Triples may be walked from either end. Of several walks of a length, the one whose triples come
    first in `steps` is taken.
    """
    around: dict[Term, list[StepRecord]] = {}
    for step in steps:
        for inverse in (False, True):
            source = step["tail"] if inverse else step["head"]
            around.setdefault(source["term"], []).append({**step, "inverse": inverse})
    found: dict[Term, list[list[StepRecord]]] = {}
    for topic in topics:
        ways: dict[Term, list[StepRecord]] = {topic["term"]: []}
        level = [topic["term"]]
        while level:
            reached = list[Term]()
            for node in level:
                for step in around.get(node, ()):
                    term = target(step)["term"]
                    if term not in ways:
                        ways[term] = [*ways[node], step]
                        reached.append(term)
            level = reached
        for term, way in ways.items():
            if way:
                found.setdefault(term, []).append(way)
    return found


def match_answers(
    names: Sequence[str], topics: Sequence[Named], steps: Sequence[StepRecord]
) -> Conclusion:
    """The names that entities of the gathered triples have, as answers; the others are asserted.

    A line that is no entity's name is also read as a list of names.
    """
    proven = proofs(topics, steps)
    entities: dict[Term, Named] = {}
    for step in steps:
        for entity in (step["head"], step["tail"]):
            if entity["term"] in proven:
                entities.setdefault(entity["term"], entity)
    known = list(entities.values())
    found, unsupported = Labels(entity["label"] for entity in known).match(names)
    answers: dict[Term, Answer] = {}
    for first, *_ in found:
        entity = known[first]
        chains = proven[entity["term"]]
        answers[entity["term"]] = Answer(**entity, score=1.0, chains=chains)
    return Conclusion(list(answers.values()), unsupported, 1.0 if answers else 0.0)


def elect(walks: Sequence[Walk], weights: Sequence[float]) -> Conclusion:
    """The ends of the walks of the relation path whose best walk weighs most.

    That weight, a probability, is the confidence. Where a relation path from another topic leads to
    some of the same ends, only those are meant. Deterministic: ties go to the shorter, then the
    smaller relation path.
    """
    parties: dict[_Party, list[tuple[Walk, float]]] = {}
    for walk, weight in zip(walks, weights, strict=True):
        if walk["steps"]:
            relations = tuple((s["relation"]["term"], s["inverse"]) for s in walk["steps"])
            party = parties.setdefault((walk["topic"]["term"], relations), [])
            party.append((walk, round(weight, 6)))
    if not parties:
        return Conclusion([], [], 0.0)
    ordered = sorted(parties, key=lambda k: (-max(w for _, w in parties[k]), len(k[1]), k))
    answers: dict[Term, Answer] = {}
    for walk, weight in sorted(parties[ordered[0]], key=lambda p: (-p[1], end(p[0])["term"])):
        entity = end(walk)
        answer = answers.setdefault(entity["term"], Answer(**entity, score=weight, chains=[]))
        answer["chains"].append(walk["steps"])
    joined = {ordered[0][0]}
    for topic, relations in ordered[1:]:
        others = {end(walk)["term"]: walk for walk, _ in parties[topic, relations]}
        common = [term for term in answers if term in others]
        if common and topic not in joined:
            joined.add(topic)
            answers = {term: answers[term] for term in common}
            for term in common:
                answers[term]["chains"].append(others[term]["steps"])
    confidence = max(weight for _, weight in parties[ordered[0]])
    return Conclusion(list(answers.values()), [], confidence)
