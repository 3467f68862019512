"""Answers to a question with words that no walk follows."""

from typing import Any

import pytest
from groundwalk.agent.nodes.judged import UNAPPLIED, Judged, judged, with_account
from groundwalk.agent.options import Options
from groundwalk.agent.state import Answer, Entity, MentionRecord, State, Word

from ..evidence.replies import answer, named, step


def state(question: str, name: str = "France") -> State:
    france = Entity(**named(name), kind="country", description="", score=1.0)
    start = question.index(name)
    mention = MentionRecord(
        text=name, start=start, end=start + len(name), ambiguous=False, candidates=[france]
    )
    answers: list[Answer] = [
        answer(named(end), [step(named(end), named("borders"), named(name), inverse=True)])
        for end in ("Spain", "Italy")
    ]
    known: dict[str, Any] = {"mentions": [mention], "topics": [france], "answers": answers}
    return State(question=question, status="answered", confidence=0.9, **known)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Which countries border only France?", "only"),
        ("Which countries border at least three neighbours of France?", "at least three"),
        ("Which of the first countries border every part of France?", "first, every"),
    ],
)
def test_words_that_were_not_applied_are_told_with_the_answers(question: str, words: str) -> None:
    found = judged(state(question), 0.5)
    assert found.status == "answered" and found.answers
    assert found.notes == [UNAPPLIED + words]


@pytest.mark.parametrize(
    "question",
    [
        "Which countries never bordered France?",
        "Which countries no longer border France?",
        "Which countries border neither France?",
        "Which countries have no border with France?",
        "Which countries are without a border with France?",
        "Which countries lack a border with France?",
    ],
)
def test_the_opposite_is_not_answered(question: str) -> None:
    found = judged(state(question), 0.5)
    assert found.status == "abstained" and not found.answers
    assert any("negation" in note for note in found.notes)


@pytest.mark.parametrize("name", ["The Only First Two", "Never Without None", "No Longer"])
def test_words_of_names_are_no_words_of_the_question(name: str) -> None:
    found = judged(state(f"Which countries border {name}?", name), 0.5)
    assert found.status == "answered" and not found.notes


def test_a_plain_question_has_no_note() -> None:
    assert judged(state("Which countries border France?"), 0.5).notes == []


def test_answers_of_one_of_several_topics_are_told() -> None:
    asked = state("Which countries border France and Germany?")
    asked["topics"] = [
        *asked.get("topics", []),
        Entity(**named("Germany"), kind="country", description="", score=1.0),
    ]
    both = [
        step(named("Belgium"), named("borders"), named(topic), inverse=True)
        for topic in ("France", "Germany")
    ]
    belgium = answer(named("Belgium"), *([one] for one in both))
    asked["answers"] = [belgium, *asked.get("answers", [])]
    assert judged(asked, 0.5).notes == ["2 of 3 are not of France and Germany together"]
    asked["answers"] = [belgium]
    assert judged(asked, 0.5).notes == []


def test_what_uses_no_word_of_the_question_is_no_answer() -> None:
    answer: Any = {"term": "<urn:nairobi>", "label": "Nairobi", "chains": []}
    whole = Judged("answered", [answer], ["a note"])

    def word(text: str, used_by: str) -> Word:
        return Word(text=text, start=0, end=len(text), used_by=used_by)

    left_out = [word("Who", "filler"), word("painted", "unread")]
    told = ['not understood: "painted"', "a note"]
    assert with_account(whole, left_out, Options()) == Judged("abstained", [], told)
    used = [*left_out, word("capital", "capital")]
    assert with_account(whole, used, Options()) == Judged("partial", [answer], told)
    assert with_account(whole, used, Options(partial=False)) == Judged("abstained", [], told)
    assert with_account(whole, [], Options()) == whole
