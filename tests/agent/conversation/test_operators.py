"""Which questions are operations, over which plain questions; no name ever is an operator."""

import pytest
from groundwalk.agent.conversation.operators import may_compute, parse
from groundwalk.agent.conversation.superlatives import superlatives

from .naming import read

RELATIONS = frozenset({"borders", "highest point", "number of employees", "capital"})

SPLIT = [
    (
        "Which countries border both <country:France> and <country:Germany>?",
        ("list", "both"),
        ["Which countries border France?", "Which countries border Germany?"],
    ),
    (
        "Which countries both border <country:France> and use the <currency:euro>?",
        ("list", "both"),
        ["Which countries border France?", "Which countries use the euro?"],
    ),
    (
        "countries that border <country:France> except those that border <country:Germany>",
        ("list", "except"),
        ["countries that border France?", "which countries that border Germany?"],
    ),
    (
        "Which countries border <country:France> but not <country:Germany>?",
        ("list", "except"),
        ["Which countries border France?", "Which countries border Germany?"],
    ),
    (
        "Which countries are in <continent:Europe> but not <country:Germany>?",
        ("list", "except"),
        ["Which countries are in Europe?"],
    ),
    (
        "Which countries border <country:France> and do not use the <currency:euro>?",
        ("list", "except"),
        ["Which countries border France?", "which countries use the euro?"],
    ),
    (
        "Which countries that border <country:France> don't border <country:Germany>?",
        ("list", "except"),
        ["Which countries that border France?", "which countries border Germany?"],
    ),
    (
        "How many countries are there in <region:Western Africa>?",
        ("count", "one"),
        [
            "How many countries are there in Western Africa?",
            "which countries are there in Western Africa?",
        ],
    ),
    (
        "Which countries border <country:France> or <country:Germany>?",
        ("list", "either"),
        ["Which countries border France?", "Which countries border Germany?"],
    ),
    (
        "How many countries border either <country:France>, <country:Spain> or <country:Italy>?",
        ("count", "either"),
        [
            "which countries border France?",
            "which countries border Spain?",
            "which countries border Italy?",
        ],
    ),
    (
        "Which countries border <country:France> and also use the <currency:euro>?",
        ("list", "both"),
        ["Which countries border France?", "which countries use the euro?"],
    ),
    (
        "Show us the countries that border <country:France> and also border <country:Germany>",
        ("list", "both"),
        ["Show us the countries that border France?", "which countries border Germany?"],
    ),
    (
        "What is the largest country that borders <country:China> or <country:India>?",
        ("extreme", "either"),
        ["which countries border China?", "which countries border India?"],
    ),
    (
        "the largest of the countries that border both <country:China> and <country:India>",
        ("extreme", "both"),
        ["which countries border China?", "which countries border India?"],
    ),
    (
        "How many countries border both <country:France> and <country:Germany>?",
        ("count", "both"),
        ["which countries border France?", "which countries border Germany?"],
    ),
    (
        "Is <city:Vienna> the capital of <country:Austria>?",
        ("truth", "one"),
        [],
    ),
    (
        "Is the capital of <country:Austria> <city:Vienna>?",
        ("truth", "one"),
        [],
    ),
    (
        "Does <country:France> border <country:Spain>?",
        ("truth", "one"),
        [],
    ),
    (
        "Is it true that <language:French> is spoken in <country:Belgium>?",
        ("truth", "one"),
        [],
    ),
    (
        "What is the longest river in <country:France>?",
        ("extreme", "one"),
        ["which rivers are in France?"],
    ),
    (
        "the most populous country that borders <country:France>",
        ("extreme", "one"),
        ["which countries border France?"],
    ),
    (
        "Which river in <country:France> is the longest?",
        ("extreme", "one"),
        ["which rivers are in France?"],
    ),
    (
        "Who is the oldest of the children of <person:Ada>?",
        ("extreme", "one"),
        ["what are the children of Ada?"],
    ),
]


@pytest.mark.parametrize(("question", "operation", "parts"), SPLIT)
def test_an_operation_is_split_into_plain_questions(
    question: str, operation: tuple[str, str], parts: list[str]
) -> None:
    parsed = parse(read(question), "", RELATIONS)
    assert parsed is not None
    assert (parsed.operation["kind"], parsed.operation["over"]) == operation
    assert [part["question"] for part in parsed.parts] == parts
    for part in parsed.parts:
        for mention in part["mentions"]:
            named = part["question"][mention["start"] : mention["end"]]
            assert named == mention["text"]


@pytest.mark.parametrize(
    ("question", "kind", "condition"),
    [
        ("how many are there?", "count", ""),
        ("And how many of them are in <continent:Europe>?", "count", "are in …"),
        ("which of them are in the <group:EU>?", "list", "are in the …"),
        ("which of these in <continent:Asia>?", "list", "are in …"),
        ("do any of them border <country:Peru>?", "list", "border …"),
        ("are there any of them in <continent:Africa>?", "list", "are in …"),
        ("Which of them is the largest by population?", "extreme", ""),
        ("which one has the highest population", "extreme", ""),
        ("Which country is the oldest?", "extreme", ""),
    ],
)
def test_the_last_answers_are_meant_where_there_are_any(
    question: str, kind: str, condition: str
) -> None:
    parsed = parse(read(question), "countries", RELATIONS)
    assert parsed is not None and parsed.operation["over"] == "last"
    assert (parsed.operation["kind"], parsed.operation["condition"]) == (kind, condition)
    without = parse(read(question), "", RELATIONS)
    assert without is None or without.operation["over"] != "last"


