"""The queries are run, by both engines, and find what the walks found."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from groundwalk.agent.evidence import Origin, Reply, explain
from groundwalk.agent.evidence.reply import begun_at
from groundwalk.agent.evidence.sparql import answers_query, check_query
from groundwalk.agent.kg import OxigraphStore, Store, Term, Triple
from groundwalk.agent.kg.nodes import to_term
from groundwalk.agent.kg.stores.rdflib_graph import RdflibStore
from groundwalk.agent.records import Named
from hypothesis import given, settings
from hypothesis import strategies as st

from ..kg import graphs
from ..kg.sparql.asking import loaded, quad
from .replies import HOSTILE, answer, border, found, iri, named, reply, step

Rows = set[tuple[Term | None, ...]]
Engine = Callable[[str], Rows]

IRIS = st.integers(0, 3).map(lambda number: iri(f"e{number}"))
RELATIONS = st.sampled_from([iri("p"), iri("q")])
TRIPLES = (
    st.tuples(IRIS | graphs.BLANKS, RELATIONS, IRIS | graphs.BLANKS | graphs.LITERALS)
    | graphs.TRIPLES
)
GRAPHS = st.lists(TRIPLES, min_size=1, max_size=20)
YES, NO = to_term(ox.Literal(True)), to_term(ox.Literal(False))
NAMED_GRAPHS = [iri(f"g{n}") for n in range(3)]


def oxigraph(store: ox.Store) -> Engine:
    def ask(query: str) -> Rows:
        solutions = store.query(query)
        assert isinstance(solutions, ox.QuerySolutions)
        return {tuple(to_term(node) if node else None for node in row) for row in solutions}  # pyright: ignore

    return ask


def by_rdflib(graph: rdflib.Graph) -> Engine:
    def ask(query: str) -> Rows:
        found: Any = graph.query(query)
        return {tuple(term(node) if node is not None else None for node in row) for row in found}

    return ask


def term(node: object) -> Term:
    match node:
        case rdflib.URIRef():
            return f"<{node}>"
        case rdflib.BNode():
            return f"_:{node}"
        case rdflib.Literal():
            kind = ox.NamedNode(str(node.datatype)) if node.datatype else None
            own = ox.Literal(str(node), language=node.language or None, datatype=kind)
            return to_term(own)
        case _:
            raise AssertionError(node)


def engines(triples: Sequence[tuple[Term, Term, Term]]) -> Iterator[tuple[Store, Engine]]:
    store = loaded(Triple(*triple) for triple in triples)
    yield OxigraphStore(store), oxigraph(store)
    graph = rdflib.Graph().parse(data=graphs.ntriples(list(triples)), format="nt")
    yield RdflibStore(graph), by_rdflib(graph)


def ends(told: Reply) -> Rows:
    return {(own["term"],) for own in told["answers"]}


def triples_of(told: Reply) -> set[tuple[Term, ...]]:
    return {
        tuple(record[part]["term"] for part in ("head", "relation", "tail"))
        for own in told["answers"]
        for chain in own["chains"]
        for record in chain
    }


def walk(data: st.DataObject, triples: Sequence[tuple[Term, Term, Term]]) -> Reply:
    """What a relation path reaches that some walk in a graph has, from one topic or two."""
    store = OxigraphStore(loaded(Triple(*triple) for triple in triples))
    heads = [head for head, _, _ in triples if not head.startswith("_:")] or [iri("e0")]
    topics = data.draw(st.lists(st.sampled_from(heads), min_size=1, max_size=2, unique=True))
    place, relations = topics[0], list[tuple[Term, bool]]()
    for _ in range(data.draw(st.integers(1, 3))):
        ways = [step for step in store.neighbours([place])[0] if step.target not in topics]
        if ways:
            step = data.draw(st.sampled_from(ways))
            relations.append((step.triple.relation, step.inverse))
            place = step.target
    return found(store, topics, tuple(relations or [(iri("p"), False)]))


@settings(max_examples=40)
@given(GRAPHS, st.data())
def test_the_query_finds_what_the_relation_path_reaches(
    triples: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    told = walk(data, triples)
    assert oxigraph(loaded(Triple(*triple) for triple in triples))(explain("sparql", told)) == ends(
        told
    )
    if not told["answers"]:
        return
    topics = [topic["term"] for topic in told["topics"]]
    chain = told["answers"][0]["chains"][0]
    relations = tuple((record["relation"]["term"], record["inverse"]) for record in chain)
    graph = rdflib.Graph().parse(data=graphs.ntriples(triples), format="nt")
    again = found(RdflibStore(graph), topics, relations)
    assert by_rdflib(graph)(explain("sparql", again)) == ends(again)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(TRIPLES, st.integers(0, 2)), min_size=1, max_size=20),
    st.sets(st.integers(0, 2), min_size=1),
    st.data(),
)
def test_named_graphs_are_kept_to(
    quads: list[tuple[tuple[str, str, str], int]], chosen: set[int], data: st.DataObject
) -> None:
    told = walk(data, [t for t, place in quads if place in chosen])
    if not told["answers"]:
        return
    read = [NAMED_GRAPHS[place] for place in sorted(chosen)]
    store = ox.Store()
    store.extend(quad(Triple(*t), ox.NamedNode(NAMED_GRAPHS[place][1:-1])) for t, place in quads)
    ask = oxigraph(store)
    assert ask(answers_query(told, read)) == ends(told)
    assert {row[3] for row in ask(check_query(told, read))} == {YES}
    dataset = rdflib.Dataset().parse(data=store.dump(format=ox.RdfFormat.N_QUADS), format="nquads")
    again = by_rdflib(dataset)
    unnamed = {row for row in ends(told) if str(row[0]).startswith("_:")}
    rows = again(answers_query(told, read))
    assert len(rows) == len(ends(told)) and ends(told) - unnamed <= rows
    assert {row[3] for row in again(check_query(told, read))} == {YES}


@settings(max_examples=40)
@given(GRAPHS, st.data())
def test_the_check_tells_which_triples_are_held(
    triples: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    told = walk(data, triples)
    if not told["answers"]:
        return
    store = loaded(Triple(*triple) for triple in triples)
    ask, shown = oxigraph(store), sorted(triples_of(told))
    every = {tuple(None if t.startswith("_:") else t for t in triple) for triple in shown}
    assert ask(check_query(told)) == {(*row, YES) for row in every}
    gone = data.draw(st.sampled_from(shown))
    store.remove(quad(Triple(*gone), ox.DefaultGraph()))
    rows = ask(check_query(told))
    if any(t.startswith("_:") for t in gone):
        assert rows >= {(*t, YES) for t in shown if not any(x.startswith("_:") for x in t)}
    else:
        assert {row[:3] for row in rows if row[3] == NO} == {gone}


def two_topics(*, union: bool) -> tuple[Reply, list[tuple[Term, Term, Term]]]:
    """What Ada and Eve are parents of: Ben is a child of both, Cleo and Dan of one."""
    ada, eve, parent = named("ada"), named("eve"), named("parent")
    ben, cleo = named("ben"), named("cleo")
    both = answer(ben, [step(ada, parent, ben)], [step(eve, parent, ben)])
    one = [answer(cleo, [step(ada, parent, cleo)])] if union else []
    triples = [("ada", "ben"), ("eve", "ben"), ("ada", "cleo"), ("eve", "dan")]
    held = [(iri(head), iri("parent"), iri(tail)) for head, tail in triples]
    return reply([both, *one], ada, eve), held


def test_answers_of_two_topics_are_what_both_lead_to() -> None:
    told, held = two_topics(union=False)
    for _, ask in engines(held):
        assert ask(explain("sparql", told)) == {(iri("ben"),)}


def test_an_answer_of_one_of_two_topics_is_found_too() -> None:
    told, held = two_topics(union=True)
    for _, ask in engines(held):
        assert ask(explain("sparql", told)) == {(iri("ben"),), (iri("cleo"),)}


def test_a_walk_back_to_the_topic_is_found_again() -> None:
    ada, knows = named("ada"), named("knows")
    told = reply([answer(ada, [step(ada, knows, ada)])], ada)
    for _, ask in engines([(iri("ada"), iri("knows"), iri("ada"))]):
        assert ask(explain("sparql", told)) == {(iri("ada"),)}


def test_a_chain_that_is_no_walk() -> None:
    """DoG section 2.2: where Ada was born and Ben lives, and what is the country of it."""
    ada, ben, oslo, norway = map(named, ("ada", "ben", "oslo", "norway"))
    chain = [
        step(ada, named("born in"), oslo),
        step(ben, named("lives in"), oslo),
        step(oslo, named("country"), norway),
    ]
    born, lives, country = (record["relation"]["term"] for record in chain)
    held = [
        (iri("ada"), born, iri("oslo")),
        (iri("ben"), lives, iri("oslo")),
        (iri("oslo"), country, iri("norway")),
        (iri("ada"), born, iri("rome")),
        (iri("rome"), country, iri("italy")),
    ]
    told = reply([answer(own, chain, form="chain") for own in (oslo, norway)], ada, ben)
    for _, ask in engines(held):
        assert ask(explain("sparql", told)) == {(iri("oslo"),), (iri("norway"),)}


def test_blank_nodes_are_joined_and_told_of() -> None:
    ada, knows, ben, who = named("ada"), named("knows"), named("ben"), named("b0", "_:b0")
    through = reply([answer(ben, [step(ada, knows, who), step(who, knows, ben)])], ada)
    k = iri("knows")
    held = [(iri("ada"), k, "_:b0"), ("_:b0", k, iri("ben")), ("_:b1", k, iri("dan"))]
    for _, ask in engines(held):
        assert ask(answers_query(through)) == {(iri("ben"),)}
        assert ask(check_query(through)) == {
            (iri("ada"), k, None, YES),
            (None, k, iri("ben"), YES),
        }
    for _, ask in engines([*held[:1], *held[2:]]):
        assert {row[3] for row in ask(check_query(through))} == {NO}
    start = reply([answer(ben, [step(who, knows, ben)])], who)
    text = explain("sparql", start)
    assert "No query can name _:b0" in text
    for _, ask in engines(held):
        assert ask(text) >= {(iri("ben"),)}


def test_triples_about_triples() -> None:
    """Their object is left open: since when does Ada know anyone?"""
    ada, year, reifier = named("ada"), named('"1990"', '"1990"'), named("r")
    about = named("«ada knows ben»", f"<<( {iri('ada')} {iri('knows')} {iri('ben')} )>>")
    reifies = named("reifies", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>")
    chain = [step(reifier, reifies, about, inverse=True), step(reifier, named("since"), year)]
    told = reply([answer(year, chain)], ada)
    store = ox.Store()
    store.load(
        b"PREFIX : <http://example.org/> :ada :knows :ben ~ :r {| :since '1990' |} ."
        b":ada :left :ben ~ :s {| :since '1999' |} .",
        format=ox.RdfFormat.TURTLE,
    )
    ask = oxigraph(store)
    assert ask(explain("sparql", told)) == {('"1990"',)}
    assert "SPARQL 1.2" in explain("sparql", told)
    assert {row[3] for row in ask(check_query(told))} == {YES}


def test_nothing_to_explain_is_a_query_for_nothing() -> None:
    told = reply([])
    assert "does not say" in explain("sparql", told)
    for _, ask in engines([(iri("a"), iri("p"), iri("b"))]):
        assert ask(explain("sparql", told)) == set()


@pytest.mark.parametrize("label", HOSTILE)
def test_names_stay_in_comments(label: str) -> None:
    """The text without its comments is that of a harmless name, and both engines read it."""
    told = border(label, label)
    told["question"] = label
    text, calm = explain("sparql", told), explain("sparql", border())
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert lines == [line for line in calm.splitlines() if not line.startswith("#")]
    assert len(text.splitlines()) == len(calm.splitlines())
    assert all(c.isprintable() or c == "\n" for c in text)
    held = [
        (iri("Portugal"), iri("capital"), iri("Lisbon")),
        (iri("Portugal"), iri("borders"), iri("Spain")),
    ]
    for _, ask in engines(held):
        assert ask(text) == {(iri("Spain"),)}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_literals_are_data(text: str) -> None:
    value = to_term(ox.Literal(text))
    ada, says, own = named("ada"), named("says"), named(text, value)
    told = reply(
        [answer(named("ben"), [step(ada, says, own), step(named("ben"), says, own, inverse=True)])],
        ada,
    )
    held = [(iri("ada"), iri("says"), value), (iri("ben"), iri("says"), value)]
    back = reply([answer(named("ben"), [step(named("ben"), says, own, inverse=True)])], own)
    for _, ask in engines(held):
        assert ask(explain("sparql", told)) == {(iri("ben"),)}
        assert ask(answers_query(back)) == {(iri("ada"),), (iri("ben"),)}
        rows = ask(check_query(told))
        assert {row[2] for row in rows} == {value}
        assert {row[3] for row in rows} == {YES}


def test_terms_that_are_none_are_left_open() -> None:
    """A saved result may hold anything: it can widen a query, and never end it."""
    ada, bad = named("ada"), named("x", "<http://a> } ; DROP ALL # >")
    told = reply([answer(named("ben"), [step(ada, bad, named("ben"))])], ada)
    text = explain("sparql", told, Origin(graphs=(iri("g0"),)))
    assert "DROP" not in "".join(x for x in text.splitlines() if not x.startswith("#"))
    for _, ask in engines([(iri("ada"), iri("p"), iri("ben"))]):
        assert ask(answers_query(told)) == {(iri("ben"),)}


def test_a_walk_that_turns_aside_names_what_it_turned_to() -> None:
    """As the proof of what a restriction says: other properties and nodes lead to no answer."""
    on, some, below = iri("onProperty"), iri("someValuesFrom"), iri("subClassOf")
    triples = [
        (iri("Heart"), below, iri("r")),
        (iri("r"), on, iri("partOf")),
        (iri("r"), some, iri("Body")),
        (iri("Heart"), below, iri("s")),
        (iri("s"), on, iri("eatenBy")),
        (iri("s"), some, iri("Lion")),
        (iri("t"), on, iri("partOf")),
        (iri("t"), some, iri("Car")),
    ]
    ends = [tuple(map(by_term, triple)) for triple in triples[:3]]
    first, aside, last = (step(head, relation, tail) for head, relation, tail in ends)
    back = step(*ends[1], inverse=True)
    told = reply([answer(by_term(iri("Body")), [first, aside, back, last])], by_term(iri("Heart")))
    for _, engine in engines(triples):
        assert engine(answers_query(told)) == {(iri("Body"),)}


def by_term(term: Term) -> Named:
    return Named(term=term, label=term)


def test_a_follow_up_begins_where_the_earlier_answers_did() -> None:
    """Its query names none of them, as where the graph is read otherwise than it stands."""
    austria, euro, borders, currency = map(named, ("Austria", "euro", "borders", "currency"))
    held = [(iri(own), iri("currency"), iri("euro")) for own in ("Italy", "Spain", "Malta")]
    held += [(iri("Austria"), iri("borders"), iri("Italy"))]
    held += [(iri("France"), iri("borders"), iri("Spain"))]
    chain = [step(austria, borders, named("Italy")), step(named("Italy"), currency, euro)]
    tree = {"start": {"last": "answers"}, "and": [{"start": [0]}]}
    told = reply([answer(named("Italy"), chain, form="chain")], euro, query=tree)
    for _, ask in engines(held):
        assert ask(answers_query(told)) == {(iri("Italy"),)}
    assert [topic["label"] for topic in begun_at(told)] == ["euro", "Austria"]
    told["query"] = {"start": [0]}
    assert begun_at(told) == [euro]
