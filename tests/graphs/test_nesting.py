"""The graph as a node of another one: it remembers, asks back and reads the messages there."""

import asyncio
import json
from operator import add
from pathlib import Path
from typing import Annotated, Any, ClassVar, assert_type

import pytest
from groundwalk import KGRetriever, ask_tool
from groundwalk import build_graph as build_public_graph
from groundwalk.agent.errors import InputError
from groundwalk.agent.events import Event
from groundwalk.agent.options import Options
from groundwalk.agent.records import Answer
from groundwalk.agent.state import GraphOutput, State
from groundwalk.graphs.nesting import CompiledGraph
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Command, Send
from typing_extensions import TypedDict

from ..whole import build_graph

CROATIA = "What is the capital of Croatia?"
AUSTRIA = "Which countries border Austria?"
KOREA = "What is the capital of Korea?"
CURRENCY = "and its currency?"


class Shared(TypedDict, total=False):
    """A state that shares two keys with the graph."""

    question: str
    answers: list[Answer]
    status: str


class Spread(TypedDict, total=False):
    """A state with many questions; the answers of all come together."""

    questions: list[str]
    answers: Annotated[list[Answer], add]


class User(TypedDict):
    """A context that is none of ours."""

    user: str


@pytest.fixture(scope="module")
def graph() -> CompiledGraph:
    return build_graph()


def around(node: Any, schema: Any = Shared, *, saved: bool = True, context: Any = None) -> Any:
    """A graph with one node."""
    builder = StateGraph(schema, context_schema=context)
    builder.add_node("kg", node)
    builder.add_edge(START, "kg")
    builder.add_edge("kg", END)
    return builder.compile(checkpointer=InMemorySaver() if saved else None)


def spread(node: Any) -> Any:
    """A graph that starts a node for every question at once."""

    def each(state: Spread) -> list[Send]:
        return [Send("kg", {"question": question}) for question in state.get("questions", [])]

    builder = StateGraph(Spread)
    builder.add_node("kg", node)
    builder.add_conditional_edges(START, each, ["kg"])
    return builder.compile(checkpointer=InMemorySaver())


def thread(name: str = "1") -> Any:
    return {"configurable": {"thread_id": name}}


def names(state: Any) -> list[str]:
    return [answer["label"] for answer in state["answers"]]


def asks(state: Any) -> list[str]:
    return [interrupt.value["ask"] for interrupt in state.get("__interrupt__", ())]


def calls(graph: CompiledGraph) -> Any:
    """A node that calls the graph itself, whatever config it is in."""

    def node(state: Shared) -> Any:
        return graph.invoke({"question": state.get("question", "")})

    async def node_async(state: Shared) -> Any:
        return await graph.ainvoke({"question": state.get("question", "")})

    return RunnableLambda(node, node_async)


@pytest.mark.parametrize("called", [False, True])
def test_it_remembers_and_asks_back_with_the_checkpointer_around(
    graph: CompiledGraph, called: bool
) -> None:
    parent = around(calls(graph) if called else graph)
    assert names(parent.invoke({"question": CROATIA}, thread())) == ["Zagreb"]
    assert names(parent.invoke({"question": CURRENCY}, thread())) == ["euro"]
    assert asks(parent.invoke({"question": KOREA}, thread("2"))) == ["Which Korea do you mean?"]
    assert names(parent.invoke(Command(resume="2"), thread("2"))) == ["Seoul"]
    assert names(parent.invoke({"question": CURRENCY}, thread("2"))) == ["South Korean won"]
    assert names(parent.invoke({"question": CROATIA}, thread("2"))) == ["Zagreb"]


@pytest.mark.parametrize("called", [False, True])
def test_it_does_so_for_async_callers(graph: CompiledGraph, called: bool) -> None:
    async def run() -> None:
        parent = around(calls(graph) if called else graph)
        await parent.ainvoke({"question": CROATIA}, thread())
        assert names(await parent.ainvoke({"question": CURRENCY}, thread())) == ["euro"]
        assert asks(await parent.ainvoke({"question": KOREA}, thread("2")))
        assert names(await parent.ainvoke(Command(resume="1"), thread("2"))) == ["Pyongyang"]

    asyncio.run(run())


def test_without_a_checkpointer_around_it_asks_nobody(graph: CompiledGraph) -> None:
    parent = around(graph, saved=False)
    assert names(parent.invoke({"question": CROATIA})) == ["Zagreb"]
    assert parent.invoke({"question": KOREA})["status"] == "ambiguous"
    assert graph.invoke({"question": KOREA})["status"] == "ambiguous"
    chained = RunnableLambda(lambda question: graph.invoke({"question": str(question)}))
    assert chained.invoke(KOREA)["status"] == "ambiguous"


