"""What a thread remembers of a question, and finding it again."""

from collections.abc import Sequence
from typing import Any

from ..records import Answer, StepRecord, Turn
from ..state import State

_MOST_ANSWERS = 200
MOST_CHAINS = 200
"""Chains that a turn keeps; every answer keeps one before any keeps a second."""


def turn_of(state: State, text: str) -> Turn:
    """The record of a question that was answered, or not, with `text`."""
    answers = state.get("answers", [])
    kept_answers = bounded(answers)
    operation = state.get("operation")
    return Turn(
        number=max((turn["number"] for turn in state.get("turns", [])), default=0) + 1,
        question=state.get("said", state.get("question", "")),
        asked=state.get("asked", state.get("question", "")),
        alone=operation is None or operation["kind"] != "why",
        status=state.get("status", "abstained"),
        mentions=state.get("mentions", []),
        topics=state.get("topics", []),
        answers=kept_answers,
        cut=len(kept_answers) < len(answers) or state.get("cut", False),
        confidence=state.get("confidence", 0.0),
        notes=state.get("notes", []),
        text=text,
        empty=_is_empty(state),
        query=_query_of(state),
        reading=state.get("reading", ""),
        given=bool(state.get("reading")) and state.get("asked") == state.get("reading"),
        card=operation is not None and operation["kind"] == "card",
        triples=_compared(state),
    )


def _compared(state: State) -> list[StepRecord]:
    """The first of the triples that a computed result rests on; a card is made anew."""
    result = state.get("result")
    if result is None or result["kind"] == "card":
        return []
    return result["triples"][:MOST_CHAINS]


def _query_of(state: State) -> dict[str, Any] | None:
    readings = state.get("readings", [])
    return readings[0]["query"]["query"] if readings else None


def bounded(answers: Sequence[Answer]) -> list[Answer]:
    """As many of the answers and their chains as a turn keeps."""
    first = answers[:_MOST_ANSWERS]
    left = MOST_CHAINS - len(first)
    bounded_answers = list[Answer]()
    for answer in first:
        more = min(left, len(answer["chains"]) - 1)
        bounded_answers.append({**answer, "chains": answer["chains"][: 1 + more]})
        left -= more
    return bounded_answers


def _is_empty(state: State) -> bool:
    """Whether a set was computed that has no members, or such a one was counted or shown again."""
    result = state.get("result")
    if result is None or state.get("answers"):
        return False
    if result["kind"] == "why":
        about = last_about(state.get("turns", []))
        return about is not None and about.get("empty", False)
    return result["kind"] in ("list", "count")


def last_answered(turns: Sequence[Turn]) -> Turn | None:
    """The last turn with answers, or with a set that has no members."""
    answered = (turn for turn in reversed(turns) if turn["answers"] or turn.get("empty"))
    return next(answered, None)


def last_about(turns: Sequence[Turn]) -> Turn | None:
    """The last turn that was about something: with answers or topics."""
    return next((turn for turn in reversed(turns) if turn["answers"] or turn["topics"]), None)
