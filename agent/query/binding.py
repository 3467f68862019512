"""The names of a query, looked up in a graph: which terms they are, before anything is executed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..errors import QuestionError
from ..kg import KnowledgeGraph
from ..kg.names import normalise
from ..kg.nodes import to_node
from ..kg.terms import Term, is_iri, is_literal
from .tree import (
    Domain,
    Entity,
    Filter,
    Measure,
    OfClass,
    Query,
    Step,
    nested,
)

ANYTHING = frozenset({"anything", "row"})
"""Names of a class that say nothing of it."""


@dataclass(frozen=True)
class Mention:
    """What a mention of the question is: its text, and the term that it was linked to, if any."""

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

    def relation(self, step: Step | Measure | Domain) -> Term:
        """The relation of a hop, a measure or a start."""
        return self.relations[_relation_name(step)]

    def hops(self, steps: Sequence[Step]) -> tuple[tuple[Term, bool], ...]:
        """The relation path of some steps."""
        return tuple((self.relation(step), step.inverse) for step in steps)

    def class_of(self, name: str, term: str = "") -> Term | None:
        """The class of a name; None where any thing is meant."""
        return None if name in ANYTHING and not term else self.classes[term or name]

    def mentioned(self, number: int) -> Mention:
        """The mention of a number."""
        return self.mentions[number]


def bind(kg: KnowledgeGraph, query: Query, mentions: Sequence[Mention | str] = ()) -> Bound:
    """Look up every name of a query.

    A mention without a term takes the entity of its text; one that only compares may be a value.
    Raises QuestionError for a name that the graph does not have, or that means several things, and
    ServiceError where the graph does not answer.
    """
    nodes = [query, *nested(query)]
    given = [Mention(own) if isinstance(own, str) else own for own in mentions]
    relations = _each(_relation_names(nodes), lambda name: _relation(kg, name))
    classes = _each(_class_names(nodes), lambda name: _class(kg, name))
    starts = [node.start for node in nodes]
    entities = _each(
        (own.id or own.entity for own in starts if isinstance(own, Entity)),
        lambda name: _entity(kg, name),
    )
    named = {number for own in starts if isinstance(own, tuple) for number in own}
    compared = {own.mention for own in _compared(nodes) if own.mention is not None}
    if missing := sorted(number for number in named | compared if number >= len(given)):
        raise QuestionError(
            f"the query speaks of mention {missing[0]}, and there are {len(given)}",
            "count mentions from 0",
        )
    bound = tuple(
        _linked(kg, own, needed=number in named) if number in named | compared else own
        for number, own in enumerate(given)
    )
    return Bound(query, relations, classes, entities, bound)


def _each(names: Iterable[str], look_up: Callable[[str], Term]) -> dict[str, Term]:
    return {name: look_up(name) for name in dict.fromkeys(names)}


def _relation_names(nodes: Sequence[Query]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node.start, Domain):
            yield _relation_name(node.start)
        yield from map(_relation_name, (*node.steps, *node.group))
        for column in (*node.columns, *node.having):
            yield from map(_relation_name, column.of)
            yield from map(_relation_name, getattr(column, "steps", ()))
        for measure in _measures(node):
            yield from map(_relation_name, measure.steps)
        if node.extreme is not None:
            yield from map(_relation_name, node.extreme.of)


def _class_names(nodes: Sequence[Query]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node.start, OfClass) and not (
            node.start.name in ANYTHING and not node.start.id
        ):
            yield node.start.id or node.start.name
        if node.of_class and not (node.of_class in ANYTHING and not node.class_id):
            yield node.class_id or node.of_class


def _measures(node: Query) -> Iterator[Measure]:
    yield from node.filters
    if node.extreme is not None:
        yield node.extreme


def _compared(nodes: Sequence[Query]) -> Iterator[Filter]:
    return (own for node in nodes for own in node.filters)


def _relation_name(step: Step | Measure | Domain) -> str:
    return step.id or (step.domain if isinstance(step, Domain) else step.relation)


def _linked(kg: KnowledgeGraph, mention: Mention, *, needed: bool) -> Mention:
    if mention.term is not None:
        return Mention(mention.text, _checked(mention.term))
    if needed:
        return Mention(mention.text, _entity(kg, mention.text))
    terms = kg.labels.named(mention.text)
    return Mention(mention.text, terms[0]) if len(terms) == 1 else mention


def _relation(kg: KnowledgeGraph, name: str) -> Term:
    if is_iri(name) and name.endswith(">"):
        return _checked(name)
    terms = kg.walk_labels.named(name, relation=True)
    known = [own.name for own in kg.walk_labels.relations()] if not terms else []
    return _only(kg, terms, name, "relation", known)


def _class(kg: KnowledgeGraph, name: str) -> Term:
    if is_iri(name) and name.endswith(">"):
        return _checked(name)
    words = [word for word in kg.labels.vocabulary() if not word.relation]
    wanted = normalise(name)
    exact = [word for word in words if word.text == name]
    meant = exact or [word for word in words if normalise(word.text) == wanted]
    terms = list(dict.fromkeys(word.term for word in meant))
    return _only(kg, terms, name, "class", sorted({word.text for word in words}))


def _entity(kg: KnowledgeGraph, name: str) -> Term:
    if (is_iri(name) and name.endswith(">")) or name.startswith("_:") or is_literal(name):
        return _checked(name)
    terms = kg.labels.named(name) or kg.labels.labelled(name)
    return _only(kg, terms, name, "entity", ())


def _checked(term: Term) -> Term:
    """A term as it is, where it is one."""
    try:
        to_node(term)
    except ValueError as error:
        raise QuestionError(
            f"{term[:80]!r} is no term of RDF", "write terms as in N-Triples"
        ) from error
    return term


def _only(
    kg: KnowledgeGraph, terms: Sequence[Term], name: str, kind: str, known: Sequence[str]
) -> Term:
    if len(terms) == 1:
        return terms[0]
    if terms:
        names = "; ".join(f"{n} {t}" for n, t in zip(kg.labels.names(terms), terms, strict=True))
        raise QuestionError(f"{name!r} may be several: {names}", "give one of these names or terms")
    raise QuestionError(f"the graph has no {kind} called {name!r}", _hint(name, kind, known))


def _hint(name: str, kind: str, known: Sequence[str]) -> str:
    from rapidfuzz import process

    near = [found for found, _, _ in process.extract(name, known, limit=3, score_cutoff=60)]
    if near:
        return f"it has {'; '.join(near)}"
    return "`groundwalk kg info` lists what there is" if kind != "entity" else "check the spelling"
