"""How many of the topics of questions a linker finds, by how the question names them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from ...agent.kg import normalise, open_kg
from ...agent.kg.store import Labels
from ...agent.linking import LabelLinker, Mention
from ...agent.linking.words import FUNCTION_WORDS
from .topics import Asked, Group

DEPTH = 5
"""How many candidates of a mention count as found: what a user can choose from at a glance."""

_Match: TypeAlias = Literal["whole", "part", "nothing", "absent"]
"""What of a topic's name the question holds; `absent` when the graph has no such name at all."""


@dataclass(frozen=True)
class Share:
    """Of so many topics, how many are the best candidate of a mention, or among its first five."""

    topics: int
    first: int
    found: int


@dataclass(frozen=True)
class Recall:
    """The topics of all questions, and by how much of their names the text has.

    `mentions` are all that is linked.
    """

    questions: int
    mentions: int
    all: Share
    whole: Share
    part: Share
    nothing: Share
    absent: Share


def recall(groups: Iterable[Group], cache: Path) -> Recall:
    """Link every question over its graph, which is built into `cache`. Raises KGError."""
    questions = mentions = 0
    counts: Counter[tuple[str, str]] = Counter()
    for group in groups:
        questions += len(group.asked)
        for asked, matches, linked in _linked(group, cache):
            mentions += len(linked)
            for topic, how in zip(asked.topics, matches, strict=True):
                ranks = _ranks(topic, linked)
                for kind in ("all", how):
                    counts[kind, "topics"] += 1
                    counts[kind, "first"] += 0 in ranks
                    counts[kind, "found"] += bool(ranks)

    def share(kind: str) -> Share:
        return Share(*(counts[kind, what] for what in ("topics", "first", "found")))

    return Recall(
        questions,
        mentions,
        share("all"),
        share("whole"),
        share("part"),
        share("nothing"),
        share("absent"),
    )


def _linked(group: Group, cache: Path) -> Iterator[tuple[Asked, list[_Match], Sequence[Mention]]]:
    kg = open_kg(str(group.graph), cache=cache) if group.graph else None
    linker = LabelLinker(kg.labels) if kg else None
    labels = kg.labels if kg else None
    for asked in group.asked:
        matches: list[_Match] = [_match_of(topic, asked.question, labels) for topic in asked.topics]
        yield asked, matches, linker.link(asked.question) if linker else []
    if kg:
        kg.close()


def _ranks(topic: str, mentions: Iterable[Mention]) -> set[int]:
    """The places at which mentions have an entity of this name, from 0."""
    return {
        rank
        for mention in mentions
        for rank, candidate in enumerate(mention.candidates[:DEPTH])
        if candidate.label == topic
    }


def _match_of(topic: str, question: str, labels: Labels | None) -> _Match:
    if labels is None or not labels.named(topic):
        return "absent"
    name, text = normalise(topic), normalise(question)
    if f" {name} " in f" {text} ":
        return "whole"
    words, spoken = (
        {word for word in several.split() if word not in FUNCTION_WORDS} for several in (name, text)
    )
    return "nothing" if words.isdisjoint(spoken) else "part"
