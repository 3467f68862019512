"""Triples that operators rest on: between two entities, and of members and their values."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from ..kg import KnowledgeGraph
from ..kg.names import normalise
from ..kg.terms import Path, Step, Term
from ..linking.words import FUNCTION_WORDS
from ..query.tree import Step as QueryStep
from ..query.values import value_of
from .phrases import BE
from .wording import stems

_MOST = 10_000
"""Steps of one member that are looked at, in a direction."""

_SHOWN = 10
"""Triples that are told in place of one that is not there."""

_ROLE_IN = re.compile(rf"(?:(?:{BE})\s+)?(?:an?|the)\s.*\bin\s+(?:the\s+)?…", re.I)

Names = Mapping[Term, Collection[str]]
"""What relations are called: their names and other labels."""


def relation_names(kg: KnowledgeGraph, relations: Sequence[Term]) -> dict[Term, list[str]]:
    """The names of some relations, with other labels that the KG gives."""
    named = {t: [n] for t, n in zip(relations, kg.walk_labels.names(relations), strict=True)}
    for word in kg.walk_labels.vocabulary():
        if word.relation and word.term in named:
            named[word.term].append(word.text)
    return named


def relations_called(kg: KnowledgeGraph) -> Callable[[], frozenset[str]]:
    """The normalised names of all relations, with other labels, read when they are first needed."""

    @cache
    def relations() -> frozenset[str]:
        words = (word for word in kg.labels.vocabulary() if word.relation)
        return frozenset(normalise(word.text) for word in words)

    return relations


def between(kg: KnowledgeGraph, members: Sequence[Term], other: Term) -> dict[Term, list[Path]]:
    """For each member, the walks of one step from `other` to it. Raises ServiceError."""
    around = kg.walks.neighbours(members, inverse=True, limit=_MOST)
    return {
        member: [
            Path(other, (Step(step.triple, not step.inverse),))
            for step in steps
            if step.target == other
        ]
        for member, steps in zip(members, around, strict=True)
    }


def fitting(kg: KnowledgeGraph, relations: Collection[Term], words: str) -> set[Term]:
    """The relations that words speak of; all of them where the words say nothing themselves.

    Every word must be one of the relation's name: `closed its borders` is not what `borders` says.
    """
    said, ordered = stems(words), sorted(relations)
    if not said:
        return set(ordered)
    names = relation_names(kg, ordered)
    return {r for r, own in names.items() if any(said <= stems(name) for name in own)}


class Valued(NamedTuple):
    """The step to values, and which members have any."""

    step: QueryStep
    having: frozenset[Term]


def valued(kg: KnowledgeGraph, members: Sequence[Term], properties: Sequence[str]) -> Valued | None:
    """The relation to numbers or dates that the first of `properties` to fit any is meant by.

    A relation of exactly that name goes before one with these words in its name, then the one that
    more members have. Raises ServiceError.
    """
    having = dict[Term, set[Term]]()
    around = kg.walks.neighbours(members, inverse=False, limit=_MOST)
    for member, steps in zip(members, around, strict=True):
        for step in steps:
            if value_of(step.triple.tail) is not None:
                having.setdefault(step.triple.relation, set()).add(member)
    names = relation_names(kg, sorted(having))
    for wanted in properties:
        said, exact = stems(wanted), normalise(wanted)
        fits = [r for r, own in names.items() if said and any(said <= stems(n) for n in own)]
        if fits:
            best = min(
                fits,
                key=lambda r: (exact not in map(normalise, names[r]), -len(having[r]), r),
            )
            step = QueryStep(relation=names[best][0], id=best)
            return Valued(step, frozenset(having[best]))
    return None


def connecting(
    kg: KnowledgeGraph, members: Sequence[Term], other: Term, words: str
) -> list[QueryStep]:
    """The steps from members to another thing that words speak of. Raises ServiceError."""
    around = between(kg, members, other)
    steps = [path.steps[0] for paths in around.values() for path in paths]
    fits = fitting(kg, {step.triple.relation for step in steps}, words)
    return _asked(kg, [(s.triple.relation, not s.inverse) for s in steps], fits)


def leading(kg: KnowledgeGraph, paths: Sequence[Path]) -> list[QueryStep]:
    """The steps of paths of one step, each once."""
    hops = [hop for path in paths for hop in path.relations]
    return _asked(kg, hops, {relation for relation, _ in hops})


def _asked(
    kg: KnowledgeGraph, hops: Sequence[tuple[Term, bool]], relations: Collection[Term]
) -> list[QueryStep]:
    kept = sorted({hop for hop in hops if hop[0] in relations})
    names = kg.walk_labels.names([relation for relation, _ in kept])
    return [
        QueryStep(relation=name, id=relation, inverse=inverse)
        for name, (relation, inverse) in zip(names, kept, strict=True)
    ]


Stated = Literal["so", "turned"]


def stated(
    kg: KnowledgeGraph, subject: Term, other: Term, clause: str
) -> tuple[Stated, list[Path]] | None:
    """What triples between two entities say of `subject clause`, `…` being the other's place.

    `turned` is a triple that says the same of the other one: `Is Austria the capital of Vienna?`.
    None where no triple between them has a relation of the clause's words. Raises ServiceError.
    """
    paths = [
        Path(subject, (Step(path.steps[0].triple, not path.steps[0].inverse),))
        for path in between(kg, [subject], other)[subject]
    ]
    if not paths or not stems(clause):
        return None
    relations = fitting(kg, {path.steps[0].triple.relation for path in paths}, clause)
    names = relation_names(kg, sorted(relations))
    so, turned = list[Path](), list[Path]()
    for path in (p for p in paths if p.steps[0].triple.relation in relations):
        step = path.steps[0]
        if (expected := _is_forward(names[step.triple.relation], clause)) is not None:
            forward = step.triple.head == subject
            (so if forward == expected else turned).append(path)
    if so:
        return "so", so
    return ("turned", turned) if turned and (_is_of(clause) or _is_role_in(clause)) else None


def worded(kg: KnowledgeGraph, clause: str) -> list[Term]:
    """The relations that have just the words of a clause in one of their names."""
    said = stems(clause)
    words = [own for own in kg.labels.vocabulary() if own.relation] if said else []
    fits = [own.term for own in words if said == stems(normalise(own.text))]
    return list(dict.fromkeys(fits))


def said_steps(kg: KnowledgeGraph, relations: Sequence[Term], clause: str) -> list[QueryStep]:
    """The steps along relations from the subject of a clause to `…`, as the clause says."""
    names = relation_names(kg, relations)
    ways = {relation: _is_forward(own, clause) for relation, own in names.items()}
    hops = [(relation, not way) for relation, way in ways.items() if way is not None]
    return _asked(kg, hops, relations)


def _is_forward(names: Collection[str], clause: str) -> bool | None:
    """Whether a relation leads from the subject of a clause to `…`; None where it says no such."""
    said = stems(clause)
    own = [name for name in names if said <= stems(name)]
    if _is_role_in(clause):
        own = [name for name in own if said == stems(name) and _is_noun(name)]
    return any(_reads_on(name, clause) for name in own) if own else None


def instead(kg: KnowledgeGraph, subject: Term, other: Term, clause: str) -> list[Path]:
    """Triples that say of another what a clause says of the subject, or of the subject of another.

    Of Austria what its capital is, where Salzburg was asked about. Raises ServiceError.
    """
    found = list[Path]()
    around = kg.walks.neighbours([other, subject], inverse=False, limit=_MOST)
    for start, steps in zip((other, subject), around, strict=True):
        fits = (
            fitting(kg, {step.triple.relation for step in steps}, clause) if stems(clause) else ()
        )
        found += [Path(start, (step,)) for step in steps if step.triple.relation in fits]
        if found:
            break
    return found[:_SHOWN]


def _is_of(clause: str) -> bool:
    """Whether a clause says what somebody is to another: `the capital of …`, `…'s capital`."""
    return f" {clause} ".find(" of ") >= 0 or "…'" in clause or "…’" in clause


def _is_role_in(clause: str) -> bool:
    """Whether a clause says what somebody is in another: `an official language in …`."""
    return _ROLE_IN.fullmatch(clause) is not None


def _is_noun(name: str) -> bool:
    """Whether a relation's name may be what somebody is: no `in the mountains`."""
    return normalise(name).split()[0] not in FUNCTION_WORDS


def _reads_on(name: str, clause: str) -> bool:
    """Whether a relation of this name leads from the subject of the clause to the other.

    `capital` leads from the other in `is the capital of …` and in `is a capital in …`, `part of`
    from the subject in `is part of …`, and so does `borders` in `borders …`; `directed by` does not
    in `directed …`.
    """
    last = normalise(name).split()[-1:]
    if last == ["by"]:
        return " by " in f" {clause} "
    if last and last[0] in ("of", "in", "at", "on", "to", "from", "for", "with"):
        return True
    return not (_is_of(clause) or _is_role_in(clause))
