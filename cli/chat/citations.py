"""Numbers for chains: an answer refers to the chains that prove it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...agent.evidence.tree import Place, grow
from ...agent.kg.terms import Triple
from ...agent.state import Answer, Named, StepRecord
from ..render import Trail, trail_from


@dataclass(frozen=True)
class Citations:
    """The distinct chains of some answers, numbered from 1 in the order in which answers need them.

    `of` has the numbers of each answer, and `ends` says where in the trees chains end.
    """

    chains: tuple[list[StepRecord], ...]
    of: tuple[tuple[int, ...], ...]
    ends: Mapping[Trail, tuple[int, ...]]


def cite(answers: Sequence[Answer], topics: Sequence[Named]) -> Citations:
    """Number the chains of answers."""
    numbers: dict[tuple[tuple[str, ...], ...], int] = {}
    chains = list[list[StepRecord]]()
    of = list[tuple[int, ...]]()
    ends: dict[Trail, tuple[int, ...]] = {}
    for answer in answers:
        own = list[int]()
        for chain in filter(None, answer["chains"]):
            key = tuple(map(_key, chain))
            if key not in numbers:
                numbers[key] = len(numbers) + 1
                chains.append(chain)
                end = _end(answer, chain, topics)
                ends[end] = (*ends.get(end, ()), numbers[key])
            own.append(numbers[key])
        of.append(tuple(dict.fromkeys(own)))
    return Citations(tuple(chains), tuple(of), ends)


def _key(step: StepRecord) -> tuple[str, ...]:
    return (*(step[part]["term"] for part in Triple._fields), str(step["inverse"]))


def _end(answer: Answer, chain: list[StepRecord], topics: Sequence[Named]) -> Trail:
    """Where a chain that is grown alone ends: at the step that it has last."""
    (root,) = grow([{**answer, "chains": [chain]}], topics)[-1:]
    last = _key(chain[-1])[:-1]

    def search(place: Place, trail: Trail) -> Trail | None:
        for key, branch in place.branches.items():
            below = trail_from(trail, key)
            found = search(branch, below) or (below if key[:-1] == last else None)
            if found:
                return found
        return None

    return search(root, (root.term,)) or (root.term,)
