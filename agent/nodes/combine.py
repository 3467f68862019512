"""combine: executes the rest of the query that was read, over verified answers; never by a model.

It runs before every part of a question, and once more in the end: it keeps what the part before
came to, computes where it can, and else has the next part answered.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from langgraph.runtime import Runtime

from ..conversation.turns import is_cut
from ..errors import ServiceError, ShortageError
from ..kg import KnowledgeGraph
from ..kg.metering import metered
from ..options import Options
from ..state import NOT_UNDERSTOOD, Entity, Operation, Part, State, Turn
from . import Node
from .again import again
from .computed import Computed
from .judged import Judged, judged, with_account
from .rest import rest_of
from .usage import spent


def combine(
    kg: KnowledgeGraph, threshold: Callable[[Options], float], told: Sequence[str] = ()
) -> Node:
    """Execute what the operation means over what the parts and earlier turns came to.

    What it adds to their answers is verified here. Where the store did not answer, the status is
    `unchecked`. `told` are notes of every question.
    """

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since, options = perf_counter(), runtime.context or Options()
        operation, place = state.get("operation"), state.get("part", -1)
        if operation is None:
            return {}
        parts = _settled(state, threshold(options))
        with metered() as meter:
            try:
                found = _computed(kg, operation, parts, state.get("turns", []))
            except (ServiceError, ShortageError) as error:
                found = Computed("unchecked", notes=[str(error)])
        usage = spent(state, since, kg_requests=meter.requests or int(place < 0))
        if found is None and place + 1 < len(parts):
            return {"parts": parts, "part": place + 1, "usage": usage}
        computed = _noted(found or Computed("abstained"), operation, parts)
        computed = _accounted(computed, state, options)
        result = computed.result
        if result is not None:
            runtime.stream_writer({"event": "computed", "result": result})
        return {
            "parts": parts,
            "part": len(parts),
            "mentions": operation["mentions"],
            "topics": _each_once(computed.topics),
            "answers": computed.answers,
            "confidence": computed.confidence,
            "status": computed.status,
            "result": result,
            **_query_of(operation),
            "notes": list(dict.fromkeys([*told, *operation["notes"], *computed.notes])),
            "usage": usage,
        }

    return run


def _computed(
    kg: KnowledgeGraph, operation: Operation, parts: Sequence[Part], turns: Sequence[Turn]
) -> Computed | None:
    """The outcome, given the parts, as far as they are answered; None where the next is needed.

    Raises ServiceError where the store does not answer, and ShortageError.
    """
    if (read := operation.get("read")) is None:
        return again(kg, turns)
    return rest_of(kg, read, parts, turns)


def next_part(state: State) -> bool:
    """Whether a part of the question is up."""
    return 0 <= state.get("part", -1) < len(state.get("parts", []))


def _settled(state: State, least: float) -> list[Part]:
    """The parts, with what the one that was answered last came to."""
    parts, place = list(state.get("parts", [])), state.get("part", -1)
    if 0 <= place < len(parts):
        own = judged(state, least)
        parts[place] = {
            **parts[place],
            "status": own.status,
            "topics": state.get("topics", []),
            "answers": own.answers,
            "confidence": state.get("confidence", 0.0),
            "notes": own.notes,
        }
    return parts


def _noted(computed: Computed, operation: Operation, parts: Sequence[Part]) -> Computed:
    """With the notes of parts that came to nothing, and of what parts leave out."""
    notes = list(computed.notes)
    told = (note for part in parts for note in part.get("notes", []))
    notes += [note for note in told if note.startswith(NOT_UNDERSTOOD)]
    if any(is_cut(part.get("notes", [])) for part in parts):
        notes.append("a set that this rests on was cut: there may be more")
    if computed.status != "answered":
        for part in parts:
            if part.get("status") != "answered":
                asked = part["question"] + ("" if part["question"].endswith("?") else ":")
                notes += [f"{asked} {note}" for note in part.get("notes", [])]
    return replace(computed, notes=notes)


def _accounted(computed: Computed, state: State, options: Options) -> Computed:
    """With the words that a query leaves out, where a model read one."""
    own = Judged(computed.status, computed.answers, computed.notes)
    own = with_account(own, state.get("account", []), options)
    result = None if own.status == "abstained" != computed.status else computed.result
    return replace(computed, **own._asdict(), result=result)


def _query_of(operation: Operation) -> dict[str, Any]:
    """The query that was executed, and what is asked in words."""
    if (read := operation.get("read")) is None:
        return {"query_tree": None, "reading": ""}
    return {"query_tree": read["query"]["query"], "reading": read["words"]}


def _each_once(entities: Sequence[Entity]) -> list[Entity]:
    return list({entity["term"]: entity for entity in entities}.values())
