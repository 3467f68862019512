"""The names that a query about some entities may use: relations around them, and classes."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from ..kg import KnowledgeGraph
from ..kg.labels import RelationInfo
from ..kg.ranking import DIGITS, BM25Ranker
from ..kg.sparql.store import SparqlStore
from ..kg.store import Way
from ..kg.terms import Step, Term, Triple, is_literal
from .units import unit_in_name, unit_of_datatype
from .values import value_of

MOST_RELATIONS = 60
MOST_CLASSES = 60
_MOST_NEAR = 40
"""Relations at the entities themselves that are listed, where others could be."""
_MOST_NODES = 40
_MOST_WAYS = 400
_MOST_KINDS = 3
"""Classes that are named at each end of a relation."""
_SAMPLED, _LOOKED_AT = 3, 20
"""Facts of a relation that are looked at: of one node, and anywhere in a graph at hand."""


@dataclass(frozen=True)
class RelationWords:
    """A relation by its display name, and the classes that it leads from and to.

    In the place of a class there is `number`, `date` or `text`. Classes are those of a few facts;
    none where no fact was looked at.
    """

    name: str
    leaves: tuple[str, ...] = ()
    reaches: tuple[str, ...] = ()
    unit: str = ""


@dataclass(frozen=True)
class Vocabulary:
    """Relations and classes of a graph, those nearest to a question first."""

    relations: tuple[RelationWords, ...]
    classes: tuple[str, ...]


def vocabulary_around(kg: KnowledgeGraph, entities: Sequence[Term], question: str) -> Vocabulary:
    """What a query about the entities may name, within bounds.

    Relations at the entities come first, in either direction; then those that share words with the
    question, those one hop on, and those that most facts use. Raises ServiceError.
    """
    entities = [term for term in dict.fromkeys(entities) if not is_literal(term)]
    near = _ways(kg, entities)
    around = _facts(kg, near[:_MOST_WAYS])
    far = _ways(kg, _one_of_each_class(kg, (step.target for step in around)))
    infos = _nearest(kg.walk_labels.relations(), question, _relations(near), _relations(far))
    triples = [step.triple for step in around]
    triples += _of_others(kg, [own.term for own in infos], far, {t.relation for t in triples})
    kinds = _kinds(kg, triples)
    relations = tuple(_words(kg, own, triples, kinds) for own in infos)
    return Vocabulary(relations, _classes(kg, question, kinds.values()))


def classes_of_heads(kg: KnowledgeGraph, relations: Iterable[Term]) -> dict[Term, str]:
    """The class of what has a relation, by relation; not where a few facts show several or none.

    An endpoint is not asked.
    """
    if isinstance(kg.store, SparqlStore):
        return {}
    facts = _of_others(kg, list(relations), (), ()) if kg.reading.plain else []
    kinds = _kinds(kg, facts)
    found = dict[Term, set[str]]()
    for fact in facts:
        found.setdefault(fact.relation, set()).add(kinds.get(fact.head, ""))
    return {
        relation: next(iter(classes))
        for relation, classes in found.items()
        if len(classes) == 1 and "" not in classes
    }


def _ways(kg: KnowledgeGraph, nodes: Sequence[Term]) -> list[Way]:
    """Every relation of each node, in either direction."""
    if not nodes:
        return []
    return [
        Way(node, relation, inverse)
        for inverse in (False, True)
        for node, relations in zip(nodes, kg.walks.relations_at(nodes, inverse), strict=True)
        for relation in relations
    ]


def _facts(kg: KnowledgeGraph, ways: Sequence[Way]) -> list[Step]:
    """A few steps of each way."""
    if not ways:
        return []
    return [step for steps in kg.walks.follow_each(ways, limit=_SAMPLED) for step in steps]


def _one_of_each_class(kg: KnowledgeGraph, nodes: Iterable[Term]) -> list[Term]:
    """Of the nodes that are things, one of each class."""
    things = [node for node in dict.fromkeys(nodes) if not is_literal(node)]
    of_kind = dict[str, Term]()
    for info in kg.labels.describe(things):
        of_kind.setdefault(info.kind, info.term)
    return list(of_kind.values())[:_MOST_NODES]


def _relations(ways: Iterable[Way]) -> set[Term]:
    return {way.relation for way in ways}


def _nearest(
    infos: Sequence[RelationInfo], question: str, near: Collection[Term], far: Collection[Term]
) -> list[RelationInfo]:
    scores = _scores(question, [own.name for own in infos])

    def order(place: int) -> tuple[bool, float, bool, int]:
        own = infos[place]
        return own.term not in near, -scores[place], own.term not in far, place

    ordered = [infos[place] for place in sorted(range(len(infos)), key=order)]
    if len(ordered) > MOST_RELATIONS:
        spare = [own for own in ordered if own.term in near][_MOST_NEAR:]
        ordered = [own for own in ordered if own not in spare] + spare
    return ordered[:MOST_RELATIONS]


def _of_others(
    kg: KnowledgeGraph, relations: Iterable[Term], far: Iterable[Way], known: Collection[Term]
) -> list[Triple]:
    """A few facts of each relation where the graph is at hand; else of those one hop on."""
    if not isinstance(kg.store, SparqlStore) and kg.reading.plain:
        return [t for own in relations for t in islice(kg.store.statements(own), _LOOKED_AT)]
    ways = {way.relation: way for way in far if way.relation not in known}
    steps = _facts(kg, [ways[relation] for relation in relations if relation in ways])
    return [step.triple for step in steps]


def _kinds(kg: KnowledgeGraph, triples: Iterable[Triple]) -> dict[Term, str]:
    """The class of every thing in the triples."""
    ends = dict.fromkeys(end for triple in triples for end in (triple.head, triple.tail))
    infos = kg.labels.describe([term for term in ends if not is_literal(term)])
    return {info.term: info.kind for info in infos}


def _words(
    kg: KnowledgeGraph, own: RelationInfo, triples: Iterable[Triple], kinds: dict[Term, str]
) -> RelationWords:
    facts = [triple for triple in triples if triple.relation == own.term]
    held = [_held(kg, own.name, triple.tail, kinds) for triple in facts]
    return RelationWords(
        own.name,
        _some(kinds.get(triple.head, "") for triple in facts),
        _some(kind for kind, _ in held),
        next((unit for _, unit in held if unit), ""),
    )


def _held(kg: KnowledgeGraph, name: str, tail: Term, kinds: dict[Term, str]) -> tuple[str, str]:
    """What the tail of a fact is, and its unit."""
    value = value_of(tail)
    if value is None:
        return ("text" if is_literal(tail) else kinds.get(tail, "")), ""
    if value.unit == "date":
        return "date", ""
    return "number", unit_of_datatype(value.unit, kg.profile) or unit_in_name(name)


def _some(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(filter(None, dict.fromkeys(names)), _MOST_KINDS))


def _classes(kg: KnowledgeGraph, question: str, near: Iterable[str]) -> tuple[str, ...]:
    """The names of classes: those that share words with the question, those near, and others."""
    words = (word.text for word in kg.labels.vocabulary() if not word.relation)
    distinct = dict[str, str]()
    for name in [*filter(None, near), *words]:
        distinct.setdefault(name.lower(), name)
    names = list(distinct.values())
    scores = _scores(question, names)
    ordered = sorted(range(len(names)), key=lambda place: (-scores[place], place))
    return tuple(names[place] for place in ordered[:MOST_CLASSES])


def _scores(question: str, names: Sequence[str]) -> list[float]:
    return [round(score, DIGITS) for score in BM25Ranker().scores(question, names)]
