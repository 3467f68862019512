"""Topic entities that come with a question."""

from collections.abc import Iterator

import pytest
from groundwalk.agent.answers.topics import given_mentions, linked
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.linking import LabelLinker

E = "http://example.org/"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
NAMES = {
    "paris": "Paris",
    "texas": "Paris",
    "york": "York",
    "newyork": "New York",
    "next": "next to",
    "lost": "Nowhere",
}
FACTS = ("paris next york", "texas next york", "texas next newyork")


@pytest.fixture(scope="module", name="kg")
def _kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("given")
    lines = [f'{term(name)} {LABEL} "{label}" .' for name, label in NAMES.items()]
    lines += [" ".join(map(term, fact.split())) + " ." for fact in FACTS]
    (folder / "kg.nt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    kg = open_kg(str(folder / "kg.nt"), cache=folder / "cache")
    yield kg
    kg.close()


def term(name: str) -> str:
    return f"<{E}{name}>"


def found(
    kg: KnowledgeGraph, question: str, *given: str
) -> tuple[list[tuple[str, str]], list[str]]:
    """Texts and terms of the mentions, and the notes."""
    linked = LabelLinker(kg.labels).link(question)
    mentions, notes = given_mentions(kg, question, given, linked)
    assert all(question[m.start : m.end] == m.text for m in mentions)
    assert all(len(mention.candidates) == 1 for mention in mentions)
    return [(m.text, m.candidates[0].term) for m in mentions], notes


def test_a_term_is_taken_at_its_word(kg: KnowledgeGraph) -> None:
    asked = "what is next to Paris?"
    assert found(kg, asked, term("texas")) == ([("Paris", term("texas"))], [])
    assert found(kg, asked, term("paris")) == ([("Paris", term("paris"))], [])


def test_of_one_label_the_entity_with_most_facts_is_meant(kg: KnowledgeGraph) -> None:
    assert found(kg, "what is next to Paris?", "Paris")[0] == [("Paris", term("texas"))]


def test_what_the_question_does_not_name_stands_nowhere(kg: KnowledgeGraph) -> None:
    mentions, notes = found(kg, "what is next to it?", "York", "York")
    assert (mentions, notes) == ([("", term("york"))], [])


def test_topics_never_overlap(kg: KnowledgeGraph) -> None:
    mentions, _ = found(kg, "what is next to New York?", "New York", "York")
    assert mentions == [("New York", term("newyork")), ("", term("york"))]


def test_what_the_graph_does_not_have_is_noted(kg: KnowledgeGraph) -> None:
    mentions, notes = found(kg, "where?", "Wakanda", "<http://x.org/none>", term("lost"), "York")
    assert mentions == [("", term("york"))]
    assert notes == [
        f"the given topic {text} is not in the graph"
        for text in ("Wakanda", "<http://x.org/none>", term("lost"))
    ]
    assert found(kg, "what is next to Paris?") == ([], [])


def test_a_name_that_was_misspelt_is_told_once(kg: KnowledgeGraph) -> None:
    linker = LabelLinker(kg.labels)
    note = '"Nowheer" is taken for Nowhere'
    assert linked(linker, kg, "What is next to Nowheer? And to Nowheer?").notes == [note]
    assert linked(linker, kg, "What is next to Nowhere?").notes == []
    assert linked(linker, kg, "What is next to Paris?").notes == []
