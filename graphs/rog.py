"""rog: reasoning on graphs (Luo et al., ICLR 2024).

The local model plans relation paths (section 4.2, beam 3), the reasoning paths that follow them
are retrieved (Algorithm 1), and a general LLM, or the named vote, reasons over them (section 4.3).
The model plans without constraint, so a plan may hold relations that the KG does not have, or that
lead nowhere from the topic entities: such plans are counted, told and lost. What it writes is read
tolerantly, in our own format (`<PLAN>borders -> ^capital</PLAN>`) and in that of the published
checkpoints (`<PATH> r1 <SEP> r2 </PATH>`).

The ablations (section 5.3) are options: `planning=none`, `planning=random`, `reasoning=vote` and
`reasoning=ends`; `plans` replays another planner's relation paths, `explain` asks for reasons.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, repeat
from pathlib import Path as Folder
from random import Random
from typing import Any, NamedTuple, cast

from ..agent.answers.candidates import candidates_of
from ..agent.answers.question import Outcome, Question
from ..agent.decoding.plan import usage_fields
from ..agent.decoding.wire import INVERSE, PATH, PLAN
from ..agent.errors import DatasetError
from ..agent.kg import KnowledgeGraph, local_name, normalise
from ..agent.kg.terms import Path, RelationPath, Term
from ..agent.kg.walking.execution import execute
from ..agent.llm.free_text import Writing, write_freely
from ..agent.llm.prompt import wire_prompt
from ..agent.options import Options
from ..agent.records import Candidate
from .ground import Ground
from .method import REASONING, Method

_PLANNED = re.compile(r"<(?:PLAN|PATH)>(.*?)(?:</(?:PLAN|PATH)>|$)", re.DOTALL)
_BETWEEN = re.compile(r"<SEP>|->")


class Planned(NamedTuple):
    """A relation as the model wrote it, and whether it is to be walked backwards."""

    name: str
    inverse: bool


@dataclass(frozen=True)
class Plan:
    """A relation path as it was planned, and its log-probability."""

    relations: tuple[Planned, ...]
    score: float


@dataclass(frozen=True)
class Plans:
    """The plans of a question, best first, those that could not be read, and what they took."""

    plans: Sequence[Plan] = ()
    unread: int = 0
    cost: dict[str, int] = field(default_factory=dict[str, int])


def _written(question: Question, ground: Ground, beams: int) -> Plans:
    """What the model writes freely by beam search.

    Raises ConstraintError where the model cannot hold the prompt.
    """
    local = ground.local
    tokens, _ = wire_prompt(local, question.text, question.mentions, PLAN, ground.prompts)
    known = cast("dict[str, int]", cast(Any, local.tokenizer).get_added_vocab())
    closing = frozenset(known[tag] for tag in (PLAN.close, PATH.close) if tag in known)
    written = write_freely(local, tokens, Writing(_LONGEST, beams=beams, closing=closing))
    read = [
        (read_plan(text), score) for text, score in zip(written.texts, written.scores, strict=True)
    ]
    distinct: dict[tuple[Planned, ...], float] = {}
    for relations, score in read:
        if relations:
            distinct.setdefault(relations, score)
    plans = [Plan(*plan) for plan in distinct.items()]
    return Plans(plans, sum(not relations for relations, _ in read), usage_fields(written.cost))


def read_plan(text: str) -> tuple[Planned, ...]:
    """The relations of the first plan in a text; none where it holds no plan."""
    match = _PLANNED.search(text)
    if match is None:
        return ()
    relations = [read_relation(name) for name in _BETWEEN.split(match[1])]
    return tuple(relation for relation in relations if relation.name)


def read_relation(text: str) -> Planned:
    """A relation as it is written in a plan; a caret before it walks it backwards."""
    name = text.strip()
    return Planned(name.removeprefix(INVERSE).strip(), name.startswith(INVERSE))


_MOST_PATHS = 1_000
"""Reasoning paths of one relation path that are kept."""
_MOST_READINGS = 16
"""Relation paths that one plan may mean, whose names several relations have."""
_BROKEN = (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)
_SHAPE = 'write {"question": ..., "relation_paths": [[name]], "scores": [number]}'


class Walked(NamedTuple):
    """The reasoning paths along a plan, the requests, and whether there are more paths."""

    paths: list[Path]
    requests: int
    more: bool


def check_plans(options: Options) -> None:
    """Raise DatasetError for a file of plans that cannot be read."""
    if options.plans:
        read_plans(options.plans)


@lru_cache(maxsize=4)
def read_plans(file: str) -> Mapping[str, tuple[Plan, ...]]:
    """Plans by question, from lines `{"question", "relation_paths": [[name]], "scores": [number]}`.

    Raises DatasetError for a file that cannot be read, and names the line.
    """
    try:
        lines = Folder(file).read_bytes().split(b"\n")
    except OSError as error:
        raise DatasetError(f"{file}: cannot be read ({error.strerror})", "check plans") from error
    plans: dict[str, tuple[Plan, ...]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line.decode("utf-8-sig"))
            plans[row["question"].strip()] = tuple(_plans(row))
        except _BROKEN as error:
            raise DatasetError(f"{file}, line {number}: holds no plans", _SHAPE) from error
    return plans


def _plans(row: Mapping[str, Any]) -> Iterator[Plan]:
    scores = chain(_list(row.get("scores") or []), repeat(0.0))
    for names, written in zip(_list(row["relation_paths"]), scores, strict=False):
        score = float(cast(Any, written))
        if not math.isfinite(score):
            raise ValueError("a score is no number")
        yield Plan(tuple(read_relation(str(name)) for name in _list(names)), score)


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return cast("list[object]", value)


def follow_plan(
    kg: KnowledgeGraph, topics: Sequence[Term], planned: Sequence[Planned], options: Options
) -> Walked:
    """The reasoning paths that a plan leads along from any topic (Algorithm 1).

    A name that several relations have stands for each of them.
    """
    known = [_named(kg, hop.name) for hop in planned]
    if not planned or not all(known):
        return Walked([], 0, more=False)
    banned = [] if options.revisits == "walk" else list(topics)
    walks, requests = list[Path](), 0
    more = math.prod(map(len, known)) > _MOST_READINGS
    for relations in _readings(known, planned):
        execution = execute(
            kg.walks,
            topics,
            relations,
            banned=banned,
            keep=options.max_chains,
            either=not options.directed,
        )
        requests += execution.requests
        more |= execution.truncated
        walks += [path for reached in execution.reached for path in reached.paths]
    return Walked(walks[:_MOST_PATHS], requests, more or len(walks) > _MOST_PATHS)


def _named(kg: KnowledgeGraph, name: str) -> list[Term]:
    """The relations of a name; where none is called exactly so, those that differ in case,
    punctuation or spaces, or whose IRI ends so.
    """
    exact = kg.walk_labels.named(name, relation=True)
    if exact:
        return exact
    wanted = normalise(name)
    return [
        known.term
        for known in kg.walk_labels.relations()
        if wanted in (normalise(known.name), normalise(local_name(known.term)))
    ]


def random_plans(kg: KnowledgeGraph, question: Question, count: int) -> tuple[list[Plan], int]:
    """Relation paths of random walks from the topics: RoG's ablation of its planner."""
    rng = Random(f"{question.options.seed} {question.text}")
    plans, requests = dict[tuple[Planned, ...], None](), 0
    for _ in range(4 * count):
        node, relations = rng.choice(sorted(question.terms)), list[Planned]()
        for _ in range(rng.randint(1, question.hops)):
            ((*steps,),) = kg.walks.neighbours([node], inverse=question.inverse, limit=1_000)
            requests += 1
            if not steps:
                break
            step = rng.choice(steps)
            (name,) = kg.walk_labels.names([step.triple.relation])
            relations.append(Planned(name, step.inverse))
            node = step.target
        if relations:
            plans[tuple(relations)] = None
        if len(plans) == count:
            break
    return [Plan(relations, -math.log(len(plans))) for relations in plans], requests


