"""Paths as text, `France -> borders -> Spain`: what a model writes between the tags."""

from collections.abc import Mapping, Sequence

from ..kg import Labels
from ..kg.terms import Path, Term
from .wire import SEPARATOR, escape, spell_relation


def spell_paths(labels: Labels, paths: Sequence[Path]) -> list[str]:
    """The text of each path; no two different paths are spelled alike."""
    entities = _names(labels, [term for path in paths for term in _entities(path)])
    relations = _names(labels, [step.triple.relation for path in paths for step in path.steps])
    return [_spell(path, entities, relations) for path in paths]


def _spell(path: Path, entities: Mapping[Term, str], relations: Mapping[Term, str]) -> str:
    parts = [entities[path.topic]]
    for step in path.steps:
        parts.append(spell_relation(relations[step.triple.relation], step.inverse))
        parts.append(entities[step.target])
    return SEPARATOR.join(parts)


def _entities(path: Path) -> list[Term]:
    return [path.topic, *(step.target for step in path.steps)]


def _names(labels: Labels, terms: Sequence[Term]) -> dict[Term, str]:
    """A safe name for each term; where escaping makes names equal, the later are numbered."""
    distinct = list(dict.fromkeys(terms))
    safe: dict[str, Term] = {}
    for term, name in zip(distinct, labels.names(distinct), strict=True):
        text, number = escape(name), 1
        while text in safe:
            number += 1
            text = f"{escape(name)} ({number})"
        safe[text] = term
    return {term: text for text, term in safe.items()}
