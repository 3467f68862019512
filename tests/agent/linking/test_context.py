"""What stands around a name tells what it is, and whether it is one."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from groundwalk.agent.kg import open_kg
from groundwalk.agent.linking import LabelLinker, is_ambiguous


def test_what_a_relation_is_called_names_no_entity(tmp_path: Path) -> None:
    (tmp_path / "un.kb").write_text(
        "Iran|UN subregion|Southern Asia\nIran|member of|UN\n", encoding="utf-8"
    )
    with closing(open_kg(str(tmp_path / "un.kb"), cache=tmp_path / "cache")) as kg:
        linker = LabelLinker(kg.labels)
        for question, expected in {
            "Which UN subregion is Iran in?": ["Iran"],
            "the UN subregions of Iran": ["Iran"],
            "Is Iran in the UN?": ["Iran", "UN"],
        }.items():
            assert [mention.text for mention in linker.link(question)] == expected


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("What is the Spanish capital?", "country/spain"),
        ("Which Italian lakes are there?", "country/italy"),
        ("currencies of German neighbours", "country/germany"),
        ("french rivers", "country/france"),
        ("Which Egyptian cities are there?", "country/egypt"),
        ("Which South American countries are there?", "continent/south-america"),
        ("Which American cities do you know?", "country/united-states"),
        ("Name a few Alpine peaks.", "range/alps"),
        ("Spanish-speaking countries", "language/spanish"),
        ("Spanish speaking countries", "language/spanish"),
        ("Where is the Russian language spoken?", "language/russian"),
        ("Which countries have French as official language?", "language/french"),
        ("Where is French an official language?", "language/french"),
        ("In which cities do they speak German?", "language/german"),
        ("Who uses the Swiss franc?", "currency/swiss-franc"),
        ("Who shares the Southern Alps?", "range/southern-alps"),
        ("What is the capital of Spain?", "country/spain"),
        ("Where is Spanish official?", "language/spanish"),
        ("What do countries that speak French border?", "language/french"),
        ("Where people speak French border crossings are rare.", "language/french"),
        ("Spanish countries", "language/spanish"),
        ("Georgia capital", "country/georgia"),
        ("Victoria capital", "city/victoria"),
    ],
)
def test_an_adjective_before_a_word_of_the_graph_means_what_it_is_made_of(
    world: LabelLinker, question: str, meant: str
) -> None:
    (mention,) = world.link(question)
    assert mention.candidates[0].term == f"<https://groundwalk.example/world/{meant}>"
    assert not is_ambiguous(mention)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        (
            "African countries where Portugese is an official language?",
            ["continent/africa", "language/portuguese"],
        ),
        ("where is portugese spoken in africa", ["language/portuguese", "continent/africa"]),
        (
            "Which Portugese rivers flow into the Atlantic Ocean?",
            ["country/portugal", "ocean/atlantic-ocean"],
        ),
        ("Portugese rivers", ["country/portugal"]),
        ("African countries that border Kazakstan", ["continent/africa", "country/kazakhstan"]),
        ("which French-speaking countries border Isreal", ["language/french", "country/israel"]),
        ("Which tigers live in Nigeria?", ["country/nigeria"]),
        ("Which languages do Javanese people in Indonesia speak?", ["country/indonesia"]),
        ("Which languages are spoken in Granada, Spain?", ["country/spain"]),
        ("what is the most common surname in china", ["country/china"]),
        ("Which European countries have a Romanic language?", ["continent/europe"]),
    ],
)
def test_a_misspelt_word_beside_a_name_means_what_it_would_spelt_rightly(
    world: LabelLinker, question: str, meant: list[str]
) -> None:
    best = [mention.candidates[0].term for mention in world.link(question)]
    assert best == [f"<https://groundwalk.example/world/{key}>" for key in meant]


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Don't tell me about Russia", ["country/russia"]),
        ("what can't i miss in chile", ["country/chile"]),
        ("Which countries share the 8,611 m peak?", []),
    ],
)
def test_neither_a_contraction_nor_an_ordinary_word_is_a_name(
    world: LabelLinker, question: str, meant: list[str]
) -> None:
    best = [mention.candidates[0].term for mention in world.link(question)]
    assert best == [f"<https://groundwalk.example/world/{key}>" for key in meant]


@pytest.mark.parametrize("question", ["the Dominican capital", "the Korean currency"])
def test_an_adjective_of_two_countries_is_asked_about(world: LabelLinker, question: str) -> None:
    (mention,) = world.link(question)
    assert is_ambiguous(mention)


def test_adjectives_of_a_list_describe_the_same_word(world: LabelLinker) -> None:
    named = [own.candidates[0].label for own in world.link("Spanish, French and Italian lakes")]
    assert named == ["Spain", "France", "Italy"]


def test_another_spelling_of_the_same_class_is_no_adjective(tmp_path: Path) -> None:
    (tmp_path / "films.ttl").write_text(
        """@prefix : <https://example.org/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :Film rdfs:label "film" .
        :a a :Film ; rdfs:label "Alien" ; :director :r . :r rdfs:label "Ridley" .
        :b a :Film ; rdfs:label "Aliens" ; skos:hiddenLabel "Alien" ; :director :j .
        :j rdfs:label "James" . :director rdfs:label "director" . :Role rdfs:label "role" .
        :c a :Role ; rdfs:label "Alien" ; :director :r, :j .""",
        encoding="utf-8",
    )
    with closing(open_kg(str(tmp_path / "films.ttl"), cache=tmp_path / "cache")) as kg:
        (mention,) = LabelLinker(kg.labels).link("Who is the Alien director?")
    assert [own.label for own in mention.candidates] == ["Alien", "Alien", "Aliens"]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabelLinker]:
    with closing(open_kg("world", cache=tmp_path_factory.mktemp("cache"))) as kg:
        yield LabelLinker(kg.labels)
