"""direct: the triples around the question in one prompt, and the answers in the reply.

A chat LLM is asked, else a local model that follows instructions. A local model that only writes
reasoning paths weighs the walks along the triples that are shown (the likelihood form).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path as Folder
from time import perf_counter
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from ..kg import KnowledgeGraph
from ..kg.terms import Path, Step, Term, Triple
from ..kg.walk_listing import list_walks
from ..llm.asking import Asker, UnansweredError, with_replies
from ..llm.free_text import Writing, write_freely
from ..llm.likelihood import prompt_tokens
from ..llm.local import LocalModel
from ..llm.reading import read_answers, says_nothing
from ..options import Options
from ..prompting import render
from ..state import Named, State, StepRecord
from . import Node
from .conclude import Conclusion, elect, match_answers
from .explore import Walk, entity_names, walked
from .ground import told
from .likely import LIKELIHOOD, weighed, writes_paths
from .records import name_terms, step_records
from .surroundings import spelled, surroundings
from .usage import of_model, spent

_LONGEST = 256
"""Tokens of a local model's reply."""
_MOST_WALKS = 200
"""Walks that a model that writes paths weighs."""

_NOTHING = "the graph has no triple around the topics"

Prompt = Callable[[LocalModel, str, Sequence[str], Folder | None], list[int]]
"""The tokens of a local model's prompt: of a question and the triples, each on a line."""


@dataclass
class _Said:
    """What a question is answered with, and what that took."""

    conclusion: Conclusion
    reasoner: str
    notes: list[str]
    walks: Sequence[Walk] = ()
    cost: dict[str, int] = field(default_factory=dict[str, int])


def direct(
    kg: KnowledgeGraph,
    generator: Callable[[], LocalModel],
    llm: BaseChatModel | None,
    prompts: Folder | None = None,
    prompt: Prompt | None = None,
) -> Node:
    """Answers and their proofs: shortest walks among the triples that were shown.

    `prompt` is how a local model is asked, by default as the LLM is.
    """
    find = surroundings(kg)

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since = perf_counter()
        options = runtime.context or Options()
        triples, around = find(state, options)
        topics = [Named(term=t["term"], label=t["label"]) for t in state.get("topics", [])]
        (shown,) = step_records(kg.labels, [Path("", tuple(Step(t) for t in triples))])
        question, facts = state.get("question", ""), spelled(kg, triples)
        if not shown:
            said = _Said(
                Conclusion([], [], 0.0), "", ["the graph shows no triple around the topics"]
            )
        elif llm is not None:
            text = render("direct/answer.jinja", prompts, question=question, facts=facts)
            said = _asked(Asker(llm), text, topics, shown)
        elif writes_paths(generator()):
            said = _weighed(kg, generator(), state, options, triples, prompts)
        else:
            local = generator()
            tokens = (prompt or _chat_prompt)(local, question, facts, prompts)
            written = write_freely(local, tokens, Writing(_LONGEST))
            (reply,) = written.texts
            unread = int(says_nothing(reply))
            said = _Said(
                match_answers(read_answers(reply, entity_names(shown)), topics, shown),
                "llm",
                with_replies([], unread=unread),
                cost={**of_model(written.cost), "unread": unread},
            )
        notes = list(state.get("notes", []))
        notes += [note for note in (*said.notes, *told(kg, around)) if note not in notes]
        return {
            "candidates": [walked(walk) for walk in said.walks],
            "answers": said.conclusion.answers,
            "unsupported": said.conclusion.unsupported,
            "lost": 0,
            "reasoner": said.reasoner,
            "confidence": round(min(said.conclusion.confidence, 1.0), 6),
            "notes": notes,
            "usage": spent(state, since, kg_requests=around.requests, **said.cost),
        }

    return run


def _chat_prompt(
    local: LocalModel, question: str, facts: Sequence[str], prompts: Folder | None
) -> list[int]:
    text = render("direct/answer.jinja", prompts, question=question, facts=facts)
    return prompt_tokens(local.tokenizer, text)


def _asked(
    asker: Asker, prompt: str, topics: Sequence[Named], shown: Sequence[StepRecord]
) -> _Said:
    try:
        found = match_answers(asker.names(prompt, entity_names(shown)), topics, shown)
    except UnansweredError:
        found = Conclusion([], [], 0.0)
    return _Said(found, "llm", asker.told([]), cost=asker.cost)


def _weighed(
    kg: KnowledgeGraph,
    local: LocalModel,
    state: State,
    options: Options,
    triples: Sequence[Triple],
    prompts: Folder | None,
) -> _Said:
    """The ends of the likeliest relation path of all walks along the triples."""
    view = state.get("view")
    assert view is not None, "load comes before direct"
    topics = [topic["term"] for topic in state.get("topics", [])]
    shown = _Shown(triples, inverse=view["inverse"])
    listed, more = list_walks(
        shown, topics, view["hops"], revisits=options.revisits, most=_MOST_WALKS
    )
    if not listed:
        return _Said(Conclusion([], [], 0.0), "likelihood", [LIKELIHOOD])
    starts = name_terms(kg.labels, topics)
    walks = [
        Walk(topic=starts[path.topic], steps=steps, score=1.0, relevance=1.0)
        for path, steps in zip(listed, step_records(kg.labels, listed), strict=True)
    ]
    weights, cost = weighed(local, state, walks, prompts)
    found = elect(weights, [walk["relevance"] for walk in weights])
    chains = [chain for answer in found.answers for chain in answer["chains"]]
    kept = [walk for walk in weights if walk["steps"] in chains]
    cut = [f"{_MOST_WALKS:,} walks were weighed, and there are more"] if more else []
    return _Said(found, "likelihood", [LIKELIHOOD, *cut], kept, of_model(cost))


class _Shown:
    """The triples that are shown, as what walks may use."""

    def __init__(self, triples: Sequence[Triple], *, inverse: bool) -> None:
        self._leaving: dict[Term, list[Step]] = {}
        for triple in triples:
            for way in (False, True) if inverse else (False,):
                step = Step(triple, way)
                self._leaving.setdefault(step.source, []).append(step)

    def neighbours(self, nodes: Sequence[Term]) -> list[list[Step]]:
        return [self._leaving.get(node, []) for node in nodes]
