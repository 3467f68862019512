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
    device: o.Device = None,
    dtype: o.Dtype = None,
    prompts: o.Prompts = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Answer one question over a knowledge graph, with the verified chain of every answer."""
    if not question.strip():
        raise QuestionError("the question is empty", "ask about something in the graph")
    from .render import Changed, Screen
    from .session import open_session, run

    terminal = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    screen = Screen(silent=as_json or quiet)
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
        )

    def choose(asked: dict[str, Any]) -> str:
        try:
            return screen.choose(asked)
        except (Changed, EOFError):
            return "none"

    for event in run(session, question, "ask", choose):
        if "event" in event:
            screen.event(event)
        else:
            state: Any = event
            if as_json:
                typer.echo(json.dumps(result(state), ensure_ascii=False, indent=2))
            elif quiet:
                for answer in state["answers"]:
                    typer.echo(answer["label"])
                if not state["answers"]:
                    typer.echo(
                        f"{state['messages'][-1].text} {'; '.join(state['notes'])}", err=True
                    )
            else:
                screen.result(state, session.kg)
            if state.get("status") == "unchecked":
                raise typer.Exit(3)


def result(state: Any) -> dict[str, Any]:
    """The public result of a question, as `--json` prints it."""
    keys = ("question", "status", "answers", "unsupported", "topics", "method", "usage", "notes")
    return {key: state.get(key) for key in keys}
