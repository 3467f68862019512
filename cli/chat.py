"""`groundwalk chat`: questions and verified answers, one after another, in the terminal."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..agent.errors import GroundwalkError
from . import options as o

if TYPE_CHECKING:
    from ..agent.kg import KnowledgeGraph

HELP = """Ask in plain words. Commands:
  /why     the paths that the model walked for the last question
  /kg      what the graph holds
  /help    this list
  /quit    leave (so does Ctrl-D); Ctrl-C stops a question
In a path, ^ marks a relation that is walked backwards. ✓ marks a triple that the graph holds."""


def chat(
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
) -> None:
    """Ask question after question; steps, answers and proofs appear as they come."""
    from .main import report
    from .render import Changed, Screen, is_terminal, print_kg
    from .session import open_session, run

    screen = Screen()
    with screen.waiting("opening the graph"):
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
            interactive=True,
        )
    read = _reader(is_terminal())
    screen.console.print(f"{_introduction(session.kg)} Ask, or /help.", markup=False)
    last: Any = {}
    turn, typed = 0, ""
    while (line := typed or read()) is not None:
        typed = ""
        match line.split():
            case []:
                continue
            case ["/quit" | "/exit"]:
                break
            case ["/help"]:
                screen.console.print(HELP)
            case ["/kg"]:
                print_kg(session.kg, as_json=False)
            case ["/why"]:
                _why(screen, last)
            case [word, *_] if word.startswith("/"):
                screen.console.print(f"{word} is no command; /help lists them", markup=False)
            case _:
                turn += 1
                try:
                    for event in run(session, line, f"chat-{turn}", screen.choose):
                        if "event" in event:
                            screen.event(event)
                        else:
                            last = event
                            screen.result(last, session.kg)
                except Changed as changed:
                    typed = changed.line
                except KeyboardInterrupt:
                    screen.console.print("stopped")
                except EOFError:
                    break
                except GroundwalkError as error:
                    report(error)


def _why(screen: Any, state: Any) -> None:
    from rich.text import Text

    from .render import printable

    if not state:
        screen.console.print("ask something first")
    for path in state.get("candidates", []):
        screen.console.print(
            Text(f"  {path['score']:7.2f}  ", style="dim").append(printable(path["text"]))
        )


def _introduction(kg: "KnowledgeGraph") -> str:
    if not kg.pinned:
        return f"{kg.source}, asked as you ask; names must be spelled as it spells them."
    counts = kg.counts
    return f"{kg.source}: {counts.facts:,} facts about {counts.entities:,} entities."


def _reader(terminal: bool) -> Callable[[], str | None]:
    """A function that reads the next line; None at the end of the input."""
    if not terminal:

        def plain() -> str | None:
            try:
                return input()
            except (EOFError, KeyboardInterrupt):
                return None

        return plain
    from prompt_toolkit import PromptSession
    from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    from ..agent.kg.folder import cache_folder

    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
        file = cache_folder() / "history"
        file.touch(mode=0o600)
        os.chmod(file, 0o600)
        history = FileHistory(str(file))
    except OSError:
        history = InMemoryHistory()
    prompt: PromptSession[str] = PromptSession(
        history=history, auto_suggest=AutoSuggestFromHistory()
    )

    def fancy() -> str | None:
        while True:
            try:
                return prompt.prompt("\nyou > ")
            except KeyboardInterrupt:
                continue
            except EOFError:
                return None

    return fancy
