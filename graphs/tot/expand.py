"""One expansion of a traversal: what it may do in its phase, and the traversals that follow."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...agent.kg import KnowledgeGraph
from ...agent.llm.walk_choices import Weight
from ...agent.options import Options
from ...agent.records import Candidate, Named, StepRecord
from ..prompted.walks import Way, claimed, spelled_names, spelled_ways, steps_along, ways_out
from .policies import Policy
from .traversal import Act, Branch, Phase, Traversal, deepest, entities, gathered, walk_to

MOST_STEPS = 100
"""Triples that one expansion adds at most."""

_AFTER: dict[Act, Phase] = {"THINK": "default", "EXPAND": "entities", "ANSWER": "answered"}
_NOTHING = "ERROR: nothing could be read from the reply"


@dataclass
class Expanded:
    """The children of a traversal, and what making them took."""

    children: list[Traversal] = field(default_factory=list[Traversal])
    claims: list[Candidate] = field(default_factory=list[Candidate])
    requests: int = 0
    cut: int = 0
    cuts: list[str] = field(default_factory=list[str])


def expand(
    kg: KnowledgeGraph, policy: Policy, branch: Branch, parent: int, question: str, options: Options
) -> Expanded:
    """The children of the traversal that `branch` ends in; at least one. Raises UnansweredError."""
    node = branch.line[-1]
    done = Expanded()
    match node["phase"]:
        case "default":
            _act(policy, branch, parent, options, done)
        case "entities":
            _select(policy, branch, parent, options, done)
        case _:
            _relate(kg, policy, branch, parent, question, options, done)
    if not done.children:
        failed = child(node, parent, "default", _NOTHING, Weight(0.0, 1.0))
        done.children.append({**failed, "value": -1.0})
    return done


def root() -> Traversal:
    """The traversal that has gathered nothing."""
    return Traversal(
        parent=-1,
        depth=0,
        phase="default",
        story="",
        steps=[],
        selected=[],
        answers=[],
        value=1.0,
        relevance=1.0,
        expanded=False,
    )


def child(
    node: Traversal,
    parent: int,
    phase: Phase,
    story: str,
    weight: Weight,
    *,
    steps: Sequence[StepRecord] = (),
    selected: Sequence[Named] = (),
    answers: Sequence[str] = (),
) -> Traversal:
    """What follows a traversal, valued by the weight of the choice until it is valued itself."""
    return Traversal(
        parent=parent,
        depth=node["depth"] + 1,
        phase=phase,
        story=story,
        steps=list(steps),
        selected=list(selected),
        answers=list(answers),
        value=max(node["value"], 0.0) * weight.share,
        relevance=node["relevance"] * weight.relevance,
        expanded=False,
    )


def allowed(branch: Branch, options: Options) -> list[Act]:
    """The actions of the default phase."""
    node = branch.line[-1]
    if node["depth"] >= deepest(options):
        return ["ANSWER"]
    thought = node["story"].startswith("THINK")
    return ["EXPAND", "ANSWER"] if thought else ["THINK", "EXPAND", "ANSWER"]


def _act(policy: Policy, branch: Branch, parent: int, options: Options, done: Expanded) -> None:
    node = branch.line[-1]
    for move in policy.act(branch, allowed(branch, options), options.width):
        story = f"{move.act}: {move.text}" if move.text else move.act
        phase = _AFTER[move.act]
        done.children.append(child(node, parent, phase, story, move.weight, answers=move.answers))


def _select(policy: Policy, branch: Branch, parent: int, options: Options, done: Expanded) -> None:
    node, known = branch.line[-1], entities(branch.topics, branch.line)
    for choice in policy.select(branch, known, options.width).chosen:
        selected = [known[i] for i in choice.positions]
        story = f"SELECTED ENTITIES: {', '.join(spelled_names(selected))}"
        done.children.append(
            child(node, parent, "relation", story, choice.weight, selected=selected)
        )


def _relate(
    kg: KnowledgeGraph,
    policy: Policy,
    branch: Branch,
    parent: int,
    question: str,
    options: Options,
    done: Expanded,
) -> None:
    node = branch.line[-1]
    selected = [entity["term"] for entity in node["selected"]]
    inverse = options.inverse is not False
    around, done.requests, done.cuts = ways_out(kg, selected, question, inverse=inverse)
    ways = _common(around)
    if not ways:
        return
    selection = policy.relate(branch, ways, options.width)
    chosen = [(choice, ways[choice.positions[0]]) for choice in selection.chosen]
    asked = [(term, way) for _, way in chosen for term in selected]
    step_lists, requests, cuts = steps_along(kg, asked, options.max_degree)
    done.requests += requests
    done.cuts += cuts
    known = {_triple(step) for step in gathered(branch.line)}
    for choice, way in chosen:
        several, step_lists = step_lists[: len(selected)], step_lists[len(selected) :]
        fresh = {_triple(step): step for steps in several for step in steps}
        steps = [step for triple, step in fresh.items() if triple not in known]
        done.cut += len(steps) > MOST_STEPS
        if steps:
            (name,) = spelled_ways([way])
            story = f"SELECTED RELATION: {name}, {len(steps)} new facts"
            done.children.append(
                child(node, parent, "default", story, choice.weight, steps=steps[:MOST_STEPS])
            )
    here = walk_to(branch, selected[0])
    done.claims += [claimed(kg, here, name) for name in selection.invented]


def _common(around: Sequence[Sequence[Way]]) -> list[Way]:
    """The ways out of any of the selected entities, each once."""
    ways = {(w["relation"]["label"], w["inverse"]): w for of_entity in around for w in of_entity}
    return [ways[key] for key in sorted(ways)]


def _triple(step: StepRecord) -> tuple[str, str, str]:
    return step["head"]["term"], step["relation"]["term"], step["tail"]["term"]
