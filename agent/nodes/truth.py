"""Whether the graph says that something is so."""

from collections.abc import Sequence
from itertools import product

from ..conversation.containment import containing, is_in
from ..conversation.lookups import instead, is_worded, relations_called, stated
from ..kg import KnowledgeGraph
from ..kg.terms import Path
from ..state import NOT_UNDERSTOOD, Answer, Entity, Named, Operation, StepRecord
from .checked import checked_paths
from .computed import Computed, sentence, told

NOT_SAID = "The graph does not say so."


def truth(kg: KnowledgeGraph, operation: Operation) -> Computed:
    """Yes with its proof, or what the graph says instead; never no.

    Triples between the two decide whose relation has all words of the statement: what else it says
    cannot be looked up, so it is not said. A statement whose words are those of no relation is not
    understood. Raises ServiceError.
    """
    subject, *others = (mention["candidates"] for mention in operation["named"])
    pairs = list(product(subject, (entity for own in others for entity in own)))
    clause = operation["condition"]
    decide = _contained if is_in(clause) else _stated
    said = next(filter(None, (decide(kg, one, other, clause) for one, other in pairs)), None)
    if said is not None:
        return said
    one, other = pairs[0]
    if not is_worded(clause, relations_called(kg)()):
        note = f'{NOT_UNDERSTOOD}: no relation of the graph is known to say "{clause}"'
        return Computed("abstained", [], [one, other], None, [note])
    known = instead(kg, one["term"], other["term"], clause)
    return _not_said(_checked(kg, known), [one, other])


def _stated(kg: KnowledgeGraph, one: Entity, other: Entity, clause: str) -> Computed | None:
    found = stated(kg, one["term"], other["term"], clause)
    chains = list(checked_paths(kg, found[1]).values()) if found else []
    if found is None or not chains:
        return None
    if found[0] == "so":
        return _yes(chains, [one, other])
    return _not_said([step for chain in chains for step in chain], [one, other])


def _contained(kg: KnowledgeGraph, one: Entity, other: Entity, _clause: str) -> Computed | None:
    known = containing(kg, one, other)
    proofs = checked_paths(kg, [path for path in known if path.end == other["term"]])
    if proofs:
        return _yes(list(proofs.values()), [one, other])
    steps = _checked(kg, known)
    return _not_said(steps, [one, other]) if steps else None


def _checked(kg: KnowledgeGraph, paths: Sequence[Path]) -> list[StepRecord]:
    return [step for chain in checked_paths(kg, paths).values() for step in chain]


def _yes(chains: list[list[StepRecord]], topics: list[Entity]) -> Computed:
    """Yes, with the chains that each prove it, from the first of the topics to the last."""
    other = Named(term=topics[-1]["term"], label=topics[-1]["label"])
    text = f"Yes: {'; '.join(sentence(step) for step in chains[0])}."
    result = told("truth", text, "the graph holds what is asked", value=True)
    answer = Answer(**other, score=1.0, chains=chains)
    return Computed("answered", [answer], topics, result, [], 1.0)


def _not_said(steps: list[StepRecord], topics: list[Entity]) -> Computed:
    said = "; ".join(map(sentence, steps))
    text = f"{NOT_SAID} It says: {said}" if said else NOT_SAID
    how = "no triple that was found says so, which does not make it false"
    return Computed("abstained", [], topics, told("truth", text, how, triples=steps))
