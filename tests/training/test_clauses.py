"""Clauses as sentences of their own, and questions that refer back to them."""

from random import Random

import pytest
from groundwalk.training.wording.english import MET, TOPIC, predicate, refer_back, stated


def said(clause: str, noun: str, *, many: bool, named: bool) -> set[str]:
    return {stated(clause, many, noun, named=named, rng=Random(seed)) for seed in range(40)}


@pytest.mark.parametrize(
    ("clause", "named", "sentences"),
    [
        ("that border X", True, {"several states border X", "some states border X"}),
        ("that border X", False, {"they border X"}),
        ("whose capital is X", True, {"their capital is X"}),
        ("near X", True, {""}),
        (
            f"that {TOPIC} borders",
            True,
            {f"{TOPIC} borders {n} states" for n in ("some", "several")},
        ),
        (f"that {TOPIC} borders", False, {""}),
    ],
)
def test_a_clause_about_many_is_a_sentence(clause: str, named: bool, sentences: set[str]) -> None:
    assert said(clause, "states", many=True, named=named) == sentences


def test_a_clause_about_one_is_a_sentence() -> None:
    here = said("where people speak X", "land", many=False, named=False)
    assert here == {"people speak X there"}
    there = said("where people speak X", "land", many=False, named=True)
    assert "people speak X somewhere" in there and "people speak X in a land" in there
    assert said("whose capital is X", "land", many=False, named=False) == {"its capital is X"}
    owned = said("whose capital is X", "land", many=False, named=True)
    assert owned == {"a land's capital is X", "one land's capital is X"}
    organisations = said("that include X", "organisation", many=False, named=True)
    assert organisations == {"an organisation include X", "one organisation include X"}


def test_a_verb_phrase_has_no_subject_of_its_own() -> None:
    assert predicate("that border X") == "border X"
    assert predicate(f"that {MET} borders") == ""
    assert predicate("that people visit") == predicate(f"that {TOPIC} borders") == ""


def test_a_question_refers_back_to_one_or_many() -> None:
    hole = "\ufff9"
    one = {refer_back(f"what borders {hole}", False, "land", Random(seed)) for seed in range(60)}
    many = {refer_back(f"what borders {hole}", True, "lands", Random(seed)) for seed in range(60)}
    assert "what borders it" in one and "what borders that land" in one
    assert "what borders them" in many and "what borders those lands" in many
    assert refer_back(f"{hole}'s capital", False, "land", Random(0)) == "its capital"
