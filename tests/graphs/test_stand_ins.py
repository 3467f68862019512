"""No thing of an earlier question stands in for a name that the graph lacks; by a scripted reader.

The reader that is bundled may read these questions otherwise from one training to the next.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest
from groundwalk.agent.answers.readings import ReadWith, answered
from groundwalk.agent.answers.topics import linked
from groundwalk.agent.decoding.plan import BeamPlan, Cost
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.nodes.read import plan_of, reading_node
from groundwalk.agent.options import Options
from groundwalk.agent.query.account import question_words
from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.binding import bind
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.query.question import Asked
from groundwalk.agent.query.reader import ReadQueries, ReadQuery
from groundwalk.agent.query.tree import read_query
from groundwalk.agent.query.word_reader import NoAccount
from groundwalk.agent.records import Turn, Word, silence

FIRST = "How is Iceland connected to the Danube?"
BORDERS = {"start": [0], "steps": [{"relation": "borders"}]}
NARNIA = "nothing in the graph is called Narnia: check how it is spelled"


class Scripted(NoAccount):
    """Reads every question as the connection of the first two names that it can point at.

    It is surer where something came before.
    """

    def __init__(self, kg: KnowledgeGraph, probability: float = 0.4) -> None:
        self.kg, self.probability = kg, probability
        self.asked = list[Asked]()

    def read(self, asked: Asked, plan: BeamPlan) -> ReadQueries:
        """The connection; of one thing alone that with itself, and its neighbours."""
        self.asked.append(asked)
        names = asked.pointed.bound
        sure = self.probability + 0.05 * bool(asked.before.topics)
        queries = [self._query(names, BORDERS, sure, 0)]
        if names:
            last = min(1, len(names) - 1)
            tree = {"start": [0], "to": {"start": [last]}, "answer": "connection"}
            queries.insert(0, self._query(names, tree, sure, 0, last))
        return ReadQueries(queries, Cost())

    def _query(self, names: Any, tree: Any, sure: float, *numbers: int) -> ReadQuery:
        bound = bind(self.kg, read_query(tree), names or ("Austria",))
        actions = (*(Action("pointer", number=number) for number in numbers), Action("end"))
        return ReadQuery(bound, actions, sure)

    @contextmanager
    def facts(self) -> Generator[Facts]:
        """Those of the graph."""
        yield Facts(self.kg)

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        """Names are read, and other words with a capital left out."""
        return [
            Word(text=text, start=word.start, end=word.end, used_by=used)
            for word in question_words(question, mentions)
            if (text := question[word.start : word.end])
            and (used := _used(text, is_mention=word.mention is not None))
        ]


def _used(text: str, *, is_mention: bool) -> str:
    if is_mention:
        return "mention"
    return "unread" if text[0].isupper() else "filler"


@pytest.fixture(scope="module")
def kg() -> KnowledgeGraph:
    return open_kg("world")


def asked(reader: Scripted, question: str, turns: Sequence[Turn] = ()) -> Any:
    linker = LabelLinker(reader.kg.labels)
    tools = ReadWith(reader.kg, linker, reader, lambda: reader, 0.5)
    node = cast(Any, reading_node(tools, "query", answered, plan_of))
    runtime = SimpleNamespace(context=Options(on_ambiguous="best"), stream_writer=str)
    return node({"asked": question, "turns": list(turns)}, runtime)


def earlier(kg: KnowledgeGraph) -> Turn:
    """The turn of a question that was answered."""
    mentions = linked(LabelLinker(kg.labels), kg, FIRST).mentions
    topics = [mention["candidates"][0] for mention in mentions]
    known: Any = {"number": 1, "question": FIRST, "asked": FIRST, "alone": True, "text": ""}
    known |= {"status": "answered", "mentions": mentions, "topics": topics, "answers": []}
    return cast(Turn, known | {"cut": False, "confidence": 1.0, "notes": [], "empty": True})


def test_a_name_that_the_graph_lacks_is_told(kg: KnowledgeGraph) -> None:
    state = asked(Scripted(kg), "How are Austria and Narnia connected?", [earlier(kg)])
    assert (state["status"], state["readings"]) == ("abstained", [])
    assert state["notes"][1:] == [NARNIA]
    assert silence(state["status"], state["notes"]) == "What is asked about is not in the graph."


def test_nothing_of_an_earlier_question_stands_in_for_it(kg: KnowledgeGraph) -> None:
    questions = ("How are Austria and Narnia connected?", "and Narnia?", "Who likes Narnia more?")
    for question in questions:
        reader = Scripted(kg, 0.9)
        asked(reader, question, [earlier(kg)])
        assert all("Iceland" not in str(own.pointed.bound) for own in reader.asked)


def test_what_it_points_at_is_kept(kg: KnowledgeGraph) -> None:
    reader = Scripted(kg)
    asked(reader, "How is it connected to Narnia?", [earlier(kg)])
    assert reader.asked and all(own.before.topics for own in reader.asked)
    assert all("Iceland" not in str(own.pointed.bound) for own in reader.asked)


def test_a_connection_with_itself_is_neither_answered_nor_offered(kg: KnowledgeGraph) -> None:
    sure = asked(Scripted(kg, 0.9), "How is Austria connected?")
    assert sure["answers"] and sure["reading"] == "borders of Austria"
    doubtful = asked(Scripted(kg), "How is Austria connected?")
    assert [own["words"] for own in doubtful["readings"]] == ["borders of Austria"]


def test_a_complete_question_is_read_by_itself(kg: KnowledgeGraph) -> None:
    reader = Scripted(kg, 0.1)
    asked(reader, "Which friendly countries border Austria?", [earlier(kg)])
    assert reader.asked and all(own.before.reading == "" for own in reader.asked)
    assert [own.before.topics for own in reader.asked] == [()]


def test_a_reading_at_odds_with_its_question_is_not_offered(kg: KnowledgeGraph) -> None:
    reader = Scripted(kg)
    state = asked(reader, "Do they border Germany?", [earlier(kg)])
    assert any(own.before.topics for own in reader.asked)
    assert [own["words"] for own in state["readings"]] == ["borders of Germany"]
    assert not any("Iceland" in note for note in state["notes"])
    kept = asked(Scripted(kg), "and to Germany?", [earlier(kg)])
    assert "Iceland" in kept["readings"][0]["words"], "what follows on may be about it"
