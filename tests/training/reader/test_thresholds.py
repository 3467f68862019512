"""How sure a reader has to be, where a graph lacks what is asked."""

from collections.abc import Generator
from typing import Any

import pytest
from groundwalk.agent.answers.readings import ReadWith
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.binding import TermNames
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.query.reader import QueryReader
from groundwalk.agent.query.word_reader import NoAccount
from groundwalk.training.fitting.thresholds import Answered
from groundwalk.training.queries.typed import TypedQuestion
from groundwalk.training.reader import thresholds
from groundwalk.training.reader.thresholds import Tried, fit_to_graph, sure_of
from groundwalk.training.trainer.watched import Watcher

from ...agent.query.models import scripted
from ...agent.reader.tiny import tiny_reader

QUESTION = "What is the capital of Kenya?"
SCRIPT = "what is the capital of <0>[country]"


@pytest.fixture(scope="module")
def kg() -> Generator[KnowledgeGraph]:
    opened = open_kg("world")
    yield opened
    opened.close()


def relation(kg: KnowledgeGraph, label: str) -> str:
    several = [own.term for own in kg.labels.relations()]
    return several[kg.walk_labels.names(several).index(label)]


@pytest.mark.parametrize(
    ("right", "read", "confidence"),
    [
        ("capital", "<0><STEP>borders", 0.8),
        ("capital", "<0><STEP>capital", None),
        ("borders", "<0><STEP>capital", 0.8),
    ],
)
def test_what_comes_to_the_same_without_a_relation_tells_nothing(
    kg: KnowledgeGraph, right: str, read: str, confidence: float | None
) -> None:
    local = scripted({SCRIPT: [(read, 0.8), ("<NONE>", 0.2)]})
    reader = QueryReader(kg, lambda: local)
    with_all = ReadWith(kg, LabelLinker(kg.labels), reader, NoAccount, least=0.0)
    actions = (Action("pointer", number=0), Action("step", relation(kg, right)), Action("end"))
    start = QUESTION.index("Kenya")
    kenya = Numbered(start, start + 5, "country")
    own = TypedQuestion(QUESTION, (kenya,), actions, None, (), {})
    sure = sure_of(with_all, own, TermNames(kg))
    assert sure == (confidence and pytest.approx(confidence, abs=1e-3))


@pytest.mark.parametrize(
    ("for_all", "lacking", "misread", "least", "most"),
    [
        (0.7, 40, 10, 0.8, 1.0),
        (0.7, 10, 3, 0.7, 0.7),
        (0.7, 40, 5, 0.8, 0.8),
        (0.7, 40, 4, 0.7, 0.7),
        (0.7, 40, 2, 0.7, 0.7),
        (0.2, 10, 3, 0.3, 0.3),
        (None, 40, 2, 0.4, 0.4),
        (None, 10, 3, 0.3, 0.3),
    ],
)
def test_few_questions_are_answered_whose_relation_is_gone(
    kg: KnowledgeGraph,
    monkeypatch: pytest.MonkeyPatch,
    for_all: float | None,
    lacking: int,
    misread: int,
    least: float,
    most: float,
) -> None:
    """Cost alone would let them through; fewer than twenty tell nothing.

    Four of forty are more than should be, but not so many that the threshold of all graphs, which
    is 0.7, could not be right; five are. No graph lowers that of all, where there is one.
    """
    false = [Answered(0.8 if n < misread else 0.0, right=False) for n in range(lacking)]
    without = Tried([False] * lacking, false, [])
    right = Tried([True] * 40, [Answered(0.3, right=True)] * 40, [])

    def made(*_: object) -> list[TypedQuestion]:
        return []

    def tried(*_: object) -> Tried:
        return right

    def tried_without(*_: object) -> Tried:
        return without

    for name, own in (("_made", made), ("_tried", tried), ("_tried_without", tried_without)):
        monkeypatch.setattr(thresholds, name, own)
    material: Any = type("Material", (), {"seed": 0})
    fitted = fit_to_graph(tiny_reader(), kg, material, (), (), Watcher(), for_all)
    assert least <= fitted.settings.threshold <= most
    assert fitted.settings.kg == kg.digest
