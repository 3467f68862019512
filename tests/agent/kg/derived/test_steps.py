"""The steps that a reading presents are exactly those of its definition, however they are asked."""

import pytest
from groundwalk.agent.kg import Reading, Term, Triple
from groundwalk.agent.kg.derived import collapsed
from groundwalk.agent.kg.store import Way
from groundwalk.agent.kg.walking.view import NeighbourCache
from hypothesis import strategies as st

from ....properties import holds_for
from . import oracle
from .worlds import LITERALS, NODES, PROFILE, graphs, named, opened, readings

TERMS = [*NODES, *LITERALS]
asked = st.lists(st.sampled_from(TERMS), max_size=6)


@holds_for(graphs, readings, asked)
def test_steps_are_those_of_the_definition(
    triples: list[Triple], reading: Reading, terms: list[Term]
) -> None:
    kg = opened(triples, reading)
    shown = oracle.presented(triples, PROFILE, reading)
    facts = list(kg.walks.facts())
    assert len(facts) == len(set(facts))
    assert set(facts) == shown.facts
    assert {fact for fact in facts if kg.is_one_way(fact)} == shown.one_way
    found = kg.walks.neighbours(terms)
    for node, steps in zip(terms, found, strict=True):
        assert steps == sorted(steps, key=lambda s: (s.triple.relation, s.target, s.inverse))
        assert len(steps) == len(set(steps))
        assert set(steps) == shown.steps(node)
    forwards = kg.walks.neighbours(terms, inverse=False)
    assert forwards == [[step for step in steps if not step.inverse] for steps in found]


@holds_for(graphs, readings, st.data())
def test_ways_lead_where_the_steps_do(
    triples: list[Triple], reading: Reading, data: st.DataObject
) -> None:
    kg = opened(triples, reading)
    shown = oracle.presented(triples, PROFILE, reading)
    relations = sorted({fact.relation for fact in shown.facts})
    ways = [
        data.draw(st.builds(Way, st.sampled_from(TERMS), st.sampled_from(relations), st.booleans()))
        for _ in range(4 if relations else 0)
    ]
    found = kg.walks.follow_each(ways)
    for way, steps in zip(ways, found, strict=True):
        wanted = {
            step
            for step in shown.steps(way.node)
            if (step.triple.relation, step.inverse) == (way.relation, way.inverse)
        }
        there = {step for step in steps if not kg.is_one_way(step.triple) or not step.inverse}
        assert there == wanted
        assert [step.target for step in steps] == sorted(step.target for step in steps)
        assert kg.walks.follow([way.node], way.relation, way.inverse) == [steps]
    for inverse in (False, True):
        told = kg.walks.relations_at(TERMS, inverse)
        for node, several in zip(TERMS, told, strict=True):
            own = {s.triple.relation for s in shown.steps(node) if s.inverse == inverse}
            assert own <= set(several) and several == sorted(several)


@holds_for(graphs, readings, asked, st.integers(1, 5), st.booleans())
def test_a_limit_cuts_only_where_there_is_more(
    triples: list[Triple], reading: Reading, terms: list[Term], limit: int, inverse: bool
) -> None:
    kg = opened(triples, reading)
    whole = kg.walks.neighbours(terms, inverse=inverse)
    cut = kg.walks.neighbours(terms, inverse=inverse, limit=limit)
    for steps, some in zip(whole, cut, strict=True):
        assert set(some) <= set(steps)
        sizes = [
            [sum(s.inverse == way for s in own) for way in (False, True)] for own in (steps, some)
        ]
        assert max(sizes[1]) == min(limit, max(sizes[0]))


def test_a_statement_without_a_predicate_takes_no_others_place() -> None:
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    one, other = "<http://example.org/statement/s0>", "<http://example.org/s1>"
    told, relation = "<http://example.org/e1>", "<http://example.org/r0>"
    triples = [
        Triple(one, f"<{rdf}subject>", told),
        Triple(other, f"<{rdf}subject>", told),
        Triple(other, f"<{rdf}predicate>", relation),
        Triple(other, relation, '"1990"'),
    ]
    kg = opened(sorted(triples), Reading("collapse"))
    (whole,) = kg.walks.neighbours([told])
    (cut,) = kg.walks.neighbours([told], limit=1)
    assert whole and cut == whole


@holds_for(graphs, asked)
def test_a_node_with_too_many_steps_is_no_mediator(
    triples: list[Triple], terms: list[Term]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collapsed, "MOST_STEPS", 3)
        patch.setattr(oracle, "MOST_STEPS", 3)
        kg = opened(triples, Reading("collapse"))
        shown = oracle.presented(triples, PROFILE, kg.reading)
        assert set(kg.walks.facts()) == shown.facts
        for node, steps in zip(terms, kg.walks.neighbours(terms), strict=True):
            assert set(steps) == shown.steps(node)


@holds_for(graphs)
def test_a_plain_reading_is_the_store_itself(triples: list[Triple]) -> None:
    kg = opened(triples, Reading("keep"))
    assert kg.walks is kg.store and kg.walk_labels is kg.labels


@holds_for(graphs, readings, asked, st.integers(1, 4))
def test_a_view_of_hubs_has_steps_of_every_relation(
    triples: list[Triple], reading: Reading, terms: list[Term], limit: int
) -> None:
    kg = opened(triples, reading)
    whole = kg.walks.neighbours(terms)
    found, _ = NeighbourCache(kg.walks, limit=limit).look_up(terms, inverse=True)
    for steps, some in zip(whole, found, strict=True):
        assert set(some.steps) <= set(steps)
        for inverse in (False, True):
            relations = {step.triple.relation for step in steps if step.inverse == inverse}
            shown = {step.triple.relation for step in some.steps if step.inverse == inverse}
            assert len(shown) == min(limit, len(relations))


def test_a_hub_one_way_has_its_steps_the_other_way_behind_what_leads_nowhere() -> None:
    hub, relation = NODES[0], "<http://example.org/r0>"
    nowhere = [Triple(hub, relation, f"<http://example.org/m{n}>") for n in (0, 1)]
    triples = [Triple(hub, relation, hub), *nowhere, Triple(NODES[1], relation, hub)]
    kg = opened(sorted({*triples, *named()}), Reading("collapse"))
    ((steps, more),), _ = NeighbourCache(kg.walks, limit=1).look_up([hub], inverse=True)
    assert {step.inverse for step in steps} == {False, True} and more
