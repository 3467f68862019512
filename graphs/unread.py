"""What is told of the words of a question that its query leaves out."""

from ..agent.query.account import unread
from ..agent.state import State, words_left_out


def unread_line(state: State) -> str:
    """What is told before an answer that leaves words unread; empty where nothing is left out."""
    words = unread(state.get("account", []))
    return words_left_out(words) if words and state.get("status") != "answered" else ""


def other_notes(state: State) -> list[str]:
    """The notes, but the one that `unread_line` tells already."""
    line = unread_line(state)
    return [note for note in state.get("notes", []) if note != line]
