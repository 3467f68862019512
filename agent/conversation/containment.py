"""What the graph says something is in, for questions that say no more: `Is Lima in Peru?`."""

import re

from ..kg import KnowledgeGraph
from ..kg.names import normalise
from ..kg.terms import Path, Step
from ..state import Entity
from .lookups import relation_names
from .phrases import BE

_IN = re.compile(rf"(?:(?:{BE})\s+)?in\s+(?:the\s+)?…", re.I)
_MOST = 10_000
"""Steps of the subject that are looked at."""
_SHOWN = 10
"""Triples that are told in place of one that is not there."""


def is_in(clause: str) -> bool:
    """Whether a clause says of its subject that it is in the other, `…`, and nothing else."""
    return _IN.fullmatch(clause) is not None


def containing(kg: KnowledgeGraph, subject: Entity, other: Entity) -> list[Path]:
    """The triples that say that the subject is in the other, or in what else of the same class.

    A name of their relation must say so, as those of `Mont Blanc - mountain in -> Italy` and of
    `Lima - country -> Peru`, which is `located in country` too: whether other relations lead from
    a part to a whole, or to a part, cannot be told. Raises ServiceError.
    """
    (steps,) = kg.walks.neighbours([subject["term"]], inverse=False, limit=_MOST)
    names = relation_names(kg, sorted({step.triple.relation for step in steps}))
    part, whole = normalise(subject["kind"]), normalise(other["kind"])
    relations = {r for r, own in names.items() if any(_says_in(n, part, whole) for n in own)}
    inside = [step for step in steps if step.triple.relation in relations]
    known = [step for step in inside if step.target == other["term"]]
    return [Path(subject["term"], (step,)) for step in known or _alike(kg, inside, other["kind"])]


def _says_in(name: str, part: str, whole: str) -> bool:
    """Whether a relation's name says that something of the class `part` is in a `whole`.

    So do `located in`, `lake in` of a lake, and of a country `located in country`.
    """
    said = normalise(name)
    before, inside, after = f" {said} ".partition(" in ")
    what = before.strip()
    is_part = what in ("", "is", "lies", "located") or f" {part}".endswith(f" {what}")
    is_inside = bool(inside) and is_part and after.strip() in ("", whole)
    return is_inside or said == f"located on {whole}"


def _alike(kg: KnowledgeGraph, steps: list[Step], kind: str) -> list[Step]:
    """The first of the steps that lead to something of a class."""
    first = steps[:_SHOWN]
    infos = kg.labels.describe([step.target for step in first])
    return [step for step, info in zip(first, infos, strict=True) if info.kind == kind]
