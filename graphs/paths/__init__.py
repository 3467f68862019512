"""paths: what any external retriever found, reasoned over (GNN-RAG's interface).

The option `retrieved` names a file of JSON lines, joined by the question's id, else by its text.
Candidate entities become all shortest paths from the topic entities (GNN-RAG's way: the likeliest
candidates, until they have 0.95 of the probability), relation paths are executed, paths and triples
are looked up before anybody reasons over them. What the KG does not hold goes straight to the
verifier, which counts it; which question the retriever cannot answer is told. The shares of paths
are no confidences of the model, so its threshold does not hold for them. Retrieved paths and
triples are those of the KG as it is stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from ...agent.answers.candidates import path_of
from ...agent.answers.question import Outcome, Question
from ...agent.errors import InputError
from ...agent.kg import KnowledgeGraph
from ...agent.kg.labels.meanings import Meanings
from ...agent.kg.terms import Path, Term, is_connected
from ...agent.kg.verification.claims import read_written
from ...agent.kg.walking.listing import shortest_paths
from ...agent.nodes.induce import Reasoning, induced
from ...agent.options import Options
from ...agent.records import Candidate, Named, StepRecord, summed
from ..ground import Ground
from ..method import REASONING, VIEW, Method
from ..prompted.claims import Understand, claim_reader
from ..prompted.conclusions import proofs
from ..prompted.walks import Walk, chain_candidate, walked
from ..retrieve import Weighed, proven, shared_candidates
from ..rog import Planned, follow_plan
from .file import GivenStep, Retrieved, read_retrieved

_ENOUGH = 0.95
"""The probability that the candidates that are taken have together, as in GNN-RAG."""
_NO_FILE = "paths needs a file of what a retriever found"
_NOTHING = "the file of retrieved paths has nothing about this question"


@dataclass
class _Gathered:
    """Paths of the KG with their weights, and what it does not hold."""

    weighed: list[Weighed] = field(default_factory=list[Weighed])
    claims: list[Candidate] = field(default_factory=list[Candidate])
    lost: int = 0
    notes: list[str] = field(default_factory=list[str])
    cuts: list[str] = field(default_factory=list[str])
    requests: int = 0


def search_retrieved(question: Question, ground: Ground) -> Outcome:
    """Answers by the LLM or the vote over the paths that were retrieved.

    Each kind of finding shares out one weight among its paths; a candidate's is its probability.
    Raises InputError without a file, DatasetError for one that cannot be read.
    """
    kg, options = ground.kg, question.options
    check_retrieved(options)
    retrieved = read_retrieved(options.retrieved).find(question.id, question.text)
    gathered = _Gathered(notes=[] if retrieved else [_NOTHING])
    if retrieved:
        understand = ground.shared.made(claim_reader)
        _add_candidates(gathered, ground, retrieved, question)
        _add_paths(gathered, understand, retrieved, question)
        _add_relation_paths(gathered, kg, retrieved.relation_paths, question)
        _add_triples(gathered, understand, retrieved, question.named_topics)
    candidates = shared_candidates(kg, _merged(gathered.weighed))
    ground.emit({"event": "retrieved", "paths": len(candidates)})
    reasoning = Reasoning(kg, ground.llm, ground.prompts, "paths")
    outcome = induced(reasoning, question, candidates)
    return replace(
        outcome,
        candidates=[*candidates, *gathered.claims],
        lost=gathered.lost,
        notes=[*gathered.notes, *outcome.notes],
        cuts=[*gathered.cuts, *outcome.cuts],
        cost=summed(outcome.cost, {"kg_requests": gathered.requests}),
    )


def check_retrieved(options: Options) -> None:
    """Raise InputError without a file, DatasetError for one that cannot be read."""
    if not options.retrieved:
        raise InputError(
            _NO_FILE, "name one: --set retrieved=FILE; eval run --dataset world has its own"
        )
    read_retrieved(options.retrieved)


def _add_candidates(
    gathered: _Gathered, ground: Ground, retrieved: Retrieved, question: Question
) -> None:
    """The shortest paths to the candidates that are likely enough together."""
    chosen, hops = _likeliest(retrieved.candidates), question.hops
    if not chosen:
        return
    meanings = _meanings(ground.kg, [name for name, _ in chosen], question.named_topics)
    targets = list(dict.fromkeys(term for name, _ in chosen for term in meanings[name]))
    keep = question.options.max_chains
    reached = shortest_paths(ground.walks, question.terms, targets, hops, keep=keep)
    missed = 0
    for name, weight in chosen:
        paths = [path for term in meanings[name] for path in reached.get(term, [])]
        missed += not paths
        gathered.weighed += proven(ground.kg, [(path, weight / len(paths)) for path in paths])
    if missed:
        gathered.notes.append(
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
    gathered: _Gathered, understand: Understand, retrieved: Retrieved, question: Question
) -> None:
    """The paths as they were written, where the KG holds them and they leave a topic."""
    paths = [path for path in retrieved.paths if path]
    written = [step.triple for path in paths for step in path]
    steps, held, requests = understand(written, [], question.named_topics)
    starts, first = frozenset(question.terms), 0
    gathered.requests += requests if written else 0
    for path in paths:
        part = slice(first, first + len(path))
        first += len(path)
        records = _directed(steps[part], path, starts)
        start = _source(records[0])
        walk = path_of(start["term"], records)
        if all(holds is not False for holds in held[part]) and is_connected(starts, walk):
            gathered.weighed.append(Weighed(walk, walk, 1 / len(paths)))
        else:
            claim = Walk(topic=start, steps=records, score=0.0, relevance=0.0)
            gathered.claims.append(walked(claim))
    if claimed := len(gathered.claims):
        gathered.notes.append(f"{claimed} of {len(paths)} retrieved paths are not in the graph")


def _directed(
    steps: Sequence[StepRecord], given: Sequence[GivenStep], starts: frozenset[Term]
) -> list[StepRecord]:
    """The steps; where the file does not say how one is walked, it goes on from the one before."""
    directed, ends = list[StepRecord](), starts
    for step, written in zip(steps, given, strict=True):
        inverse = step["inverse"]
        if written.inverse is None:
            inverse = step["head"]["term"] not in ends and step["tail"]["term"] in ends
        directed.append({**step, "inverse": inverse})
        ends = frozenset({(step["head"] if inverse else step["tail"])["term"]})
    return directed


def _add_relation_paths(
    gathered: _Gathered,
    kg: KnowledgeGraph,
    plans: Sequence[Sequence[Planned]],
    question: Question,
) -> None:
    """The paths that follow each relation path; in both directions where it gives none."""
    nowhere, cut = 0, 0
    for plan in plans:
        either = not any(relation.inverse for relation in plan)
        named = [_by_name(kg, relation) for relation in plan]
        options = replace(question.options, directed=not either)
        paths, asked, more = follow_plan(kg, question.terms, named, options)
        gathered.requests += asked
        cut += more
        nowhere += not paths
        weight = 1 / len(plans) / max(1, len(paths))
        gathered.weighed += [Weighed(path, path, weight) for path in paths]
    gathered.lost += nowhere
    if nowhere:
        gathered.notes.append(
            f"{nowhere} of {len(plans)} retrieved relation paths lead nowhere in the graph"
        )
    if cut:
        gathered.cuts.append(
            f"{cut} of {len(plans)} retrieved relation paths have more walks than were kept"
        )


def _by_name(kg: KnowledgeGraph, relation: Planned) -> Planned:
    """A relation by its name, where it was given by its term."""
    term = read_written(relation.name).term
    return relation._replace(name=kg.labels.names([term])[0]) if term else relation


def _add_triples(
    gathered: _Gathered, understand: Understand, retrieved: Retrieved, topics: Sequence[Named]
) -> None:
    """The shortest walks along the triples that the KG holds; the others are a chain of claims."""
    if not retrieved.triples:
        return
    steps, held, requests = understand(retrieved.triples, [], topics)
    gathered.requests += requests
    in_graph = [step for step, holds in zip(steps, held, strict=True) if holds is not False]
    chains = [chain for chains in proofs(topics, in_graph).values() for chain in chains]
    paths = [path_of(_source(chain[0])["term"], chain) for chain in chains]
    gathered.weighed += [Weighed(path, path, 1 / len(paths)) for path in paths]
    reached = {path.end for path in paths} | {topic["term"] for topic in topics}
    left = [
        step
        for step, holds in zip(steps, held, strict=True)
        if holds is False or step["head"]["term"] not in reached
    ]
    if left:
        gathered.claims.append(chain_candidate(left))
        gathered.notes.append(
            f"{len(left)} of {len(steps)} retrieved triples are not in the graph or lead nowhere"
        )


def _merged(weighed: Sequence[Weighed]) -> list[Weighed]:
    """Each path once, with the weight of all who found it."""
    merged: dict[Path, Weighed] = {}
    for path in weighed:
        before = merged.get(path.path)
        weight = path.weight + (before.weight if before else 0.0)
        merged[path.path] = path._replace(weight=weight)
    return list(merged.values())


def _source(step: StepRecord) -> Named:
    return step["tail"] if step["inverse"] else step["head"]


PATHS = Method(
    search_retrieved,
    "entities, paths or triples of an external retriever, then reasoned over (GNN-RAG's interface)",
    prompts="paths",
    threshold=lambda _: 0.0,
    check=check_retrieved,
    reasons=True,
    uses=VIEW | REASONING | {"revisits", "examples", "retrieved"},
)
