"""Earlier answers of the thread: shown again, or those of them of which something holds."""

from collections.abc import Sequence
from dataclasses import replace

from ..conversation.lookups import connecting
from ..conversation.sources import joined, less, walks
from ..conversation.trees import LAST as LAST_ANSWERS
from ..conversation.trees import part, some_of_last, touching
from ..conversation.turns import last_about, last_answered, last_set
from ..kg import KnowledgeGraph
from ..state import Answer, Entity, Operation, Part, Source, Turn
from .basis import LAST, Basis, executed, mention_of, said
from .checked import checked_answers, start_of
from .computed import Computed, told
from .members import is_unsure, unsure_of


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
) -> Basis | Computed | None:
    """Those of the last answers of which the condition holds.

    By triples between them and what it names, where there are any of its words; else by the answers
    of the part: None where that is not answered yet. Raises ServiceError.
    """
    turn = last_set(turns) if _is_some(operation) else last_answered(turns)
    if turn is None:
        return Computed("abstained", notes=["there is no earlier answer"])
    if turn.get("empty"):
        how = "the last result has no members that the graph says"
        return replace(_last(turn, []), how=said(how), is_empty=True)
    last = _last(turn, checked_answers(kg, turn["topics"], turn["answers"]))
    if not operation["condition"]:
        return last
    answered = [own for own in parts if "status" in own]
    if not answered:
        return _by_triples(kg, operation, last)
    own = answered[-1]
    status, topics = own.get("status", "abstained"), own.get("topics", [])
    if status != "answered":
        return Computed(status, topics=last.topics)
    if is_unsure(own):
        return Computed("abstained", topics=last.topics, notes=[unsure_of(own)])
    made = replace(
        last,
        query=some_of_last(part(len(answered) - 1), negated=operation["negated"]),
        topics=[*last.topics, *topics],
        confidence=min(last.confidence, own.get("confidence", 0.0)),
        answered={**last.answered, len(answered) - 1: own.get("answers", [])},
        questions=tuple(one["question"] for one in answered),
    )
    return _some(operation, made, walks(topics, own.get("answers", [])))


def _last(turn: Turn, answers: list[Answer]) -> Basis:
    """The answers of a turn."""
    notes = ["the last answers were cut: there may be more"] if turn["cut"] else []
    return Basis(
        query=LAST_ANSWERS,
        topics=turn["topics"],
        confidence=turn["confidence"],
        answered={LAST: answers},
        source=turn.get("source"),
        notes=[] if turn.get("empty") else notes,
    )


def _some(operation: Operation, made: Basis, condition: Source) -> Basis:
    """With how it was made: of the last answers those of which a condition holds, or does not."""
    size, source = len(made.answered[LAST]), made.source
    if operation["negated"]:
        how = f"of {size} earlier answers, of which the graph does not say it"
        return replace(made, how=said(how, counted=True), source=less(source, [condition]))
    how = f"of {size} earlier answers"
    return replace(made, how=said(how, counted=True), source=joined("both", [source, condition]))


def _is_some(operation: Operation) -> bool:
    """Whether some of several answers are asked for, and so a set is meant."""
    return bool(operation["condition"]) or operation["kind"] == "extreme"


def _by_triples(kg: KnowledgeGraph, operation: Operation, last: Basis) -> Basis | None:
    """By triples with what the condition names; None where none of its words connects any."""
    members = [answer["term"] for answer in last.answered[LAST]]
    for mention in operation["named"]:
        for entity in mention["candidates"]:
            steps = connecting(kg, members, entity["term"], operation["condition"])
            if not steps:
                continue
            made = replace(
                last,
                query=touching(steps),
                mentions=(mention_of(mention, entity),),
                topics=[*last.topics, entity],
            )
            if kept := executed(kg, made, made.query).answers:
                if operation["negated"]:
                    made = replace(made, query=some_of_last(made.query, negated=True))
                condition = walks([entity], [_from(answer, entity) for answer in kept])
                return _some(operation, made, condition)
    return None


def _from(answer: Answer, start: Entity) -> Answer:
    """An answer with those of its chains that lead from an entity."""
    chains = [chain for chain in answer["chains"] if chain and start_of(chain) == start["term"]]
    return {**answer, "chains": chains}
