"""Whether verified answers are answers to the question, and what to say where they are not."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..kg.terms import Term, node_of
from ..linking.mention import listed_names
from ..options import Options
from ..query.account import FILLER, LEFT_OUT, UNKNOWN, is_read, unread
from ..query.tree import compared_mentions, read_query, refers_back, starting_mentions
from ..records import (
    NO_WORD,
    NOT_SURE_OF_READING,
    NOTHING_CALLED,
    SILENT,
    Answer,
    MentionRecord,
    Reading,
    Status,
    Word,
    words_left_out,
)
from ..state import State
from .topics import TAKEN_FOR

SURE = 0.6
"""The confidence below which an answer comes with a warning."""
READ = "I read: "
"""How the note on a reading that is not answered begins."""
NO_READING = f"{NOT_SURE_OF_READING} of any reading"
"""How the note begins where none is likely enough to be shown."""
_UNLIKELY = 1 / 3
"""Of the confidence that an answer must have, the share below which nothing in the graph is taken
for what was asked."""


class Judged(NamedTuple):
    """The status, the answers that stand, and the notes with the reasons."""

    status: Status
    answers: list[Answer]
    notes: list[str]


def judged(state: State, least: float) -> Judged:
    """What of the verified answers stands; below the confidence `least` a chain is no answer."""
    status, notes = state.get("status", "abstained"), list(state.get("notes", []))
    answers = state.get("answers", [])
    unsettled = [m for m in state.get("mentions", []) if m["ambiguous"]]
    if unsettled and state.get("view") is None:
        status = "ambiguous"
        notes += [ambiguity(mention) for mention in unsettled]
    elif not state.get("topics"):
        notes.append("no entity of the graph was recognised in the question")
    elif answers and (unused := _untouched_topics(state, answers)):
        notes.append(f"no walk to an answer uses {', '.join(unused)}")
        answers, status = [], "abstained"
    elif answers and not is_confident(state, least):
        best = state.get("confidence", 0.0)
        notes.append(f"the best path is not likely enough ({too_low(best, least)})")
        answers, status = [], withheld(best, least)
    elif answers and not is_confident(state, SURE):
        notes.append(unsure(state.get("confidence", 0.0)))
    elif status == "abstained":
        notes.append("no verified path leads to an answer")
    return Judged(status, answers, [*notes, *_partial_answers_note(state, answers)])


def _partial_answers_note(state: State, answers: Sequence[Answer]) -> list[str]:
    """A note on answers that are not of all topics together, where there are any."""
    partial = sum(bool(_untouched_topics(state, [answer])) for answer in answers)
    together = " and ".join(topic["label"] for topic in state.get("topics", []))
    return [f"{partial} of {len(answers)} are not of {together} together"] if partial else []


def with_account(outcome: Judged, account: Sequence[Word], options: Options) -> Judged:
    """What stands of answers to a question of which a query leaves words out, and which.

    Where the options want no partial answers nothing does, nor where it leaves out all.
    """
    left_out, may_be_partial = unread(account), options.partial
    if outcome.status != "answered":
        return outcome
    if not left_out:
        return outcome._replace(notes=[*outcome.notes, *doubts(account)])
    notes = [words_left_out(unread(account, LEFT_OUT)), *outcome.notes]
    if not may_be_partial or not is_read(account):
        return Judged("abstained", [], notes)
    return Judged("partial", outcome.answers, notes)


def doubts(account: Sequence[Word]) -> list[str]:
    """The note on words that were taken for such that ask nothing, though nobody knows them."""
    words = unread(account, (UNKNOWN,))
    named = ", ".join(f'"{word}"' for word in words)
    return [f"left out, as it seems to ask nothing: {named}"] if words else []


def left_out_of(account: Sequence[Word]) -> list[str]:
    """The note on all words that the query leaves out, known or not; none where it has none."""
    words = unread(account, LEFT_OUT)
    return [words_left_out(words)] if words else []


def withheld(confidence: float, least: float) -> Status:
    """The status of what is not shown, since its confidence is below the least one."""
    return "abstained" if confidence < _UNLIKELY * least else "unsure"


def too_low(confidence: float, least: float) -> str:
    """A confidence and the least that is needed, with as many digits as tell them apart."""
    digits = next((n for n in range(2, 6) if round(confidence, n) != round(least, n)), 6)
    return f"{confidence:.{digits}f}, at least {least:.{digits}f}"


def unsure(confidence: float) -> str:
    """The warning with answers below `SURE`."""
    return f"not sure that this is what was asked ({confidence:.2f})"


class WithReadings(NamedTuple):
    """What stands of the answers, and the readings that are shown, with the first one's tree."""

    outcome: Judged
    readings: list[Reading]
    reading: str
    tree: dict[str, Any] | None


