"""Queries in words: plain English of the labels, and different for what is asked differently."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.query.binding import Bound, Mention, bind
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.members import lacking
from groundwalk.agent.query.phrases import as_noun, label_of, plural
from groundwalk.agent.query.tree import read_query
from groundwalk.agent.query.words import in_words

from .test_same_denotation import denotation

Tree = dict[str, Any]

SMALL = 2_500
PLACES = """
@prefix : <http://p.x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:River rdfs:label "river" . :Country rdfs:label "country" .
:through rdfs:label "flows through" . :in rdfs:label "member of" . :capital rdfs:label "capital" .
:borders rdfs:label "borders" . :genre rdfs:label "has genre" . :length rdfs:label "length" .
:coast rdfs:label "coast" . :riverIn rdfs:label "river in" .
:union rdfs:label "Union" . :lima rdfs:label "Lima" . :quito rdfs:label "Quito" .
:peru a :Country ; rdfs:label "Peru" ; :capital :lima ; :borders :ecuador ; :in :union ;
  :coast :sea .
:ecuador a :Country ; rdfs:label "Ecuador" ; :capital :quito ; :borders :peru ; :genre :sea .
:chile a :Country ; rdfs:label "Chile" ; :borders :peru ; :in :union .
:sea rdfs:label "Sea" . :lima :in :peru .
:napo a :River ; rdfs:label "Napo" ; :through :peru, :ecuador ; :length 1 ; :genre :sea .
:loa a :River ; :riverIn :peru ; rdfs:label "Loa" ; :through :chile ; :length 2 ; :in :peru .
"""
RELATIONS = ("flows through", "member of", "capital", "borders", "has genre", "river in")
THINGS = ("Peru", "Ecuador", "Chile")
BAND = """
@prefix : <http://b.x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Player rdfs:label "player" . :Instrument rdfs:label "instrument" . :Award rdfs:label "award" .
:plays rdfs:label "plays" . :awards rdfs:label "awards" . :seats rdfs:label "seats" .
:owned rdfs:label "owned by club" . :born rdfs:label "born in city" .
:ann a :Player ; rdfs:label "Ann" ; :plays :flute ; :awards :cup ; :seats 3 ; :owned :fc ;
  :born :lima .
