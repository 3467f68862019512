"""Whether the graph says that something is so."""

from itertools import product

from ..conversation.lookups import instead, stated
from ..kg import KnowledgeGraph
from ..state import Answer, Entity, Named, Operation, StepRecord
from .checked import checked_paths
from .computed import Computed, sentence, told

NOT_SAID = "The graph does not say so."


def truth(kg: KnowledgeGraph, operation: Operation) -> Computed:
    """Yes with its proof, or what the graph says instead; never no.

    Triples between the two decide whose relation has all words of the statement: what else it says
    cannot be looked up, so it is not said. Raises ServiceError.
    """
    subject, *others = (mention["candidates"] for mention in operation["named"])
    pairs = list(product(subject, (entity for own in others for entity in own)))
    found = (_stated(kg, one, other, operation["condition"]) for one, other in pairs)
    said = next(filter(None, found), None)
    if said is not None:
        return said
    one, other = pairs[0]
    known = instead(kg, one["term"], other["term"], operation["condition"])
    steps = [step for chain in checked_paths(kg, known).values() for step in chain]
    return _not_said(steps, [one, other])


def _stated(kg: KnowledgeGraph, one: Entity, other: Entity, clause: str) -> Computed | None:
    found = stated(kg, one["term"], other["term"], clause)
    chains = list(checked_paths(kg, found[1]).values()) if found else []
    if found is None or not chains:
        return None
    if found[0] == "so":
        named = Named(term=other["term"], label=other["label"])
        return _yes(Answer(**named, score=1.0, chains=chains), [one, other], 1.0)
    return _not_said([step for chain in chains for step in chain], [one, other])


def _yes(answer: Answer, topics: list[Entity], confidence: float) -> Computed:
    proof = answer["chains"][0]
    text = f"Yes: {'; '.join(sentence(step) for step in proof)}."
    result = told("truth", text, "the graph holds what is asked", value=True)
    return Computed("answered", [answer], topics, result, [], confidence)


def _not_said(steps: list[StepRecord], topics: list[Entity]) -> Computed:
    said = "; ".join(map(sentence, steps))
    text = f"{NOT_SAID} It says: {said}" if said else NOT_SAID
    how = "no triple that was found says so, which does not make it false"
    return Computed("abstained", [], topics, told("truth", text, how, triples=steps))