def with_readings(outcome: Judged, state: State) -> WithReadings:
    """The outcome with its readings: of a question that is not answered, only those about it.

    Where nothing that it says is in the graph, the likeliest query is one of nothing in it; and one
    that begins at none of the names that it has is about something else.
    """
    readings, reading = state.get("readings", []), state.get("reading", "")
    tree = state.get("query_tree")
    if outcome.status not in SILENT:
        return WithReadings(outcome, readings, reading, tree)
    if _is_unrecognised(outcome, state):
        less = (READ, NO_READING, NOTHING_CALLED)
        kept = [note for note in outcome.notes if not note.startswith(less)]
        return WithReadings(Judged("abstained", [], [*kept, NO_WORD]), [], "", None)
    names = _names(state.get("mentions", []))
    about = [
        reading for reading in readings if not names or not names.isdisjoint(_pointed_at(reading))
    ]
    if not readings or readings[0] in about:
        return WithReadings(_of_readings_once(outcome), about, reading, tree)
    notes = [without_reading(note) for note in outcome.notes]
    outcome = _of_readings_once(outcome._replace(notes=notes))
    return WithReadings(outcome, about, "", None)


def _is_unrecognised(outcome: Judged, state: State) -> bool:
    """Whether a question says nothing that is in the graph, nor is about what came before it."""
    account, tree = state.get("account", []), state.get("query_tree")
    if state.get("mentions") or not account:
        return False
    if has_named(account) or any(word.get("in_label") for word in account):
        return False
    is_read = any(note.startswith(READ) for note in outcome.notes)
    return not (is_read and tree is not None and refers_back(read_query(tree)))


def has_named(account: Sequence[Word]) -> bool:
    """Whether a query makes of any word a name, a value, a class or a relation."""
    return not {word["used_by"] for word in account} <= {*LEFT_OUT, FILLER, "operator"}


def _names(mentions: Sequence[MentionRecord]) -> set[Term]:
    """The things that mentions may mean; a class is none."""
    return {
        candidate["term"]
        for mention in mentions
        for candidate in mention["candidates"]
        if candidate["kind"]
    }


def _pointed_at(reading: Reading) -> set[Term]:
    """The things of the question that a reading points at."""
    query, named = read_query(reading["query"]["query"]), reading["query"]["mentions"]
    numbers = starting_mentions(query) | compared_mentions(query)
    return {named[number].get("term", "") for number in numbers}


def without_reading(note: str) -> str:
    """A note on a reading, without what was read."""
    if not note.startswith(READ):
        return note
    _, found, why = note.rpartition(f"; {NOT_SURE_OF_READING}")
    return f"{NO_READING}{why}" if found else NO_READING


def _of_readings_once(outcome: Judged) -> Judged:
    """The outcome with each note once; that no reading is sure enough is told with how sure."""
    notes = list(dict.fromkeys(outcome.notes))
    if any(note.startswith(f"{NO_READING} ") for note in notes):
        notes = [note for note in notes if note != NO_READING]
    return outcome._replace(notes=notes)


def not_shown(left_out: int) -> list[str]:
    """The note on answers beyond those that are shown; none where there are none."""
    are = "answer is" if left_out == 1 else "answers are"
    return [f"{left_out:,} more {are} not shown"] if left_out else []


def _untouched_topics(state: State, answers: Sequence[Answer]) -> list[str]:
    """The topics that a question names but its answers' chains do not touch."""
    touched = {
        node_of(step[end]["term"])
        for answer in answers
        for chain in answer["chains"]
        for step in chain
        for end in ("head", "tail")
    }
    topics = state.get("topics", []) if answers else []
    return [topic["label"] for topic in topics if topic["term"] not in touched]


def is_confident(state: State, least: float) -> bool:
    """Whether the path that the answers come from is likely enough to be what was asked."""
    return state.get("confidence", 0.0) >= least


def ambiguity(mention: MentionRecord) -> str:
    """What a name may mean."""
    options = ", ".join(listed_names(mention["candidates"]))
    return f"{mention['text']} may mean: {options}"


def unread_line(state: State) -> str:
    """What is told before an answer that leaves words unread; empty where nothing is left out."""
    lines = left_out_of(state.get("account", [])) if state.get("status") != "answered" else []
    return lines[0] if lines else ""


def misspelt(state: State) -> list[str]:
    """The notes on names that are spelt otherwise in the graph."""
    return [note for note in state.get("notes", []) if TAKEN_FOR in note]


def other_notes(state: State) -> list[str]:
    """The notes, but the one that `unread_line` tells already."""
    line = unread_line(state)
    return [note for note in state.get("notes", []) if note != line]
