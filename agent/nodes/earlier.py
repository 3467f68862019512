"""Earlier answers of the thread: shown again, or those of them of which something holds."""

from collections.abc import Sequence
from dataclasses import replace

from ..conversation.computing import with_chains
from ..conversation.lookups import between, fitting
from ..conversation.sources import joined, less, walks
from ..conversation.turns import last_about, last_answered, last_set
from ..kg import KnowledgeGraph
from ..kg.terms import Term
from ..state import Answer, Entity, Operation, Part, StepRecord, Turn
from .checked import checked_answers, checked_paths, start_of
from .computed import Computed, told
from .members import is_unsure, listing, unsure_of


def again(kg: KnowledgeGraph, turns: Sequence[Turn]) -> Computed:
    """The last turn's answers with their chains, looked up again. Raises ServiceError."""
    turn = last_about(turns)
    if turn is None:
        return Computed("abstained", notes=["there is no earlier answer"])
    answers = checked_answers(kg, turn["topics"], turn["answers"])
    lost = len(turn["answers"]) - len(answers)
    notes = list(turn["notes"])
    if lost:
        notes.append(f"{lost} of its answers are no longer in the graph")
    text = "; ".join(answer["label"] for answer in answers) if lost else turn["text"]
    result = told("why", text, "the chains of the last answer, looked up again")
    status = "answered" if answers else "abstained"
    found = Computed(status, answers, turn["topics"], result, notes, turn["confidence"])
    return replace(found, source=turn.get("source"))


def earlier_members(
    kg: KnowledgeGraph, operation: Operation, parts: Sequence[Part], turns: Sequence[Turn]
) -> Computed | None:
    """Those of the last answers of which the condition holds.

    By triples between them and what it names, where there are any of its words; else by the answers
    of the part: None where that is not answered yet. Raises ServiceError.
    """
    turn = last_set(turns) if _is_some(operation) else last_answered(turns)
    if turn is None:
        return Computed("abstained", notes=["there is no earlier answer"])
    if turn.get("empty"):
        return _none_of(operation, turn)
    members = checked_answers(kg, turn["topics"], turn["answers"])
    topics, confidence = turn["topics"], turn["confidence"]
    notes = ["the last answers were cut: there may be more"] if turn["cut"] else []
    if not operation["condition"]:
        found = Computed("answered", members, topics, None, notes, confidence)
        return replace(found, source=turn.get("source"))
    answered = [part for part in parts if "status" in part]
    if answered:
        part = answered[-1]
        status = part.get("status", "abstained")
        if status != "answered":
            return Computed(status, topics=topics)
        if is_unsure(part):
            return Computed("abstained", topics=topics, notes=[unsure_of(part)])
        said = {answer["term"]: answer["chains"] for answer in part.get("answers", [])}
        condition = walks(part.get("topics", []), part.get("answers", []))
        kept = [with_chains(m, said[m["term"]]) for m in members if m["term"] in said]
        others, confidence = part.get("topics", []), min(confidence, part.get("confidence", 0.0))
    else:
        kept, others = _by_triples(kg, operation, members)
        if not kept:
            return None
        proofs = [_from(answer, others) for answer in kept]
        condition = walks(others, proofs)
    how = f"{len(kept)} of {len(members)} earlier answers"
    source = joined("both", [turn.get("source"), condition])
    if operation["negated"]:
        out = {answer["term"] for answer in kept}
        kept = [member for member in members if member["term"] not in out]
        how = f"{len(kept)} of {len(members)} earlier answers, of which the graph does not say it"
        source = less(turn.get("source"), [condition])
    return listing(kept, [*topics, *others], how, confidence, source, notes)


def _none_of(operation: Operation, turn: Turn) -> Computed:
    """What is said of a set without members."""
    how = "the last result has no members that the graph says"
    if operation["kind"] != "count":
        return listing([], turn["topics"], how, turn["confidence"], turn.get("source"))
    result = told("count", "0 of the last result", how, value=0)
    found = Computed("abstained", [], turn["topics"], result, [], turn["confidence"])
    return replace(found, source=turn.get("source"))


def _from(answer: Answer, starts: Sequence[Entity]) -> Answer:
    """An answer with those of its chains that lead from some entities."""
    terms = {start["term"] for start in starts}
    return {**answer, "chains": [c for c in answer["chains"] if c and start_of(c) in terms]}


def _is_some(operation: Operation) -> bool:
    """Whether some of several answers are asked for, and so a set is meant."""
    return bool(operation["condition"]) or operation["kind"] == "extreme"


def _by_triples(
    kg: KnowledgeGraph, operation: Operation, members: Sequence[Answer]
) -> tuple[list[Answer], list[Entity]]:
    """The members that triples connect with what the condition names, and that entity."""
    for entity in (e for mention in operation["named"] for e in mention["candidates"]):
        if kept := _touching(kg, members, entity["term"], operation["condition"]):
            return kept, [entity]
    return [], []


def _touching(
    kg: KnowledgeGraph, members: Sequence[Answer], entity: Term, condition: str
) -> list[Answer]:
    around = between(kg, [member["term"] for member in members], entity)
    relations = {path.steps[0].triple.relation for own in around.values() for path in own}
    fits = fitting(kg, relations, condition)
    paths = [p for own in around.values() for p in own if p.steps[0].triple.relation in fits]
    chains: dict[Term, list[list[StepRecord]]] = {}
    for path, steps in checked_paths(kg, paths).items():
        chains.setdefault(path.end, []).append(steps)
    return [with_chains(m, chains[m["term"]]) for m in members if m["term"] in chains]
