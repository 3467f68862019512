"""Triplet-F1 against examples worked by hand."""

import pytest
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.records import Named, StepRecord
from groundwalk.evaluation.records import Asked, answered, failed
from groundwalk.evaluation.samples import Gold, Sample
from groundwalk.evaluation.scoring.metrics import triplet_f1
from hypothesis import given
from hypothesis import strategies as st

from ..stubs import named, proven, says

PERU = ("Peru", "capital", "Lima")
LIMA = ("Lima", "mayor", "Ann")


def step(head: str, relation: str, tail: str, *, inverse: bool = False) -> StepRecord:
    return StepRecord(
        head=named(head),
        relation=named(relation),
        tail=named(tail),
        inverse=inverse,
        verdict="supported",
    )


def test_without_gold_chains_there_is_none() -> None:
    assert triplet_f1([[step(*PERU)]], []) is None
    assert triplet_f1([[step(*PERU)]], [()]) is None


@pytest.mark.parametrize(
    ("gold", "f1"),
    [
        ((PERU, LIMA), 1.0),
        ((PERU,), 2 / 3),
        ((("PERU", "Capital", " lima"), ("a", "b", "c")), 1 / 2),
        ((("<urn:Peru>", "<urn:capital>", "<urn:Lima>"), LIMA), 1.0),
        ((("<urn:peru>", "<urn:capital>", "<urn:Lima>"),), 0.0),
        ((("Lima", "capital", "Peru"),), 0.0),
        ((("Peru", "^capital", "Ann"),), 0.0),
    ],
)
def test_names_and_terms(gold: tuple[tuple[str, str, str], ...], f1: float) -> None:
    given = [[step(*PERU), step(*LIMA, inverse=True)], [step(*PERU, inverse=True)]]
    assert triplet_f1(given, [gold]) == pytest.approx(f1)


def test_the_best_of_several_gold_chains_counts() -> None:
    assert triplet_f1([[step(*PERU)]], [(LIMA,), (PERU, LIMA), (PERU,)]) == 1


def test_the_chains_to_several_answers_count_together() -> None:
    both = [[step(*PERU), step(*LIMA)], [step(*PERU), step("Lima", "mayor", "Eve")]]
    gold = [(PERU, LIMA), (PERU, ("Lima", "mayor", "Eve"))]
    assert triplet_f1(both, gold) == 1
    assert triplet_f1(both[:1], gold) == 1
    assert triplet_f1([*both, [step("Peru", "borders", "Chile")]], gold) == pytest.approx(6 / 7)


def test_the_kgs_own_label_and_the_name_in_an_iri_count() -> None:
    walked: list[list[StepRecord]] = [
        [{**step(*PERU), "head": Named(term="<urn:x>", label="Peru (country)")}]
    ]
    assert triplet_f1(walked, [(PERU,)]) == 0
    assert triplet_f1(walked, [(PERU,)], {"<urn:x>": "Peru"}) == 1
    iri = Named(term="<urn:groundwalk:Per%C3%BA>", label="?")
    walked = [[{**step(*PERU), "head": iri}]]
    assert triplet_f1(walked, [(("Perú", "capital", "Lima"),)]) == 1


def test_a_literal_is_met_by_its_text_and_a_typed_one_by_its_term() -> None:
    year = Named(term='"1972"', label="1972")
    walked: list[list[StepRecord]] = [[{**step(*PERU), "tail": year}]]
    assert triplet_f1(walked, [(("Peru", "capital", "1972"),)]) == 1
    assert triplet_f1(walked, [(("Peru", "capital", '"1972"'),)]) == 1
    assert triplet_f1(walked, [(("Peru", "capital", '"1972"^^<urn:year>'),)]) == 0


TRIPLES = st.lists(st.tuples(*[st.sampled_from("abc")] * 3), max_size=6)


@given(TRIPLES, TRIPLES.filter(bool))
def test_it_is_the_f1_of_sets(
    walked: list[tuple[str, str, str]], gold: list[tuple[str, str, str]]
) -> None:
    found = triplet_f1([[step(*triple) for triple in walked]], [gold])
    common, total = len({*walked} & {*gold}), len({*walked}) + len({*gold})
    assert found == pytest.approx(2 * common / total)


def test_records_have_it() -> None:
    sample = Sample("1", "q", (Gold(label="Lima"),), chains=((("Peru", "has", "Lima"),),))
    asked = Asked("d", "s", "gcr")
    assert answered(sample, asked, says(proven("Lima")), 0.1)["triplet_f1"] == 1
    assert answered(sample, asked, says(), 0.1)["triplet_f1"] == 0
    assert failed(sample, asked, ServiceError("gone"), 0.1)["triplet_f1"] == 0
    assert answered(Sample("1", "q"), asked, says(), 0.1)["triplet_f1"] is None
