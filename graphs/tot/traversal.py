"""Traversals of the KG as nodes of a search tree."""

from collections.abc import Sequence
from typing import Literal

from typing_extensions import TypedDict

from ...agent.kg.terms import is_literal
from ...agent.options import Options
from ...agent.state import Named, StepRecord

DEPTH = 7
"""The actions of a traversal after which it must answer (the paper's maximum depth)."""

Phase = Literal["default", "entities", "relation", "answered"]
"""What a traversal does next: choose an action, what to expand, by which relation; or nothing."""


class Traversal(TypedDict):
    """A node of the search tree: what its action added to the traversal of its parent.

    `value` is from 0 to 1, and -1 where no action could be read; `relevance` is the probability
    that a local model gives to the relations so far.
    """

    parent: int
    depth: int
    phase: Phase
    story: str
    steps: list[StepRecord]
    selected: list[Named]
    answers: list[str]
    value: float
    relevance: float
    expanded: bool


def deepest(options: Options) -> int:
    """The depth from which a traversal must answer."""
    return DEPTH if options.depth is None else options.depth


def lineage(tree: Sequence[Traversal], node: int) -> list[Traversal]:
    """The nodes from the root down to one."""
    line = list[Traversal]()
    while node >= 0:
        line.append(tree[node])
        node = tree[node]["parent"]
    line.reverse()
    return line


def gathered(line: Sequence[Traversal]) -> list[StepRecord]:
    """The triples that a traversal has gathered."""
    return [step for node in line for step in node["steps"]]


def entities(topics: Sequence[Named], line: Sequence[Traversal]) -> list[Named]:
    """The entities that a traversal knows, topics first; literals cannot be expanded."""
    known = {topic["term"]: topic for topic in topics}
    for step in gathered(line):
        for entity in (step["head"], step["tail"]):
            if not is_literal(entity["term"]):
                known.setdefault(entity["term"], entity)
    return list(known.values())


def best_open(tree: Sequence[Traversal]) -> int:
    """The node to expand: the one of most value, the deeper, then the earlier one; -1 for none."""
    choice = [i for i, n in enumerate(tree) if not n["expanded"] and n["phase"] != "answered"]
    return max(choice, key=lambda i: (tree[i]["value"], tree[i]["depth"], -i), default=-1)


def best_answered(tree: Sequence[Traversal]) -> int:
    """The answer of most value, the deeper, then the earlier one; -1 for none."""
    choice = [i for i, n in enumerate(tree) if n["phase"] == "answered"]
    return max(choice, key=lambda i: (tree[i]["value"], tree[i]["depth"], -i), default=-1)