def test_by_itself_it_runs_in_every_way_without_a_thread(graph: CompiledGraph) -> None:
    asked: Any = {"question": CROATIA}
    assert names(graph.invoke(asked, thread())) == names(graph.invoke(asked)) == ["Zagreb"]
    assert [names(state) for state in graph.batch([asked, asked])] == [["Zagreb"]] * 2
    *_, last = graph.stream(asked, stream_mode="values")
    assert names(last) == ["Zagreb"]
    assert names(asyncio.run(graph.ainvoke(asked))) == ["Zagreb"]


def test_a_thread_of_its_own_inside_a_node_is_no_part_of_the_run_around(
    graph: CompiledGraph,
) -> None:
    def node(state: Shared) -> Any:
        return graph.invoke({"question": state.get("question", "")}, thread("other"))

    assert around(node).invoke({"question": KOREA}, thread())["status"] == "ambiguous"


def test_for_one_run_it_asks_back_and_forgets() -> None:
    parent = around(build_graph(checkpointer=None))
    assert asks(parent.invoke({"question": KOREA}, thread()))
    assert names(parent.invoke(Command(resume="2"), thread())) == ["Seoul"]
    forgotten, fresh = (
        names(parent.invoke({"question": CURRENCY}, thread(name))) for name in ("1", "new")
    )
    assert forgotten == fresh != ["South Korean won"]
    parent = around(build_graph(checkpointer=False))
    assert parent.invoke({"question": KOREA}, thread())["status"] == "ambiguous"


def test_what_is_sent_at_once_is_resumed_each_with_its_own_answer(graph: CompiledGraph) -> None:
    parent = spread(graph)
    asked = [KOREA, "What is the capital of Kenya?", "What is the currency of Korea?"]
    state = parent.invoke({"questions": asked}, thread())
    replies = {interrupt.id: "2" for interrupt in state["__interrupt__"]}
    assert names(parent.invoke(Command(resume=replies), thread())) == [
        "Seoul",
        "Nairobi",
        "South Korean won",
    ]


def test_the_answer_to_another_question_is_never_given(graph: CompiledGraph) -> None:
    parent = spread(around(graph, saved=False))  # LangGraph keeps one history for these
    state = parent.invoke({"questions": [KOREA, "What is the currency of Korea?"]}, thread())
    replies = {interrupt.id: "2" for interrupt in state["__interrupt__"]}
    with pytest.raises(InputError, match="beside one another"):
        parent.invoke(Command(resume=replies), thread())


def test_a_context_that_is_not_of_options_stays_outside(graph: CompiledGraph) -> None:
    question = {"question": "Which countries border Austria?"}
    parent = around(graph, context=User)
    assert len(names(parent.invoke(question, thread(), context={"user": "me"}))) == 8
    parent = around(graph, context=Options)
    few = parent.invoke(question, thread(), context=Options(queries=False, max_answers=1))
    assert len(names(few)) == 1


def said(state: Any) -> str:
    return state["messages"][-1].text


@pytest.mark.parametrize("saved", [False, True])
def test_messages_are_all_that_a_supervisor_shares(graph: CompiledGraph, saved: bool) -> None:
    parent, messages = around(graph, MessagesState, saved=saved), list[Any]()
    replies = list[str]()
    for question in (
        "Which countries border Austria?",
        "which of them use the euro?",
        "how many are there?",
    ):
        new = [HumanMessage(question)]
        state = parent.invoke({"messages": new if saved else [*messages, *new]}, thread())
        messages = state["messages"]
        replies.append(said(state))
    assert replies[1:] == [
        "Germany; Italy; Slovakia; Slovenia",
        "4 (counted: Germany; Italy; Slovakia; Slovenia)",
    ]
    assert [message.type for message in messages] == ["human", "ai"] * 3
    assert len({message.id for message in messages}) == 6


def test_a_question_is_handed_over(graph: CompiledGraph) -> None:
    def hand_over(state: MessagesState) -> Any:
        call = {"name": "to_kg", "args": {"about": state["messages"][-1].text}, "id": "1"}
        return {"messages": [AIMessage("", tool_calls=[call]), ToolMessage("ok", tool_call_id="1")]}

    builder = StateGraph(MessagesState)
    builder.add_node("supervisor", hand_over)
    builder.add_node("kg", graph)
    builder.add_edge(START, "supervisor")
    builder.add_edge("supervisor", "kg")
    parent: Any = builder.compile(checkpointer=InMemorySaver())
    replies = [
        said(parent.invoke({"messages": [("user", question)]}, thread()))
        for question in (CROATIA, CURRENCY, CROATIA)
    ]
    assert replies == ["Zagreb", "euro", "Zagreb"]


