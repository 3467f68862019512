"""What flows through the state machine: plain JSON types only, so that any checkpointer keeps it.

Stores, models and indexes never enter the state; `build_graph` closes over them.
"""

from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from langgraph.graph.message import Messages, add_messages
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
MOST_MESSAGES = 2 * MOST_TURNS


def remembered(earlier: list[Turn] | None, new: list[Turn] | None) -> list[Turn]:
    """The last turns of a thread."""
    return [*(earlier or []), *(new or [])][-MOST_TURNS:]


def last_messages(earlier: Messages, new: Messages) -> Messages:
    """The last messages of a thread, merged as LangGraph merges them."""
    merged = add_messages(earlier, new)
    return merged[-MOST_MESSAGES:] if isinstance(merged, list) else merged


class State(TypedDict, total=False):
    """The state of one question; `question` goes in, the rest comes out.

    While parts are answered, `question` is the part's. `lost` are the chains and plans that a
    method wrote and that name no triples of the graph.

    >>> turn: State = {"question": "What is the capital of Kenya?"}
    >>> state = build_graph().invoke(turn)
    >>> state["status"], [answer["label"] for answer in state["answers"]]
    ('answered', ['Nairobi'])
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
    are named `groundwalk` and have the answers with their chains in `response_metadata`."""
    mentions: list[MentionRecord]
    topics: list[Entity]
    view: View | None
    candidates: list[Candidate]
    reasoner: str
    confidence: float
    answers: list[Answer]
    unsupported: list[str]
    lost: int
    emitted: Emitted
    status: Status
    method: str
    usage: Usage
    notes: list[str]
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
