"""What flows through the state machine: plain JSON types only, so that any checkpointer keeps it.

Stores, models and indexes never enter the state; `build_graph` closes over them.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.graph.message import Messages, add_messages
from typing_extensions import TypedDict

from .usage import Usage

Status = Literal["answered", "partial", "abstained", "unsure", "ambiguous", "unchecked"]
"""`partial`: there are answers, of a reading that leaves words of the question unread. `unsure`:
something was read or found, and it is not likely enough to be shown."""
Form = Literal["path", "chain"]
"""How triples hang together: a path is one walk from a topic entity; in a chain each triple touches
a topic entity or one before it (DoG section 2.2)."""


class Named(TypedDict):
    """A term and the name that people read."""

    term: str
    label: str


class Entity(Named):
    """A candidate for what a mention means."""

    kind: str
    description: str
    score: float


class MentionRecord(TypedDict):
    """A place in the question that names an entity; the best candidate comes first."""

    text: str
    start: int
    end: int
    ambiguous: bool
    candidates: list[Entity]


class StepRecord(TypedDict):
    """One triple of a chain, as the KG holds it; `inverse` when walked from tail to head.

    What a method without constraint wrote, and nothing in the KG is called, has a `?` and its text
    as term.
    """

    head: Named
    relation: Named
    tail: Named
    inverse: bool
    verdict: str


class Candidate(TypedDict):
    """A decoded path: its steps, the answer that it ends in, and how likely it is.

    `hypothesis` is the answer that the model itself names after the path: no fact, and shown to the
    LLM only. It is the path's end where the model was not asked. The form is `path` where none is
    given.
    """

    topic: Named
    steps: list[StepRecord]
    answer: Named
    hypothesis: str
    text: str
    score: float
    relevance: float
    form: NotRequired[Form]
    walked: NotRequired[list[tuple[str, bool]]]
    """The relation path of the walk itself, where the steps are the triples of its proof."""
    read: NotRequired[list[str]]
    """What of the reading of the KG the walk rests on, in words."""


class Answer(Named):
    """An answer and the chains that prove it: paths that end in it, unless the form says else.

    >>> answer = build_graph().invoke({"question": "What is the capital of Kenya?"})["answers"][0]
    >>> step = answer["chains"][0][0]
    >>> answer["label"], step["head"]["label"], step["relation"]["label"], step["verdict"]
    ('Nairobi', 'Kenya', 'capital', 'supported')
    """

    score: float
    chains: list[list[StepRecord]]
    form: NotRequired[Form]


class Emitted(TypedDict):
    """What a method wrote, as the store judged it, before anything was dropped.

    Triples are distinct. `ill` ones break the well-formedness of a chain (DoG section 2.2): they
    are unsupported, or follow on nothing before them.
    """

    triples: int
    supported: int
    unsupported: int
    unknown: int
    ill: int
    chains: int
    supported_chains: int


class View(TypedDict):
    """What part of the KG may be walked, and what was cut from it."""

    hops: int
    inverse: bool
    widened: bool
    cut: list[str]


Kind = Literal[
    "list",
    "count",
    "extreme",
    "truth",
    "why",
    "sum",
    "average",
    "smallest",
    "largest",
    "table",
    "connection",
]
"""What is computed in the end: the set itself, its size, the members with the largest or smallest
value, whether something is so, or nothing, as an earlier answer is shown again; a number made of
values of the members; rows of several values each; the fewest triples between two."""


class Operation(TypedDict):
    """What is computed over verified answers, as the question's words say."""

    kind: Kind
    mentions: list[MentionRecord]
    """Those of the whole question."""
    notes: list[str]
    """What is to be told of how the question was understood."""
    read: "NotRequired[Reading]"
    """The query that was read, with `{"part": n}` for each of the parts; its words are those of the
    whole question. None where the last answers are shown again."""


class Part(TypedDict):
    """A plain question that must be answered first, and once it is, what the graph says."""

    question: str
    mentions: list[MentionRecord]
    status: NotRequired[Status]
    topics: NotRequired[list[Entity]]
    answers: NotRequired[list[Answer]]
    confidence: NotRequired[float]
    notes: NotRequired[list[str]]


class Result(TypedDict):
    """What was computed: a number, yes (true), or nothing (None); and how, in one line.

    `triples` are verified ones that it rests on beside the chains of the answers.
    """

    kind: Kind
    value: int | float | bool | None
    text: str
    how: str
    triples: list[StepRecord]
    rows: NotRequired[list[list[Named | int | float | None]]]
    """Of a table: for each member itself and the values of its columns."""


class Word(TypedDict):
    """A word of the question, and what of the query it made.

    `used_by` is `mention`, `value`, `operator`, or the name of a relation or class; `filler` for a
    word that asks nothing, and `unread` for one that the query leaves out.
    """

    text: str
    start: int
    end: int
    used_by: str


class Reading(TypedDict):
    """A query that the question may be, with its mentions, as `State.query` takes it.

    `words` are the same in words; `probability` is how likely it is.
    """

    query: dict[str, Any]
    words: str
    probability: float


class Turn(TypedDict):
    """An earlier question of the thread and what came of it; numbered from 1.

    `asked` is the question in full, and `mentions` are those of it; where it is not `alone`, it is
    about earlier answers all the same. `answers` and their chains are not all where `cut`.
    """

    number: int
    question: str
    asked: str
    alone: bool
    status: Status
    mentions: list[MentionRecord]
    topics: list[Entity]
    answers: list[Answer]
    cut: bool
    confidence: float
    notes: list[str]
    text: str
    empty: NotRequired[bool]
    """Whether it came to a set without members, which is what a follow-up is about."""
    query: NotRequired[dict[str, Any] | None]
    """The whole question as a query, as a model read it; None where none did."""
    given: NotRequired[bool]
    """Whether a query was asked, and no question: `asked` says it in words of ours."""


MOST_TURNS = 20
MOST_MESSAGES = 2 * MOST_TURNS


def remembered(earlier: list[Turn] | None, new: list[Turn] | None) -> list[Turn]:
    """The last turns of a thread."""
    return [*(earlier or []), *(new or [])][-MOST_TURNS:]


def said_last(earlier: Messages, new: Messages) -> Messages:
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
    messages: Annotated[list[AnyMessage], said_last]
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


READER = "reader"
"""The `reasoner` of a question that was read as a query."""


NOT_UNDERSTOOD = "not understood"
"""How the note begins on words that the query of a question leaves out."""


def words_left_out(words: Sequence[str]) -> str:
    """The note on words of a question that its query leaves out."""
    return f"{NOT_UNDERSTOOD}: " + ", ".join(f'"{word}"' for word in words)


SILENT: frozenset[Status] = frozenset(("abstained", "unsure"))
"""Statuses of questions of which nothing is shown: nothing is there, or it is not sure enough."""


def silence(status: Status) -> str:
    """What is said where there is no answer."""
    match status:
        case "ambiguous":
            return "The question may mean several entities."
        case "unchecked":
            return "The graph could not be asked, so nothing is certain."
        case "unsure":
            return "I am not sure enough to answer."
        case _:
            return "The graph does not say."


def nothing_emitted() -> Emitted:
    """The count of nothing."""
    return Emitted(
        triples=0, supported=0, unsupported=0, unknown=0, ill=0, chains=0, supported_chains=0
    )
