"""gcr: graph-constrained reasoning (Luo et al., ICML 2025).

The local model writes K reasoning paths along the graph by beam search (section 4.2); a general
LLM, or a vote where there is none, reasons over them (section 4.3).
"""

from dataclasses import replace

from ..agent.answers.question import Outcome, Question
from ..agent.answers.records import proven_candidate
from ..agent.decoding.paths import PathLimits
from ..agent.decoding.plan import BeamPlan, Cost, of_model
from ..agent.decoding.search import search
from ..agent.decoding.wire import PATH
from ..agent.llm.path_question import answer_text, free_answer, path_question
from ..agent.state import Candidate
from .ground import Ground
from .harness import from_each
from .method import REASONING, VIEW, Method

_BEAMS = 10
_SLOW = "the model's layers cannot share a cache among beams, so an ordinary search was used"


def search_paths(question: Question, ground: Ground) -> Outcome:
    """Beam search over the paths that leave the topic entities; each path ends in an answer.

    With `every_topic` each topic is searched from alone, and scores are among its own paths.
    """
    options, local, index = question.options, ground.local, ground.index(PATH)
    width = options.beams or _BEAMS
    plan = BeamPlan(width, options.scores, options.groups or width, options.diversity)
    reply = free_answer(local, ground.prompts) if options.hypothesis == "free" else None
    limits = PathLimits(question.hops, question.inverse, options.revisits)

    def decoded(asked: Question) -> tuple[list[Candidate], Cost]:
        topics = {topic["term"]: topic["label"] for topic in asked.topics}
        others = replace(limits, others=frozenset(question.terms) - topics.keys())
        decoding, paths = path_question(
            local,
            index,
            question.text,
            question.mentions,
            topics,
            others,
            ground.prompts,
            options.examples,
        )
        reached = search(local.model, decoding, plan, reply=reply)
        walks = [paths.path(hypothesis.state) for hypothesis in reached.hypotheses]
        proofs = ground.kg.prove(walks)
        return [
            proven_candidate(
                ground.kg,
                walk,
                proof,
                hypothesis.score,
                hypothesis.relevance,
                answer_text(local, hypothesis.reply),
            )
            for hypothesis, walk, proof in zip(reached.hypotheses, walks, proofs, strict=True)
            if proof
        ], reached.cost

    runs = from_each(question.by_topic() if options.every_topic else [question], decoded)
    candidates = [candidate for decoded_from, _ in runs for candidate in decoded_from]
    cost = sum((cost for _, cost in runs[1:]), runs[0][1])
    ground.emit({"event": "decoded", "paths": len(candidates)})
    notes = [_SLOW] if cost.engine == "lines" else []
    return Outcome(candidates, notes=notes, cost=of_model(cost))


GCR = Method(
    search_paths,
    "reasoning paths decoded along the graph, then reasoned over (GCR)",
    common=True,
    paper={
        "beams": 10,
        "groups": None,
        "diversity": 1.0,
        "scores": "full",
        "hypothesis": "free",
        "hops": 2,
        "inverse": False,
        "revisits": "walk",
        "every_topic": False,
    },
    uses=VIEW
    | REASONING
    | {"beams", "revisits", "scores", "hypothesis", "examples", "groups", "diversity"}
    | {"every_topic"},
)
