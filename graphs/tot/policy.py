"""Who decides in tot: a chat LLM, or the likelihoods of the local model."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from ...agent.kg.terms import Term
from ...agent.llm.walk_choices import Weight
from ...agent.state import Named
from ..prompted.conclusions import proofs
from ..prompted.walks import Walk, Way
from .traversal import Traversal, gathered

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


class Policy(Protocol):
    """Decides for one question; each of its methods may raise UnansweredError."""

    @property
    def reasoner(self) -> str:
        """Who it is, as `State.reasoner` has it."""
        ...

    @property
    def cost(self) -> dict[str, int]:
        """What its decisions have cost so far, by the fields of `Usage`."""
        ...

    @property
    def shortened(self) -> int:
        """How many replies were not whole."""
        ...

    def act(self, branch: Branch, allowed: Sequence[Act], width: int) -> list[Move]:
        """At most `width` different actions among those allowed."""
        ...

    def select(self, branch: Branch, known: Sequence[Named], width: int) -> Selection:
        """At most `width` alternative sets of entities to expand."""
        ...

    def relate(self, branch: Branch, ways: Sequence[Way], width: int) -> Selection:
        """At most `width` ways to expand the selected entities by, each by itself."""
        ...

    def values(self, branches: Sequence[Branch]) -> list[float]:
        """How promising each traversal is, or how good its answer, from 0 to 1."""
        ...
