"""What ask, chat and mcp share: opening the parts, and running one question through the graph."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from ..agent.errors import DiskError
from ..agent.kg import KnowledgeGraph, why_no_facts
from ..agent.options import Options, names_set, read_options
from .options import Answering, check_prompts, chosen_method, one_of, with_settings

if TYPE_CHECKING:
    from ..agent.evidence import Origin, Reply
    from ..agent.linking import Candidate
    from ..agent.state import State
    from ..graphs.nesting import CompiledGraph

Event = dict[str, Any]
Choose = Callable[[dict[str, Any]], str]
"""Shows the user a question with options and returns the reply."""


@dataclass(frozen=True)
class Session:
    """An opened KG, the compiled graph over it and the options of every question."""

    kg: KnowledgeGraph
    graph: "CompiledGraph"
    options: Options
    notes: tuple[str, ...] = ()
    """What goes before the notes of every answer."""


def open_session(answering: Answering, *, interactive: bool = False) -> Session:
    """Open what the options name; what they leave out comes from the settings.

    With a `thread` the conversation is kept in the user's database of threads. Nobody is asked back
    who is not `interactive`.
    """
    method, options = check_answering(answering)
    if options.on_ambiguous == "ask" and answering.thread and not interactive:
        options = replace(options, on_ambiguous="error")
    answering = with_settings(answering)

    from langgraph.checkpoint.memory import InMemorySaver

    from ..agent.conversation.threads import open_threads
    from ..agent.llm.chat import chat_model
    from ..graphs import build_graph
    from ..graphs.methods import method_options, unused

    set_by_name = names_set(answering.pairs or ())
    notes = unused(method, options, set_by_name)
    options = method_options(method, options, paper=answering.paper, user_set=set_by_name)
    threads = open_threads() if answering.thread else None
    kg = answering.source.open()
    graph = build_graph(
        method,
        kg=kg,
        generator=answering.model,
        reader=answering.reader or None,
        llm=chat_model(answering.llm),
        device=answering.device,
        dtype=answering.dtype,
        prompts=answering.prompts,
        checkpointer=threads or (InMemorySaver() if interactive else None),
    )
    return Session(kg, graph, options, (*graph_notes(kg), *notes))


def check_answering(answering: Answering) -> tuple[str, Options]:
    """Look for mistakes before anything is loaded; the method, and how questions are answered.

    Raises InputError and ModelError.
    """
    method = chosen_method(answering.method, answering.model)
    answering.source.broken_statements()
    on_ambiguous = answering.on_ambiguous
    one_of("--on-ambiguous", on_ambiguous, "ask", "best", "error")
    check_prompts(answering.prompts)
    options = read_options(
        answering.pairs or (),
        Options(beams=answering.beams, hops=answering.hops, on_ambiguous=cast(Any, on_ambiguous)),
    )
    wanted = with_settings(answering)
    check_models(wanted.model, wanted.reader)
    return method, replace(options, partial=False) if answering.no_partial else options


def check_models(model: str, reader: str) -> None:
    """Look at the folders of the models, before libraries load. Raises ModelError."""
    from ..agent.llm.model_folder import check_source, use_few_threads

    use_few_threads(model)
    check_source(model)
    if reader:
        from ..agent.reader.weights import open_reader

        open_reader(reader)


def graph_notes(kg: KnowledgeGraph) -> list[str]:
    """What a user must know of a KG: what is not in it or not read, and that it has no facts."""
    return list(filter(None, (kg.left_out.note, why_no_facts(kg))))


def meanings(kg: KnowledgeGraph, name: str) -> list["Candidate"]:
    """The entities that a name may mean, the likeliest first."""
    from ..agent.linking import LabelLinker

    linker = LabelLinker(kg.labels, languages=kg.profile.languages)
    bracketed = f"[{name.translate(str.maketrans('[]', '  '))}]"
    return [candidate for mention in linker.link(bracketed) for candidate in mention.candidates]


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
    remembers = isinstance(session.graph.checkpointer, BaseCheckpointSaver)
    asks = remembers and session.options.on_ambiguous == "ask"
    writing: Any = {"durability": "exit"} if remembers else {}
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
                turn, config, context=session.options, stream_mode=["values", "updates"], **writing
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

    graph = session.graph.with_state().copy({"checkpointer": None})
    try:
        return graph.invoke(turn, context=session.options)
    except sqlite3.Error as error:
        raise DiskError(f"a database cannot be used: {error}", "make room on the disk") from error


def _event(node: str, update: Mapping[str, Any], asks: bool) -> Event | None:
    """What a node that is done came to, for whoever reads along; None where that is nothing.

    Where the graph `asks` back, an ambiguous name is not yet linked to anything.
    """
    match node:
        case "understand":
            asked, operation = update["asked"], update["operation"]
            if operation is None and asked == update["said"]:
                return None
            return {"event": "understood", "asked": asked, "operation": operation}
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


def origin_of(kg: KnowledgeGraph, model: str) -> "Origin":
    """What a question that is asked now is asked of, and with which model."""
    from importlib.metadata import version

    from ..agent.evidence import Origin
    from ..agent.settings import read_settings

    graphs = tuple(f"<{iri}>" for iri in kg.graphs)
    if not graphs and not kg.pinned:
        from ..agent.kg.stores.sparql import endpoint_settings

        graphs = endpoint_settings().graphs
    return Origin(
        source=kg.source,
        digest=kg.digest if kg.pinned else "",
        graphs=graphs,
        model=model or read_settings().model,
        version=version("groundwalk"),
        begun=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def reply_of(state: "State") -> "Reply":
    """What evidence is made of a final state; what was not understood goes before its notes."""
    from ..agent.answers.judging import other_notes, unread_line
    from ..graphs.tool import result_of

    notes = [*filter(None, [unread_line(state)]), *other_notes(state)]
    return cast("Reply", {**result_of(state), "notes": notes})
