"""`groundwalk ask`: one question, its answers and the chains that prove them."""

import json
import sys
from typing import Annotated, Any

import typer

from ..agent.errors import QuestionError
from . import options as o


def ask(
    question: Annotated[str, typer.Argument(help="What to ask, in plain words.")],
    kg: o.KG = None,
    profile: o.Profile = "generic",
    graph: o.Graphs = None,
    language: o.Language = None,
    mediators: o.Mediators = None,
    infer: o.Infer = None,
    method: o.Method = None,
    model: o.Model = None,
    llm: o.LLM = None,
    beams: o.Beams = None,
    hops: o.Hops = None,
    paper: o.Paper = False,
    settings: o.Settings = None,
    on_ambiguous: o.OnAmbiguous = "ask",
    thread: o.Thread = None,
    device: o.Device = None,
    dtype: o.Dtype = None,
    prompts: o.Prompts = None,
    explain: o.Explain = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Answer one question over a knowledge graph, with the verified chain of every answer."""
    if not question.strip():
        raise QuestionError("the question is empty", "ask about something in the graph")
    from ..graphs.tool import result_of
    from .evidence import form_of, origin_of, print_evidence
    from .render import Changed, Screen
    from .session import open_session, run

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
            model=model,
            llm=llm,
            method=method,
            beams=beams,
            hops=hops,
            paper=paper,
            pairs=settings or (),
            on_ambiguous=on_ambiguous,
            device=device,
            dtype=dtype,
            prompts=prompts,
            interactive=terminal,
            thread=thread,
        )

    def choose(asked: dict[str, Any]) -> str:
        try:
            return screen.choose(asked)
        except (Changed, EOFError):
            return "none"

    origin = origin_of(session.kg, model)
    for event in run(session, question, thread or "ask", choose):
        if "event" in event:
            screen.event(event)
        else:
            state: Any = event
            if form is not None:
                screen.console.print()
                print_evidence(form, result_of(state), origin)
            elif as_json:
                typer.echo(json.dumps(result_of(state), ensure_ascii=False, indent=2))
            elif quiet:
                computed = state["result"]
                for line in [computed["text"]] if computed else labels(state):
                    typer.echo(line)
                if not state["answers"] and not computed:
                    typer.echo(
                        f"{state['messages'][-1].text} {'; '.join(state['notes'])}", err=True
                    )
            else:
                screen.result(state, session.kg)
            if state.get("status") == "unchecked":
                raise typer.Exit(3)


def labels(state: Any) -> list[str]:
    """The names of the answers."""
    return [answer["label"] for answer in state["answers"]]
