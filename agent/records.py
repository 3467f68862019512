"""The records of the state: what is known of a question, as plain JSON, and what it cost."""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, Literal, NotRequired, cast

from typing_extensions import TypedDict

Status = Literal[
    "answered", "partial", "abstained", "unsure", "ambiguous", "unchecked", "introduced"
]
"""`partial`: there are answers, of a reading that leaves words of the question unread. `unsure`:
something was read or found, and it is not likely enough to be shown. `introduced`: the graph was
asked nothing, as in a greeting, and the reply says what may be asked."""
Form = Literal["path", "chain"]
"""How triples hang together: a path is one walk from a topic entity; in a chain each triple touches
a topic entity or one before it (DoG section 2.2)."""


class Named(TypedDict):
    """A term and the name that people read."""

    term: str
    label: str


class Entity(Named):
    """A candidate for what a mention means.

    >>> state = build_graph().invoke({"question": "What is the capital of Kenya?"})
    >>> kenya: Entity = state["topics"][0]
    >>> kenya["label"], kenya["kind"]
    ('Kenya', 'country')
    """

    kind: str
    description: str
    score: float


class MentionRecord(TypedDict):
    """A place in the question that names an entity; the best candidate comes first.

    >>> state = build_graph().invoke({"question": "What is the capital of Korea?"})
    >>> mention: MentionRecord = state["mentions"][0]
    >>> mention["ambiguous"], [entity["label"] for entity in mention["candidates"]]
    (True, ['North Korea', 'South Korea'])
    """

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
    of: NotRequired[list[Named]]
    """What the last steps of all verified walks to it come from, such as the country of a capital;
    left out where that does not tell the answers apart."""
    unit: NotRequired[str]
    """The unit of a number whose label has none; left out where it is not known."""


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
    "card",
    "introduction",
]
"""What is computed in the end: the set itself, its size, the members with the largest or smallest
value, whether something is so, or nothing, as an earlier answer is shown again; a number made of
values of the members; rows of several values each; the fewest triples between two; what the graph
says of one entity; what it holds and may be asked."""


class Operation(TypedDict):
    """What is computed over verified answers, as the question's words say."""

    kind: Kind
    mentions: list[MentionRecord]
    """Those of the whole question."""
    notes: list[str]
    """What is to be told of how the question was understood."""
    read: "NotRequired[Reading]"
    """The query that was read, with `{"part": n}` for each of the parts; its words are those of the
    whole question. None where none was, as in a request for proof or for a card."""
    courtesy: NotRequired[Literal["greetings", "thanks", "help", "yes", "no"]]
    """What an introduction replies to."""
    whole: NotRequired[bool]
    """Whether a card has all that there is, and not only the first of it."""


class Part(TypedDict):
    """A plain question that must be answered first, and once it is, what the graph says."""

    question: str
    mentions: list[MentionRecord]
    status: NotRequired[Status]
    topics: NotRequired[list[Entity]]
    answers: NotRequired[list[Answer]]
    confidence: NotRequired[float]
    notes: NotRequired[list[str]]
    cut: NotRequired[bool]
    """Whether there may be more answers."""


class Result(TypedDict):
    """What was computed: a number, yes (true), or nothing (None); and how, in one line.

    `triples` are verified ones that it rests on beside the chains of the answers.

    >>> result: Result | None = build_graph().invoke({"question": "How many rivers?"})["result"]
    >>> result["kind"], result["value"] > 40
    ('count', True)
    """

    kind: Kind
    value: int | float | bool | None
    text: str
    how: str
    triples: list[StepRecord]
    rows: NotRequired[list[list[Named | int | float | None]]]
    """Of a table: for each member itself and the values of its columns. Of a card: for each
    relation its name, after `←` where it points at the entity, and its values."""
    units: NotRequired[list[str]]
    """Of a table: for each column the unit of its numbers; empty where there is none."""
    unit: NotRequired[str]
    """Of a number: its unit, where that is known."""
    more: NotRequired[list[int]]
    """Of a card: for each of its rows how many values of the relation are not in it."""


class Word(TypedDict):
    """A word of the question, and what of the query it made.

    `used_by` is `mention`, `value`, `operator`, or the name of a relation or class; `filler` for a
    word that asks nothing, `unread` for one that the query leaves out, and `unknown` for one that
    is taken for filler though nobody knows it.
    """

    text: str
    start: int
    end: int
    used_by: str
    in_label: NotRequired[bool]
    """Whether a relation or a class has the word in its label, though the query made nothing of any
    word."""


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
    reading: NotRequired[str]
    """The query in words; empty where the question was not read as one."""
    given: NotRequired[bool]
    """Whether a query was asked, and no question: `asked` says it in words of ours."""
    card: NotRequired[bool]
    """Whether it was asked what the graph says of an entity."""
    triples: NotRequired[list[StepRecord]]
    """Those that a computed result rests on beside the chains of the answers."""


