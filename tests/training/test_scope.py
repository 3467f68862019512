"""Fitting what words say: against slow gradient descent, and on unseen questions."""

import math
from itertools import islice

import pytest
from groundwalk.agent.kg import open_kg
from groundwalk.agent.llm.bag_of_words import features_of
from groundwalk.agent.llm.prompt import mask
from groundwalk.training.fitting.words import fit_scope
from groundwalk.training.material import questioner_for
from groundwalk.training.questions.graph import load_graph
from groundwalk.training.questions.questioner import Sample


def sample(text: str, *, answered: bool) -> Sample:
    return Sample(text, (), (0,), () if answered else None)


def test_it_is_the_regression_that_a_slow_one_finds() -> None:
    texts = [("capital of x", True), ("time zone of x", False), ("zone of x", False)] * 2
    texts += [("the capital", True), ("capital zone", False)] * 2
    names = sorted({feature for text, _ in texts for feature in features_of(text)})
    weights, bias = dict.fromkeys(names, 0.0), 0.0
    for _ in range(20_000):
        slopes, slope = dict(weights), 0.0
        for text, answered in texts:
            own = bias + sum(weights[name] for name in features_of(text))
            error = 1 / (1 + math.exp(-own)) - answered
            slope += error
            for name in features_of(text):
                slopes[name] += error
        bias -= 0.02 * slope
        weights = {name: weights[name] - 0.02 * slopes[name] for name in names}
    scope = fit_scope([sample(text, answered=answered) for text, answered in texts])
    assert scope.bias == pytest.approx(bias, abs=0.02)
    for name, weight in weights.items():
        assert scope.weights.get(name, 0.0) == pytest.approx(weight, abs=0.06)


def test_without_both_kinds_it_says_nothing() -> None:
    scope = fit_scope([sample("capital of x", answered=True)] * 3)
    assert scope.within("anything") > 0.999
    assert fit_scope([]).within("anything") > 0.999


def test_on_the_world_it_tells_new_questions_apart() -> None:
    kg = open_kg("world")
    graph = load_graph(kg)
    questioner = questioner_for(kg, graph, None, hops=2, seed=0).refusing(0.4)
    scope = fit_scope(islice(questioner.stream(1), 3_000))
    unseen = list(islice(questioner.stream(2), 600))
    right = sum(
        (scope.within(mask(own.question, own.mentions)[0]) > 0.5) == (own.moves is not None)
        for own in unseen
    )
    assert right / len(unseen) > 0.85