:flute a :Instrument ; rdfs:label "flute" . :cup a :Award ; rdfs:label "Cup" .
:fc rdfs:label "FC" . :lima rdfs:label "Lima" .
"""
PLAYERS = {"start": {"class": "player"}}


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("places")
    (folder / "places.ttl").write_text(PLACES, encoding="utf-8")
    opened = open_kg(str(folder / "places.ttl"), cache=folder / "cache")
    yield opened
    opened.close()


def bound(kg: KnowledgeGraph, tree: Tree) -> Bound:
    return bind(kg, read_query(tree), [Mention(name) for name in THINGS])


def step(relation: str, *, inverse: bool = False) -> Tree:
    return {"relation": relation} | ({"inverse": True} if inverse else {})


def small(random: Random, depth: int = 2) -> Tree:
    """A query of few parts, so that many of them say nearly the same."""
    starts: list[Any] = [[0], [1], [0, 1], [2], {"class": "river"}, {"domain": "capital"}]
    kind = random.random() if depth else 1.0
    if kind < 0.1:
        starts = [{"any": [small(random, depth - 1) for _ in range(random.randint(1, 2))]}]
    elif kind < 0.2:
        starts = [small(random, depth - 1)]
    tree: Tree = {"start": random.choice(starts)}
    inverse = random.random() < 0.5
    if random.random() < 0.6:
        tree["steps"] = [step(random.choice(RELATIONS), inverse=inverse)]
    if random.random() < 0.15:
        tree["class"] = "country"
    for key in ("and", "not"):
        if depth and random.random() < 0.2:
            tree[key] = [small(random, 0)]
    if random.random() < 0.1:
        most = random.random() < 0.5
        tree["extreme"] = {**step(random.choice(RELATIONS)), "count": True, "most": most}
    return tree


def test_the_same_words_are_the_same_question(kg: KnowledgeGraph) -> None:
    random, facts = Random(7), Facts(kg)
    by_words: dict[str, dict[str, Bound]] = defaultdict(dict)
    for _ in range(SMALL):
        tree = small(random) | random.choice([{}, {}, {"answer": "yesno"}])
        query = bound(kg, tree)
        by_words[in_words(kg, query)][json.dumps(tree)] = query
    alike = {words: queries for words, queries in by_words.items() if len(queries) > 1}
    assert len(alike) > 20
    for words, queries in alike.items():
        values = [denotation(execute(facts, query)) for query in queries.values()]
        assert all(value == values[0] for value in values), (words, *queries)


LONGEST_OF_PERU = {"start": [0], "steps": [step("length")], "answer": "max"}
LONGEST = {"relation": "length", "most": True}


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ({"start": [0], "steps": [step("capital")]}, "capital of Peru"),
        ({"start": [0], "steps": [step("member of")]}, "what Peru is member of"),
        ({"start": [0], "steps": [step("has genre")]}, "genre that Peru has"),
        (
            {"start": [0], "steps": [step("member of", inverse=True)]},
            "every thing that is member of Peru",
        ),
        (
            {"start": [0], "steps": [step("flows through", inverse=True)]},
            "every river that flows through Peru",
        ),
        (
            {"start": [0], "steps": [step("borders", inverse=True)]},
            "every country that borders Peru",
        ),
        (
            {"start": [0], "steps": [step("borders")], "and": [{"start": [1]}]},
            "borders of Peru, if also Ecuador",
        ),
        (
            {"start": {"class": "river"}, "not": [{"start": {"class": "country"}}]},
            "every river, but not any country",
        ),
        (
            {"start": [0], "steps": [step("borders")], "not": [{"start": [1]}]},
            "borders of Peru, but not Ecuador itself",
        ),
        (
            {"start": {"class": "country"}, "not": [{"start": [0, 1]}]},
            "every country, but not Peru or Ecuador themselves",
        ),
        (
            {
                "start": {"class": "country"},
                "not": [{"start": [0], "steps": [step("borders")]}, {"start": [0]}],
            },
            "every country, but not borders of Peru, nor Peru itself",
        ),
        (
            {
                "start": [0],
                "steps": [step("borders", inverse=True), step("river in", inverse=True)],
            },
            "every river in any country that borders Peru",
        ),
        (
            {"start": [0], "steps": [step("capital")], "and": [{"start": [1]}], "answer": "yesno"},
            "is Ecuador the capital of Peru",
        ),
        (
            {"start": [0], "steps": [step("borders")], "and": [{"start": [1]}], "answer": "yesno"},
            "is Ecuador among borders of Peru",
        ),
        (
            {"start": [1], "not": [{"start": [0], "steps": [step("borders")]}], "answer": "yesno"},
            "is Ecuador not among borders of Peru",
        ),
        ({"start": [1], "class": "river", "answer": "yesno"}, "is Ecuador a river"),
        ({"start": {"class": "river"}, "answer": "yesno"}, "is there any river"),
        (
            {"start": [0], "steps": [step("river in", inverse=True)]},
            "every river in Peru",
        ),
        (
            {"start": {"domain": "length"}, "and": [{"start": {"domain": "river in"}}]},
            "everything with length, if also anything that is river in anything",
        ),
        (
            {
                "start": [0],
                "filters": [{**step("has genre"), "op": "exists"}],
                "answer": "yesno",
            },
            "is Peru one with genre that it has in the graph",
        ),
        (
            {
                "start": {"class": "country"},
                "extreme": {**step("coast"), "count": True, "most": True},
            },
            "every country; the one with the most coasts (number of them)",
        ),
        (
            {
                "start": {"start": {"class": "river"}, "extreme": LONGEST},
                "steps": [step("flows through")],
            },
            "what (the river with the largest length) flows through",
        ),
        (
            {
                "start": {
                    "start": {"class": "river"},
                    "group": [step("flows through")],
                    "extreme": {"agg": "count", "most": True},
                },
                "steps": [step("capital")],
            },
            "capital of (what (every river) flows through; "
            "the one with the largest number of these)",
        ),
        (
            {"start": {"class": "river"}, "extreme": {**LONGEST, "n": 2}},
            "every river; the 2 with the largest length",
        ),
        (
            {
                "start": {"class": "country"},
                "filters": [
                    {**step("flows through", inverse=True), "count": True} | {"op": ">", "value": 1}
                ],
            },
            "every country, with number of all that flows through it > 1",
        ),
        (
            {
                "start": {"class": "river"},
                "filters": [{**step("length"), "op": ">"} | {"value": LONGEST_OF_PERU}],
            },
            "every river, with length > (largest of length of Peru)",
        ),
    ],
)
def test_words_are_plain(kg: KnowledgeGraph, tree: Tree, words: str) -> None:
    assert in_words(kg, bound(kg, tree)) == words


@pytest.fixture(scope="module")
def band(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    file = tmp_path_factory.mktemp("band") / "band.ttl"
    file.write_text(BAND, encoding="utf-8")
    with open_kg(str(file)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("relation", "reached", "number"),
    [
        ("plays", "what Ann plays", "number of all that it plays"),
        ("awards", "awards of Ann", "number of: awards"),
        ("seats", "seats of Ann", "number of: seats"),
        ("owned by club", "club that Ann is owned by", "number of: owned by club"),
        ("born in city", "born in city of Ann", "number of: born in city"),
    ],
)
def test_labels_that_are_no_nouns(
    band: KnowledgeGraph, relation: str, reached: str, number: str
) -> None:
    def words(tree: Tree) -> str:
        return in_words(band, bind(band, read_query(tree), ["Ann"]))

    assert words({"start": [0], "steps": [step(relation)]}) == reached
    extreme = {"extreme": {**step(relation), "count": True, "most": True}}
    assert words(PLAYERS | extreme) == f"every player; the one with the largest {number}"
    count = {**step(relation), "count": True, "op": ">", "value": 1}
    assert words(PLAYERS | {"filters": [count]}) == f"every player, with {number} > 1"


@pytest.mark.parametrize(
    ("relation", "none_that"),
    [
        ("for customer", 'anything that it is the "for customer" of'),
        ("has skill", 'anything that it is the "has skill" of'),
        ("owned by club", 'anything that it is the "owned by club" of'),
        ("plays", "anything that plays it"),
        ("seats", "anything that seats it"),
        ("born in city", "anything that it is born in city of"),
    ],
)
def test_what_is_no_noun_is_quoted_where_it_leads_to_each(relation: str, none_that: str) -> None:
    phrase = label_of(relation).head_phrase("it")
    assert f"anything that {phrase.removeprefix('what ')}" == none_that


@pytest.mark.parametrize(
    ("label", "noun"),
    [
        ("end date", "end date"),
        ("length in metres", "length in metres"),
        ("treated with", '"treated with"'),
        ("has skill", '"has skill"'),
        ("for customer", '"for customer"'),
        ("flows through", '"flows through"'),
        ("floors", "floors"),
    ],
)
def test_what_is_no_noun_is_quoted(label: str, noun: str) -> None:
    assert as_noun(label) == noun
    note = f"1 of 2 have no {noun} in the graph"
    assert lacking(label, 2, without=1) == [note]


def test_what_is_owned_by_somebody_is_told_so(band: KnowledgeGraph) -> None:
    tree = {"start": [0], "steps": [step("owned by club", inverse=True)]}
    query = bind(band, read_query(tree), ["FC"])
    assert in_words(band, query) == "every player that is owned by club FC"


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ([], "capital of the last answers"),
        (["peru"], "capital of Peru"),
        (["peru", "chile"], "capital of Peru or Chile"),
        (["peru", "chile", "loa", "napo"], "capital of Peru, Chile or 2 more of the last answers"),
    ],
)
def test_what_a_follow_up_begins_at_is_named(
    kg: KnowledgeGraph, terms: list[str], words: str
) -> None:
    query = bound(kg, {"start": {"last": "answers"}, "steps": [step("capital")]})
    answers = [f"<http://p.x/{name}>" for name in terms]
    assert in_words(kg, replace(query, earlier={"answers": answers})) == words


@pytest.mark.parametrize(
    ("text", "form", "of"),
    [
        ("capital", "noun", "capital of X"),
        ("official languages", "noun", "official languages of X"),
        ("borders", "verb", "borders of X"),
        ("address", "noun", "address of X"),
        ("works for", "verb", "what X works for"),
        ("is located in", "verb", "what X is located in"),
        ("written by", "done", "what X is written by"),
        ("owned by club", "done", "club that X is owned by"),
        ("Part Of", "done", "what X is Part Of"),
        ("part of (some)", "done", "what X is part of (some)"),
        ("has part", "has", "part that X has"),
        ("on river", "at", "river that X is on"),
        ("", "noun", " of X"),
        ("Hauptstadt", "noun", "Hauptstadt of X"),
    ],
)
def test_labels_are_read_by_their_form(text: str, form: str, of: str) -> None:
    label = label_of(text)
    assert (label.form, label.tail_phrase("X")) == (form, of)


@pytest.mark.parametrize(
    ("noun", "several"),
    [
        ("coast", "coasts"),
        ("official language", "official languages"),
        ("city", "cities"),
        ("key", "keys"),
        ("date of birth", "dates of birth"),
        ("length in kilometres", "lengths in kilometres"),
        ("borders", "borders"),
        ("genre that it has", "genres that it has"),
        ("№ 5", "№ 5"),
        ("", ""),
    ],
)
def test_several_are_told_in_the_plural(noun: str, several: str) -> None:
    assert plural(noun) == several
