"""tog: Think-on-Graph (Sun et al., ICLR 2024).

A beam search of walks (section 2.2): at each depth an LLM picks relations out of the entities
reached, scores the entities that they lead to, and says whether the triples gathered suffice
(section 2.3). The KG is asked for what exists; nothing is decoded under a constraint. Where the
paper leaves it open:

- The relation that a walk came by is not taken back; taken again onwards it may be.
- Of 20 or more entities behind a relation a sample is scored, drawn by `seed`.
- Of walks that end in the same entity only the best goes on.
- Whether the triples suffice and what they answer are two questions.
- Answers are matched with the entities of the gathered triples; all others, and what the LLM
  answers by itself where the triples answer nothing, are listed apart as unsupported.
- Relations and entities that a reply names although they were not offered go to the verifier.

Without a chat LLM the likelihoods of the local model decide (`LikelyJudge`): not the paper's
method, and labelled so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from typing_extensions import TypedDict

from ...agent.answers.question import Outcome, Question
from ...agent.kg.walking.ranking import DIGITS
from ...agent.llm.asking import UnansweredError
from ...agent.options import Options
from ...agent.records import StepRecord, summed
from ..ground import Ground, cut_notes
from ..method import Loop, Method, loop_graph, never
from ..prompted.conclusions import LIKELIHOOD, elect
from ..prompted.deciders import DecidedSearch
from ..prompted.walks import (
    Walk,
    Way,
    claimed,
    end,
    steps_along,
    target,
    walked,
    ways_out,
)
from .judges import ChatJudge, LikelyJudge

__all__ = ["TOG"]


DEPTH = 3
"""The longest walk where the user sets none (the paper's D)."""


class Pick(TypedDict):
    """A way that was chosen out of the end of a walk, by the walk's position."""

    walk: int
    way: Way
    score: float
    relevance: float


@dataclass(frozen=True, kw_only=True)
class TogSearch(DecidedSearch):
    """How far the search has come."""

    walks: Sequence[Walk]
    """Those that go on."""
    gathered: Sequence[Walk] = ()
    """All that were kept at any depth."""
    picks: Sequence[Pick] = ()
    """The ways that were chosen out of the ends of walks."""
    depth: int = 0
    enough: bool = False
    """Whether what was gathered answers the question."""
    sampled: int = 0
    """Relations that led to more entities than were scored."""


def longest(options: Options) -> int:
    """How many steps a walk may have: `depth`, else `hops`, else the paper's."""
    chosen = options.hops if options.depth is None else options.depth
    return DEPTH if chosen is None else chosen


MANY = 20
"""Entities behind a relation from which on only a sample is scored."""


def tog_loop() -> Loop:
    """The loop as a graph."""
    graph = loop_graph(
        "tog",
        {
            "relations": _relations,
            "entities": _entities,
            "suffice": _suffice,
            "answer": _answer,
        },
        {
            "relations": (lambda s: "entities" if s.picks else "answer", ["entities", "answer"]),
            "entities": (lambda s: "suffice" if s.walks else "answer", ["suffice", "answer"]),
            "suffice": (_after_suffice, ["relations", "answer"]),
        },
    )
    return Loop(graph, _begin, _most_steps)


def _most_steps(options: Options) -> int:
    return 3 * max(longest(options), 1) + 5


def _begin(question: Question, ground: Ground) -> TogSearch:
    walks = [
        Walk(topic=topic, steps=[], score=1.0, relevance=1.0) for topic in question.named_topics
    ]
    return TogSearch(question=question, ground=ground, walks=walks)


def _relations(search: TogSearch) -> TogSearch:
    """Section 2.2.1: the relations around each walk's end, pruned."""
    question, ground, walks = search.question, search.ground, search.walks
    inverse = question.options.inverse is not False
    ends = [end(walk)["term"] for walk in walks]
    around, requests, cuts = ways_out(ground.kg, ends, question.text, inverse=inverse)
    asked = [
        (walk, [way for way in ways if not _is_way_back(walk, way)])
        for walk, ways in zip(walks, around, strict=True)
    ]
    requests += search.requests
    judge = search.decider(ChatJudge, LikelyJudge)
    try:
        picked = judge.relations(asked, question.options.width)
    except UnansweredError as error:
        charged = search.charged(judge)
        return replace(charged, requests=requests, picks=[], failure=str(error))
    picks, claims = list[Pick](), list(search.claims)
    for number, ((walk, ways), choice) in enumerate(zip(asked, picked, strict=True)):
        claims += [claimed(ground.kg, walk, name) for name in choice.invented]
        picks += [
            Pick(walk=number, way=ways[i], score=score, relevance=choice.relevance.get(i, 1.0))
            for i, score in choice.scores.items()
        ]
    ground.emit({"event": "pruned", "relations": len(picks)})
    cuts = [*search.cuts, *cuts]
    charged = search.charged(judge)
    return replace(charged, requests=requests, picks=picks, claims=claims, cuts=cuts)


def _entities(search: TogSearch) -> TogSearch:
    """Section 2.2.2: the entities behind the relations, pruned to the best walks overall."""
    question, ground = search.question, search.ground
    options, walks, picks = question.options, search.walks, search.picks
    ends = [(end(walks[pick["walk"]])["term"], pick["way"]) for pick in picks]
    reached, requests, cuts = steps_along(ground.kg, ends, options.max_degree)
    requests += search.requests
    sampled, offered = search.sampled, list[list[StepRecord]]()
    for pick, way_out, steps in zip(picks, ends, reached, strict=True):
        allowed = _allowed(walks[pick["walk"]], steps, set(question.terms), options)
        drawn = _sample(allowed, f"{options.seed}|{way_out}", options.sample)
        sampled += len(drawn) < len(allowed)
        offered.append(drawn)
    asked = [
        (walks[pick["walk"]], pick["way"], [target(step) for step in steps])
        for pick, steps in zip(picks, offered, strict=True)
    ]
    judge = search.decider(ChatJudge, LikelyJudge)
    try:
        picked = judge.entities(asked, options.width)
    except UnansweredError as error:
        charged = search.charged(judge)
        return replace(charged, requests=requests, walks=[], failure=str(error))
    grown, claims = list[Walk](), list(search.claims)
    for pick, (walk, way, _), steps, choice in zip(picks, asked, offered, picked, strict=True):
        claims += [claimed(ground.kg, walk, way, name) for name in choice.invented]
        grown += [
            Walk(
                topic=walk["topic"],
                steps=[*walk["steps"], steps[i]],
                score=pick["score"] * score,
                relevance=walk["relevance"] * pick["relevance"],
            )
            for i, score in choice.scores.items()
        ]
    best, gathered = _best(grown, options.width)
    ground.emit({"event": "walked", "paths": len(best)})
    return replace(
        search.charged(judge),
        requests=requests,
        walks=best,
        gathered=[*search.gathered, *gathered],
        claims=claims,
        depth=search.depth + 1,
        sampled=sampled,
        cuts=[*search.cuts, *cuts],
    )


def _suffice(search: TogSearch) -> TogSearch:
    """Section 2.3: whether the triples gathered so far are enough."""
    judge, enough, failure = search.decider(ChatJudge, LikelyJudge), False, ""
    try:
        enough = judge.enough(search.walks, search.gathered)
    except UnansweredError as error:
        failure = str(error)
    return replace(search.charged(judge), enough=enough, failure=failure)


def _answer(search: TogSearch) -> TogSearch:
    """Section 2.3: from what was gathered to answers."""
    judge = search.decider(ChatJudge, LikelyJudge)
    gathered, failure = search.gathered, search.failure
    reasoner = judge.reasoner if gathered or not failure else ""
    conclusion = elect(gathered, [walk["score"] for walk in gathered])
    if not failure:
        try:
            conclusion = judge.conclude(search.question.named_topics, gathered)
        except UnansweredError as error:
            failure, reasoner = str(error), judge.reasoner if gathered else ""
    notes = [LIKELIHOOD] if judge.reasoner == "likelihood" else []
    if failure:
        instead = "its scores so far decided" if gathered else "nothing was gathered before"
        notes.append(f"{failure}: the LLM did not answer; {instead}")
    if sampled := search.sampled:
        lists = "a long list" if sampled == 1 else f"{sampled} long lists"
        notes.append(f"of {lists} of entities only a sample was scored")
    charged = search.charged(judge)
    outcome = Outcome(
        [*map(walked, gathered), *search.claims],
        replace(conclusion, reasoner=reasoner),
        notes=notes,
        cuts=cut_notes(search.cuts),
        cost=summed(charged.cost, {"kg_requests": search.requests}),
        shortened=charged.shortened,
    )
    return replace(search, outcome=outcome)


def _after_suffice(search: TogSearch) -> str:
    ended = search.enough or search.failure
    deep = search.depth >= longest(search.question.options)
    return "answer" if ended or deep else "relations"


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
            by_topic = best.setdefault(end(walk)["term"], {})
            by_topic.setdefault(walk["topic"]["term"], walk)
    widest = [list(by_topic.values()) for by_topic in list(best.values())[:width]]
    return [walks[0] for walks in widest], [walk for walks in widest for walk in walks]


TOG = Method(
    None,
    "relations and entities explored step by step, chosen by an LLM (Think-on-Graph)",
    loop=tog_loop,
    reads=never,
    reasons=True,
    paper={"width": 3, "depth": 3, "sample": 5, "inverse": True, "revisits": "walk"},
    uses=frozenset({"revisits", "max_degree", "width", "depth", "sample", "seed"}),
)