def test_a_negation_and_a_property_are_read() -> None:
    parsed = parse(read("which of them do not use the <currency:euro>?"), "countries", ())
    assert parsed and parsed.operation["negated"]
    assert [part["question"] for part in parsed.parts] == ["which countries use the euro?"]
    parsed = parse(read("which of them has the smallest population?"), "countries", ())
    assert parsed and parsed.operation["properties"] == ["population"]
    assert not parsed.operation["most"]


@pytest.mark.parametrize(
    "question",
    [
        "Who directed <film:Both Sides of the Blade>?",
        "What films did the director of <film:The Longest Day> make?",
        "Who acted in <film:Everything Except the Truth>?",
        "<film:Is Paris Burning> was made when?",
        "Do you know which films <person:Ada> and <person:Ben> made?",
        "What is the highest point of <country:France>?",
        "What is the number of employees of <company:Acme>?",
        "Which country on Earth has the most neighbours?",
        "Which other countries border <country:France>?",
        "How many <currency:yen> do I get for a <currency:euro>?",
        "Which countries border <country:France>?",
        "What is the capital of <country:Austria>?",
        "",
    ],
)
def test_other_questions_are_left_alone(question: str) -> None:
    assert parse(read(question), "", RELATIONS) is None


def test_every_operation_has_a_cue() -> None:
    for question, *_ in SPLIT:
        assert may_compute(read(question).unmasked(read(question).text)["question"])
    assert all(may_compute(f"the {word} of X") for word in superlatives())
    assert not may_compute("Which countries border France?")


@pytest.mark.parametrize(
    "question",
    [
        "Is there no film by <person:Ada>?",
        "Are there more films by <person:Ada> than by <person:Ben>?",
        "Are there any countries in <continent:Africa> that do not use the <currency:euro>?",
        "Are there any countries in <continent:Africa> that don't border <country:Chad>?",
        "Is there hardly any river in <country:Libya>?",
        "Is there a river in <country:Libya> or not?",
        "Are there as many countries in <continent:Africa> as in <continent:Asia>?",
        "Are there two official languages in <country:Canada>?",
        "Are there over 50 countries in <continent:Africa>?",
        "Are there mountains above 5000 metres in <country:Nepal>?",
        "Is there just one country that borders <country:Portugal>?",
        "Is there a border between <country:France> and <country:Germany>?",
        "Is there a city called <city:Bonn> in <country:Germany>?",
        "Is there any country outside <continent:Africa> that uses the <currency:euro>?",
        "Does anyone know if <country:Germany> borders <country:France>?",
        "Do you know whether <country:Germany> borders <country:France>?",
        "Are there any of them without a <sea:coast>?",
        "Are there many films by <person:Ada>?",
        "Does anyone live in <city:Oslo>?",
        "Does <person:Ada> or <person:Ben> live in <city:Oslo>?",
        "Does <country:Germany> have no border with <country:Austria>?",
        "Is it true that <country:Germany> no longer borders <country:Poland>?",
        "Is it true that <country:Switzerland> lacks a border with <country:France>?",
        "Does <country:Germany> border more countries than <country:Austria>?",
        "Does <country:France> border only <country:Spain>?",
        "Are <country:France> and <country:Spain> the same country?",
        "Do all of them use the <currency:euro>?",
        "Which countries border both <country:Germany> and use the <currency:euro>?",
        "which of them border neither <country:Brazil> nor <country:Chile>?",
        "which of them border <country:Brazil> but not <country:Chile>?",
        "which of them border both <country:Brazil> and <country:Chile>?",
        "which of them border <country:Brazil> or <country:Chile>?",
        "Which countries border <country:China> or use the <currency:euro>?",
        "Which countries border <country:China> or <country:India> except <country:Nepal>?",
        "Which countries border both <country:China> and <country:India> except <country:Nepal>?",
        "What is the largest country in <continent:Asia> or bordering <country:France>?",
        "which of them speak no <language:Spanish>?",
        "which of them border only <country:Peru>?",
        "how many of them border neither <country:Brazil> nor <country:Chile>?",
        "are any of them not in <continent:Africa>?",
    ],
)
def test_what_no_rule_reads_is_not_computed(question: str) -> None:
    parsed = parse(read(question), "countries", RELATIONS)
    assert parsed is not None and parsed.operation["kind"] == "unread" and not parsed.parts


@pytest.mark.parametrize(
    "question",
    [
        "Can you list films by <person:Ada>?",
        "Do you know <x:Y>?",
        "Does anyone know which films <person:Ada> made?",
        "Can somebody please tell me who made <film:Metropolis>?",
    ],
)
def test_a_polite_question_is_plain(question: str) -> None:
    assert parse(read(question), "", RELATIONS) is None


@pytest.mark.parametrize(
    "question",
    [
        "Is there a film by <person:Ada>?",
        "Are there any rivers in <country:Mexico>?",
        "Is there any country in <continent:Africa> that uses the <currency:euro>?",
    ],
)
def test_whether_there_is_something_asks_for_it(question: str) -> None:
    assert parse(read(question), "", RELATIONS) is None


def test_both_of_nothing_named_is_not_computed() -> None:
    parsed = parse(read("used by both <country:Panama> and <country:Ecuador>"), "", RELATIONS)
    assert parsed is not None and parsed.operation["kind"] == "unread"
