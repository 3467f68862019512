"""A question with its gold answers, whichever dataset it comes from."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import sqrt
from typing import Literal, TypeAlias

from ..agent.errors import DatasetError, InputError
from .split import part as part_of

Part: TypeAlias = Literal["train", "tune", "report", "all"]
"""Which questions of a set are asked, by the split rule; `all` is every one of them."""

PARTS: tuple[Part, ...] = ("train", "tune", "report", "all")

NamedTriple: TypeAlias = tuple[str, str, str]
"""Head, relation and tail as a dataset writes them: terms in N-Triples syntax, or names."""

NamedStep: TypeAlias = tuple[str, bool]
"""A relation by its name, and whether it is walked from tail to head."""


@dataclass(frozen=True)
class Gold:
    """A right answer: its term in N-Triples syntax, its label, or both; what is unknown is ``.

    `aliases` are other labels that the dataset takes for the same answer.
    """

    term: str = ""
    label: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sample:
    """A question and what is known about it; one without `answers` cannot be answered."""

    id: str
    question: str
    answers: tuple[Gold, ...] = ()
    topics: tuple[str, ...] = ()
    """Terms or labels of the entities that the question is about."""
    hops: int | None = None
    tags: tuple[str, ...] = ()
    type: str = ""
    """What the dataset calls its kind of question, such as a MetaQA path type."""
    choices: tuple[str, ...] = ()
    """The answers to choose from, where there are such."""
    chains: tuple[tuple[NamedTriple, ...], ...] = ()
    """The reasoning that the dataset gives as right, where it gives any."""
    path: tuple[NamedStep, ...] = ()
    """The relation path from the topics that the dataset gives as right, where it gives one."""
    graph: Collection[NamedTriple] | None = None
    """The KG of this question alone, by names, where the dataset brings one."""


def of_part(samples: Sequence[Sample], part: Part = "all") -> tuple[Sample, ...]:
    """The samples of a part, in the order of the file.

    Raises InputError for a part that there is none of, DatasetError if nothing is left.
    """
    if part not in PARTS:
        raise InputError(f"there is no part {part!r}", f"parts: {', '.join(PARTS)}")
    chosen = tuple(s for s in samples if part in ("all", part_of(s.question)))
    if not chosen:
        raise DatasetError(f"no question is in the part {part!r}", "choose another part, or all")
    return chosen


def spread(samples: Sequence[Sample], seed: int) -> tuple[Sample, ...]:
    """The samples in an order of which every beginning is a random sample over their kinds.

    A kind is what has type, hops, tags and whether there is an answer in common. Each is there once
    before any is twice, the largest first; from then on as often as is proportional, by the method
    of Huntington and Hill, which takes from no kind when there are more in all. The seed and the
    ids decide which samples of a kind come first.
    """
    kinds: dict[object, list[int]] = defaultdict(list)
    for place, sample in enumerate(samples):
        kind = sample.type, sample.hops, frozenset(sample.tags), bool(sample.answers)
        kinds[kind].append(place)
    ranked = list[tuple[bool, float, bytes, int]]()
    for places in kinds.values():
        drawn = sorted((_draw(samples[place], seed), place) for place in places)
        for before, (draw, place) in enumerate(drawn):
            weight = sqrt(before * (before + 1)) / len(places) if before else -len(places)
            ranked.append((before > 0, weight, draw, place))
    return tuple(samples[place] for *_, place in sorted(ranked))


def _draw(sample: Sample, seed: int) -> bytes:
    """What a sample drew, by which those of a kind are in order."""
    return sha256(f"{seed} {sample.id}".encode("utf-8", "surrogatepass")).digest()[:8]
