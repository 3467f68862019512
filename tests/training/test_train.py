from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from groundwalk.agent.errors import InputError
from groundwalk.agent.kg.opening import open_kg
from groundwalk.agent.llm.local import load_model
from groundwalk.training.asked.lesson_stream import draw
from groundwalk.training.asked.question_files import read_questions
from groundwalk.training.asked.supervision import supervise
from groundwalk.training.card import TrainReport
from groundwalk.training.fitting.exams import judge
from groundwalk.training.material import questioner_for, training_questions
from groundwalk.training.questions.graph import load_graph
from groundwalk.training.recipe import Recipe, Schedule, Size
from groundwalk.training.train import train
from groundwalk.training.trainer import plain_loop as trainer
from groundwalk.training.trainer.job import PATIENCE_IS_OVER
from groundwalk.training.trainer.plain_loop import set_rate
from groundwalk.training.trainer.watched import PATIENCE, Watched

from .brief import brief
from .toy import QUESTIONS, toy_turtle

TINY = Size(width=64, layers=2, heads=2)


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        brief(patch)
        yield


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("toy") / "toy.ttl"
    file.write_text(toy_turtle(), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def trained(source: Path) -> TrainReport:
    questions = source.parent / "qa.txt"
    questions.write_text(QUESTIONS, encoding="utf-8")
    torch.set_num_threads(1)
    return train(
        str(source),
        source.parent / "model",
        Recipe(
            questions=questions,
            noise=0.0,
            schedule=Schedule(steps=200, batch=24, rate=4e-3, warm_up=10, pool=4),
            size=TINY,
        ),
    )


def test_a_tiny_model_learns_its_questions(trained: TrainReport) -> None:
    kg = open_kg(trained.kg)
    graph = load_graph(kg)
    lessons = supervise(kg, graph, read_questions(trained.out.parent / "qa.txt"), 1).lessons
    questioner = questioner_for(kg, graph, None, hops=1, seed=0)
    samples = [sample for lesson in lessons if (sample := draw(questioner, lesson, Random(0), 0))]
    loaded = load_model(str(trained.out))
    for method in ("gcr", "plan", "dog"):
        judged = list(map(judge(kg, loaded, graph, method), samples))
        assert [one.right for one in judged] == [True] * 6, method
    assert trained.lessons == 6
    assert trained.settings.hops == 1


def test_the_folder_loads_and_tells_how_to_ask(trained: TrainReport) -> None:
    loaded = load_model(str(trained.out))
    assert loaded.settings == trained.settings
    assert loaded.settings.masked and not loaded.settings.instruct
    assert loaded.settings.formats == ("path", "plan", "chain")
    assert set(loaded.settings.confidences) == set(loaded.settings.formats)
    assert "# A model of groundwalk" in (trained.out / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in trained.out.parent.iterdir() if path.name.startswith(".")] == []


def test_nothing_but_an_earlier_model_is_replaced(source: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(InputError, match="exists"):
        train(str(source), tmp_path)


def test_generated_training_is_the_same_for_the_same_seed(source: Path, tmp_path: Path) -> None:
    schedule = Schedule(steps=4, batch=8, pool=2)
    reports = [
        train(str(source), tmp_path / name, Recipe(hops=2, schedule=schedule, size=TINY))
        for name in "ab"
    ]
    assert reports[0].loss == reports[1].loss
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in "ab"]
    assert weights[0] == weights[1]


def test_where_nothing_improves_the_rate_falls_and_the_training_ends(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = list[float]()

    def noted(optimizers: Any, rate: float) -> None:
        rates.append(rate)
        set_rate(optimizers, rate)

    def unchanged(_: Watched) -> float:
        return 0.5

    def short(*_: object) -> Schedule:
        return Schedule(steps=80, batch=4, pool=2, warm_up=1)

    monkeypatch.setattr(Watched, "hits", unchanged)
    monkeypatch.setattr(Recipe, "_default", short)
    monkeypatch.setattr(trainer, "set_rate", noted)
    report = train(str(source), tmp_path / "short", Recipe(hops=1, size=TINY))
    turn = 2 * (1 + PATIENCE)  # a look after every other step, of which the first is the best
    assert (report.steps, report.stopped) == (turn + 8, PATIENCE_IS_OVER)
    assert list(report.hits) == list(range(2, turn + 9, 2))
    assert rates[turn - 1] > 0.8 * max(rates) and rates[-1] < 0.15 * max(rates)
    monkeypatch.setattr(Watched, "hits", unchanged)
    report = train(str(source), tmp_path / "whole", Recipe(hops=1, size=TINY, patience=0))
    assert (report.steps, report.stopped) == (80, "")


def test_training_questions_are_fixed_by_the_seed(source: Path) -> None:
    first, second = (list(training_questions(str(source), seed=1, count=30)) for _ in "ab")
    assert first == second
