"""paths: what an external retriever found, turned into paths of the KG (GNN-RAG's interface).

What the retriever wrote itself, paths and triples, is checked before anybody reasons over it: what
the KG does not hold goes straight to the verifier, which counts it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path as Folder
from time import perf_counter
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from ..errors import InputError
from ..kg import KnowledgeGraph
from ..kg.shortest import shortest_paths
from ..kg.terms import Path, Term, is_connected
from ..kg.view import GraphView, NeighbourCache, ViewLimits
from ..kg.written import Meanings, read_written
from ..llm.relation_plans import Planned
from ..once import once
from ..options import Options
from ..state import Candidate, Named, State, StepRecord
from . import Node
from .conclude import proofs
from .explore import Walk, walked
from .ground import told
from .induce import induce
from .records import path_of
from .retrieved_file import GivenStep, Retrieved, read_retrieved
from .rog import follow_plan
from .shares import Weighed, proven, shared_candidates
from .thoughts import chain_candidate
from .usage import spent
from .written import Understand, understanding

_ENOUGH = 0.95
"""The probability that the candidates that are taken have together, as in GNN-RAG."""
_NO_FILE = "paths needs a file of what a retriever found"
_NOTHING = "the file of retrieved paths has nothing about this question"


@dataclass
class _Found:
    """Paths of the KG with their weights, and what it does not hold."""

    weighed: list[Weighed] = field(default_factory=list[Weighed])
    claims: list[Candidate] = field(default_factory=list[Candidate])
    lost: int = 0
    notes: list[str] = field(default_factory=list[str])
    requests: int = 0


def retrieved(
    kg: KnowledgeGraph, llm: BaseChatModel | None = None, prompts: Folder | None = None
) -> Node:
    """Answers by the LLM or the vote over the paths that were retrieved.

    Each kind of finding shares out one weight among its paths; a candidate's is its probability.
    Raises InputError without a file, DatasetError for one that cannot be read.
    """
    reason, understand = induce(kg, llm, prompts, "paths"), understanding(kg)

    @once
    def neighbours() -> NeighbourCache:
        return NeighbourCache(kg.walks)

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since = perf_counter()
        options = runtime.context or Options()
        view = state.get("view")
        assert view is not None, "load comes before paths"
        check_retrieved(options)
        question = state.get("question", "")
        given = read_retrieved(options.retrieved).find(state.get("id", ""), question)
        found = _Found(notes=[] if given else [_NOTHING])
        if given:
            limits = ViewLimits(options.max_triples, options.max_degree, view["inverse"])
            around = GraphView(kg.walks, kg.walk_labels, limits, question, cache=neighbours())
            topics = [Named(term=t["term"], label=t["label"]) for t in state.get("topics", [])]
            _add_candidates(found, kg, around, given, topics, view["hops"], options)
            _add_paths(found, understand, given, topics)
            _add_relation_paths(found, kg, given.relation_paths, topics, options)
            _add_triples(found, understand, given, topics)
            found.notes += told(kg, around)
            found.requests += around.requests
        candidates = shared_candidates(kg, _merged(found.weighed))
        runtime.stream_writer({"event": "retrieved", "paths": len(candidates)})
        notes = list(state.get("notes", []))
        changes: dict[str, Any] = {
            "candidates": candidates,
            "lost": found.lost,
            "notes": [*notes, *(note for note in found.notes if note not in notes)],
            "usage": spent(state, since, kg_requests=found.requests),
        }
        reasoning: Any = {**state, **changes}
        changes |= {"unsupported": [], **reason(reasoning, runtime)}
        return {**changes, "candidates": [*candidates, *found.claims]}

    return run


def check_retrieved(options: Options) -> None:
    """Raise InputError without a file, DatasetError for one that cannot be read."""
    if not options.retrieved:
        raise InputError(
            _NO_FILE, "name one: --set retrieved=FILE; eval run --dataset world has its own"
        )
    read_retrieved(options.retrieved)


def _add_candidates(
    found: _Found,
    kg: KnowledgeGraph,
    around: GraphView,
    given: Retrieved,
    topics: Sequence[Named],
    hops: int,
    options: Options,
) -> None:
    """The shortest paths to the candidates that are likely enough together."""
    chosen = _likeliest(given.candidates)
    if not chosen:
        return
    meanings = _meanings(kg, [name for name, _ in chosen], topics)
    targets = list(dict.fromkeys(t for name, _ in chosen for t in meanings[name]))
    starts = [topic["term"] for topic in topics]
    reached = shortest_paths(around, starts, targets, hops, keep=options.max_chains)
    missed = 0
    for name, weight in chosen:
        paths = [path for term in meanings[name] for path in reached.get(term, [])]
        missed += not paths
        found.weighed += proven(kg, [(path, weight / len(paths)) for path in paths])
    if missed:
        found.notes.append(
            f"{missed} of {len(chosen)} retrieved entities are not reached within {hops} hops"
        )


def _likeliest(candidates: Sequence[tuple[str, float | None]]) -> list[tuple[str, float]]:
    """The best candidates, until together they have the probability that is enough."""
    scores = [score for _, score in candidates if score is not None]
    if len(scores) < len(candidates):
        return [(name, 1 / len(candidates)) for name, _ in candidates]
    ordered = sorted(
        ((name, score) for (name, _), score in zip(candidates, scores, strict=True) if score),
        key=lambda pair: (-pair[1], pair[0]),
    )
    before = accumulate((score for _, score in ordered), initial=0.0)
    return [pair for pair, total in zip(ordered, before, strict=False) if total <= _ENOUGH]


def _meanings(
    kg: KnowledgeGraph, names: Sequence[str], topics: Sequence[Named]
) -> dict[str, Sequence[Term]]:
    """What each name may mean: a topic, else whatever in the KG is called so."""
    near = {topic["label"]: (topic["term"],) for topic in topics}
    known: dict[str, Sequence[Term]] = {}
    for name in names:
        term = read_written(name).term
        if term or name in near:
            known[name] = (term,) if term else near[name]
    return {**Meanings(kg.labels).find(name for name in names if name not in known), **known}


def _add_paths(
    found: _Found, understand: Understand, given: Retrieved, topics: Sequence[Named]
) -> None:
    """The paths as they were written, where the KG holds them and they leave a topic."""
    paths = [path for path in given.paths if path]
    written = [step.triple for path in paths for step in path]
    steps, held, requests = understand(written, [], topics)
    starts, place = frozenset(topic["term"] for topic in topics), 0
    found.requests += requests if written else 0
    for path in paths:
        part = slice(place, place + len(path))
        place += len(path)
        records = _directed(steps[part], path, starts)
        start = _source(records[0])
        walk = path_of(start["term"], records)
        if all(holds is not False for holds in held[part]) and is_connected(starts, walk):
            found.weighed.append(Weighed(walk, walk, 1 / len(paths)))
        else:
            found.claims.append(walked(Walk(topic=start, steps=records, score=0.0, relevance=0.0)))
    if claimed := len(found.claims):
        found.notes.append(f"{claimed} of {len(paths)} retrieved paths are not in the graph")


def _directed(
    steps: Sequence[StepRecord], given: Sequence[GivenStep], starts: frozenset[Term]
) -> list[StepRecord]:
    """The steps; where the file does not say how one is walked, it goes on from the one before."""
    directed, places = list[StepRecord](), starts
    for step, own in zip(steps, given, strict=True):
        inverse = step["inverse"]
        if own.inverse is None:
            inverse = step["head"]["term"] not in places and step["tail"]["term"] in places
        directed.append({**step, "inverse": inverse})
        places = frozenset({(step["head"] if inverse else step["tail"])["term"]})
    return directed


def _add_relation_paths(
    found: _Found,
    kg: KnowledgeGraph,
    plans: Sequence[Sequence[Planned]],
    topics: Sequence[Named],
    options: Options,
) -> None:
    """The paths that follow each relation path; in both directions where it gives none."""
    starts, nowhere, cut = [topic["term"] for topic in topics], 0, 0
    for plan in plans:
        either = not any(relation.inverse for relation in plan)
        named = [_by_name(kg, relation) for relation in plan]
        paths, asked, more = follow_plan(kg, starts, named, replace(options, directed=not either))
        found.requests += asked
        cut += more
        nowhere += not paths
        weight = 1 / len(plans) / max(1, len(paths))
        found.weighed += [Weighed(path, path, weight) for path in paths]
    found.lost += nowhere
    if nowhere:
        found.notes.append(
            f"{nowhere} of {len(plans)} retrieved relation paths lead nowhere in the graph"
        )
    if cut:
        found.notes.append(
            f"{cut} of {len(plans)} retrieved relation paths have more walks than were kept"
        )


def _by_name(kg: KnowledgeGraph, relation: Planned) -> Planned:
    """A relation by its name, where it was given by its term."""
    term = read_written(relation.name).term
    return relation._replace(name=kg.labels.names([term])[0]) if term else relation


def _add_triples(
    found: _Found, understand: Understand, given: Retrieved, topics: Sequence[Named]
) -> None:
    """The shortest walks along the triples that the KG holds; the others are a chain of claims."""
    if not given.triples:
        return
    steps, held, requests = understand(given.triples, [], topics)
    found.requests += requests
    kept = [step for step, holds in zip(steps, held, strict=True) if holds is not False]
    chains = [chain for several in proofs(topics, kept).values() for chain in several]
    paths = [path_of(_source(chain[0])["term"], chain) for chain in chains]
    found.weighed += [Weighed(path, path, 1 / len(paths)) for path in paths]
    reached = {path.end for path in paths} | {topic["term"] for topic in topics}
    left = [
        step
        for step, holds in zip(steps, held, strict=True)
        if holds is False or step["head"]["term"] not in reached
    ]
    if left:
        found.claims.append(chain_candidate(left))
        found.notes.append(
            f"{len(left)} of {len(steps)} retrieved triples are not in the graph or lead nowhere"
        )


def _merged(weighed: Sequence[Weighed]) -> list[Weighed]:
    """Each path once, with the weight of all who found it."""
    merged: dict[Path, Weighed] = {}
    for own in weighed:
        before = merged.get(own.path)
        weight = own.weight + (before.weight if before else 0.0)
        merged[own.path] = own._replace(weight=weight)
    return list(merged.values())


def _source(step: StepRecord) -> Named:
    return step["tail"] if step["inverse"] else step["head"]
