"""SELECT queries about the names, classes and roles of terms."""

from collections.abc import Iterable, Sequence

import pyoxigraph as ox

from ...nodes import to_term
from ...terms import Term
from .queries import Query, Scope, spell, values, within, without_skipped

MOST_ROWS = 10_001


def texts(
    terms: Sequence[Term], predicates: Sequence[Term], languages: Sequence[str], scope: Scope
) -> Query:
    """The IRIs, and the literals in one of the languages, that terms have by some predicates."""
    wanted = " || ".join(["isIRI(?v)", *map(_speaks, languages)])
    text = (
        f"SELECT DISTINCT ?n ?p ?v WHERE {{ {values('?n', zip(terms))} "
        f"{within(scope, '?n ?p ?v .')} {_by(predicates)} FILTER({wanted}) }} "
        f"LIMIT {MOST_ROWS}"
    )
    return Query(text, ("n", "p", "v"), MOST_ROWS)


def any_text(terms: Sequence[Term], predicates: Sequence[Term], scope: Scope) -> Query:
    """The first literal, by its text, that each term has by each of some predicates."""
    text = (
        f"SELECT ?n ?p (MIN(STR(?v)) AS ?text) WHERE {{ {values('?n', zip(terms))} "
        f"{within(scope, '?n ?p ?v .')} {_by(predicates)} FILTER(isLiteral(?v)) }} "
        "GROUP BY ?n ?p"
    )
    return Query(text, ("n", "p", "text"))


def used(terms: Sequence[Term], scope: Scope) -> Query:
    """Which terms are the relation of some triple."""
    return Query(
        f"SELECT ?n WHERE {{ {values('?n', zip(terms))} "
        f"FILTER EXISTS {{ {within(scope, '?s ?n ?o .')} }} }}",
        ("n",),
    )


def roles(terms: Sequence[Term], scope: Scope, most: int) -> Query:
    """How many of the first triples of each term in each role have which relation.

    Rows are the number of the term, its role ("out", "in", "use"), the relation and how many.
    """
    parts: list[str] = []
    for index, term in enumerate(terms):
        spelled = spell(term)
        ends = [
            ("in", "?s ?p", f"?s ?p {spelled} .", ""),
            ("out", "?p ?o", f"{spelled} ?p ?o .", ""),
            ("use", "?s ?o", f"?s {spelled} ?o .", f"BIND({spelled} AS ?p)"),
        ]
        for way, names, triple, bound in ends if term.startswith("<") else ends[:1]:
            inner = f"SELECT DISTINCT {names} WHERE {{ {within(scope, triple)} }} LIMIT {most}"
            parts.append(f'{{ {{ {inner} }} {bound} BIND("{index}" AS ?i) BIND("{way}" AS ?d) }}')
    return Query(
        f"SELECT ?i ?d ?p (COUNT(*) AS ?count) WHERE {{ {' UNION '.join(parts)} }} "
        "GROUP BY ?i ?d ?p",
        ("i", "d", "p", "count"),
    )


def members(classes: Sequence[Term], types: Sequence[Term], scope: Scope, most: int) -> Query:
    """How many members each class has, up to a number. Rows are the number of the class, and it."""
    parts: list[str] = []
    for index, term in enumerate(classes):
        triple = within(scope, f"?x ?p {spell(term)} .")
        inner = f"SELECT DISTINCT ?x ?p WHERE {{ {values('?p', zip(types))} {triple} }}"
        parts.append(f'{{ {{ {inner} LIMIT {most} }} BIND("{index}" AS ?i) }}')
    return Query(
        f"SELECT ?i (COUNT(*) AS ?count) WHERE {{ {' UNION '.join(parts)} }} GROUP BY ?i",
        ("i", "count"),
    )


def spelled(
    written: Iterable[str], predicates: Sequence[Term], languages: Sequence[str], scope: Scope
) -> Query:
    """The IRIs that have exactly one of these texts, in one of the languages, by a predicate."""
    literals = [
        to_term(ox.Literal(text, language=language) if language else ox.Literal(text))
        for text in written
        for language in languages
    ]
    text = (
        f"SELECT DISTINCT ?v ?p ?t WHERE {{ {values('?v', zip(literals))} "
        f"{within(scope, '?t ?p ?v .')} {_by(predicates)} FILTER(isIRI(?t)) }} "
        f"LIMIT {MOST_ROWS}"
    )
    return Query(text, ("v", "p", "t"), MOST_ROWS)


def relations(scope: Scope, most: int) -> Query:
    """Some relations of facts."""
    where = f"{within(scope, '?s ?p ?o .')} {without_skipped(scope)}"
    return Query(f"SELECT DISTINCT ?p WHERE {{ {where} }} LIMIT {most}", ("p",), most)


def classes(types: Sequence[Term], scope: Scope, most: int) -> Query:
    """Some classes that have members."""
    text = (
        f"SELECT DISTINCT ?c WHERE {{ {values('?p', zip(types))} {within(scope, '?x ?p ?c .')} "
        f"FILTER(isIRI(?c)) }} LIMIT {most}"
    )
    return Query(text, ("c",), most)


def _by(predicates: Iterable[Term]) -> str:
    """A filter, because engines that join with a second list read all triples of its members."""
    return f"FILTER(?p IN ({', '.join(map(spell, predicates))}))"


def _speaks(language: str) -> str:
    if not language:
        return 'LANG(?v) = ""'
    return f"LANGMATCHES(LANG(?v), {spell(to_term(ox.Literal(language)))})"
