"""What linking asks of the names of a KG: few questions, with the texts as they were written."""

from collections import Counter

import pytest
from groundwalk.agent.kg import KnowledgeGraph, normalise
from groundwalk.agent.linking import LabelLinker

from .asked import AskedLabels
from .films import films


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    return films(tmp_path_factory.mktemp("films"))


@pytest.fixture
def labels(kg: KnowledgeGraph) -> AskedLabels:
    return AskedLabels(kg.labels)


@pytest.mark.parametrize(
    ("question", "calls"),
    [
        ("Who directed Some Mother's Son?", {"known": 1, "lookup": 1, "describe": 1}),
        ("who directed [The Fall]", {"known": 1, "lookup": 1, "describe": 1}),
        (
            "Which films did Kubrick make in Paris and Texas?",
            {"known": 1, "lookup": 3, "describe": 1},
        ),
        ("what is it", {"known": 1, "lookup": 2}),
        (
            "who directed the film Secret Balolt",
            {"known": 1, "containing": 1, "similar": 1, "lookup": 2, "describe": 1},
        ),
    ],
)
def test_a_question_costs_a_few_look_ups(
    labels: AskedLabels, question: str, calls: dict[str, int]
) -> None:
    LabelLinker(labels).link(question)
    assert Counter(labels.calls) == calls


@pytest.mark.parametrize(
    "question", ["grumbled snorkels " * 200, "Grumbled Snorkels of the " * 150, "x" * 4000]
)
def test_typos_are_not_looked_for_without_end(labels: AskedLabels, question: str) -> None:
    LabelLinker(labels).link(question)
    assert Counter(labels.calls)["similar"] <= 50


def test_texts_are_handed_on_as_they_were_written(labels: AskedLabels) -> None:
    linker = LabelLinker(labels)
    linker.link("Is E.T. (the Alien) Schindlers Gar\u00e7on?")
    assert {"E.T.", "E.T. (the Alien)", "Schindler's Gar\u00e7on", "ET"} <= set(
        labels.written.values()
    )
    linker.link("is [\u00c9t\u00e9 (film)] a film")
    assert labels.written["ete film"] == "\u00c9t\u00e9 (film)"
    assert all(normalise(written) == norm for norm, written in labels.written.items())


def test_what_a_finder_gives_is_looked_up_and_nothing_else(labels: AskedLabels) -> None:
    question = "what is it that stanlay kubrick did in france"

    def finder(text: str) -> list[tuple[int, int]]:
        places = [
            (text.index(name), name) for name in ("stanlay kubrick", "it", "that", "kubrick d")
        ]
        return [(start - 1, start + len(name)) for start, name in places]

    found = LabelLinker(labels, finder=finder).link(question)
    assert [(mention.text, mention.candidates[0].label) for mention in found] == [
        ("it", "It"),
        ("stanlay kubrick", "Stanley Kubrick"),
    ]
    assert "france" not in labels.written
    assert LabelLinker(labels, finder=lambda text: []).link(question) == []
