"""The IRIs and names of relations that exist in a reading only."""

from groundwalk.agent.kg import Reading, Term, Triple
from groundwalk.agent.kg.derived.relations import (
    Joined,
    ReadingLabels,
    about,
    parts_of,
    predicate_of,
)
from hypothesis import given
from hypothesis import strategies as st

from ....properties import holds_for
from .worlds import ENTITIES, LABEL, RELATIONS, graphs, iri, opened, readings

texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)
terms = texts.map(lambda text: f"<http://example.org/{text}>") | st.just("<urn:x:joined:+a:-b>")
walked = st.tuples(terms, st.booleans())
joins = st.builds(Joined, walked, walked)


@given(joins, joins)
def test_an_iri_says_what_it_joins(one: Joined, other: Joined) -> None:
    assert parts_of(one.term) == one
    assert (one.term == other.term) == (one == other)
    assert one.turned.turned == one
    assert parts_of(Joined((one.term, False), other.second).term) is not None
    assert predicate_of(one.term) is None and parts_of(about(other.term)) is None
    assert predicate_of(about(one.first[0])) == one.first[0]


@given(terms)
def test_other_relations_are_no_joined_ones(term: Term) -> None:
    assert parts_of(term) is None and predicate_of(term) is None
    assert parts_of("<urn:groundwalk:joined:>") is None
    assert parts_of("<urn:groundwalk:joined:+a:*b>") is None
    assert predicate_of("<urn:groundwalk:about:>") is None


@holds_for(graphs, readings, st.permutations([*RELATIONS, *ENTITIES]), quick=25, slow=60)
def test_names_are_unique_and_those_of_the_kg_stay(
    triples: list[Triple], reading: Reading, order: list[Term]
) -> None:
    kg = opened(triples, reading)
    relations = sorted({fact.relation for fact in kg.walks.facts()})
    asked = list(dict.fromkeys([*relations, *order]))
    names = kg.walk_labels.names(asked)
    assert len(set(names)) == len(names)
    own = dict(zip(asked, names, strict=True))
    assert kg.labels.names(order) == [own[term] for term in order]
    assert [info.term for info in kg.walk_labels.describe(asked)] == asked


def test_names_of_joined_relations() -> None:
    one, other, third = RELATIONS[:3]
    facts = [Triple(ENTITIES[0], relation, ENTITIES[1]) for relation in (one, other, third)]
    labels = [
        Triple(t, LABEL, f'"{text}"')
        for t, text in ((one, "held"), (other, "held"), (third, "since"))
    ]
    labels += [Triple(iri("e0"), LABEL, '"Ada"')]
    named = ReadingLabels(opened([*facts, *labels], Reading("keep")).labels)
    same, different = Joined((one, False), (other, False)), Joined((one, False), (third, False))
    back = Joined((one, True), (third, False))
    assert named.names([same.term, different.term, one]) == [
        "held (statement)",
        "held-since",
        "held",
    ]
    assert len(set(named.names([different.term, back.term]))) == 2
    assert named.names([about(third)]) == ["since"]
