"""What is left of a query once its plain parts are answered, computed over what they came to."""

from collections.abc import Sequence
from dataclasses import replace

from ..errors import QuestionError
from ..kg import KnowledgeGraph
from ..kg.terms import Step, Term
from ..query.execute import execute
from ..query.facts import Facts
from ..query.tree import Last
from ..query.tree import Part as PartStart
from ..state import Part, Reading, Turn
from .basis import steps_of, verified_steps
from .before import before_of
from .computed import Computed
from .judged import SURE, unsure
from .members import stopped_by, topics_of
from .query_answers import Verified, told_outcome
from .run_query import given_query

_HOW = "computed over verified answers"


def rest_of(
    kg: KnowledgeGraph, read: Reading, parts: Sequence[Part], turns: Sequence[Turn]
) -> Computed | None:
    """What a query comes to that a model read; None where the next part is needed.

    Where a part has no answer that is sure enough, nothing is computed, and that part is told. What
    the parts do not say is asked of the graph. Raises ServiceError and ShortageError.
    """
    if stopped := stopped_by(parts):
        return stopped
    if not all("status" in own for own in parts):
        return None
    answers, topics = [own.get("answers", []) for own in parts], topics_of(parts)
    before = before_of(kg, turns)

    def earlier(start: Last | PartStart) -> Sequence[tuple[Term, tuple[Step, ...]]]:
        if isinstance(start, Last):
            return before.answered(start)
        return [(answer["term"], steps_of(answer)) for answer in answers[start.part]]

    bound, _ = given_query(kg, read["query"])
    bound = replace(bound, questions=tuple(own["question"] for own in parts))
    verified = verified_steps([answer for several in answers for answer in several])
    try:
        outcome = execute(Facts(kg), bound, earlier=earlier)
        computed = told_outcome(kg, bound, outcome, Verified(topics, verified, _HOW))
    except QuestionError as error:
        note = f"I read: {read['words']}; {error.message}"
        return Computed("abstained", topics=topics, notes=[note], bound=bound)
    sure = min(read["probability"], *(own.get("confidence", 0.0) for own in parts))
    notes = [*computed.notes, unsure(sure)] if sure < SURE else computed.notes
    return replace(computed, confidence=sure, notes=notes, bound=bound)
