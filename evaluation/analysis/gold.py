"""Right answers that name nothing in a KG: no method can give them, whatever it reads."""

from collections.abc import Sequence
from typing import NamedTuple

from ...agent.kg import KnowledgeGraph
from ...agent.kg.labels.meanings import Meanings
from ...agent.kg.labels.names import normalise
from ..samples import Gold, Sample
from ..scoring.answer_forms import form_of


class UnknownGold(NamedTuple):
    """How many questions have a right answer that names nothing in the graph, and a first one."""

    questions: int = 0
    example: str = ""


def unknown_gold(kg: KnowledgeGraph, samples: Sequence[Sample]) -> UnknownGold:
    """Look for the right answers to questions that want things, and have no graph of their own.

    A term is known where facts or a class are about it, a name where anything is called so, in any
    case an entity. Raises ServiceError.
    """
    wanted = {
        sample.id: sample.answers
        for sample in samples
        if sample.graph is None and form_of(sample) == "members"
    }
    golds = list(dict.fromkeys(gold for answers in wanted.values() for gold in answers))
    unknown = _unknown_terms(kg, [gold for gold in golds if gold.term])
    unknown |= _unknown_names(kg, [gold for gold in golds if not gold.term])
    firsts = (next((g for g in answers if g in unknown), None) for answers in wanted.values())
    lacking = list(filter(None, firsts))
    return UnknownGold(len(lacking), lacking[0].term or lacking[0].label if lacking else "")


def _unknown_terms(kg: KnowledgeGraph, golds: Sequence[Gold]) -> set[Gold]:
    terms = [gold.term for gold in golds]
    leaving, reaching = (kg.store.relations_at(terms, inverse) for inverse in (False, True))
    words = {word.term for word in kg.labels.vocabulary()} if golds else set[str]()
    return {
        gold
        for gold, out, back in zip(golds, leaving, reaching, strict=True)
        if not (out or back or gold.term in words)
    }


def _unknown_names(kg: KnowledgeGraph, golds: Sequence[Gold]) -> set[Gold]:
    """Those that nothing is called as; a value may stand in quotes."""
    names = {gold: [name for name in (gold.label, *gold.aliases) if name] for gold in golds}
    known = kg.labels.known({normalise(name) for each in names.values() for name in each})
    left = {
        gold: [name.strip('"') for name in each]
        for gold, each in names.items()
        if known.isdisjoint(map(normalise, each))
    }
    meant = Meanings(kg.labels).find(name for each in left.values() for name in each)
    return {gold for gold, each in left.items() if not any(meant[name] for name in each)}
