"""Whether the graph says that something is so."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from ..conversation.containment import containing, is_in
from ..conversation.lookups import instead, leading, said_steps, stated, worded
from ..conversation.trees import statement
from ..kg import KnowledgeGraph
from ..kg.terms import Path
from ..query.binding import Mention
from ..query.tree import Step
from ..state import NOT_UNDERSTOOD, Entity, Operation, StepRecord
from .basis import Basis, executed
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
    relations = worded(kg, clause)
    if not relations:
        note = f'{NOT_UNDERSTOOD}: no relation of the graph is known to say "{clause}"'
        return Computed("abstained", [], [one, other], None, [note])
    known = instead(kg, one["term"], other["term"], clause)
    return _said(kg, [one, other], said_steps(kg, relations, clause), known)


def _stated(kg: KnowledgeGraph, one: Entity, other: Entity, clause: str) -> Computed | None:
    found = stated(kg, one["term"], other["term"], clause)
    if found is None:
        return None
    is_so, paths = found[0] == "so", found[1]
    steps = leading(kg, paths)
    if not is_so:
        steps = [own.model_copy(update={"inverse": not own.inverse}) for own in steps]
    said = _said(kg, [one, other], steps, [] if is_so else paths)
    return said if is_so == (said.status == "answered") and (is_so or _tells(said)) else None


def _contained(kg: KnowledgeGraph, one: Entity, other: Entity, _clause: str) -> Computed | None:
    known = containing(kg, one, other)
    if not known:
        return None
    said = _said(kg, [one, other], leading(kg, known), known)
    return said if _tells(said) else None


def _tells(said: Computed) -> bool:
    """Whether there is a proof, or something that the graph says instead."""
    return bool(said.answers or (said.result and said.result["triples"]))


def _said(
    kg: KnowledgeGraph, topics: list[Entity], steps: Sequence[Step], known: Sequence[Path]
) -> Computed:
    """Whether any of the steps leads from the first topic to the last; else what is known."""
    found = Computed("abstained", topics=topics)
    if steps:
        mentions = tuple(Mention(own["label"], own["term"]) for own in topics)
        basis = Basis(statement(steps), topics, 1.0, mentions=mentions)
        found = executed(kg, basis, basis.query)
    result, answers = found.result, found.answers
    if result is None or not answers or result["value"] is not True:
        chains = checked_paths(kg, known).values()
        return _not_said([step for chain in chains for step in chain], found)
    answers = [{**answer, "label": topics[-1]["label"]} for answer in answers]
    how = "the graph holds what is asked"
    return replace(found, answers=answers, result={**result, "how": how, "triples": []})


def _not_said(steps: list[StepRecord], found: Computed) -> Computed:
    said = "; ".join(map(sentence, steps))
    text = f"{NOT_SAID} It says: {said}" if said else NOT_SAID
    how = "no triple that was found says so, which does not make it false"
    result = told("truth", text, how, triples=steps)
    return replace(found, status="abstained", answers=[], result=result, notes=[], confidence=0.0)
