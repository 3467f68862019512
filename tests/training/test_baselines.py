"""The baselines that come with a model: fitted on its questions, and read back by the agent."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.llm.bag_of_words import BASELINES_FILE, NAMES, read_baselines
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.llm.model_folder import ModelSettings
from groundwalk.agent.options import Options
from groundwalk.evaluation.samples import Gold
from groundwalk.evaluation.samples import Sample as Question
from groundwalk.training.fitting.fit import fit
from groundwalk.training.fitting.words import fit_baselines
from groundwalk.training.material import Material, gather
from groundwalk.training.recipe import Recipe, Schedule
from groundwalk.training.trainer.checkpoint import Elapsed
from groundwalk.training.trainer.job import Job, trained_folder
from groundwalk.training.trainer.watched import Watcher

from ..whole import build_graph
from .toy import QUESTIONS, toy_turtle


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("toy")
    (folder / "toy.ttl").write_text(toy_turtle(), encoding="utf-8")
    return open_kg(str(folder / "toy.ttl"), cache=folder / "cache")


def material(kg: KnowledgeGraph, questions: Path | None = None) -> Material:
    return gather(kg, kg.source, Recipe(questions=questions, hops=2))


def fitted(
    kg: KnowledgeGraph, partial: Path, own: Material, hand_written: Sequence[Question] = ()
) -> LocalModel:
    """A model folder that holds nothing but what is fitted after the last step."""
    folder = trained_folder(partial)
    folder.mkdir(parents=True)
    nothing: Any = None
    settings = ModelSettings(instruct=False, masked=True, formats=())
    local = LocalModel("in training", nothing, nothing, settings)
    job = Job(kg, own, Recipe(), Schedule(), partial, Elapsed(partial, 0.0), Watcher())
    fit(job, local, hand_written)
    return LocalModel(str(folder), nothing, nothing, settings)


@pytest.fixture(scope="module")
def local(kg: KnowledgeGraph, tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    folder = tmp_path_factory.mktemp("fitted")
    (folder / "qa.txt").write_text(QUESTIONS, encoding="utf-8")
    return fitted(kg, folder / "model", material(kg, folder / "qa.txt"))


@pytest.mark.parametrize("method", NAMES)
def test_they_answer_like_questions_about_other_topics(
    kg: KnowledgeGraph, local: LocalModel, method: str
) -> None:
    assert read_baselines(local.source).confidences.keys() == set(NAMES)
    agent: Any = build_graph(method, kg=kg, generator=local)

    def answers(question: str) -> set[str]:
        context = Options(on_ambiguous="best", confidence=0.0)
        state = agent.invoke({"question": question}, context=context)
        return {answer["label"] for answer in state["answers"]}

    assert answers("What is the capital of Spain?") == {"Madrid"}
    assert answers("the cash of Poland") == {"Zloty"}
    assert answers("which countries touch France?") == {"Spain", "Germany"}
    assert answers("tell me the capital of Iceland") == {"Reykjavik"}


@pytest.mark.slow
def test_from_generated_questions_they_are_the_same_again(
    kg: KnowledgeGraph, tmp_path: Path
) -> None:
    for name in "ab":
        fitted(kg, tmp_path / name, material(kg), hand_written=[Question("1", "France?")])
    first, second = (
        (trained_folder(tmp_path / name) / BASELINES_FILE).read_bytes() for name in "ab"
    )
    assert first == second
    found = read_baselines(str(trained_folder(tmp_path / "a")))
    assert () in found.paths and len(found.templates) > 100
    assert all(0 < len(path) <= 2 for path in found.paths if path)
    assert any("[country]" in text for text in found.templates)
    assert not any("france" in text for text in (*found.templates, *found.words.features))


def test_thresholds_keep_silent_where_people_asked_what_has_no_answer(
    kg: KnowledgeGraph, tmp_path: Path
) -> None:
    asked = [Question("1", "who is the capital of France?"), Question("2", "France?")]
    answerable = Question("3", "capital of France?", (Gold(label="Paris"),))
    local = fitted(kg, tmp_path / "model", material(kg), hand_written=[*asked, answerable])
    for method in NAMES:
        agent: Any = build_graph(method, kg=kg, generator=local)
        for own in asked:
            state = agent.invoke({"question": own.question}, context=Options(on_ambiguous="best"))
            assert state["answers"] == []


def test_words_are_of_disturbed_questions_and_templates_of_clean_ones(kg: KnowledgeGraph) -> None:
    own = material(kg)
    samples = [own.questioner.undisturbed().refusing(0.0).sample(Random(n)) for n in range(4)]
    found = fit_baselines(own.graph, samples[:2], samples[2:])
    assert sum(found.words.classes.values()) == 2
    assert sum(sum(counts.values()) for counts in found.templates.values()) == 2
