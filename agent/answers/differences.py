"""What tells apart entities that one name means, where their descriptions do not."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from ..kg import KnowledgeGraph
from ..kg.labels.names import normalise
from ..kg.terms import Term
from ..linking import Candidate, Mention, is_ambiguous

_ABOUT = re.compile(r"\s\((.+)\)$", re.DOTALL)
_MOST_FACTS = 50
"""Facts that are looked at, of an entity in one direction."""

Direction: TypeAlias = tuple[Term, bool]
"""A relation, and whether it is walked from tail to head."""


def with_distinguishing_facts(kg: KnowledgeGraph, mention: Mention) -> Mention:
    """An ambiguous mention with candidates told apart; any other as it is. Raises ServiceError."""
    if not is_ambiguous(mention):
        return mention
    return replace(mention, candidates=told_apart(kg, mention.candidates))


def told_apart(kg: KnowledgeGraph, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates; those of one label and one description, or none, have a fact that differs.

    It is added to their descriptions. Raises ServiceError.
    """
    shared = Counter((candidate.label, candidate.description) for candidate in candidates)
    namesakes = [
        candidate.term
        for candidate in candidates
        if shared[candidate.label, candidate.description] > 1
    ]
    words = _differences(kg, namesakes) if namesakes else {}
    described = namesakes if words else []
    return tuple(
        _with_fact(candidate, words.get(candidate.term, ""))
        if candidate.term in described
        else candidate
        for candidate in candidates
    )


def described_candidates(kg: KnowledgeGraph, mention: Mention) -> Mention | None:
    """The mention with those candidates that its text describes, as `Georgia (capital: Tbilisi)`.

    None where the only one is something else; several stay, and are ambiguous, where none is so.
    Raises ServiceError.
    """
    text = normalise(mention.text)
    names = {
        normalise(name)
        for candidate in mention.candidates
        for name in (candidate.name, candidate.label)
    }
    if _ABOUT.search(mention.text) is None or text in names:
        return mention
    candidates = told_apart(kg, mention.candidates)
    fitting = [
        candidate for candidate in candidates if text in map(normalise, _listed_as(candidate))
    ] or [candidate for candidate in candidates if _is_about(mention.text, candidate)]
    if not fitting and len(candidates) == 1:
        is_alias = any(hit.term == candidates[0].term for hit in kg.labels.lookup(text))
        return mention if is_alias else None
    most = max(candidate.score for candidate in candidates)
    alike = tuple(replace(candidate, score=most) for candidate in fitting or candidates)
    return replace(mention, candidates=alike)


def _listed_as(candidate: Candidate) -> Iterator[str]:
    """What a candidate may be listed as: either name, with either or both of what it is."""
    kind, description = candidate.kind, candidate.description
    for about in filter(None, (description, kind, f"{kind}, {description}", candidate.term)):
        yield from (f"{name} ({about})" for name in (candidate.name, candidate.label))


def _is_about(text: str, candidate: Candidate) -> bool:
    """Whether what is in the brackets of a text is a part of what the candidate is."""
    about = _ABOUT.search(text)
    known = f"{candidate.kind} {candidate.description}"
    return about is not None and f" {normalise(about[1])} " in f" {normalise(known)} "


def _differences(kg: KnowledgeGraph, namesakes: Sequence[Term]) -> dict[Term, str]:
    """A fact of each entity that has one, of the relation that tells them apart best."""
    facts = _facts(kg, namesakes)
    directions = sorted(
        {direction for by_direction in facts.values() for direction in by_direction}
    )
    if not directions:
        return {}
    chosen = max(directions, key=lambda direction: _difference(facts, direction))
    values = {term: facts[term].get(chosen, frozenset()) for term in namesakes}
    return _words(kg, chosen, values) if len({*values.values()}) > 1 else {}


def _facts(
    kg: KnowledgeGraph, terms: Sequence[Term]
) -> Mapping[Term, Mapping[Direction, frozenset[Term]]]:
    facts = dict[Term, dict[Direction, frozenset[Term]]]()
    for term, steps in zip(terms, kg.walks.neighbours(terms, limit=_MOST_FACTS), strict=True):
        by_direction = facts.setdefault(term, {})
        for step in steps:
            direction = step.triple.relation, step.inverse
            by_direction[direction] = by_direction.get(direction, frozenset()) | {step.target}
    return facts


def _difference(
    facts: Mapping[Term, Mapping[Direction, frozenset[Term]]], direction: Direction
) -> tuple[int, int, bool, int]:
    """How well a relation tells entities apart: the more values, and the fewer of each."""
    values = [by_direction.get(direction, frozenset()) for by_direction in facts.values()]
    return (
        len({*values}),
        sum(map(bool, values)),
        not direction[1],
        -sum(map(len, values)),
    )


def _words(
    kg: KnowledgeGraph, direction: Direction, values: Mapping[Term, frozenset[Term]]
) -> dict[Term, str]:
    """A fact of each entity, one that the others lack if there is any."""
    shared = Counter(value for ends in values.values() for value in ends)
    chosen = {
        term: min(ends, key=lambda value: (shared[value], value))
        for term, ends in values.items()
        if ends
    }
    relation, *ends = kg.walk_labels.names([direction[0], *chosen.values()])
    sign = "← " if direction[1] else ""
    return {term: f"{sign}{relation}: {end}" for term, end in zip(chosen, ends, strict=True)}


def _with_fact(candidate: Candidate, fact: str) -> Candidate:
    description = candidate.description or candidate.kind
    return replace(candidate, description="; ".join(filter(None, [description, fact])))
