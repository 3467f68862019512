"""Values are topics where a question says how much something is, and nothing else is named."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.nodes import lexical_form
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.linking.amounts import amount
from groundwalk.agent.linking.mentions import tokenise
from hypothesis import given
from hypothesis import strategies as st

from .asked import AskedLabels

MEASURED = {"height", "height in metres", "length in kilometres"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    with closing(open_kg("world", cache=tmp_path_factory.mktemp("cache"))) as kg:
        yield kg


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        ("Which mountain is 8611 metres high?", "8611", "8611"),
        ("what's the name of the 8611 metre peak", "8611", "8611"),
        ("Which peak is it that's 8,611m high?", "8,611", "8611"),
        ("the 8,611-meter mountain", "8,611", "8611"),
        ("There's a mountain that is exactly 4478 m high. What is it called?", "4478", "4478"),
        ("Which mountain stands 8611 metres above sea level?", "8611", "8611"),
        ("Which mountain has a height of 8,611?", "8,611", "8611"),
        ("Which river is 1230 kilometres in length?", "1230", "1230"),
        ("I read about a river that is only 74 km long", "74", "74"),
    ],
)
def test_a_value_that_a_question_gives_is_its_topic(
    world: KnowledgeGraph, question: str, text: str, value: str
) -> None:
    (mention,) = LabelLinker(world.labels).link(question)
    assert (mention.text, lexical_form(mention.candidates[0].term)) == (text, value)
    assert question[mention.start : mention.end] == text


@pytest.mark.parametrize(
    "question",
    [
        "Which mountains are higher than 8,611 metres?",
        "Which rivers are over 1230 km long?",
        "Which rivers have a length of at least 1230 km?",
        "Which mountains are 8611 m high or higher?",
        "Which rivers are not 74 km long?",
        "Which rivers aren't 74 km long?",
        "rivers of > 74 km",
        "rivers of 74 to 200 km",
        "Which river is about 74 km long?",
        "Which mountain is 8611 feet high?",
        "Which mountain is 8612 metres high?",
        "Which city is 74 km from the sea?",
        "Which country has 74 km of coastline?",
        "Which countries joined in 1230?",
        "Which are the countries of the Group of 74?",
        "Which countries are in the A74?",
        "List 74 rivers",
        "Welcher Berg ist höher als 8611 Meter?",
        "8611",
    ],
)
def test_bounds_counts_years_and_other_units_are_no_topics(
    world: KnowledgeGraph, question: str
) -> None:
    assert LabelLinker(world.labels).link(question) == []


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which river in France is 74 km long?", ["France"]),
        ("Which mountain of Pakistn is 8611 m high?", ["Pakistan"]),
        ("Which countries are in the G20?", ["G20"]),
    ],
)
def test_names_leave_no_room_for_values(
    world: KnowledgeGraph, question: str, names: list[str]
) -> None:
    found = LabelLinker(world.labels).link(question)
    assert [mention.candidates[0].label for mention in found] == names


def test_a_value_costs_one_look_up(world: KnowledgeGraph) -> None:
    labels = AskedLabels(world.labels)
    linker = LabelLinker(labels)
    linker.link("Which river is 74 km long?")
    assert Counter(labels.calls)["labelled"] == 1
    labels.calls.clear()
    linker.link("Which rivers are over 74 km long?")
    assert "labelled" not in labels.calls


@pytest.mark.parametrize(("relation", "found"), [("height", ["8611"]), ("height in metres", [])])
def test_a_graph_that_names_no_unit_is_asked_in_any(
    tmp_path: Path, relation: str, found: list[str]
) -> None:
    (tmp_path / "peaks.ttl").write_text(
        f"""@prefix : <https://example.org/> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :k2 rdfs:label "K2" ; :high 8611 . :high rdfs:label "{relation}" .""",
        encoding="utf-8",
    )
    with closing(open_kg(str(tmp_path / "peaks.ttl"), cache=tmp_path / "cache")) as kg:
        mentions = LabelLinker(kg.labels).link("Which one is 8611 feet tall?")
    assert [mention.text for mention in mentions] == found


@given(st.lists(st.sampled_from("is over 8,611 1.5 , m km - of height the not 20".split())))
def test_an_amount_is_a_number_where_it_stands(words: list[str]) -> None:
    question = " ".join(words)
    said = amount(question, tokenise(question), MEASURED)
    if said:
        assert question[said.span.start : said.span.end].replace(",", "") == said.text
        assert not {"over", "not"} & set(words)
        assert {"m", "km", "height"} & set(words)
        assert sum(any(map(str.isdigit, word)) for word in words) == 1
