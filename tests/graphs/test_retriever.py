"""The graph as a retriever of LangChain."""

import asyncio

import pytest
from groundwalk import KGRetriever, Options, build_graph
from groundwalk.agent.errors import QuestionError, ServiceError
from groundwalk.agent.kg import open_kg
from groundwalk.agent.kg.terms import Triple
from groundwalk.graphs.retriever import documents_of
from groundwalk.graphs.tool import result_of


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
    assert documents[0].page_content.endswith("(height in metres: 5895)")


def test_what_the_graph_does_not_say_has_no_documents(retriever: KGRetriever) -> None:
    assert retriever.invoke("Who painted the ceiling?") == []
    with pytest.raises(QuestionError):
        retriever.invoke(" ")


def test_no_more_documents_than_wanted() -> None:
    options = Options(on_ambiguous="best")
    few = KGRetriever(graph=build_graph(), options=options, most=2)
    assert len(few.invoke("Which countries border Austria?")) == 2


def test_a_number_comes_first_and_says_how_many_documents_there_are(
    retriever: KGRetriever,
) -> None:
    first, *others = retriever.invoke("How many rivers are there?")
    assert first.page_content.startswith("Answer: 142 (counted: Aare; ")
    assert first.metadata["total"] > first.metadata["shown"] == 1 + len(others) == 20
    (none,) = retriever.invoke("Which countries border Austria and Spain?")
    assert none.page_content == "Answer: None in the graph." and not none.metadata["triples"]


def test_a_list_that_is_cut_is_told_whole_before_its_chains() -> None:
    few = KGRetriever(graph=build_graph(), most=3)
    first, *others = few.invoke("Which countries border Austria?")
    assert first.page_content.startswith("Answer: 8 answers: Czechia; Germany; ")
    assert len(others) == 2
    assert {(own.metadata["total"], own.metadata["shown"]) for own in [first, *others]} == {(9, 3)}


def test_a_name_of_several_is_no_silence(retriever: KGRetriever) -> None:
    (document,) = retriever.invoke("What is the capital of Korea?")
    assert document.page_content.startswith("Korea may mean: North Korea (")
    assert document.metadata["status"] == "ambiguous" and document.metadata["triples"] == []


def test_a_graph_that_cannot_be_asked_is_no_silence(retriever: KGRetriever) -> None:
    result = result_of({"status": "unchecked", "notes": ["no connection"]})
    with pytest.raises(ServiceError, match="no connection"):
        documents_of(result, 20)
