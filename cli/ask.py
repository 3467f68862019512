"""`groundwalk ask`: one question, its answers and the chains that prove them."""

import io
import json
import shlex
import sys
from collections.abc import Sequence
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ..agent.errors import InputError, QuestionError
from ..agent.kg.labels.names import one_line
from . import options as o

if TYPE_CHECKING:
    from ..agent.evidence import Form, Origin
    from ..agent.kg import KnowledgeGraph
    from ..agent.state import State
    from .render import Screen
    from .session import Session

_WITHOUT_NOTES = ("mermaid", "sparql")
"""Forms of evidence that are for programs: what was not understood is told beside them too."""


@o.takes_options
def ask(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUESTION",
            help="What to ask, in plain words and in quotes; - or nothing is standard input.",
        ),
    ] = None,
    query: Annotated[
        Path | None,
        typer.Option(
            "--query",
            metavar="FILE",
            help="Run this query, a JSON file or - for standard input; no model is asked.",
        ),
    ] = None,
    *,
    answering: o.Answering,
    explain: Annotated[
        str | None,
        typer.Option(
            "--explain",
            metavar="FORM",
            help="Print the evidence instead: tree, mermaid, sparql, turtle or html.",
        ),
    ] = None,
    as_json: o.Json = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the answer and nothing else.")
    ] = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print the answers as CSV, with their terms.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Print each step as it happens, and what it took.")
    ] = False,
) -> None:
    """Answer one question over a knowledge graph, with the verified chain of every answer."""
    typed = words or []
    question, tree = _question(typed, query), _tree(typed, query)
    o.chosen_method(answering.method, answering.model)
    form = _form(explain, as_json=as_json, as_csv=as_csv)
    from .render import Screen
    from .session import open_session, origin_of
    from .tables import csv_of

    terminal = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    piped = form is not None and not sys.stdout.isatty()
    screen = Screen(silent=as_json or as_csv or quiet or piped, trace=trace)
    with screen.waiting("opening the graph and the model"):
        session = open_session(answering, interactive=terminal and not quiet)
    state = _answered(session, question, answering.thread or "ask", screen, tree)
    if form is not None:
        screen.console.print()
        _print_evidence(form, state, origin_of(session.kg, answering.model))
    elif as_json:
        from ..graphs.tool import result_of

        typer.echo(json.dumps(result_of(state), ensure_ascii=False, indent=2))
    elif as_csv:
        typer.echo(csv_of(state), nl=False)
        _print_silence(state)
    elif quiet:
        _print_answers(state)
    else:
        _show(screen, state, session.kg)
    if state.get("status") == "unchecked":
        raise typer.Exit(3)


def _form(wanted: str | None, *, as_json: bool, as_csv: bool) -> "Form | None":
    """The form that `--explain` names. Raises InputError for another, or beside other outputs."""
    outputs = {"--explain": wanted is not None, "--json": as_json, "--csv": as_csv}
    asked_for = [option for option, is_given in outputs.items() if is_given]
    if wanted is not None:
        from ..agent.evidence import FORMS

        o.one_of("--explain", wanted, *FORMS)
    if len(asked_for) > 1:
        raise InputError(f"{' and '.join(asked_for)} ask for two outputs", "give one of them")
    return cast("Form | None", wanted)


_PLAUSIBLE = 0.3
"""The least confidence of an answer that a user is told how to have all the same."""


def _show(screen: "Screen", state: "State", kg: "KnowledgeGraph") -> None:
    """Show the result; of an answer that is unsure, with which option it is given."""
    screen.result(state, kg)
    if state.get("status") == "unsure" and state.get("confidence", 0.0) >= _PLAUSIBLE:
        enough = floor(100 * state.get("confidence", 0.0)) / 100
        screen.console.print(f"[dim]it is answered with[/] --set confidence={enough:.2f}")


