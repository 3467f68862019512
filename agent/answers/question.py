"""A question as a method is asked it, and what the method comes to: the seam of the harness."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..kg.terms import Term
from ..llm.asking import with_reply_notes
from ..llm.prompt import Mention
from ..options import Options
from ..records import Answer, Candidate, Entity, Named, spent
from ..state import State
from .candidates import question_mentions


@dataclass(frozen=True)
class Question:
    """A question whose names are linked, and how far its walks may go."""

    text: str
    topics: tuple[Entity, ...]
    """The topic entities from which walks begin."""
    mentions: tuple[Mention, ...]
    """Where the text names them."""
    hops: int
    inverse: bool
    """Whether walks may go from tail to head."""
    options: Options
    id: str = ""
    """Names the question where it is one of a set."""
    choices: tuple[str, ...] = ()
    """The texts to choose from, where it is one of multiple choice."""

    @property
    def terms(self) -> list[Term]:
        """The terms of the topic entities."""
        return [topic["term"] for topic in self.topics]

    @property
    def named_topics(self) -> list[Named]:
        """The topic entities by term and label only, as records of chains have them."""
        return [Named(term=topic["term"], label=topic["label"]) for topic in self.topics]

    def by_topic(self) -> list["Question"]:
        """The question once for each topic entity alone; itself where it has none."""
        return [replace(self, topics=(topic,)) for topic in self.topics] or [self]


@dataclass(frozen=True)
class Conclusion:
    """Answers with the chains that are to prove them, and how sure the reasoner is of them."""

    answers: Sequence[Answer] = ()
    unsupported: Sequence[str] = ()
    """Names that the reasoner asserts without a chain."""
    confidence: float = 0.0
    reasoner: str = ""


@dataclass(frozen=True)
class Outcome:
    """What a method comes to: candidates for `induce`, or its own conclusion, or both."""

    candidates: Sequence[Candidate] = ()
    conclusion: Conclusion | None = None
    lost: int = 0
    """Chains and plans that the model wrote and that name no triples of the graph."""
    notes: Sequence[str] = ()
    cuts: Sequence[str] = ()
    """Notes on what was left out, for which there may be more answers."""
    cost: Mapping[str, int] = field(default_factory=dict[str, int])
    """What it took, by the fields of `Usage`; requests of the ground's views come on top."""
    shortened: int = 0
    """Replies of a chat LLM that are not whole."""


def question_in(state: State, options: Options) -> Question:
    """The question of a state that `load` has opened a view for."""
    view = state.get("view")
    assert view is not None, "load comes before the method"
    return Question(
        text=state.get("question", ""),
        topics=tuple(state.get("topics", [])),
        mentions=tuple(question_mentions(state)),
        hops=view["hops"],
        inverse=view["inverse"],
        options=options,
        id=state.get("id", ""),
        choices=tuple(state.get("choices", [])),
    )


def concluded(state: State, conclusion: Conclusion) -> State:
    """The changes of the state by a conclusion."""
    return {
        "answers": list(conclusion.answers),
        "unsupported": list(conclusion.unsupported),
        "reasoner": conclusion.reasoner or state.get("reasoner", ""),
        "confidence": round(min(conclusion.confidence, 1.0), 6),
    }


def accounted(state: State, outcome: Outcome, since: float, cuts: Sequence[str] = ()) -> State:
    """The changes of the state by the notes and the cost of an outcome; no note comes twice.

    `since` is when the work on it began, in seconds of `perf_counter`; `cuts` are notes on what
    was left out of the graph, beside those of the outcome.
    """
    earlier, cuts = state.get("notes", []), (*outcome.cuts, *cuts)
    fresh = dict.fromkeys(note for note in (*outcome.notes, *cuts) if note not in earlier)
    unread = outcome.cost.get("unread", 0)
    return {
        "notes": with_reply_notes([*earlier, *fresh], unread=unread, shortened=outcome.shortened),
        "cut": state.get("cut", False) or bool(cuts),
        "usage": spent(state.get("usage"), since, **outcome.cost),
    }
