"""Over a graph that is read in a way, a query is asked of the facts that the reading presents."""

from typing import Any

from groundwalk.agent.kg import Reading, Triple
from groundwalk.agent.query.binding import Mention, bind
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.tree import read_query
from hypothesis import given, note, settings
from hypothesis import strategies as st

from ..kg.reading.oracle import presented
from ..kg.reading.worlds import NODES, PROFILE, graphs, opened, readings
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


def trees(relations: list[str], one_way: list[str]) -> st.SearchStrategy[Tree]:
    """Queries along relations; those that are walked one way are not walked back."""
    there = st.fixed_dictionaries({"relation": st.sampled_from(relations)})
    both = [own for own in relations if own not in one_way]
    back = st.fixed_dictionaries({"relation": st.sampled_from(both), "inverse": st.just(True)})
    hops = there | back if both else there
    starts = st.sampled_from([[0], [1], [0, 1], {"class": "anything"}]) | st.sampled_from(
        relations
    ).map(lambda own: {"domain": own})
    conditions = (
        st.builds(
            lambda hop, op: {**hop, "op": op}, hops, st.sampled_from(["exists", "not exists"])
        )
        | st.builds(
            lambda hop, op: {**hop, "op": op, "mention": 0}, hops, st.sampled_from("= !=".split())
        )
        | st.builds(
            lambda hop, op, number: {**hop, "count": True, "op": op, "value": number},
            hops,
            st.sampled_from(["=", ">", "<"]),
            st.integers(0, 2),
        )
    )
    sets = st.fixed_dictionaries(
        {
            "start": starts,
            "steps": st.lists(hops, max_size=2),
            "filters": st.lists(conditions, max_size=1),
        }
    )
    both_sets = st.builds(
        lambda own, key, inner: {**own, key: [inner]}, sets, st.sampled_from(["and", "not"]), sets
    )
    told = st.sampled_from([{}, {}, {"answer": "count"}, {"answer": "yesno"}])
    return st.builds(lambda own, more: {**own, **more}, sets | both_sets, told)
