"""The commands about the conversation itself: kept, shown, exported, begun anew, deleted."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from ...agent.answers.texts import answers_line, with_unit
from ...agent.errors import DiskError, InputError, unwritable
from ...agent.evidence.reply import cropped
from ...agent.kg.labels.names import one_line
from ..terminal import count
from .talk import Answered, Talk

if TYPE_CHECKING:
    from ...agent.records import Turn
    from ...agent.state import State

_MOST_SHOWN = 3
"""Turns that are shown where a conversation goes on."""
_LONGEST = 300
"""Characters of an earlier answer."""
_TABLE = ".csv"
_EVIDENCE = {".html": "html", ".ttl": "turtle", ".rq": "sparql", ".mmd": "mermaid", ".txt": "tree"}
"""The form of evidence that an ending of a file asks for."""


def threads(talk: Talk, _: str) -> None:
    """The threads that are kept, the last used first."""
    from ...agent.conversation.threads import list_threads

    listed = list_threads(talk.threads(""))
    for thread in listed:
        turns, first = count(thread.turns, "turn"), one_line(thread.first)
        talk.console.print(f"  {one_line(thread.id)}  {thread.time[:16]}  {turns}  {first}")
    if not listed:
        talk.console.print("No thread is kept; /thread ID begins one.")


def thread(talk: Talk, name: str) -> None:
    """Go on with another thread, or show the turns of this one."""
    if name:
        talk.change(thread=name)
        talk.begin(name)
    turns = _turns(talk)
    if name and not turns:
        talk.console.print(f"This is a new thread, {one_line(name)}.{_like(talk, name)}")
        return
    if name:
        talk.console.print(
            f"This is thread {one_line(name)}, of {count(len(turns), 'turn')} so far."
        )
        last_turns(talk)
        return
    for turn in turns:
        _print_turn(talk, turn)
    if not turns:
        talk.console.print("Nothing was asked in this conversation yet.")


def _like(talk: Talk, name: str) -> str:
    """What is told of the thread whose name is most like that of a new one."""
    from ...agent.conversation.threads import list_threads

    known = [info.id for info in list_threads(talk.threads(""))]
    near = get_close_matches(name, known, 1)
    return (
        f" Did you mean {one_line(near[0])}? /thread {one_line(near[0])} goes there."
        if near
        else ""
    )


def export(talk: Talk, name: str) -> None:
    """Write the conversation, or the evidence for the last answer, as the file's ending says.

    Raises InputError for a file that is there, which stays as it is.
    """
    from ...agent.conversation.threads import export_thread

    file = Path(name.lstrip("> ")).expanduser()
    saver = talk.threads(talk.wanted.thread)
    if form := _EVIDENCE.get(file.suffix.lower()):
        from .showing import evidence

        text = evidence(talk, form)
    elif file.suffix.lower() == _TABLE:
        from ..tables import csv_of

        text = csv_of(talk.last.state)
    elif file.suffix.lower() not in (".md", ".json"):
        endings = ", ".join((".md", ".json", _TABLE, *_EVIDENCE))
        raise InputError(f"{file}: its ending says no form", f"give one of {endings}")
    else:
        as_json = file.suffix.lower() == ".json"
        try:
            text = export_thread(saver, talk.thread, "json" if as_json else "markdown") + "\n"
        except InputError as error:
            raise InputError("there is nothing to export yet", "ask something first") from error
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError as error:
        raise InputError(f"{file}: is there already", "give another name") from error
    except OSError as error:
        problem = unwritable(file, error)
        if isinstance(problem, DiskError):
            file.unlink(missing_ok=True)  # half of it was written
        raise problem from error
    talk.console.print(f"Written to {one_line(str(file))}.")


def undo(talk: Talk, _: str) -> None:
    """Take the last question back: the last answer is the one before it."""
    turn = talk.threads(talk.wanted.thread).forget_last_turn(talk.thread)
    talk.take_back(turn["number"])
    question, turns = turn["question"], _turns(talk)
    is_again = bool(turns) and turns[-1]["question"] == question
    which = "the last answer to " if is_again else ""
    talk.console.print(f"Taken back: {which}{one_line(question)}")
    if not talk.has_answer:
        _recall(talk, turns)
    if is_again:
        talk.console.print("The answer before it stands.", style="dim")
    elif turns:
        last = one_line(turns[-1]["question"])
        talk.console.print(f"The last question is now: {last}", style="dim")


def last_turns(talk: Talk) -> None:
    """The last turns of the thread, where it has any, for whoever goes on with it.

    The commands about the last answer speak of the last of them.
    """
    turns = _turns(talk)
    _recall(talk, turns)
    if (before := len(turns) - _MOST_SHOWN) > 0:
        talk.console.print(f"  ... {count(before, 'turn')} before", style="dim")
    for turn in turns[-_MOST_SHOWN:]:
        _print_turn(talk, turn)


def _turns(talk: Talk) -> "list[Turn]":
    """The turns of the conversation; none before the first question."""
    from ...agent.conversation.threads import thread_turns

    try:
        return thread_turns(talk.threads(talk.wanted.thread), talk.thread)
    except InputError:
        return []


def _recall(talk: Talk, turns: "Sequence[Turn]") -> None:
    """Have the last of some turns as the last answer, with what a thread keeps of it."""
    from ..session import origin_of

    if turns:
        origin = replace(origin_of(talk.kg, talk.wanted.model), begun="")
        talk.recall(turns[-1]["number"], Answered(_state_of(turns[-1]), origin))


def _state_of(turn: "Turn") -> "State":
    """The final state of a turn, as far as it is kept; what was computed is its text."""
    listed, triples = (
        answers_line(turn["answers"]),
        turn.get("triples", []),
    )
    state: State = {
        "question": turn["question"],
        "asked": turn["asked"],
        "status": turn["status"],
        "mentions": turn["mentions"],
        "topics": turn["topics"],
        "answers": turn["answers"],
        "confidence": turn["confidence"],
        "notes": turn["notes"],
        "reading": turn.get("reading", ""),
        "turns": [turn],
    }
    if triples or (turn["answers"] and not turn["text"].startswith(listed)):
        from ...agent.answers.computed import result_record

        state["result"] = result_record("why", turn["text"], "", triples=triples)
    return state


def _print_turn(talk: Talk, turn: "Turn") -> None:
    talk.console.print(f"  {turn['number']}  {one_line(turn['question'])}")
    talk.console.print(f"     {cropped(one_line(_answer_text(turn)), _LONGEST)}", style="dim")


def _answer_text(turn: "Turn") -> str:
    """What was answered; of answers that are listed, also what each is and what it belongs to."""
    from ..render import answer_text
    from ..tables import belongings

    labels, names = list[str](), list[str]()
    listed, text = "", turn["text"]
    for answer, owners in zip(turn["answers"], belongings(turn["answers"]), strict=True):
        of = ", ".join(named["label"] for named in owners)
        labels.append(with_unit(answer))
        names.append(answer_text(answer) + (f" ({of})" if of else ""))
        listed = "; ".join(labels)
        if not f"{turn['text']}; ".startswith(f"{listed}; "):
            break
        text = "; ".join(names) + turn["text"][len(listed) :]
    return text


def clear(talk: Talk, _: str) -> None:
    """Begin a new conversation; a thread stays as it is, and the new one has a name like it."""
    from ...agent.conversation.threads import next_name, thread_turns

    saver = talk.threads(talk.wanted.thread)
    if talk.wanted.thread is None:
        saver.delete_thread(talk.thread)
        talk.begin(None)
        talk.console.print("The conversation begins anew.")
        return
    before = talk.thread
    try:
        thread_turns(saver, before)
    except InputError:
        talk.begin(before)
        talk.console.print(f"This is thread {one_line(before)}, in which nothing was asked yet.")
        return
    talk.begin(next_name(saver, before))
    new, old = one_line(talk.thread), one_line(before)
    talk.console.print(
        f"This is a new thread, {new}. {old} is kept: /thread {old} goes on with it."
    )


def delete(talk: Talk, name: str) -> None:
    """Delete a thread for good, if the user replies `yes` and nothing else."""
    from ...agent.conversation.threads import delete_thread, thread_turns

    saver, shown = talk.threads(""), one_line(name)
    try:
        what = count(len(thread_turns(saver, name)), "turn")
    except InputError as error:
        raise InputError(error.message, "/threads lists them") from error
    talk.console.print(f"Thread {shown} has {what}. Type yes to delete it for good.", style="bold")
    try:
        reply = talk.reply("> ").strip()
    except EOFError:
        reply = ""
    if reply.casefold() != "yes":
        instead = f": {one_line(reply)!r} is not yes" if reply else ""
        talk.console.print(f"{shown} is kept{instead}.")
        return
    delete_thread(saver, name)
    if talk.wanted.thread is None or talk.thread != name:
        talk.console.print(f"{shown} is deleted ({what}).")
        return
    talk.begin(name)
    talk.console.print(
        f"{shown} is deleted ({what}). What you ask now begins it anew; /thread ID goes elsewhere."
    )
