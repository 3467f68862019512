"""The commands about how the last question was understood: its readings, and their correction."""

import json
import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from rich.text import Text

from ...agent.errors import InputError, unwritable
from ...agent.kg.labels.names import one_line
from ...agent.records import SILENT
from .talk import Talk, Understood

if TYPE_CHECKING:
    from ...agent.records import Reading


_EDIT = "edit"
NONE = "none"
"""What of some readings takes none of them."""
_FORM = "docs/queries.md has the form"


def readings(talk: Talk, number: str) -> None:
    """The likeliest readings of the last question, or the answer by one of them."""
    if number == NONE:
        talk.console.print("Then say it in other words, or /wrong gives the query.")
        return
    understood = talk.understood
    if number:
        reading = _numbered(understood, number)
        _answer(talk, understood, reading["query"])
        return
    if not understood.readings:
        talk.console.print(_UNREAD[_answered_by(talk)])
        return
    _list(talk, understood.readings)
    talk.offer(len(understood.readings))
    hint = "Type a number for the answer by that reading, or /readings N later; /wrong corrects it."
    talk.console.print(hint, style="dim")


_UNREAD = {
    "card": "It was asked what the graph has of a thing: that needs no query.",
    "query": "A query was given: there are no other readings of it.",
    "nothing": "Nothing of the question was read, so there is nothing to choose from.",
    "walks": "The question was answered by walks along the graph, not as a query.",
}
"""What is said of a question without readings, by what answered it."""


def _answered_by(talk: Talk) -> str:
    state = talk.last.state
    if (state.get("result") or {}).get("kind") == "card":
        return "card"
    if state.get("query_tree") is not None:
        return "query"
    return "nothing" if state.get("status") in SILENT and not state.get("view") else "walks"


def offer(talk: Talk) -> None:
    """Ask whether one of the readings is meant, where none was sure enough.

    Above it stands how sure the answer would have been, and no other number beside that.
    """
    if not (offered := talk.offered):
        return
    numbers = "1" if offered == 1 else f"1 to {offered}"
    offer = f"Did you mean this? Type {numbers} for its answer, or ask anything else."
    talk.console.print()
    talk.console.print(offer, style="bold")
    _list(talk, talk.understood.readings[:offered], with_probability=False)


def wrong(talk: Talk, reply: str) -> None:
    """Answer the last question by the query that it should have been, and keep that query.

    A reply is the number of a reading, edit or a query: what is judged is how the question was
    read, and never a single answer. Raises Changed for a command in the place of a reply.
    """
    from ..choosing import Changed

    understood = talk.understood
    if not reply:
        _list(talk, understood.readings)
        reply = _asked_for(talk, understood).removeprefix("/wrong").strip()
    if not reply or reply.startswith("/"):
        talk.console.print("Nothing was corrected.")
        if reply:
            raise Changed(reply)
        return
    query = _meant(talk, understood, reply)
    is_number = reply.isdecimal()
    if is_number and _numbered(understood, reply)["words"] == _answered_as(talk):
        talk.console.print("It was answered so, and nothing was corrected.")
        return
    if query is None:
        talk.console.print("The query was not changed, so nothing was corrected.")
        return
    _answer(talk, understood, query)
    file = keep_correction(understood.question, query)
    meant = f"Reading {reply} was meant: the" if is_number else "The"
    talk.console.print(f"{meant} question and its query are kept in {one_line(str(file))}.")


def _answered_as(talk: Talk) -> str:
    """The reading of the last question that was answered; empty where none was."""
    state = talk.last.state
    return "" if state.get("status") in SILENT else state.get("reading", "")


def _list(talk: Talk, listed: Sequence["Reading"], *, with_probability: bool = True) -> None:
    for number, reading in enumerate(listed, 1):
        line = Text(f"  {number}  ").append(one_line(reading["words"]))
        likely = f"  probability {reading['probability']:.2f}" if with_probability else ""
        talk.console.print(line.append(likely, style="dim"))


def _asked_for(talk: Talk, understood: Understood) -> str:
    """What the user replies when asked which reading is right; empty for nothing."""
    most = len(understood.readings)
    numbers = f"1 to {most} for a reading, " if most else ""
    request = f"What is right? Type {numbers}edit to change the query in your editor, or a query."
    talk.console.print(request, style="bold")
    try:
        return talk.reply("> ").strip()
    except EOFError:
        return ""


