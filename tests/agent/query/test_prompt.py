"""The prompt of queries that trained weights depend on."""

import pytest
from groundwalk.agent.decoding.wire import QUERY_MARKERS
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.llm.model_folder import ModelSettings
from groundwalk.agent.query.prompt import (
    EarlierQuestion,
    Numbered,
    asked_tokens,
    query_prompt,
    query_tokens,
)
from hypothesis import given
from hypothesis import strategies as st

from ..decoding import worlds


def masked(question: str, *mentions: Numbered, earlier: EarlierQuestion | None = None) -> str:
    """The line of the question, as a masked model reads it."""
    prompt = query_prompt(question, mentions, masked=True, instruct=False, earlier=earlier)
    heading, line = prompt.split("\n")
    assert heading == "# Question: "
    return line


def span(question: str, text: str, kind: str, shown: str = "") -> Numbered:
    """A mention where a question has its text."""
    start = question.index(text)
    return Numbered(start, start + len(text), kind, shown)


def test_mentions_are_numbered_and_masked_by_their_class() -> None:
    question = "Which rivers  of Germany are longer than 1,000 km ?"
    line = masked(question, span(question, "Germany", "Country"), span(question, "1,000", "number"))
    assert line == "which rivers of <0>[country] are longer than <1>[number] km"


def test_a_mention_has_the_number_of_its_place_in_the_list() -> None:
    question = "Is Rome in Italy"
    line = masked(question, span(question, "Italy", "country"), span(question, "Rome", "city"))
    assert line == "is <1>[city] in <0>[country]"


@pytest.mark.parametrize(("shown", "read"), [("Three", "three"), ("3", "3"), ("", "[number]")])
def test_a_small_number_is_read_as_it_is(shown: str, read: str) -> None:
    question = "the three largest cities"
    assert masked(question, span(question, "three", "number", shown)) == (
        f"the <0>{read} largest cities"
    )


def test_what_is_not_masked_keeps_names_and_lists_them() -> None:
    question = "Which rivers of Germany are longer than 1000 km?"
    prompt = query_prompt(
        question,
        [span(question, "Germany", "country"), span(question, "1000", "number")],
        masked=False,
        instruct=True,
    )
    instruction, _, rest = prompt.partition("\n\n")
    assert "query" in instruction
    assert rest == (
        "# Question: \nWhich rivers of <0>Germany are longer than <1>1000 km?\n"
        "# Mentions: \n<0>Germany [country], <1>1000 [number]"
    )


def test_what_came_before_is_written_first_and_numbered_on() -> None:
    before, question = "What is the capital of France?", "and of Spain?"
    earlier = EarlierQuestion(
        "country", "city", False, before, (span(before, "France", "country"),)
    )
    assert masked(question, span(question, "Spain", "country"), earlier=earlier) == (
        "what is the capital of <1>[country]? <TOPICS>[country]<ANSWERS>[city] and of <0>[country]"
    )
    many = EarlierQuestion("country", "river", many=True)
    assert masked("Which is the longest?", earlier=many) == (
        "<TOPICS>[country]<ANSWERS><MANY>[river] which is the longest"
    )
    assert masked("how many", earlier=EarlierQuestion()) == "how many"
    assert masked("how many", earlier=EarlierQuestion("country")) == "<TOPICS>[country] how many"


def test_mentions_without_a_number_are_text() -> None:
    question = " ".join("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ")
    mentions = [Numbered(2 * n, 2 * n + 1, "thing") for n in range(36)]
    line = masked(
        question, *mentions, earlier=EarlierQuestion(question="x", mentions=(mentions[0],))
    )
    assert line.startswith("x? <0>[thing]") and line.endswith("<31>[thing] g h i j")


@given(st.text(), st.text(), st.sampled_from(QUERY_MARKERS), st.booleans())
def test_no_text_of_a_user_can_write_a_marker(
    before: str, after: str, marker: str, is_masked: bool
) -> None:
    question = before + marker + after
    mention = Numbered(len(before), len(question), marker)
    prompt = query_prompt(
        question,
        [mention],
        masked=is_masked,
        instruct=False,
        earlier=EarlierQuestion(question=question),
    )
    text = prompt.replace("<0>", "")
    assert "<" not in text and ">" not in text
    assert len(prompt.split("\n")) == (2 if is_masked else 4)


def test_tokens_end_at_the_heading_and_share_the_instruction() -> None:
    tokenizer = worlds.byte_level()
    prompt = query_prompt("who", [], masked=True, instruct=False)
    text = tokenizer.decode(query_tokens(tokenizer, prompt))
    assert text == "# Question: \nwho\n# Query: \n"


def test_prompts_of_a_model_share_the_instruction() -> None:
    tokenizer = worlds.byte_level()
    for instruct in (False, True):
        settings = ModelSettings(masked=True, instruct=instruct)
        local = LocalModel("", worlds.random_model(len(tokenizer)), tokenizer, settings)
        tokens, shared = asked_tokens(local, "who", [])
        text = str(tokenizer.decode(tokens[:shared]))
        assert text.endswith("# Question: \n") and ("query" in text) == instruct
