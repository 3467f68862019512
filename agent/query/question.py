"""A question as it is asked of a graph: what a query can point at, and what came before it.

A query points at mentions by number: the linked names of the question and its values, in the order
of the text, then those of the question before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..decoding.wire import POINTERS
from ..kg.terms import Step, Term
from ..linking.spans import Span, bracketed
from ..records import MentionRecord
from .binding import Mention
from .currencies import currency_before
from .named_values import values_in
from .normal import MentionValue
from .prompt import EarlierQuestion, Numbered
from .spelling import NamedValue
from .tree import EarlierSet, Last, Part

Proof = tuple[Step, ...]


@dataclass(frozen=True)
class Mentions:
    """The mentions of a question, by number: their spans, their terms, how values compare."""

    numbered: tuple[Numbered, ...] = ()
    bound: tuple[Mention, ...] = ()
    values: Mapping[int, MentionValue] = field(default_factory=dict[int, MentionValue])

    def followed_by(self, later: "Mentions") -> "Mentions":
        """These and others, numbered on; as many as there are pointers."""
        size, most = len(self.numbered), len(POINTERS)
        values = {**self.values, **{size + n: value for n, value in later.values.items()}}
        return Mentions(
            (*self.numbered, *later.numbered)[:most],
            (*self.bound, *later.bound)[:most],
            {number: value for number, value in values.items() if number < most},
        )


@dataclass(frozen=True)
class Before:
    """The question before, its topics, and its answers, each with the steps that prove it."""

    asked: EarlierQuestion = EarlierQuestion()
    """What the model reads of it."""
    mentions: Mentions = Mentions()
    topics: tuple[Term, ...] = ()
    answers: Mapping[Term, Proof] = field(default_factory=dict[Term, Proof])
    cut: bool = False
    """Whether there are more answers than these."""
    reading: str = ""
    """The query of the question before, in words."""
    is_counted: bool = False
    """Whether the question before was how many answers there are."""

    def terms(self) -> dict[EarlierSet, Sequence[Term]]:
        """The sets that a query may begin at."""
        sets: dict[EarlierSet, Sequence[Term]] = {}
        if self.asked.topics:
            sets["topics"] = self.topics
        if self.asked.answers:
            sets["answers"] = tuple(self.answers)
        return sets

    def answered(self, start: Last | Part) -> Sequence[tuple[Term, Proof]]:
        """The terms that a start from the conversation stands for, each with its proof."""
        if isinstance(start, Last) and start.last == "topics":
            return [(topic, ()) for topic in self.topics]
        return list(self.answers.items())


@dataclass(frozen=True)
class Asked:
    """A question with its mentions, and what came before it."""

    question: str
    mentions: Mentions
    before: Before = Before()
    unlinked: Sequence[Span] = ()
    """What has the capitals of a name, and is no mention."""

    @property
    def pointed(self) -> Mentions:
        """All that a query can point at: the mentions, then those of the question before."""
        return self.mentions.followed_by(self.before.mentions)


def mentions_of(question: str, linked: Sequence[MentionRecord]) -> Mentions:
    """The mentions of a question; a linked name wins over a value that it overlaps.

    Brackets around a name are a part of its mention; where they describe it, no value is in them.
    The unit right beside a number names nothing, though the graph may have it as a text.
    """
    mentions, values = list[tuple[Numbered, Mention, MentionValue]](), values_in(question)
    units = {_unit_of(question, value) for value in values if value.value.unit}
    linked = [name for name in linked if (name["start"], name["end"]) not in units]
    described = [span for span in bracketed(question) if " (" in question[span.start : span.end]]
    for name in linked:
        best = name["candidates"][0]
        numbered = Numbered(*_span_with_brackets(question, name), best["kind"])
        mention = Mention(name["text"] or best["label"], best["term"])
        mentions.append((numbered, mention, MentionValue()))
    for value in values:
        if any(value.start < name["end"] and name["start"] < value.end for name in linked):
            continue
        if any(stretch.start <= value.start < stretch.end for stretch in described):
            continue
        # A small number may be a place or how many: the model reads it as it is written.
        size = value.value.value
        is_small = isinstance(size, int) and 0 <= size < len(POINTERS)
        numbered = Numbered(value.start, value.end, value.kind, value.text if is_small else "")
        mentions.append((numbered, Mention(value.text), value.value))
    mentions = sorted(mentions, key=lambda mention: mention[0].start)[: len(POINTERS)]
    return Mentions(
        tuple(numbered for numbered, _, _ in mentions),
        tuple(mention for _, mention, _ in mentions),
        {n: value for n, (_, _, value) in enumerate(mentions) if value != MentionValue()},
    )


def _unit_of(question: str, value: NamedValue) -> tuple[int, int]:
    """Where the unit of a value stands."""
    if money := currency_before(question, value.start):
        return money.span(1)
    start = question.find(value.value.unit, value.end)
    return start, start + len(value.value.unit)


def _span_with_brackets(question: str, name: MentionRecord) -> tuple[int, int]:
    """Where a name stands, with the brackets that a user put around it."""
    before, after = question[: name["start"]].rstrip(), question[name["end"] :].lstrip()
    if before.endswith("[") and after.startswith("]"):
        return len(before) - 1, len(question) - len(after) + 1
    return name["start"], name["end"]
