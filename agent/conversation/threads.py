"""The user's threads: a database of conversations that outlive the process that had them."""

import json
import os
import re
import sqlite3
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..errors import InputError
from ..kg.labels.names import one_line
from ..records import Answer, StepRecord, Turn

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite import SqliteSaver

    from .saver import ThreadSaver

Form = Literal["markdown", "json"]
_MOST_LISTED = 10_000
_OLD = 20
"""Checkpoints looked at for the first turn: a question that was stopped left one without turns."""
_OLDEST = """
SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''
ORDER BY checkpoint_id LIMIT ?
"""
_NUMBERED = re.compile(r"(?P<stem>.+)-(?P<number>[1-9][0-9]{0,5})", re.DOTALL)
_MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>#|!"})


class ThreadInfo(NamedTuple):
    """A thread: its first question, its number of turns, and when the last one ended (ISO 8601)."""

    id: str
    first: str
    turns: int
    time: str


def threads_file() -> Path:
    """Where threads are kept: `$GROUNDWALK_THREADS`, else in the user's data folder."""
    if path := os.environ.get("GROUNDWALK_THREADS"):
        return Path(path).expanduser()
    shared = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(shared).expanduser() / "groundwalk" / "threads.sqlite"


def open_threads(path: Path | None = None) -> "ThreadSaver":
    """The database of threads, as a checkpointer; made where there is none, for the user only.

    Close it with `close_threads`. Raises InputError where it cannot be made or is no such database.
    """
    from .saver import ThreadSaver

    file = path or threads_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.touch(mode=0o600)
        file.chmod(0o600)
        saver = ThreadSaver(sqlite3.connect(file, check_same_thread=False))
        saver.setup()
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"the threads in {file} cannot be opened: {reason}",
            "set GROUNDWALK_THREADS to another file",
        ) from error
    return saver


def unkept_threads() -> "ThreadSaver":
    """Threads that are gone with the process."""
    from .saver import ThreadSaver

    return ThreadSaver(sqlite3.connect(":memory:", check_same_thread=False))


def close_threads(saver: "SqliteSaver") -> None:
    """Let go of the file."""
    saver.conn.close()


def list_threads(saver: "SqliteSaver") -> list[ThreadInfo]:
    """All threads, the last used first."""
    with saver.cursor(transaction=False) as cursor:
        cursor.execute("SELECT DISTINCT thread_id FROM checkpoints LIMIT ?", (_MOST_LISTED,))
        ids = [str(row[0]) for row in cursor.fetchall()]
    infos = [info for thread in ids if (info := _thread_info(saver, thread))]
    return sorted(infos, key=lambda info: (info.time, info.id), reverse=True)


def thread_turns(saver: "SqliteSaver", thread: str) -> list[Turn]:
    """All turns of a thread in their order, those too that questions no longer refer to.

    Raises InputError where there is no such thread.
    """
    turns: dict[int, Turn] = {}
    for kept in saver.list(_config(thread)):
        for turn in kept.checkpoint["channel_values"].get("turns") or []:
            turns.setdefault(turn["number"], turn)
    if not turns:
        raise InputError(f"there is no thread {thread!r}", "list the threads to see their names")
    return [turns[number] for number in sorted(turns)]


def export_thread(saver: "SqliteSaver", thread: str, form: Form = "markdown") -> str:
    """A thread as a document: Markdown for people, JSON with all chains for programs.

    Raises InputError where there is no such thread.
    """
    turns = thread_turns(saver, thread)
    if form == "json":
        return json.dumps({"thread": thread, "turns": turns}, ensure_ascii=False, indent=2)
    return "\n".join([f"# {_escaped(thread)}", *(line for turn in turns for line in _turn(turn))])


