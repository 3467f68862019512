"""What ask and chat share: opening the parts, and running one question through the graph."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..agent.errors import DiskError, InputError
from ..agent.kg import KnowledgeGraph, why_no_facts
from ..agent.options import Options, names_set, read_options
from .options import on_broken_of

if TYPE_CHECKING:
    from ..agent.kg import OnBroken, OnProgress
    from ..agent.settings import Settings
    from ..agent.state import State
    from ..graphs.skeleton import Compiled

Event = dict[str, Any]
Choose = Callable[[dict[str, Any]], str]
"""Shows the user a question with options and returns the reply."""


@dataclass(frozen=True)
class Session:
    """An opened KG, the compiled graph over it and the options of every question."""

    kg: KnowledgeGraph
    graph: "Compiled"
    options: Options
    notes: tuple[str, ...] = ()
    """What goes before the notes of every answer."""


def open_session(
    *,
    kg: str | None,
    profile: str,
    graphs: Sequence[str],
    language: str | None,
    mediators: str | None,
    infer: str | None,
    on_broken: str,
    model: str | None,
    reader: str | None,
    llm: str | None,
    method: str,
    beams: int | None,
    hops: int | None,
    paper: bool,
    pairs: Sequence[str],
    on_ambiguous: str,
    device: str | None,
    dtype: str | None,
    prompts: Path | None,
    interactive: bool,
    no_partial: bool = False,
    thread: str | None = None,
    on_progress: "OnProgress | None" = None,
) -> Session:
    """Open what the options name; what they leave out comes from the settings.

    `pairs` set further options of the method, such as `width=5`. With a `thread` the conversation
    is kept in the user's database of threads. Nobody is asked back who is not `interactive`.
    """
    broken = on_broken_of(on_broken)
    options = question_options(pairs, beams, hops, on_ambiguous, prompts, no_partial=no_partial)
    if options.on_ambiguous == "ask" and thread and not interactive:
        options = replace(options, on_ambiguous="error")
    from ..agent.llm.local import check_source, use_few_threads
    from ..agent.reader.weights import open_reader
    from ..agent.settings import read_settings

    settings = read_settings()
    source = model or settings.model
    use_few_threads(source)
    check_source(source)
    if named := reader or settings.reader:
        open_reader(named)

    from langgraph.checkpoint.memory import InMemorySaver

    from ..agent.conversation.threads import open_threads
    from ..agent.llm.chat import chat_model
    from ..graphs import build_graph
    from ..graphs.asked_with import method_options, unused

    kept = names_set(pairs)
    notes = unused(method, options, kept)
    options = method_options(method, options, paper=paper, kept=kept)
    keeper = open_threads() if thread else None
    opened = open_source(
        settings,
        kg=kg,
        profile=profile,
        graphs=graphs,
        language=language,
        mediators=mediators,
        infer=infer,
        on_broken=broken,
        on_progress=on_progress,
    )
    notes = [*graph_notes(opened), *notes]
    graph = build_graph(
        method,
        kg=opened,
        generator=source,
        reader=reader or settings.reader or None,
        llm=chat_model(llm or settings.llm),
        device=device or settings.device,
        dtype=dtype or settings.dtype,
        prompts=prompts,
        checkpointer=keeper or (InMemorySaver() if interactive else None),
    )
    return Session(opened, graph, options, tuple(notes))


def question_options(
    pairs: Sequence[str],
    beams: int | None,
    hops: int | None,
    on_ambiguous: str,
    prompts: Path | None,
    *,
    no_partial: bool = False,
) -> Options:
    """How questions are to be answered. Raises InputError for what these options cannot be."""
    if on_ambiguous not in ("ask", "best", "error"):
        raise InputError(f"--on-ambiguous {on_ambiguous}: is none of ask, best and error")
    if prompts is not None and not prompts.is_dir():
        raise InputError(f"{prompts}: there is no such folder of prompts", "check --prompts")
    options = read_options(pairs, Options(beams=beams, hops=hops, on_ambiguous=on_ambiguous))
    return replace(options, partial=False) if no_partial else options


def open_source(
    settings: "Settings",
    *,
    kg: str | None,
    profile: str,
    graphs: Sequence[str],
    language: str | None,
    mediators: str | None,
    infer: str | None,
    on_broken: "OnBroken" = "fail",
    on_progress: "OnProgress | None" = None,
) -> KnowledgeGraph:
    """Open the KG that the options name, or else the settings."""
    from ..agent.kg import language_tags, load_profile, open_kg, reading_of

    return open_kg(
        settings.kg if kg is None else kg,
        profile=load_profile(profile),
        graphs=graphs,
        languages=language_tags(settings.language if language is None else language),
        reading=reading_of(
            settings.mediators if mediators is None else mediators,
            settings.infer if infer is None else infer,
        ),
        on_broken=on_broken,
        on_progress=on_progress,
    )


def graph_notes(kg: KnowledgeGraph) -> list[str]:
    """What a user must know of a KG: what of its files is not in it, and that it has no facts."""
    return list(filter(None, (kg.left_out.note, why_no_facts(kg))))


def run(
    session: Session, question: str, thread: str, choose: Choose, query: object = None
) -> "Iterator[Event | State]":
    """Stream the events of one question, or of a query in its place, then the final state.

    Where the graph asks back, `choose` answers and the run goes on. The nodes run in this thread,
    so that an interrupt stops the one that is at work; what the thread remembers stays whole. A
    turn that cannot be kept is answered, and says so. Raises DiskError where a database fails.
    """
    import sqlite3

    from langchain_core.messages import HumanMessage
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.types import Command

    config: Any = {"configurable": {"thread_id": thread}}
    can_ask = isinstance(session.graph.checkpointer, BaseCheckpointSaver)
    asks = can_ask and session.options.on_ambiguous == "ask"
    kept: Any = {"durability": "exit"} if can_ask else {}
    turn: Any = {"question": question, "messages": [HumanMessage(question)]}
    if query is not None:
        turn = {"query": query, "question": question}
    state: State = {}
    begun: State | None = None
    notes = list(session.notes)
    while turn is not None:
        asked: Any = None
        try:
            for mode, chunk in session.graph.stream(
                turn, config, context=session.options, stream_mode=["values", "updates"], **kept
            ):
                if mode == "values":
                    state = cast("State", chunk)
                    begun = begun or state
                elif interrupts := cast("dict[str, Any]", chunk).get("__interrupt__"):
                    asked = interrupts[0].value
                else:
                    for node, update in cast("dict[str, Any]", chunk).items():
                        if event := _event(node, update or {}, asks):
                            yield event
        except sqlite3.Error as error:
            notes.append(f"this turn could not be kept: {error}")
            state, asked = _unkept(session, begun or turn), None
        turn = Command(resume=choose(asked)) if asked else None
    yield {**state, "notes": [*notes, *state.get("notes", [])]}


def _unkept(session: Session, turn: Any) -> "State":
    """Answer a turn, with what was before it, and keep nothing. Raises DiskError."""
    import sqlite3

    graph = session.graph.copy({"checkpointer": None})
    try:
        return cast("State", graph.invoke(turn, context=session.options))
    except sqlite3.Error as error:
        raise DiskError(f"a database cannot be used: {error}", "make room on the disk") from error


def _event(node: str, update: Mapping[str, Any], asks: bool) -> Event | None:
    """What a node that is done came to, for whoever reads along; None where that is nothing.

    Where the graph `asks` back, an ambiguous name is not yet linked to anything.
    """
    match node:
        case "understand":
            told = {"asked": update["asked"], "operation": update["operation"]}
            plain = told["operation"] is None and update["asked"] == update["said"]
            return None if plain else {"event": "understood", **told}
        case "link" if asks and any(mention["ambiguous"] for mention in update["mentions"]):
            return None
        case "link" | "ask_user":
            return {"event": "linked", "topics": update["topics"]}
        case "propose":
            topics = update.get("topics")
            return None if topics is None else {"event": "linked", "topics": topics}
        case "load":
            return {"event": "loaded", "view": update["view"]}
        case "verify":
            return {"event": "verified", "candidates": update["candidates"]}
        case "induce" | "combine" | "run_query" | "respond":
            return None
        case _:
            walks = update.get("candidates")
            return None if walks is None else {"event": "decoded", "paths": len(walks)}
