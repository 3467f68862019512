"""The store gives facts, sorted and capped, and says what it holds exactly as written."""

from typing import cast

import pyoxigraph as ox
import pytest
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.kg import Counts, OxigraphStore, Profile, Step, Triple

E = "http://example.org/"
INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def iri(name: str) -> str:
    return f"<{E}{name}>"


def store(text: str) -> OxigraphStore:
    inner = ox.Store()
    inner.load(f"PREFIX : <{E}>\n{text}", ox.RdfFormat.TRIG)
    return OxigraphStore(inner, source="test")


FRANCE = """
    PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
    :france a :Country ; rdfs:label "France"@en ; :capital :paris ; :borders :spain, :andorra ;
        :population 68 ; :motto "Liberté"@fr .
    :spain :borders :france .
"""


def test_neighbours_are_facts_in_order() -> None:
    (steps,) = store(FRANCE).neighbours([iri("france")])
    assert [(step.triple.relation, step.target, step.inverse) for step in steps] == [
        (iri("borders"), iri("andorra"), False),
        (iri("borders"), iri("spain"), False),
        (iri("borders"), iri("spain"), True),
        (iri("capital"), iri("paris"), False),
        (iri("motto"), '"Liberté"@fr', False),
        (iri("population"), f'"68"{INTEGER}', False),
    ]


def test_neighbours_of_several_nodes_and_of_none() -> None:
    kg = store(FRANCE)
    found = kg.neighbours([iri("paris"), "no term", iri("nowhere"), '"Liberté"@fr'])
    assert found == [
        [Step(Triple(iri("france"), iri("capital"), iri("paris")), True)],
        [],
        [],
        [Step(Triple(iri("france"), iri("motto"), '"Liberté"@fr'), True)],
    ]
    assert kg.neighbours([iri("paris")], inverse=False) == [[]]
    assert kg.neighbours([]) == []


def test_the_triples_of_a_value_are_spelled_as_the_store_holds_them() -> None:
    (steps,) = store(FRANCE).neighbours([f'"068"{INTEGER}'])
    triple = Triple(iri("france"), iri("population"), f'"68"{INTEGER}')
    assert steps == [Step(triple, True)]


def test_skipped_prefixes_are_no_facts() -> None:
    inner = ox.Store()
    inner.load(f"PREFIX : <{E}> :a :p :b ; :id1 :c ; :id2 :d .", ox.RdfFormat.TRIG)
    kg = OxigraphStore(inner, profile=Profile("own", skipped_prefixes=(f"<{E}id",)))
    assert [step.target for step in kg.neighbours([iri("a")])[0]] == [iri("b")]
    assert [triple.tail for triple in kg.facts()] == [iri("b")]
    assert kg.counts().facts == 1


def test_follow_walks_one_relation_in_one_direction() -> None:
    kg = store(FRANCE)
    borders = [step.target for step in kg.follow([iri("france")], iri("borders"), False)[0]]
    assert borders == [iri("andorra"), iri("spain")]
    assert kg.follow([iri("france")], iri("borders"), True) == [
        [Step(Triple(iri("spain"), iri("borders"), iri("france")), True)]
    ]
    assert kg.follow([iri("france"), "no term"], '"no relation"', False) == [[], []]
    assert len(kg.follow([iri("france")], iri("borders"), False, limit=1)[0]) == 1


def test_hubs_are_capped_in_each_direction() -> None:
    lines = [f":hub :p :a{i} . :b{i} :p :hub ." for i in range(50)]
    lines += [f':hub <http://www.w3.org/2000/01/rdf-schema#label> "l{i}"@en .' for i in range(50)]
    kg = store("\n".join(lines))
    (steps,) = kg.neighbours([iri("hub")], limit=7)
    assert sum(step.inverse for step in steps) == 7
    assert sum(not step.inverse for step in steps) == 7
    assert kg.neighbours([iri("hub")], limit=7) == [steps]
    assert len(kg.neighbours([iri("hub")])[0]) == 100


def test_a_triple_in_several_graphs_is_one() -> None:
    kg = store(":a :p :b . :g { :a :p :b } :h { :a :p :b . :a :p :c }")
    assert [len(steps) for steps in kg.neighbours([iri("a")])] == [2]
    assert len(kg.neighbours([iri("a")], limit=2)[0]) == 2
    assert sorted(triple.tail for triple in kg.facts()) == [iri("b"), iri("c")]
    assert kg.holds([Triple(iri("a"), iri("p"), iri("c"))]) == [True]


@pytest.mark.parametrize(
    ("triple", "held"),
    [
        ((iri("france"), iri("capital"), iri("paris")), True),
        ((iri("paris"), iri("capital"), iri("france")), False),
        ((iri("france"), iri("motto"), '"Liberté"@fr'), True),
        ((iri("france"), iri("motto"), '"Liberté"@FR'), True),
        ((iri("france"), iri("motto"), '"Libert\\u00e9"@fr'), True),
        ((iri("france"), iri("motto"), '"Liberté"@en'), False),
        ((iri("france"), iri("motto"), '"Liberté"'), False),
        ((iri("france"), iri("population"), '"68"'), False),
        (
            (iri("france"), iri("population"), f'"68"{INTEGER}'),
            True,
        ),
        (
            (iri("france"), TYPE, iri("Country")),
            True,
        ),
        (("France", "capital", "Paris"), False),
        (('"Liberté"@fr', iri("motto"), iri("france")), False),
        ((iri("france"), "_:b0", iri("paris")), False),
        ((iri("france"), '"capital"', iri("paris")), False),
        ((iri("france") + " ?p ?o . ", iri("capital"), iri("paris")), False),
    ],
)
def test_holds_what_is_written_and_nothing_else(triple: tuple[str, str, str], held: bool) -> None:
    assert store(FRANCE).holds([Triple(*triple)]) == [held]


def test_statements_about_statements_are_no_facts() -> None:
    kg = store(":a :p <<( :b :q :c )>> . :a :p :b .")
    assert kg.neighbours([iri("a")]) == [[Step(Triple(iri("a"), iri("p"), iri("b")))]]
    assert kg.counts() == Counts(triples=2, facts=1, entities=2, relations=1)


def test_counts() -> None:
    assert store(FRANCE).counts() == Counts(triples=8, facts=6, entities=4, relations=4)
    assert store(":a a :B .").counts() == Counts(triples=1, facts=0, entities=0, relations=0)


def test_a_store_that_fails_is_a_service_error() -> None:
    class Broken:
        def quads_for_pattern(self, *_: object) -> object:
            raise OSError("disk gone")

    kg = OxigraphStore(cast(ox.Store, Broken()), source="test")
    with pytest.raises(ServiceError, match="disk gone"):
        kg.holds([Triple(iri("a"), iri("p"), iri("b"))])
