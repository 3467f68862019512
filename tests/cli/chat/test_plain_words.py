"""What is said to the chat in plain words, or in a number, instead of a command."""

from typing import Any, cast

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.evidence import Origin
from groundwalk.agent.state import State
from groundwalk.cli.chat.commands import COMMANDS, perform
from groundwalk.cli.chat.loop import converse
from groundwalk.cli.chat.readings import offer
from groundwalk.cli.chat.talk import Talk

from .test_commands import Said, shared, shown, talk

__all__ = ["shared", "talk"]
"""The fixtures: a conversation that begins, with a model that is loaded once."""

CAPITAL = {
    "query": {"start": [0], "steps": [{"relation": "capital"}]},
    "mentions": [{"text": "Portugal"}],
}
BORDERS = "Which countries border Austria?"
LONGER = "Which is longer, the Danube or the Rhine?"
FACTS = ["Danube ─ length in kilometres → 2850", "Rhine ─ length in kilometres → 1230"]


def unsure(talk: Talk, *readings: tuple[str, float]) -> None:
    """A question was just asked of which no reading was sure enough."""
    listed = [{"query": {}, "words": words, "probability": own} for words, own in readings]
    state: Any = {"question": "Who?", "answers": [], "readings": listed, "status": "abstained"}
    talk.remember(cast(State, state), Origin())


@pytest.mark.parametrize("asked", ["why?", "Why is that?", "how do you know", "Who told you that?"])
def test_why_in_words_shows_what_the_command_shows(talk: Talk, asked: str) -> None:
    converse(talk, Said(LONGER))
    shown(talk)
    perform(talk, "/why")
    chains = shown(talk)
    assert all(fact in chains for fact in FACTS) and len(chains.splitlines()) == 2
    converse(talk, Said(asked))
    assert chains in shown(talk)
    converse(talk, Said(asked, "/why"))
    assert shown(talk).count(chains) == 2, "asked again it is the same"


def test_a_card_says_what_it_leaves_out_and_where_all_of_it_is(talk: Talk) -> None:
    converse(talk, Said("tell me about Poland"))
    text = shown(talk)
    assert "and 2 more (/all lists them)" in text and "Ukraine" not in text
    converse(talk, Said("/all"))
    whole = shown(talk)
    assert "Ukraine" in whole and " more" not in whole
    converse(talk, Said("tell me more"))
    assert whole.strip() in shown(talk)


def test_what_was_counted_is_listed(talk: Talk) -> None:
    converse(talk, Said("How many countries are in Africa?"))
    assert "and 44 more) (/all lists them)" in shown(talk)
    converse(talk, Said("list them", "2"))
    text = shown(talk)
    assert "Algeria [1], Angola [2], " in text and "and 24 more (/all lists them)" in text
    assert "counted" not in text and "a vote of" not in text
    assert "[2] ✓ Africa ← continent ─ Angola" in text


@pytest.mark.parametrize("typed", ["3", "[3]", "/WHY 3", " 3 "])
def test_a_number_is_the_mark_of_the_last_answer(talk: Talk, typed: str) -> None:
    converse(talk, Said(BORDERS))
    shown(talk)
    converse(talk, Said(typed))
    assert shown(talk) == "[3] ✓ Austria ─ borders → Hungary\n"


def test_marks_of_several_chains_are_taken_as_they_are_shown(talk: Talk) -> None:
    converse(talk, Said(BORDERS, "/why [2-3]"))
    assert [line[:3] for line in shown(talk).splitlines()[-2:]] == ["[2]", "[3]"]
    for wrong in ("9", "3-2", "7-9", "x", "0"):
        with pytest.raises(InputError, match="there is no chain"):
            perform(talk, f"/why {wrong}")


def test_a_number_is_a_question_where_no_answer_has_it(talk: Talk) -> None:
    converse(talk, Said("1", BORDERS, "9", "/thread"))
    turns = [line for line in shown(talk).splitlines() if line.startswith("  ")]
    assert "  1  1" in turns and "  3  9" in turns