def _meant(talk: Talk, understood: Understood, reply: str) -> Mapping[str, Any] | None:
    """The query of a reply with its mentions; None where it was not changed.

    Raises InputError.
    """
    if reply.startswith("{"):
        return _given(understood, reply)
    if reply.casefold() in (_EDIT, "e"):
        first = json.dumps(_first(talk, understood), ensure_ascii=False, indent=2)
        text = edited(f"{first}\n")
        return None if text is None else _given(understood, text)
    return _numbered(understood, reply, _OTHERWISE)["query"]


_OTHERWISE = "edit or a query: /wrong takes what was meant, and no answer"


def _numbered(understood: Understood, number: str, otherwise: str = "") -> "Reading":
    """The reading with a number. Raises InputError where none has the number.

    What else may be given, `otherwise`, is said then.
    """
    most = len(understood.readings)
    if number.isascii() and number.isdecimal() and 0 < int(number[:9]) <= most:
        return understood.readings[int(number) - 1]
    hint = f"give 1 to {most}, {otherwise}" if most else f"there are none: give {otherwise}"
    if not otherwise:
        hint = f"give 1 to {most}" if most else "there are none"
    raise InputError(f"{number[:40]} is no reading of the question", hint)


def _given(understood: Understood, text: str) -> Mapping[str, Any]:
    """A query as the user writes it; a tree alone has the mentions of the likeliest reading.

    Raises InputError for what is no JSON object.
    """
    try:
        record: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not JSON: {error}", _FORM) from error
    if not isinstance(record, dict) or not record:
        raise InputError("this is no query", _FORM)
    fields = cast("dict[str, Any]", record)
    if "query" in fields:
        return {"query": fields["query"], "mentions": fields.get("mentions", [])}
    first = understood.readings[0]["query"] if understood.readings else {}
    return {"query": fields, "mentions": first.get("mentions", [])}


def _first(talk: Talk, understood: Understood) -> Mapping[str, Any]:
    """What there is to edit: the likeliest reading, or the entities that were linked."""
    if understood.readings:
        return understood.readings[0]["query"]
    topics = talk.last.state.get("topics", [])
    mentions = [{"text": topic["label"], "term": topic["term"]} for topic in topics]
    return {"query": {"start": list(range(len(mentions)))}, "mentions": mentions}


def _answer(talk: Talk, understood: Understood, query: Mapping[str, Any]) -> None:
    """Answer by a query."""
    from .screen import ChatScreen, answer

    screen = ChatScreen(console=talk.console, trace=talk.wanted.trace)
    answer(talk, screen, understood.question, _nothing_to_choose, dict(query))


def _nothing_to_choose(_: dict[str, Any]) -> str:
    raise EOFError


def corrections_file() -> Path:
    """Where they are kept: beside the threads."""
    from ...agent.conversation.threads import threads_file

    return threads_file().with_name("corrections.jsonl")


def keep_correction(question: str, query: Mapping[str, Any]) -> Path:
    """Append a question, its query and the query's mentions as a line of JSON to a file.

    Returns the file, which only the user can read. Raises InputError and DiskError where it cannot
    be written.
    """
    file = corrections_file()
    line = {"question": question, "query": query["query"], "mentions": query["mentions"]}
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.touch(mode=0o600)
        os.chmod(file, 0o600)
        with file.open("a", encoding="utf-8") as opened:
            opened.write(f"{json.dumps(line, ensure_ascii=False)}\n")
    except UnicodeEncodeError as error:
        raise InputError("the question is not UTF-8 text", "ask it again") from error
    except OSError as error:
        raise unwritable(file, error) from error
    return file


_HINT = "set EDITOR to the command of your editor"


def edited(text: str) -> str | None:
    """The text as the editor leaves it, in a file of JSON; None where it is the same.

    The editor is what VISUAL or EDITOR says. Raises InputError where there is none or it fails.
    """
    command = _editor()
    with TemporaryDirectory(prefix="groundwalk-") as folder:
        file = Path(folder, "query.json")
        file.write_text(text, encoding="utf-8")
        try:
            ended = subprocess.run([*command, str(file)], check=False)
            left = file.read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"{command[0]} cannot be run: {error.strerror}", _HINT) from error
        except UnicodeDecodeError as error:
            raise InputError("what the editor left is not UTF-8 text", "save it as such") from error
    if ended.returncode:
        raise InputError(f"{command[0]} failed with exit code {ended.returncode}", _HINT)
    return None if left == text else left


def _editor() -> list[str]:
    for variable in ("VISUAL", "EDITOR"):
        try:
            if command := shlex.split(os.environ.get(variable, "")):
                return command
        except ValueError as error:
            raise InputError(f"{variable} is no command: {error}", _HINT) from error
    raise InputError("no editor is set", _HINT)
