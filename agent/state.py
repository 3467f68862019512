"""What flows through the state machine: plain JSON types only, so that any checkpointer keeps it.

Stores, models and indexes never enter the state; `build_graph` closes over them.
"""

from typing import Annotated, Literal, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

Status = Literal["answered", "abstained", "ambiguous", "unchecked"]
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
    """An answer and the chains that prove it: paths that end in it, unless the form says else."""

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


class Usage(TypedDict):
    """What a question cost.

    `tokens` are those that the local model took in or wrote; `prompt_tokens` those of the prompts
    that a chat LLM was sent, as far as it tells; `llm_failed` are the calls that got no answer,
    `unread` the replies that could not be read as what was asked for.
    """

    forward_passes: int
    tokens: int
    forced_tokens: int
    prompt_tokens: int
    llm_calls: int
    llm_failed: int
    unread: int
    kg_requests: int
    seconds: float


class State(TypedDict, total=False):
    """The state of one question; `question` goes in, the rest comes out.

    `lost` are the chains and plans that a method wrote and that name no triples of the graph.
    """

    question: str
    id: str
    """Goes in where the question is one of a set, so that files about the set can name it."""
    given: list[str]
    """Goes in where the topic entities are known: their terms or labels."""
    choices: list[str]
    """Goes in where the question is one of multiple choice: the texts of its choices."""
    messages: Annotated[list[AnyMessage], add_messages]
    mentions: list[MentionRecord]
    topics: list[Entity]
    view: View
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


def nothing_emitted() -> Emitted:
    """The count of nothing."""
    return Emitted(
        triples=0, supported=0, unsupported=0, unknown=0, ill=0, chains=0, supported_chains=0
    )


def no_usage() -> Usage:
    """The cost of nothing."""
    return Usage(
        forward_passes=0,
        tokens=0,
        forced_tokens=0,
        prompt_tokens=0,
        llm_calls=0,
        llm_failed=0,
        unread=0,
        kg_requests=0,
        seconds=0.0,
    )
