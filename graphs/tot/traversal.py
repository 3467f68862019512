"""Traversals of the KG as nodes of a search tree, and what a policy decides at one of them."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from typing_extensions import TypedDict

from ...agent.kg.terms import Term, is_literal
from ...agent.llm.walk_choices import Weight
from ...agent.options import Options
from ...agent.records import Named, StepRecord
from ..prompted.conclusions import proofs
from ..prompted.walks import Walk

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


Act = Literal["THINK", "EXPAND", "ANSWER"]

SURE = Weight(1.0, 1.0)


class Move(NamedTuple):
    """An action; the text is a thought, or what the answer is. Chat LLMs give no weight."""

    act: Act
    text: str = ""
    answers: tuple[str, ...] = ()
    weight: Weight = SURE


class Selected(NamedTuple):
    """Options that are chosen together, by position."""

    positions: tuple[int, ...]
    weight: Weight = SURE


class Selection(NamedTuple):
    """Alternatives, best first, and names that were no option."""

    chosen: list[Selected]
    invented: tuple[str, ...] = ()


class Branch(NamedTuple):
    """Where a traversal stands: the topics, and its nodes from the root on."""

    topics: Sequence[Named]
    line: Sequence[Traversal]


def walk_to(branch: Branch, entity: Term) -> Walk:
    """A shortest walk to an entity that a traversal knows; without a step to a topic."""
    by_term = {topic["term"]: topic for topic in branch.topics}
    if entity in by_term:
        return Walk(topic=by_term[entity], steps=[], score=1.0, relevance=1.0)
    steps = proofs(branch.topics, gathered(branch.line))[entity][0]
    first = steps[0]["tail"] if steps[0]["inverse"] else steps[0]["head"]
    return Walk(topic=first, steps=steps, score=1.0, relevance=1.0)
