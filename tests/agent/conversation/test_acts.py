"""What a question does in the conversation: it asks for proof, or says which reading was meant."""

import pytest
from groundwalk.agent.conversation.acts import act_of
from groundwalk.agent.languages import language_words
from groundwalk.agent.records import Entity, MentionRecord, Turn

from .naming import entity, mentions, turn

VIENNA = turn("What is the capital of <country:Austria>?", entity("Vienna", "city"))
ASKED = "Where is Springfield?"
OPTIONS: list[Entity] = [
    {**entity("Springfield (Illinois)", "city"), "description": "in the north"},
    {**entity("Springfield (band)", "rock band"), "description": "of six"},
]


def asking_back() -> Turn:
    """A turn that was ambiguous."""
    mention = MentionRecord(text="Springfield", start=9, end=20, ambiguous=True, candidates=OPTIONS)
    known = turn(ASKED)
    return {**known, "status": "ambiguous", "mentions": [mention]}


@pytest.mark.parametrize(
    "text",
    ["Why?", "but why?", "And why is that", "how come?", "Are you sure?", "prove it!", "Says who?"],
)
def test_it_asks_for_the_proof_of_the_last_answer(text: str) -> None:
    act = act_of(text, [], [VIENNA])
    assert act is not None and act.kind == "why" and act.question["question"] == text
    assert act_of(text, [], []) is None, "there is nothing to prove"


@pytest.mark.parametrize(
    "text", ["Why is Vienna large?", "and Peru?", "how many are there?", "but"]
)
def test_what_asks_the_graph_is_no_act(text: str) -> None:
    assert act_of(text, [], [VIENNA]) is None


def test_a_name_is_no_word_that_asks() -> None:
    text, named = mentions("<song:Why>?")
    assert act_of(text, named, [VIENNA]) is None


def test_every_phrase_is_found_as_it_is_compared() -> None:
    for phrase in language_words()["conversation"]["why"]:
        assert act_of(f"{phrase.capitalize()}?", [], [VIENNA]) is not None, phrase


@pytest.mark.parametrize(
    ("said", "place"),
    [("1", 0), ("2.", 1), ("in the north", 0), ("the band", 1), ("The north?", 0), ("3", None)]
    + [("Springfield (band)", 1), ("What is the capital of Peru?", None)],
)
def test_a_reply_to_what_was_asked_back_settles_it(said: str, place: int | None) -> None:
    act = act_of(said, [], [VIENNA, asking_back()])
    if place is None:
        assert act is None
        return
    assert act is not None and act.kind == "choice" and act.question["question"] == ASKED
    (mention,) = act.question["mentions"]
    assert mention["candidates"] == [OPTIONS[place]] and not mention["ambiguous"]


def test_the_name_that_several_have_is_asked_about_again() -> None:
    asked = asking_back()
    act = act_of("Springfield", [], [asked])
    assert act is not None and act.kind == "choice" and act.question["question"] == ASKED
    assert act.question["mentions"] == asked["mentions"]


@pytest.mark.parametrize("said", ["Hague", "the Hague?", "THE HAGUE"])
def test_so_is_one_that_only_one_has_as_its_label(said: str) -> None:
    asked, options = asking_back(), [entity("Hague", "city"), entity("Den Haag", "city")]
    (mention,) = asked["mentions"]
    asked["mentions"] = [{**mention, "text": "The Hague", "candidates": options}]
    _, own = mentions("<city:Hague>")
    act = act_of(said, own, [asked])
    assert act is not None and act.question["mentions"] == asked["mentions"]
    assert act.kind == "choice" and act.question["question"] == ASKED


def test_a_name_that_is_linked_to_an_option_settles_it() -> None:
    own = MentionRecord(text="sextet", start=0, end=6, ambiguous=False, candidates=[OPTIONS[1]])
    act = act_of("The sextet!", [own], [asking_back()])
    assert act is not None and act.question["mentions"][0]["candidates"] == [OPTIONS[1]]
    assert act_of("The sextet of Rome", [own], [asking_back()]) is None
