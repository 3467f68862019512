"""decode: the local model writes reasoning paths along the graph (GCR section 4.2)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path as Folder
from time import perf_counter
from typing import Any

from langgraph.runtime import Runtime

from ..decoding.gathering import search
from ..decoding.paths import PathLimits
from ..decoding.plan import Cost
from ..decoding.search import BeamPlan
from ..errors import NoPathError
from ..kg import KnowledgeGraph
from ..kg.terms import Term
from ..llm.local import LocalModel
from ..llm.path_question import answer_text, free_answer, path_question
from ..options import Options
from ..state import Candidate, State
from . import Node
from .ground import OpenGround, told
from .records import proven_candidate, question_mentions
from .starts import of_each
from .usage import of_model, spent

_SLOW = "the model's layers cannot share a cache among beams, so an ordinary search was used"


def decode(
    kg: KnowledgeGraph,
    generator: Callable[[], LocalModel],
    open_ground: OpenGround,
    prompts: Folder | None = None,
    *,
    beams: int = 10,
) -> Node:
    """Beam search over the paths that leave the topic entities; each path ends in an answer.

    One topic's many ends may take all beams, so each is searched from alone; the scores of its
    paths are among themselves.
    Model and ground are given as functions, so that nothing heavy loads before it is needed.
    """

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since = perf_counter()
        options = runtime.context or Options()
        view = state.get("view")
        assert view is not None, "load comes before decode"
        local, opened = generator(), open_ground(state, options)
        around = opened.view
        topics = {topic["term"]: topic["label"] for topic in state.get("topics", [])}
        limits = PathLimits(view["hops"], view["inverse"], options.revisits)
        text, mentions = state.get("question", ""), question_mentions(state)
        width = options.beams or beams
        plan = BeamPlan(width, options.scores, options.groups or width, options.diversity)
        reply = free_answer(local, prompts) if options.hypothesis == "free" else None

        def walked(starts: Mapping[Term, str]) -> tuple[list[Candidate], Cost]:
            others = replace(limits, others=frozenset(topics.keys() - starts.keys()))
            question, paths = path_question(
                local, opened.index, text, mentions, starts, others, prompts, options.examples
            )
            reached = search(local.model, question, plan, reply=reply)
            walks = [paths.path(h.state) for h in reached.hypotheses]
            proven = zip(reached.hypotheses, walks, kg.prove(walks), strict=True)
            return [
                proven_candidate(kg, path, proof, h.score, h.relevance, answer_text(local, h.reply))
                for h, path, proof in proven
                if proof
            ], reached.cost

        alone = [{topic: label} for topic, label in topics.items()]
        try:
            runs = of_each(alone if options.every_topic and topics else [topics], walked)
        except NoPathError as error:
            left_out = told(kg, around) if around else []
            notes = [*state.get("notes", []), error.message, *left_out]
            requests = around.requests if around else 0
            usage = spent(state, since, kg_requests=requests)
            return {"candidates": [], "notes": notes, "usage": usage}
        candidates = [own for found, _ in runs for own in found]
        cost = sum((own for _, own in runs[1:]), runs[0][1])
        runtime.stream_writer({"event": "decoded", "paths": len(candidates)})
        notes = list(state.get("notes", []))
        if cost.engine == "lines" and _SLOW not in notes:
            notes.append(_SLOW)
        if around is not None:
            notes.extend(note for note in told(kg, around) if note not in notes)
        return {
            "candidates": candidates,
            "notes": notes,
            "usage": spent(
                state,
                since,
                kg_requests=around.requests if around else 0,
                **of_model(cost),
            ),
        }

    return run
