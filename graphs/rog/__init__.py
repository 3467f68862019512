"""rog: reasoning on graphs (Luo et al., ICLR 2024).

The local model plans relation paths (section 4.2, beam 3), the reasoning paths that follow them
are retrieved (Algorithm 1), and a general LLM, or the named vote, reasons over them (section 4.3).
The model plans without constraint, so a plan may hold relations that the KG does not have, or that
lead nowhere from the topic entities: such plans are counted, told and lost.
The ablations (section 5.3) are options: `planning=none`, `planning=random`, `reasoning=vote` and
`reasoning=ends`; `plans` replays another planner's relation paths, `explain` asks for reasons.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...agent.answers.question import Outcome, Question
from ...agent.answers.records import candidates_of
from ...agent.decoding.plan import of_model
from ...agent.llm.relation_plans import write_plans
from ...agent.options import Options
from ...agent.state import Candidate
from ..ground import Ground
from ..method import REASONING, Method
from .plans import Plan, check_plans, follow_plan, random_plans, read_plans

_BEAMS = 3


@dataclass(frozen=True)
class _Planned:
    """The plans of a question, those that could not be read, and what they took."""

    plans: Sequence[Plan] = ()
    unread: int = 0
    cost: dict[str, int] = field(default_factory=dict[str, int])


def search_plans(question: Question, ground: Ground) -> Outcome:
    """Candidates are the reasoning paths; each has its share of its plan's probability."""
    planned = _planned(question, ground)
    plans, notes = planned.plans, list[str]()
    if planned.unread:
        what = "plan" if planned.unread == 1 else "plans"
        notes.append(f"{planned.unread} {what} could not be read")
    candidates, lost, cut = list[Candidate](), 0, 0
    requests = planned.cost.get("kg_requests", 0)
    for plan in plans:
        walked = follow_plan(ground.kg, question.terms, plan.relations, question.options)
        requests += walked.requests
        cut += walked.more
        lost += not walked.paths
        share = plan.score - math.log(max(1, len(walked.paths)))
        relevance = math.exp(min(plan.score, 0.0))
        candidates += candidates_of(ground.kg, walked.paths, share, relevance)
    if lost:
        notes.append(f"{lost} of {len(plans)} planned relation paths lead nowhere in the graph")
    if cut:
        notes.append(f"{cut} of {len(plans)} planned relation paths have more walks than were kept")
    ground.emit({"event": "decoded", "paths": len(candidates)})
    return Outcome(
        candidates,
        lost=lost + planned.unread,
        notes=notes,
        cost={**planned.cost, "kg_requests": requests},
    )


def _planned(question: Question, ground: Ground) -> _Planned:
    options = question.options
    if options.plans:
        return _Planned(read_plans(options.plans).get(question.text.strip(), ()))
    if options.planning == "random":
        plans, requests = random_plans(ground.kg, question, options.beams or _BEAMS)
        return _Planned(plans, cost={"kg_requests": requests})
    if options.planning == "none":
        return _Planned()
    written = write_plans(
        ground.local,
        question.text,
        question.mentions,
        beams=options.beams or _BEAMS,
        prompts=ground.prompts,
    )
    plans = [Plan(*plan) for plan in written.plans]
    return _Planned(plans, written.unreadable, of_model(written.cost))


def _is_foreign(options: Options) -> bool:
    return bool(options.plans) or options.planning != "model"


ROG = Method(
    search_plans,
    "relation paths planned freely, retrieved, then reasoned over (RoG)",
    paper={"beams": 3, "directed": False, "revisits": "walk"},
    format="plan",
    prompts="rog",
    foreign=_is_foreign,
    widens=False,
    check=check_plans,
    uses=REASONING
    | {"beams", "revisits", "examples", "planning", "plans", "directed", "explain", "seed"},
)
