"""Why a KG has no facts, in words: nothing can be asked of it, and nothing learnt."""

from .graph import KnowledgeGraph
from .names import local_name
from .terms import Term

_SHOWN = 2
"""Predicates that are named of each kind."""


def why_no_facts(kg: KnowledgeGraph) -> str:
    """One line for the user; empty where the KG has facts, or is an endpoint and not counted."""
    if not kg.pinned or kg.counts.facts:
        return ""
    profile = kg.profile
    kinds = {
        "names and descriptions": (
            *profile.labels,
            *profile.aliases,
            *profile.hidden,
            *profile.descriptions,
        ),
        "classes": profile.types,
        "definitions of the vocabulary": profile.schema,
    }
    there = {kind: _used(kg, predicates) for kind, predicates in kinds.items()}
    told = " and ".join(f"{kind} ({', '.join(used)})" for kind, used in there.items() if used)
    rest = f", only {told}" if told else ""
    return (
        f"there are no facts to walk: none of the {kg.counts.triples:,} triples relates an entity "
        f"to another one or to a value{rest}"
    )


def _used(kg: KnowledgeGraph, predicates: tuple[Term, ...]) -> list[str]:
    """The names of the first predicates that any triple has."""
    used: list[str] = []
    for predicate in predicates:
        if len(used) < _SHOWN and next(kg.store.statements(predicate), None):
            used.append(local_name(predicate))
    return used