def test_the_message_has_a_name_and_the_answers_with_their_chains(graph: CompiledGraph) -> None:
    saver = InMemorySaver()
    parent: Any = build_graph(checkpointer=saver)
    message = parent.invoke({"question": CROATIA}, thread())["messages"][-1]
    assert (message.name, message.text) == ("groundwalk", "Zagreb")
    (answer,) = message.response_metadata["answers"]
    assert [step["verdict"] for step in answer["chains"][0]] == ["supported"]
    assert message.response_metadata["status"] == "answered"
    kept = parent.get_state(thread()).values
    plain = {key: value for key, value in kept.items() if key != "messages"}
    assert json.loads(json.dumps(plain)) == plain
    metadata = kept["messages"][-1].response_metadata
    assert json.loads(json.dumps(metadata)) == metadata == message.response_metadata


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ({"start": [0], "steps": [{"relation": "borders"}], "answer": "count"}, 8),
        ({"start": [0], "steps": [{"relation": "capital"}], "answer": "yesno"}, True),
        ({"start": [0], "steps": [{"relation": "capital"}]}, None),
    ],
)
def test_the_message_has_what_was_computed(graph: CompiledGraph, query: Any, value: Any) -> None:
    given: Any = {"query": {"query": query, "mentions": [{"text": "Austria"}]}}
    state: Any = graph.invoke(given, {"configurable": {"thread_id": str(value)}})
    result = state["messages"][-1].response_metadata["result"]
    assert result == state["result"] and (result["value"] if result else None) == value


class Desk(MessagesState, total=False):
    """A state with messages and a question of its own."""

    question: str
    answers: list[Answer]


def desk(first: Any, *nodes: Any) -> Any:
    """A graph of a node before graphs, one after the other."""
    builder = StateGraph(Desk)
    builder.add_sequence([("first", first), *((str(n), own) for n, own in enumerate(nodes))])
    builder.add_edge(START, "first")
    return builder.compile(checkpointer=InMemorySaver())


def test_a_question_that_the_graph_around_rewords_is_asked(graph: CompiledGraph) -> None:
    means = {"cap of Peru pls": "What is the capital of Peru?", "money?": "and its currency?"}

    def reword(state: Desk) -> Any:
        text = state["messages"][-1].text
        return {"question": means.get(text, text)}

    parent, state = desk(reword, graph), dict[str, Any]()
    for text in (*means, CROATIA):
        state = parent.invoke({"messages": [("user", text)]}, thread())
    texts = [message.text for message in state["messages"]]
    assert texts == ["cap of Peru pls", "Lima", "money?", "Peruvian sol", CROATIA, "Zagreb"]


def test_a_question_that_another_graph_answered_is_not_asked_again(graph: CompiledGraph) -> None:
    def first_only(state: Desk) -> Any:
        return {} if state.get("question") else {"question": state["messages"][-1].text}

    def route(state: Desk) -> str:
        return "one" if len(state["messages"]) == 1 else "other"

    builder = StateGraph(Desk)
    builder.add_node("first", first_only)
    builder.add_node("one", graph)
    builder.add_node("other", graph.copy())
    builder.add_edge(START, "first")
    builder.add_conditional_edges("first", route, ["one", "other"])
    parent: Any = builder.compile(checkpointer=InMemorySaver())
    parent.invoke({"messages": [("user", CROATIA)]}, thread())
    assert names(parent.invoke({"messages": [("user", CURRENCY)]}, thread())) == ["euro"]


BAKERY = """@prefix : <https://bakery.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Bread a rdfs:Class ; rdfs:label "bread" . :rye a :Bread ; rdfs:label "Rye" ; :contains :salt .
:salt rdfs:label "salt" . :contains rdfs:label "contains" .
"""


