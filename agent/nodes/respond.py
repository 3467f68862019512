"""respond: the answers, or what was computed of them, as a message; or why there is none."""

from collections.abc import Callable

from langgraph.runtime import Runtime

from ..answers.judging import Judged, judged, with_account
from ..conversation.messages import message_of
from ..conversation.turns import turn_of
from ..options import Options
from ..records import READER, SILENT, silence
from ..state import State
from . import Node


def respond(threshold: Callable[[Options], float], silent: str = "") -> Node:
    """Say the answers, and remember the turn; what `combine` computed was judged there.

    `silent` is a note where entities are known but no answer is.
    """

    def run(state: State, runtime: Runtime[Options]) -> State:
        result, options = state.get("result"), runtime.context or Options()
        if is_computed(state):
            notes = list(state.get("notes", []))
            outcome = Judged(state.get("status", "abstained"), state.get("answers", []), notes)
        else:
            outcome = judged(state, threshold(options))
            outcome = with_account(outcome, state.get("account", []), options)
        if silent and outcome.status in SILENT and state.get("topics"):
            outcome = outcome._replace(notes=[*outcome.notes, silent])
        listed = "; ".join(answer["label"] for answer in outcome.answers)
        text = result["text"] if result else listed or silence(outcome.status)
        runtime.stream_writer({"event": "responded", "status": outcome.status, "text": text})
        changes: State = {
            "question": state.get("said", state.get("question", "")),
            "status": outcome.status,
            "answers": outcome.answers,
            "notes": outcome.notes,
        }
        turn = turn_of({**state, **changes}, text)
        message = message_of(turn, state.get("reading", ""))
        return {**changes, "turns": [turn], "messages": [message]}

    return run


def is_computed(state: State) -> bool:
    """Whether what there is was judged where it was computed, or read as a query."""
    is_read = state.get("reasoner") == READER
    return is_read or state.get("operation") is not None or state.get("query_tree") is not None
