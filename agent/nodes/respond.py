"""respond: the answers, or what was computed of them, as a message; or why there is none."""

from collections.abc import Callable
from typing import Any

from langgraph.runtime import Runtime

from ..conversation.turns import turn_of
from ..options import Options
from ..state import READER, SILENT, State, silence
from . import Node
from .history import message_of
from .judged import Judged, judged, with_account


def respond(threshold: Callable[[Options], float], silent: str = "") -> Node:
    """Say the answers, and remember the turn; what `combine` computed was judged there.

    `silent` is a note where entities are known but no answer is.
    """

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        result, options = state.get("result"), runtime.context or Options()
        if is_computed(state):
            notes = list(state.get("notes", []))
            own = Judged(state.get("status", "abstained"), state.get("answers", []), notes)
        else:
            own = judged(state, threshold(options))
            own = with_account(own, state.get("account", []), options)
        if silent and own.status in SILENT and state.get("topics"):
            own = own._replace(notes=[*own.notes, silent])
        listed = "; ".join(answer["label"] for answer in own.answers)
        text = result["text"] if result else listed or silence(own.status)
        runtime.stream_writer({"event": "responded", "status": own.status, "text": text})
        said: State = {
            "question": state.get("said", state.get("question", "")),
            "status": own.status,
            "answers": own.answers,
            "notes": own.notes,
        }
        turn = turn_of({**state, **said}, text)
        return {**said, "turns": [turn], "messages": [message_of(turn)]}

    return run


def is_computed(state: State) -> bool:
    """Whether what there is was judged where it was computed, or read as a query."""
    is_read = state.get("reasoner") == READER
    return is_read or state.get("operation") is not None or state.get("query_tree") is not None
