"""What flows through the state machine: plain JSON types only, so that any checkpointer keeps it.

Stores, models and indexes never enter the state; `build_graph` closes over them.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

Status = Literal["answered", "abstained", "ambiguous", "unchecked"]
OnAmbiguous = Literal["ask", "best", "error"]
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
    that a chat LLM was sent, as far as it tells.
    """

    forward_passes: int
    tokens: int
    forced_tokens: int
    prompt_tokens: int
    llm_calls: int
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


@dataclass
class Options:
    """How a question is answered; `None` means what the model or the method prefers."""

    beams: int | None = None
    hops: int | None = None
    inverse: bool | None = None
    revisits: Literal["walk", "no-topic", "simple"] = "no-topic"
    scores: Literal["allowed", "full"] = "allowed"
    hypothesis: Literal["end", "free"] = "end"
    on_ambiguous: OnAmbiguous = "ask"
    confidence: float | None = None
    max_degree: int = 500
    """Facts about one entity that walks may use, where the KG is too large to be indexed whole."""
    max_triples: int = 100_000
    shown: int = 120
    """Triples of the graph that a prompt shows."""
    max_answers: int = 200
    max_chains: int = 5
    width: int = 3
    """tog: walks that are kept at a depth; tot: ways that an expansion may go (its breadth)."""
    depth: int | None = None
    """tog: steps of a walk; tot: actions of a traversal; `None` is the method's own."""
    expansions: int = 25
    """tot: traversals that are expanded at most."""
    enough: float = 0.8
    """tot: the value from which an answer ends the search."""
    sample: int = 20
    """tog: entities of one relation that are scored; of more, a sample is."""
    planning: Literal["model", "random", "none"] = "model"
    """rog: who plans relation paths; with `none` there are none (section 5.3)."""
    plans: str = ""
    """rog: a file of somebody else's plans, JSON lines `{question, relation_paths, scores}`."""
    reasoning: Literal["best", "vote", "ends"] = "best"
    """Who answers from the walks: the LLM where there is one, else the vote; always the vote; or
    nobody, so that all their ends are answers (RoG's ablation)."""
    directed: bool = True
    """rog: whether planned relations are walked in the direction planned, or in either."""
    explain: bool = False
    """rog: whether the LLM adds an explanation, which is text and no fact."""
    visibility: Literal["full", "local"] = "full"
    """dog: what the prompt shows: triples around the topics, or at each step those that the chain
    touches (section 5.2)."""
    steps: int | None = None
    """dog: triples of a chain at most; `None` is the hops of the view."""
    free: int = 64
    """dog: tokens of free text between two triples at most."""
    complete: bool = True
    """dog: whether a chain that is one walk stands for all that its relation path reaches."""
    samples: int = 5
    """cot-sc: chains of thought that vote."""
    retrieved: str = ""
    """paths: a file of what a retriever found, JSON lines with `id` or `question` and any of
    `candidates`, `paths`, `relation_paths` and `triples`."""
    embeddings: str = ""
    """retrieve: a sentence-transformers folder or hub id that ranks paths; without one BM25 does."""
    seed: int = 0
    """That of samples and random plans."""


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
        kg_requests=0,
        seconds=0.0,
    )