def next_name(saver: "SqliteSaver", thread: str) -> str:
    """A name that no thread has: `demo-2` after `demo`, then `demo-3`.

    A number at the end of a name counts only where there is a thread of the name without it.
    """
    stem, number = thread, 1
    if (numbered := _NUMBERED.fullmatch(thread)) and _has_thread(saver, numbered["stem"]):
        stem, number = numbered["stem"], int(numbered["number"])
    names = (f"{stem}-{later}" for later in count(number + 1))
    return next(name for name in names if not _has_thread(saver, name))


def delete_thread(saver: "SqliteSaver", thread: str) -> None:
    """Forget a thread. Raises InputError where there is none."""
    thread_turns(saver, thread)
    saver.delete_thread(thread)


def _config(thread: str) -> Any:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}


def _has_thread(saver: "SqliteSaver", thread: str) -> bool:
    """Whether anything is kept under a name, be it only a question that was stopped."""
    return saver.get_tuple(_config(thread)) is not None


def _thread_info(saver: "SqliteSaver", thread: str) -> ThreadInfo | None:
    kept = saver.get_tuple(_config(thread))
    if kept is None or not (turns := kept.checkpoint["channel_values"].get("turns")):
        return None
    first = turns[0] if turns[0]["number"] == 1 else _first_turn(saver, thread) or turns[0]
    return ThreadInfo(thread, first["question"], turns[-1]["number"], kept.checkpoint["ts"])


def _first_turn(saver: "SqliteSaver", thread: str) -> Turn | None:
    """The first turn of a thread, from the oldest checkpoint with turns."""
    with saver.cursor(transaction=False) as cursor:
        cursor.execute(_OLDEST, (thread, _OLD))
        ids = [str(row[0]) for row in cursor.fetchall()]
    for id_ in ids:
        config = _config(thread)
        config["configurable"]["checkpoint_id"] = id_
        kept = saver.get_tuple(config)
        if kept and (turns := kept.checkpoint["channel_values"].get("turns")):
            return turns[0]
    return None


def _turn(turn: Turn) -> list[str]:
    """A turn; what only shows the chains of an earlier one again is told without them."""
    lines, reading = ["", f"## {_escaped(turn['question'])}", ""], turn.get("reading", "")
    if not turn["alone"] and turn["status"] == "answered":
        return [*lines, "The chains of the answer before, looked up again."]
    if turn["asked"] not in (turn["question"], reading):
        lines += [f"Asked: {_escaped(turn['asked'])}", ""]
    lines += [f"**{_escaped(turn['text'])}** ({turn['status']})", ""]
    if reading:
        sure = "as it was chosen" if turn.get("given") else f"confidence {turn['confidence']:.2f}"
        lines += [f"Read as: {_escaped(reading)}, {sure}", ""]
    lines += [line for answer in turn["answers"] for line in _answer(answer)]
    lines += _compared(turn)
    return lines + [f"- note: {_escaped(note)}" for note in turn["notes"]]


def _answer(answer: Answer) -> list[str]:
    return [
        f"- {_escaped(answer['label'])}",
        *(f"  - {_chain(c)}" for c in answer["chains"]),
    ]


def _compared(turn: Turn) -> list[str]:
    """The triples that what was computed rests on, without those of the answers' chains."""
    chains = (chain for answer in turn["answers"] for chain in answer["chains"])
    shown = {_chain([step]) for chain in chains for step in chain}
    beside = [line for step in turn.get("triples", []) if (line := _chain([step])) not in shown]
    return (
        ["- what was compared or computed:", *(f"  - {line}" for line in beside)] if beside else []
    )


def _chain(chain: Sequence[StepRecord]) -> str:
    steps = (
        f"{_escaped(step['head']['label'])} - {_escaped(step['relation']['label'])} -> "
        f"{_escaped(step['tail']['label'])} ({step['verdict']})"
        for step in chain
    )
    return ", ".join(steps)


def _escaped(text: str) -> str:
    """A text of foreign origin in one line, without anything that Markdown reads."""
    return one_line(text).translate(_MARKDOWN)
