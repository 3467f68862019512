"""The last answers with their chains, for who asks why."""

from collections.abc import Sequence

from ..conversation.turns import last_about
from ..kg import KnowledgeGraph
from ..state import SILENT, Status, Turn
from .checked import checked_answers
from .computed import Computed, told


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
    silent: Status = turn["status"] if turn["status"] in SILENT else "abstained"
    status = "answered" if answers else silent
    return Computed(status, answers, turn["topics"], result, notes, turn["confidence"])
