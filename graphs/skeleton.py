"""The state machine that all methods share; a method fills in the middle.

START -> understand -> propose -> link -> [ambiguous: ask_user] -> load -> METHOD -> induce
                          |        ^                                ^                  |
                          |        |                                |                  v
                          |        |                                +- widen: nothing- verify
                          |        |                                   stands          |
                          |        +--- the next part ---+                             |
                          +-- to be computed ------> combine <-- one of several parts -+
                          |                              |                             |
                          +-- answered as a whole -------+--> respond -> END <---------+

`propose` reads the question as a query. A method that answers questions as a whole does so there:
what stands goes to `respond`, and the rest goes on. For any other one the query is taken apart
there: the method answers its plain parts. It lets pass what is no query: a question of multiple
choice or with given topics, and one about the conversation itself. A query in the place of a
question goes to `run_query`. Before `ask_user` interrupts, `offer` streams what it asks.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial, wraps
from inspect import unwrap
from typing import Any, Literal

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ..agent.answers.candidates import question_mentions
from ..agent.answers.judging import is_confident
from ..agent.caching import Pool, once
from ..agent.conversation.introduction import Introduction, introduce
from ..agent.errors import ShortageError, is_shortage
from ..agent.kg import KnowledgeGraph
from ..agent.kg.store import metered
from ..agent.kg.terms import Term
from ..agent.llm.bag_of_words import tempered
from ..agent.llm.model_folder import ModelSettings
from ..agent.llm.prompt import mask
from ..agent.nodes import Node
from ..agent.nodes.ask_user import ask_user, offer
from ..agent.nodes.combine import combine, next_part
from ..agent.nodes.induce import Reasoning, induce
from ..agent.nodes.link import link
from ..agent.nodes.load import can_widen, load
from ..agent.nodes.respond import is_computed, respond
from ..agent.nodes.run_query import run_query
from ..agent.nodes.understand import understand
from ..agent.nodes.verify import verify
from ..agent.options import Options
from ..agent.query.facts import Facts
from ..agent.records import no_usage
from ..agent.state import GraphInput, Output, State
from ..agent.stopping import look_up
from .ground import Parts
from .harness import method_node
from .line import MOST_WAITING, Line
from .method import COMMON, Method
from .nesting import CompiledGraph, lent_checkpointer
from .reading import plain_questions

RECURSION_LIMIT = 1_000
"""Steps of a run; a question of fifty parts, each widened once, takes some five hundred."""

_AT_ONCE = 1
"""Questions that are answered beside one another where all work is done in this process."""
_AT_ONCE_REMOTE = 16
"""The same where a chat LLM or an endpoint does a part of it."""

_OTHER_GRAPH = (
    "the model was trained on another graph: `--method query` reads any, and `groundwalk train "
    "--kg SRC --formats path,plan,chain --out DIR` makes a model for this one"
)
_AS_STORED = "walks the facts as they are stored: --mediators and --infer are not used"


def skeleton(
    name: str,
    method: Method,
    parts: Parts,
    checkpointer: BaseCheckpointSaver[Any] | bool | None,
    default: Options | None = None,
    most_waiting: int = MOST_WAITING,
) -> CompiledGraph[State]:
    """Compile the state machine around a method; its runs return the whole state.

    `default` are the options of a run that has none; `most_waiting` is the length of the line.

    A run without a checkpointer could not be resumed after an interrupt, so an ambiguous question
    then ends with the status `ambiguous` and its readings in the notes.
    """
    threshold = (
        method.threshold(parts) if method.threshold else parts.settings.threshold(method.format)
    )
    settings, least = replace(parts.settings, confidence=threshold), _least(threshold, method)
    notes = list[str]()
    if not (parts.kg.reading.plain or method.reads(parts.settings)):
        parts, notes = replace(parts, kg=parts.kg.as_stored), [f"{name} {_AS_STORED}"]
    facts = Pool(partial(Facts, parts.kg)).lent
    whole = method.whole(parts, facts)
    rewriting = None if whole is None else parts.llm
    graph = StateGraph(State, context_schema=Options, input_schema=GraphInput, output_schema=Output)

    @once
    def introduction() -> Introduction:
        return introduce(parts.kg, None if parts.llm else partial(_answers, compiled))

    nodes: dict[str, Node] = {
        "understand": understand(parts.linker, name, parts.kg, rewriting, parts.prompts),
        "propose": whole or plain_questions(parts, name, notes),
        "link": link(parts.linker, name, parts.kg, notes),
        "offer": offer(),
        "ask_user": ask_user(),
        "load": load(settings),
        name: method_node(name, method, parts),
        "induce": induce(
            Reasoning(
                parts.kg,
                parts.llm,
                parts.prompts,
                method.prompts,
                common=method.common,
                topics_apart="every_topic" in method.uses,
            )
        ),
        "verify": verify(parts.kg, _sure(parts, method)),
        "combine": combine(parts.kg, least, introduction, notes),
        "run_query": run_query(parts.kg, facts, name),
        "respond": respond(least, _foreign(parts, method)),
    }
    if method.reasons:
        del nodes["induce"]
    options = COMMON | method.uses
    for node_name, node in nodes.items():
        is_first = node_name == "understand"
        graph.add_node(node_name, guarded(parts.kg, node, options, is_first=is_first))
    graph.add_conditional_edges(START, after_start, ["understand", "run_query"])
    graph.add_edge("run_query", "respond")
    asks = _asks_back(may_ask=checkpointer is not False)
    graph.add_conditional_edges("understand", _understood(asks), ["propose", "offer"])
    ways = ["link", "combine", "load", "respond"]
    graph.add_conditional_edges("propose", after_propose, ways)
    graph.add_conditional_edges("link", _linked(asks), ["offer", "load", "combine", "respond"])
    graph.add_edge("offer", "ask_user")
    graph.add_conditional_edges("ask_user", after_asking, ["propose", "load", "combine"])
    graph.add_edge("load", name)
    graph.add_edge(name, "verify" if method.reasons else "induce")
    if not method.reasons:
        graph.add_edge("induce", "verify")
    after_verify = _verified(settings, method, least)
    graph.add_conditional_edges("verify", after_verify, ["load", "combine", "respond"])
    graph.add_conditional_edges("combine", after_combine, ["link", "respond"])
    graph.add_edge("respond", END)
    parts_of = vars(graph.compile(checkpointer=checkpointer, name="groundwalk"))
    at_once = _AT_ONCE if parts.llm is None and parts.kg.pinned else _AT_ONCE_REMOTE
    line = Line(at_once, most_waiting)
    unbound = CompiledGraph(
        line=line, prepare=introduction, options=default or Options(), **parts_of
    )
    compiled = unbound.with_config(
        recursion_limit=RECURSION_LIMIT,
        run_name="groundwalk",
        tags=["groundwalk"],
        metadata={"groundwalk_method": name, "groundwalk_kg": parts.kg.source},
    )
    return compiled.with_state()


def after_start(state: State) -> Literal["understand", "run_query"]:
    """A query that is given is only executed."""
    return "run_query" if state.get("query") else "understand"


_Ended = Literal["combine", "respond"]


def after_propose(state: State) -> Literal["link", "combine", "load", "respond"]:
    """A question that was answered as a whole is done; of any other the parts are answered."""
    if is_computed(state) and state.get("operation") is None:
        return "respond"
    if state.get("operation") is not None:
        return "combine"
    return "load" if state.get("mentions") else "link"


def after_asking(state: State) -> Literal["propose", "load", "combine"]:
    """A question whose names are settled can be proposed as a whole, unless it is a part."""
    operation = state.get("operation")
    if operation is None:
        return "propose"
    return "combine" if operation["kind"] == "card" else "load"


def _answers(compiled: CompiledGraph, question: str) -> frozenset[Term]:
    """The terms that a question is answered with, asked alone; none where it takes too much."""
    alone: Any = compiled.copy({"checkpointer": False})
    options = Options(conversation=False, on_ambiguous="best")
    try:
        state: State = alone.invoke({"question": question}, context=options)
    except ShortageError:
        return frozenset()
    return frozenset(answer["term"] for answer in state.get("answers", []))


def after_combine(state: State) -> Literal["link", "respond"]:
    """The next part is linked as a question is."""
    return "link" if next_part(state) else "respond"


def _ended(state: State) -> _Ended:
    """Where a question goes whose walks are done."""
    return "respond" if state.get("operation") is None else "combine"


_Asks = Callable[[State, Options, RunnableConfig], bool | None]
"""Whether a name is left open and somebody is asked about it (True) or nobody can be (False)."""


def _asks_back(*, may_ask: bool) -> _Asks:
    def asks(state: State, options: Options, config: RunnableConfig) -> bool | None:
        is_open = any(mention["ambiguous"] for mention in state.get("mentions", []))
        if not is_open or options.on_ambiguous == "best":
            return None
        return may_ask and options.on_ambiguous == "ask" and bool(lent_checkpointer(config))

    return asks


def _understood(
    asks: _Asks,
) -> Callable[[State, Runtime[Options], RunnableConfig], Literal["propose", "offer"]]:
    def after_understand(
        state: State, runtime: Runtime[Options], config: RunnableConfig
    ) -> Literal["propose", "offer"]:
        is_card = (operation := state.get("operation")) and operation["kind"] == "card"
        asked = is_card and asks(state, runtime.context or Options(), config)
        return "offer" if asked else "propose"

    return after_understand


def _linked(
    asks: _Asks,
) -> Callable[[State, Runtime[Options], RunnableConfig], Literal["offer", "load"] | _Ended]:
    def after_link(
        state: State, runtime: Runtime[Options], config: RunnableConfig
    ) -> Literal["offer", "load"] | _Ended:
        match asks(state, runtime.context or Options(), config):
            case True:
                return "offer"
            case False:
                return _ended(state)
            case None:
                return "load" if state.get("topics") else _ended(state)

    return after_link


def _least(threshold: float, method: Method) -> Callable[[Options], float]:
    """The least confidence of an answer that is shown: what is set, else the method's own."""

    def least(options: Options) -> float:
        if options.confidence is not None:
            return options.confidence
        return 0.0 if method.foreign(options) else threshold

    return least


