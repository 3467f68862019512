"""What tells apart entities that one name means, where their descriptions do not."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from ..kg import KnowledgeGraph
from ..kg.terms import Term
from ..linking import Candidate, Mention, is_ambiguous

_MOST_FACTS = 50
"""Facts that are looked at, of an entity in one direction."""

Direction: TypeAlias = tuple[Term, bool]
"""A relation, and whether it is walked from tail to head."""


def with_distinguishing_facts(kg: KnowledgeGraph, mention: Mention) -> Mention:
    """The mention; things of one label and one description, or none, have a fact that differs.

    It is added to their descriptions. Raises ServiceError.
    """
    if not is_ambiguous(mention):
        return mention
    candidates = mention.candidates
    shared = Counter((candidate.label, candidate.description) for candidate in candidates)
    alike = [
        candidate.term
        for candidate in candidates
        if shared[candidate.label, candidate.description] > 1
    ]
    words = _differences(kg, alike) if alike else {}
    described = [_with_fact(candidate, words.get(candidate.term, "")) for candidate in candidates]
    return replace(mention, candidates=tuple(described))


def _differences(kg: KnowledgeGraph, alike: Sequence[Term]) -> dict[Term, str]:
    """A fact of each entity that has one, of the relation that tells them apart best."""
    facts = _facts(kg, alike)
    directions = sorted(
        {direction for by_direction in facts.values() for direction in by_direction}
    )
    if not directions:
        return {}
    chosen = max(directions, key=lambda direction: _difference(facts, direction))
    values = {term: facts[term].get(chosen, frozenset()) for term in alike}
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
    known = candidate.description or candidate.kind
    told = "; ".join(filter(None, [known, fact]))
    return replace(candidate, description=told) if fact else candidate
