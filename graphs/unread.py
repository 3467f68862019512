"""The words of a question that its query leaves out, and how they are told."""

from collections.abc import Sequence

from ..agent.state import NOT_UNDERSTOOD, State, Word

UNREAD = "unread"


def unread_words(account: Sequence[Word]) -> list[str]:
    """The words that the query makes nothing of; those that stand side by side are one text."""
    spans = list[tuple[str, int]]()
    for word in account:
        if word["used_by"] != UNREAD:
            continue
        if spans and word["start"] == spans[-1][1] + 1:
            spans[-1] = (f"{spans[-1][0]} {word['text']}", word["end"])
        else:
            spans.append((word["text"], word["end"]))
    return [text for text, _ in spans]


def unread_line(state: State) -> str:
    """What is told before an answer that leaves words unread; empty where nothing is left out."""
    words = unread_words(state.get("account", []))
    if words and state.get("status") != "answered":
        quoted = ", ".join(f'"{word}"' for word in words)
        return f"{NOT_UNDERSTOOD}: {quoted}"
    if state.get("status") == "partial":
        return f"{NOT_UNDERSTOOD}: a part of the question"
    return ""


def other_notes(state: State) -> list[str]:
    """The notes, but the one that `unread_line` tells already."""
    line = unread_line(state)
    return [note for note in state.get("notes", []) if note != line]
