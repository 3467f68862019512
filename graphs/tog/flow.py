"""The loop of tog: relations, entities, and whether that is enough, depth by depth."""

from functools import partial
from random import Random
from time import perf_counter
from typing import Any, Literal, Protocol

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ...agent.kg import KnowledgeGraph
from ...agent.kg.ranking import DIGITS
from ...agent.llm.asking import UnansweredError, with_replies
from ...agent.llm.walk_choices import walk_choices
from ...agent.nodes import Node
from ...agent.nodes.conclude import elect
from ...agent.nodes.explore import (
    Walk,
    Way,
    claimed,
    end,
    steps_along,
    target,
    told_cuts,
    walked,
    ways_out,
)
from ...agent.nodes.likely import LIKELIHOOD
from ...agent.nodes.records import question_mentions
from ...agent.nodes.usage import spent
from ...agent.options import Options
from ...agent.state import Named, State, StepRecord
from ..loop import Outcome, looping, tell
from ..method import Method, Parts, never
from .chat import ChatJudge
from .judge import Judge, OpenJudge
from .likely import LikelyJudge
from .state import Pick, TogState, longest

MANY = 20
"""Entities behind a relation from which on only a sample is scored."""

_Changes = dict[str, Any]


class _Node(Protocol):
    """A node of the loop."""

    def __call__(self, state: TogState, runtime: Runtime[Options]) -> _Changes: ...


def _build(parts: Parts) -> Node:
    open_judge = partial(_open_judge, parts)
    graph = StateGraph(TogState, context_schema=Options, input_schema=State, output_schema=Outcome)
    nodes: dict[str, _Node] = {
        "begin": _begin,
        "relations": partial(_relations, parts.kg, open_judge),
        "entities": partial(_entities, parts.kg, open_judge),
        "suffice": partial(_suffice, open_judge),
        "answer": partial(_answer, open_judge),
    }
    for name, node in nodes.items():
        graph.add_node(name, node)
    graph.add_edge(START, "begin")
    graph.add_edge("begin", "relations")
    graph.add_conditional_edges("relations", _after_relations, ["entities", "answer"])
    graph.add_conditional_edges("entities", _after_entities, ["suffice", "answer"])
    graph.add_conditional_edges("suffice", _after_suffice, ["relations", "answer"])
    graph.add_edge("answer", END)
    return looping(graph.compile(name="tog"), lambda options: 3 * max(longest(options), 1) + 5)


def _open_judge(parts: Parts, state: State, options: Options) -> Judge:
    question = state.get("question", "")
    if parts.llm is not None:
        return ChatJudge(parts.llm, question, parts.prompts)
    mentions = question_mentions(state)
    return LikelyJudge(walk_choices(parts.generator(), question, mentions, parts.prompts))


def _begin(state: TogState, runtime: Runtime[Options]) -> _Changes:
    topics = [Named(term=t["term"], label=t["label"]) for t in state.get("topics", [])]
    walks = [Walk(topic=topic, steps=[], score=1.0, relevance=1.0) for topic in topics]
    return {
        "walks": walks,
        "gathered": [],
        "picks": [],
        "claims": [],
        "grown": 0,
        "enough": False,
        "unread": 0,
        "shortened": 0,
        "sampled": 0,
        "cuts": [],
        "silent": "",
    }


def _relations(
    kg: KnowledgeGraph, open_judge: OpenJudge, state: TogState, runtime: Runtime[Options]
) -> _Changes:
    """Section 2.2.1: the relations around each walk's end, pruned."""
    since, options = perf_counter(), runtime.context or Options()
    walks = state.get("walks", [])
    inverse = options.inverse is not False
    ends = [end(walk)["term"] for walk in walks]
    around, requests, cuts = ways_out(kg, ends, state.get("question", ""), inverse=inverse)
    asked = [
        (w, [way for way in ways if not _is_way_back(w, way)])
        for w, ways in zip(walks, around, strict=True)
    ]
    judge = open_judge(state, options)
    try:
        picked = judge.relations(asked, options.width)
    except UnansweredError as error:
        return {**_spent(state, since, judge, requests), "picks": [], "silent": str(error)}
    picks, claims = list[Pick](), list(state.get("claims", []))
    for place, ((walk, ways), own) in enumerate(zip(asked, picked, strict=True)):
        claims += [claimed(kg, walk, name) for name in own.invented]
        picks += [
            Pick(walk=place, way=ways[i], score=score, relevance=own.relevance.get(i, 1.0))
            for i, score in own.scores.items()
        ]
    tell({"event": "pruned", "relations": len(picks)})
    return {
        **_spent(state, since, judge, requests),
        "picks": picks,
        "claims": claims,
        "cuts": [*state.get("cuts", []), *cuts],
    }


