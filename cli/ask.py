"""`groundwalk ask`: one question, its answers and the chains that prove them."""

import json
import sys
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ..agent.errors import InputError, QuestionError
from ..agent.kg.names import one_line
from . import options as o

if TYPE_CHECKING:
    from .render import Screen
    from .session import Session


def ask(
    question: Annotated[str, typer.Argument(help="What to ask, in plain words.")] = "",
    query: Annotated[
        Path | None,
        typer.Option(
            "--query",
            metavar="FILE",
            help="Run this query, a JSON file or - for standard input; no model is asked.",
        ),
    ] = None,
    kg: o.KG = None,
    profile: o.Profile = "generic",
    graph: o.Graphs = None,
    language: o.Language = None,
    mediators: o.Mediators = None,
    infer: o.Infer = None,
    on_broken: o.OnBroken = "fail",
    method: o.Method = None,
    model: o.Model = None,
    reader: o.Reader = None,
    llm: o.LLM = None,
    beams: o.Beams = None,
    hops: o.Hops = None,
    paper: o.Paper = False,
    settings: o.Settings = None,
    on_ambiguous: o.OnAmbiguous = "ask",
    no_partial: o.NoPartial = False,
    thread: o.Thread = None,
    device: o.Device = None,
    dtype: o.Dtype = None,
    prompts: o.Prompts = None,
    explain: o.Explain = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Answer one question over a knowledge graph, with the verified chain of every answer."""
    tree = None if query is None else read_tree(query)
    if tree is not None and question.strip():
        raise InputError("a question and --query are two things to ask", "give one of them")
    if tree is None and not question.strip():
        raise QuestionError("the question is empty", "ask about something in the graph")
    method = o.chosen_method(method, model)
    from ..graphs.tool import result_of
    from ..graphs.unread import other_notes, unread_line
    from .evidence import form_of, origin_of, print_evidence
    from .render import Screen
    from .session import open_session

    form = form_of(explain, as_json=as_json)
    terminal = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    piped = form is not None and not sys.stdout.isatty()
    screen = Screen(silent=as_json or quiet or piped)
    with screen.waiting("opening the graph and the model"):
        session = open_session(
            kg=kg,
            profile=profile,
            graphs=graph or (),
            language=language,
            mediators=mediators,
            infer=infer,
            on_broken=on_broken,
            model=model,
            reader=reader,
            llm=llm,
            method=method,
            beams=beams,
            hops=hops,
            paper=paper,
            pairs=settings or (),
            on_ambiguous=on_ambiguous,
            no_partial=no_partial,
            device=device,
            dtype=dtype,
            prompts=prompts,
            interactive=terminal and not quiet,
            thread=thread,
        )

    state = _answered(session, question, thread or "ask", screen, tree)
    if form is not None:
        screen.console.print()
        print_evidence(form, state, origin_of(session.kg, model))
    elif as_json:
        typer.echo(json.dumps(result_of(state), ensure_ascii=False, indent=2))
    elif quiet:
        if line := unread_line(state):
            typer.echo(one_line(line), err=True)
        computed = state["result"]
        for line in [computed["text"]] if computed else labels(state):
            typer.echo(line)
        if not state["answers"] and not computed:
            said, notes = state["messages"][-1].text, "; ".join(other_notes(state))
            typer.echo(f"{said} {notes}", err=True)
    else:
        screen.result(state, session.kg)
        if state.get("status") == "unsure":
            enough = floor(100 * state.get("confidence", 0.0)) / 100
            screen.console.print(f"[dim]it is answered with[/] --set confidence={enough:.2f}")
    if state.get("status") == "unchecked":
        raise typer.Exit(3)


def read_tree(file: Path) -> object:
    """The JSON value of a file, `-` being standard input. Raises InputError."""
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


def labels(state: Any) -> list[str]:
    """The names of the answers."""
    return [answer["label"] for answer in state["answers"]]
