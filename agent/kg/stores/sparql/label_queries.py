"""SELECT queries about the names, classes and roles of terms."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pyoxigraph as ox

from ...nodes import to_term
from ...terms import Term
from .queries import Query, Scope, in_graphs, spell, values, without_links, without_skipped

MOST_ROWS = 10_001


class TextPredicates(NamedTuple):
    """How terms have texts: by predicates, or by those to nodes that have them by another one."""

    direct: tuple[Term, ...]
    to_nodes: tuple[tuple[Term, Term], ...] = ()

    @property
    def all_predicates(self) -> tuple[Term, ...]:
        """The predicates of terms that have texts."""
        return (*self.direct, *(way for way, _ in self.to_nodes))


def texts(
    terms: Sequence[Term], predicates: TextPredicates, languages: Sequence[str], scope: Scope
) -> Query:
    """The IRIs, and the literals in one of the languages, that terms have by some predicates."""
    text = (
        f"SELECT DISTINCT ?n ?p ?v WHERE {{ {values('?n', zip(terms))} "
        f"{_texts('?n ?p ?v', predicates, languages, scope)} }} LIMIT {MOST_ROWS}"
    )
    return Query(text, ("n", "p", "v"), MOST_ROWS)


def texts_around(
    nodes: Sequence[Term],
    predicates: TextPredicates,
    languages: Sequence[str],
    scope: Scope,
    most_per_node: int,
) -> Query:
    """The rows of `texts` for what `most_per_node` triples of every node lead to, either way."""
    patterns: list[str] = []
    for node in map(spell, nodes):
        triples = (f"?n ?p {node} .", f"{node} ?p ?n .")
        for triple in triples if node.startswith("<") else triples[:1]:
            inner = f"SELECT DISTINCT ?n WHERE {{ {in_graphs(scope, triple)} FILTER(isIRI(?n)) }}"
            patterns.append(f"{{ {inner} LIMIT {most_per_node} }}")
    nodes_around = f"SELECT DISTINCT ?n WHERE {{ {' UNION '.join(patterns)} }}"
    text = (
        f"SELECT DISTINCT ?n ?p ?v WHERE {{ {{ {nodes_around} }}"
        f" {_texts('?n ?p ?v', predicates, languages, scope)} }} LIMIT {MOST_ROWS}"
    )
    return Query(text, ("n", "p", "v"), MOST_ROWS)


def any_text(terms: Sequence[Term], predicates: TextPredicates, scope: Scope) -> Query:
    """The first literal that is not blank, by its text, of each term and predicate."""
    text = (
        f"SELECT ?n ?p (MIN(STR(?v)) AS ?text) WHERE {{ {values('?n', zip(terms))} "
        f"{_valued('?n ?p ?v', predicates, scope)} FILTER(isLiteral(?v)) "
        'FILTER(REGEX(STR(?v), "\\\\S")) } GROUP BY ?n ?p'
    )
    return Query(text, ("n", "p", "text"))


def used_relations(terms: Sequence[Term], scope: Scope) -> Query:
    """Which terms are the relation of some triple."""
    return Query(
        f"SELECT ?n WHERE {{ {values('?n', zip(terms))} "
        f"FILTER EXISTS {{ {in_graphs(scope, '?s ?n ?o .')} }} }}",
        ("n",),
    )


def roles(terms: Sequence[Term], scope: Scope, most: int) -> Query:
    """How many of the first triples of each term in each role have which relation.

    Rows are the number of the term, its role ("out", "in", "use"), the relation and how many.
    """
    patterns: list[str] = []
    for index, term in enumerate(terms):
        spelled = spell(term)
        ends = [
            ("in", "?s ?p", f"?s ?p {spelled} .", ""),
            ("out", "?p ?o", f"{spelled} ?p ?o .", ""),
            ("use", "?s ?o", f"?s {spelled} ?o .", f"BIND({spelled} AS ?p)"),
        ]
        for way, names, triple, bound in ends if term.startswith("<") else ends[:1]:
            inner = f"SELECT DISTINCT {names} WHERE {{ {in_graphs(scope, triple)} }} LIMIT {most}"
            patterns.append(
                f'{{ {{ {inner} }} {bound} BIND("{index}" AS ?i) BIND("{way}" AS ?d) }}'
            )
    return Query(
        f"SELECT ?i ?d ?p (COUNT(*) AS ?count) WHERE {{ {' UNION '.join(patterns)} }} "
        "GROUP BY ?i ?d ?p",
        ("i", "d", "p", "count"),
    )


def members(classes: Sequence[Term], types: Sequence[Term], scope: Scope, most: int) -> Query:
    """How many members each class has, up to a number. Rows are the number of the class, and it."""
    patterns: list[str] = []
    for index, term in enumerate(classes):
        triple = in_graphs(scope, f"?x ?p {spell(term)} .")
        inner = f"SELECT DISTINCT ?x ?p WHERE {{ {values('?p', zip(types))} {triple} }}"
        patterns.append(f'{{ {{ {inner} LIMIT {most} }} BIND("{index}" AS ?i) }}')
    return Query(
        f"SELECT ?i (COUNT(*) AS ?count) WHERE {{ {' UNION '.join(patterns)} }} GROUP BY ?i",
        ("i", "count"),
    )


def spelled(
    texts: Iterable[str],
    predicates: TextPredicates,
    about: TextPredicates,
    languages: Sequence[str],
    scope: Scope,
) -> Query:
    """The IRIs that have exactly one of these texts, in one of the languages, by a predicate.

    With each come its rows of `texts` by the predicates `about`, where it has any.
    """
    literals = [
        to_term(ox.Literal(text, language=language) if language else ox.Literal(text))
        for text in texts
        for language in languages
    ]
    given = values("?v", zip(literals))
    bearers = (
        f"SELECT DISTINCT ?v ?p ?n WHERE {{ {_valued('?n ?p ?v', predicates, scope, given)} "
        f"FILTER(isIRI(?n)) }}"
    )
    told_of = _texts("?n ?q ?w", about, languages, scope)
    text = (
        f"SELECT DISTINCT ?v ?p ?n ?q ?w WHERE {{ {{ {bearers} LIMIT {MOST_ROWS} }} "
        f"OPTIONAL {{ {told_of} }} }} LIMIT {MOST_ROWS}"
    )
    return Query(text, ("v", "p", "n", "q", "w"), MOST_ROWS)


def relations(scope: Scope, most: int) -> Query:
    """Some relations of facts."""
    where = f"{in_graphs(scope, '?s ?p ?o .')} {without_skipped(scope)} {without_links(scope)}"
    return Query(f"SELECT DISTINCT ?p WHERE {{ {where} }} LIMIT {most}", ("p",), most)


def classes(types: Sequence[Term], scope: Scope, most: int) -> Query:
    """Some classes that have members."""
    text = (
        f"SELECT DISTINCT ?c WHERE {{ {values('?p', zip(types))} {in_graphs(scope, '?x ?p ?c .')} "
        f"FILTER(isIRI(?c)) }} LIMIT {most}"
    )
    return Query(text, ("c",), most)


def listed_with_texts(
    listed: Query, predicates: TextPredicates, languages: Sequence[str], scope: Scope
) -> Query:
    """The terms of a query for one variable, and the rows of `texts` of those that have any."""
    (name,) = listed.variables
    told_of = _texts(f"?{name} ?q ?w", predicates, languages, scope)
    text = (
        f"SELECT DISTINCT ?{name} ?q ?w WHERE {{ {{ {listed.text} }} OPTIONAL {{ {told_of} }} }} "
        f"LIMIT {MOST_ROWS}"
    )
    return Query(text, (name, "q", "w"), MOST_ROWS)


def _texts(triple: str, predicates: TextPredicates, languages: Sequence[str], scope: Scope) -> str:
    """A pattern of three variables, for IRIs and for literals in one of the languages."""
    value = triple.split()[2]
    wanted = " || ".join([f"isIRI({value})", *(_speaks(value, tag) for tag in languages)])
    return f"{_valued(triple, predicates, scope)} FILTER({wanted})"


def _valued(triple: str, predicates: TextPredicates, scope: Scope, bound: str = "") -> str:
    """A pattern of three variables, of terms with what they have by the predicates."""
    term, predicate, value = triple.split()
    is_direct = _predicate_filter(predicate, predicates.direct)
    direct = f"{bound} {in_graphs(scope, f'{triple} .')} {is_direct}"
    if not predicates.to_nodes:
        return direct
    patterns = [direct]
    for way, text in predicates.to_nodes:
        node = f"{term} {spell(way)} {value}node . {value}node {spell(text)} {value} ."
        patterns.append(f"{bound} {in_graphs(scope, node)} BIND({spell(way)} AS {predicate})")
    return " UNION ".join(f"{{ {part} }}" for part in patterns)


def _predicate_filter(name: str, predicates: Iterable[Term]) -> str:
    """A filter, because engines that join with a second list read all triples of its members."""
    return f"FILTER({name} IN ({', '.join(map(spell, predicates))}))"


def _speaks(name: str, language: str) -> str:
    if not language:
        return f'LANG({name}) = ""'
    return f"LANGMATCHES(LANG({name}), {spell(to_term(ox.Literal(language)))})"