def _foreign(parts: Parts, method: Method) -> str:
    """What to say of silence where the model that answers knows another graph."""
    is_read = method.values and parts.llm is None
    return "" if parts.is_known or is_read else _OTHER_GRAPH


def _sure(parts: Parts, method: Method) -> Callable[[State, Options], float]:
    """How sure the agent is: what the method says, and what the question's words say."""

    def sure(state: State, options: Options) -> float:
        confidence = state.get("confidence", 0.0)
        scope = None if method.foreign(options) else parts.scope()
        if scope is None:
            return confidence
        masked, _ = mask(state.get("question", ""), question_mentions(state))
        return round(tempered(confidence, scope.within(masked)), 6)

    return sure


def _verified(
    settings: ModelSettings, method: Method, least: Callable[[Options], float]
) -> Callable[[State, Runtime[Options]], Literal["load"] | _Ended]:
    def after_verify(state: State, runtime: Runtime[Options]) -> Literal["load"] | _Ended:
        options = runtime.context or Options()
        if state.get("answers") and is_confident(state, least(options)):
            return _ended(state)
        if state.get("status") == "unchecked" or method.reasons or not method.widens:
            return _ended(state)
        return "load" if can_widen(state, options, settings) else _ended(state)

    return after_verify


_SMALLER = {"beams": "--beams", "hops": "--hops", "max_triples": "--set max_triples"}
"""The options of which less takes less memory."""


