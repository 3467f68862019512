"""The names that a query about some entities may use, and the JSON Schema made of them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, Literal

from ..kg import KnowledgeGraph
from ..kg.labels.index import RelationInfo
from ..kg.store import Way, class_labels
from ..kg.stores.sparql.store import SparqlStore
from ..kg.terms import Step, Term, Triple, is_literal
from ..kg.walking.ranking import DIGITS, BM25Ranker
from .tree import Query
from .values import unit_in_iri, unit_in_name, unit_of_datatype, value_of

MOST_RELATIONS = 60
MOST_CLASSES = 60
_MOST_NEAR = 40
"""Relations at the entities that are listed, where others are left out."""
_MOST_NODES = 40
_MOST_WAYS = 400
_MOST_KINDS = 3
"""Classes that are named at each end of a relation."""
_SAMPLED, _LOOKED_AT = 3, 20
"""Facts of a relation that are looked at: of one node, and anywhere in a graph at hand."""


@dataclass(frozen=True)
class RelationWords:
    """A relation by its display name, and the classes that it leads from and to.

    Values are of the class `number`, `date` or `text`. Classes are those of a few facts; empty
    where no fact was read.
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
    """What a query about the entities may name, within bounds. Raises ServiceError.

    Relations at the entities come first, in either direction; then those that share words with the
    question, those one hop further, and the most used ones.
    """
    entities = [term for term in dict.fromkeys(entities) if not is_literal(term)]
    near = _named_relations(kg, entities)
    around = _facts(kg, near[:_MOST_WAYS])
    far = _named_relations(kg, _one_of_each_class(kg, (step.target for step in around)))
    at_entities, further = ({way.relation for way in ways} for ways in (near, far))
    infos = _nearest(kg.walk_labels.relations(), question, at_entities, further)
    triples = [step.triple for step in around]
    triples += _facts_further(kg, [info.term for info in infos], far, {t.relation for t in triples})
    kinds = _class_names(kg, triples)
    relations = tuple(_words(kg, info, triples, kinds) for info in infos)
    return Vocabulary(relations, _classes(kg, question, kinds.values()))


def classes_of_heads(kg: KnowledgeGraph, relations: Iterable[Term]) -> dict[Term, str]:
    """The class of what has a relation, by relation, where a few facts show just one.

    An endpoint is not asked.
    """
    heads = _classes_at(kg, relations, "head")
    only = {relation: classes.pop() for relation, classes in heads.items() if len(classes) == 1}
    return {relation: class_ for relation, class_ in only.items() if class_}


def classes_of_tails(kg: KnowledgeGraph, relations: Iterable[Term]) -> dict[Term, set[str]]:
    """The classes of what each relation leads to in a few facts, where all of that has one.

    An endpoint is not asked.
    """
    tails = _classes_at(kg, relations, "tail")
    return {relation: classes for relation, classes in tails.items() if "" not in classes}


def _classes_at(
    kg: KnowledgeGraph, relations: Iterable[Term], end: Literal["head", "tail"]
) -> dict[Term, set[str]]:
    """The classes at an end of each relation; an empty one where something has none."""
    if isinstance(kg.store, SparqlStore) or not kg.reading.plain:
        return {}
    facts = _facts_further(kg, list(relations), (), ())
    kinds, classes = _class_names(kg, facts), dict[Term, set[str]]()
    for fact in facts:
        term = fact.head if end == "head" else fact.tail
        classes.setdefault(fact.relation, set()).add(kinds.get(term, ""))
    return classes


def _named_relations(kg: KnowledgeGraph, nodes: Sequence[Term]) -> list[Way]:
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


def _nearest(
    infos: Sequence[RelationInfo],
    question: str,
    near_relations: Collection[Term],
    far_relations: Collection[Term],
) -> list[RelationInfo]:
    scores = _scores(question, [info.name for info in infos])
    ranked = sorted(
        zip(infos, scores, strict=True),
        key=lambda scored: (
            scored[0].term not in near_relations,
            -scored[1],
            scored[0].term not in far_relations,
        ),
    )
    ordered = [info for info, _ in ranked]
    if len(ordered) > MOST_RELATIONS:
        spare = [info for info in ordered if info.term in near_relations][_MOST_NEAR:]
        ordered = [info for info in ordered if info not in spare] + spare
    return ordered[:MOST_RELATIONS]


def _facts_further(
    kg: KnowledgeGraph,
    relations: Iterable[Term],
    far_ways: Iterable[Way],
    near_relations: Collection[Term],
) -> list[Triple]:
    """A few facts of each relation of a local graph; else of those one hop further."""
    if not isinstance(kg.store, SparqlStore) and kg.reading.plain:
        return [t for r in relations for t in islice(kg.store.statements(r), _LOOKED_AT)]
    ways = {way.relation: way for way in far_ways if way.relation not in near_relations}
    steps = _facts(kg, [ways[relation] for relation in relations if relation in ways])
    return [step.triple for step in steps]


