"""Readings from the texts of options, and what profiles prefer."""

import json
from dataclasses import asdict

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.kg import GENERIC, Reading, load_profile, reading_of


def test_texts_of_options() -> None:
    assert reading_of() == Reading()
    assert reading_of("keep") == Reading("keep") and Reading("keep").plain
    assert reading_of("collapse", "same-as, inverse-of,") == Reading("collapse", True, True, False)
    assert reading_of("", ["sub-property-of"]) == Reading(None, sub_property_of=True)


@pytest.mark.parametrize(
    ("mediators", "infer", "word"),
    [("drop", "", "drop"), ("", "sameas", "sameas"), ("keep", "same-as inverse-of", "same-as in")],
)
def test_other_words_are_refused(mediators: str, infer: str, word: str) -> None:
    with pytest.raises(InputError, match=word) as caught:
        reading_of(mediators, infer)
    assert caught.value.hint


@pytest.mark.parametrize("name", ["generic", "dbpedia", "wikidata", "freebase"])
def test_statement_nodes_are_passed_through_where_they_have_no_names(name: str) -> None:
    profile = load_profile(name)
    wanted = "collapse" if name in ("wikidata", "freebase") else "keep"
    assert Reading().settled(profile).mediators == wanted
    assert Reading(same_as=True).settled(profile) == Reading(wanted, same_as=True)
    assert Reading("keep").settled(profile) == Reading("keep")
    assert GENERIC.same_as and set(GENERIC.same_as) <= set(profile.same_as)


def test_a_reading_is_json_and_names_its_files() -> None:
    reading = Reading("collapse", same_as=True)
    assert Reading(**json.loads(json.dumps(asdict(reading)))) == reading
    assert reading.suffix == "-mediators-same-as" and Reading("keep").suffix == ""