def test_only_what_is_likely_is_offered_and_nothing_twice(talk: Talk) -> None:
    unsure(talk, ("capital", 0.4), ("currency", 0.2), ("capital", 0.1), ("river", 0.04))
    offer(talk)
    text = shown(talk)
    assert "Type 1 to 2" in text and text.count("capital") == 1 and "river" not in text
    unsure(talk, ("river", 0.049), ("city", 0.0))
    offer(talk)
    assert shown(talk) == "" and not talk.offers("1")


def test_an_offer_ends_with_the_next_line(talk: Talk) -> None:
    unsure(talk, ("capital", 0.4), ("currency", 0.2))
    assert talk.offers("2")
    converse(talk, Said("/entity Congo", "2"))
    text = shown(talk)
    assert "Brazzaville" in text and "read as: currency" not in text and not talk.offers("2")


@pytest.mark.parametrize("said", ["yes", "y", "the first", "1."])
def test_a_yes_takes_the_first_of_what_is_offered(talk: Talk, said: str) -> None:
    unsure(talk, ("capital", 0.4), ("currency", 0.2))
    talk.understood.readings[0]["query"].update(CAPITAL)
    converse(talk, Said(said))
    assert "Lisbon [1]" in shown(talk)


def test_a_no_takes_none_of_what_is_offered(talk: Talk) -> None:
    unsure(talk, ("capital", 0.4))
    converse(talk, Said("no"))
    assert "say it in other words" in shown(talk) and not talk.offered


@pytest.mark.parametrize("asked", ["help", "?"])
def test_a_request_for_help_names_commands_and_is_no_turn(talk: Talk, asked: str) -> None:
    converse(talk, Said(BORDERS, asked))
    text = shown(talk)
    assert all(command in text for command in ("/help", "/why", "/all"))
    converse(talk, Said("/why 3"))
    assert "Hungary" in shown(talk), "the last answer is still the last"
    converse(talk, Said("/thread"))
    assert [line for line in shown(talk).splitlines() if line[2:3].isdigit()] == [f"  1  {BORDERS}"]
    converse(talk, Said("/undo"))
    assert shown(talk) == f"Taken back: {BORDERS}\n"
    left = talk.session().graph.get_state({"configurable": {"thread_id": talk.thread}}).values
    assert left["turns"] == left["messages"] == []


def test_a_step_that_begins_elsewhere_says_where(talk: Talk) -> None:
    converse(talk, Said(BORDERS, "Which of them use the euro?", "/why 2"))
    assert shown(talk).splitlines()[-1].endswith("→ Italy  ✓ euro ← currency ─ Italy")


def test_paths_says_why_there_are_none(talk: Talk) -> None:
    converse(talk, Said(LONGER, "/paths"))
    assert "/why shows its triples" in shown(talk).splitlines()[-1]
    converse(talk, Said("/clear", "Who wrote Hamlet?", "/paths"))
    assert shown(talk).splitlines()[-1] == "Nothing was walked."


@pytest.mark.parametrize("line", ["/explain", "/explain foo"])
def test_forms_of_evidence_are_listed(talk: Talk, line: str) -> None:
    converse(talk, Said(line))
    assert "tree, mermaid, sparql, turtle, html" in shown(talk)


def test_help_has_ten_commands_and_says_where_the_rest_is(talk: Talk) -> None:
    perform(talk, "/help")
    lines = [line.split()[0] for line in shown(talk).splitlines() if line.startswith("  /")]
    assert len(lines) == 10 and "/help" in lines and set(lines) < set(COMMANDS)
    with pytest.raises(InputError, match="no help on"):
        perform(talk, "/help me")


@pytest.mark.parametrize("line", ["/help", "/help all"])
def test_help_says_how_to_stop_and_what_the_mark_means(talk: Talk, line: str) -> None:
    perform(talk, line)
    said = " ".join(shown(talk).split())
    assert "Ctrl-C stops a question" in said and "✓ marks a triple that the graph holds" in said


@pytest.mark.parametrize("word", ["exit", "Bye!", "q", "thanks, goodbye"])
def test_who_leaves(talk: Talk, word: str) -> None:
    converse(talk, Said(word, "/kg"))
    assert talk.over and shown(talk) == ""
