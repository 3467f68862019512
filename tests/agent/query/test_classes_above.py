"""Members of a class are members of the classes above it: found, proved, offered and in SPARQL."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from groundwalk.agent.answers.class_words import members_of
from groundwalk.agent.answers.queries import executed, shown_sparql
from groundwalk.agent.conversation.introduction import class_sizes
from groundwalk.agent.errors import QuestionError
from groundwalk.agent.kg import KnowledgeGraph, kg_of, open_kg
from groundwalk.agent.kg.nodes import to_term
from groundwalk.agent.kg.opening import WORLD
from groundwalk.agent.kg.terms import Step, Term, Triple
from groundwalk.agent.query.binding import Bound, bind, check_terms
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.members import Outcome
from groundwalk.agent.query.schema import GraphSchema
from groundwalk.agent.query.schema_tables import GraphTables
from groundwalk.agent.query.tree import Query, read_query
from groundwalk.agent.reader.graph import GraphLabels
from hypothesis import given, settings
from hypothesis import strategies as st

E = "http://e.x/"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SUBCLASS = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
PREFIXES = f"""
@prefix : <{E}> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
"""
ORDER = ":BoysChoir rdfs:subClassOf :Choir . :Choir rdfs:subClassOf :Ensemble . "
STATED = """
:Choir rdfs:label "choir" . :BoysChoir rdfs:label "boys' choir" . :Ensemble rdfs:label "ensemble" .
:Orchestra rdfs:label "orchestra" . :City rdfs:label "city" . :based rdfs:label "based in" .
:sola a :Choir ; rdfs:label "Sola" ; :based :bergen ; :founded 1961 .
:edvard a :BoysChoir ; rdfs:label "Edvard" ; :based :bergen .
:both a :BoysChoir , :Choir ; rdfs:label "Both" ; :based :oslo .
:phil a :Orchestra ; rdfs:label "Phil" ; :based :oslo ; :plays :opera .
:bergen a :City ; rdfs:label "Bergen" . :oslo a :City ; rdfs:label "Oslo" .
"""
ENSEMBLES: dict[str, Any] = {"start": {"class": "ensemble"}}


def opened(folder: Path, text: str, **options: Any) -> KnowledgeGraph:
    file = folder / "graph.ttl"
    file.write_text(PREFIXES + text, encoding="utf-8")
    return open_kg(str(file), cache=folder / "cache", **options)


@pytest.fixture
def music(tmp_path: Path) -> Iterator[KnowledgeGraph]:
    with closing(opened(tmp_path, STATED + ORDER)) as kg:
        yield kg


def iri(name: str) -> Term:
    return f"<{E}{name}>"


def asked(kg: KnowledgeGraph, tree: dict[str, Any]) -> tuple[Bound, Outcome]:
    bound = bind(kg, read_query(tree))
    check_terms(kg, bound)
    return bound, execute(Facts(kg), bound)


def members(kg: KnowledgeGraph, tree: dict[str, Any]) -> set[str]:
    return {term.removeprefix(f"<{E}").removesuffix(">") for term in asked(kg, tree)[1].members}


# Random graphs, with SPARQL for an oracle

CLASSES, THINGS = "ABCDE", "uvwxyz"
STATEMENTS = st.lists(
    st.tuples(st.sampled_from(THINGS), st.just(RDF_TYPE), st.sampled_from(CLASSES))
    | st.tuples(st.sampled_from(CLASSES), st.just(SUBCLASS), st.sampled_from(CLASSES))
    | st.tuples(st.sampled_from(THINGS), st.just(f"{E}link"), st.sampled_from(THINGS)),
    max_size=25,
)


def check_proof(proof: tuple[Step, ...], stated: set[Triple], member: Term, class_: Term) -> None:
    """A chain of statements from the member to the class, as short as one can be."""
    assert {step.triple for step in proof} <= stated
    ends = [(step.triple.head, step.triple.tail) for step in proof]
    assert ends[0][0] == member and ends[-1][1] == class_
    assert all(before[1] == after[0] for before, after in zip(ends, ends[1:], strict=False))
    kinds = [step.triple.relation for step in proof]
    assert kinds == [f"<{RDF_TYPE}>", *[f"<{SUBCLASS}>"] * (len(proof) - 1)]
    assert Triple(member, f"<{RDF_TYPE}>", class_) not in stated or len(proof) == 1


def selected(graph: rdflib.Graph, pattern: str) -> set[Term]:
    rows: Any = graph.query(f"SELECT ?x {{ {pattern} }}")
    return {f"<{row[0]}>" for row in rows}


@settings(max_examples=80)
@given(STATEMENTS)
def test_members_are_those_of_a_path_of_sparql(statements: list[tuple[str, str, str]]) -> None:
    graph, link = rdflib.Graph(), iri("link")
    for head, relation, tail in [("u", RDF_TYPE, "A"), *statements]:
        graph.add((rdflib.URIRef(E + head), rdflib.URIRef(relation), rdflib.URIRef(E + tail)))
    stated = {Triple(*(f"<{term}>" for term in triple)) for triple in graph}
    with closing(kg_of(graph)) as kg:
        facts = Facts(kg)
        for class_ in map(iri, CLASSES):
            every = {"start": {"class": class_}}
            linked = {"start": {"domain": link}, "steps": [{"relation": link}], "class": class_}
            path = f"?x a/<{SUBCLASS}>* {class_}"
            for tree, pattern in ((every, path), (linked, f"?y {link} ?x . {path}")):
                bound = Bound(read_query(tree), {link: link}, {class_: class_}, {})
                outcome = execute(facts, bound)
                assert set(outcome.members) == selected(graph, pattern)
                for member in outcome.members:
                    proof = outcome.proofs[member]
                    up = tuple(step for step in proof if step.triple.relation != link)
                    check_proof(up, stated, member, class_)
            above = selected(graph, f"{class_} <{SUBCLASS}>+ ?x")
            assert kg.membership.above([class_]) == above


# A graph with names


def test_a_class_above_has_the_members_of_those_below_it(music: KnowledgeGraph) -> None:
    assert members(music, ENSEMBLES) == {"sola", "edvard", "both"}
    assert members(music, {"start": {"class": "choir"}}) == {"sola", "edvard", "both"}
    assert members(music, {"start": {"class": "boys' choir"}}) == {"edvard", "both"}
    based = {"start": {"entity": "Bergen"}, "steps": [{"relation": "based in", "inverse": True}]}
    assert members(music, {**based, "class": "ensemble"}) == {"sola", "edvard"}
    assert members(music, {"start": {"domain": "based in"}, "not": [ENSEMBLES]}) == {"phil"}
    among = {"relation": "based in", "inverse": True, "count": True, "among": ENSEMBLES}
    counted = {"start": {"class": "city"}, "filters": [{**among, "op": "=", "value": 2}]}
    assert members(music, counted) == {"bergen"}
    assert asked(music, {**ENSEMBLES, "answer": "count"})[1].value == 3


def test_what_proves_a_member_is_verified_up_to_the_class(music: KnowledgeGraph) -> None:
    bound, outcome = asked(music, {"start": {"class": "choir"}})
    assert [len(outcome.proofs[iri(name)]) for name in ("both", "sola", "edvard")] == [1, 1, 2]
    computed = executed(music, Facts(music), bound).computed
    shown = {
        answer["label"]: [(s["head"]["label"], s["tail"]["label"]) for s in answer["chains"][0]]
        for answer in computed.answers
    }
    assert shown["Sola"] == [("Sola", "choir")]
    assert sorted(shown["Edvard"]) == [("Edvard", "boys' choir"), ("boys' choir", "choir")]
    chains = [chain for answer in computed.answers for chain in answer["chains"]]
    assert {step["verdict"] for chain in chains for step in chain} == {"supported"}


def test_the_reader_is_offered_classes_above_those_that_are_stated(music: KnowledgeGraph) -> None:
    facts = Facts(music)
    tables, schema = GraphTables(facts), GraphSchema(facts, ["Bergen"])
    stated = [iri(name) for name in ("BoysChoir", "Choir", "City", "Orchestra")]
    assert schema.classes(None) == sorted([*stated, iri("Ensemble")])
    based = read_query({"start": [0], "steps": [{"relation": "based in", "inverse": True}]})
    assert schema.classes(based) == [iri(name) for name in ("BoysChoir", "Choir", "Ensemble")]
    hops = schema.hops(read_query(ENSEMBLES))
    assert (iri("based"), False) in hops and (iri("founded"), False) in hops
    assert (iri("plays"), False) not in hops, "only an orchestra plays"
    tail = GraphLabels(tables).label(iri("based"), 1).tail
    assert tail == "boys' choir", "the end of a relation is of the classes that are stated"


def test_the_sparql_follows_classes_above(music: KnowledgeGraph) -> None:
    path = f"<{RDF_TYPE}>/<{SUBCLASS}>* {iri('Ensemble')}"
    for class_, pattern in (
        ("ensemble", path),
        ("boys' choir", f"<{RDF_TYPE}> {iri('BoysChoir')}"),
        ("orchestra", f"<{RDF_TYPE}> {iri('Orchestra')}"),
    ):
        bound, _ = asked(music, {"start": {"class": class_}})
        assert f"?answer {pattern} ." in shown_sparql(music, Facts(music), bound)


def test_classes_in_a_circle_are_above_one_another(tmp_path: Path) -> None:
    circle = """
    :BoysChoir rdfs:subClassOf :BoysChoir , :Choir . :Choir rdfs:subClassOf :Ensemble , :Choir .
    :Ensemble rdfs:subClassOf :BoysChoir , :Ensemble .
    """
    with closing(opened(tmp_path, STATED + circle)) as kg:
        names = ("BoysChoir", "Choir", "Ensemble")
        for class_ in map(iri, names):
            assert kg.membership.above([class_]) == set(map(iri, names))
            assert set(kg.membership.below(class_)) == {*map(iri, names)} - {class_}
            assert kg.membership.upward(class_, class_) == ()
            bound, outcome = asked(kg, {"start": {"class": class_}})
            assert set(outcome.members) == set(map(iri, ("sola", "edvard", "both")))
            assert max(len(proof) for proof in outcome.proofs.values()) <= len(names)
            assert set(members_of(kg, class_)) == set(outcome.members)
            assert f"<{SUBCLASS}>*" in shown_sparql(kg, Facts(kg), bound)
        steps = members_of(kg, iri("Ensemble"))[iri("edvard")]
        assert [step.target for step in steps] == list(map(iri, ("Choir", "BoysChoir", "edvard")))


def test_a_chain_may_lie_in_several_named_graphs(tmp_path: Path) -> None:
    file = tmp_path / "graph.trig"
    one = f":one {{ :sola a :Choir . :sola :based :bergen . {ORDER} }}"
    two = ":two { :tre a :BoysChoir . :Ensemble rdfs:subClassOf :Group . }"
    other = ":other { :none a :Choir . :Orchestra rdfs:subClassOf :Ensemble . }"
    file.write_text(f"{PREFIXES} {one} {two} {other}", encoding="utf-8")
    store = ox.Store()
    store.load(file.read_bytes(), format=ox.RdfFormat.TRIG)
    graphs = [f"{E}one", f"{E}two"]
    with closing(open_kg(str(file), cache=tmp_path, graphs=graphs)) as kg:
        bound, outcome = asked(kg, {"start": {"class": "Group"}})
        rows: Any = store.query(shown_sparql(kg, Facts(kg), bound))
        reached = {to_term(row["answer"]) for row in rows}
        assert reached == set(outcome.members) == {iri("sola"), iri("tre")}


def test_a_class_above_that_is_called_as_one_below_takes_no_name_from_it(tmp_path: Path) -> None:
    more = (
        ':Choir rdfs:subClassOf :aChoir . :aChoir rdfs:label "choir" ; rdfs:subClassOf owl:Thing .'
    )
    with closing(opened(tmp_path, STATED + more)) as kg:
        bound, _ = asked(kg, {"start": {"class": "choir"}})
        assert bound.classes == {"choir": iri("Choir")}
        assert kg.labels.names([iri("Choir")]) == ["choir"]
        classes = GraphTables(Facts(kg)).every_class()
        assert iri("aChoir") not in classes and not any("owl#" in term for term in classes)
        assert members(kg, {"start": {"class": iri("aChoir")}}) == {"sola", "both"}


def test_classes_with_their_members_are_those_that_are_stated(music: KnowledgeGraph) -> None:
    sizes = {size.name: size.members for size in class_sizes(music)}
    assert sizes == {"boys' choir": 2, "choir": 2, "city": 2, "orchestra": 1}


def test_an_ontology_is_read_as_before(tmp_path: Path) -> None:
    with closing(opened(tmp_path, STATED + ORDER, profile="owl")) as kg:
        assert kg.membership.is_empty and not kg.class_order.is_empty
        assert members(kg, ENSEMBLES) == {"Choir"}
        bound, _ = asked(kg, ENSEMBLES)
        assert "*" not in shown_sparql(kg.as_stored, Facts(kg.as_stored), bound)


def test_a_graph_without_such_statements_is_asked_for_them_once() -> None:
    class Counted:
        asked = 0

        def statements(self, _: Term) -> Iterator[Triple]:
            Counted.asked += 1
            return iter(())

    from groundwalk.agent.kg.classes import ClassOrder

    order = ClassOrder(Counted())  # pyright: ignore[reportArgumentType]
    for class_ in map(iri, CLASSES):
        assert order.below(class_) == {} and order.above([class_]) == set()
        assert order.upward(class_, class_) == () and order.upward(class_, iri("Other")) is None
    assert Counted.asked == 1
    with closing(open_kg(WORLD)) as world:
        assert world.membership.is_empty


def test_a_class_without_members_is_no_class_to_ask_for(tmp_path: Path) -> None:
    with closing(opened(tmp_path, STATED)) as kg, pytest.raises(QuestionError):
        asked(kg, ENSEMBLES)
    query: Query = read_query({"start": {"class": "choir"}})
    with closing(opened(tmp_path, STATED)) as kg:
        text = shown_sparql(kg, Facts(kg), bind(kg, query))
        assert f"?answer <{RDF_TYPE}> {iri('Choir')} ." in text
