"""plan: relation paths decoded under the constraint that they exist, then executed in full.

Our own variant of RoG's planning (section 4.2): where RoG finds out afterwards whether a planned
relation path can be followed, the constraint lets only such be written. The likely ones are
executed on the store, all entities that they reach are answers, ranked by how many walks lead
there; where several topic entities lead to common ones, those are meant.
"""

from collections.abc import Sequence

from ..agent.answers.question import Outcome, Question
from ..agent.answers.records import candidates_of
from ..agent.decoding.paths import PathLimits
from ..agent.decoding.plan import BeamPlan, of_model
from ..agent.decoding.plan import Question as Decoding
from ..agent.decoding.relation_paths import RelationPaths
from ..agent.decoding.search import search
from ..agent.decoding.units import wire_tokens
from ..agent.decoding.wire import PLAN as WIRE
from ..agent.errors import NoPathError
from ..agent.kg import KnowledgeGraph
from ..agent.kg.terms import Path, RelationPath, Term
from ..agent.kg.walking.execution import execute
from ..agent.llm.prompt import wire_prompt
from ..agent.options import Options
from ..agent.state import Candidate
from .ground import Ground
from .method import REASONING, VIEW, Method

_BEAMS = 5
_UNTRAINED = "the model was not trained to write relation paths"


def search_plans(question: Question, ground: Ground) -> Outcome:
    """Beam search over relation paths; for each and each topic entity, a path that walks it.

    The candidates stand for their relation paths: `induce` executes those that it elects.
    """
    options, local, index = question.options, ground.local, ground.index(WIRE)
    prompt, shared = wire_prompt(local, question.text, question.mentions, WIRE, ground.prompts)
    # A relation path does not tell whether an entity is met twice.
    revisits = "no-topic" if options.revisits == "simple" else options.revisits
    limits = PathLimits(question.hops, question.inverse, revisits)
    tags = wire_tokens(local.tokenizer, WIRE)
    notes = [] if "plan" in local.settings.formats else [_UNTRAINED]
    try:
        plans = RelationPaths(index, ground.relation_openings(index), question.terms, tags, limits)
    except NoPathError as error:
        return Outcome(notes=[*notes, error.message])
    decoded = search(
        local.model,
        Decoding(prompt, plans, shared),
        BeamPlan(beams=options.beams or _BEAMS, scores=options.scores),
    )
    candidates, requests = list[Candidate](), 0
    for own in decoded.hypotheses:
        relations = plans.relations(own.state)
        walked, asked = plan_candidates(
            ground.kg, question.terms, relations, options, own.score, own.relevance
        )
        candidates += walked
        requests += asked
    ground.emit({"event": "decoded", "paths": len(candidates)})
    return Outcome(
        candidates,
        notes=notes,
        cost={**of_model(decoded.cost), "kg_requests": requests},
    )


def plan_candidates(
    kg: KnowledgeGraph,
    topics: Sequence[Term],
    relations: RelationPath,
    options: Options,
    score: float,
    relevance: float,
) -> tuple[list[Candidate], int]:
    """For each topic that a relation path leaves, a path that walks it; and the requests.

    The candidates stand for their relation path: `induce` executes it in full where it elects them.
    """
    banned = [] if options.revisits == "walk" else topics
    walked, requests = list[Path](), 0
    for topic in topics:
        execution = execute(kg.walks, [topic], relations, banned=banned, keep=1)
        requests += execution.requests
        walked += [reached.paths[0] for reached in execution.reached[:1]]
    return candidates_of(kg, walked, score, relevance), requests


PLAN = Method(
    search_plans,
    "relation paths that exist, executed to get all answers",
    format="plan",
    common=True,
    uses=VIEW | REASONING | {"beams", "revisits", "scores", "examples"},
)
