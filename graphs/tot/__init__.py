"""tot: Tree-of-Traversals (Markowitz et al., ACL 2024).

A best-first search over traversals of the KG (section 3). In its default phase a traversal may
THINK (never twice in a row), EXPAND or ANSWER; to expand it selects entities, then a relation
(section 3.2). Each new traversal is valued from 0 to 1 (section 3.3); the most valuable one is
expanded next, ties go to the deeper one, and an answer of at least `enough` ends the search
(section 3.4). Where the paper leaves it open, or a deterministic model needs it:

- The alternatives of an expansion are asked for in one call, not drawn from several.
- At the maximum depth a traversal in its default phase may only answer.
- An expansion from which nothing could be read leaves one child of value -1, which is the last to
  be expanded, so that the search can still end in an answer.
- Where no traversal has answered when the search ends, the most valuable one is asked to.
- Answers are matched with the entities of the traversal's triples; others are unsupported.

Without a chat LLM the likelihoods of the local model decide (`LikelyPolicy`): not the paper's
method, and labelled so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...agent.answers.question import Conclusion, Outcome, Question
from ...agent.llm.asking import UnansweredError
from ...agent.options import Options
from ...agent.records import Answer, Candidate, summed
from ..ground import Ground, cut_notes
from ..method import Loop, Method, loop_graph, never
from ..prompted.conclusions import LIKELIHOOD, match_answers, proofs
from ..prompted.deciders import DecidedSearch
from ..prompted.walks import Walk, walked
from .expand import Expanded, expand, root
from .policies import ChatPolicy, LikelyPolicy, Policy
from .traversal import Branch, Traversal, best_answered, best_open, gathered, lineage

__all__ = ["TOT"]


MOST_SHOWN = 100
"""Walks of a traversal that are shown as candidates."""


@dataclass(frozen=True, kw_only=True)
class TotSearch(DecidedSearch):
    """How far the search has come."""

    tree: Sequence[Traversal]
    current: int = 0
    """The node of the tree that is expanded now."""
    children: Sequence[Traversal] = ()
    """Those made of it."""
    expansions: int = 0
    cut: int = 0
    """Expansions that reached more triples than were kept."""


def tot_loop() -> Loop:
    """The loop as a graph."""
    graph = loop_graph(
        "tot",
        {"choose": _choose, "expand": _expand, "value": _value, "answer": _answer},
        {
            "choose": (lambda s: "expand" if s.current >= 0 else "answer", ["expand", "answer"]),
            "value": (lambda _: "choose", ["choose"]),
        },
    )
    return Loop(graph, _begin, _most_steps)


def _most_steps(options: Options) -> int:
    return 3 * max(options.expansions, 1) + 5


def _begin(question: Question, ground: Ground) -> TotSearch:
    return TotSearch(question=question, ground=ground, tree=[root()])


def _choose(search: TotSearch) -> TotSearch:
    """Section 3.4: the most valuable open traversal; -1 where the search ends."""
    options, tree = search.question.options, search.tree
    answered = best_answered(tree)
    ended = (
        bool(search.failure)
        or search.expansions >= options.expansions
        or (answered >= 0 and tree[answered]["value"] >= options.enough)
    )
    return replace(search, current=-1 if ended else best_open(tree))


def _expand(search: TotSearch) -> TotSearch:
    """Section 3.2: the chosen traversal acts in up to `width` ways."""
    question, ground = search.question, search.ground
    tree, current, failure = list(search.tree), search.current, ""
    branch, policy = _branch(question, tree, current), search.decider(ChatPolicy, LikelyPolicy)
    try:
        done = expand(ground.kg, policy, branch, current, question.text, question.options)
    except UnansweredError as error:
        done, failure = Expanded(), str(error)
    tree[current] = {**tree[current], "expanded": True}
    ground.emit({"event": "expanded", "children": len(done.children)})
    return replace(
        search.charged(policy),
        tree=tree,
        children=done.children,
        claims=[*search.claims, *done.claims],
        expansions=search.expansions + 1,
        requests=search.requests + done.requests,
        cut=search.cut + done.cut,
        cuts=[*search.cuts, *done.cuts],
        failure=failure,
    )


def _value(search: TotSearch) -> TotSearch:
    """Section 3.3: how promising each of the new traversals is."""
    tree, children, failure = search.tree, search.children, search.failure
    fresh = [node for node in children if node["value"] >= 0]
    line, topics = lineage(tree, search.current), search.question.named_topics
    policy = search.decider(ChatPolicy, LikelyPolicy)
    try:
        values = policy.values([Branch(topics, [*line, node]) for node in fresh])
    except UnansweredError as error:
        values, failure = [0.0] * len(fresh), str(error)
    valued = iter(values)
    grown: list[Traversal] = [
        {**node, "value": next(valued)} if node["value"] >= 0 else node for node in children
    ]
    charged = search.charged(policy)
    return replace(charged, tree=[*tree, *grown], children=[], failure=failure)


def _answer(search: TotSearch) -> TotSearch:
    """Section 3.4: the answer of most value, or one that is asked for at the end."""
    tree, policy, failure = search.tree, search.decider(ChatPolicy, LikelyPolicy), search.failure
    best = best_answered(tree)
    here = best if best >= 0 else max(best_open(tree), 0)
    branch = _branch(search.question, tree, here)
    answers, value, relevance = tree[here]["answers"], tree[here]["value"], tree[here]["relevance"]
    if best < 0 and not failure:
        try:
            moves = policy.act(branch, ["ANSWER"], 1)
        except UnansweredError as error:
            moves, failure = [], str(error)
        answers = [name for move in moves for name in move.answers]
        value = value * moves[0].weight.share if moves else 0.0
        relevance = relevance * moves[0].weight.relevance if moves else 0.0
    conclusion = match_answers(answers, branch.topics, gathered(branch.line), policy.reasoner)
    walks = _walks(branch, value, relevance)
    if policy.reasoner == "likelihood":
        conclusion = _weighed(conclusion, value, relevance)
    charged = search.charged(policy)
    outcome = Outcome(
        [*walks[:MOST_SHOWN], *search.claims],
        conclusion,
        notes=_notes(policy, failure, len(walks)),
        cuts=_cuts(search),
        cost=summed(charged.cost, {"kg_requests": search.requests}),
        shortened=charged.shortened,
    )
    return replace(search, outcome=outcome)


def _notes(policy: Policy, failure: str, walks: int) -> Sequence[str]:
    notes = [LIKELIHOOD] if policy.reasoner == "likelihood" else []
    if failure:
        notes.append(f"{failure}: the LLM did not answer; the search ended there")
    if walks > MOST_SHOWN:
        notes.append(f"{MOST_SHOWN} of {walks} walks are shown")
    return notes


def _cuts(search: TotSearch) -> Sequence[str]:
    expansions = "expansion" if search.cut == 1 else "expansions"
    more = [f"{search.cut} {expansions} found more facts than were kept"] if search.cut else []
    return [*more, *cut_notes(search.cuts)]


def _weighed(concluded: Conclusion, value: float, relevance: float) -> Conclusion:
    answers: list[Answer] = [
        {**answer, "score": round(max(value, 0.0), 6)} for answer in concluded.answers
    ]
    return replace(concluded, answers=answers, confidence=relevance if answers else 0.0)


def _walks(branch: Branch, value: float, relevance: float) -> list[Candidate]:
    """The walks to the entities of a traversal, in the order in which they were found."""
    topics = {topic["term"]: topic for topic in branch.topics}
    several = [
        way for ways in proofs(branch.topics, gathered(branch.line)).values() for way in ways
    ]
    candidates = list[Candidate]()
    for steps in several:
        first = steps[0]["tail"] if steps[0]["inverse"] else steps[0]["head"]
        walk = Walk(topic=topics[first["term"]], steps=steps, score=value, relevance=relevance)
        candidates.append(walked(walk))
    return candidates


def _branch(question: Question, tree: Sequence[Traversal], node: int) -> Branch:
    return Branch(question.named_topics, lineage(tree, node))


TOT = Method(
    None,
    "best-first search over traversals that think, expand and answer (Tree-of-Traversals)",
    loop=tot_loop,
    reads=never,
    reasons=True,
    paper={"width": 3, "depth": 7, "expansions": 25, "enough": 0.8, "inverse": True},
    uses=frozenset({"max_degree", "width", "depth", "expansions", "enough"}),
)
