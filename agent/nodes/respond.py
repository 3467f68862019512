"""respond: the answers, or what was computed of them, as a message; or why there is none."""

from collections.abc import Callable

from langgraph.config import get_config
from langgraph.runtime import Runtime

from ..answers.judging import (
    Judged,
    judged,
    not_shown,
    unread_line,
    with_account,
    with_readings,
)
from ..answers.texts import answers_line
from ..conversation.messages import history_of, message_of
from ..conversation.turns import turn_of
from ..options import Options
from ..records import READER, SILENT, Turn, silence
from ..state import State
from . import Node


def respond(threshold: Callable[[Options], float], silent: str = "") -> Node:
    """Say the answers, and remember the turn; what `combine` computed was judged there.

    A greeting or a request for help asks nothing, so it is no turn.

    No more answers are shown than the options want; the turn keeps all for questions about them.
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
        outcome, readings, reading, tree = with_readings(outcome, state)
        if silent and outcome.status in SILENT and state.get("topics"):
            outcome = outcome._replace(notes=[*outcome.notes, silent])
        shown_answers = outcome.answers[: options.max_answers]
        left_out = len(outcome.answers) - len(shown_answers)
        names = answers_line(shown_answers)
        names += f"; and {left_out:,} more" if left_out else ""
        text = result["text"] if result else names or silence(outcome.status, outcome.notes)
        answered_state: State = {
            **state,
            "readings": readings,
            "reading": reading,
            "query_tree": tree,
            "question": state.get("said", state.get("question", "")),
            "status": outcome.status,
            "answers": outcome.answers,
            "notes": outcome.notes,
        }
        turn = turn_of(answered_state, text)
        line = unread_line(answered_state) if outcome.status == "partial" else ""
        reply = f"{line}\n{text}" if line else text
        notes = [*outcome.notes, *not_shown(left_out)]
        shown_turn: Turn = {
            **turn,
            "text": reply,
            "notes": notes,
            "answers": shown_answers,
            "cut": turn["cut"] or left_out > 0,
        }
        message = message_of(shown_turn, reading, result, history_of(get_config()))
        is_courtesy = outcome.status == "introduced"
        runtime.stream_writer({"event": "responded", "status": outcome.status, "text": reply})
        return {
            "question": answered_state.get("question", ""),
            "status": outcome.status,
            "answers": shown_answers,
            "notes": notes,
            "turns": [] if is_courtesy else [turn],
            "messages": [message],
            "readings": readings,
            "reading": reading,
            "query_tree": tree,
        }

    return run


def is_computed(state: State) -> bool:
    """Whether what there is was judged where it was computed, or read as a query."""
    is_read = state.get("reasoner") == READER
    return is_read or state.get("operation") is not None or state.get("query_tree") is not None
