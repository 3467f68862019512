"""The graph as a retriever of LangChain."""

import asyncio

import pytest
from groundwalk import KGRetriever, Options, build_graph
from groundwalk.agent.errors import QuestionError
from groundwalk.agent.kg import open_kg
from groundwalk.agent.kg.terms import Triple


@pytest.fixture(scope="module")
def retriever() -> KGRetriever:
    return KGRetriever(graph=build_graph())


def test_documents_are_chains_that_the_graph_holds(retriever: KGRetriever) -> None:
    documents = retriever.invoke("Which countries border Austria?")
    assert len(documents) == 8
    triples = [Triple(*own) for document in documents for own in document.metadata["triples"]]
    assert all(open_kg("world").store.holds(triples))
    (czechia,) = [own for own in documents if own.metadata["answer"] == "Czechia"]
    assert czechia.page_content == "Austria - borders -> Czechia\nAnswer: Czechia"
    assert czechia.metadata["reading"] == "borders of Austria"
    assert czechia.metadata["confidence"] > 0.5


def test_async_callers_get_the_same(retriever: KGRetriever) -> None:
    question = "Which countries border Austria?"
    assert asyncio.run(retriever.ainvoke(question)) == retriever.invoke(question)


def test_a_computed_answer_is_a_document(retriever: KGRetriever) -> None:
    documents = retriever.invoke("What is the highest mountain in Africa?")
    assert documents[-1].page_content.endswith("(height in metres: 5895)")


def test_what_the_graph_does_not_say_has_no_documents(retriever: KGRetriever) -> None:
    assert retriever.invoke("Who painted the ceiling?") == []
    with pytest.raises(QuestionError):
        retriever.invoke(" ")


def test_no_more_documents_than_wanted() -> None:
    options = Options(on_ambiguous="best")
    few = KGRetriever(graph=build_graph(), options=options, most=2)
    assert len(few.invoke("Which countries border Austria?")) == 2
