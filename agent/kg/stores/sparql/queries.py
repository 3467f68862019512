"""SELECT queries, made of fixed text and serialised terms and nothing else."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pyoxigraph as ox

from ...nodes import to_node, to_term
from ...profile import Profile
from ...terms import REIFIES, XSD, Term, Triple, is_triple_term, triple_of

_ESCAPES = {
    "\\": "\\\\",
    '"': '\\"',
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
    "\0": "\\U00000000",
    "\\u": "\\\\\\U00000075",
    "\\U": "\\\\\\U00000055",
}
_UNSAFE = re.compile(r'\\[uU]|[\\"\n\r\t\x08\f\0]')
_NUMBER = "[+-]?[0-9][0-9.,]*"
_XSD_STRING = ox.NamedNode(f"{XSD}string")


class Query(NamedTuple):
    """The text of a query, the variables that it selects, and the most rows that it allows.

    `with_blanks` asks for the blank nodes of the answer too, which mean nothing outside it.
    """

    text: str
    variables: tuple[str, ...]
    limit: int | None = None
    with_blanks: bool = False


class Scope(NamedTuple):
    """What of an endpoint is read: its default graph or some named ones, without some relations.

    Relations are left out by name (`skipped`) or by the beginning of their terms (`prefixes`).
    Those of `links` are no facts to or from blank nodes.
    """

    graphs: tuple[Term, ...] = ()
    skipped: tuple[Term, ...] = ()
    prefixes: tuple[str, ...] = ()
    links: tuple[Term, ...] = ()

    @classmethod
    def of_facts(cls, graphs: tuple[Term, ...], profile: Profile) -> "Scope":
        """What a profile takes for facts."""
        skipped, links = tuple(sorted(profile.skipped)), tuple(sorted(profile.through))
        return cls(graphs, skipped, profile.skipped_prefixes, links)


class Pattern(NamedTuple):
    """A triple pattern; None is open. Open ends are not matched with blank nodes."""

    head: Term | None = None
    relation: Term | None = None
    tail: Term | None = None

    @property
    def open(self) -> tuple[str, ...]:
        """The variables of the open places."""
        return tuple(name for name, term in zip(("s", "p", "o"), self, strict=True) if term is None)


def spell(term: Term) -> str:
    """A term as SPARQL spells it. Raises ValueError for what is no term or cannot be asked about.

    That is so of blank nodes, which a query cannot name, and of literals with a base direction. A
    triple term is spelled as in SPARQL 1.2. A `u` after a backslash is escaped too: some engines
    expand codepoint escapes (SPARQL 1.1, section 19.2) before they read strings.
    """
    if is_triple_term(term):
        return f"<<( {' '.join(map(spell, triple_of(term)))} )>>"
    node = to_node(term)
    if isinstance(node, ox.NamedNode):
        return f"<{node.value}>"
    if isinstance(node, ox.BlankNode) or node.direction is not None:
        raise ValueError(f"no query can name {term[:80]}")
    text = _UNSAFE.sub(lambda match: _ESCAPES[match[0]], node.value)
    if node.language is not None:
        return f'"{text}"@{node.language}'
    return f'"{text}"' if node.datatype == _XSD_STRING else f'"{text}"^^<{node.datatype.value}>'


def can_ask(term: Term) -> bool:
    """Whether any query can name the term, of SPARQL 1.1 too: no triple term."""
    return not is_triple_term(term) and can_spell(term)


def can_spell(term: Term) -> bool:
    """Whether a query of SPARQL 1.2 can name the term."""
    try:
        spell(term)
    except ValueError:
        return False
    return True


def values(variables: str, rows: Iterable[Sequence[Term]]) -> str:
    """Inline data for `?a ?b` (SPARQL 1.1, section 10)."""
    lines = " ".join(f"({' '.join(map(spell, row))})" for row in rows)
    return f"VALUES ({variables}) {{ {lines} }}"


def inline(variables: str, rows: Iterable[Sequence[Term]]) -> str:
    """Inline data that an OPTIONAL part may follow: to rdflib, VALUES alone binds nothing there."""
    return f"{{ SELECT {variables} WHERE {{ {values(variables, rows)} }} }}"


def in_graphs(scope: Scope, pattern: str) -> str:
    """A pattern of triples in the graphs of the scope.

    GRAPH is used, and not FROM, which some engines take as a request to fetch from the web.
    """
    if not scope.graphs:
        return pattern
    if len(scope.graphs) == 1:
        return f"GRAPH {spell(scope.graphs[0])} {{ {pattern} }}"
    return f"{values('?g', zip(scope.graphs))} GRAPH ?g {{ {pattern} }}"


def without_skipped(scope: Scope) -> str:
    """The filters that leave out what is no fact."""
    filters: list[str] = []
    if scope.skipped:
        filters.append(f"FILTER(?p NOT IN ({', '.join(map(spell, scope.skipped))}))")
    for prefix in scope.prefixes:
        text = spell(to_term(ox.Literal(prefix.removeprefix("<"))))
        filters.append(f"FILTER(!STRSTARTS(STR(?p), {text}))")
    return " ".join(filters)


def without_links(scope: Scope) -> str:
    """The filter that leaves out what of `?s ?p ?o` only leads to a node that says a fact."""
    if not scope.links:
        return ""
    links = ", ".join(map(spell, scope.links))
    return f"FILTER(?p NOT IN ({links}) || !(isBlank(?s) || isBlank(?o)))"


def edges(
    heads: Sequence[Term],
    tails: Sequence[Term],
    relation: Term | None,
    scope: Scope,
    limit: int,
) -> Query:
    """What leaves `heads` and what reaches `tails`, by one relation or any in the scope.

    Rows are the direction ("out", "in"), the node, the relation and the other end.
    """
    link = spell(relation) if relation else "?p"
    patterns = [
        f"{{ {values('?n', zip(nodes))} {in_graphs(scope, triple)} BIND({way} AS ?d) }}"
        for way, nodes, triple in (
            ('"out"', heads, f"?n {link} ?t ."),
            ('"in"', tails, f"?t {link} ?n ."),
        )
        if nodes
    ]
    chosen = f"BIND({link} AS ?p)" if relation else without_skipped(scope)
    text = (
        f"SELECT DISTINCT ?d ?n ?p ?t WHERE {{ {' UNION '.join(patterns)} {chosen} "
        f"FILTER(!isBlank(?t)) }} LIMIT {limit}"
    )
    return Query(text, ("d", "n", "p", "t"), limit)


def surroundings(nodes: Sequence[Term], scope: Scope, most_per_node: int) -> Query:
    """At most `most_per_node` triples of any relation that leave every node, and as many to it.

    Rows are those of `edges`.
    """
    patterns: list[str] = []
    for node in map(spell, nodes):
        ways = (("in", f"?t ?p {node} ."), ("out", f"{node} ?p ?t ."))
        for way, triple in ways if node.startswith("<") else ways[:1]:
            pattern = in_graphs(scope, triple)
            inner = f"SELECT DISTINCT ?p ?t WHERE {{ {pattern} }} LIMIT {most_per_node}"
            patterns.append(f'{{ {{ {inner} }} BIND("{way}" AS ?d) BIND({node} AS ?n) }}')
    return Query(f"SELECT ?d ?n ?p ?t WHERE {{ {' UNION '.join(patterns)} }}", ("d", "n", "p", "t"))


def _members(class_: str, types: Sequence[Term], scope: Scope, most: int) -> str:
    """The first members of a class that have names, as `?x`."""
    of_class = in_graphs(scope, f"?x ?k {class_} .")
    return (
        f"SELECT DISTINCT ?x WHERE {{ {values('?k', zip(types))} {of_class} "
        f"FILTER(!isBlank(?x)) }} LIMIT {most}"
    )


def about_members(classes: Sequence[Term], types: Sequence[Term], scope: Scope, most: int) -> Query:
    """Of the first members of every class: which relations leave and reach them, their classes.

    Rows are the number of the class, what is told ("out", "in", "is") and the relation or class.
    """
    patterns: list[str] = []
    kinds = ", ".join(map(spell, types))
    for index, term in enumerate(map(spell, classes)):
        members = _members(term, types, scope, most)
        for way, name, triple, condition in (
            ("out", "?p", "?x ?p ?t .", "!isBlank(?t)"),
            ("in", "?p", "?t ?p ?x .", "!isBlank(?t)"),
            ("is", "?t", "?x ?p ?t .", f"?p IN ({kinds})"),
        ):
            there = f"{{ {members} }} {in_graphs(scope, triple)} FILTER({condition})"
            inner = f"SELECT DISTINCT ({name} AS ?term) WHERE {{ {there} }}"
            patterns.append(f'{{ {{ {inner} }} BIND("{index}" AS ?i) BIND("{way}" AS ?d) }}')
    return Query(f"SELECT ?i ?d ?term WHERE {{ {' UNION '.join(patterns)} }}", ("i", "d", "term"))


def ends_of_members(
    classes: Sequence[Term], types: Sequence[Term], scope: Scope, most: int
) -> Query:
    """Where the relations of the first members of every class lead.

    Rows are the number of the class, the direction ("out", "in"), the relation, a class of what is
    there, and in its place a datatype where that is a literal.
    """
    patterns: list[str] = []
    kinds = ", ".join(map(spell, types))
    for index, term in enumerate(map(spell, classes)):
        members = _members(term, types, scope, most)
        typed = f"FILTER(?q IN ({kinds})) FILTER(isIRI(?c))"
        for way, triples, ends in (
            ("out", "?x ?p ?t . ?t ?q ?c .", typed),
            ("in", "?t ?p ?x . ?t ?q ?c .", typed),
            ("out", "?x ?p ?t .", "FILTER(isLiteral(?t)) BIND(DATATYPE(?t) AS ?u)"),
        ):
            names = "?p ?u" if "?u" in ends else "?p ?c"
            there = f"{{ {members} }} {in_graphs(scope, triples)} {ends}"
            inner = f"SELECT DISTINCT {names} WHERE {{ {there} }}"
            patterns.append(f'{{ {{ {inner} }} BIND("{index}" AS ?i) BIND("{way}" AS ?d) }}')
    text = f"SELECT ?i ?d ?p ?c ?u WHERE {{ {' UNION '.join(patterns)} }}"
    return Query(text, ("i", "d", "p", "c", "u"))


def written(relation: Term, scope: Scope, most: int) -> Query:
    """The datatypes of at most so many values of a relation, and amounts that are texts.

    A row has a datatype, and a text such as `1 kg` for all that differ from it in the number alone;
    an empty text for other values.
    """
    values_of = (
        f"SELECT ?t WHERE {{ {in_graphs(scope, f'?h {spell(relation)} ?t .')} }} LIMIT {most}"
    )
    unit_after = f'CONCAT("1", REPLACE(STR(?t), "^{_NUMBER}", ""))'
    unit_before = f'REPLACE(STR(?t), "{_NUMBER}$", "1")'
    amount = (
        f'IF(?u != <{XSD}string>, "", IF(REGEX(STR(?t), "^{_NUMBER}[^0-9]{{1,20}}[23]?$"), '
        f'{unit_after}, IF(REGEX(STR(?t), "^[^0-9]{{1,4}}{_NUMBER}$"), {unit_before}, "")))'
    )
    text = (
        f"SELECT DISTINCT ?u ?v WHERE {{ {{ {values_of} }} "
        f"FILTER(isLiteral(?t)) BIND(DATATYPE(?t) AS ?u) BIND({amount} AS ?v) }}"
    )
    return Query(text, ("u", "v"))


def relations_at(nodes: Sequence[Term], inverse: bool, scope: Scope, limit: int) -> Query:
    """The relations in the scope by which something leaves nodes, or with `inverse` reaches them.

    Rows are the node and the relation.
    """
    triple = "?t ?p ?n ." if inverse else "?n ?p ?t ."
    text = (
        f"SELECT DISTINCT ?n ?p WHERE {{ {values('?n', zip(nodes))} {in_graphs(scope, triple)} "
        f"{without_skipped(scope)} FILTER(!isBlank(?t)) }} LIMIT {limit}"
    )
    return Query(text, ("n", "p"), limit)


def first_edges(ways: Sequence[tuple[Term, Term, bool]], scope: Scope, most: int) -> Query:
    """At most `most` edges of every way: a node, a relation and whether to its head.

    Rows are those of `edges`.
    """
    patterns: list[str] = []
    for node, relation, inverse in ways:
        pattern = Pattern(None, relation, node) if inverse else Pattern(node, relation, None)
        way, variable = ("in", "s") if inverse else ("out", "o")
        inner = (
            f"SELECT DISTINCT ?{variable} WHERE {{ {_where_pattern(pattern, scope)} }} LIMIT {most}"
        )
        patterns.append(
            f'{{ {{ {inner} }} BIND("{way}" AS ?d) BIND({spell(node)} AS ?n) '
            f"BIND({spell(relation)} AS ?p) BIND(?{variable} AS ?t) }}"
        )
    return Query(f"SELECT ?d ?n ?p ?t WHERE {{ {' UNION '.join(patterns)} }}", ("d", "n", "p", "t"))


def reifying(subjects: Sequence[Term], scope: Scope, limit: int) -> Query:
    """What reifies triples of subjects, in SPARQL 1.2: the triples, and their reifiers."""
    pattern = in_graphs(scope, f"?t {REIFIES} <<( ?s ?p ?o )>> .")
    text = (
        f"SELECT DISTINCT ?s ?p ?o ?t WHERE {{ {values('?s', zip(subjects))} {pattern} "
        f"FILTER(!isBlank(?t)) }} LIMIT {limit}"
    )
    return Query(text, ("s", "p", "o", "t"), limit)


def matches(pattern: Pattern, scope: Scope, limit: int) -> Query:
    """The open ends of a pattern, in the order in which the endpoint finds them."""
    text = f"SELECT DISTINCT {_names(pattern.open)} WHERE {{ {_where_pattern(pattern, scope)} }}"
    return Query(f"{text} LIMIT {limit}", pattern.open, limit)


def some_heads(scope: Scope, limit: int) -> Query:
    """The heads of some triples without blank nodes, one for each triple."""
    text = f"SELECT ?s WHERE {{ {_where_pattern(Pattern(), Scope(scope.graphs))} }} LIMIT {limit}"
    return Query(text, ("s",), limit)


def count(pattern: Pattern, scope: Scope) -> Query:
    """How many rows `matches` has without a limit."""
    inner = f"SELECT DISTINCT {_names(pattern.open)} WHERE {{ {_where_pattern(pattern, scope)} }}"
    return counting(Query(inner, pattern.open))


def counting(query: Query) -> Query:
    """How many rows a query has."""
    return Query(f"SELECT (COUNT(*) AS ?count) WHERE {{ {{ {query.text} }} }}", ("count",))


def page(pattern: Pattern, scope: Scope, after: Sequence[Term], limit: int) -> Query:
    """The rows of `matches` from a place on, in an order that every engine agrees on.

    Each row ends with its keys, the texts of its open ends; `after` are those of the last row seen,
    which comes again with whatever has the same texts.
    """
    keys = tuple(f"k{name}" for name in pattern.open)
    bound = " ".join(f"BIND(STR(?{name}) AS ?k{name})" for name in pattern.open)
    names = pattern.open + keys
    text = (
        f"SELECT DISTINCT {_names(names)} WHERE {{ {_where_pattern(pattern, scope)} {bound} "
        f"{_not_before(keys, after)} }} ORDER BY {_names(keys)} LIMIT {limit}"
    )
    return Query(text, names, limit)


def relation_counts(scope: Scope) -> Query:
    """Every relation of the scope and how many triples have it, blank nodes included."""
    text = f"SELECT ?p (COUNT(*) AS ?count) WHERE {{ {_triples(scope)} }} GROUP BY ?p"
    return Query(text, ("p", "count"))


def count_triples(scope: Scope) -> Query:
    """How many triples there are, blank nodes included."""
    return Query(f"SELECT (COUNT(*) AS ?count) WHERE {{ {_triples(scope)} }}", ("count",))


def count_entities(scope: Scope) -> Query:
    """How many IRIs and blank nodes the triples of the scope connect."""
    skipped = without_skipped(scope)
    ends = (
        in_graphs(scope, "?e ?p ?o ."),
        f"{in_graphs(scope, '?s ?p ?e .')} FILTER(!isLiteral(?e))",
    )
    text = " UNION ".join(f"{{ {end} {skipped} }}" for end in ends)
    return Query(f"SELECT (COUNT(DISTINCT ?e) AS ?count) WHERE {{ {text} }}", ("count",))


def holding(triples: Sequence[Triple], scope: Scope) -> Query:
    """Which triples there are: rows with the triple itself, and "yes" where it is there.

    So an answer without the row of a triple is known to say nothing of it, and an endpoint that
    reads a term otherwise than it was meant shows it. NOT EXISTS would say no in so many words, but
    Virtuoso gets it wrong next to VALUES. A triple has as many rows as graphs hold it.
    """
    rows = [(f'"{number}"', *triple) for number, triple in enumerate(triples)]
    asked = inline("?i ?s ?p ?o", rows)
    there = in_graphs(scope, "?s ?p ?o .")
    text = (
        f'SELECT ?i ?held ?s ?p ?o WHERE {{ {asked} OPTIONAL {{ {there} BIND("yes" AS ?held) }} }}'
    )
    return Query(text, ("i", "held", "s", "p", "o"))


def occurrences(triple: Triple, scope: Scope) -> Query:
    """How many graphs hold a triple, in one row with the triple itself.

    The simplest way to ask, for what an engine does not answer clearly among others.
    """
    terms = [spell(term) for term in triple]
    there = in_graphs(scope, f"{' '.join(terms)} .")
    bound = " ".join(f"BIND({term} AS ?{name})" for name, term in zip("spo", terms, strict=True))
    text = (
        f"SELECT ?count ?s ?p ?o WHERE {{ {{ SELECT (COUNT(*) AS ?count) WHERE {{ {there} }} }} "
        f"{bound} }}"
    )
    return Query(text, ("count", "s", "p", "o"), 2)


def literals(sides: Sequence[tuple[Term, Term]], scope: Scope, limit: int) -> Query:
    """The literals to which relations lead from heads: rows with the head, relation and literal.

    Each head with its relation has a row at least, and one row has nothing but the count of all
    others, by which an answer is known to be whole.
    """
    rows = [(f'"{number}"', *side) for number, side in enumerate(sides)]
    there = in_graphs(scope, "?s ?p ?o .")
    pattern = f"{inline('?i ?s ?p', rows)} OPTIONAL {{ {there} FILTER(isLiteral(?o)) }}"
    text = (
        f"SELECT ?count ?i ?s ?p ?o WHERE {{ {{ {pattern} }} UNION "
        f"{{ SELECT (COUNT(*) AS ?count) WHERE {{ {pattern} }} }} }} LIMIT {limit}"
    )
    return Query(text, ("count", "i", "s", "p", "o"), limit)


def _triples(scope: Scope) -> str:
    """All triples; those of several graphs each once, which takes an endpoint much longer."""
    triples = f"{in_graphs(scope, '?s ?p ?o .')} {without_skipped(scope)} {without_links(scope)}"
    if len(scope.graphs) < 2:
        return triples
    return f"{{ SELECT DISTINCT ?s ?p ?o WHERE {{ {triples} }} }}"


def _where_pattern(pattern: Pattern, scope: Scope) -> str:
    triple = " ".join(
        spell(term) if term else f"?{name}"
        for name, term in zip(("s", "p", "o"), pattern, strict=True)
    )
    named = " ".join(f"FILTER(!isBlank(?{name}))" for name in pattern.open if name != "p")
    skipped = "" if pattern.relation else without_skipped(scope)
    return f"{in_graphs(scope, triple + ' .')} {named} {skipped}"


def _not_before(keys: Sequence[str], after: Sequence[Term]) -> str:
    """Rows not before `after`, in the order of the keys."""
    if not after:
        return ""
    cases: list[str] = []
    for index, (key, term) in enumerate(zip(keys, after, strict=True)):
        sign = ">=" if index == len(keys) - 1 else ">"
        equal = [f"?{k} = {spell(a)}" for k, a in zip(keys[:index], after[:index], strict=True)]
        cases.append(f"({' && '.join([*equal, f'?{key} {sign} {spell(term)}'])})")
    return f"FILTER({' || '.join(cases)})"


def _names(names: Sequence[str]) -> str:
    return " ".join(f"?{name}" for name in names)