def _class_names(kg: KnowledgeGraph, triples: Iterable[Triple]) -> dict[Term, str]:
    """The class of every thing in the triples."""
    ends = dict.fromkeys(end for triple in triples for end in (triple.head, triple.tail))
    infos = kg.labels.describe([term for term in ends if not is_literal(term)])
    return {info.term: info.kind for info in infos}


def _words(
    kg: KnowledgeGraph, info: RelationInfo, triples: Iterable[Triple], kinds: dict[Term, str]
) -> RelationWords:
    facts = [triple for triple in triples if triple.relation == info.term]
    tails = [_tail_kind(kg, info, triple.tail, kinds) for triple in facts]
    return RelationWords(
        info.name,
        _some_names(kinds.get(triple.head, "") for triple in facts),
        _some_names(kind for kind, _ in tails),
        next((unit for _, unit in tails if unit), ""),
    )


def _tail_kind(
    kg: KnowledgeGraph, info: RelationInfo, tail: Term, kinds: dict[Term, str]
) -> tuple[str, str]:
    """The class of a fact's tail, and its unit."""
    value = value_of(tail)
    if value is None:
        return ("text" if is_literal(tail) else kinds.get(tail, "")), ""
    if value.unit == "date":
        return "date", ""
    in_name = unit_in_name(info.name) or unit_in_iri(info.term)
    return "number", unit_of_datatype(value.unit, kg.profile) or in_name


def _some_names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(filter(None, dict.fromkeys(names)), _MOST_KINDS))


def _classes(kg: KnowledgeGraph, question: str, near_classes: Iterable[str]) -> tuple[str, ...]:
    """The names of classes: those that share words with the question, those near, and others."""
    words = (word.text for word in class_labels(kg.labels))
    distinct = dict[str, str]()
    for name in [*filter(None, near_classes), *words]:
        distinct.setdefault(name.lower(), name)
    names = list(distinct.values())
    scores = _scores(question, names)
    ranked = sorted(zip(names, scores, strict=True), key=lambda scored: -scored[1])
    return tuple(name for name, _ in ranked[:MOST_CLASSES])


def _scores(question: str, names: Sequence[str]) -> list[float]:
    return [round(score, DIGITS) for score in BM25Ranker().scores(question, names)]


PROPOSAL = "query"
"""What the schema is called, and the key under which the reply has the tree."""
_KNOWN_ONLY_HERE = frozenset({"id", "class_id", "ties"})
"""Properties that say nothing that a question says."""
_OF_CONVERSATIONS = frozenset({"Last", "Part"})
_ABOUT = frozenset({"title", "description", "default"})
_RELATION, _CLASS = "RelationName", "ClassName"


def proposal_schema(names: Vocabulary, mentions: int) -> dict[str, Any]:
    """The schema of `{"query": TREE}`, where null stands for none.

    Relations and classes are those that are listed, mentions are numbers below `mentions`.
    """
    definitions = deepcopy(_definitions())
    definitions[_RELATION] = _one_of([relation.name for relation in names.relations])
    definitions[_CLASS] = _one_of(["anything", *names.classes])
    starts = definitions["Query"]["properties"]["start"]["anyOf"]
    if mentions:
        starts[0]["items"] = {"enum": list(range(mentions))}
    else:
        del starts[0]
    tree = {"anyOf": [{"$ref": "#/$defs/Query"}, {"type": "null"}]}
    return {
        "type": "object",
        "properties": {PROPOSAL: tree},
        "required": [PROPOSAL],
        "additionalProperties": False,
        "$defs": definitions,
    }


@cache
def _definitions() -> dict[str, Any]:
    """The definitions of the tree, without what is only for people or for conversations."""
    known: dict[str, Any] = Query.model_json_schema(by_alias=True)["$defs"]
    for conversational in _OF_CONVERSATIONS:
        del known[conversational]
    definitions: dict[str, Any] = _trimmed(known)
    for definition in definitions.values():
        properties: dict[str, Any] = definition["properties"]
        for key in properties.keys() & {"relation", "domain"}:
            properties[key] = {"$ref": f"#/$defs/{_RELATION}"}
        if "class" in properties:
            properties["class"] = {"$ref": f"#/$defs/{_CLASS}"}
    return definitions


def _trimmed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_trimmed(child) for child in schema if not _is_of_conversations(child)]
    if not isinstance(schema, Mapping):
        return schema
    trimmed: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties":
            parts = {name: part for name, part in value.items() if name not in _KNOWN_ONLY_HERE}
            trimmed[key] = {name: _trimmed(part) for name, part in parts.items()}
        elif key not in _ABOUT:
            trimmed["anyOf" if key == "oneOf" else key] = _trimmed(value)
    return trimmed


def _is_of_conversations(schema: Any) -> bool:
    reference = schema.get("$ref", "") if isinstance(schema, Mapping) else ""
    return reference.rpartition("/")[2] in _OF_CONVERSATIONS


def _one_of(names: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(names)} if names else {"type": "string"}
