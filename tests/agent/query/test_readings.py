"""Over a graph that is read in a way, a query is asked of the facts that the reading presents."""

from pathlib import Path
from typing import Any

import pytest
from groundwalk import build_graph, open_kg
from groundwalk.agent.kg import Reading, Triple
from groundwalk.agent.kg.derived import Mediators
from groundwalk.agent.kg.nodes import lexical_form
from groundwalk.agent.kg.terms import is_literal
from groundwalk.agent.options import Options
from groundwalk.agent.query.binding import Mention, bind, check_terms
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.tree import read_query
from hypothesis import given, note, settings
from hypothesis import strategies as st

from ..kg.derived.oracle import presented
from ..kg.derived.worlds import ABOVE, NODES, PROFILE, RELATIONS, UNNAMED, graphs, opened, readings
from .oracle import Oracle

Tree = dict[str, Any]


@settings(deadline=None)
@given(graphs, readings, st.data())
def test_queries_are_asked_of_what_a_reading_presents(
    triples: list[Triple], reading: Reading, data: st.DataObject
) -> None:
    shown = presented(triples, PROFILE, reading)
    relations = sorted({fact.relation for fact in shown.facts})
    if not relations:
        return
    one, other = data.draw(st.sampled_from(NODES)), data.draw(st.sampled_from(NODES))
    tree = data.draw(trees(relations, sorted({fact.relation for fact in shown.one_way})))
    note(f"{tree} {one} {other}")
    kg, query = opened(triples, reading), read_query(tree)
    found = execute(Facts(kg), bind(kg, query, [Mention("one", one), Mention("other", other)]))
    meant = [Mention(name, shown.stands.get(own, own)) for name, own in (("1", one), ("2", other))]
    expected = Oracle(shown.facts, PROFILE, bind(kg, query, meant)).denotation()
    if found.form == "members":
        assert set(found.members) == expected
        assert set(found.members) <= set(found.proofs)
    else:
        assert found.value == expected
    steps = {step for proof in found.proofs.values() for step in proof}
    assert {step.triple for step in steps} <= shown.facts


def test_anything_has_what_only_joined_relations_lead_to() -> None:
    one, node, (lower, upper) = NODES[0], UNNAMED[0], RELATIONS[:2]
    triples = [Triple(one, lower, node), Triple(lower, ABOVE, upper)]
    kg = opened(triples, Reading("collapse", same_as=False, inverse_of=False, sub_property_of=True))
    query = read_query({"start": {"class": "anything"}})
    assert set(execute(Facts(kg), bind(kg, query, [])).members) == {one, node}


STATEMENTS = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wds: <http://www.wikidata.org/entity/statement/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
wd:P39 rdfs:label "position held"@en . wd:P580 rdfs:label "start time"@en .
wd:Q1 rdfs:label "Ada"@en ; p:P39 wds:Q1-1 .
wds:Q1-1 ps:P39 wd:Q2 ; pq:P580 "1990" . wd:Q2 rdfs:label "mayor"@en .
"""


@pytest.mark.parametrize(
    ("mediators", "relation", "end"),
    [
        ("collapse", "position held", "mayor"),
        ("collapse", "position held (statement)", "mayor"),
        ("collapse", "position held-start time", "1990"),
        ("keep", "position held", "Q1-1"),
    ],
)
def test_a_joined_relation_is_asked_by_its_name(
    tmp_path: Path, mediators: Mediators, relation: str, end: str
) -> None:
    (tmp_path / "ada.ttl").write_text(STATEMENTS, encoding="utf-8")
    with open_kg(tmp_path / "ada.ttl", profile="wikidata", reading=[mediators]) as kg:
        query = read_query({"start": {"entity": "Ada"}, "steps": [{"relation": relation}]})
        bound = bind(kg, query)
        check_terms(kg, bound)
        (member,) = execute(Facts(kg), bound).members
        named = lexical_form(member) if is_literal(member) else kg.labels.names([member])[0]
        assert named == end


def test_the_reader_reads_relations_through_statements(tmp_path: Path) -> None:
    (tmp_path / "ada.ttl").write_text(STATEMENTS, encoding="utf-8")
    with open_kg(tmp_path / "ada.ttl", profile="wikidata") as kg:
        however_unsure = Options(confidence=0.0)
        graph = build_graph(kg=kg, options=however_unsure)
        state = graph.invoke({"question": "What position did Ada hold?"})
        assert [answer["label"] for answer in state["answers"]] == ["mayor"]
        assert len(state["answers"][0]["chains"][0]) == 2, "both triples prove it"


@st.composite
def trees(draw: st.DrawFn, relations: list[str], one_way: list[str]) -> Tree:
    """A query along relations; those that are walked one way are not walked back."""
    tree = draw(sets(relations, one_way))
    if draw(st.booleans()):
        tree[draw(st.sampled_from(["and", "not"]))] = [draw(sets(relations, one_way))]
    return {**tree, **draw(st.sampled_from([{}, {}, {"answer": "count"}, {"answer": "yesno"}]))}


@st.composite
def sets(draw: st.DrawFn, relations: list[str], one_way: list[str]) -> Tree:
    hops = st.builds(_hop, st.sampled_from(relations), st.booleans(), st.just(frozenset(one_way)))
    start = draw(st.sampled_from([[0], [1], [0, 1], {"class": "anything"}, "domain"]))
    tree: Tree = {"start": start, "steps": draw(st.lists(hops, max_size=2))}
    if start == "domain":
        tree["start"] = {"domain": draw(st.sampled_from(relations))}
    condition = draw(hops)
    match draw(st.integers(0, 3)):
        case 0:
            op = draw(st.sampled_from(["exists", "not exists"]))
            tree["filters"] = [{**condition, "op": op}]
        case 1:
            op = draw(st.sampled_from(["=", "!="]))
            tree["filters"] = [{**condition, "op": op, "mention": 0}]
        case 2:
            op, number = draw(st.sampled_from(["=", ">", "<"])), draw(st.integers(0, 2))
            tree["filters"] = [{**condition, "count": True, "op": op, "value": number}]
        case _:
            pass
    return tree


def _hop(relation: str, inverse: bool, one_way: frozenset[str]) -> Tree:
    return {"relation": relation, "inverse": inverse and relation not in one_way}
