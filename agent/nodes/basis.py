"""What the tree of an operation speaks of, and executing such a tree."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ..kg import KnowledgeGraph
from ..kg.terms import Step, Term
from ..query.binding import Mention, bound_as_named
from ..query.execute import execute
from ..query.facts import Facts
from ..query.tree import Last, Part, Query
from ..state import Answer, Entity, MentionRecord, Source, StepRecord
from .checked import start_of
from .computed import Computed
from .query_answers import Verified, told_outcome
from .records import path_of

LAST = -1
"""The number of the last answers among those of parts."""


How: TypeAlias = Callable[[int], str]
"""How a set was made, in words, of its size."""


@dataclass(frozen=True)
class Basis:
    """A set that something is computed of: its tree, and what the tree speaks of.

    `answered` are the verified answers to parts, by number, and the `LAST` ones. `how` is
    None where its members are the answers to a plain question.
    """

    query: Query
    topics: list[Entity]
    confidence: float
    answered: Mapping[int, Sequence[Answer]] = field(default_factory=dict[int, list[Answer]])
    mentions: tuple[Mention, ...] = ()
    questions: tuple[str, ...] = ()
    source: Source | None = None
    how: How | None = None
    text: str = ""
    """What is said instead of the names of the members."""
    is_number: bool = False
    """Whether the members are numbers of the graph that say themselves how many there are."""
    is_empty: bool = False
    """Whether the last result had no members, so that these are none whatever is asked of them."""
    notes: list[str] = field(default_factory=list[str])
    asked: str = ""


def said(how: str, *, counted: bool = False) -> How:
    """The same words for every size, with `counted` after the size."""
    return lambda size: f"{size} {how}" if counted else how


def executed(kg: KnowledgeGraph, basis: Basis, query: Query) -> Computed:
    """What a tree over a basis comes to, its members in the order in which they were answered.

    Raises ServiceError, and ShortageError where it takes too long.
    """
    bound = bound_as_named(query, basis.mentions, basis.questions)
    known = _by_term(basis)
    order = {term: place for place, term in enumerate(known)}

    def earlier(start: Last | Part) -> list[tuple[Term, tuple[Step, ...]]]:
        number = start.part if isinstance(start, Part) else LAST
        return [(answer["term"], steps_of(answer)) for answer in basis.answered[number]]

    outcome = execute(Facts(kg), bound, earlier=earlier)
    last = len(order)
    members = sorted(outcome.members, key=lambda term: order.get(term, last))
    compared = sorted(outcome.compared, key=lambda step: order.get(step.source, last))
    outcome = replace(outcome, members=tuple(members), compared=tuple(compared), absent=())
    answered = [answer for answers in basis.answered.values() for answer in answers]
    computed = told_outcome(kg, bound, outcome, Verified(basis.topics, verified_steps(answered)))
    answers = [
        {**answer, "label": own["label"], "score": own["score"]}
        if (own := known.get(answer["term"]))
        else answer
        for answer in computed.answers
    ]
    return replace(
        computed,
        answers=answers,
        topics=basis.topics,
        confidence=basis.confidence,
        source=basis.source,
        notes=[*basis.notes, *computed.notes],
        asked=basis.asked,
        bound=bound,
    )


def mention_of(mention: MentionRecord, entity: Entity) -> Mention:
    """A mention that is linked to an entity."""
    return Mention(mention["text"] or entity["label"], entity["term"])


def _by_term(basis: Basis) -> dict[Term, Answer]:
    """What was answered, each once, the last answers first."""
    known = dict[Term, Answer]()
    for number in sorted(basis.answered):
        for answer in basis.answered[number]:
            known.setdefault(answer["term"], answer)
    return known


def steps_of(answer: Answer) -> tuple[Step, ...]:
    """The steps of all chains of an answer, one chain after the other."""
    paths = [path_of(start_of(chain), chain) for chain in answer["chains"] if chain]
    return tuple(step for path in paths for step in path.steps)


def verified_steps(answers: Sequence[Answer]) -> dict[Step, StepRecord]:
    """The steps of the chains of verified answers, with their records."""
    steps: dict[Step, StepRecord] = {}
    for answer in answers:
        for chain in filter(None, answer["chains"]):
            steps |= zip(path_of(start_of(chain), chain).steps, chain, strict=True)
    return steps