READER = "reader"
"""The `reasoner` of a question that was read as a query."""


NOT_UNDERSTOOD = "not understood"
"""How the note begins on words that the query of a question leaves out."""
NOT_SURE_OF_READING = "not sure enough"
"""What the note has of a reading, or of all, that is too unlikely to be answered."""
NO_WORD = "no word of the question was recognised as a name, a class or a relation of the graph"
"""The note where nothing that the question says is in the graph."""
NO_FACTS = "the graph has no facts"
"""The note on any question to such a graph."""
NOTHING_CALLED = "nothing in the graph is called"
"""How the note begins on what a question has in brackets, and the graph has not."""
AS_IT_IS = "as it is"
"""How the note ends on values that are compared though their unit may be another."""
NOT_COMPARED = "cannot be compared"
"""How the note ends on values that may be numbers, and are left out of a comparison."""
DOUBTED = (AS_IT_IS, NOT_COMPARED)
"""How notes end on comparisons of which nobody knows whether they are right."""
POINTS_NOWHERE = "I do not know what"
"""How the note begins where a question points at what came before, and nothing did."""


def words_left_out(words: Sequence[str]) -> str:
    """The note on words of a question that its query leaves out."""
    return f"{NOT_UNDERSTOOD}: " + ", ".join(f'"{word}"' for word in words)


SILENT: frozenset[Status] = frozenset(("abstained", "unsure"))
"""Statuses of questions of which nothing is shown: nothing is there, or it is not sure enough."""


def silence(status: Status, notes: Sequence[str] = ()) -> str:
    """What is said where there is no answer; the notes say whether the question was understood."""
    match status:
        case "ambiguous":
            return "The question may mean several entities."
        case "unchecked":
            return "The graph could not be asked, so nothing is certain."
        case "unsure" if any(note.endswith(AS_IT_IS) for note in notes):
            return "The values have another unit, or none that is known."
        case "unsure" if any(note.endswith(NOT_COMPARED) for note in notes):
            return "Some values may be numbers, and cannot be compared."
        case "unsure":
            return "I am not sure enough to answer."
        case "abstained" if any(note.startswith(NOTHING_CALLED) for note in notes):
            return "What is asked about is not in the graph."
        case "abstained" if NO_FACTS not in notes and any(map(_is_of_reading, notes)):
            return "I did not understand that."
        case _:
            return "The graph does not say."


def _is_of_reading(note: str) -> bool:
    """Whether a note says that the question was not understood, in part or at all."""
    beginnings = (NOT_UNDERSTOOD, NO_WORD, POINTS_NOWHERE)
    return note.startswith(beginnings) or NOT_SURE_OF_READING in note


def nothing_emitted() -> Emitted:
    """The count of nothing."""
    return Emitted(
        triples=0, supported=0, unsupported=0, unknown=0, ill=0, chains=0, supported_chains=0
    )


class Usage(TypedDict):
    """What a question cost, counted alike for the local model and a chat LLM.

    `forward_passes` are those of the local model and of the reader. `prompt_tokens` are those of
    all prompts that a model was given: a prompt counts whole each time, once for every beam or
    sample that takes it in by itself, and where its beginning was kept from before too, as chat
    servers count it. `tokens` come after the prompts, written or weighed, and `forced_tokens` are
    those of them without an alternative. `llm_failed` are the calls of the chat LLM that got no
    answer, `llm_uncounted` the replies whose tokens its client does not tell, which are in no
    count; `unread` the replies that could not be read as what was asked for. `kg_requests` are the
    HTTP requests that an endpoint was sent; of a KG at hand, look-ups in it.
    """

    forward_passes: int
    prompt_tokens: int
    tokens: int
    forced_tokens: int
    llm_calls: int
    llm_failed: int
    llm_uncounted: int
    unread: int
    kg_requests: int
    seconds: float


def no_usage() -> Usage:
    """The cost of nothing."""
    return Usage(
        forward_passes=0,
        prompt_tokens=0,
        tokens=0,
        forced_tokens=0,
        llm_calls=0,
        llm_failed=0,
        llm_uncounted=0,
        unread=0,
        kg_requests=0,
        seconds=0.0,
    )


def spent(before: Usage | None, since: float, **counts: int) -> Usage:
    """The usage `before` plus the counts of a node that started at `since`.

    `counts` are named as the fields of `Usage`; `since` is in seconds of `perf_counter`.
    """
    so_far = before or no_usage()
    added = {**counts, "seconds": perf_counter() - since}
    sums = {name: round(so_far[name] + added.get(name, 0), 6) for name in Usage.__annotations__}
    return cast("Usage", sums)


def summed(*costs: Mapping[str, int]) -> dict[str, int]:
    """The counts of several costs together, by the fields of `Usage`."""
    names = dict.fromkeys(name for cost in costs for name in cost)
    return {name: sum(cost.get(name, 0) for cost in costs) for name in names}