def _readings(known: Sequence[Sequence[Term]], planned: Sequence[Planned]) -> list[RelationPath]:
    paths: list[RelationPath] = [()]
    for terms, hop in zip(known, planned, strict=True):
        paths = [(*path, (term, hop.inverse)) for path in paths for term in terms][:_MOST_READINGS]
    return paths


_BEAMS = 3
_LONGEST = 100
"""Tokens of a written plan."""


def search_plans(question: Question, ground: Ground) -> Outcome:
    """Candidates are the reasoning paths; each has its share of its plan's probability."""
    planned = _planned(question, ground)
    plans, notes = planned.plans, list[str]()
    if planned.unread:
        what = "plan" if planned.unread == 1 else "plans"
        notes.append(f"{planned.unread} {what} could not be read")
    candidates, lost, cut = list[Candidate](), 0, 0
    requests = planned.cost.get("kg_requests", 0)
    for plan in plans:
        walked = follow_plan(ground.kg, question.terms, plan.relations, question.options)
        requests += walked.requests
        cut += walked.more
        lost += not walked.paths
        share = plan.score - math.log(max(1, len(walked.paths)))
        relevance = math.exp(min(plan.score, 0.0))
        candidates += candidates_of(ground.kg, walked.paths, share, relevance)
    if lost:
        notes.append(f"{lost} of {len(plans)} planned relation paths lead nowhere in the graph")
    more = f"{cut} of {len(plans)} planned relation paths have more walks than were kept"
    ground.emit({"event": "decoded", "paths": len(candidates)})
    return Outcome(
        candidates,
        lost=lost + planned.unread,
        notes=notes,
        cuts=[more] if cut else [],
        cost={**planned.cost, "kg_requests": requests},
    )


def _planned(question: Question, ground: Ground) -> Plans:
    options = question.options
    beams = options.beams or _BEAMS
    if options.plans:
        return Plans(read_plans(options.plans).get(question.text.strip(), ()))
    if options.planning == "random":
        plans, requests = random_plans(ground.kg, question, beams)
        return Plans(plans, cost={"kg_requests": requests})
    if options.planning == "none":
        return Plans()
    return _written(question, ground, beams)


ROG = Method(
    search_plans,
    "relation paths planned freely, retrieved, then reasoned over (RoG)",
    paper={"beams": 3, "directed": False, "revisits": "walk"},
    format="plan",
    prompts="rog",
    foreign=lambda options: bool(options.plans) or options.planning != "model",
    widens=False,
    check=check_plans,
    uses=REASONING
    | {"beams", "revisits", "examples", "planning", "plans", "directed", "explain", "seed"},
)
