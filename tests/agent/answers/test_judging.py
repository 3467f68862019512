"""Which verified answers stand, and what is told with them."""

from typing import Any

import pytest
from groundwalk.agent.answers.judging import (
    Judged,
    judged,
    too_low,
    with_account,
    with_readings,
    withheld,
)
from groundwalk.agent.options import Options
from groundwalk.agent.records import NO_FACTS, Answer, Entity, MentionRecord, Word, silence
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


@pytest.mark.parametrize(
    "note",
    [
        'not understood: "president"',
        "not sure enough of any reading (0.00, at least 0.50)",
        "I read: capital of Peru; not sure enough (0.10, at least 0.50)",
        "no word of the question was recognised as a name, a class or a relation of the graph",
        'I do not know what "it" is: nothing that was answered says so',
    ],
)
def test_what_was_not_understood_is_no_silence_of_the_graph(note: str) -> None:
    assert silence("abstained", ["the view was cut", note]) == "I did not understand that."
    assert silence("unsure", [note]) == "I am not sure enough to answer."


def test_an_unknown_unit_is_told_in_place_of_doubt() -> None:
    note = "I read: every gate, with fee < 15 kg; fee is in £: compared with kg as it is"
    assert silence("unsure", [note]) == "The values have another unit, or none that is known."


@pytest.mark.parametrize(
    "notes", [[], ["no verified path leads to an answer"], [NO_FACTS, "not sure enough (0)"]]
)
def test_what_was_understood_is_silence_of_the_graph(notes: list[str]) -> None:
    assert silence("abstained", notes) == "The graph does not say."


def reading(start: Any, *terms: str) -> Any:
    query = {"query": {"start": start}, "mentions": [{"text": own, "term": own} for own in terms]}
    return {"query": query, "words": str(start), "probability": 0.4}


@pytest.mark.parametrize("name", ["France", ""])
def test_no_reading_is_told_that_leaves_out_all_that_the_question_names(name: str) -> None:
    france = named("France")["term"]
    asked = state("Who runs France?") if name else State(question="Who runs it?")
    about = [reading([0], france), reading({"class": "city"}, france)]
    asked["readings"], asked["reading"] = about[::-1], "every city"
    note = "I read: every city; not sure enough (0.40, at least 0.50)"
    outcome, readings, words, _ = with_readings(Judged("unsure", [], [note]), asked)
    if name:
        why = "not sure enough of any reading (0.40, at least 0.50)"
        assert (readings, words, outcome.notes) == ([about[0]], "", [why])
    else:
        assert (readings, words, outcome.notes) == (about[::-1], "every city", [note])
    assert with_readings(Judged("answered", [], []), asked).readings == about[::-1]


def test_what_was_read_of_nothing_that_is_named_is_told_once() -> None:
    asked = state("Who runs France?")
    asked["readings"] = [reading({"class": "city"})]
    orderless = "I read: every city; date holds texts such as '1890-05', which have no order"
    unlikely = "I read: every town; not sure enough (0.40, at least 0.50)"
    why = "not sure enough of any reading"
    for notes, told in (
        ([orderless], [why]),
        ([orderless, unlikely], [f"{why} (0.40, at least 0.50)"]),
        ([orderless, orderless, "cut"], [why, "cut"]),
    ):
        assert with_readings(Judged("unsure", [], notes), asked).outcome.notes == told


@pytest.mark.parametrize("in_label", [True, False])
def test_a_word_of_a_label_was_recognised_though_nothing_was_made_of_it(in_label: bool) -> None:
    word = Word(text="weight", start=10, end=16, used_by="unread", in_label=in_label)
    note = "not sure enough of any reading (0.02, at least 0.50)"
    outcome = with_readings(Judged("unsure", [], [note]), State(question="?", account=[word]))
    assert (outcome.outcome.notes == [note]) == in_label


def test_a_question_of_what_came_before_was_recognised() -> None:
    word = Word(text="many", start=4, end=8, used_by="operator")
    last: Any = {"start": {"last": "answers"}, "answer": "count"}
    asked = State(question="how many?", account=[word], query_tree=last)
    note = "I read: how many: the last answers; not sure enough (0.40, at least 0.50)"
    assert with_readings(Judged("unsure", [], [note]), asked).outcome.notes == [note]
    asked["query_tree"] = {"start": {"class": "region"}, "answer": "count"}
    outcome = with_readings(Judged("unsure", [], [note]), asked).outcome
    assert outcome.notes[0].startswith("no word of the")
