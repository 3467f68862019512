"""Questions that are a word away from one with an answer."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from groundwalk.agent.kg import open_kg
from groundwalk.training import near_misses
from groundwalk.training.compose import Composer, Route
from groundwalk.training.data import questioner_for
from groundwalk.training.english import load_english
from groundwalk.training.graph import load_graph, sample_walk
from groundwalk.training.near_misses import near_miss
from groundwalk.training.phrasebook import make_phrasebook
from groundwalk.training.questions import Questioner, make_questioner, route_of

from .toy import toy_graph

Way = Callable[[Composer, Route, Random], str]


@pytest.fixture(scope="module")
def world() -> Questioner:
    kg = open_kg("world")
    book = Path(__file__).parents[2] / "data" / "world" / "phrasebook.toml"
    return questioner_for(kg, load_graph(kg), book, hops=3, seed=0)


def written(world: Questioner, way: Way, rng: Random, count: int) -> list[str]:
    """The texts of a way, of as many routes."""
    texts = list[str]()
    while len(texts) < count:
        shape, topic = world.shapes.sample(rng)
        walk = sample_walk(world.graph, topic, shape.moves, rng, None) or (topic,)
        texts.append(way(world.composer, route_of(world.graph, shape.moves, walk), rng))
    return texts


def test_none_is_a_question_with_an_answer(world: Questioner) -> None:
    rng = Random(3)
    answered = set(written(world, lambda composer, *of: composer.question(*of), rng, 20_000))
    missed = [text for text in written(world, near_miss, rng, 5_000) if text]
    assert not answered & set(missed)


@pytest.mark.parametrize("way", near_misses._WAYS)
def test_each_way_changes_most_questions(world: Questioner, way: Way) -> None:
    texts = written(world, way, Random(1), 300)
    assert sum(map(bool, texts)) > 60
    assert not any(set("{}|") & set(text) for text in texts)


def test_where_classes_are_not_named_their_nouns_are_kept() -> None:
    graph, english = toy_graph(), load_english()
    toy = make_questioner(graph, make_phrasebook(graph, english), english, hops=2, seed=0)
    assert not any(written(toy, near_misses._other_class, Random(2), 50))
    assert any(written(toy, near_misses._not_so, Random(2), 50))


def test_what_is_asked_with_a_wish_has_a_plain_verb(world: Questioner) -> None:
    texts = [text for text in written(world, near_misses._not_so, Random(4), 2_000) if text]
    wished = [text.split("want to ", 1)[1] for text in texts if "want to " in text]
    assert len(wished) > 10
    assert not {"are", "is", "can", "was"} & {text.split(" ", 1)[0] for text in wished}
    assert any(text.startswith("be ") for text in wished)
