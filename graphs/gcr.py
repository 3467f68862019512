"""gcr: graph-constrained reasoning (Luo et al., ICML 2025).

The local model writes K reasoning paths along the graph by beam search (section 4.2); a general
LLM, or a vote where there is none, reasons over them (section 4.3).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path as Folder
from typing import Any, cast

from ..agent.answers.candidates import proven_candidate
from ..agent.answers.question import Outcome, Question
from ..agent.decoding.graph_index import GraphIndex
from ..agent.decoding.paths import PathLimits, PathState, ReasoningPaths
from ..agent.decoding.plan import BeamPlan, Cost, usage_fields
from ..agent.decoding.plan import Question as Decoding
from ..agent.decoding.search import search
from ..agent.decoding.session import Reply, WritingPlan
from ..agent.decoding.units import unit_tokens, wire_tokens
from ..agent.decoding.wire import MARKERS, PATH, escape
from ..agent.errors import ConstraintError
from ..agent.kg.terms import Term
from ..agent.llm.local import LocalModel
from ..agent.llm.prompt import Mention, answer_tokens, wire_prompt
from ..agent.records import Candidate
from .ground import Ground
from .harness import from_each
from .method import REASONING, VIEW, Method

_LONGEST_ANSWER = 32
"""Tokens of a hypothesis answer that the model writes freely."""


def path_question(
    local: LocalModel,
    index: GraphIndex,
    text: str,
    mentions: Sequence[Mention],
    topics: Mapping[Term, str],
    limits: PathLimits,
    prompts: Folder | None = None,
    examples: int = 0,
) -> tuple[Decoding[PathState], ReasoningPaths]:
    """The question for `beam_search`, and its constraint, which turns states into paths.

    `topics` are the entities to start from with their names. Raises NoPathError when no path leaves
    them, and ConstraintError where the model cannot write paths.
    """
    names = [escape(name) for name in topics.values()]
    units = unit_tokens(local.tokenizer, replace(index.style, lead=""), names)
    tags = wire_tokens(local.tokenizer, PATH)
    paths = ReasoningPaths(index, dict(zip(topics, units, strict=True)), tags, limits)
    tokens, shared = wire_prompt(local, text, mentions, PATH, prompts, examples)
    return Decoding(tokens, paths, shared), paths


def free_answer(local: LocalModel, prompts: Folder | None = None) -> Reply:
    """How the model names a hypothesis answer after a path, in its own words (GCR section 4.2).

    Raises ConstraintError where the tokenizer knows no end of a text.
    """
    end = local.tokenizer.eos_token_id
    if not isinstance(end, int):
        raise ConstraintError(
            "the model's tokenizer has no token that ends a text, so answers cannot be written",
            "leave out the free hypothesis answers",
        )
    heading = tuple(answer_tokens(local.tokenizer, prompts))
    added: dict[str, int] = cast(Any, local.tokenizer).get_added_vocab()
    tags = frozenset(added[marker] for marker in MARKERS if marker in added)
    return Reply(heading, WritingPlan(frozenset([end]), _LONGEST_ANSWER, tags))


def answer_text(local: LocalModel, reply: Sequence[int]) -> str:
    """The first line that the model wrote; nothing where it was not asked."""
    lines = str(local.tokenizer.decode(list(reply), skip_special_tokens=True)).splitlines()
    return next((line.strip() for line in lines if line.strip()), "")


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
    return Outcome(candidates, notes=notes, cost=usage_fields(cost))


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
