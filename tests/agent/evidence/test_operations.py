"""What was computed is asked again, by both engines, and comes out as it was shown."""

from collections.abc import Iterator
from typing import Any, cast

import pyoxigraph as ox
import pytest
import rdflib
from groundwalk.agent.conversation.masking import Masked
from groundwalk.agent.conversation.phrases import operation
from groundwalk.agent.conversation.turns import turn_of
from groundwalk.agent.evidence import Origin, Reply, explain
from groundwalk.agent.evidence.sparql import answers_query, main_query
from groundwalk.agent.kg import KnowledgeGraph, OxigraphStore, Term, Triple, open_kg
from groundwalk.agent.nodes.compute import compute
from groundwalk.agent.nodes.computed import Computed
from groundwalk.agent.state import Entity, MentionRecord, Operation, Part, State, Turn
from hypothesis import given, settings
from hypothesis import strategies as st

from ..kg.sparql.asking import quad
from .replies import answer, found, iri, named, reply, step
from .test_sparql import TRIPLES, Rows, engines, oxigraph, walk

NOTHING = Masked("", ())
TURTLE = """
@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:spain a :Country ; rdfs:label "Spain" ; :borders :france, :portugal ;
    :population 48 ; :founded "1479-01-20"^^xsd:date ; :since "1986"^^xsd:gYear .
:france a :Country ; rdfs:label "France" ; :borders :spain, :italy, :andorra ;
    :population 68.5 ; :founded "0843-08-10"^^xsd:date .
:italy a :Country ; rdfs:label "Italy" ; :borders :france ;
    :population 68.5 ; :founded "1861-03-17"^^xsd:date .
:andorra a :Country ; rdfs:label "Andorra" ; :borders :france, :spain ;
    :population 68.50 ; :motto "some" .
:portugal a :Country ; rdfs:label "Portugal" ; :borders :spain .
:borders rdfs:label "borders" . :population rdfs:label "population" .
:founded rdfs:label "founded" . :since rdfs:label "member since" .
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("kg")
    (folder / "kg.ttl").write_text(TURTLE, encoding="utf-8")
    opened = open_kg(str(folder / "kg.ttl"), cache=folder / "cache")
    yield opened
    opened.close()


def asked(query: str) -> Iterator[Rows | bool]:
    """What both engines say of a query over the small graph."""
    store = ox.Store()
    store.load(TURTLE.encode(), format=ox.RdfFormat.TURTLE)
    said = store.query(query)
    yield bool(said) if isinstance(said, ox.QueryBoolean) else oxigraph(store)(query)
    graph = rdflib.Graph().parse(data=TURTLE, format="turtle")
    other: Any = graph.query(query)
    if other.type == "ASK":
        yield bool(other.askAnswer)
    else:
        yield {tuple(ox_term(node) for node in row) for row in other}


def ox_term(node: object) -> Term:
    return f"<{node}>" if isinstance(node, rdflib.URIRef) else str(node)


def first(rows: Rows | bool) -> set[Term | None]:
    assert isinstance(rows, set)
    return {row[0] for row in rows}


def part(one: Reply) -> Part:
    return Part(
        question="?",
        mentions=[],
        status="answered" if one["answers"] else "abstained",
        topics=one["topics"],
        answers=one["answers"],
        confidence=1.0,
        notes=[],
    )


def told(computed: Computed, done: Operation) -> Reply:
    """What the skeleton makes public of what was computed."""
    assert computed.result is not None
    made: dict[str, Any] = {
        "question": "What is it?",
        "status": computed.status,
        "answers": computed.answers,
        "unsupported": [],
        "topics": computed.topics,
        "method": "gcr",
        "usage": {},
        "notes": computed.notes,
        "operation": done,
        "result": {**computed.result, "source": computed.source},
    }
    return cast(Reply, made)


def remembered(one: Reply) -> Turn:
    return turn_of(cast(State, one), "said")


def ends(one: Reply) -> set[Term | None]:
    return {own["term"] for own in one["answers"]}


def neighbours(kg: KnowledgeGraph, name: str) -> Reply:
    return found(kg.store, [iri(name)], ((iri("borders"), False),))


def entity(name: str) -> Entity:
    return Entity(**named(name), kind="", description="", score=1.0)


def mention(name: str) -> MentionRecord:
    return MentionRecord(text=name, start=0, end=0, ambiguous=False, candidates=[entity(name)])


@settings(max_examples=40, deadline=None)
@given(st.lists(TRIPLES, min_size=1, max_size=20), st.data(), st.sampled_from(["both", "except"]))
def test_sets_of_two_walks_are_found_again(
    kg: KnowledgeGraph, triples: list[tuple[str, str, str]], data: st.DataObject, over: Any
) -> None:
    parts = [part(walk(data, triples)) for _ in range(2)]
    out = data.draw(st.sampled_from([[], [mention("e1")]]))
    done = operation("list", over, NOTHING, named=out if over == "except" else [])
    computed = compute(kg, done, parts, [])
    assert computed is not None
    if not computed.answers or computed.source is None:
        return
    made = told(computed, done)
    named_only = not any(str(term).startswith("_:") for term in ends(made))
    for store, ask in engines(triples):
        if isinstance(store, OxigraphStore) or named_only:
            assert ask(explain("sparql", made)) == {(term,) for term in ends(made)}


def test_counts_are_counted(kg: KnowledgeGraph) -> None:
    done = operation("count", "both", NOTHING)
    parts = [part(neighbours(kg, "france")), part(neighbours(kg, "andorra"))]
    computed = compute(kg, done, parts, [])
    assert computed is not None and computed.result is not None
    assert computed.result["value"] == 1 and ends(told(computed, done)) == {iri("spain")}
    for rows in asked(explain("sparql", told(computed, done))):
        assert [str(x).strip('"')[0] for x in first(rows)] == ["1"]
    for rows in asked(answers_query(told(computed, done))):
        assert rows == {(iri("spain"),)}


def test_a_walk_is_counted_by_one_chain_of_its_kind(kg: KnowledgeGraph) -> None:
    done = operation("count", "one", NOTHING)
    computed = compute(kg, done, [part(neighbours(kg, "france"))] * 2, [])
    assert computed is not None and computed.source is not None
    assert len(computed.source["answers"]) == 1 and len(computed.answers) == 3
    for rows in asked(main_query(told(computed, done))):
        assert [str(x).strip('"')[0] for x in first(rows)] == ["3"]


@pytest.mark.parametrize("negated", [False, True])
def test_what_holds_of_earlier_answers_and_what_follows(kg: KnowledgeGraph, negated: bool) -> None:
    """A turn about the answers of a turn is asked in full."""
    turn = remembered(neighbours(kg, "france"))
    condition = operation(
        "list", "last", NOTHING, condition="border …", negated=negated, named=[mention("spain")]
    )
    computed = compute(kg, condition, [], [turn])
    assert computed is not None
    some = told(computed, condition)
    assert ends(some) == ({iri("spain"), iri("italy")} if negated else {iri("andorra")})
    for rows in asked(explain("sparql", some)):
        assert first(rows) == ends(some)
    count = operation("count", "last", NOTHING)
    counted = compute(kg, count, [], [turn, remembered(some)])
    assert counted is not None and counted.result is not None
    for rows in asked(explain("sparql", told(counted, count))):
        assert [str(x).strip('"')[0] for x in first(rows)] == [str(len(some["answers"]))]
    why = operation("why", "last", NOTHING)
    again = compute(kg, why, [], [turn, remembered(some)])
    assert again is not None
    for rows in asked(explain("sparql", told(again, why))):
        assert first(rows) == ends(some)


@pytest.mark.parametrize(
    ("name", "most", "best"),
    [
        ("population", True, {"italy", "andorra"}),
        ("population", False, {"spain"}),
        ("founded", True, {"italy"}),
        ("founded", False, {"spain"}),
    ],
)
def test_the_largest_is_found_by_order(
    kg: KnowledgeGraph, name: str, most: bool, best: set[str]
) -> None:
    done = operation("extreme", "one", NOTHING, most=most, properties=[name])
    computed = compute(kg, done, [part(neighbours(kg, "france"))], [])
    assert computed is not None and {a["term"] for a in computed.answers} == {*map(iri, best)}
    text = explain("sparql", told(computed, done))
    assert "ORDER BY" in text
    for rows in asked(text):
        assert first(rows) == {*map(iri, best)}


def test_values_that_sparql_does_not_compare_are_told(kg: KnowledgeGraph) -> None:
    done = operation("extreme", "one", NOTHING, most=True, properties=["member since"])
    computed = compute(kg, done, [part(neighbours(kg, "france"))], [])
    assert computed is not None and {a["term"] for a in computed.answers} == {iri("spain")}
    text = explain("sparql", told(computed, done))
    assert "The comparison is not asked" in text
    for rows in asked(text):
        assert first(rows) == ends(neighbours(kg, "france"))


def test_what_was_computed_of_the_largest_is_told_not_to_be_asked(kg: KnowledgeGraph) -> None:
    done = operation("extreme", "one", NOTHING, most=True, properties=["population"])
    computed = compute(kg, done, [part(neighbours(kg, "france"))], [])
    assert computed is not None
    count = operation("count", "last", NOTHING)
    counted = compute(kg, count, [], [remembered(told(computed, done))])
    assert counted is not None
    text = explain("sparql", told(counted, count))
    assert "What was computed of them is not asked" in text and "COUNT" not in text


def test_yes_is_asked(kg: KnowledgeGraph) -> None:
    pair = [mention("spain"), mention("france")]
    done = operation("truth", "one", NOTHING, condition="borders …", named=pair)
    computed = compute(kg, done, [], [])
    assert computed is not None
    query = explain("sparql", told(computed, done))
    assert list(asked(query)) == [True, True]
    held = TURTLE.replace(":borders :france, :portugal", ":borders :portugal")
    assert rdflib.Graph().parse(data=held, format="turtle").query(query).askAnswer is False
    apart = operation(
        "truth", "one", NOTHING, condition="borders …", named=[mention("italy"), mention("spain")]
    )
    silent = compute(kg, apart, [], [])
    assert silent is not None and silent.status == "abstained"
    assert "No query says what the graph does not say" in explain("sparql", told(silent, apart))


def test_named_graphs_are_kept_to(kg: KnowledgeGraph) -> None:
    """Of two graphs that hold one neighbour each, the one that was read is counted."""
    store = ox.Store()
    for graph, end in (("g0", "ben"), ("g1", "cleo")):
        triple = Triple(iri("ada"), iri("knows"), iri(end))
        store.add(quad(triple, ox.NamedNode(iri(graph)[1:-1])))
    ada = reply(
        [answer(named("ben"), [step(named("ada"), named("knows"), named("ben"))])], named("ada")
    )
    computed = compute(kg, done := operation("list", "both", NOTHING), [part(ada)] * 2, [])
    assert computed is not None
    for graph, end in (("g0", "ben"), ("g1", "cleo")):
        query = explain("sparql", told(computed, done), Origin(graphs=(iri(graph),)))
        assert oxigraph(store)(query) == {(iri(end),)}


@pytest.mark.parametrize("term", ["_:b0", "<http://a> } ; DROP ALL # >"])
def test_what_no_query_can_name_is_told(kg: KnowledgeGraph, term: Term) -> None:
    bad = named("x", term)
    walked = [answer(named("ben"), [step(bad, named("knows"), named("ben"))])]
    parts = [part(reply(walked, bad)), part(reply(walked, bad))]
    computed = compute(kg, done := operation("list", "both", NOTHING), parts, [])
    assert computed is not None
    text = explain("sparql", told(computed, done))
    assert "What was computed of them is not asked" in text
    assert "DROP" not in "".join(x for x in text.splitlines() if not x.startswith("#"))


def test_an_empty_computed_set_is_asked_and_has_no_rows(kg: KnowledgeGraph) -> None:
    way = iri("borders")
    parts = [part(found(kg.store, [iri(own)], ((way, False),))) for own in ("portugal", "italy")]
    computed = compute(kg, done := operation("list", "both", NOTHING), parts, [])
    assert computed is not None and not computed.answers
    query = main_query(one := told(computed, done))
    assert "FILTER(false)" not in query and iri("portugal") in query and iri("italy") in query
    assert query in explain("sparql", one, Origin())
    assert all(rows == set() for rows in asked(query))


def test_a_superlative_over_several_hops_says_what_was_compared(kg: KnowledgeGraph) -> None:
    way = iri("borders")
    for hops, told_of in ((1, False), (2, True)):
        one = found(kg.store, [iri("portugal")], ((way, False),) * hops)
        done = operation("extreme", "one", NOTHING, properties=["population"])
        computed = compute(kg, done, [part(one)], [])
        assert computed is not None and computed.status == "answered"
        noted = [note for note in computed.notes if note.startswith("compared: ")]
        assert bool(noted) is told_of and all(note.count("borders") == hops for note in noted)
