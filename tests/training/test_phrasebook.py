"""What a phrasebook says of classes: wordings for some, names that behave, questions they lack."""

from itertools import islice
from pathlib import Path
from random import Random

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.kg import open_kg
from groundwalk.training.questions.compose import Route
from groundwalk.training.questions.graph import load_graph
from groundwalk.training.questions.questioner import Questioner, make_questioner
from groundwalk.training.questions.unanswerable import Refuser
from groundwalk.training.wording.english import TOPIC, load_english
from groundwalk.training.wording.phrasebook import make_phrasebook
from groundwalk.training.wording.template import with_article

from .toy import toy_graph

BOOK = """
[[money]]
noun = ["the cash of {x}"]

[[money]]
from = ["country"]
noun = ["the dough of {x}"]

[[money]]
from = ["city"]
noun = ["the coppers of {x}"]

[["^money"]]
to = ["city"]
word = ["{largest city//largest cities}"]
noun = ["the towns of {x}"]

[capital]
noun = ["the {t} of {x}"]
ask = ["what is the seat of {x}"]

[names]
article = ["country"]
plural = ["city"]
values = ["currency"]
visited = ["city"]

[lacks.currency]
attribute = ["zest"]
ask = ["why does {x} glow"]
"""


def questioner(folder: Path, text: str = BOOK) -> Questioner:
    file = folder / "book.toml"
    file.write_text(text, encoding="utf-8")
    graph, english = toy_graph(), load_english()
    return make_questioner(graph, make_phrasebook(graph, english, file), english, hops=2, seed=0)


@pytest.fixture(scope="module")
def world() -> Questioner:
    graph, english = load_graph(open_kg("world")), load_english()
    file = Path(__file__).parents[2] / "data" / "world" / "phrasebook.toml"
    book = make_phrasebook(graph, english, file)
    return make_questioner(graph, book, english, hops=3, seed=0)


def test_tables_that_fit_the_classes_are_read_as_one(tmp_path: Path) -> None:
    book = questioner(tmp_path).composer.book
    fitting = book.wording(("money",), "country", "currency")
    assert fitting and fitting.noun == ("the cash of {x}", "the dough of {x}")
    other = book.wording(("money",), "lake", "currency")
    assert other and other.noun == ("the cash of {x}",)


def test_what_no_table_fits_is_worded_generically(tmp_path: Path) -> None:
    book = questioner(tmp_path).composer.book
    generic = book.wording(("^money",), "currency", "country")
    assert generic and generic.noun and "the towns of {x}" not in generic.noun
    assert book.wording(("money", "^money"), "country", "country") is None


def test_names_take_their_article_and_their_number(tmp_path: Path) -> None:
    composer = questioner(tmp_path).composer
    rng = Random(0)
    names = {
        kind: [composer.phrase(Route((), (kind,)), 0, rng) for _ in range(300)]
        for kind in ("country", "city", "currency")
    }
    articles = {k: sum(p.text == f"the {TOPIC}" for p in found) for k, found in names.items()}
    assert articles["country"] > 100 > 30 > articles["city"]
    assert {phrase.text for phrase in names["currency"]} == {TOPIC}
    assert sum(phrase.many for phrase in names["city"]) > 100
    assert not any(phrase.many for phrase in names["country"])


def test_only_places_are_visited(tmp_path: Path) -> None:
    composer = questioner(tmp_path).composer
    for kind, visited in (("city", True), ("country", False)):
        rng = Random(1)
        phrase = composer.phrase(Route((), (kind,)), 0, rng)
        texts = [composer.refer(phrase, kind, "what is it", rng) for _ in range(300)]
        assert any(text.startswith("i live in") for text in texts) == visited


def test_what_a_class_lacks_is_asked_of_that_class_alone(tmp_path: Path) -> None:
    refuser = questioner(tmp_path).refuser
    texts = {
        kind: " / ".join(refuser.question(Route((move,), kinds), Random(_)) for _ in range(400))
        for kind, move, kinds in (
            ("currency", "^money", ("currency", "country")),
            ("country", "money", ("country", "currency")),
        )
    }
    assert "zest" in texts["currency"] and "glow" in texts["currency"]
    assert "zest" not in texts["country"] and "glow" not in texts["country"]


def test_nothing_is_ranked_by_what_the_graph_holds(tmp_path: Path) -> None:
    refuser = questioner(tmp_path).refuser
    route = Route(("capital",), ("country", "city"))
    texts = [refuser.question(route, Random(_)) for _ in range(2000)]
    assert any("oldest city" in text for text in texts)
    ranked = [text for text in texts if "largest city" in text]
    assert ranked and all("second largest city" in text for text in ranked)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[names]\narticles = []\n", ":1:"),
        ("\n[lacks.city]\nattributes = ['x']\n", ":2:"),
        ("\n\n[lacks.city]\nask = ['why (is {x}']\n", ":4:"),
    ],
)
def test_mistakes_in_what_is_said_of_classes_name_their_line(
    tmp_path: Path, text: str, error: str
) -> None:
    with pytest.raises(InputError, match=error):
        questioner(tmp_path, text)


@pytest.mark.parametrize(
    "line", ["rules = ['city']", "capital = ['planet']", "capital = 'city'", "capital = [7]"]
)
def test_what_nobody_asks_is_of_relations_and_classes_that_there_are(
    tmp_path: Path, line: str
) -> None:
    with pytest.raises(InputError, match=":1: .*(no relation 'rules'|no class .*|no list)"):
        questioner(tmp_path, f"[foreign]\n{line}\n")


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("a ocean and a river", "an ocean and a river"),
        ("that is a union of a one", "that is a union of a one"),
        ("what a alliance", "what an alliance"),
    ],
)
def test_an_article_before_a_vowel(text: str, right: str) -> None:
    assert with_article(text) == right


def test_the_world_has_wordings_for_all_its_relations_between_all_its_classes(
    world: Questioner,
) -> None:
    graph, book = world.graph, world.composer.book
    for move, edges in graph.edges.items():
        key = (graph.spell(move),)
        for start, end in {
            (graph.kinds[head], graph.kinds[tail])
            for head, tails in edges.items()
            for tail in tails
        }:
            found = book.wording(key, start, end)
            assert found is not None and found is not book.generic[key]
            assert found.word and found.noun and found.ask
            assert found.that or end in book.names.values


def test_the_world_names_its_classes(world: Questioner) -> None:
    book = world.composer.book
    known = set(world.graph.kinds)
    assert known <= book.classes.keys()
    named = book.names
    assert (
        named.article | named.plural | named.visited | named.values | book.unanswerable.keys()
        <= known
    )
    for wordings in book.wordings.values():
        for wording in wordings:
            assert wording.starts | wording.ends <= known
            assert wording.noun or wording.that or wording.ask


def test_the_world_composes_no_leftover_of_a_template(world: Questioner) -> None:
    for sample in islice(world.stream(2), 3000):
        assert "//" not in sample.question
        assert not set("{}|") & set(sample.question)


def test_the_world_does_not_refuse_what_it_can_answer(world: Questioner) -> None:
    refuser: Refuser = world.refuser
    assert not {"river", "mountain", "coast", "largest city", "height"} & set(refuser.attributes)
    assert {"president", "population"} <= set(refuser.attributes)
