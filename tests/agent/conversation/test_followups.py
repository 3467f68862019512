"""What follow-ups mean after earlier turns; and which questions are no follow-ups."""

import pytest
from groundwalk.agent.conversation.followups import follow
from groundwalk.agent.conversation.operators import parse
from groundwalk.agent.state import Entity, Turn

from .naming import entity, read, turn

VIENNA, EURO = entity("Vienna", "city"), entity("euro", "currency", score=0.0)
SET = [entity("Italy", "country"), entity("Hungary", "country")]
CAPITAL = turn("What is the capital of <country:Austria>?", VIENNA)
CURRENCY = turn("What is the currency of <country:Austria>?", EURO)
BORDERS = turn("Which countries border <country:Austria>?", *SET)
SILENT = turn("Who is the president of <country:Kenya>?")
KNOWN = {e["term"]: e for e in [VIENNA, EURO, *SET]}


def answered(asked: Turn) -> list[Entity]:
    return [KNOWN[answer["term"]] for answer in asked["answers"]]


def meanings(question: str, *turns: Turn) -> list[str]:
    followed = follow(read(question), turns, answered)
    wordings = followed.wordings if followed else ()
    return [wording.unmasked(wording.text)["question"] for wording in wordings]


@pytest.mark.parametrize(
    ("question", "last", "meant"),
    [
        ("and its currency?", CAPITAL, ["Vienna", "Austria"]),
        ("And its currency?", SILENT, ["Kenya"]),
        ("its capital?", CURRENCY, ["Austria", "euro"]),
        ("what about the currency?", SILENT, ["Kenya"]),
    ],
)
def test_what_belongs_to_it_is_asked_in_full(question: str, last: Turn, meant: list[str]) -> None:
    noun = "capital" if "capital" in question else "currency"
    assert meanings(question, last) == [f"What is the {noun} of {name}?" for name in meant]


@pytest.mark.parametrize(
    ("question", "last", "meant"),
    [
        ("Which languages are spoken there?", CAPITAL, "Which languages are spoken in Vienna?"),
        ("What language do they speak there?", CAPITAL, "What language do they speak in Vienna?"),
        ("What is that city's country?", CAPITAL, "What is Vienna's country?"),
        ("Which languages does that country have?", CAPITAL, "Which languages does Austria have?"),
        ("Does <country:Italy> border it?", SILENT, "Does Italy border Kenya?"),
        ("What are their capitals?", BORDERS, "What are Italy's capitals?"),
        ("What are the capitals of these countries?", BORDERS, "What are the capitals of Italy?"),
        ("And <country:France>?", BORDERS, "Which countries border France?"),
        ("what about <city:Oslo>?", BORDERS, "Which countries border Oslo?"),
    ],
)
def test_words_that_look_back_are_replaced(question: str, last: Turn, meant: str) -> None:
    assert meanings(question, last)[0] == meant


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("how many countries use it?", "how many countries use the euro?"),
        ("Which other countries pay with it?", "Which other countries pay with the euro?"),
        ("who uses it as money?", "who uses the euro as money?"),
        ("Where is it used?", "Where is the euro used?"),
        ("What language does it have?", "What language does Austria have?"),
        ("Where is it?", "Where is Austria?"),
    ],
)
def test_what_others_do_to_it_is_done_to_the_last_answer(question: str, meant: str) -> None:
    """The graph says nothing of a currency itself, so what `it` does is done by the country."""
    assert meanings(question, CURRENCY)[0] == meant.replace("the euro", "euro")


@pytest.mark.parametrize(
    "question",
    ["how many are they?", "And how many were there in total?", "how many are these?",
     "how many of them are there?", "what is their number?", "count them"],
)  # fmt: skip
def test_a_set_is_counted_and_not_asked_about(question: str) -> None:
    assert follow(read(question), [BORDERS], answered) is None
    parsed = parse(read(question), "countries", ())
    assert parsed and (parsed.operation["kind"], parsed.operation["over"]) == ("count", "last")


def test_a_set_is_asked_about_one_by_one() -> None:
    followed = follow(read("What are their capitals?"), [BORDERS], answered)
    assert followed is not None and followed.kind == "each" and len(followed.wordings) == 2


def test_another_entity_takes_the_place_of_its_like_in_what_stands_alone() -> None:
    some = turn("which of them use the <currency:euro>?", SET[0], alone=False)
    assert meanings("and <country:Peru>?", BORDERS, some) == ["Which countries border Peru?"]
    two = turn("Is <city:Vienna> the capital of <country:Austria>?", VIENNA)
    assert meanings("and <country:Peru>?", two) == ["Is Vienna the capital of Peru?"]
    assert meanings("and <city:Oslo>?", two) == ["Is Oslo the capital of Austria?"]


@pytest.mark.parametrize("question", ["why?", "But why?", "How do you know that?", "why is that"])
def test_why_is_about_the_last_turn(question: str) -> None:
    followed = follow(read(question), [BORDERS], answered)
    assert followed is not None and followed.kind == "why"


@pytest.mark.parametrize(
    "question",
    [
        "Which country has <city:Vienna> as its capital?",
        "How many countries are there in <continent:Africa>?",
        "Is it true that <city:Vienna> is the capital of <country:Austria>?",
        "Which of them are in <continent:Europe>?",
        "countries that border <country:France>",
        "Which film has the title <film:It>?",
        "What is the capital of <country:Peru>?",
        "Why did <person:Ada> leave <city:Oslo>?",
    ],
)
def test_what_refers_to_nothing_earlier_is_left_alone(question: str) -> None:
    assert follow(read(question), [CAPITAL, BORDERS], answered) is None
    assert follow(read("and its currency?"), [], answered) is None


@pytest.mark.parametrize("reply", ["2", "The city", "city", "Georgia (city)", "7", "both"])
def test_the_reply_to_what_was_asked_back(reply: str) -> None:
    asked = turn("Where is <:Georgia>?")
    options = [entity("Georgia (country)", "country"), entity("Georgia (city)", "city")]
    mention = asked["mentions"][0]
    asked["mentions"] = [{**mention, "ambiguous": True, "candidates": options}]
    asked["status"] = "ambiguous"
    followed = follow(read(reply), [asked], answered)
    if reply in ("7", "both"):
        assert followed is None
        return
    assert followed is not None
    part = followed.plain.unmasked(followed.plain.text)
    assert part["question"] == "Where is Georgia?"
    assert [c["label"] for c in part["mentions"][0]["candidates"]] == ["Georgia (city)"]
    assert not part["mentions"][0]["ambiguous"]