def guarded(kg: KnowledgeGraph, node: Node, options: Collection[str], *, is_first: bool) -> Node:
    """The node with its requests counted; it raises ShortageError where memory runs out.

    A run for which nobody waits any longer ends before it.

    Where the KG is an endpoint, `kg_requests` are the HTTP requests that the node sends; of a KG at
    hand they are the look-ups that the node itself counts. The usage begins anew with the first
    node of a question. `options` are those that the method uses: a hint names no other.
    """
    flags = [flag for name, flag in _SMALLER.items() if name in options]
    hint = "ask a shorter question" + (f", or with a lower {' or '.join(flags)}" if flags else "")

    @wraps(unwrap(node))  # LangGraph looks there for the graph of a loop
    def run(state: State, runtime: Runtime[Options]) -> State:
        look_up()
        try:
            if kg.pinned:
                return node(state, runtime)
            before = no_usage() if is_first else state.get("usage", no_usage())
            with metered() as meter:
                changes = node(state, runtime)
            requests = before["kg_requests"] + meter.requests
            return {**changes, "usage": {**changes.get("usage", before), "kg_requests": requests}}
        except (MemoryError, RuntimeError) as error:
            if not is_shortage(error):
                raise
        # Not within the handler: the first error would keep what its frames hold in memory.
        raise ShortageError("the question needs more memory than there is", hint)

    return run
