"""The loop of tot: choose the most valuable traversal, expand it, value what follows."""

from functools import partial
from time import perf_counter
from typing import Any, Literal, Protocol

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ...agent.kg import KnowledgeGraph
from ...agent.llm.asking import UnansweredError, with_replies
from ...agent.llm.walk_choices import walk_choices
from ...agent.nodes import Node
from ...agent.nodes.conclude import Conclusion, match_answers, proofs
from ...agent.nodes.explore import Walk, told_cuts, walked
from ...agent.nodes.likely import LIKELIHOOD
from ...agent.nodes.records import question_mentions
from ...agent.nodes.usage import spent
from ...agent.options import Options
from ...agent.state import Answer, Candidate, Named, State
from ..loop import Outcome, looping, tell
from ..method import Method, Parts, never
from .chat import ChatPolicy
from .expand import Expanded, expand, root
from .likely import LikelyPolicy
from .policy import OpenPolicy, Place, Policy
from .state import TotState, Traversal, best_answered, best_open, gathered, lineage

MOST_SHOWN = 100
"""Walks of a traversal that are shown as candidates."""

_Changes = dict[str, Any]


class _Node(Protocol):
    """A node of the loop."""

    def __call__(self, state: TotState, runtime: Runtime[Options]) -> _Changes: ...


def _build(parts: Parts) -> Node:
    open_policy = partial(_open_policy, parts)
    graph = StateGraph(TotState, context_schema=Options, input_schema=State, output_schema=Outcome)
    nodes: dict[str, _Node] = {
        "begin": _begin,
        "choose": _choose,
        "expand": partial(_expand, parts.kg, open_policy),
        "value": partial(_value, open_policy),
        "answer": partial(_answer, open_policy),
    }
    for name, node in nodes.items():
        graph.add_node(name, node)
    graph.add_edge(START, "begin")
    graph.add_edge("begin", "choose")
    graph.add_conditional_edges("choose", _after_choose, ["expand", "answer"])
    graph.add_edge("expand", "value")
    graph.add_edge("value", "choose")
    graph.add_edge("answer", END)
    return looping(graph.compile(name="tot"), lambda options: 3 * max(options.expansions, 1) + 5)


def _open_policy(parts: Parts, state: State, options: Options) -> Policy:
    question = state.get("question", "")
    if parts.llm is not None:
        return ChatPolicy(parts.llm, question, parts.prompts)
    mentions = question_mentions(state)
    return LikelyPolicy(walk_choices(parts.generator(), question, mentions, parts.prompts))


def _begin(state: TotState, runtime: Runtime[Options]) -> _Changes:
    return {
        "tree": [root()],
        "current": 0,
        "children": [],
        "expansions": 0,
        "claims": [],
        "unread": 0,
        "shortened": 0,
        "cut": 0,
        "cuts": [],
        "silent": "",
    }


def _choose(state: TotState, runtime: Runtime[Options]) -> _Changes:
    """Section 3.4: the most valuable open traversal; -1 where the search ends."""
    options, tree = runtime.context or Options(), state.get("tree", [])
    answered = best_answered(tree)
    ended = (
        bool(state.get("silent"))
        or state.get("expansions", 0) >= options.expansions
        or (answered >= 0 and tree[answered]["value"] >= options.enough)
    )
    return {"current": -1 if ended else best_open(tree)}


def _after_choose(state: TotState) -> Literal["expand", "answer"]:
    return "expand" if state.get("current", -1) >= 0 else "answer"


def _expand(
    kg: KnowledgeGraph, open_policy: OpenPolicy, state: TotState, runtime: Runtime[Options]
) -> _Changes:
    """Section 3.2: the chosen traversal acts in up to `width` ways."""
    since, options = perf_counter(), runtime.context or Options()
    tree, current = list(state.get("tree", [])), state.get("current", 0)
    place, policy = _place(state, tree, current), open_policy(state, options)
    silent, question = "", state.get("question", "")
    try:
        done = expand(kg, policy, place, current, question, options)
    except UnansweredError as error:
        done, silent = Expanded(), str(error)
    tree[current] = {**tree[current], "expanded": True}
    tell({"event": "expanded", "children": len(done.children)})
    return {
        **_spent(state, since, policy, done.requests),
        "tree": tree,
        "children": done.children,
        "claims": [*state.get("claims", []), *done.claims],
        "expansions": state.get("expansions", 0) + 1,
        "cut": state.get("cut", 0) + done.cut,
        "cuts": [*state.get("cuts", []), *done.cuts],
        "silent": silent,
    }


