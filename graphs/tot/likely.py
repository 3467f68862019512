"""tot by the likelihoods of the local model: the paper's search without its prompts."""

from collections.abc import Sequence

from ...agent.decoding.plan import of_model
from ...agent.kg.terms import Term
from ...agent.llm.walk_choices import Crossing, WalkChoices, Weight
from ...agent.state import Named
from ..prompted.walks import Walk, Way, spelled_names, spelled_ways, target, walk_names
from .policy import Act, Branch, Move, Selected, Selection
from .traversal import gathered


class LikelyPolicy:
    """Implements `Policy`: a traversal is worth the probability of its choices.

    To answer is to stop there, to expand to go on; there are no thoughts. Entities are weighed
    against the most likely one that was reached with them.
    """

    reasoner = "likelihood"
    shortened = 0

    def __init__(self, choices: WalkChoices) -> None:
        self._choices = choices

    @property
    def cost(self) -> dict[str, int]:
        """What its decisions have cost so far."""
        return of_model(self._choices.cost)

    def act(self, branch: Branch, allowed: Sequence[Act], width: int) -> list[Move]:
        """To answer with all entities that were reached last, or to expand."""
        reached = _reached(branch)
        if not reached:
            return [Move("EXPAND")] if "EXPAND" in allowed else []
        walks = [_walk(branch, entity["term"]) for entity in reached[:width]]
        stops = self._choices.stops([walk_names(walk) for walk in walks])
        share = sum(stop.share for stop in stops) / len(stops)
        relevance = sum(stop.relevance for stop in stops) / len(stops)
        answers = tuple(entity["label"] for entity in reached)
        moves = [Move("ANSWER", "; ".join(answers), answers, Weight(share, relevance))]
        if "EXPAND" in allowed:
            moves.append(Move("EXPAND", weight=Weight(1 - share, 1.0)))
        return moves

    def select(self, branch: Branch, known: Sequence[Named], width: int) -> Selection:
        """The likeliest of the entities that were reached last, or each topic."""
        positions = {entity["term"]: i for i, entity in enumerate(known)}
        reached = [entity for entity in _reached(branch) if entity["term"] in positions]
        if not gathered(branch.line):
            return Selection([Selected((i,)) for i in range(len(known))][:width])
        if not reached:
            return Selection([])
        before = walk_names(_walk(branch, reached[0]["term"]))[:-1]
        (weights,) = self._choices.next([Crossing(before, spelled_names(reached))])
        top = max(weight.share for weight in weights)
        best = sorted(range(len(reached)), key=lambda i: (-round(weights[i].share, 9), i))
        return Selection(
            [
                Selected((positions[reached[i]["term"]],), Weight(weights[i].share / top, 1.0))
                for i in best[:width]
            ]
        )

    def relate(self, branch: Branch, ways: Sequence[Way], width: int) -> Selection:
        """The likeliest ways out of the selected entity."""
        (selected,) = branch.line[-1]["selected"]
        walk = walk_names(_walk(branch, selected["term"]))
        (weights,) = self._choices.next([Crossing(walk, spelled_ways(ways))])
        best = sorted(range(len(ways)), key=lambda i: (-round(weights[i].share, 9), i))
        return Selection([Selected((i,), weights[i]) for i in best[:width]])

    def values(self, branches: Sequence[Branch]) -> list[float]:
        """The probability of the choices so far, which was summed up as they were made."""
        return [branch.line[-1]["value"] for branch in branches]


def _reached(branch: Branch) -> list[Named]:
    """The entities that the last expansion reached."""
    for node in reversed(branch.line):
        if node["steps"]:
            return list({target(s)["term"]: target(s) for s in node["steps"]}.values())
    return []


def _walk(branch: Branch, entity: Term) -> Walk:
    """The walk that a traversal took, on to an entity that it reached last or selected."""
    expansions = [i for i, node in enumerate(branch.line) if node["steps"]]
    if not expansions:
        topic = next(topic for topic in branch.topics if topic["term"] == entity)
        return Walk(topic=topic, steps=[], score=1.0, relevance=1.0)
    sources = [branch.line[i - 1]["selected"][0] for i in expansions]
    goals = [*(source["term"] for source in sources[1:]), entity]
    steps = [
        next(step for step in branch.line[i]["steps"] if target(step)["term"] == goal)
        for i, goal in zip(expansions, goals, strict=True)
    ]
    return Walk(topic=sources[0], steps=steps, score=1.0, relevance=1.0)
