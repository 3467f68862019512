"""Planned relation paths: from a file, at random, and the reasoning paths along them (RoG)."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat
from pathlib import Path as Folder
from random import Random
from typing import Any, NamedTuple, cast

from ...agent.answers.question import Question
from ...agent.errors import DatasetError
from ...agent.kg import KnowledgeGraph, local_name, normalise
from ...agent.kg.terms import Path, RelationPath, Term
from ...agent.kg.walking.execution import execute
from ...agent.llm.relation_plans import Planned, read_relation
from ...agent.options import Options

_MOST_PATHS = 1_000
"""Reasoning paths of one relation path that are kept."""
_MOST_READINGS = 16
"""Relation paths that one plan may mean, whose names several relations have."""
_BROKEN = (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)
_SHAPE = 'write {"question": ..., "relation_paths": [[name]], "scores": [number]}'


@dataclass(frozen=True)
class Plan:
    """A relation path as it was planned, and its log-probability."""

    relations: tuple[Planned, ...]
    score: float


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
    for names, own in zip(_list(row["relation_paths"]), scores, strict=False):
        score = float(cast(Any, own))
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
    known = [_named(kg, own.name) for own in planned]
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
    for terms, own in zip(known, planned, strict=True):
        paths = [(*path, (term, own.inverse)) for path in paths for term in terms][:_MOST_READINGS]
    return paths
