import re
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from groundwalk.agent.errors import InputError, KGError
from groundwalk.agent.kg import open_kg
from groundwalk.training.fitting.exams import calibration_samples
from groundwalk.training.material import questioner_for
from groundwalk.training.questions.compose import Route
from groundwalk.training.questions.graph import Graph, load_graph
from groundwalk.training.questions.in_common import in_common
from groundwalk.training.questions.questioner import (
    Questioner,
    Sample,
    make_questioner,
)
from groundwalk.training.wording.english import OTHER, TOPIC, load_english
from groundwalk.training.wording.noise import disturb
from groundwalk.training.wording.phrasebook import make_phrasebook
from hypothesis import given, settings
from hypothesis import strategies as st

from .toy import is_answered, toy_graph

PHRASES = """
[money]
noun = ["the cash of {x}"]
that = ["that people spend in {x}"]
ask = ["what do i pay with in {x}"]

["^money"]
that = ["that {pays//pay} with {x}"]

[synonyms]
cash = ["dough"]
"""


@pytest.fixture(scope="module")
def world() -> Questioner:
    kg = open_kg("world")
    book = Path(__file__).parents[2] / "data" / "world" / "phrasebook.toml"
    return questioner_for(kg, load_graph(kg), book, hops=3, seed=0)


def toy_questioner(tmp_path: Path, text: str = PHRASES) -> Questioner:
    file = tmp_path / "book.toml"
    file.write_text(text, encoding="utf-8")
    graph, english = toy_graph(), load_english()
    return make_questioner(graph, make_phrasebook(graph, english, file), english, hops=2, seed=0)


def check(graph: Graph, sample: Sample) -> None:
    assert sample.mentions
    for mention in sample.mentions:
        assert sample.question[mention.start : mention.end] == mention.name
    assert not {"{", "}", *map(chr, range(0xFFF6, 0xFFFD))} & set(sample.question)
    assert sample.moves is None or is_answered(graph, sample)
    if sample.moves:
        assert sample.walk[0] not in sample.walk[1:]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_world_questions_name_their_topic_and_have_their_path(world: Questioner, seed: int) -> None:
    for sample in islice(world.stream(seed), 20):
        check(world.graph, sample)


def test_shares_of_hops_and_of_unanswerable_questions(world: Questioner) -> None:
    samples = list(islice(world.stream(5), 2000))
    hops = [len(sample.moves) if sample.moves else 0 for sample in samples]
    assert 0.13 < hops.count(0) / 2000 < 0.21
    assert 0.30 < hops.count(1) / 2000 < 0.48
    assert 0.12 < hops.count(3) / 2000 < 0.25


def test_two_topics_may_come_first_and_what_both_lead_to_then(world: Questioner) -> None:
    route = Route(("^flows through",), ("country", "river"))
    nothing = Route((), ("river",))
    texts = {in_common(world.composer, route, route, nothing, Random(seed)) for seed in range(2000)}
    first = [text for text in texts if re.match(f"(take )?{TOPIC} and {OTHER}[:;.,] ", text)]
    assert len(first) > 5
    assert all(re.search(r"\b(both|the two of them)\b", text) for text in first)


def test_no_noise_takes_away_what_makes_a_calibrating_question_unanswerable(
    world: Questioner,
) -> None:
    def judging(noise: float) -> list[Sample]:
        noisy = replace(world, mix=replace(world.mix, noise=noise))
        return calibration_samples(noisy, 60, 0)

    noisy, clear = judging(1.0), judging(0.0)
    refused = [sample for sample in noisy if sample.moves is None]
    assert len(refused) > 5
    assert refused == [sample for sample in clear if sample.moves is None]
    assert noisy != clear


def test_a_seed_fixes_the_stream(world: Questioner) -> None:
    first, second = ([*islice(world.stream(seed), 50)] for seed in (3, 3))
    assert first == second
    assert first != list(islice(world.stream(4), 50))


def test_a_phrasebook_and_generic_wordings_for_what_it_leaves_out(tmp_path: Path) -> None:
    questioner = toy_questioner(tmp_path)
    samples = list(islice(questioner.stream(0), 400))
    for sample in samples:
        check(questioner.graph, sample)
    texts = " / ".join(sample.question for sample in samples)
    assert "what do i pay with in" in texts
    assert "capital" in texts


def test_questions_that_a_topic_lacks_the_relation_for(world: Questioner) -> None:
    found = [s for _ in range(200) if (s := world.absent(Random(_)))]
    assert found
    assert all(sample.moves is None for sample in found)


@given(
    st.lists(st.sampled_from(["what", "is", "the", "capital", TOPIC, f"{TOPIC}'s", "of", "people"]))
)
def test_noise_keeps_every_topic(words: list[str]) -> None:
    text = " ".join(words)
    noisy = disturb(text, load_english(), {"people": ("folks",)}, Random(len(text)))
    assert noisy.count(TOPIC) == text.count(TOPIC)


@pytest.mark.parametrize(
    ("text", "error", "line"),
    [
        ("[money]\nnoun = ['x']\nnuon = ['y']\n", InputError, ":1:"),
        ("[money]\nnoun = ['the (x of {x}']\n", InputError, ":2:"),
        ("\n[weather]\nnoun = ['x']\n", KGError, ":2:"),
        ("[money\n", InputError, "TOML"),
    ],
)
def test_mistakes_in_a_phrasebook_name_their_line(
    tmp_path: Path, text: str, error: type[Exception], line: str
) -> None:
    with pytest.raises(error, match=line):
        toy_questioner(tmp_path, text)
