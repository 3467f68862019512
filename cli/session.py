"""What ask and chat share: opening the parts, and running one question through the graph."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..agent.errors import InputError
from ..agent.kg import KnowledgeGraph
from ..agent.options import Options, names_set, paper_options, read_options
from ..agent.state import State
from ..graphs.skeleton import Compiled

if TYPE_CHECKING:
    from ..agent.kg import OnProgress

Event = dict[str, Any]
Choose = Callable[[dict[str, Any]], str]
"""Shows the user a question with options and returns the reply."""


@dataclass(frozen=True)
class Session:
    """An opened KG, the compiled graph over it and the options of every question."""

    kg: KnowledgeGraph
    graph: Compiled
    options: Options


def open_session(
    *,
    kg: str | None,
    profile: str,
    graphs: Sequence[str],
    language: str | None,
    mediators: str | None,
    infer: str | None,
    model: str | None,
    llm: str | None,
    method: str | None,
    beams: int | None,
    hops: int | None,
    paper: bool,
    pairs: Sequence[str],
    on_ambiguous: str,
    device: str | None,
    dtype: str | None,
    prompts: Path | None,
    interactive: bool,
    on_progress: "OnProgress | None" = None,
) -> Session:
    """Open what the options name; what they leave out comes from the settings.

    `pairs` set further options of the method, such as `width=5`.
    """
    if on_ambiguous not in ("ask", "best", "error"):
        raise InputError(f"--on-ambiguous {on_ambiguous}: is none of ask, best and error")
    if prompts is not None and not prompts.is_dir():
        raise InputError(f"{prompts}: there is no such folder of prompts", "check --prompts")
    options = read_options(pairs, Options(beams=beams, hops=hops, on_ambiguous=on_ambiguous))
    from ..agent.llm.local import use_few_threads
    from ..agent.settings import read_settings

    settings = read_settings()
    use_few_threads(model or settings.model)

    from langgraph.checkpoint.memory import InMemorySaver

    from ..agent.kg import language_tags, load_profile, open_kg, reading_of
    from ..agent.llm.chat import chat_model
    from ..graphs import METHODS, build_graph

    opened = open_kg(
        settings.kg if kg is None else kg,
        profile=load_profile(profile),
        graphs=graphs,
        languages=language_tags(settings.language if language is None else language),
        reading=reading_of(
            settings.mediators if mediators is None else mediators,
            settings.infer if infer is None else infer,
        ),
        on_progress=on_progress,
    )
    graph = build_graph(
        method or settings.method,
        kg=opened,
        generator=model or settings.model,
        llm=chat_model(llm or settings.llm),
        device=device or settings.device,
        dtype=dtype or settings.dtype,
        prompts=prompts,
        checkpointer=InMemorySaver() if interactive else None,
    )
    if paper:
        own = METHODS[method or settings.method].paper
        options = paper_options(options, own, names_set(pairs))
    return Session(opened, graph, options)


def run(session: Session, question: str, thread: str, choose: Choose) -> Iterator[Event | State]:
    """Stream the events of one question, then its final state.

    Where the graph asks back, `choose` answers and the run goes on.
    """
    from langgraph.types import Command

    config: Any = {"configurable": {"thread_id": thread}}
    turn: Any = {"question": question}
    state: State = {}
    while turn is not None:
        following: Any = None
        for mode, chunk in session.graph.stream(
            turn, config, context=session.options, stream_mode=["custom", "values", "updates"]
        ):
            if mode == "custom":
                yield cast(Event, chunk)
            elif mode == "values":
                state = cast(State, chunk)
            elif "__interrupt__" in cast(dict[str, Any], chunk):
                asked = cast(Any, chunk)["__interrupt__"][0].value
                following = Command(resume=choose(asked))
        turn = following
    yield state
