"""The slash commands: one registry, of which help and completion are made."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import NamedTuple

from ...agent.errors import InputError
from . import changing, keeping, showing, understood
from .talk import Talk


class Command(NamedTuple):
    """A command: what it is called and takes, what it does in a line, and its function.

    The function gets the rest of the line. It raises GroundwalkError.
    """

    name: str
    takes: str
    about: str
    run: Callable[[Talk, str], None]

    @property
    def usage(self) -> str:
        """How it is typed."""
        return f"{self.name} {self.takes}".rstrip()


def perform(talk: Talk, line: str) -> None:
    """Run the command of a line. Raises InputError where there is none, and what it raises."""
    word, _, rest = line.strip().partition(" ")
    command = COMMANDS.get(word)
    if command is None:
        near = get_close_matches(word, COMMANDS, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise InputError(f"{word} is no command", f"{hint}/help lists them")
    rest = rest.strip()
    if not rest and command.takes and not command.takes.startswith("["):
        raise InputError(f"{word} needs {command.takes}", f"type {command.usage}")
    if rest and not command.takes:
        raise InputError(f"{word} takes nothing", f"type {word} alone")
    command.run(talk, rest)


def _help(talk: Talk, _: str) -> None:
    width = max(len(command.usage) for command in COMMANDS.values())
    talk.console.print("Ask in plain words, also about the answers before. Or type")
    for command in COMMANDS.values():
        talk.console.print(f"  {command.usage:<{width}}  {command.about}")
    talk.console.print(
        "Pasted lines are questions of their own, asked in turn; join one that is wrapped. Ctrl-C "
        "stops a question, and drops what was pasted after it. ✓ marks a triple that the graph "
        "holds; a relation after ^ or ← "
        "is walked backwards."
    )


def _quit(talk: Talk, _: str) -> None:
    talk.over = True


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("/help", "", "this list", _help),
        Command("/why", "", "every chain behind the last answer", showing.why),
        Command("/paths", "", "all that was walked for it, the likeliest first", showing.paths),
        Command("/readings", "[N]", "how the question may be read; or the answer by reading N",
                understood.readings),
        Command("/wrong", "[N|edit|QUERY]", "answer by what was meant, and keep that query",
                understood.wrong),
        Command("/verify", "", "look its triples up again at the source", showing.verify),
        Command("/explain", "FORM", "its evidence: tree, mermaid, sparql, turtle, html",
                showing.explain),
        Command("/sparql", "", "the query that finds it in the graph", showing.sparql),
        Command("/entity", "NAME", "what the graph has under a name", showing.entity),
        Command("/neighbours", "NAME", "facts about it", showing.neighbours),
        Command("/kg", "", "what the graph holds", showing.kg),
        Command("/method", "[NAME]", "how questions are answered", changing.method),
        Command("/model", "[DIR|HUB_ID]", "the model that decodes", changing.model),
        Command("/llm", "[SPEC]", "the LLM that reasons, or none", changing.llm),
        Command("/set", "[NAME=VALUE]", "an option of the method", changing.option),
        Command("/threads", "", "the conversations that are kept", keeping.threads),
        Command("/thread", "[ID]", "show this conversation, or go on with another", keeping.thread),
        Command("/export", "[FILE]", "the conversation (.md, .json), the evidence (.html, .ttl)",
                keeping.export),
        Command("/clear", "", "begin a new conversation; a thread is kept", keeping.clear),
        Command("/delete", "ID", "delete a thread for good, once you say yes", keeping.delete),
        Command("/quit", "", "leave, as Ctrl-D does", _quit),
        Command("/exit", "", "the same", _quit),
    )
}  # fmt: skip
"""Every command by its name."""
