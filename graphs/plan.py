"""plan: relation paths decoded under the constraint that they exist, then executed in full.

Our own variant of RoG's planning (section 4.2): where RoG finds out afterwards whether a planned
relation path can be followed, the constraint lets only such be written. The likely ones are
executed on the store, all entities that they reach are answers, ranked by how many walks lead
there; where several topic entities lead to common ones, those are meant.

`words` and `lookup` are its baselines: what `plan` gets right and these get wrong took more than
words. `words` is naive Bayes over the words of the question, topic entities masked: it ranks the
relation paths of the training questions. `lookup` has the relation path that the same template had
most often in training; for one that training never saw, that of the template with the most words in
common. The best that the graph holds from the topic entities is executed as `plan` executes its
own.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from ..agent.answers.candidates import candidates_of
from ..agent.answers.question import Outcome, Question
from ..agent.decoding.paths import PathLimits
from ..agent.decoding.plan import BeamPlan, usage_fields
from ..agent.decoding.plan import Question as Decoding
from ..agent.decoding.relation_paths import RelationPaths
from ..agent.decoding.search import search
from ..agent.decoding.units import wire_tokens
from ..agent.decoding.wire import PLAN as WIRE
from ..agent.errors import NoPathError
from ..agent.kg import KnowledgeGraph
from ..agent.kg.terms import Path, RelationPath, Term
from ..agent.kg.walking.execution import execute
from ..agent.llm.bag_of_words import Baselines, Guess
from ..agent.llm.prompt import mask, wire_prompt
from ..agent.options import Options
from ..agent.records import Candidate
from .ground import Ground, Parts
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
    for hypothesis in decoded.hypotheses:
        relations = plans.relations(hypothesis.state)
        walked, asked = plan_candidates(
            ground.kg, question.terms, relations, options, hypothesis.score, hypothesis.relevance
        )
        candidates += walked
        requests += asked
    ground.emit({"event": "decoded", "paths": len(candidates)})
    return Outcome(
        candidates,
        notes=notes,
        cost={**usage_fields(decoded.cost), "kg_requests": requests},
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


_MOST = 1_000
"""Relation paths that are tried."""
_NOWHERE = "no relation path of the training questions leads anywhere from the topic entities"

Rank = Callable[[Baselines, str], Iterator[Guess]]
"""The relation paths for a question with its topic entities masked, the likeliest first."""


def _search(rank: Rank, question: Question, ground: Ground) -> Outcome:
    """Candidates for the first relation path of `rank` that leaves a topic, within the view."""
    masked, _ = mask(question.text, question.mentions)
    candidates, requests = list[Candidate](), 0
    for relations, probability in islice(rank(ground.parts.baselines(), masked), _MOST):
        if not 0 < len(relations) <= question.hops or probability <= 0:
            continue
        if not question.inverse and any(inverse for _, inverse in relations):
            continue
        candidates, asked = plan_candidates(
            ground.kg,
            question.terms,
            relations,
            question.options,
            math.log(probability),
            probability,
        )
        requests += asked
        if candidates:
            break
    ground.emit({"event": "decoded", "paths": len(candidates)})
    notes = [] if candidates else [_NOWHERE]
    return Outcome(candidates, notes=notes, cost={"kg_requests": requests})


def _baseline(name: str, rank: Rank, about: str) -> Method:
    def search(question: Question, ground: Ground) -> Outcome:
        return _search(rank, question, ground)

    def threshold(parts: Parts) -> float:
        return parts.baselines().confidences.get(name, 0.0)

    return Method(
        search,
        f"baseline of plan: {about}",
        format="plan",
        common=True,
        threshold=threshold,
        uses=REASONING | {"revisits", "examples"},
    )


WORDS = _baseline(
    "words",
    lambda baselines, masked: baselines.rank_by_words(masked),
    "a bag of words chooses a relation path of the training questions",
)
LOOKUP = _baseline(
    "lookup",
    lambda baselines, masked: baselines.rank_by_template(masked),
    "the relation path of the most similar training question",
)
