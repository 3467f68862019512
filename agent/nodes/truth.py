"""Whether the graph says that something is so."""

from collections.abc import Sequence
from itertools import product

from ..conversation.lookups import stated
from ..kg import KnowledgeGraph
from ..state import Answer, Entity, Named, Operation, Part, StepRecord
from .checked import checked_paths
from .computed import Computed, listed, sentence, told

NOT_SAID = "The graph does not say so."


def truth(kg: KnowledgeGraph, operation: Operation, parts: Sequence[Part]) -> Computed | None:
    """Yes with its proof, or what the graph says instead; never no.

    Triples between the two that have a relation of the statement's words decide, and where there
    are none the answers of the part; None where that is not answered yet. Raises ServiceError.
    """
    subject, *others = (mention["candidates"] for mention in operation["named"])
    topics = [subject[0], *(own[0] for own in others)]
    (part,) = parts
    if "status" not in part:
        pairs = product(subject, (entity for own in others for entity in own))
        found = (_stated(kg, one, other, operation["condition"]) for one, other in pairs)
        return next(filter(None, found), None)
    if part.get("status") != "answered":
        status = part.get("status", "abstained")
        if status == "abstained":
            return _not_said([], topics)
        return Computed(status, topics=topics)
    meant = {entity["term"] for entity in subject}
    answers, confidence = part.get("answers", []), part.get("confidence", 0.0)
    for answer in answers:
        if answer["term"] in meant:
            return _yes(answer, part.get("topics", []), confidence)
    steps = [step for answer in answers for chain in answer["chains"] for step in chain]
    says = f"{part['question']} {listed(answers)}"
    return _not_said(steps, topics, says)


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


def _not_said(steps: list[StepRecord], topics: list[Entity], says: str = "") -> Computed:
    instead = says or "; ".join(map(sentence, steps))
    text = f"{NOT_SAID} It says: {instead}" if instead else NOT_SAID
    how = "no triple that was found says so, which does not make it false"
    return Computed("abstained", [], topics, told("truth", text, how, triples=steps))
