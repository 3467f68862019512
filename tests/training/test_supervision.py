from itertools import islice
from pathlib import Path

import pytest
from groundwalk.agent.errors import DatasetError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.evaluation.samples import part_of
from groundwalk.training.asked.lesson_stream import lesson_stream
from groundwalk.training.asked.question_files import read_questions, select
from groundwalk.training.asked.supervision import supervise
from groundwalk.training.material import questioner_for
from groundwalk.training.questions.graph import load_graph

from .toy import toy_turtle

METAQA = """\
what is the capital of [France]\tParis
which countries pay like [Spain]\tFrance|Germany
the towns that rule next to [Germany]\tParis|Warsaw
who is the king of [Poland]\tNobody
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("toy")
    file = folder / "toy.ttl"
    file.write_text(toy_turtle(), encoding="utf-8")
    return open_kg(str(file), cache=folder / "cache")


def test_the_relation_path_with_the_best_f1(kg: KnowledgeGraph, tmp_path: Path) -> None:
    file = tmp_path / "qa.txt"
    file.write_text(METAQA, encoding="utf-8")
    graph = load_graph(kg)
    found = supervise(kg, graph, read_questions(file), 3)
    paths = [
        ["/".join(map(graph.spell, moves)) for moves in lesson.paths] for lesson in found.lessons
    ]
    assert paths == [["capital"], ["money/^money"], ["borders/capital"]]
    assert found.f1 == 1
    assert sum(found.dropped.values()) == 1
    assert found.hops == 2


def test_json_lines(kg: KnowledgeGraph, tmp_path: Path) -> None:
    file = tmp_path / "qa.jsonl"
    file.write_text(
        '{"question": "Where is france governed from?", "topics": ["France"], '
        '"answers": ["<https://toy.example/paris>"]}\n',
        encoding="utf-8",
    )
    found = supervise(kg, load_graph(kg), read_questions(file), 2)
    assert found.lessons[0].text == "Where is \ufffc governed from?"


def test_noisy_lessons_of_a_new_model_hold_words_of_others(
    kg: KnowledgeGraph, tmp_path: Path
) -> None:
    file = tmp_path / "qa.txt"
    file.write_text(METAQA, encoding="utf-8")
    graph = load_graph(kg)
    lessons = supervise(kg, graph, read_questions(file), 3).lessons
    questioner = questioner_for(kg, graph, None, hops=2, seed=0)

    def asked(*, new: bool) -> list[str]:
        stream = lesson_stream(lessons, questioner, noise=1.0, unanswerable=0.0, seed=1, new=new)
        drawn = islice(stream, 2000)
        ruled = [sample.question for sample in drawn if "rule next" in sample.question]
        assert len(ruled) > 20
        return ruled

    assert any("pay" in text for text in asked(new=True))
    assert not any("pay" in text for text in asked(new=False))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("what is it\tParis\n", ":1:"),
        ("a [b]\tc\n{nonsense\n", ":2:"),
        ('{"question": "x", "topics": "y", "answers": []}\n', ":1:"),
        ("\n", "no questions"),
        ("capital of [Atlantis]\tParis\n", "no question has a path"),
    ],
)
def test_mistakes_in_a_question_file(
    kg: KnowledgeGraph, tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "qa.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DatasetError, match=message):
        supervise(kg, load_graph(kg), read_questions(file), 2)


def test_the_split_is_by_text_and_a_limit_by_seed(tmp_path: Path) -> None:
    file = tmp_path / "qa.txt"
    file.write_text("".join(f"q {n} of [France]\tParis\n" for n in range(500)), encoding="utf-8")
    asked = read_questions(file)
    parts = {name: select(asked, name, None, 0) for name in ("train", "tune", "report", "all")}
    assert len(parts["all"]) == 500 == sum(len(parts[n]) for n in ("train", "tune", "report"))
    assert 200 < len(parts["train"]) < 300
    assert all(part_of(a.text) == "report" for a in parts["report"])
    assert select(asked, "train", 10, 1) == select(asked, "train", 10, 1)
    assert select(asked, "train", 10, 1) != select(asked, "train", 10, 2)
