"""decode: the local model writes reasoning paths along the graph (GCR section 4.2)."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path as Folder
from time import perf_counter
from typing import Any

from langgraph.runtime import Runtime

from ..decoding.index import TokenIndex
from ..decoding.paths import PathLimits, ReasoningPaths
from ..decoding.search import BeamPlan, Question, beam_search
from ..decoding.units import unit_tokens, wire_tokens
from ..decoding.wire import PATH, escape
from ..errors import NoPathError
from ..kg import KnowledgeGraph
from ..llm.local import LocalModel
from ..llm.prompt import Mention, path_prompt, path_tokens
from ..state import Candidate, Options, State
from . import Node
from .records import candidate
from .usage import spent


def decode(
    kg: KnowledgeGraph,
    generator: Callable[[], LocalModel],
    index: Callable[[], TokenIndex],
    prompts: Folder | None = None,
) -> Node:
    """Beam search over the paths that leave the topic entities; each path ends in an answer.

    Model and index are given as functions, so that nothing heavy loads before it is needed.
    """

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since = perf_counter()
        options = runtime.context or Options()
        view = state.get("view")
        assert view is not None, "load comes before decode"
        local, graph = generator(), index()
        terms = [topic["term"] for topic in state.get("topics", [])]
        names = [escape(topic["label"]) for topic in state.get("topics", [])]
        units = unit_tokens(local.tokenizer, replace(graph.style, lead=""), names)
        limits = PathLimits(view["hops"], view["inverse"], options.revisits)
        tags = wire_tokens(local.tokenizer, PATH)
        try:
            paths = ReasoningPaths(graph, dict(zip(terms, units, strict=True)), tags, limits)
        except NoPathError as error:
            notes = [*state.get("notes", []), error.message]
            return {"candidates": [], "notes": notes, "usage": spent(state, since)}
        prompt = path_tokens(local.tokenizer, _prompt(state, local, prompts), prompts)
        plan = BeamPlan(beams=options.beams, scores=options.scores)
        (found,) = beam_search(local.model, [Question(prompt, paths)], plan)
        candidates: list[Candidate] = [
            candidate(kg.labels, paths.path(h.state), h.score, h.relevance)
            for h in found.hypotheses
        ]
        runtime.stream_writer({"event": "decoded", "paths": len(candidates)})
        return {
            "candidates": candidates,
            "usage": spent(
                state,
                since,
                forward_passes=found.cost.forward_passes,
                tokens=found.cost.tokens,
                forced_tokens=found.cost.forced_tokens,
            ),
        }

    return run


def _prompt(state: State, local: LocalModel, prompts: Folder | None) -> str:
    mentions = [
        Mention(
            mention["start"],
            mention["end"],
            mention["candidates"][0]["label"],
            mention["candidates"][0]["kind"],
        )
        for mention in state.get("mentions", [])
    ]
    return path_prompt(
        state.get("question", ""),
        mentions,
        masked=local.settings.masked,
        instruct=local.settings.instruct,
        prompts=prompts,
    )
