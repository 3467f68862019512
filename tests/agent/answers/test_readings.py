"""What comes of the queries that a question may be."""

from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.answers.readings import Read, ReadWith, answered
from groundwalk.agent.decoding.plan import BeamPlan
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.options import Options
from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.binding import bind
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.query.question import Asked, mentions_of
from groundwalk.agent.query.reader import ReadQueries, ReadQuery
from groundwalk.agent.query.tree import read_query
from groundwalk.agent.query.word_reader import NoAccount
from groundwalk.agent.records import Word

from .test_class_words import BELLS, GRAPH, TOWERS

WEIGHTS = """
:weight rdfs:label "weight" . :made rdfs:label "year made" .
:meg :weight 900 ; :made "about 1700" .
"""


class OfNothing(NoAccount):
    """A reader that reads nothing, and whose account tells that everything is read."""

    def __init__(self, kg: KnowledgeGraph, used_by: str) -> None:
        self.kg = kg
        self.used_by = used_by

    def read(self, asked: Asked, plan: BeamPlan) -> ReadQueries:
        raise NotImplementedError

    @contextmanager
    def facts(self) -> Generator[Facts]:
        yield Facts(self.kg)

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        return [Word(text="bells", start=6, end=11, used_by=self.used_by)]


@pytest.fixture
def read(tmp_path: Path) -> Generator[Any]:
    file = tmp_path / "bells.ttl"
    file.write_text(GRAPH + WEIGHTS, encoding="utf-8")

    def answer(
        question: str,
        *trees: dict[str, Any],
        used_by: str = "step",
        confidence: float | None = None,
        weights: Sequence[float] = (),
    ) -> Read:
        bound = [bind(kg, read_query(tree), ("Wendle",)) for tree in trees]
        actions = (Action("pointer", number=0), Action("end"))
        queries = [ReadQuery(each, actions, 0.97) for each in bound]
        asked = Asked(question, mentions_of(question, []))
        reader = OfNothing(kg, used_by)
        linker = LabelLinker(kg.labels)
        tools = ReadWith(kg, linker, reader, lambda: reader, 0.7, is_general=True, weights=weights)
        return answered(tools, asked, queries, Options(confidence=confidence))

    with closing(open_kg(str(file))) as kg:
        yield answer


def test_what_is_of_other_classes_is_told_and_not_answered(read: Any) -> None:
    outcome = read("Which bells hang in Wendle?", TOWERS)
    assert outcome.computed.status == "unsure" and outcome.computed.answers == []
    assert outcome.computed.notes[-1].endswith('; there are no "bells" in that')
    assert [word["used_by"] for word in outcome.account] == ["unread"]


def test_what_is_of_the_class_is_answered(read: Any) -> None:
    outcome = read("Which bells hang in Wendle?", BELLS)
    assert [answer["label"] for answer in outcome.computed.answers] == ["Black Meg"]


def test_a_confidence_that_a_user_sets_decides_alone(read: Any) -> None:
    outcome = read("Which bells hang in Wendle?", TOWERS, confidence=0.1)
    assert [answer["label"] for answer in outcome.computed.answers] == ["Holy Cross"]


UNSURE = (0.0, 0.0, 0.0, 0.0, -1.0)
"""Weights by which nothing is surer than 0.27."""
NOTHING = {"start": [0], "steps": [{"relation": "hangs in"}]}


def test_where_evidence_is_weighed_it_decides(read: Any) -> None:
    outcome = read("Which bells hang in Wendle?", BELLS, weights=UNSURE)
    assert outcome.computed.status == "unsure" and outcome.computed.answers == []
    assert outcome.computed.confidence == pytest.approx(0.2689, abs=1e-4)
    assert outcome.evidence is not None and outcome.evidence.probability == 0.97


def test_that_there_is_nothing_is_as_sure_as_it_is_likely(read: Any) -> None:
    outcome = read("Where does Wendle hang?", NOTHING, weights=UNSURE)
    assert (outcome.computed.status, outcome.computed.confidence) == ("answered", 0.97)


WEIGHING: dict[str, Any] = {"start": {"class": "bell"}}
HEAVY = {"relation": "weight", "op": ">", "value": 100}


def test_what_is_compared_in_a_unit_that_is_not_known_is_not_sure(read: Any) -> None:
    question, tree = "Which bells weigh more than 100 kg?", {**HEAVY, "unit": "kg"}
    unknown = {**WEIGHING, "filters": [tree]}
    outcome = read(question, unknown).computed
    assert (outcome.status, outcome.answers) == ("unsure", [])
    assert outcome.notes[-1].endswith("without a unit that is known: compared with kg as it is")
    assert read(question, unknown, confidence=0.1).computed.status == "answered"
    assert read(question, {**WEIGHING, "filters": [HEAVY]}).computed.status == "answered"


def test_what_cannot_be_compared_is_told_once(read: Any) -> None:
    old = {**WEIGHING, "filters": [{"relation": "year made", "op": "<", "value": 1800}]}
    outcome = read("Which bells are old?", old, {**old, "answer": "count"}).computed
    (note,) = outcome.notes
    assert note.endswith("; year made holds texts such as 'about 1700', which have no order")


@pytest.mark.parametrize("used_by", ["unread", "unknown", "filler"])
def test_a_word_of_which_nothing_was_made_may_be_in_a_label(read: Any, used_by: str) -> None:
    (word,) = read("Which bells hang in Wendle?", NOTHING, used_by=used_by).account
    assert word == Word(text="bells", start=6, end=11, used_by=used_by, in_label=True)
