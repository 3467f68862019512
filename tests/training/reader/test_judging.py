"""The fit of the judge: what it learns from, and that it tells right readings from others."""

from dataclasses import replace

import numpy as np
import pytest
from groundwalk.agent.reader.judge import FEATURES, SHAPES, chances
from groundwalk.agent.reader.weights import open_reader
from groundwalk.training.reader import judging
from groundwalk.training.reader.asked import asked_graphs
from groundwalk.training.reader.judging import JudgedReadings, judge_of, judged_over, with_judge

from ...agent.reader.tiny import tiny_reader


def drawn(count: int, seed: int) -> list[JudgedReadings]:
    """Readings of which at most one is right: the one whose third and fourth feature agree."""
    rng, questions = np.random.default_rng(seed), list[JudgedReadings]()
    for _ in range(count):
        features = rng.normal(5.0, 2.0, (4, FEATURES)).astype(np.float32)
        features[:, 3] = features[:, 2] + rng.choice((-4.0, 4.0), 4)
        right = int(rng.integers(0, 5))
        if right < 4:
            features[right, 3] = features[right, 2]
        questions.append(JudgedReadings(features, tuple(n == right for n in range(4))))
    return questions


def test_a_judge_tells_right_readings_from_others_and_from_none() -> None:
    weights = judge_of(drawn(3_000, 0))
    assert {name: array.shape for name, array in weights.items()} == SHAPES
    apart, rightly = drawn(300, 1), 0
    for question in apart:
        shares = chances(weights, question.features)
        of_all = [*shares.tolist(), 1 - shares.sum()]
        right = question.right.index(True) if any(question.right) else 4
        rightly += of_all.index(max(of_all)) == right
    assert rightly > 0.8 * len(apart)


def test_a_judge_is_the_same_for_a_seed() -> None:
    questions = drawn(300, 2)
    one, same, other = (judge_of(questions, seed) for seed in (1, 1, 2))
    for name, array in one.items():
        assert np.array_equal(array, same[name])
    assert not np.array_equal(one["judge.plain.weight"], other["judge.plain.weight"])


def test_too_few_readings_leave_a_reader_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "_OF_EACH", 2)
    monkeypatch.setattr(judging, "_LACKING", 0)
    reader = tiny_reader()
    assert with_judge(reader, asked_graphs(apart=True, most=1), lambda _: None) is reader


def test_readings_are_right_by_what_they_come_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "_OF_EACH", 12)
    monkeypatch.setattr(judging, "_LACKING", 6)
    reader = replace(open_reader().load(), judge=None)
    (graph,) = asked_graphs(apart=True, most=1, seed=3)
    said = [one for one in judged_over(graph, reader) if any(one.right)]
    assert len(said) >= 4
    first = sum(one.right[int(one.features[:, 0].argmax())] for one in said)
    assert first >= len(said) / 2
    monkeypatch.setattr(judging, "_OF_EACH", 0)
    lacking = list(judged_over(graph, reader))
    assert lacking
    assert not any(any(one.right) for one in lacking)