def _entities(
    kg: KnowledgeGraph, open_judge: OpenJudge, state: TogState, runtime: Runtime[Options]
) -> _Changes:
    """Section 2.2.2: the entities behind the relations, pruned to the best walks overall."""
    since, options = perf_counter(), runtime.context or Options()
    walks, picks = state.get("walks", []), state.get("picks", [])
    topics = {topic["term"] for topic in state.get("topics", [])}
    ends = [(end(walks[pick["walk"]])["term"], pick["way"]) for pick in picks]
    found, requests, cuts = steps_along(kg, ends, options.max_degree)
    sampled, offered = state.get("sampled", 0), list[list[StepRecord]]()
    for pick, steps in zip(picks, found, strict=True):
        allowed = _allowed(walks[pick["walk"]], steps, topics, options)
        drawn = _sample(allowed, f"{options.seed}|{ends[len(offered)]}", options.sample)
        sampled += len(drawn) < len(allowed)
        offered.append(drawn)
    asked = [
        (walks[pick["walk"]], pick["way"], [target(step) for step in steps])
        for pick, steps in zip(picks, offered, strict=True)
    ]
    judge = open_judge(state, options)
    try:
        picked = judge.entities(asked, options.width)
    except UnansweredError as error:
        return {**_spent(state, since, judge, requests), "walks": [], "silent": str(error)}
    grown, claims = list[Walk](), list(state.get("claims", []))
    for pick, (walk, way, _), steps, own in zip(picks, asked, offered, picked, strict=True):
        claims += [claimed(kg, walk, way, name) for name in own.invented]
        for i, score in own.scores.items():
            grown.append(
                Walk(
                    topic=walk["topic"],
                    steps=[*walk["steps"], steps[i]],
                    score=pick["score"] * score,
                    relevance=walk["relevance"] * pick["relevance"],
                )
            )
    kept, gathered = _best(grown, options.width)
    tell({"event": "walked", "paths": len(kept)})
    return {
        **_spent(state, since, judge, requests),
        "walks": kept,
        "gathered": [*state.get("gathered", []), *gathered],
        "claims": claims,
        "grown": state.get("grown", 0) + 1,
        "sampled": sampled,
        "cuts": [*state.get("cuts", []), *cuts],
    }


def _suffice(open_judge: OpenJudge, state: TogState, runtime: Runtime[Options]) -> _Changes:
    """Section 2.3: whether the triples gathered so far are enough."""
    since, options = perf_counter(), runtime.context or Options()
    judge = open_judge(state, options)
    try:
        enough, silent = judge.enough(state.get("walks", []), state.get("gathered", [])), ""
    except UnansweredError as error:
        enough, silent = False, str(error)
    return {**_spent(state, since, judge), "enough": enough, "silent": silent}


