"""What is shown again of an earlier answer: nothing is said of chains where there are none."""

import pytest
from groundwalk.agent.conversation.earlier import answers_again
from groundwalk.agent.conversation.introduction import introduce, introduced
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.records import Turn

from .naming import turn

NOTE = 'not understood: "foo"'


@pytest.fixture(scope="module")
def world() -> KnowledgeGraph:
    return open_kg("world")


@pytest.mark.parametrize("status", ["abstained", "unsure"])
def test_of_a_question_without_an_answer_the_reasons_are_told_again(
    world: KnowledgeGraph, status: str
) -> None:
    unanswered: Turn = {**turn("What is the foo of <country:Peru>?"), "notes": [NOTE]}
    unanswered["status"] = "unsure" if status == "unsure" else "abstained"
    shown = answers_again(world, [unanswered])
    assert (shown.status, shown.result, shown.notes) == (status, None, [NOTE])


def test_of_a_set_without_members_it_is_told_that_it_has_none(world: KnowledgeGraph) -> None:
    empty = turn("Which lakes are in <country:Andorra>?")
    empty["status"], empty["text"], empty["empty"] = "answered", "None in the graph.", True
    result = answers_again(world, [empty]).result
    assert result is not None and result["text"] == "None in the graph."


@pytest.mark.parametrize("courtesy", ["yes", "no", "thanks"])
def test_a_yes_to_nothing_is_told_so_in_a_line(world: KnowledgeGraph, courtesy: str) -> None:
    shown = introduced(introduce(world), courtesy)
    assert shown.status == "introduced" and shown.result is not None
    assert "facts" not in shown.result["text"] and shown.result.get("rows") == []