def _print_evidence(form: "Form", state: "State", origin: "Origin") -> None:
    """Print the evidence for an answer, in UTF-8 wherever it goes, as its forms promise.

    What was not understood goes to standard error too where the form is for programs.
    """
    from ..agent.answers.judging import unread_line
    from ..agent.evidence import explain
    from .session import reply_of

    if form in _WITHOUT_NOTES and (line := unread_line(state)):
        typer.echo(one_line(line), err=True)
    typer.echo(explain(form, reply_of(state), origin).encode(), nl=False)


def _print_answers(state: Any) -> None:
    """Print the answers, a line each; to standard error what was not understood, or why none."""
    computed = state["result"]
    labels = [answer["label"] for answer in state["answers"]]
    for text in [computed["text"]] if computed else labels:
        typer.echo(text)
    _print_silence(state)


def _print_silence(state: Any) -> None:
    """Print to standard error what was not understood, or why there is no answer."""
    from ..agent.answers.judging import other_notes, unread_line

    if line := unread_line(state):
        typer.echo(one_line(line), err=True)
    if not state["answers"] and not state["result"]:
        reason, notes = state["messages"][-1].text, "; ".join(other_notes(state))
        typer.echo(f"{reason} {notes}", err=True)


def _question(words: Sequence[str], file: Path | None) -> str:
    """The question in words, of standard input where it is `-` or left out; empty for `--query`.

    Raises InputError where the shell made several of one, and QuestionError for an empty one.
    """
    if len(words) > 1:
        if Path(words[0]).exists():
            named = shlex.join(["groundwalk", "ask", "--kg", words[0], " ".join(words[1:])])
            raise InputError(f"{words[0]} is no question, but a file or folder", f"type {named}")
        quoted = shlex.join(["groundwalk", "ask", " ".join(words)])
        raise InputError("the question is not in quotes", f"type {quoted}")
    if file is not None:
        return ""
    if words == ["-"] or (not words and not sys.stdin.isatty()):
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="surrogateescape")  # told where the question is read
        lines = sys.stdin.read().splitlines()
        if sum(line.rstrip().endswith("?") for line in lines) > 1:
            several = f"{len(lines)} lines with several questions are piped in"
            raise InputError(several, "give one, or pipe them into groundwalk chat")
        question = " ".join(" ".join(lines).split())
    else:
        question = "".join(words)
    if not question.strip():
        how = 'type groundwalk ask "What is the capital of Peru?", or pipe the question in'
        raise QuestionError("the question is empty", how)
    return question


def _tree(words: Sequence[str], file: Path | None) -> object:
    """The query of `--query`, `-` being standard input; None where the question is in words.

    Raises InputError.
    """
    if file is None:
        return None
    name = "standard input" if str(file) == "-" else str(file)
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
        tree = json.loads(text)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}", "check --query") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text", "save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON: {error}", "docs/queries.md has the form") from error
    if not isinstance(tree, dict) or not tree:
        raise InputError(f"{name} holds no query", "docs/queries.md has the form")
    if words:
        raise InputError("a question and --query are two things to ask", "give one of them")
    return cast("object", tree)


def _answered(
    session: "Session", question: str, thread: str, screen: "Screen", tree: object = None
) -> Any:
    """The final state of a question, or of the one that the user asks instead of a choice.

    Raises QuestionError where the user leaves without a choice.
    """
    from .choosing import Changed, choose
    from .session import run

    def chosen(asked: dict[str, Any]) -> str:
        try:
            return choose(
                asked,
                kg=session.kg,
                console=screen.console,
                read=input,
                command=lambda line: f"{line.split()[0]}: commands work in `groundwalk chat` only",
                others="or a new question; Ctrl-D leaves",
            )
        except EOFError as error:
            hint = "name it in full, or take the likeliest with --on-ambiguous best"
            raise QuestionError("no entity was chosen", hint) from error

    state: Any = None
    try:
        for event in run(session, question, thread, chosen, tree):
            if "event" in event:
                screen.event(event)
            else:
                state = event
    except Changed as changed:
        screen.console.print(f"the question is dropped: {one_line(question)}", style="dim")
        return _answered(session, changed.line, thread, screen)
    return state
