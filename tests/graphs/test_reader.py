"""Questions that a reader reads: what it answers is verified, and what it is is told."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from groundwalk.agent.errors import ModelError
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.llm.model_folder import ModelSettings
from groundwalk.agent.options import Options
from groundwalk.agent.reader.weights import write_weights
from groundwalk.cli.main import app
from groundwalk.graphs.reading import knows_graph, relation_texts
from typer.testing import CliRunner

from ..agent.reader.tiny import film_graph, tiny_reader
from ..whole import build_graph

QUESTIONS = ("who directed Rain", "the films of Ada Lind", "how long is Snow", "how many films?")


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    kg = film_graph(tmp_path_factory.mktemp("films"))
    yield kg
    kg.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reader")
    write_weights(folder, tiny_reader())
    return folder


def test_what_a_reader_makes_of_a_question_is_verified(kg: KnowledgeGraph, folder: Path) -> None:
    graph = build_graph("query", kg=kg, reader=str(folder), checkpointer=False)
    read = 0
    for question in QUESTIONS:
        state = graph.invoke({"question": question}, context=Options(on_ambiguous="best"))
        read += bool(state["account"])
        for answer in state["answers"]:
            for chain in answer["chains"]:
                assert chain
                assert all(step["verdict"] == "supported" for step in chain)
    assert read == len(QUESTIONS)


def test_a_reader_that_is_not_sure_says_what_it_read(kg: KnowledgeGraph, tmp_path: Path) -> None:
    write_weights(tmp_path, tiny_reader(threshold=1.0))
    graph = build_graph("query", kg=kg, reader=str(tmp_path), checkpointer=False)
    state = graph.invoke({"question": QUESTIONS[0]}, context=Options(on_ambiguous="best"))
    assert state["status"] in ("abstained", "unsure")
    assert not state["answers"]
    assert any("not sure enough" in note for note in state["notes"])


def test_a_folder_without_a_reader_is_told(kg: KnowledgeGraph, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is no folder with a reader"):
        build_graph("query", kg=kg, reader=str(tmp_path), checkpointer=False)


def test_a_model_knows_its_graph_in_another_version(kg: KnowledgeGraph) -> None:
    names = [*map(sorted, relation_texts(kg).values())]
    assert len(names) == len(kg.labels.relations())
    model = ModelSettings(kg="another", relations=tuple(texts[0] for texts in names))
    assert knows_graph(model, kg)
    assert not knows_graph(replace(model, relations=tuple(names[0])), kg)
    assert not knows_graph(replace(model, relations=()), kg)
    others = tuple(f"other {number}" for number in range(2 * len(names)))
    assert not knows_graph(replace(model, relations=(*model.relations, *others)), kg)
    assert knows_graph(replace(model, relations=(), kg=kg.digest), kg)


def test_ask_takes_a_reader(folder: Path, tmp_path: Path) -> None:
    film_graph(tmp_path).close()
    words = ["ask", "--kg", str(tmp_path / "films.ttl"), "--method", "query"]
    asked = CliRunner().invoke(app, [*words, "--reader", str(folder), QUESTIONS[0]])
    assert "read as:" in asked.output, asked.output
    missing = CliRunner().invoke(app, [*words, "--reader", str(tmp_path / "no"), QUESTIONS[0]])
    assert isinstance(missing.exception, ModelError)
    assert "there is no such folder with a reader" in str(missing.exception)


def test_silence_of_a_model_of_another_graph_says_so(kg: KnowledgeGraph) -> None:
    graph = build_graph("gcr", kg=kg, checkpointer=False)
    silent = 0
    for question in QUESTIONS:
        state = graph.invoke({"question": question}, context=Options(on_ambiguous="best"))
        if state["status"] in ("abstained", "unsure") and state["topics"]:
            silent += 1
            assert any("trained on another graph" in note for note in state["notes"])
    assert silent


GARDEN = """
@prefix : <http://garden.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Plant rdfs:label "plant" . :Bed rdfs:label "bed" .
:growsIn rdfs:label "grows in" . :height rdfs:label "height in cm" .
:north a :Bed ; rdfs:label "north bed" . :south a :Bed ; rdfs:label "south bed" .
:basil a :Plant ; rdfs:label "basil" ; :growsIn :south ; :height 40 .
:tomato a :Plant ; rdfs:label "tomato" ; :growsIn :south ; :height 150 .
:mint a :Plant ; rdfs:label "mint" ; :growsIn :north ; :height 60 .
"""


def test_a_word_that_the_reading_says_is_not_told_as_left_out(tmp_path: Path) -> None:
    (tmp_path / "garden.ttl").write_text(GARDEN)
    graph = build_graph("query", kg=str(tmp_path / "garden.ttl"), checkpointer=False)
    question = "What is the tallest plant in the south bed?"
    state = graph.invoke({"question": question}, context=Options(confidence=0.1))
    assert "every plant that grows in south bed" in state["reading"]
    assert [answer["label"] for answer in state["answers"]] == ["tomato"]
    assert not any("not understood" in note for note in state["notes"])
    (plant,) = (word for word in state["account"] if word["text"] == "plant")
    assert plant["used_by"] in ("plant", "grows in"), "the class, or the relation of its members"
