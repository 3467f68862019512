"""Which verified answers stand, and what is told with them."""

from typing import Any

import pytest
from groundwalk.agent.answers.judging import Judged, judged, too_low, with_account, withheld
from groundwalk.agent.options import Options
from groundwalk.agent.records import Answer, Entity, MentionRecord, Word
from groundwalk.agent.state import State

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
    ("confidence", "least", "shown"),
    [
        (0.2, 0.5, "0.20, at least 0.50"),
        (0.994, 0.9941, "0.9940, at least 0.9941"),
        (0.9899, 0.99, "0.9899, at least 0.9900"),
    ],
)
def test_what_is_too_low_differs_from_what_is_needed(
    confidence: float, least: float, shown: str
) -> None:
    assert too_low(confidence, least) == shown


def test_a_plain_question_has_no_note() -> None:
    assert judged(state("Which countries border France?"), 0.5).notes == []


@pytest.mark.parametrize("least", [0.06, 0.5, 0.75])
def test_little_of_the_wanted_confidence_is_nothing_and_more_is_not_sure(least: float) -> None:
    asked = state("Which countries border France?")
    for share, status in ((0.0, "abstained"), (0.3, "abstained"), (0.4, "unsure"), (0.9, "unsure")):
        asked["confidence"] = share * least
        own = judged(asked, least)
        assert (own.status, own.answers) == (status, [])
        assert withheld(share * least, least) == status
    asked["confidence"] = least
    assert judged(asked, least).status == "answered"


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
