"""The slash commands: one registry, of which help and completion are made.

The commands that change with what questions are answered are here, the others beside what they
show: `showing.py`, `readings.py`, `threads.py`.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import NamedTuple

from ...agent.errors import InputError
from ...agent.options import Options, names_set, read_options
from ..options import method_of
from . import readings, showing, threads
from .talk import Talk


class Command(NamedTuple):
    """A command: its name, what it takes, what it does in a line, and its function.

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
    command = COMMANDS.get(word.lower())
    if command is None:
        begun = [name for name in COMMANDS if name.startswith(word.lower())]
        near = begun or get_close_matches(word.lower(), COMMANDS, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise InputError(f"{word} is no command", f"{hint}/help lists them")
    rest = rest.strip()
    if not rest and command.takes and not command.takes.startswith("["):
        raise InputError(f"{word} needs {command.takes}", f"type {command.usage}")
    if rest and not command.takes:
        raise InputError(f"{word} takes nothing", f"type {word} alone")
    command.run(talk, rest)


_FIRST = (
    *("/why", "/all", "/readings", "/wrong", "/undo"),
    *("/neighbours", "/kg", "/export", "/help", "/quit"),
)
"""The commands that a beginner needs."""


def show_help(talk: Talk, which: str) -> None:
    """List the commands that come first, or `all` of them, or tell of one.

    Raises InputError for other words.
    """
    one = COMMANDS.get(f"/{which.lower().removeprefix('/')}")
    if one and which != "all":
        talk.console.print(f"  {one.usage}  {one.about}")
        return
    if which not in ("", "all"):
        raise InputError(f"there is no help on {which}", "type /help, /help all or /help why")
    talk.console.print("Ask in plain words, also about the answers before. Or type")
    shown = list(COMMANDS.values()) if which else [COMMANDS[name] for name in _FIRST]
    width = max(len(command.usage) for command in shown)
    for command in shown:
        talk.console.print(f"  {command.usage:<{width}}  {command.about}")
    if not which:
        talk.console.print(
            "/help all lists the other commands and the keys. Ctrl-C stops a question. ✓ marks a "
            "triple that the graph holds."
        )
        return
    talk.console.print(
        "Alt-Enter, or \\ at the end of a line, begins a new line; Ctrl-X Ctrl-E opens an editor; "
        "Ctrl-R looks for what was typed before. Pasted questions, each a line that ends in ?, are "
        "asked in turn; any other pasted text is one. Ctrl-C stops a question, and drops what was "
        "pasted after it. ✓ marks a triple that the graph holds; a relation after ^ or ← is walked "
        "backwards."
    )


def use_method(talk: Talk, name: str) -> None:
    """Answer with another method; without a name, list them."""
    if name:
        talk.change(method=name, is_named=True)
        talk.console.print(f"Questions are answered with {name} from now on.")
        return
    from ...graphs import METHODS

    for listed, method in METHODS.items():
        mark = "*" if listed == talk.wanted.method else " "
        talk.console.print(f"{mark} {listed:<9} {method.about}")


def use_model(talk: Talk, spec: str) -> None:
    """Load another model, and its method where the user named none; then print its name."""
    if spec:
        method = {} if talk.wanted.is_named else {"method": method_of(spec)}
        talk.change(model=spec, **method)
    talk.console.print(f"The model is {talk.wanted.model}.")


def use_llm(talk: Talk, spec: str) -> None:
    """Take another LLM; then print its name."""
    from ...agent.llm.chat import describe_llm

    if spec:
        talk.change(llm=spec)
    talk.console.print(f"The LLM is {describe_llm(talk.wanted.llm)}.")


def correct(talk: Talk, reply: str) -> None:
    """Answer by the reading that was meant; a command that is typed instead is carried out."""
    from ..choosing import Changed

    try:
        readings.wrong(talk, reply)
    except Changed as changed:
        perform(talk, changed.line)


_DEFAULT = "default"
"""The value that makes an option what it was before anybody set it."""


def set_option(talk: Talk, pair: str) -> None:
    """Set an option, or show its value; without one, list those that are not as by default."""
    wanted, unset = talk.wanted, Options()
    if pair:
        first, _, rest = pair.partition(" ")
        if first in Options.__annotations__ and rest and "=" not in pair:
            pair = f"{first}={rest.strip()}"
        (name,) = names_set([pair])
        is_known, value = name in Options.__annotations__, pair.partition("=")[2].strip()
        if is_known and "=" not in pair:
            talk.console.print(f"{name} is {_shown(getattr(wanted.options, name))}.")
            return
        if is_known and value == _DEFAULT:
            options = replace(wanted.options, **{name: getattr(unset, name)})
            others = tuple(other for other in wanted.pairs if name not in names_set([other]))
            talk.change(options=options, pairs=others)
        else:
            options = read_options([pair], wanted.options)
            talk.change(options=options, pairs=(*wanted.pairs, pair))
        talk.console.print(f"{name} is {_shown(getattr(options, name))} from now on.")
        for note in talk.new_notes():
            talk.console.print(note, style="dim")
        return
    for field in fields(Options):
        value = getattr(wanted.options, field.name)
        if value != getattr(unset, field.name):
            talk.console.print(f"  {field.name}={value}")
    if wanted.options == unset:
        talk.console.print("No option is set.")


def _shown(value: object) -> str:
    """The value of an option; most of those that nobody set are the method's own choice."""
    return "as by default" if value is None else str(value)


def use_trace(talk: Talk, _: str) -> None:
    """Show what happens, or show answers alone."""
    shows = not talk.wanted.trace
    talk.wanted = replace(talk.wanted, trace=shows)
    talk.console.print(
        "Each step and every chain is shown from now on." if shows else "Answers alone are shown."
    )


def leave(talk: Talk, _: str) -> None:
    """End the conversation."""
    talk.over = True


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("/help", "[all|NAME]", "these commands; all that there are; or one", show_help),
        Command("/why", "[N]", "the chains behind the last answer; or that of the mark [N]",
                showing.why),
        Command("/all", "", "every answer, where some were folded away", showing.every_answer),
        Command("/undo", "", "take the last question back", threads.undo),
        Command("/trace", "", "show each step and every chain, or no longer", use_trace),
        Command("/paths", "", "all that was walked for it, the likeliest first", showing.paths),
        Command("/readings", "[N]", "how the question may be read; or the answer by reading N",
                readings.readings),
        Command("/wrong", "[N|edit|QUERY]", "answer by the reading that was meant, and keep it",
                correct),
        Command("/verify", "", "look its triples up again at the source", showing.verify),
        Command("/explain", "[FORM]", "its evidence: tree, mermaid, sparql, turtle, html",
                showing.explain),
        Command("/sparql", "", "the query that finds it in the graph", showing.sparql),
        Command("/entity", "NAME", "what the graph has under a name", showing.entity),
        Command("/neighbours", "NAME", "facts about it", showing.neighbours),
        Command("/kg", "", "what the graph holds", showing.kg),
        Command("/method", "[NAME]", "how questions are answered", use_method),
        Command("/model", "[DIR|HUB_ID]", "the model that decodes", use_model),
        Command("/llm", "[SPEC]", "the LLM that reasons, or none", use_llm),
        Command("/set", "[NAME=VALUE]", "an option of the method; or default", set_option),
        Command("/threads", "", "the conversations that are kept", threads.threads),
        Command("/thread", "[ID]", "show this conversation, or go on with another", threads.thread),
        Command("/export", "FILE",
                "the conversation (.md, .json), the answers (.csv), the evidence (.html, .ttl)",
                threads.export),
        Command("/clear", "", "begin a new conversation; a thread is kept", threads.clear),
        Command("/delete", "ID", "delete a thread for good, once you say yes", threads.delete),
        Command("/quit", "", "leave, as Ctrl-D does", leave),
        Command("/exit", "", "the same", leave),
    )
}  # fmt: skip
"""Every command by its name."""
