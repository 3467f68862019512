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
from ..state import Entity, Part, Reading, Turn
from .answer_steps import steps_of, verified_steps
from .before import before_of
from .computed import Computed
from .judged import SURE, unsure, withheld
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
    if stopped := _stopped_by(parts):
        return stopped
    if not all("status" in own for own in parts):
        return None
    answers, topics = [own.get("answers", []) for own in parts], _topics_of(parts)
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
        return Computed("abstained", topics=topics, notes=[note])
    sure = min(read["probability"], *(own.get("confidence", 0.0) for own in parts))
    notes = [*computed.notes, unsure(sure)] if sure < SURE else computed.notes
    return replace(computed, confidence=sure, notes=notes)


def _stopped_by(parts: Sequence[Part]) -> Computed | None:
    """What parts come to of which the last one has no answer, or some are too doubtful.

    None where nothing keeps them from being computed with.
    """
    answered = [own for own in parts if "status" in own]
    if answered and (failed := answered[-1]).get("status") != "answered":
        status = failed.get("status", "abstained")
        why = "not sure enough" if status == "unsure" else "the graph does not say"
        notes = [f"{why}: {failed['question']}"]
        return Computed(status, topics=_topics_of(answered), notes=notes)
    if len(answered) == len(parts) > 1 and (unsure := [own for own in parts if _is_unsure(own)]):
        notes = [_unsure_of(own) for own in unsure]
        least = min(own.get("confidence", 0.0) for own in unsure)
        return Computed(withheld(least, SURE), topics=_topics_of(answered), notes=notes)
    return None


def _is_unsure(own: Part) -> bool:
    """Whether what a part came to is too doubtful to compute with."""
    return own.get("confidence", 0.0) < SURE


def _unsure_of(own: Part) -> str:
    """Why nothing is computed of an unsure part."""
    confidence = own.get("confidence", 0.0)
    return f"not sure enough to compute with ({confidence:.2f}): {own['question']}"


def _topics_of(parts: Sequence[Part]) -> list[Entity]:
    """The entities that parts begin at."""
    return [topic for own in parts for topic in own.get("topics", [])]
