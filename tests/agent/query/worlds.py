# pyright: reportUnknownLambdaType=false
"""Random small graphs that are hard to ask about, and random valid queries over them.

Everything of `docs/queries.md` is drawn but units, connections and earlier answers. Names in a tree
are terms, so that a query is bound without a graph.
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any, TypeAlias

import pyoxigraph as ox
from groundwalk.agent.kg.nodes import to_term
from groundwalk.agent.kg.profile import GENERIC
from groundwalk.agent.kg.terms import Term, Triple
from groundwalk.agent.query.binding import Bound, Mention
from groundwalk.agent.query.tree import read_query
from hypothesis import strategies as st

from .oracle import SUBCLASS

Tree: TypeAlias = dict[str, Any]

E = "http://e.x/"
RDF_TYPE, KIND = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", f"<{E}kind>"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
NAME = "<http://www.w3.org/2004/02/skos/core#prefLabel>"
PROFILE = replace(GENERIC, types=(*GENERIC.types, KIND))
XSD = "http://www.w3.org/2001/XMLSchema#"

THINGS = [f"<{E}{name}>" for name in ("a", "b", "c", "d", "e_e", "%7D'()*?q=1&r=%22")]
CLASSES = [f"<{E}{name}>" for name in ("One", "Two", "Three")]
LINKS = [f"<{E}{name}>" for name in ("link", "part%7B")]
SIZE, BORN, MIXED, SAID = (f"<{E}{name}>" for name in ("size", "born", "mixed", "said"))
VALUES = [SIZE, BORN, MIXED, SAID]

NAMES = [
    "Alpha",
    "alpha beta",
    "BETA",
    "Straße",
    "STRASSE",
    "été",
    "12",
    "",
    'q"uote\\',
    "} UNION { ?s ?p ?o",
    "?answer ?x1 .",
    "a\nb\tc",
    "\\u0022 } #",
    "[a-z]+$1",
]
NUMBERS = [
    f'"{text}"^^<{XSD}{kind}>'
    for text, kind in (
        *((str(number), "integer") for number in (-1, 0, 1, 2, 3, 2000)),
        *((text, "decimal") for text in ("0.5", "1.5", "2.25")),
        *((text, "double") for text in ("1.0E0", "2.5E0", "2.0E3")),
    )
]
DATES = [
    f'"{text}"^^<{XSD}{kind}>'
    for text, kind in (
        *(
            (text, "date")
            for text in ("1999-12-31", "2000-01-10", "2000-02-10", "2000-01-10-05:00")
        ),
        *((text, "dateTime") for text in ("2000-01-10T00:00:00", "2000-01-10T10:30:00")),
        *((text, "dateTime") for text in ("2000-02-10T10:30:00Z", "-0500-03-15T00:00:00Z")),
        *((text, "gYear") for text in ("1999", "2000", "0950", "-0447")),
        *((text, "gYearMonth") for text in ("2000-01", "2000-02")),
    )
]


def text(words: str, language: str = "") -> Term:
    """A text as a term."""
    return to_term(ox.Literal(words, language=language or None))


def _literal(random: Random, relation: Term) -> Term:
    if relation == SAID:
        return text(random.choice(NAMES), random.choice(["", "", "en", "en-gb", "de"]))
    if relation == MIXED:
        relation = random.choice([SIZE, BORN, SAID])
        return _literal(random, relation)
    return random.choice(NUMBERS if relation == SIZE else DATES)


def _triple(random: Random) -> Triple:
    head, kind = random.choice(THINGS), random.randrange(10)
    if kind < 1:
        return Triple(head, random.choice([LABEL, NAME]), _literal(random, SAID))
    if kind < 3 and random.random() < 0.2:
        return Triple(random.choice(CLASSES), SUBCLASS, random.choice(CLASSES))
    if kind < 3:
        return Triple(head, random.choice([RDF_TYPE, KIND]), random.choice(CLASSES))
    if kind < 6:
        return Triple(head, random.choice(LINKS), random.choice(THINGS))
    relation = random.choice(VALUES)
    return Triple(head, relation, _literal(random, relation))


def graph(seed: int, size: int) -> list[Triple]:
    """Some triples; those of a smaller size are the first of a larger one."""
    random = Random(seed)
    return list(dict.fromkeys(_triple(random) for _ in range(size)))


GRAPHS = st.builds(graph, st.integers(0, 10_000), st.integers(1, 70) | st.integers(50, 70))

MENTIONS = st.tuples(
    *(st.builds(Mention, st.sampled_from(NAMES), st.sampled_from(THINGS)) for _ in range(2)),
    st.builds(Mention, st.sampled_from(NAMES)),
)
"""Two entities, called whatever, and a text that is none."""

OPS = ["=", "!=", "<", ">", "<=", ">="]
AGGREGATES = ["sum", "avg", "min", "max"]
DAYS = [
    "2000-01-10",
    "2000-02",
    "2000",
    "1999",
    "2000-01-10T10:30:00",
    "199X",
    "20XX",
    "-0447",
    "-04XX",
]


class _Itself(dict[str, Term]):
    """Terms by their names, which are terms."""

    def __missing__(self, name: str) -> Term:
        return name


def bound(tree: Tree, mentions: Sequence[Mention] = ()) -> Bound:
    """A query whose names are terms."""
    return Bound(read_query(tree), _Itself(), _Itself(), _Itself(), tuple(mentions))


def _hop(relation: Term) -> Tree:
    return {"relation": relation}


def _optional(draw: st.DrawFn, key: str, drawn: st.SearchStrategy[Any], one_in: int) -> Tree:
    """Now and then a key with a value."""
    return {key: draw(drawn)} if draw(st.integers(1, one_in)) == one_in else {}


HOPS = st.builds(
    lambda relation, inverse: {**_hop(relation), **({"inverse": True} if inverse else {})},
    st.sampled_from(LINKS),
    st.booleans(),
)


@st.composite
def steps(draw: st.DrawFn, most: int) -> list[Tree]:
    """Hops between things, the last now and then to a value."""
    hops = draw(st.lists(HOPS, max_size=most))
    if hops and draw(st.integers(1, 4)) == 4:
        hops[-1] = _hop(draw(st.sampled_from(VALUES)))
    return hops


@st.composite
def starts(draw: st.DrawFn, depth: int) -> Any:
    plain = [
        st.sampled_from([{"class": own} for own in (*CLASSES, "anything")]),
        st.sampled_from([{"class": own} for own in (*CLASSES, "anything")]),
        st.lists(st.sampled_from([0, 1]), min_size=1, max_size=2, unique=True),
        st.sampled_from([{"domain": own} for own in (*LINKS, *VALUES)]),
        st.sampled_from([{"entity": own} for own in THINGS]),
    ]
    if depth:
        several = st.lists(sets(depth - 1), min_size=1, max_size=2)
        plain += [st.builds(lambda own: {"any": own}, several), sets(depth - 1)]
    return draw(st.one_of(plain))


@st.composite
def measures(draw: st.DrawFn, relations: Sequence[Term]) -> Tree:
    """A relation, after a hop now and then."""
    return {
        **_hop(draw(st.sampled_from(relations))),
        **_optional(draw, "via", st.lists(HOPS, min_size=1, max_size=1), 4),
    }


@st.composite
def counts(draw: st.DrawFn, depth: int) -> Tree:
    """How many there are of a relation, or of these only that are in a set."""
    among = _optional(draw, "among", sets(depth - 1), 2) if depth else {}
    return {**draw(HOPS | measures(VALUES) | st.just({})), **among, "count": True}


@st.composite
def filters(draw: st.DrawFn, depth: int) -> Tree:
    op = st.sampled_from(OPS)
    worded = st.sampled_from(["=", "!=", "starts", "ends", "contains"])
    words = st.sampled_from([*NAMES, "alpha", "strasse", "e", "e e"])
    numbers: st.SearchStrategy[Any] = st.integers(0, 2)
    kinds: list[st.SearchStrategy[Tree]] = [
        st.fixed_dictionaries(
            {"op": op, "value": st.sampled_from([0, 1, 2.5, 2000, "1", "2,000", "200X", "19xx"])}
        ),
        st.fixed_dictionaries({"op": op, "value": st.sampled_from(DAYS)}),
        st.fixed_dictionaries(
            {
                "op": op,
                "value": st.sampled_from(
                    ["2000", 1999, 990, "2000-05-05", "199X", "20XX", "-0447", "-04XX"]
                ),
                "of": st.just("year"),
            }
        ),
        st.fixed_dictionaries({"op": worded, "value": words}),
    ]
    if depth:
        inner = st.builds(
            lambda own, relation: {**own, "steps": [*own.get("steps", []), _hop(relation)]},
            starts(0).map(lambda start: {"start": start}),
            st.sampled_from([SIZE, BORN]),
        )
        asked = inner | inner.map(lambda own: {**own, "answer": "count"})
        asked |= st.builds(
            lambda own, agg: {**own, "answer": agg}, inner, st.sampled_from(AGGREGATES)
        )
        kinds.append(st.fixed_dictionaries({"op": op, "value": asked}))
        numbers |= asked
    valued = st.builds(lambda one, other: {**one, **other}, measures(VALUES), st.one_of(kinds))
    linked = st.builds(
        lambda one, other: {**one, **other},
        HOPS,
        st.fixed_dictionaries({"op": st.sampled_from(["=", "!="]), "mention": st.integers(0, 2)})
        | st.fixed_dictionaries({"op": worded, "value": words})
        | st.sampled_from([{"op": "exists"}, {"op": "not exists"}]),
    )
    itself = st.one_of(kinds) | st.fixed_dictionaries(
        {"op": st.sampled_from(["=", "!="]), "mention": st.integers(0, 2)}
    )
    counted = st.builds(
        lambda one, op, value: {**one, "op": op, "value": value},
        counts(depth),
        op,
        numbers,
    )
    return draw(valued | valued | linked | linked | itself | counted)


@st.composite
def places(draw: st.DrawFn) -> Tree:
    number = st.integers(1, 3)
    return {"most": draw(st.booleans())} | draw(
        st.just({})
        | st.builds(lambda n: {"n": n}, number)
        | st.builds(lambda n: {"place": n}, number)
    )


@st.composite
def aggregates(draw: st.DrawFn) -> Tree:
    agg = draw(st.sampled_from(["count", *AGGREGATES]))
    relation = st.sampled_from([SIZE, MIXED] if agg != "count" else [*LINKS, *VALUES])
    of = relation.map(lambda own: {"of": [_hop(own)]})
    return {"agg": agg, **draw(of if agg != "count" else st.just({}) | of)}


@st.composite
def sets(draw: st.DrawFn, depth: int) -> Tree:
    """A node, with others in it down to a depth."""
    tree: Tree = {
        "start": draw(starts(depth)),
        **_optional(draw, "steps", steps(2), 2),
        **_optional(draw, "class", st.sampled_from(CLASSES), 10),
        **_optional(draw, "filters", st.lists(filters(depth), min_size=1, max_size=2), 2),
    }
    if depth:
        for key in ("and", "not"):
            tree |= _optional(draw, key, st.lists(sets(depth - 1), min_size=1, max_size=1), 6)
    kind = draw(st.integers(1, 8))
    if kind == 8:
        having = st.builds(
            lambda own, op, value: {**own, "op": op, "value": value},
            aggregates(),
            st.sampled_from(OPS),
            st.integers(0, 3),
        )
        tree |= {"group": draw(st.lists(HOPS, min_size=1, max_size=2))}
        tree |= _optional(draw, "having", st.lists(having, min_size=1, max_size=1), 2)
        ranked = st.builds(lambda own, place: {**own, **place}, aggregates(), places())
        tree |= _optional(draw, "extreme", ranked, 2)
    elif kind >= 6:
        measured = counts(depth) | measures([SIZE, BORN, MIXED]) | st.just({})
        ranked = st.builds(lambda own, place: {**own, **place}, measured, places())
        tree |= {"extreme": draw(ranked)}
    return tree


@st.composite
def trees(draw: st.DrawFn, depth: int = 2) -> Tree:
    """A whole query, with what is told of its set."""
    tree = draw(sets(depth))
    match draw(st.sampled_from(["list", "list", "count", "number", "yesno", "columns"])):
        case "count":
            return {**tree, "answer": "count"}
        case "yesno":
            return {
                **tree,
                "answer": "yesno",
                **_optional(draw, "all", st.lists(sets(1), max_size=2), 2),
            }
        case "number":
            hops = [*draw(steps(1)), _hop(draw(st.sampled_from([SIZE, MIXED])))]
            some = {"start": tree, "steps": hops}
            some |= _optional(draw, "filters", st.lists(filters(0), min_size=1, max_size=1), 4)
            return {**some, "answer": draw(st.sampled_from(AGGREGATES))}
        case "columns":
            shown = st.builds(lambda own: {"steps": own}, steps(2).filter(bool))
            if "group" in tree:
                shown |= aggregates()
            else:
                shown |= st.builds(lambda own: {"agg": "count", "of": own}, steps(2).filter(bool))
            return {**tree, "columns": draw(st.lists(shown, min_size=1, max_size=2))}
        case _:
            return tree
