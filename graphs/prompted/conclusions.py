"""From what an agent gathered to answers: each with the walk from a topic entity that proves it."""

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

from ...agent.answers.question import Conclusion, Question
from ...agent.decoding.plan import Cost
from ...agent.decoding.units import wire_tokens
from ...agent.decoding.wire import PATH
from ...agent.errors import ConstraintError
from ...agent.kg.terms import Term
from ...agent.llm.local import LocalModel
from ...agent.llm.matching import Labels
from ...agent.llm.walk_choices import Crossing, walk_choices
from ...agent.records import Answer, Named, StepRecord
from ..ground import Ground
from .walks import Walk, end, target, walk_names

_Party: TypeAlias = tuple[Term, tuple[tuple[Term, bool], ...]]
"""A topic and the relation path by which walks leave it."""


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
    walks: dict[Term, list[list[StepRecord]]] = {}
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
                walks.setdefault(term, []).append(way)
    return walks


def match_answers(
    names: Sequence[str],
    topics: Sequence[Named],
    steps: Sequence[StepRecord],
    reasoner: str = "",
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
    matches, unsupported = Labels(entity["label"] for entity in known).match(names)
    answers: dict[Term, Answer] = {}
    for first, *_ in matches:
        entity = known[first]
        chains = proven[entity["term"]]
        answers[entity["term"]] = Answer(**entity, score=1.0, chains=chains)
    confidence = 1.0 if answers else 0.0
    return Conclusion(list(answers.values()), unsupported, confidence, reasoner)


def elect(walks: Sequence[Walk], weights: Sequence[float], reasoner: str = "") -> Conclusion:
    """The ends of the walks of the relation path whose best walk weighs most.

    That weight, a probability, is the confidence. Where a relation path from another topic leads to
    some of the same ends, only those are meant. Deterministic: ties go to the shorter, then the
    smaller relation path.
    """
    parties = _parties(walks, weights)
    if not parties:
        return Conclusion(reasoner=reasoner)
    first, *rest = sorted(parties, key=lambda k: (-max(w for _, w in parties[k]), len(k[1]), k))
    answers: dict[Term, Answer] = {}
    for walk, weight in sorted(parties[first], key=lambda p: (-p[1], end(p[0])["term"])):
        entity = end(walk)
        answer = answers.setdefault(entity["term"], Answer(**entity, score=weight, chains=[]))
        answer["chains"].append(walk["steps"])
    joined = {first[0]}
    for topic, relations in rest:
        others = {end(walk)["term"]: walk for walk, _ in parties[topic, relations]}
        common = [term for term in answers if term in others]
        if common and topic not in joined:
            joined.add(topic)
            answers = {term: answers[term] for term in common}
            for term in common:
                answers[term]["chains"].append(others[term]["steps"])
    confidence = max(weight for _, weight in parties[first])
    return Conclusion(list(answers.values()), (), confidence, reasoner)


def _parties(
    walks: Sequence[Walk], weights: Sequence[float]
) -> dict[_Party, list[tuple[Walk, float]]]:
    """The walks that have steps, with their weights, by topic and relation path."""
    parties: dict[_Party, list[tuple[Walk, float]]] = {}
    for walk, weight in zip(walks, weights, strict=True):
        if walk["steps"]:
            relations = tuple((s["relation"]["term"], s["inverse"]) for s in walk["steps"])
            party = parties.setdefault((walk["topic"]["term"], relations), [])
            party.append((walk, round(weight, 6)))
    return parties


LIKELIHOOD = "likelihood form: not the paper's method"
"""The note of an answer that was found so."""


def writes_paths(local: LocalModel) -> bool:
    """Whether a model was trained to write reasoning paths, and not to follow instructions."""
    try:
        wire_tokens(local.tokenizer, PATH)
    except ConstraintError:
        return False
    return True


def weighed(question: Question, ground: Ground, walks: Sequence[Walk]) -> tuple[list[Walk], Cost]:
    """The walks with their relevance, which is their score too, and what it took.

    It is the probability, over the whole vocabulary, that the model begins a path, takes these
    relations and stops. Raises ConstraintError where the model cannot hold prompt and walk.
    """
    choices = walk_choices(ground.local, question.text, question.mentions, ground.prompts)
    names = [walk_names(walk) for walk in walks]
    crossings = [(i, at) for i, walk in enumerate(names) for at in range(1, len(walk), 2)]
    taken = choices.next([Crossing(names[i][:at], [names[i][at]]) for i, at in crossings])
    chances: list[list[float]] = [[weight.relevance] for weight in choices.stops(names)]
    for (i, _), (weight,) in zip(crossings, taken, strict=True):
        chances[i].append(weight.relevance)
    weighted: list[Walk] = [
        {**walk, "score": prod(factors), "relevance": prod(factors)}
        for walk, factors in zip(walks, chances, strict=True)
    ]
    return weighted, choices.cost
