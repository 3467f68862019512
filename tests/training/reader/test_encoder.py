"""A reader on a tiny sentence encoder, made by the recipe: it knows words that no lexicon has."""

import gzip
import json
import pickle
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest
from groundwalk.agent.errors import InputError, ModelError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.llm import embeddings
from groundwalk.agent.options import Options
from groundwalk.agent.reader.inputs import Inputs, Label, PartialReading
from groundwalk.agent.reader.lexicon import words_of
from groundwalk.agent.reader.weights import SETTINGS_FILE, ReaderWeights, open_reader
from groundwalk.cli.main import app
from groundwalk.evaluation.runner.config import describe_reader, tree_digest
from groundwalk.training.material import gather
from groundwalk.training.reader import recipe as making
from groundwalk.training.reader.lessons import Lessons
from groundwalk.training.reader.made_graphs import examples_over
from groundwalk.training.reader.recipe import LESSONS, ReaderRecipe, main, train_reader
from groundwalk.training.reader.sources import WORD_SOURCES
from groundwalk.training.reader.stages import STAGES
from groundwalk.training.reader.tuning import TUNING, schema_of, tuned
from groundwalk.training.recipe import Recipe
from rich.console import Console
from typer.testing import CliRunner

from ...agent.reader.tiny import TURTLE
from ...graphs.embedding import save_embedding
from ...whole import build_graph
from .test_lexicons import FILES
from .test_tuning import MORE

pytestmark = pytest.mark.slow

ALIKE = {
    **{"directed": 0, "film": 1, "films": 1, "length": 2, "minutes": 2, "person": 3, "persons": 3},
    **{"author": 4, "schrieb": 4, "publisher": 5, "verlegte": 5, "town": 6, "ort": 6},
}
BOOKS = """
@prefix : <https://books.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:author rdfs:label "author" . :publisher rdfs:label "publisher" . :town rdfs:label "town" .
:eva rdfs:label "Eva Holm" . :press rdfs:label "Kite Press" . :oslo rdfs:label "Oslo" .
:dune rdfs:label "Dune" ; :author :eva ; :publisher :press ; :town :oslo .
"""
MEANT = {"schrieb": "author", "verlegte": "publisher", "ort": "town"}


