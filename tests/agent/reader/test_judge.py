"""The judge of whole readings: what it is told, what it makes of that, and that it is asked."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from groundwalk.agent.decoding.plan import BeamPlan
from groundwalk.agent.errors import ModelError
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.question import Asked, Before, mentions_of
from groundwalk.agent.query.reader import explained
from groundwalk.agent.query.word_reader import by_unread
from groundwalk.agent.reader.account import LabelAccount
from groundwalk.agent.reader.graph import reading_tools
from groundwalk.agent.reader.judge import FEATURES, NUMBERS, SHAPES, chances
from groundwalk.agent.reader.search import LabelReader
from groundwalk.agent.reader.weights import (
    WEIGHTS_FILE,
    ReaderWeights,
    open_reader,
    read_weights,
    write_weights,
)
from hypothesis import given
from hypothesis import strategies as st

from .tiny import film_graph, tiny_reader

QUESTION = "films longer than 100 minutes"


@pytest.fixture
def kg(tmp_path: Path) -> Iterator[KnowledgeGraph]:
    with film_graph(tmp_path) as graph:
        yield graph


def judge(seed: int, scale: float = 0.1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {n: (scale * rng.standard_normal(s)).astype(np.float32) for n, s in SHAPES.items()}


def asked_of(question: str, before: Before | None = None) -> Asked:
    return Asked(question, mentions_of(question, []), before or Before())


def account_of(kg: KnowledgeGraph, reader: ReaderWeights) -> LabelAccount:
    return LabelAccount(reading_tools(kg, lambda: reader))


def readings_of(kg: KnowledgeGraph, reader: ReaderWeights, asked: Asked) -> Sequence[Any]:
    return LabelReader(reading_tools(kg, lambda: reader)).read(asked, BeamPlan(5)).queries


@given(st.integers(0, 50), st.lists(st.lists(st.floats(-20, 20), min_size=4, max_size=4)))
def test_chances_are_shares_of_one(seed: int, rows: list[list[float]]) -> None:
    features = np.zeros((len(rows), FEATURES), np.float32)
    features[:, :4] = np.array(rows, np.float32).reshape(len(rows), 4)
    shares = chances(judge(seed), features)
    assert shares.shape == (len(rows),)
    assert all(shares >= 0)
    assert shares.sum() <= 1 + 1e-5


def test_each_reading_is_told_of_in_numbers(kg: KnowledgeGraph) -> None:
    reader, asked = tiny_reader(), asked_of(QUESTION)
    queries, account = readings_of(kg, reader, asked), account_of(kg, reader)
    readings = [query.actions for query in queries]
    probabilities = [query.probability for query in queries]
    features = account.features(asked, readings, probabilities)
    assert features is not None
    assert features.shape == (len(queries), FEATURES)
    assert np.isfinite(features).all()
    assert np.exp(features[:, 0]) == pytest.approx(probabilities, rel=1e-3, abs=2e-6)


def test_a_reading_without_labels_is_told_of_too(kg: KnowledgeGraph) -> None:
    asked, account = asked_of(QUESTION), account_of(kg, tiny_reader())
    bare = (Action("pointer", number=0), Action("end"))
    whole = (Action("class", "<https://films.example/Film>"), Action("end"))
    features = account.features(asked, [bare, whole], [0.5, 0.5])
    assert features is not None and np.isfinite(features).all()
    said = dict(zip(NUMBERS, features[0].tolist(), strict=False))
    assert said["labels"] == 0 and said["least explained"] < 0.01
    assert features[1][NUMBERS.index("labels")] > 0


@pytest.mark.parametrize(
    ("actions", "unused"),
    [
        ((Action("class", "<https://films.example/Film>"), Action("end")), 1),
        (
            (
                Action("class", "<https://films.example/Film>"),
                Action("first"),
                Action("pointer", number=3),
                Action("end"),
            ),
            0,
        ),
    ],
)
def test_a_number_that_an_action_is_itself_has_a_use(
    kg: KnowledgeGraph, actions: tuple[Action, ...], unused: int
) -> None:
    asked, account = asked_of("the first 3 films"), account_of(kg, tiny_reader())
    features = account.features(asked, [actions], [1.0])
    assert features is not None
    assert features[0][NUMBERS.index("mentions without use")] == unused


@pytest.mark.parametrize("tuned_to", ["", "some graph"])
def test_the_judge_says_how_likely_any_reading_is_right_and_the_rule_which(
    kg: KnowledgeGraph, tuned_to: str
) -> None:
    reader = replace(tiny_reader(), judge=judge(3, 1.0))
    reader = replace(reader, settings=replace(reader.settings, kg=tuned_to))
    asked, account = asked_of(QUESTION), account_of(kg, reader)
    queries = readings_of(kg, reader, asked)
    readings = [query.actions for query in queries]
    probabilities = [query.probability for query in queries]
    unread = account.most_unread(QUESTION, asked.mentions.numbered, readings)
    features = account.features(asked, readings, probabilities)
    assert reader.judge is not None and features is not None
    judged = chances(reader.judge, features)
    by_rule = by_unread(probabilities, unread)
    shares = {
        actions: weighed.probability if tuned_to else (float(chance) * weighed.probability) ** 0.5
        for actions, chance, weighed in zip(readings, judged, by_rule, strict=True)
    }
    explained_queries = explained(asked, queries, account)
    assert len(explained_queries) == len(queries) > 1
    total = sum(query.probability for query in explained_queries)
    assert total == pytest.approx(judged.sum(), abs=1e-5)
    for query in explained_queries:
        share = shares[query.actions] / sum(shares.values())
        assert query.probability / total == pytest.approx(share, abs=1e-5)
    without = account_of(kg, replace(reader, judge=None))
    assert without.weighed(asked, readings, probabilities) == by_rule


def test_the_question_before_has_words_for_a_follow_up(kg: KnowledgeGraph) -> None:
    reader = tiny_reader()
    earlier = replace(Before().asked, question="who directed Rain?")
    asked = asked_of("and Snow?", replace(Before(), asked=earlier))
    queries, account = readings_of(kg, reader, asked), account_of(kg, reader)
    readings = [query.actions for query in queries]
    shares = [0.0] * len(readings)
    alone = account.features(replace(asked, before=Before()), readings, shares)
    after = account.features(asked, readings, shares)
    assert alone is not None and after is not None
    counted = [NUMBERS.index(name) for name in ("words", "words that ask", "mentions without use")]
    assert np.array_equal(alone[:, counted], after[:, counted]), "earlier words ask for nothing"
    like = NUMBERS.index("likeness")
    assert (after[:, like] >= alone[:, like]).all()
    assert not np.array_equal(alone, after)


def test_a_judge_is_kept_with_the_weights(tmp_path: Path) -> None:
    reader = replace(tiny_reader(), judge=judge(1))
    write_weights(tmp_path, reader)
    kept = read_weights(tmp_path).judge
    assert kept is not None and reader.judge is not None
    for name, array in reader.judge.items():
        assert kept[name] == pytest.approx(array, abs=1e-3)
    write_weights(tmp_path, tiny_reader())
    assert read_weights(tmp_path).judge is None
    assert not set(SHAPES) & set(read_weights(tmp_path).network.weights)


def test_a_judge_of_other_shapes_is_refused(tmp_path: Path) -> None:
    other = judge(1) | {"judge.plain.bias": np.zeros(2, np.float32)}
    write_weights(tmp_path, replace(tiny_reader(), judge=other))
    assert (tmp_path / WEIGHTS_FILE).is_file()
    with pytest.raises(ModelError, match="other shapes"):
        read_weights(tmp_path)


def test_the_bundled_reader_has_a_judge(kg: KnowledgeGraph) -> None:
    reader = open_reader().load()
    assert reader.judge is not None
    asked, account = asked_of(QUESTION), account_of(kg, reader)
    queries = explained(asked, readings_of(kg, reader, asked), account)
    assert queries[0].probability > 0.5
    of_another = asked_of("which painters earn more than 100 euros")
    queries = explained(of_another, readings_of(kg, reader, of_another), account)
    assert sum(query.probability for query in queries) < 0.5
