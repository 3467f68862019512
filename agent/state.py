"""What flows through the state machine: plain JSON types only, so that any checkpointer keeps it.

Stores, models and indexes never enter the state; `build_graph` closes over them.
"""

from typing import Annotated, Any, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.graph.message import Messages, add_messages
from langgraph.types import Interrupt
from typing_extensions import TypedDict

from .records import (
    Answer,
    Candidate,
    Emitted,
    Entity,
    MentionRecord,
    Operation,
    Part,
    Reading,
    Result,
    Status,
    Turn,
    Usage,
    View,
    Word,
)

MOST_TURNS = 20
"""Earlier questions that a thread remembers: the last ones."""
MOST_MESSAGES = 2 * MOST_TURNS


def remembered(earlier: list[Turn] | None, new: list[Turn] | None) -> list[Turn]:
    """The last turns of a thread."""
    return [*(earlier or []), *(new or [])][-MOST_TURNS:]


def last_messages(earlier: Messages, new: Messages) -> Messages:
    """The last messages of a thread, merged as LangGraph merges them."""
    merged = add_messages(earlier, new)
    return merged[-MOST_MESSAGES:] if isinstance(merged, list) else merged


class GraphInput(TypedDict, total=False):
    """What goes in: a `question`, or else messages or a query; `State` says what each key is.

    >>> turn: GraphInput = {"question": "What is the capital of Kenya?"}
    >>> state = build_graph().invoke(turn)
    >>> state["status"], [answer["label"] for answer in state["answers"]]
    ('answered', ['Nairobi'])
    """

    question: str
    messages: Annotated[list[AnyMessage], last_messages]
    query: Any
    given: list[str]
    choices: list[str]
    id: str
    turns: Annotated[list[Turn], remembered]


class Output(TypedDict):
    """The part of the state that comes out."""

    question: str
    status: Status
    answers: list[Answer]
    unsupported: list[str]
    result: Result | None
    confidence: float
    reading: str
    mentions: list[MentionRecord]
    topics: list[Entity]
    notes: list[str]
    messages: Annotated[list[AnyMessage], last_messages]
    usage: Usage


class GraphOutput(Output):
    """What comes out; `State` says what each key is.

    >>> build_graph().invoke({"question": "What is the capital of Kenya?"})["reading"]
    'capital of Kenya'
    """

    __interrupt__: NotRequired[list[Interrupt]]
    """What the user is asked, a `Choice` as its `value`, where the run waits for the reply; answers
    are not there yet."""


class Choice(TypedDict):
    """What a user is asked where a name may mean several entities: the value of the interrupt.

    `hint` says what is wrong with the reply before, if there was one.

    >>> from langgraph.checkpoint.memory import InMemorySaver
    >>> graph = build_graph(checkpointer=InMemorySaver())
    >>> thread = {"configurable": {"thread_id": "1"}}
    >>> output = graph.invoke({"question": "What is the capital of Korea?"}, thread)
    >>> choice: Choice = output["__interrupt__"][0].value
    >>> choice["ask"], [option["label"] for option in choice["options"]]
    ('Which Korea do you mean?', ['North Korea', 'South Korea'])
    """

    ask: str
    options: list[Entity]
    hint: str


class State(TypedDict, total=False):
    """All that is known of one question while it is answered.

    While parts are answered, `question` is the part's. `lost` are the chains and plans that a
    method wrote and that name no triples of the graph.

    >>> graph = build_graph().with_state()
    >>> graph.invoke({"question": "What is the capital of Kenya?"})["method"]
    'query'
    """

    question: str
    id: str
    """Goes in where the question is one of a set, so that files about the set can name it."""
    given: list[str]
    """Goes in where the topic entities are known: their terms or labels."""
    choices: list[str]
    """Goes in where the question is one of multiple choice: the texts of its choices."""
    messages: Annotated[list[AnyMessage], last_messages]
    """The conversation. A person's last message is the question, where that does not go in by
    itself; at the first one of a thread, those before it tell of earlier turns. The agent's own
    are named `groundwalk` and have the answers with their chains, and the result, in
    `response_metadata`."""
    mentions: list[MentionRecord]
    """What the question names. Of those that are `ambiguous` where the status is, the `candidates`
    are what may be chosen."""
    topics: list[Entity]
    view: View | None
    candidates: list[Candidate]
    reasoner: str
    confidence: float
    answers: list[Answer]
    unsupported: list[str]
    lost: int
    refused: list[Candidate]
    """The first of the decoded paths that the store does not hold, or of which it did not say."""
    emitted: Emitted
    status: Status
    method: str
    usage: Usage
    notes: list[str]
    cut: bool
    """Whether something was left out, so that there may be more answers."""
    said: str
    """The question as the user put it."""
    asked: str
    """The question that was answered: the user's, or what it means after the earlier turns."""
    operation: Operation | None
    parts: list[Part]
    part: int
    """The place of the part that is being answered; -1 before the first."""
    result: Result | None
    query: Any
    """Goes in where a query is given instead of a question, as `docs/queries.md` says: the tree, or
    an object with the `query` and its `mentions`. None once it was read."""
    query_tree: dict[str, Any] | None
    """The query that was executed, as plain JSON."""
    reading: str
    """The same in words."""
    readings: list[Reading]
    """The likeliest queries that a model read, that of the answer first."""
    account: list[Word]
    """What the query that a model read makes of each word of the question."""
    sparql: str
    """The query in SPARQL 1.1, where that can say it."""
    turns: Annotated[list[Turn], remembered]
    """Earlier questions of the thread; without a checkpointer they may go in with the question."""
