"""Names are comparable, readable and unique."""

from random import Random

import pytest
from groundwalk.agent.kg.labels.names import (
    Naming,
    free_name,
    local_name,
    normalise,
    one_line,
    short_form,
    unique_names,
)
from hypothesis import given
from hypothesis import strategies as st

TEXTS = st.text(st.characters(exclude_categories=("Cs",)))


@given(TEXTS)
def test_normalise_is_idempotent(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(TEXTS)
def test_normalise_forgets_case_and_outer_space(text: str) -> None:
    assert normalise(f"  {text}\n") == normalise(text)
    if text.isascii():
        assert normalise(text.upper()) == normalise(text.lower())


@pytest.mark.parametrize(
    ("text", "norm"),
    [
        ("São Tomé", "sao tome"),
        ("Côte d’Ivoire", "cote d ivoire"),
        ("GUINEA-BISSAU", "guinea bissau"),
        ("Straße", "strasse"),
        ("starred_actors", "starred actors"),
        ("ﬁlm №1", "film no1"),
        ("हिन्दी", "हिनदी"),
        ("Москва", "москва"),
        ("東京", "東京"),
        ("$", "$"),
        ("  ... ", "..."),
        ("", ""),
    ],
)
def test_normalise(text: str, norm: str) -> None:
    assert normalise(text) == norm


@pytest.mark.parametrize(
    ("term", "relation", "name"),
    [
        ("<http://example.org/New_York>", False, "New York"),
        ("<http://example.org/onto#birthPlace>", True, "birth place"),
        ("<http://example.org/onto#birthPlace>", False, "birthPlace"),
        ("<http://example.org/hasURL>", True, "has URL"),
        ("<http://example.org/starred_actors>", True, "starred actors"),
        ("<http://example.org/S%C3%A3o%20Tom%C3%A9>", False, "São Tomé"),
        ("<urn:groundwalk:A%7CB>", False, "A|B"),
        ("<http://example.org/city/>", False, "city"),
        ("<http://example.org>", False, "example.org"),
        ("<http://www.wikidata.org/entity/Q42>", False, "Q42"),
        ("_:b0", False, "_:b0"),
        ('"12"^^<http://www.w3.org/2001/XMLSchema#integer>', False, "12"),
        ('"a\\nb"@en', False, "a b"),
        ('""', False, '""'),
    ],
)
def test_local_names(term: str, relation: bool, name: str) -> None:
    assert local_name(term, relation=relation) == name


@given(TEXTS)
def test_one_line_is_one_clean_line(text: str) -> None:
    line = one_line(text)
    assert line.isprintable()
    assert line == " ".join(line.split())


def test_short_forms() -> None:
    assert short_form("U.S. state") == "U.S. state"
    assert short_form("state of the United States, in the south") == "state of the United States"
    assert short_form("A city. It is large.") == "A city"
    assert short_form("a description that is much too long to stand in brackets") == ""


def naming(number: int, label: str, degree: int = 0, description: str = "", kind: str = ""):
    return Naming(f"<http://example.org/e{number}>", label, description, kind, degree)


def test_the_best_connected_keeps_the_label_and_others_are_qualified() -> None:
    names = unique_names(
        [
            naming(1, "Georgia", 1, description="U.S. state"),
            naming(2, "Georgia", 15, description="country in the Caucasus"),
            naming(3, "Georgia", 0, kind="font"),
            naming(4, "Georgia"),
            naming(5, "Paris"),
        ]
    )
    assert list(names.values()) == [
        "Georgia",
        "Paris",
        "Georgia (U.S. state)",
        "Georgia (font)",
        "Georgia (e4)",
    ]


def test_blank_nodes_of_one_name_are_numbered() -> None:
    names = unique_names(Naming(f"_:b{n}", "2012", kind="Post" * (n > 2)) for n in range(5))
    assert list(names.values()) == ["2012", "2012 (2)", "2012 (3)", "2012 (Post)", "2012 (Post 2)"]


def test_ties_go_to_the_smallest_term_and_numbers_help_at_last() -> None:
    names = unique_names(
        [
            Naming('"5"', "5"),
            Naming('"5"^^<a:b>', "5", kind="b"),
            Naming('"5"@en', "5"),
            naming(1, "5 (2)"),
        ]
    )
    assert names == {
        '"5"': "5",
        '"5"^^<a:b>': "5 (b)",
        '"5"@en': "5 (3)",
        "<http://example.org/e1>": "5 (2)",
    }


NAMINGS = st.lists(
    st.builds(
        Naming,
        st.integers(0, 30).map(lambda i: f"<http://example.org/e{i}>"),
        st.sampled_from(["A", "A (city)", "A (2)", "B", "e1"]),
        st.sampled_from(["", "city", "a, b"]),
        st.sampled_from(["", "city", "A"]),
        st.integers(0, 3),
    ),
    unique_by=lambda n: n.term,
)


@given(NAMINGS, st.randoms())
def test_names_are_unique_complete_and_independent_of_order(
    namings: list[Naming], random: Random
) -> None:
    names = unique_names(namings)
    assert names.keys() == {n.term for n in namings}
    assert len(set(names.values())) == len(namings)
    shuffled = list(namings)
    random.shuffle(shuffled)
    assert unique_names(shuffled) == names


@given(NAMINGS)
def test_names_that_are_taken_stay(namings: list[Naming]) -> None:
    taken = {"<urn:taken>": "A"}
    names = unique_names(namings, named=taken)
    assert names["<urn:taken>"] == "A"
    assert len(set(names.values())) == len(names)


def test_numbering_a_thousand_namesakes_does_not_start_anew_for_each() -> None:
    used = {"A"}
    asked = 0

    def take(name: str) -> bool:
        nonlocal asked
        asked += 1
        free = name not in used
        used.add(name)
        return free

    numbers: dict[str, int] = {}
    names = [free_name(Naming(f"<urn:{i}/A>", "A"), take, numbers) for i in range(1_000)]
    assert names == [f"A ({number})" for number in range(2, 1_002)]
    assert asked == 1_000
    numbers.clear()
    assert free_name(Naming("<urn:x/A>", "A"), take, numbers) == "A (1002)"