def _value(open_policy: OpenPolicy, state: TotState, runtime: Runtime[Options]) -> _Changes:
    """Section 3.3: how promising each of the new traversals is."""
    since, options = perf_counter(), runtime.context or Options()
    tree, children = state.get("tree", []), state.get("children", [])
    policy, silent = open_policy(state, options), state.get("silent", "")
    fresh = [node for node in children if node["value"] >= 0]
    line = lineage(tree, state.get("current", 0))
    topics = _topics(state)
    try:
        values = policy.values([Place(topics, [*line, node]) for node in fresh])
    except UnansweredError as error:
        values, silent = [0.0] * len(fresh), str(error)
    valued = iter(values)
    grown: list[Traversal] = [
        {**node, "value": next(valued)} if node["value"] >= 0 else node for node in children
    ]
    return {
        **_spent(state, since, policy),
        "tree": [*tree, *grown],
        "children": [],
        "silent": silent,
    }


def _answer(open_policy: OpenPolicy, state: TotState, runtime: Runtime[Options]) -> _Changes:
    """Section 3.4: the answer of most value, or one that is asked for at the end."""
    since, options = perf_counter(), runtime.context or Options()
    tree, silent = state.get("tree", []), state.get("silent", "")
    policy, best = open_policy(state, options), best_answered(tree)
    here = best if best >= 0 else max(best_open(tree), 0)
    place = _place(state, tree, here)
    answers, value, relevance = tree[here]["answers"], tree[here]["value"], tree[here]["relevance"]
    if best < 0 and not silent:
        try:
            moves = policy.act(place, ["ANSWER"], 1)
        except UnansweredError as error:
            moves, silent = [], str(error)
        answers = [name for move in moves for name in move.answers]
        value = value * moves[0].weight.share if moves else 0.0
        relevance = relevance * moves[0].weight.relevance if moves else 0.0
    steps = gathered(place.line)
    concluded = match_answers(answers, place.topics, steps)
    if policy.reasoner == "likelihood":
        concluded = _weighed(concluded, value, relevance)
    changes, notes = _spent(state, since, policy), list(state.get("notes", []))
    if policy.reasoner == "likelihood" and LIKELIHOOD not in notes:
        notes.append(LIKELIHOOD)
    if silent:
        notes.append(f"{silent}: the LLM did not answer; the search ended there")
    notes = with_replies(notes, unread=changes["unread"], shortened=changes["shortened"])
    if cut := state.get("cut", 0):
        expansions = "expansion" if cut == 1 else "expansions"
        notes.append(f"{cut} {expansions} found more facts than were kept")
    walks = _walks(place, value, relevance)
    if len(walks) > MOST_SHOWN:
        notes.append(f"{MOST_SHOWN} of {len(walks)} walks are shown")
    notes += told_cuts(state.get("cuts", []))
    return {
        "candidates": [*walks[:MOST_SHOWN], *state.get("claims", [])],
        "answers": concluded.answers,
        "unsupported": concluded.unsupported,
        "confidence": round(concluded.confidence, 6),
        "reasoner": policy.reasoner,
        "notes": notes,
        "usage": changes["usage"],
    }


def _weighed(concluded: Conclusion, value: float, relevance: float) -> Conclusion:
    answers: list[Answer] = [
        {**answer, "score": round(max(value, 0.0), 6)} for answer in concluded.answers
    ]
    return Conclusion(answers, concluded.unsupported, relevance if answers else 0.0)


def _walks(place: Place, value: float, relevance: float) -> list[Candidate]:
    """The walks to the entities of a traversal, in the order in which they were found."""
    topics = {topic["term"]: topic for topic in place.topics}
    several = [way for ways in proofs(place.topics, gathered(place.line)).values() for way in ways]
    found = list[Candidate]()
    for steps in several:
        first = steps[0]["tail"] if steps[0]["inverse"] else steps[0]["head"]
        walk = Walk(topic=topics[first["term"]], steps=steps, score=value, relevance=relevance)
        found.append(walked(walk))
    return found


def _topics(state: State) -> list[Named]:
    return [Named(term=t["term"], label=t["label"]) for t in state.get("topics", [])]


def _place(state: State, tree: list[Traversal], node: int) -> Place:
    return Place(_topics(state), lineage(tree, node))


def _spent(state: TotState, since: float, policy: Policy, requests: int = 0) -> _Changes:
    bill = policy.bill
    return {
        "usage": spent(state, since, **bill.cost, kg_requests=requests),
        "unread": state.get("unread", 0) + bill.unread,
        "shortened": state.get("shortened", 0) + bill.shortened,
    }


TOT = Method(
    _build,
    "best-first search over traversals that think, expand and answer (Tree-of-Traversals)",
    reads=never,
    reasons=True,
    paper={"width": 3, "depth": 7, "expansions": 25, "enough": 0.8, "inverse": True},
    uses=frozenset({"max_degree", "width", "depth", "expansions", "enough"}),
)
