"""The LangChain model: a real graph, a real (random) model, every way of calling it."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from groundwalk.agent.decoding.index import TokenIndex, build_index
from groundwalk.agent.decoding.search import BeamPlan
from groundwalk.agent.errors import GroundwalkError, InputError, NoPathError, QuestionError
from groundwalk.agent.kg import KnowledgeGraph, Triple, open_kg
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.llm.local import LocalModel, ModelSettings
from groundwalk.agent.llm.path_model import GraphPathChat
from groundwalk.agent.options import Options
from groundwalk.graphs import build_graph
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage
from langchain_core.output_parsers import StrOutputParser

from ..decoding import worlds

FAMILY = """
Ada|mother of|Ben
Ada|mother of|Cleo
Ben|lives in|Oslo
Cleo|lives in|Rome
Rome|capital of|Italy
Zoe|likes|Zoe
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("family")
    (folder / "family.kb").write_text(FAMILY, encoding="utf-8")
    opened = open_kg(str(folder / "family.kb"), cache=folder / "cache")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def local() -> LocalModel:
    tokenizer = worlds.byte_level()
    weights = worlds.random_model(len(tokenizer))
    return LocalModel("random", weights, tokenizer, ModelSettings(hops=2, instruct=False))


@pytest.fixture(scope="module")
def index(kg: KnowledgeGraph, local: LocalModel) -> TokenIndex:
    return build_index(kg, local.tokenizer)


@pytest.fixture(scope="module")
def chat(kg: KnowledgeGraph, local: LocalModel, index: TokenIndex) -> GraphPathChat:
    return GraphPathChat(local, index, kg, LabelLinker(kg.labels).link, plan=BeamPlan(4))


def test_a_reply_is_paths_of_the_graph(kg: KnowledgeGraph, chat: GraphPathChat) -> None:
    reply = chat.invoke("Where do Ada's children live?")
    paths = reply.response_metadata["paths"]
    assert reply.text.splitlines() == [f"<PATH>{path['text']}</PATH>" for path in paths]
    assert len(paths) == 4
    for path in paths:
        place = path["topic"]
        for step in path["steps"]:
            triple = Triple(step["head"], step["relation"], step["tail"])
            assert kg.store.holds([triple]) == [True]
            ends = (triple.tail, triple.head) if step["inverse"] else (triple.head, triple.tail)
            assert ends[0] == place
            place = ends[1]
        assert path["answer"] == place
    assert reply.response_metadata["cost"]["engine"] == "tree"
    assert reply.usage_metadata and reply.usage_metadata["output_tokens"] > 0
    json.dumps(reply.response_metadata)


def test_the_same_paths_as_the_state_machine(
    kg: KnowledgeGraph, local: LocalModel, chat: GraphPathChat
) -> None:
    graph, method_alone = build_graph(kg=kg, generator=local), Options(queries=False)
    state: Any = graph.invoke({"question": "Ada?"}, context=method_alone)
    paths = chat.invoke("Ada?").response_metadata["paths"]
    assert [c["text"] for c in state["candidates"]][:1] == [path["text"] for path in paths][:1]
    scores = {c["text"]: c["score"] for c in state["candidates"]}
    assert all(scores[path["text"]] == path["score"] for path in paths)


def test_streaming_sends_path_by_path_what_invoke_returns(chat: GraphPathChat) -> None:
    reply = chat.invoke("Ada?")
    chunks = list(chat.stream("Ada?"))
    texts = [chunk.text for chunk in chunks if chunk.text]
    assert len(texts) == 4 and texts[0] == reply.text.splitlines()[0]
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole: AIMessageChunk = whole + chunk
    assert whole.text == reply.text and whole.usage_metadata == reply.usage_metadata
    streamed, invoked = (r.response_metadata for r in (whole, reply))
    assert streamed["model_name"] == invoked["model_name"] == "random"
    for own, other in zip(streamed["paths"], invoked["paths"], strict=True):
        assert own == {**other, "relevance": pytest.approx(other["relevance"], abs=1e-6)}
    assert streamed["cost"]["forced_tokens"] == invoked["cost"]["forced_tokens"]


def test_batch_and_async_give_the_same(chat: GraphPathChat) -> None:
    questions: list[Any] = ["Ada?", "Where does Ben live?", "What is Rome the capital of?"]
    alone = [chat.invoke(question).text for question in questions]
    assert [reply.text for reply in chat.batch(questions)] == alone

    async def later() -> tuple[str, str]:
        reply = await chat.ainvoke(questions[0])
        return reply.text, "".join([chunk.text async for chunk in chat.astream(questions[0])])

    assert asyncio.run(later()) == (alone[0], alone[0])


def test_it_is_a_runnable_like_any_other(chat: GraphPathChat) -> None:
    assert (chat | StrOutputParser()).invoke("Ada?").startswith("<PATH>Ada -> ")
    assert repr(chat) and "Llama" not in repr(chat)


def test_the_last_human_message_is_the_question(chat: GraphPathChat) -> None:
    reply = chat.invoke(
        [
            SystemMessage("Be brief."),
            HumanMessage("Ada?"),
            AIMessage("Ben"),
            HumanMessage("Where does Ben live?"),
        ]
    )
    assert all(line.startswith("<PATH>Ben -> ") for line in reply.text.splitlines())


@pytest.mark.parametrize("way", ["invoke", "stream"])
@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ("", QuestionError),
        ([], QuestionError),
        ([SystemMessage("Ada?")], QuestionError),
        ("where is blorb", QuestionError),
        ("Whom does Zoe like?", NoPathError),
    ],
)
def test_errors_are_our_own(
    chat: GraphPathChat, way: str, messages: Any, expected: type[GroundwalkError]
) -> None:
    with pytest.raises(expected):
        list(getattr(chat, way)(messages))


def test_stop_texts_are_refused(chat: GraphPathChat) -> None:
    with pytest.raises(InputError, match="cannot be stopped"):
        chat.invoke("Ada?", stop=["\n"])
