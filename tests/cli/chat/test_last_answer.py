"""Which answer the commands speak of: the last one that is not taken back."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pyoxigraph as ox
import pytest
from groundwalk.agent.conversation.threads import close_threads
from groundwalk.agent.kg import open_kg
from groundwalk.agent.options import Options
from groundwalk.cli.chat.commands import perform
from groundwalk.cli.chat.loop import converse
from groundwalk.cli.chat.screen import ChatScreen, answer
from groundwalk.cli.chat.showing import evidence
from groundwalk.cli.chat.talk import Talk, Wanted
from groundwalk.cli.chat.threads import last_turns
from groundwalk.cli.render import answer_text
from rich.console import Console

from .test_commands import Said

PERU, AUSTRIA = "What is the capital of Peru?", "Which countries border Austria?"


@pytest.fixture(scope="module")
def shared() -> Talk:
    wanted = Wanted("query", "bundled", "none", "cpu", "auto", None, Options(), (), False, None)
    return Talk(open_kg("world"), wanted, Console())


@pytest.fixture
def talk(shared: Talk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Talk]:
    monkeypatch.setenv("GROUNDWALK_THREADS", str(tmp_path / "threads.sqlite"))
    shared.console = Console(
        file=io.StringIO(), width=100, markup=False, highlight=False, soft_wrap=True
    )
    yield shared
    if opened := shared._engine._threads.pop(True, None):  # pyright: ignore[reportPrivateUsage]
        close_threads(opened)
        shared.change(thread=None, options=Options())
    perform(shared, "/clear")


def after(talk: Talk, *lines: str) -> str:
    """What the last of some lines shows."""
    file = cast(io.StringIO, talk.console.file)
    converse(talk, Said(*lines[:-1]))
    file.seek(0)
    file.truncate()
    converse(talk, Said(lines[-1]))
    return file.getvalue()


def test_after_undo_the_commands_speak_of_the_answer_before(talk: Talk, tmp_path: Path) -> None:
    assert after(talk, PERU, AUSTRIA, "/undo", "/why") == "[1] ✓ Peru ─ capital → Lima\n"
    assert "capital of Peru" in after(talk, "/sparql") and "Lima" in after(talk, "/all")
    assert "capital of Peru" in after(talk, "/readings")
    perform(talk, f"/export {tmp_path / 'own.csv'}")
    assert "Lima" in (tmp_path / "own.csv").read_text(encoding="utf-8")
    assert "there is no answer yet" in after(talk, "/undo", "/why")
    assert "Lima" in after(talk, PERU, "/why"), "the conversation goes on"


def test_undo_names_the_question_that_is_the_last_one_now(talk: Talk) -> None:
    assert after(talk, PERU, AUSTRIA, "/undo").splitlines() == [
        f"Taken back: {AUSTRIA}",
        f"The last question is now: {PERU}",
    ]
    assert after(talk, "/undo").splitlines() == [f"Taken back: {PERU}"]


def test_undo_of_a_question_that_was_asked_twice_says_so(talk: Talk) -> None:
    assert after(talk, PERU, PERU, "/undo").splitlines() == [
        f"Taken back: the last answer to {PERU}",
        "The answer before it stands.",
    ]
    assert after(talk, "/why") == "[1] ✓ Peru ─ capital → Lima\n"


def test_in_a_thread_that_goes_on_the_commands_speak_of_its_last_answer(talk: Talk) -> None:
    talk.change(thread="trip")
    talk.begin("trip")
    converse(talk, Said(PERU, "How many countries border Austria?"))
    talk.begin("trip")
    last_turns(talk)
    assert "Austria ─ borders → Czechia" in after(talk, "/why")
    assert "8 (counted" in after(talk, "/explain tree")
    assert "not kept" in after(talk, "/readings")
    assert after(talk, "/undo", "/why") == "[1] ✓ Peru ─ capital → Lima\n"


LENGTHS = {
    "query": {
        "start": {"any": [{"start": [0]}, {"start": [1]}]},
        "steps": [{"relation": "length in kilometres"}],
    },
    "mentions": [{"text": "Danube"}, {"text": "Po River"}],
}


@pytest.mark.parametrize("most", [None, 1])
def test_what_was_answered_before_is_shown_with_what_it_is_of(talk: Talk, most: int | None) -> None:
    talk.change(thread="trip", options=Options(max_answers=most))
    talk.begin("trip")
    answer(talk, ChatScreen(console=talk.console), "How long?", lambda _: "", LENGTHS)
    *_, told = after(talk, "/thread").splitlines()
    values = [f"{answer_text(own)} ({own['of'][0]['label']})" for own in kept_answers(talk)]
    assert "2850 kilometres (length in kilometres) (Danube)" in values and len(values) == 2
    more = "; and 1 more" if most == 1 else ""
    assert told.strip() == "; ".join(values[:most]) + more


def kept_answers(talk: Talk) -> list[Any]:
    return talk.last.state.get("turns", [])[-1]["answers"]


def test_after_why_in_words_the_question_keeps_its_answer_and_readings(
    talk: Talk, tmp_path: Path
) -> None:
    how_many = "How many countries border Austria?"
    assert "how many: borders of Austria" in after(talk, how_many, "why?", "/readings")
    perform(talk, f"/export {tmp_path / 'own.csv'}")
    header, *rows = csv.reader((tmp_path / "own.csv").open(encoding="utf-8"))
    assert header == ["answer", "term", "count"] and len(rows) == 8
    assert how_many in after(talk, "/sparql") and "Austria" in after(talk, "/why 2")
    assert "how many: borders of Austria" in after(talk, "list them", "/readings")


def test_a_number_after_the_readings_chooses_one(talk: Talk) -> None:
    listed = after(talk, "Which countries border Germany but not France?", "/readings")
    assert "  2  borders of Germany, but not borders of France" in listed
    chosen = after(talk, "/readings", "2")
    assert "read as: borders of Germany, but not borders of France" in chosen
    assert "confidence" not in chosen, "who chooses a reading says what was asked"
    assert after(talk, "2").startswith("[2] ✓ "), "after an answer it is the mark of a chain"
    assert "read as: borders of Germany, but not France itself" in after(talk, "/readings", "1")


def test_a_reading_of_a_follow_up_is_about_the_answers_before_it(talk: Talk) -> None:
    converse(talk, Said(AUSTRIA, "and their capitals?"))
    assert "Bern (Switzerland)" in after(talk, "/readings 1")
    assert "Bern (Switzerland)" in after(talk, "why?", "/readings 1"), "not of those capitals"


def test_nothing_is_offered_that_no_word_of_the_question_says(talk: Talk) -> None:
    shown = after(talk, "How many lakes are in Peru?", "Who wrote Hamlet?")
    assert "I did not understand that." in shown and "Did you mean" not in shown


def test_what_has_no_readings_says_why(talk: Talk) -> None:
    assert "what the graph has" in after(talk, "tell me about Austria", "/readings")


@pytest.fixture(scope="module")
def store(shared: Talk) -> ox.Store:
    """The graph in another store."""
    store = ox.Store()
    kg = shared.kg
    relations = [*(own.term for own in kg.labels.relations()), *kg.profile.types]
    facts = (fact for relation in relations for fact in statements(shared, relation))
    store.load(input="\n".join(facts).encode(), format=ox.RdfFormat.N_TRIPLES)
    return store


def statements(talk: Talk, relation: str) -> Iterator[str]:
    for head, relation_, tail in talk.kg.store.statements(relation):
        yield f"{head} {relation_} {tail} ."


def test_the_sparql_of_follow_ups_finds_what_was_shown(talk: Talk, store: ox.Store) -> None:
    for question in (
        "Which countries border Germany?",
        "which of them use the euro?",
        "and their capitals?",
    ):
        for said in (question, "/readings 1"):
            converse(talk, Said(said))
            shown = {answer["term"] for answer in talk.last.state.get("answers", [])}
            solutions = store.query(evidence(talk, "sparql"))
            assert isinstance(solutions, ox.QuerySolutions)
            assert shown and {str(row["answer"]) for row in solutions} == shown, question
    converse(talk, Said("Which countries border Germany?", "how many are there?"))
    (row,) = cast(Any, store.query(evidence(talk, "sparql")))
    assert int(row[0].value) == 9
