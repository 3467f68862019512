"""Training questions of a dataset are those that `eval run` would ask of the same splits."""

from pathlib import Path

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.evaluation.datasets import kg_of
from groundwalk.evaluation.samples import part_of
from groundwalk.training.asked.question_files import asked_questions
from groundwalk.training.recipe import Recipe


@pytest.fixture
def films(tmp_path: Path) -> Path:
    for hops in (1, 2):
        folder = tmp_path / f"{hops}-hop" / "vanilla"
        folder.mkdir(parents=True)
        lines = [f"question {hops} {n} of [Film {n}]\tAda|Ben\n" for n in range(40)]
        (folder / "qa_dev.txt").write_text("".join(lines), encoding="utf-8")
    return tmp_path


def test_splits_of_a_dataset_one_after_the_other(films: Path) -> None:
    recipe = Recipe(dataset="metaqa", data=films, split="1-hop/dev, 2-hop/dev", part="train")
    asked = asked_questions(recipe)
    texts = [one.text for one in asked]
    assert all(part_of(text) == "train" for text in texts)
    assert texts == sorted(texts, key=lambda text: int(text.split()[1]))
    assert {text.split()[1] for text in texts} == {"1", "2"}
    first = asked[0]
    assert first.topics == (f"Film {first.line - 1}",) and first.answers == ("Ada", "Ben")


def test_a_file_and_its_dataset_give_the_same(films: Path) -> None:
    of = Recipe(dataset="metaqa", data=films, split="1-hop/dev", limit=7, seed=3)
    file = Recipe(questions=films / "1-hop" / "vanilla" / "qa_dev.txt", limit=7, seed=3)
    assert asked_questions(of) == asked_questions(file)


def test_the_limit_is_that_of_each_split(films: Path) -> None:
    recipe = Recipe(dataset="metaqa", data=films, split="1-hop/dev,2-hop/dev", limit=5)
    assert [one.text.split()[1] for one in asked_questions(recipe)] == ["1"] * 5 + ["2"] * 5


def test_a_file_and_a_dataset_do_not_go_together(films: Path) -> None:
    with pytest.raises(InputError):
        Recipe(questions=films / "q.txt", dataset="metaqa")


def test_the_graph_of_a_dataset_is_known(films: Path) -> None:
    assert kg_of("metaqa", films, "1-hop/dev") == str(films / "kb.txt")
    assert kg_of("rog", films, "dev") == kg_of("jsonl", films, "") == kg_of("", None, "") == ""