class Made(NamedTuple):
    """A reader, its encoder, the graph that it learnt from, and the data of the recipe."""

    reader: Path
    encoder: Path
    graph: Path
    data: Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The lessons are those of one graph, and thresholds are not fitted: both would take long."""
    home = tmp_path_factory.mktemp("made")
    made = Made(home / "reader", home / "encoder", home / "films.ttl", home / "data")
    save_embedding(made.encoder, ALIKE)
    for source in WORD_SOURCES:
        (made.data / source.path).parent.mkdir(parents=True, exist_ok=True)
        (made.data / source.path).write_bytes(gzip.compress(b"heading"))
    for name, rows in FILES.items():
        text = "".join(f"{row}\n" for row in ["heading", *rows])
        (made.data / "lexicon" / name).write_bytes(gzip.compress(text.encode()))
    made.graph.write_text(TURTLE + MORE, encoding="utf-8")
    kg = open_kg(str(made.graph))
    material = gather(kg, "films", Recipe(formats=("path", "query")))
    examples = list(islice(examples_over(kg, material, "films", 0), 200))
    lessons = Lessons({"made": examples}, {}, {"films": schema_of(kg)}, (), examples[:20], ())
    kg.close()
    partial = home / "reader.partial"
    partial.mkdir()
    (partial / LESSONS).write_bytes(pickle.dumps(lessons))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "fit_thresholds", _always_sure)
        train_reader(recipe_on(made.encoder), made.data, made.reader, Console(quiet=True))
    return made


def recipe_on(encoder: Path) -> ReaderRecipe:
    return ReaderRecipe(steps=(100, *[4] * (len(STAGES) - 1)), width=16, encoder=str(encoder))


def _always_sure(reader: ReaderWeights, *_: object) -> ReaderWeights:
    return replace(reader, settings=replace(reader.settings, threshold=0.0))


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    file = tmp_path_factory.mktemp("books") / "books.ttl"
    file.write_text(BOOKS, encoding="utf-8")
    kg = open_kg(str(file))
    yield kg
    kg.close()


def test_words_meet_the_labels_that_the_encoder_says(made: Made) -> None:
    reader = open_reader(str(made.reader)).load()
    labels = [Label(name, 0, name) for name in MEANT.values()]
    for word, meant in MEANT.items():
        words = words_of(f"what {word} Dune", ())
        scores = reader.network(Inputs(reader.lexicon).batch([PartialReading(words, labels)]))
        assert labels[int(scores.word_label_scores[0, 1].argmax())].name == meant


def test_a_question_is_read_and_answered(made: Made, books: KnowledgeGraph) -> None:
    graph = build_graph("query", kg=books, reader=str(made.reader), checkpointer=False)
    answers = 0
    for question in ("the town of Dune", "who schrieb Dune", "what verlegte Dune"):
        state = graph.invoke({"question": question}, context=Options(on_ambiguous="best"))
        assert state["reading"]
        answers += len(state["answers"])
        chains = [chain for answer in state["answers"] for chain in answer["chains"]]
        assert all(step["verdict"] == "supported" for chain in chains for step in chain)
    assert answers


def test_the_folder_names_the_encoder_and_has_no_meanings(made: Made) -> None:
    reader = open_reader(str(made.reader))
    assert reader.settings.encoder == str(made.encoder)
    weights = reader.load()
    assert weights.network.weights["meanings.weight"].shape == (1, len({*ALIKE.values()}))
    assert not weights.lexicon.meanings
    card = (made.reader / "README.md").read_text(encoding="utf-8")
    assert f"the sentence encoder `{made.encoder}`" in card
    assert describe_reader(str(made.reader))["encoder"] == tree_digest(made.encoder)
    assert "encoder" not in describe_reader("")


def test_words_are_encoded_once_and_together(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = open_reader(str(made.reader)).load()
    encoder, calls = reader.lexicon.encoder, list[list[str]]()
    assert encoder is not None
    encode: Callable[[list[str]], list[list[float]]] = encoder.embeddings.embed_documents

    def counted(self: object, texts: list[str]) -> list[list[float]]:
        calls.append(texts)
        return encode(texts)

    monkeypatch.setattr(type(encoder.embeddings), "embed_documents", counted)
    for question in ("who schrieb it", "who verlegte it"):
        posed = PartialReading(words_of(question, ()), [Label("town", 0, "town")])
        Inputs(reader.lexicon).batch([posed])
    assert [sorted(own) for own in calls] == [["it", "schrieb", "town", "who"], ["verlegte"]]


def test_tuning_keeps_the_encoder(made: Made) -> None:
    kg, steps = open_kg(str(made.graph)), replace(TUNING, steps=2, batch=4)
    material = gather(kg, "films", Recipe(formats=("path", "query")))
    start = open_reader(str(made.reader)).load()
    reader = tuned(kg, material, start, steps, lambda step, loss: None)
    kg.close()
    assert reader.settings.encoder == start.settings.encoder
    assert reader.lexicon.encoder is start.lexicon.encoder


def refused(reader: Path) -> InputError:
    """What `ask --reader` says."""
    asked = CliRunner().invoke(app, ["ask", "what borders France?", "--reader", str(reader)])
    assert isinstance(asked.exception, InputError)
    assert "\n" not in asked.exception.message + asked.exception.hint
    return asked.exception


def test_the_missing_extra_is_named(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "find_spec", _nowhere)
    error = refused(made.reader)
    assert "needs the package sentence-transformers" in error.message
    assert error.hint == "pip install 'groundwalk[embeddings]'"


def _nowhere(name: str) -> None:
    """What `find_spec` says of a package that is not installed."""


def test_a_bare_encoder_is_no_reader(made: Made) -> None:
    error = refused(made.encoder)
    assert isinstance(error, ModelError) and "is a sentence encoder" in error.message
    assert error.hint.endswith(f"recipe OUT --encoder {made.encoder}")


@pytest.mark.parametrize(
    ("encoder", "said"),
    [
        ("/nowhere/at/all", "is no folder"),
        ("nobody/has-this-encoder", "not in the local cache"),
        ("empty", "does not load"),
        ("narrow", "says what a word means in 2 numbers"),
    ],
)
def test_an_encoder_that_cannot_be_had_is_told(
    made: Made, tmp_path: Path, encoder: str, said: str
) -> None:
    own = tmp_path / encoder
    if encoder == "narrow":
        save_embedding(own, {"author": 0, "town": 1})
    elif encoder == "empty":
        own.mkdir()
    reader = tmp_path / "reader"
    shutil.copytree(made.reader, reader)
    settings = json.loads((reader / SETTINGS_FILE).read_text(encoding="utf-8"))
    settings["encoder"] = str(own) if own.is_dir() else encoder
    (reader / SETTINGS_FILE).write_text(json.dumps(settings), encoding="utf-8")
    assert said in refused(reader).message


def test_the_recipe_says_what_is_wrong_with_an_encoder(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWALK_DATA", str(made.data))
    monkeypatch.setattr(embeddings, "find_spec", _nowhere)
    with pytest.raises(SystemExit):
        main([str(tmp_path / "out"), "--encoder", str(made.encoder)])
    assert "pip install 'groundwalk[embeddings]'" in capsys.readouterr().err
