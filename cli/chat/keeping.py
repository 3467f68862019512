"""The commands about the conversation itself: kept, shown, exported, forgotten."""

import errno
from pathlib import Path

from ...agent.errors import DiskError, InputError
from ...agent.kg.names import one_line
from .talk import Talk

_EVIDENCE = {".html": "html", ".ttl": "turtle", ".rq": "sparql", ".mmd": "mermaid", ".txt": "tree"}
"""The form of evidence that an ending of a file asks for."""


def threads(talk: Talk, _: str) -> None:
    """The threads that are kept, the last used first."""
    from ...agent.conversation.threads import list_threads

    kept = list_threads(talk.threads(""))
    for own in kept:
        turns = f"{own.turns} turn{'' if own.turns == 1 else 's'}"
        first = one_line(own.first)
        talk.console.print(f"  {one_line(own.id)}  {own.time[:16]}  {turns}  {first}")
    if not kept:
        talk.console.print("No thread is kept; /thread ID begins one.")


def thread(talk: Talk, name: str) -> None:
    """Go on with another thread, or show the turns of this one."""
    from ...agent.conversation.threads import thread_turns

    if name:
        talk.change(thread=name)
        talk.begin(name)
    try:
        turns = thread_turns(talk.threads(talk.wanted.thread), talk.thread)
    except InputError:
        turns = []
    if name:
        talk.console.print(f"This is thread {one_line(name)}, of {len(turns)} questions so far.")
        return
    for turn in turns:
        talk.console.print(f"  {turn['number']}  {one_line(turn['question'])}")
        talk.console.print(f"     {one_line(turn['text'])}", style="dim")
    if not turns:
        talk.console.print("Nothing was asked in this conversation yet.")


def export(talk: Talk, name: str) -> None:
    """Write the conversation, or the evidence for the last answer, as the file's ending says."""
    from ...agent.conversation.threads import export_thread

    file = Path(name).expanduser()
    saver = talk.threads(talk.wanted.thread)
    if form := _EVIDENCE.get(file.suffix.lower()):
        from .showing import evidence

        text = evidence(talk, form)
    elif name and file.suffix.lower() not in (".md", ".json"):
        endings = ", ".join((".md", ".json", *_EVIDENCE))
        raise InputError(f"{file}: its ending says no form", f"give one of {endings}")
    else:
        as_json = file.suffix.lower() == ".json"
        try:
            text = export_thread(saver, talk.thread, "json" if as_json else "markdown") + "\n"
        except InputError as error:
            raise InputError("there is nothing to export yet", "ask something first") from error
    if not name:
        talk.console.print(text, end="", soft_wrap=True)
        return
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError as error:
        raise InputError(f"{file}: is there already", "give another name") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            file.unlink(missing_ok=True)  # half of it was written
            raise DiskError(f"{file}: cannot be written: the disk is full", "make room") from error
        raise InputError(f"{file}: cannot be written: {error.strerror}", "check it") from error
    talk.console.print(f"Written to {one_line(str(file))}.")


def clear(talk: Talk, _: str) -> None:
    """Forget the conversation, kept or not."""
    from ...agent.conversation.threads import delete_thread

    try:
        delete_thread(talk.threads(talk.wanted.thread), talk.thread)
    except InputError:
        pass  # there was nothing yet
    talk.begin(talk.wanted.thread)
    talk.console.print("The conversation is forgotten.")
