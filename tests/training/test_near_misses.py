"""Questions like one with an answer, that have none."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from groundwalk.agent.kg import open_kg
from groundwalk.training.material import questioner_for
from groundwalk.training.questions import unanswerable as near_misses
from groundwalk.training.questions.compose import Composer, Route, route_of
from groundwalk.training.questions.graph import load_graph, sample_walk
from groundwalk.training.questions.questioner import Questioner, make_questioner
from groundwalk.training.questions.unanswerable import near_miss
from groundwalk.training.wording.english import TOPIC, load_english
from groundwalk.training.wording.phrasebook import Near, make_phrasebook

from .toy import toy_graph

Way = Callable[[Composer, Near, Route, Random], str]


@pytest.fixture(scope="module")
def world() -> Questioner:
    kg = open_kg("world")
    book = Path(__file__).parents[2] / "data" / "world" / "phrasebook.toml"
    return questioner_for(kg, load_graph(kg), book, hops=3, seed=0)


def written(
    world: Questioner, write: Callable[[Route, Random], str], rng: Random, count: int
) -> list[str]:
    """What is written for as many routes."""
    texts = list[str]()
    while len(texts) < count:
        shape, topic = world.shapes.sample(rng)
        walk = sample_walk(world.graph, topic, shape.moves, rng, None) or (topic,)
        texts.append(write(route_of(world.graph, shape.moves, walk), rng))
    return texts


def missed(world: Questioner, way: Way, rng: Random, count: int) -> list[str]:
    """Near misses of a way, of as many routes; some are empty."""
    composer, near = world.composer, world.composer.book.near
    assert near
    return written(world, lambda route, rng: way(composer, near, route, rng), rng, count)


def test_none_is_a_question_with_an_answer(world: Questioner) -> None:
    rng = Random(3)
    answered = set(written(world, world.composer.plain, rng, 20_000))
    assert not answered & set(missed(world, near_miss, rng, 5_000))


@pytest.mark.parametrize("way", near_misses.WAYS)
def test_each_way_has_a_text_for_many_routes(world: Questioner, way: Way) -> None:
    texts = missed(world, way, Random(1), 300)
    assert sum(map(bool, texts)) > 60
    assert not any(set("{}|\ufff7\ufff8") & set(text) for text in texts)


def test_another_class_is_what_is_asked_for(world: Questioner) -> None:
    """A wording that names no class is left alone: "looking for" has no king in it."""
    near = world.composer.book.near
    assert near
    nouns = {noun.one for noun in near.thing} | {noun.many for noun in near.thing}
    nouns |= {f"{modifier} " for modifier in near.modifier}
    texts = [text for text in missed(world, near_misses.other_class, Random(2), 500) if text]
    for text in texts:
        assert any(re.search(rf"\b{re.escape(noun)}", text) for noun in nouns), text


def test_what_is_asked_with_a_wish_has_a_plain_verb(world: Questioner) -> None:
    texts = missed(world, near_misses.not_so, Random(4), 3_000)
    wished = [text.split("want to ", 1)[1] for text in texts if "want to " in text]
    assert len(wished) > 10 and any(text.startswith("be ") for text in wished)
    verbs = {text.split(" ", 1)[0] for text in wished}
    assert not {"are", "is", "can", "was", "has", "joined", "joins", "took", "runs"} & verbs


def test_what_nobody_asks_of_a_class_has_no_answer_there(world: Questioner) -> None:
    """Not one of the texts about a class is a wording of something that it does have."""
    rng, foreign = Random(6), world.composer.book.foreign
    asked: dict[str, set[str]] = {}

    def answered(route: Route, rng: Random) -> str:
        text = world.composer.plain(route, rng)
        asked.setdefault(route.kinds[0], set()).add(text)
        return text

    written(world, answered, rng, 20_000)
    routes = list[Route]()
    written(world, lambda route, rng: routes.append(route) or "", rng, 4_000)
    texts = [
        (kind, near_misses.of_foreign(world.composer, route, kind, rng))
        for route in routes
        for kind in foreign.get(route.key[0], ())
    ]
    assert len(texts) > 4_000
    assert not [(kind, text) for kind, text in texts if text in asked.get(kind, ())]
    assert any(kind == "sea" and f"the {TOPIC}" in text for kind, text in texts)


def test_the_topic_of_what_nobody_asks_is_of_the_other_class(world: Questioner) -> None:
    book = replace(world.composer.book, foreign={})
    without = replace(world, composer=replace(world.composer, book=book))

    def of(questioner: Questioner, kind: str) -> int:
        asked = [questioner.unanswerable(Random(seed)) for seed in range(2_000)]
        assert all(sample.moves is None for sample in asked)
        return sum(bool(s.mentions) and s.mentions[0].kind == kind for s in asked)

    assert of(world, "currency") > 1.3 * of(without, "currency")


def test_without_what_a_phrasebook_says_there_are_none() -> None:
    graph, english = toy_graph(), load_english()
    toy = make_questioner(graph, make_phrasebook(graph, english), english, hops=2, seed=0)
    assert toy.composer.book.near is None
    assert all(toy.unanswerable(Random(seed)).moves is None for seed in range(50))