@pytest.mark.parametrize("schema", [MessagesState, Desk])
@pytest.mark.parametrize("saved", [False, True])
def test_a_second_graph_is_asked_what_the_first_does_not_answer(
    graph: CompiledGraph, tmp_path: Path, schema: Any, saved: bool
) -> None:
    (tmp_path / "bakery.ttl").write_text(BAKERY, encoding="utf-8")

    def is_silent(state: Any) -> str:
        metadata = state["messages"][-1].response_metadata
        return END if metadata["status"] == "answered" else "world"

    def ask(state: Any) -> Any:
        return {"question": state["messages"][-1].text} if schema is Desk else {}

    builder = StateGraph(schema)
    builder.add_sequence([("ask", ask), ("bakery", build_graph(kg=tmp_path / "bakery.ttl"))])
    builder.add_node("world", graph)
    builder.add_edge(START, "ask")
    builder.add_conditional_edges("bakery", is_silent, ["world", END])
    parent: Any = builder.compile(checkpointer=InMemorySaver() if saved else None)
    state: Any = {"messages": []}
    kenya, rye = "What is the capital of Kenya?", "What is contained in Rye?"
    asked = [kenya, kenya, rye, kenya, CROATIA, kenya, CROATIA, CURRENCY, KOREA]
    for number, question in enumerate(asked):
        new = [HumanMessage(question)]
        given = new if saved else [*state["messages"], *new]
        state = parent.invoke({"messages": given}, thread())
        assert sum(own.type == "human" for own in state["messages"]) == number + 1
    texts = [own.text for own in state["messages"] if own.response_metadata.get("answers")]
    assert texts == [*["Nairobi"] * 2, "salt", "Nairobi", "Zagreb", "Nairobi", "Zagreb", "euro"]
    assert asks(state) == (["Which Korea do you mean?"] if saved else [])


def test_a_question_that_is_put_twice_is_answered_twice() -> None:
    graph, state = build_graph(checkpointer=InMemorySaver()), dict[str, Any]()
    asked: Any = {"question": CROATIA}
    for _ in range(2):
        state = graph.invoke(asked, thread())
    assert [own.text for own in state["messages"]] == [CROATIA, "Zagreb"] * 2
    assert len(state["turns"]) == 2


def test_messages_that_the_graph_around_deletes_stay_away(graph: CompiledGraph) -> None:
    def last_only(state: Desk) -> Any:
        return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), state["messages"][-1]]}

    parent, state = desk(last_only, graph), dict[str, Any]()
    for question in (CROATIA, CURRENCY, "What is the capital of Peru?"):
        state = parent.invoke({"messages": [("user", question)]}, thread())
    assert [own.text for own in state["messages"]] == ["What is the capital of Peru?", "Lima"]
    assert names(parent.invoke({"messages": [("user", CURRENCY)]}, thread())) == ["Peruvian sol"]


def test_a_list_around_that_merges_nothing_gets_each_message_once(graph: CompiledGraph) -> None:
    class Log(TypedDict, total=False):
        messages: Annotated[list[Any], add]

    parent = around(graph, Log)
    parent.invoke({"messages": [HumanMessage(CROATIA)]}, thread())
    state = parent.invoke({"messages": [HumanMessage(CURRENCY)]}, thread())
    assert [own.text for own in state["messages"]] == [CROATIA, "Zagreb", CURRENCY, "euro"]
    asked = around(graph, Desk).invoke({"question": CROATIA}, thread("2"))
    assert [own.text for own in asked["messages"]] == [CROATIA, "Zagreb"]


def test_options_of_the_graph_hold_where_the_context_is_none_of_ours() -> None:
    own, question = build_graph(options=Options(max_answers=2)), {"question": AUSTRIA}
    parent = around(own, context=User)
    assert len(names(parent.invoke(question, thread(), context={"user": "me"}))) == 2
    assert len(names(own.invoke({"question": AUSTRIA}))) == 2
    assert len(names(own.invoke({"question": AUSTRIA}, context=Options(max_answers=3)))) == 3
    given = around(own, context=Options).invoke(question, thread(), context=Options(max_answers=3))
    assert len(names(given)) == 3
    assert len(KGRetriever(graph=own, most=9).invoke(AUSTRIA)) == 2
    assert "and 6 more" in ask_tool(own).invoke({"question": AUSTRIA})


def test_runs_have_names_that_say_what_they_do(graph: CompiledGraph) -> None:
    class Names(BaseCallbackHandler):
        seen: ClassVar[set[str]] = set()

        def on_chain_start(self, *_: Any, **run: Any) -> None:
            self.seen.add(run.get("name") or "")

    graph.invoke({"question": KOREA}, {"callbacks": [Names()]})
    assert {"groundwalk", "understand", "after_start", "after_link"} <= Names.seen
    assert not [name for name in Names.seen if name.startswith("_") and name != "__start__"]
    assert "route" not in Names.seen


def test_the_types_of_what_comes_out() -> None:
    """The checker holds these; `__interrupt__` may be asked for."""
    public = build_public_graph()
    output = assert_type(public.invoke({"question": KOREA}), GraphOutput)
    assert output["status"] == "ambiguous" and "__interrupt__" not in output
    assert_type(public.with_state().invoke({"question": KOREA}), State)
    for event in public.stream({"question": KOREA}, stream_mode="custom"):
        assert assert_type(event, Event)["event"]
