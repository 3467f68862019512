"""The commands about how the last question was understood: its readings, and their correction."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from rich.text import Text

from ...agent.errors import InputError
from ...agent.kg.names import one_line
from .editing import edited
from .talk import Talk, Understood

if TYPE_CHECKING:
    from ...agent.state import Reading

_EDIT = "edit"
_FORM = "docs/queries.md has the form"


def readings(talk: Talk, number: str) -> None:
    """The likeliest readings of the last question, or the answer by one of them."""
    understood = talk.understood
    if number:
        _answer(talk, understood, _numbered(understood, number))
        return
    if not understood.readings:
        talk.console.print("The question was answered by walks along the graph, not as a query.")
        return
    _list(talk, understood.readings)
    talk.console.print("/readings N answers by another one; /wrong corrects it.", style="dim")


def offer(talk: Talk) -> None:
    """Ask whether one of the readings is meant, where none was sure enough."""
    if not talk.understood.offered:
        return
    most = len(talk.understood.readings)
    numbers = "1" if most == 1 else f"1 to {most}"
    told = f"Did you mean this? Type {numbers} for its answer, or ask anything else."
    talk.console.print()
    talk.console.print(told, style="bold")
    _list(talk, talk.understood.readings)


def wrong(talk: Talk, reply: str) -> None:
    """Answer the last question by the query that it should have been, and keep that query."""
    from .corrections import keep_correction

    understood = talk.understood
    if not reply:
        _list(talk, understood.readings)
        reply = _asked_for(talk, understood)
    if not reply:
        talk.console.print("Nothing was corrected.")
        return
    given = _meant(talk, understood, reply)
    if given is None:
        talk.console.print("The query was not changed, so nothing was corrected.")
        return
    _answer(talk, understood, given)
    file = keep_correction(understood.question, given)
    talk.console.print(f"The question and its query are kept in {one_line(str(file))}.")


def _list(talk: Talk, several: Sequence["Reading"]) -> None:
    for number, reading in enumerate(several, 1):
        line = Text(f"  {number}  ").append(one_line(reading["words"]))
        talk.console.print(line.append(f"  {reading['probability']:.2f}", style="dim"))


def _asked_for(talk: Talk, understood: Understood) -> str:
    """What the user replies when asked which reading is right; empty for nothing."""
    most = len(understood.readings)
    numbers = f"1 to {most} for a reading, " if most else ""
    told = f"What is right? Type {numbers}edit to change the query in your editor, or a query."
    talk.console.print(told, style="bold")
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
        text = edited(f"{first}\n", "query.json")
        return None if text is None else _given(understood, text)
    return _numbered(understood, reply)


def _numbered(understood: Understood, number: str) -> Mapping[str, Any]:
    """The query of a reading. Raises InputError where none has the number."""
    most = len(understood.readings)
    if number.isascii() and number.isdecimal() and 0 < int(number[:9]) <= most:
        return understood.readings[int(number) - 1]["query"]
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


def _answer(talk: Talk, understood: Understood, given: Mapping[str, Any]) -> None:
    from .asking import answer
    from .screen import ChatScreen

    screen = ChatScreen(console=talk.console)
    answer(talk, screen, understood.question, _nothing_to_choose, dict(given))


def _nothing_to_choose(_: dict[str, Any]) -> str:
    raise EOFError
