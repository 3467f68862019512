"""Which candidates a reply fits."""

import pytest
from groundwalk.agent.linking.mention import asking, listed_names, picked
from groundwalk.agent.records import Entity


def entity(term: str, label: str, description: str = "", kind: str = "") -> Entity:
    return Entity(term=f"<urn:{term}>", label=label, kind=kind, description=description, score=1.0)


WHICH = asking("one")
OPTIONS = [
    entity("niger", "Niger", "country in West Africa"),
    entity("river", "Niger River", "", "river"),
    entity("nigeria", "Nigéria", "country independent since 1960, with Lagos"),
    entity("film", "2 Days in \x1b[31mNiger", "film"),
]


@pytest.mark.parametrize(
    ("reply", "terms"),
    [
        ("1", ["niger"]),
        ("4.", ["film"]),
        ("2)", ["river"]),
        ("0", []),
        ("5", []),
        ("196", []),
        ("1960", ["nigeria"]),
        ("²", ["film"]),
        ("niger", ["niger"]),
        ("NIGERIA!", ["nigeria"]),
        ("river", ["river"]),
        ("the river", []),
        ("lago", ["nigeria"]),
        ("country", ["niger", "nigeria"]),
        ("nig", ["niger", "river", "nigeria", "film"]),
        ("days in", ["film"]),
        ("<urn:river>", ["river"]),
        ("", []),
        ("  ", []),
        ("?", []),
        ("\udcff", []),
    ],
)
def test_a_reply_fits_what_it_names(reply: str, terms: list[str]) -> None:
    assert [option["term"] for option in picked(reply, OPTIONS, WHICH)] == [
        f"<urn:{t}>" for t in terms
    ]


@pytest.mark.parametrize(
    ("reply", "fitting"),
    [
        ("Holland", [0, 1, 2]),
        ("  holland?", [0, 1, 2]),
        ("2", [1]),
        ("Michigan", [1]),
        ("Holland (Michigan)", [1]),
        ("netherlands", [0]),
        ("Hollan", [1, 2]),
        ("", []),
    ],
)
def test_the_name_that_was_asked_about_is_no_choice(reply: str, fitting: list[int]) -> None:
    """Its options may have it as an alias, and one of them as its label."""
    rivals = [
        entity("nl", "Netherlands", "country"),
        entity("mi", "Holland (Michigan)"),
        entity("hl", "Holland"),
    ]
    assert picked(reply, rivals, asking("Holland")) == [rivals[place] for place in fitting]


def test_a_term_is_a_choice_though_the_name_that_was_asked_about_is_in_it() -> None:
    value = Entity(term='"Holland"', label="Holland (2)", kind="", description="", score=1.0)
    rivals = [entity("hl", "Holland"), value]
    assert picked('"Holland"', rivals, asking("Holland")) == [value]


def test_no_identifier_of_a_blank_node_is_listed() -> None:
    blank = Entity(term="_:b1", label="Holland (2)", kind="", description="", score=1.0)
    assert listed_names([entity("hl", "Holland"), blank]) == ["Holland (<urn:hl>)", "Holland (2)"]


def test_a_kind_is_a_description_only_where_there_is_no_other() -> None:
    rivals = [entity("a", "Congo", "a state", "country"), entity("b", "Congo River", "", "river")]
    assert not picked("country", rivals, WHICH) and picked("river", rivals, WHICH) == [rivals[1]]


def test_a_name_as_it_is_written_is_one_of_those_that_differ_in_case() -> None:
    rivals = [entity("a", "US"), entity("b", "us"), entity("c", "Us")]
    assert picked("us", rivals, WHICH) == [rivals[1]] and picked("uS", rivals, WHICH) == rivals


@pytest.mark.parametrize(
    ("reply", "fitting"),
    [
        ("Mia Stone", [0, 1, 2]),
        ("mia stone!", [0, 1, 2]),
        ("Mia Stone (Baker)", [1]),
        ("mia stone (baker)", [1]),
        ("Mia Stone (Baker 2)", [2]),
        ("Mia Stone Ltd", [3]),
        ("Stone", [0, 1, 2, 3, 4]),
        ("Stone (rock", [4]),
        ("bakes: rye", [0]),
    ],
)
def test_a_name_of_several_is_no_choice(reply: str, fitting: list[int]) -> None:
    """What tells them apart in brackets is no part of the name that people know."""
    rivals = [
        entity("a", "Mia Stone", "Baker; bakes: rye", "Baker"),
        entity("b", "Mia Stone (Baker)", "Baker; bakes: buns", "Baker"),
        entity("c", "Mia Stone (Baker 2)", "Baker; bakes: cake", "Baker"),
        entity("d", "Mia Stone Ltd"),
        entity("e", "Stone (rock) Road"),
    ]
    assert picked(reply, rivals, WHICH) == [rivals[place] for place in fitting]


@pytest.mark.parametrize(
    ("label", "description", "kind", "listed"),
    [
        ("Paris (city in Texas)", "city in Texas, United States", "City", "Paris (%s)"),
        ("Mia (Baker)", "Baker; bakes: buns", "Baker", "Mia (%s)"),
        ("Mia (Baker 2)", "Baker; bakes: buns", "Baker", "Mia (Baker 2) (%s)"),
        ("Mia (Bake)", "Baker; bakes: buns", "Baker", "Mia (Bake) (%s)"),
        ("Rock (on (the) hill)", "on (the) hill, grey", "", "Rock (%s)"),
    ],
)
def test_what_a_name_has_in_brackets_is_said_once(
    label: str, description: str, kind: str, listed: str
) -> None:
    assert listed_names([entity("a", label, description, kind)]) == [listed % description]


def test_a_term_or_an_option_as_it_is_listed_is_a_choice() -> None:
    rivals = [
        Entity(
            term=f"<https://e.x/{n}>",
            label=label,
            kind="Employee",
            description=f"Employee; hired on: {day} March 2019",
            score=1.0,
        )
        for n, label, day in ((1, "Anna Berg", 1), (2, "Anna Berg (Employee)", 2))
    ]
    listed = listed_names(rivals)
    assert listed[1] == "Anna Berg (Employee; hired on: 2 March 2019)"
    for rival, words in zip(rivals, listed, strict=True):
        for reply in (rival["term"], rival["term"][1:-1], words):
            assert picked(reply, rivals, WHICH) == [rival]
