"""The names of a query in a graph: which terms they are, and what terms are called.

Names are looked up before anything is executed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeAlias

from ..errors import QuestionError
from ..kg import KnowledgeGraph
from ..kg.derived.relations import plain_name
from ..kg.labels.meanings import entities_meant
from ..kg.labels.names import local_name, normalise
from ..kg.nodes import to_node
from ..kg.store import Way, class_labels
from ..kg.terms import Term, is_iri, is_literal
from ..linking.typos import most_typos
from .tree import (
    ANY_CLASS,
    Domain,
    EarlierSet,
    Entity,
    Filter,
    Having,
    Measure,
    OfClass,
    Query,
    Step,
    compared_mentions,
    nested,
    read_query,
    starting_mentions,
    write_query,
    written_nodes,
)

LIST_NAMES = "`groundwalk kg info` lists what there is"
CHECK_SPELLING = "check the spelling"
"""Hints on a name that the graph does not have."""
COUNT_MENTIONS = "count mentions from 0"
"""The hint on a mention that is not there."""
_MOST_NEAR = 3
"""Names in a hint: those like one that the graph lacks, or else some of all."""
_Kind: TypeAlias = Literal["relation", "class", "entity"]


@dataclass(frozen=True)
class Mention:
    """A mention of the question: its text, and the term that it was linked to, if any."""

    text: str
    term: Term | None = None


@dataclass(frozen=True)
class Bound:
    """A query with the terms of its names. Every name of the tree is in these maps."""

    query: Query
    relations: Mapping[str, Term]
    classes: Mapping[str, Term]
    entities: Mapping[str, Term]
    mentions: tuple[Mention, ...] = ()
    questions: tuple[str, ...] = ()
    """The plain questions that its parts answer, where they are known."""
    earlier: Mapping[EarlierSet, Sequence[Term]] = field(
        default_factory=dict[EarlierSet, Sequence[Term]]
    )
    """The last answers and topics of the conversation, where they are known."""

    def relation(self, step: Step | Measure | Domain) -> Term:
        """The relation of a hop, a measure or a start."""
        return self.relations[relation_name(step)]

    def hops(self, steps: Sequence[Step]) -> tuple[tuple[Term, bool], ...]:
        """The relation path of some steps."""
        return tuple((self.relation(step), step.inverse) for step in steps)

    def class_of(self, name: str, term: str = "") -> Term | None:
        """The class of a name; None where any thing is meant."""
        is_any = not term and (not name or name in ANY_CLASS)
        return None if is_any else self.classes[term or name]

    def mentioned(self, number: int) -> Mention:
        """The mention of a number."""
        return self.mentions[number]

    def text_of(self, condition: Filter | Having) -> str | int | float | bool | None:
        """The value that a condition is written with, else the text of its mention."""
        assert not isinstance(condition.value, Query)
        if condition.value is None and condition.mention is not None:
            return self.mentioned(condition.mention).text
        return condition.value


def tree_in_terms(bound: Bound) -> dict[str, Any]:
    """The tree of a query as JSON, with terms for the names of relations and classes."""
    tree = write_query(bound.query)
    for node in written_nodes(tree):
        class_id = "class_id" if "start" in node else "id"
        for key, id_key, terms in (
            ("relation", "id", bound.relations),
            ("domain", "id", bound.relations),
            ("class", class_id, bound.classes),
        ):
            if isinstance(name := node.get(key), str):
                node[key] = terms.get(node.pop(id_key, None) or name, name)
    return tree


def bind(kg: KnowledgeGraph, query: Query, mentions: Sequence[Mention | str] = ()) -> Bound:
    """Look up every name of a query.

    A mention without a term takes the entity of its text; one that only compares may be a value.
    Raises QuestionError for a name that the graph does not have, or that means several terms, and
    ServiceError where the graph does not answer.
    """
    nodes = [query, *nested(query)]
    relations = {name: _relation(kg, name) for name in _distinct_names(_relation_names, nodes)}
    classes = {name: _class(kg, name) for name in _distinct_names(_class_names, nodes)}
    entities = {name: _entity(kg, name) for name in _distinct_names(_entity_names, nodes)}
    return Bound(query, relations, classes, entities, _bound_mentions(kg, query, mentions))


def check_terms(kg: KnowledgeGraph, bound: Bound) -> None:
    """Raise QuestionError for a term that the graph does not have; an endpoint is not asked."""
    if not kg.pinned:
        return
    relations = {*kg.walk_relations, *(one.term for one in kg.walk_labels.relations())}
    is_inferred = kg.reading.inverse_of or kg.reading.sub_property_of
    for term in () if is_inferred else filter(is_iri, bound.relations.values()):
        if term not in relations and next(kg.stated(term), None) is None:
            raise _missing(kg, term, local_name(term, relation=True), "relation")
    mentioned = (mention.term for mention in bound.mentions if mention.term is not None)
    classes = {word.term for word in class_labels(kg.labels)}
    things = (*bound.entities.values(), *mentioned)
    terms: dict[Term, _Kind] = {
        **dict.fromkeys(bound.classes.values(), "class"),
        **dict.fromkeys(things, "entity"),
    }
    stands_for = kg.representatives(terms)
    for term, kind in terms.items():
        if is_iri(term) and term not in classes and not _is_there(kg, stands_for[term]):
            raise _missing(kg, term, local_name(term), kind)


def _missing(kg: KnowledgeGraph, term: Term, name: str, kind: _Kind) -> QuestionError:
    return QuestionError(f"the graph has no {kind} {term}", _hint(kg, name, kind))


def _is_there(kg: KnowledgeGraph, term: Term) -> bool:
    """Whether a term has a name or a class in the graph, or any facts."""
    (info,) = kg.labels.describe([term])
    if info.degree or info.label != local_name(term):
        return True
    if kg.membership.below(term):
        return True
    ways = [Way(term, kind, inverse) for kind in kg.profile.types for inverse in (False, True)]
    if any(kg.store.follow_each(ways, limit=1)):
        return True
    return any(kg.listed.relations_at([term], inverse)[0] for inverse in (False, True))


def _bound_mentions(
    kg: KnowledgeGraph, query: Query, mentions: Sequence[Mention | str]
) -> tuple[Mention, ...]:
    """The mentions, with the terms of those that the query speaks of."""
    starts, compared = starting_mentions(query), compared_mentions(query)
    if missing := sorted(number for number in starts | compared if number >= len(mentions)):
        raise QuestionError(
            f"the query speaks of mention {missing[0]}, and there are {len(mentions)}",
            COUNT_MENTIONS,
        )
    bound = list[Mention]()
    for number, mention in enumerate(mentions):
        mention = Mention(mention) if isinstance(mention, str) else mention
        if number in starts | compared:
            mention = Mention(mention.text, _mentioned(kg, mention, needed=number in starts))
        bound.append(mention)
    return tuple(bound)


def _distinct_names(
    names: Callable[[Query], Iterable[str]], nodes: Sequence[Query]
) -> dict[str, None]:
    return dict.fromkeys(name for node in nodes for name in names(node))


def _relation_names(node: Query) -> Iterator[str]:
    relations: list[Step | Domain] = [node.start] if isinstance(node.start, Domain) else []
    relations += (*node.steps, *node.group)
    for column in node.columns:
        relations += (*column.of, *column.steps)
    for having in node.having:
        relations += having.of
    for condition in node.filters:
        relations += condition.steps
    if node.extreme is not None:
        relations += (*node.extreme.steps, *node.extreme.of)
    return map(relation_name, relations)


def _class_names(node: Query) -> Iterator[str]:
    classes = [(node.of_class, node.class_id)] if node.of_class or node.class_id else []
    if isinstance(node.start, OfClass):
        classes.insert(0, (node.start.name, node.start.id))
    return (term or name for name, term in classes if term or name not in ANY_CLASS)


def _entity_names(node: Query) -> Iterator[str]:
    if isinstance(node.start, Entity):
        yield node.start.id or node.start.entity


def relation_name(step: Step | Measure | Domain) -> str:
    """What a query calls a relation by: its term where that is given, else its name."""
    return step.id or (step.domain if isinstance(step, Domain) else step.relation)


def _mentioned(kg: KnowledgeGraph, mention: Mention, *, needed: bool) -> Term | None:
    """The term of a mention; where it is not `needed`, None for what is no entity."""
    if mention.term is not None:
        return _checked(mention.term)
    if needed:
        return _entity(kg, mention.text)
    terms = kg.labels.named(mention.text)
    return terms[0] if len(terms) == 1 else None


def _relation(kg: KnowledgeGraph, name: str) -> Term:
    if _is_iri(name):
        return _checked(name)
    terms = kg.walk_labels.named(name, relation=True)
    if not kg.reading.plain and kg.walk_relations and {*terms}.isdisjoint(kg.walk_relations):
        named_relations = zip(
            kg.walk_relations, kg.walk_labels.names(kg.walk_relations), strict=True
        )
        terms = [
            term for term, label in named_relations if name in (label, plain_name(label))
        ] or terms
    if not terms:
        wanted, words = normalise(name), kg.walk_labels.vocabulary()
        alike = {it.term for it in words if it.relation and normalise(it.text) == wanted}
        named_relations = zip(alike, kg.walk_labels.names(list(alike)), strict=True)
        terms = [term for term, label in named_relations if normalise(label) == wanted]
    return _single_term(kg, terms, name, "relation")


def _class(kg: KnowledgeGraph, name: str) -> Term:
    if _is_iri(name):
        return _checked(name)
    words = class_labels(kg.labels)
    wanted = normalise(name)
    exact = [word for word in words if word.text == name]
    meant = exact or [word for word in words if normalise(word.text) == wanted]
    return _single_term(kg, list(dict.fromkeys(word.term for word in meant)), name, "class")


def _entity(kg: KnowledgeGraph, name: str) -> Term:
    if _is_iri(name) or name.startswith("_:") or is_literal(name):
        return _checked(name)
    terms = entities_meant(kg.labels, name) or kg.labels.named(name)
    return _single_term(kg, terms, name, "entity")


def _is_iri(name: str) -> bool:
    return is_iri(name) and name.endswith(">")


def _checked(term: Term) -> Term:
    """A term as it is, where it is one."""
    try:
        to_node(term)
    except ValueError as error:
        raise QuestionError(
            f"{term[:80]!r} is no term of RDF", "write terms as in N-Triples"
        ) from error
    return term


def _single_term(kg: KnowledgeGraph, terms: Sequence[Term], name: str, kind: _Kind) -> Term:
    if len(terms) == 1:
        return terms[0]
    if terms:
        names = "; ".join(f"{n} {t}" for n, t in zip(kg.labels.names(terms), terms, strict=True))
        raise QuestionError(f"{name!r} may be several: {names}", "give the term that is meant")
    raise QuestionError(f"the graph has no {kind} called {name!r}", _hint(kg, name, kind))


def _hint(kg: KnowledgeGraph, name: str, kind: _Kind) -> str:
    """The names of the graph that are most like one that it does not have, if any are."""
    from rapidfuzz import process

    names = _similar_names(kg, name, kind)
    near = process.extract(name, names, limit=_MOST_NEAR, score_cutoff=60)
    if near:
        return f"near it: {'; '.join(similar for similar, _, _ in near)}"
    if kind == "entity":
        return CHECK_SPELLING
    if not names:
        return f"it has no {_SEVERAL[kind]}"
    among = ", among them" if len(names) > _MOST_NEAR else ":"
    kinds = _SEVERAL[kind] if len(names) > 1 else kind
    return f"it has {len(names):,} {kinds}{among} {'; '.join(names[:_MOST_NEAR])}; {LIST_NAMES}"


_SEVERAL = {"relation": "relations", "class": "classes"}


def _similar_names(kg: KnowledgeGraph, name: str, kind: _Kind) -> list[str]:
    """Names of the graph of a kind; of entities those with no more than a typo or two in them."""
    if kind == "relation":
        return kg.walk_labels.names(kg.walk_relations)
    if kind == "class":
        return sorted({word.text for word in class_labels(kg.labels)})
    norm = normalise(name)
    near = kg.labels.similar(norm, _MOST_NEAR, distance=most_typos(norm))
    hits = [hit for similar in near for hit in kg.labels.lookup(similar.norm)[:1]]
    return kg.labels.names(list(dict.fromkeys(hit.term for hit in hits)))


class TermNames:
    """Names for the terms of queries, each looked up once."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._kg = kg
        self._relation = cache(self._named_relation)
        self._class = cache(self._named_class)

    def named(self, query: Query) -> Query:
        """The same query with names, as people write it. Raises ServiceError.

        A term stays beside its name where the name alone could mean another one.
        """
        tree = write_query(query)
        for node in written_nodes(tree):
            class_id = "class_id" if "start" in node else "id"
            for key, id_key, look_up in (
                ("relation", "id", self._relation),
                ("domain", "id", self._relation),
                ("class", class_id, self._class),
            ):
                if isinstance(term := node.get(key), str) and _is_iri(term):
                    node[key], is_sure = look_up(term)
                    node |= {} if is_sure else {id_key: term}
        return read_query(tree)

    def _named_relation(self, term: Term) -> tuple[str, bool]:
        """The name of a relation, and whether it means no other one."""
        labels = self._kg.walk_labels
        (name,) = labels.names([term])
        return name, labels.named(name, relation=True) == [term]

    def _named_class(self, term: Term) -> tuple[str, bool]:
        (name,) = self._kg.walk_labels.names([term])
        meant = {word.term for word in class_labels(self._kg.labels) if word.text == name}
        return name, meant == {term}
