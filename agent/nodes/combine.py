"""combine: executes the rest of the query that was read, over verified answers; never by a model.

It runs before every part of a question, and once more in the end: it keeps what the part before
came to, computes where it can, and else has the next part answered.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter

from langgraph.runtime import Runtime

from ..answers.computed import Computed, Verified, computed_from
from ..answers.judging import SURE, Judged, ambiguity, judged, unsure, with_account, withheld
from ..answers.queries import given_query
from ..conversation.before import before_of
from ..conversation.card import card
from ..conversation.earlier import answers_again, steps_of, verified_steps
from ..conversation.introduction import Introduction, introduced
from ..conversation.turns import last_about
from ..errors import QuestionError, ServiceError, ShortageError
from ..kg import KnowledgeGraph
from ..kg.store import metered
from ..kg.terms import Step, Term
from ..options import Options
from ..query.execute import execute
from ..query.facts import Facts
from ..query.tree import Last
from ..query.tree import Part as PartStart
from ..records import NOT_UNDERSTOOD, Entity, Operation, Part, Reading, Turn, spent
from ..state import State
from . import Node


def combine(
    kg: KnowledgeGraph,
    threshold: Callable[[Options], float],
    introduction: Callable[[], Introduction],
    notes: Sequence[str] = (),
) -> Node:
    """Execute what the operation means over what the parts and earlier turns came to.

    What it adds to their answers is verified here. Where the store did not answer, the status is
    `unchecked`. `introduction` says what the graph holds, and `notes` are those of every question.
    """

    def run(state: State, runtime: Runtime[Options]) -> State:
        since, options = perf_counter(), runtime.context or Options()
        operation, number = state.get("operation"), state.get("part", -1)
        if operation is None:
            return {}
        parts = _settled(state, threshold(options))
        with metered() as meter:
            try:
                outcome = _computed(kg, operation, parts, state, introduction)
            except (ServiceError, ShortageError) as error:
                outcome = Computed("unchecked", notes=[str(error)])
        is_card = operation["kind"] == "card"
        usage = spent(state.get("usage"), since, kg_requests=meter.requests or int(number < 0))
        if outcome is None and number + 1 < len(parts):
            return {"parts": parts, "part": number + 1, "usage": usage}
        computed = _noted(outcome or Computed("abstained"), parts)
        computed = _accounted(computed, state, options)
        result = computed.result
        if result is not None:
            runtime.stream_writer({"event": "computed", "result": result})
        return {
            "parts": parts,
            "part": len(parts),
            "mentions": state.get("mentions", []) if is_card else operation["mentions"],
            "topics": _each_once(computed.topics),
            "answers": computed.answers,
            "confidence": computed.confidence,
            "status": computed.status,
            "result": result,
            "cut": computed.cut,
            **_query_of(operation),
            "notes": list(dict.fromkeys([*notes, *operation["notes"], *computed.notes])),
            "usage": usage,
        }

    return run


def _computed(
    kg: KnowledgeGraph,
    operation: Operation,
    parts: Sequence[Part],
    state: State,
    introduction: Callable[[], Introduction],
) -> Computed | None:
    """The outcome, given the parts, as far as they are answered; None where the next is needed.

    Raises ServiceError where the store does not answer, and ShortageError.
    """
    turns, topics = state.get("turns", []), state.get("topics", [])
    if (read := operation.get("read")) is not None:
        return computed_from_parts(kg, read, parts, turns)
    match operation["kind"]:
        case "card" if topics:
            return card(kg, topics[0], all_facts=operation.get("whole", False))
        case "card":
            return _which_is_meant(operation)
        case "introduction":
            return introduced(introduction(), operation.get("courtesy", "help"))
        case "list":
            return answers_again(kg, turns, members=True)
        case _:
            about = last_about(turns)
            if about is not None and about.get("card") and about["topics"]:
                return card(kg, about["topics"][0])
            return answers_again(kg, turns)


def _which_is_meant(operation: Operation) -> Computed:
    """A name of several entities, where nobody could be asked which one is meant."""
    return Computed("ambiguous", notes=list(map(ambiguity, operation["mentions"])))


def next_part(state: State) -> bool:
    """Whether a part of the question is up."""
    return 0 <= state.get("part", -1) < len(state.get("parts", []))


def _settled(state: State, least: float) -> list[Part]:
    """The parts, with what the one that was answered last came to."""
    parts, number = list(state.get("parts", [])), state.get("part", -1)
    if 0 <= number < len(parts):
        outcome = judged(state, least)
        parts[number] = {
            **parts[number],
            "status": outcome.status,
            "topics": state.get("topics", []),
            "answers": outcome.answers,
            "confidence": state.get("confidence", 0.0),
            "notes": outcome.notes,
            "cut": state.get("cut", False),
        }
    return parts


def _noted(computed: Computed, parts: Sequence[Part]) -> Computed:
    """With the notes of parts that came to nothing, and of what parts leave out."""
    notes = list(computed.notes)
    part_notes = (note for part in parts for note in part.get("notes", []))
    notes += [note for note in part_notes if note.startswith(NOT_UNDERSTOOD)]
    cut = computed.cut
    if any(part.get("cut", False) for part in parts):
        cut = True
        notes.append("a set that this rests on was cut: there may be more")
    if computed.status != "answered":
        for part in parts:
            if part.get("status") != "answered":
                asked = part["question"] + ("" if part["question"].endswith("?") else ":")
                notes += [f"{asked} {note}" for note in part.get("notes", [])]
    return replace(computed, notes=notes, cut=cut)


def _accounted(computed: Computed, state: State, options: Options) -> Computed:
    """With the words that a query leaves out, where a model read one."""
    outcome = Judged(computed.status, computed.answers, computed.notes)
    outcome = with_account(outcome, state.get("account", []), options)
    result = None if outcome.status == "abstained" != computed.status else computed.result
    return replace(computed, **outcome._asdict(), result=result)


def _query_of(operation: Operation) -> State:
    """The query that was executed, and what is asked in words."""
    if (read := operation.get("read")) is None:
        return {"query_tree": None, "reading": ""}
    return {"query_tree": read["query"]["query"], "reading": read["words"]}


def _each_once(entities: Sequence[Entity]) -> list[Entity]:
    return list({entity["term"]: entity for entity in entities}.values())


_HOW = "computed over verified answers"


def computed_from_parts(
    kg: KnowledgeGraph, read: Reading, parts: Sequence[Part], turns: Sequence[Turn]
) -> Computed | None:
    """What a query comes to that a model read; None where the next part is needed.

    Where a part has no answer that is sure enough, nothing is computed, and that part is told. What
    the parts do not say is asked of the graph. Raises ServiceError and ShortageError.
    """
    if stopped := _stopped_by(parts):
        return stopped
    if not all("status" in part for part in parts):
        return None
    answers, topics = [part.get("answers", []) for part in parts], _topics_of(parts)
    before = before_of(kg, turns)

    def earlier(start: Last | PartStart) -> Sequence[tuple[Term, tuple[Step, ...]]]:
        if isinstance(start, Last):
            return before.answered(start)
        return [(answer["term"], steps_of(answer)) for answer in answers[start.part]]

    bound, _ = given_query(kg, read["query"])
    bound = replace(bound, questions=tuple(part["question"] for part in parts))
    verified = verified_steps([answer for of_part in answers for answer in of_part])
    try:
        outcome = execute(Facts(kg), bound, earlier=earlier)
        computed = computed_from(kg, bound, outcome, Verified(topics, verified, _HOW))
    except QuestionError as error:
        note = f"I read: {read['words']}; {error.message}"
        return Computed("abstained", topics=topics, notes=[note])
    sure = min(read["probability"], *(part.get("confidence", 0.0) for part in parts))
    notes = [*computed.notes, unsure(sure)] if sure < SURE else computed.notes
    return replace(computed, confidence=sure, notes=notes)


def _stopped_by(parts: Sequence[Part]) -> Computed | None:
    """What parts come to of which the last one has no answer, or some are too doubtful.

    None where nothing keeps them from being computed with.
    """
    answered = [part for part in parts if "status" in part]
    if answered and (failed := answered[-1]).get("status") != "answered":
        status = failed.get("status", "abstained")
        why = "not sure enough" if status == "unsure" else "the graph does not say"
        notes = [f"{why}: {failed['question']}"]
        return Computed(status, topics=_topics_of(answered), notes=notes)
    if len(answered) == len(parts) > 1 and (unsure := [part for part in parts if _is_unsure(part)]):
        notes = [_unsure_of(part) for part in unsure]
        least = min(part.get("confidence", 0.0) for part in unsure)
        return Computed(withheld(least, SURE), topics=_topics_of(answered), notes=notes)
    return None


def _is_unsure(part: Part) -> bool:
    """Whether what a part came to is too doubtful to compute with."""
    return part.get("confidence", 0.0) < SURE


def _unsure_of(part: Part) -> str:
    """Why nothing is computed of an unsure part."""
    confidence = part.get("confidence", 0.0)
    return f"not sure enough to compute with ({confidence:.2f}): {part['question']}"


def _topics_of(parts: Sequence[Part]) -> list[Entity]:
    """The entities that parts begin at."""
    return [topic for part in parts for topic in part.get("topics", [])]
