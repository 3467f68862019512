"""A question to the graph as a tool of a LangChain agent."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, cast

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from ..agent.answers.judging import ambiguity, other_notes, unread_line
from ..agent.decoding.wire import SEPARATOR, escape
from ..agent.errors import GroundwalkError, InputError
from ..agent.kg.labels.names import one_line
from ..agent.linking.mention import listed_names as told_as
from ..agent.options import Options
from ..agent.records import (
    Answer,
    Entity,
    MentionRecord,
    Operation,
    Reading,
    Result,
    Status,
    StepRecord,
    Usage,
    Word,
    no_usage,
)
from ..agent.state import State
from .nesting import CompiledGraph

SCHEMA = 2
"""The version of `AskResult`: 2 has `partial` and `unsure`, `readings` and `account`."""
MOST_READINGS = 3
"""The likeliest readings that a result has: that of the answer and the next two."""
MOST_TRIPLES = 60
"""Triples that the words of a result list; the rest are in the artifact."""

ASK_AGAIN = "ask again with the term of the one that is meant in its place, in brackets:"

DESCRIPTION = (
    "Answers a question from the user's knowledge graph. Every triple that it returns was looked "
    "up in the graph; where the graph does not hold an answer it says so. Where it is not sure "
    "what is asked, the notes say what it read: ask again in other words. Ask one question at a "
    "time, self-contained, with the names of the entities. Where a name may mean several entities "
    "they are listed: ask again with the term of the one that is meant in its place, in "
    "[brackets]. Where it begins with "
    "`not understood`, the answer leaves these words of the question out."
)


class AskResult(TypedDict):
    """What came of a question: the fields that `groundwalk ask --json` prints.

    >>> call = {"type": "tool_call", "id": "1", "name": "ask_knowledge_graph"}
    >>> call["args"] = {"question": "What is the capital of Kenya?"}
    >>> result: AskResult = ask_tool(build_graph()).invoke(call).artifact
    >>> result["status"], result["answers"][0]["label"]
    ('answered', 'Nairobi')
    """

    schema: int
    question: str
    status: Status
    answers: list[Answer]
    unsupported: list[str]
    topics: list[Entity]
    method: str
    usage: Usage
    notes: list[str]
    asked: str
    operation: Operation | None
    result: Result | None
    query: dict[str, Any] | None
    reading: str
    readings: list[Reading]
    """The likeliest queries that the question may be, that of the answer first."""
    account: list[Word]
    """What the query makes of each word of the question."""
    sparql: str
    reasoner: str
    confidence: float


class Question(BaseModel):
    """The arguments of the tool."""

    question: str = Field(description="The question, in plain words, such as: Who wrote Emma?")


def ask_tool(
    graph: CompiledGraph,
    *,
    name: str = "ask_knowledge_graph",
    description: str = DESCRIPTION,
    options: Options | None = None,
) -> BaseTool:
    """A tool that asks a graph of `build_graph`, for `create_agent`, `bind_tools` or a `ToolNode`.

    Its content is what a model should read: the answers and their verified triples in words, or
    why there is no answer; its artifact is an `AskResult`. Every call stands for itself: it sees
    no earlier question, keeps nothing in a checkpointer, and may run beside others. A question that
    cannot be asked, or a service that does not answer, is a tool message of status `error`.
    Raises InputError for what is no graph of `build_graph`.

    >>> tool = ask_tool(build_graph())
    >>> print(tool.invoke({"question": "What is the capital of Kenya?"}))
    Nairobi
    ...
    """
    if not isinstance(cast(object, graph), CompiledGraph):
        kind = type(graph).__name__
        raise InputError(f"a {kind} cannot be asked", "give what build_graph returns")
    alone: Any = graph.with_state().copy({"checkpointer": False})
    chosen = options or graph.options
    if chosen.on_ambiguous == "ask":
        chosen = replace(chosen, on_ambiguous="error")

    def ask(question: str) -> tuple[str, AskResult]:
        try:
            state = alone.invoke({"question": question}, context=chosen)
        except GroundwalkError as error:
            raise ToolException(in_one_line(error)) from error
        return in_words(state), result_of(state)

    async def ask_async(question: str) -> tuple[str, AskResult]:
        try:
            state = await alone.ainvoke({"question": question}, context=chosen)
        except GroundwalkError as error:
            raise ToolException(in_one_line(error)) from error
        return in_words(state), result_of(state)

    return StructuredTool.from_function(
        ask,
        ask_async,
        name=name,
        description=description,
        args_schema=Question,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def result_of(state: State) -> AskResult:
    """The public part of a final state."""
    return AskResult(
        schema=SCHEMA,
        question=state.get("question", ""),
        status=state.get("status", "abstained"),
        answers=state.get("answers", []),
        unsupported=state.get("unsupported", []),
        topics=state.get("topics", []),
        method=state.get("method", ""),
        usage=state.get("usage", no_usage()),
        notes=state.get("notes", []),
        asked=state.get("asked", ""),
        operation=state.get("operation"),
        result=state.get("result"),
        query=state.get("query_tree"),
        reading=state.get("reading", ""),
        readings=state.get("readings", [])[:MOST_READINGS],
        account=state.get("account", []),
        sparql=state.get("sparql", ""),
        reasoner=state.get("reasoner", ""),
        confidence=state.get("confidence", 0.0),
    )


def in_words(state: State) -> str:
    """A final state as lines for a model to read: the answer, its verified triples, the notes.

    What was not understood stands above the answer, and how the question was read below it.
    """
    reply = [
        line for message in state.get("messages", [])[-1:] for line in message.text.splitlines()
    ]
    unread = [line for line in [unread_line(state)] if line and line not in reply]
    lines = list(map(one_line, [*unread, *reply]))
    if result := state.get("result"):
        lines.append(one_line(result["how"]))
    asked_about = unsettled(state)
    for mention in asked_about:
        lines.append(f"{one_line(mention['text'])} may mean one of these: {ASK_AGAIN}")
        options = mention["candidates"]
        listed = zip(options, told_as(options), strict=True)
        lines += (f"[{candidate['term']}]: {one_line(words)}" for candidate, words in listed)
    is_answered = bool(state.get("answers") or state.get("result"))
    if is_answered and (reading := state.get("reading")):
        lines.append(f"Read as: {one_line(reading)}")
    spelled = dict.fromkeys(map(_spell, _verified(state)))
    if spelled:
        lines.append(f"Verified in the graph (head{SEPARATOR}relation{SEPARATOR}tail):")
        lines += islice(spelled, MOST_TRIPLES)
    if (more := len(spelled) - MOST_TRIPLES) > 0:
        lines.append(f"and {more:,} triples more")
    ambiguities = {ambiguity(mention) for mention in asked_about}
    notes = (note for note in other_notes(state) if note not in ambiguities)
    lines += (f"Note: {one_line(note)}" for note in notes)
    return "\n".join(lines)


def unsettled(state: State) -> list[MentionRecord]:
    """The names that keep a question from being answered, as each may mean several entities."""
    mentions = state.get("mentions", []) if state.get("status") == "ambiguous" else []
    return [mention for mention in mentions if mention["ambiguous"]]


def in_one_line(error: GroundwalkError) -> str:
    """What is wrong, and what to do."""
    return one_line(error.with_hint)


def _verified(state: State) -> Iterator[StepRecord]:
    for answer in state.get("answers", []):
        for chain in answer["chains"]:
            yield from (step for step in chain if step["verdict"] == "supported")
    if result := state.get("result"):
        yield from (step for step in result["triples"] if step["verdict"] == "supported")


def _spell(step: StepRecord) -> str:
    return SEPARATOR.join(escape(step[part]["label"]) for part in ("head", "relation", "tail"))
