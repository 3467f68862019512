"""A question with its gold answers, whichever dataset it comes from, and how a sample is drawn.

`PackedTriples` are the graph of one question: a dataset with a graph a question holds millions of
triples at once.
"""

import json
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import sqrt
from typing import Literal, TypeAlias, cast, get_args

from ..agent.errors import DatasetError, InputError

Part: TypeAlias = Literal["train", "tune", "report", "all"]
"""Which questions of a set are asked, by the split rule; `all` is every one of them."""

PARTS: tuple[Part, ...] = get_args(Part)


def part_of(question: str) -> Part:
    """The part that a question belongs to, by its text alone: 50% train, 20% tune, 30% report.

    It is the only rule by which questions are split, so that nobody trains on what he reports.
    """
    bucket = int(sha256(question.strip().encode()).hexdigest(), 16) % 10
    return "train" if bucket < 5 else "tune" if bucket < 7 else "report"


DATASET_NAMES = (
    "2wiki commonsenseqa exam freebaseqa jsonl medqa metaqa pathquestion qald rog world".split()
)
"""The names of `readers.DATASETS`, for whoever must be quick: the readers import more."""

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
    form: str = ""
    """What is wanted: `members`, a `number`, `yesno` or `rows`; told by the answers if empty."""
    plain: tuple[Gold, ...] = ()
    """The answers to the question without the word that changes it, where it has such a word."""
    query: str = ""
    """The gold query as JSON, with its mentions, where there is one."""
    absent_words: str = ""
    """Words of the question that the graph has nothing for, where the dataset says which."""
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
    before any is twice, and those that differ by their tags only take turns as one. The seed and
    the ids decide which samples of a kind come first.
    """
    kinds: dict[_Kind, list[tuple[bytes, int]]] = defaultdict(list)
    for position, sample in enumerate(samples):
        kind = sample.type, sample.hops, bool(sample.answers), frozenset(sample.tags)
        kinds[kind].append((_draw(sample, seed), position))
    ranked, alike = list[_Rank](), defaultdict[object, list[_Kind]](list)
    for kind, drawn in kinds.items():
        alike[kind[:3]].append(kind)
        drawn.sort()
        later = enumerate(drawn[1:], 1)
        ranked += [(True, *_turn(taken, len(drawn)), *draw) for taken, draw in later]
    for group in alike.values():
        group.sort(key=lambda kind: (-len(kinds[kind]), kinds[kind]))
        size = sum(len(kinds[kind]) for kind in group)
        firsts = enumerate(kinds[kind][0] for kind in group)
        ranked += [(False, *_turn(taken, size), *first) for taken, first in firsts]
    return tuple(samples[position] for *_, position in sorted(ranked))


_Kind: TypeAlias = tuple[str, int | None, bool, frozenset[str]]
_Rank: TypeAlias = tuple[bool, bool, float, bytes, int]
"""Whether its kind was there before, its turn, what it drew, and its position in the file."""


def _turn(taken: int, size: int) -> tuple[bool, float]:
    """When a group of samples is up again: all once, the largest first, then in proportion.

    In proportion is by the method of Huntington and Hill, which never takes back what it gave when
    there is more to give.
    """
    return (True, sqrt(taken * (taken + 1)) / size) if taken else (False, -size)


def _draw(sample: Sample, seed: int) -> bytes:
    """What a sample drew, by which those of a kind are in order."""
    return sha256(f"{seed} {sample.id}".encode("utf-8", "surrogatepass")).digest()[:8]


@dataclass(frozen=True)
class PackedTriples(Collection[NamedTriple]):
    """Triples in order, each once, at 12 bytes and what their names take as UTF-8.

    Immutable, hashable and cheap to send to another process; iterating makes the tuples anew.
    """

    names: bytes
    indices: bytes

    def __iter__(self) -> Iterator[NamedTriple]:
        names = cast("list[str]", json.loads(self.names))
        indices = iter(array("I", self.indices))
        for head, relation, tail in zip(indices, indices, indices, strict=True):
            yield names[head], names[relation], names[tail]

    def __len__(self) -> int:
        return len(self.indices) // (3 * array("I").itemsize)

    def __contains__(self, triple: object) -> bool:
        return any(triple == packed for packed in self)


def pack(triples: Iterable[NamedTriple]) -> PackedTriples:
    """Pack triples of names without lone surrogates."""
    numbers: dict[str, int] = {}
    indices = array("I")
    for triple in dict.fromkeys(triples):
        indices.extend(numbers.setdefault(name, len(numbers)) for name in triple)
    return PackedTriples(json.dumps(list(numbers), ensure_ascii=False).encode(), indices.tobytes())
