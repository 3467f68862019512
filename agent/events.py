"""What a run streams in the mode `custom`: an event for each step that came to something.

The events come in the order of the steps. A question may have several of a kind: one in parts is
linked and decoded once for each part, and one that found nothing is loaded once more.

>>> graph, turn = build_graph(), {"question": "What is the capital of Kenya?"}
>>> events: list[Event] = list(graph.stream(turn, stream_mode="custom"))
>>> [event["event"] for event in events]
['linked', 'responded']
"""

from typing import Literal, TypeAlias

from typing_extensions import TypedDict

from .records import Answer, Candidate, Entity, MentionRecord, Operation, Result, Status, View


class Understood(TypedDict):
    """The question in full, where it means more than it says; and what is done in place of it."""

    event: Literal["understood"]
    asked: str
    operation: Operation | None


class Linked(TypedDict):
    """The entities that the question, or its part, begins at.

    It comes again where more is known: after a choice, and then once the question was read.
    """

    event: Literal["linked"]
    topics: list[Entity]


class Ambiguous(TypedDict):
    """What may mean several entities, its candidates: the last event until one is chosen."""

    event: Literal["ambiguous"]
    mentions: list[MentionRecord]


class Loaded(TypedDict):
    """What part of the graph may be walked."""

    event: Literal["loaded"]
    view: View


class Decoded(TypedDict):
    """The walks that a method came to, by their number."""

    event: Literal["decoded"]
    paths: int


class Retrieved(TypedDict):
    """The walks that a baseline took from the graph, by their number."""

    event: Literal["retrieved"]
    paths: int


class Pruned(TypedDict):
    """The relations that a step of `tog` follows, by their number."""

    event: Literal["pruned"]
    relations: int


class Walked(TypedDict):
    """The walks that `tog` keeps after a step, by their number."""

    event: Literal["walked"]
    paths: int


class Expanded(TypedDict):
    """The traversals that an expansion of `tot` came to, by their number."""

    event: Literal["expanded"]
    children: int


class Verified(TypedDict):
    """The walks that the graph holds, and the answers that they prove."""

    event: Literal["verified"]
    candidates: list[Candidate]
    answers: list[Answer]


class Computed(TypedDict):
    """What was computed over verified answers."""

    event: Literal["computed"]
    result: Result


class Responded(TypedDict):
    """The reply: the last event of every question that is not waiting for a choice."""

    event: Literal["responded"]
    status: Status
    text: str


Event: TypeAlias = (
    Understood
    | Linked
    | Ambiguous
    | Loaded
    | Decoded
    | Retrieved
    | Pruned
    | Walked
    | Expanded
    | Verified
    | Computed
    | Responded
)
"""Any of them; `event` says which."""
