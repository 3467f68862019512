"""dog: the local model writes well-formed chains of triples, and concludes (DoG section 2).

A model that groundwalk trained for it writes triples only, each of which goes on from where the one
before it ended, and answers with the entity that the last one reaches. Any other instruct model
reads the triples around the question and three examples, thinks aloud between the triples and names
its answers after `*`.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path as Folder
from sys import float_info
from time import perf_counter
from typing import Any, NamedTuple

from langgraph.runtime import Runtime

from ..decoding.chain_search import ChainPlan, ChainQuestion, FoundChain, Prompt, chain_search
from ..decoding.chains import ChainTriples
from ..decoding.graph_index import GraphIndex, OrderedUnits
from ..decoding.growing import GrowingIndex
from ..decoding.index import TokenIndex
from ..decoding.openings import entity_openings
from ..decoding.plan import Cost
from ..decoding.subgraph import ChainLimits
from ..decoding.wire import TRIPLE
from ..errors import NoPathError
from ..kg import KnowledgeGraph
from ..kg.terms import Term
from ..kg.view import GraphView
from ..llm.local import LocalModel
from ..llm.prompt import wire_prompt
from ..llm.reading import spoken
from ..once import once
from ..options import Options
from ..state import State
from . import Node
from .dog_answers import Concluded, conclude, elect
from .dog_prompt import ChainPrompt, is_trained
from .ground import Ground, OpenGround, told
from .induce import induce
from .records import question_mentions, readings_of, with_reading
from .starts import of_each
from .surroundings import nearest, spelled, surroundings
from .usage import of_model, spent

_UNTRAINED = "the model was not trained to write chains"
_BARE_BEAMS = 10
"""Beams of a model that groundwalk trained, where nobody chose."""
_ANOTHER = re.compile(r"^\s*(?:#|Graph:|Question:)", re.M)


def dog(
    kg: KnowledgeGraph,
    generator: Callable[[], LocalModel],
    open_ground: OpenGround,
    prompts: Folder | None = None,
    *,
    beams: int,
) -> Node:
    """Search for chains (Algorithm 1), and answer as the best one that comes to an answer does.

    Where that chain is one walk from a topic entity, and `Options.complete`, all such chains vote
    and the relation path that wins is executed, so that everything it reaches answers.
    """
    kept: dict[int, OrderedUnits] = {}
    find = surroundings(kg)
    votes = {apart: induce(kg, None, common=True, apart=apart) for apart in (True, False)}

    @once
    def asking() -> ChainPrompt:
        return ChainPrompt(generator(), prompts)

    def openings(index: GraphIndex) -> OrderedUnits:
        if isinstance(index, GrowingIndex):
            return index.entity_openings
        assert isinstance(index, TokenIndex)
        if id(index) not in kept:
            kept[id(index)] = entity_openings(kg, generator().tokenizer, index)
        return kept[id(index)]

    def asked(
        state: State, options: Options, constraint: ChainTriples
    ) -> tuple[ChainQuestion, GraphView | None]:
        """What is searched for, and the view of which the prompt shows triples."""
        local, question = generator(), state.get("question", "")
        if is_trained(local.settings):
            mentions = question_mentions(state)
            tokens, shared = wire_prompt(local, question, mentions, TRIPLE, prompts)
            return ChainQuestion(tokens, constraint, shared), None
        triples, around = find(state, options)
        prompt: Sequence[int] | Prompt = asking().tokens(question, spelled(kg, triples))
        if options.visibility == "local":
            prompt = _local_prompt(kg, around, asking(), question, options)
        return ChainQuestion(prompt, constraint, asking().shared), around

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since = perf_counter()
        options = runtime.context or Options()
        view = state.get("view")
        assert view is not None, "load comes before dog"
        local, tags = generator(), asking().tags
        trained = is_trained(local.settings)
        opened = open_ground(state, options)
        topics = [topic["term"] for topic in state.get("topics", [])]
        notes = list(state.get("notes", []))
        if trained and "chain" not in local.settings.formats and _UNTRAINED not in notes:
            notes.append(_UNTRAINED)
        spelling = local.settings.chains if trained else "kg"
        onward = spelling == "walk"
        limits = ChainLimits(inverse=view["inverse"], spelling=spelling, onward=onward)
        banned = [] if options.revisits == "walk" else topics

        def searched(starts: Sequence[Term]) -> _Searched:
            constraint = ChainTriples(opened.index, openings(opened.index), starts, tags, limits)
            question, around = asked(state, options, constraint)
            plan = ChainPlan(
                ends=asking().ends,
                beams=options.beams or (_BARE_BEAMS if trained else beams),
                steps=options.steps or view["hops"],
                scores=options.scores,
                free=0 if trained else options.free,
                banned=asking().banned,
                seed=options.seed,
            )
            (found,) = chain_search(local.model, [question], plan)
            chains = found.chains
            if trained:
                chains = [own for own in chains if not _returns(own, banned)]
            return _Searched(chains, found.cost, around)

        alone = options.every_topic and trained and bool(topics)
        try:
            runs = of_each([[topic] for topic in topics] if alone else [topics], searched)
        except NoPathError as error:
            notes += [note for note in (error.message, *_told(kg, opened)) if note not in notes]
            usage = spent(state, since, kg_requests=_requests(opened))
            return {**_answered([]), "notes": notes, "usage": usage}
        chains = [chain for own in runs for chain in own.chains]
        if trained:
            chains = _by_relevance(chains)
        cost, around = sum((own.cost for own in runs[1:]), runs[0].cost), runs[0].around
        texts = [_text(local, chain) if options.free and not trained else None for chain in chains]
        concluded = conclude(kg, topics, list(zip(chains, texts, strict=True)))
        runtime.stream_writer({"event": "decoded", "paths": len(concluded)})
        notes += [note for note in _told(kg, opened) if note not in notes]
        usage = spent(
            state,
            since,
            kg_requests=_requests(opened) + (around.requests if around else 0),
            **of_model(cost),
        )
        changes: dict[str, Any] = {**_answered(concluded), "notes": notes, "usage": usage}
        walks = [own.chain for own in concluded if own.chain and own.chain.get("form") == "path"]
        decisive = next((own.chain for own in concluded if own.answers), None)
        if options.complete and decisive in walks:
            voting: Any = {**state, **changes, "candidates": walks}
            return {**changes, **votes[alone](voting, runtime)}
        shown = [chain for answer in changes["answers"] for chain in answer["chains"]]
        proofs = [own.chain for own in concluded if own.chain and own.chain["steps"] in shown]
        return {**changes, "notes": with_reading(notes, readings_of(proofs))}

    return run


class _Searched(NamedTuple):
    """The chains that were found, their cost, and the view of which the prompt shows triples."""

    chains: Sequence[FoundChain]
    cost: Cost
    around: GraphView | None


def _answered(concluded: Sequence[Concluded]) -> dict[str, Any]:
    """What the chains come to, as they stand."""
    answers, unsupported, confidence = elect(concluded)
    return {
        "candidates": [own.chain for own in concluded if own.chain],
        "answers": answers,
        "unsupported": unsupported,
        "lost": sum(own.chain is None and bool(own.asserted) for own in concluded),
        "reasoner": "chain",
        "confidence": confidence,
    }


def _local_prompt(
    kg: KnowledgeGraph, view: GraphView, asking: ChainPrompt, question: str, options: Options
) -> Prompt:
    """The prompt that shows the triples that the next one may be taken from (section 5.2)."""

    def prompt(constraint: ChainTriples) -> list[int]:
        visited = sorted(constraint.visited)
        around = [step.triple for steps in view.neighbours(visited) for step in steps]
        triples = nearest(kg, question, list(dict.fromkeys(around)), visited, options)
        return asking.tokens(question, spelled(kg, triples))

    return prompt


def _returns(chain: FoundChain, topics: Sequence[Term]) -> bool:
    """Whether a chain leads back to one of the topic entities."""
    return any(step.target in topics for step in chain.steps)


def _by_relevance(chains: Sequence[FoundChain]) -> list[FoundChain]:
    """The chains with the log of their relevance as score, the most relevant first.

    A small model knows relations well and the names behind them hardly, so that the score of
    equation 3 prefers relations that lead to few entities.
    """
    scored = [replace(c, score=math.log(max(c.relevance, float_info.min))) for c in chains]
    return sorted(scored, key=lambda chain: -round(chain.score, 6))


def _text(local: LocalModel, chain: FoundChain) -> str:
    """What a chain concludes with, up to where the model goes on with an example of its own."""
    text = str(local.tokenizer.decode(list(chain.conclusion), skip_special_tokens=True))
    return _ANOTHER.split(spoken(text))[0].strip()


def _told(kg: KnowledgeGraph, opened: Ground) -> list[str]:
    return told(kg, opened.view) if opened.view else []


def _requests(opened: Ground) -> int:
    return opened.view.requests if opened.view else 0
