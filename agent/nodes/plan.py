"""plan: the local model writes relation paths that lead somewhere from the topic entities.

RoG's planning (section 4.2) under the constraint that the KG holds what is planned. What a relation
path reaches is found on the store, so a question with fifty answers gets fifty.
"""

from collections.abc import Callable
from pathlib import Path as Folder
from time import perf_counter
from typing import Any

from langgraph.runtime import Runtime

from ..decoding.gathering import search
from ..decoding.graph_index import GraphIndex, OrderedUnits
from ..decoding.growing import GrowingIndex
from ..decoding.index import TokenIndex
from ..decoding.openings import relation_openings
from ..decoding.paths import PathLimits, Revisits
from ..decoding.plans import RelationPaths
from ..decoding.search import BeamPlan, Question
from ..decoding.units import wire_tokens
from ..decoding.wire import PLAN
from ..errors import NoPathError
from ..kg import KnowledgeGraph
from ..llm.local import LocalModel
from ..llm.prompt import wire_prompt
from ..options import Options
from ..state import Candidate, State
from . import Node
from .ground import Ground, OpenGround, told
from .planned import planned
from .records import question_mentions
from .usage import of_model, spent

_UNTRAINED = "the model was not trained to write relation paths"


def plan(
    kg: KnowledgeGraph,
    generator: Callable[[], LocalModel],
    open_ground: OpenGround,
    prompts: Folder | None = None,
    *,
    beams: int,
) -> Node:
    """Beam search over relation paths; for each and each topic, a path that walks it.

    The candidates stand for their relation paths: `induce` executes those that it elects.
    """
    kept: dict[int, OrderedUnits] = {}

    def openings(index: GraphIndex) -> OrderedUnits:
        if isinstance(index, GrowingIndex):
            return index.relation_openings
        assert isinstance(index, TokenIndex)
        if id(index) not in kept:
            kept[id(index)] = relation_openings(kg, generator().tokenizer, index)
        return kept[id(index)]

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since = perf_counter()
        options = runtime.context or Options()
        view = state.get("view")
        assert view is not None, "load comes before plan"
        local, opened = generator(), open_ground(state, options)
        topics = [topic["term"] for topic in state.get("topics", [])]
        limits = PathLimits(view["hops"], view["inverse"], _revisits(options))
        tokens, shared = wire_prompt(
            local, state.get("question", ""), question_mentions(state), PLAN, prompts
        )
        notes = list(state.get("notes", []))
        if "plan" not in local.settings.formats and _UNTRAINED not in notes:
            notes.append(_UNTRAINED)
        try:
            words = RelationPaths(
                opened.index,
                openings(opened.index),
                topics,
                wire_tokens(local.tokenizer, PLAN),
                limits,
            )
        except NoPathError as error:
            notes += [error.message, *_told(kg, opened)]
            usage = spent(state, since, kg_requests=_requests(opened))
            return {"candidates": [], "notes": notes, "usage": usage}
        found = search(
            local.model,
            Question(tokens, words, shared),
            BeamPlan(beams=options.beams or beams, scores=options.scores),
        )
        candidates = list[Candidate]()
        requests = _requests(opened)
        for hypothesis in found.hypotheses:
            own, asked = planned(
                kg,
                topics,
                words.relations(hypothesis.state),
                options,
                score=hypothesis.score,
                relevance=hypothesis.relevance,
            )
            requests += asked
            candidates += own
        runtime.stream_writer({"event": "decoded", "paths": len(candidates)})
        return {
            "candidates": candidates,
            "notes": [*notes, *(note for note in _told(kg, opened) if note not in notes)],
            "usage": spent(state, since, kg_requests=requests, **of_model(found.cost)),
        }

    return run


def _revisits(options: Options) -> Revisits:
    """A relation path does not tell whether an entity is met twice."""
    return "no-topic" if options.revisits == "simple" else options.revisits


def _told(kg: KnowledgeGraph, opened: Ground) -> list[str]:
    return told(kg, opened.view) if opened.view else []


def _requests(opened: Ground) -> int:
    return opened.view.requests if opened.view else 0