def _answer(open_judge: OpenJudge, state: TogState, runtime: Runtime[Options]) -> _Changes:
    """Section 2.3: from what was gathered to answers."""
    since, options = perf_counter(), runtime.context or Options()
    gathered, silent = state.get("gathered", []), state.get("silent", "")
    topics = [Named(term=t["term"], label=t["label"]) for t in state.get("topics", [])]
    judge = open_judge(state, options)
    concluded = elect(gathered, [walk["score"] for walk in gathered])
    if not silent:
        try:
            concluded = judge.conclude(topics, gathered)
        except UnansweredError as error:
            silent = str(error)
    changes = _spent(state, since, judge)
    notes = list(state.get("notes", []))
    if judge.reasoner == "likelihood" and LIKELIHOOD not in notes:
        notes.append(LIKELIHOOD)
    if silent:
        instead = "its scores so far decided" if gathered else "nothing was gathered before"
        notes.append(f"{silent}: the LLM did not answer; {instead}")
    notes = with_replies(notes, unread=changes["unread"], shortened=changes["shortened"])
    if sampled := state.get("sampled", 0):
        several = "a long list" if sampled == 1 else f"{sampled} long lists"
        notes.append(f"of {several} of entities only a sample was scored")
    notes += told_cuts(state.get("cuts", []))
    candidates = [
        *map(walked, gathered),
        *state.get("claims", []),
    ]
    return {
        "candidates": candidates,
        "answers": concluded.answers,
        "unsupported": concluded.unsupported,
        "confidence": round(min(concluded.confidence, 1.0), 6),
        "reasoner": judge.reasoner if gathered or not silent else "",
        "notes": notes,
        "usage": changes["usage"],
    }


def _after_relations(state: TogState) -> Literal["entities", "answer"]:
    return "entities" if state.get("picks") else "answer"


def _after_entities(state: TogState) -> Literal["suffice", "answer"]:
    return "suffice" if state.get("walks") else "answer"


def _after_suffice(state: TogState, runtime: Runtime[Options]) -> Literal["relations", "answer"]:
    options = runtime.context or Options()
    ended = state.get("enough") or state.get("silent")
    return "answer" if ended or state.get("grown", 0) >= longest(options) else "relations"


def _is_way_back(walk: Walk, way: Way) -> bool:
    if not walk["steps"]:
        return False
    last = walk["steps"][-1]
    return (last["relation"]["term"], not last["inverse"]) == (
        way["relation"]["term"],
        way["inverse"],
    )


def _allowed(
    walk: Walk, steps: list[StepRecord], topics: set[str], options: Options
) -> list[StepRecord]:
    """The steps that `revisits` lets a walk take."""
    banned = set[str]()
    if options.revisits != "walk":
        banned |= topics
    if options.revisits == "simple":
        banned |= {step[part]["term"] for step in walk["steps"] for part in ("head", "tail")}
        banned.add(walk["topic"]["term"])
    return [step for step in steps if target(step)["term"] not in banned]


def _sample(steps: list[StepRecord], key: str, size: int) -> list[StepRecord]:
    if len(steps) < MANY or len(steps) <= size:
        return steps
    drawn = Random(key).sample(range(len(steps)), size)
    return [steps[i] for i in sorted(drawn)]


def _best(walks: list[Walk], width: int) -> tuple[list[Walk], list[Walk]]:
    """The best walks to different entities, and with them those of other topics to the same ones.

    Ties go to the smaller end.
    """
    ordered = sorted(walks, key=lambda walk: (-round(walk["score"], DIGITS), end(walk)["term"]))
    best: dict[str, dict[str, Walk]] = {}
    for walk in ordered:
        if walk["score"] > 0:
            own = best.setdefault(end(walk)["term"], {})
            own.setdefault(walk["topic"]["term"], walk)
    kept = [list(own.values()) for own in list(best.values())[:width]]
    return [own[0] for own in kept], [walk for own in kept for walk in own]


def _spent(state: TogState, since: float, judge: Judge, requests: int = 0) -> _Changes:
    bill = judge.bill
    return {
        "usage": spent(state, since, **bill.cost, kg_requests=requests),
        "unread": state.get("unread", 0) + bill.unread,
        "shortened": state.get("shortened", 0) + bill.shortened,
    }


TOG = Method(
    _build,
    "relations and entities explored step by step, chosen by an LLM (Think-on-Graph)",
    reads=never,
    reasons=True,
    paper={"width": 3, "depth": 3, "sample": 5, "inverse": True, "revisits": "walk"},
    uses=frozenset({"revisits", "max_degree", "width", "depth", "sample", "seed"}),
)
