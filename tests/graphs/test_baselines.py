"""words and lookup: over a real store, from the file in a model's folder; no reader is asked."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import ModelError
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.llm.bag_of_words import (
    Baselines,
    count_words,
    features_of,
    words_of,
    write_baselines,
)
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.llm.model_folder import ModelSettings
from groundwalk.agent.options import Options

from ..whole import build_graph
from .families import FAMILY, labels, open_family, triples

FACTS = {tuple(line.split("|")) for line in FAMILY.strip().splitlines()}
QUESTIONS = {
    "who are the children of [entity]": (("mother of", False),),
    "where do the children of [entity] live": (("mother of", False), ("lives in", False)),
    "where does [entity] live": (("lives in", False),),
    "of what is [entity] the capital": (("capital of", False),),
    "who is the mother of [entity]": (("mother of", True),),
    "what is the meaning of [entity]": (),
}
METHODS = ("words", "lookup")


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = open_family(tmp_path_factory.mktemp("baselines"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def local(kg: KnowledgeGraph, tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    """A model folder with nothing in it but baselines: no weights are ever touched."""
    folder = tmp_path_factory.mktemp("model")
    term = {info.name: info.term for info in kg.labels.relations()}
    paths = [tuple((term[r], inverse) for r, inverse in path) for path in QUESTIONS.values()]
    rows = [(features_of(text), {n: 1.0}) for n, text in enumerate(QUESTIONS)]
    templates = {" ".join(words_of(text)): {n: 1} for n, text in enumerate(QUESTIONS)}
    write_baselines(
        folder, Baselines(tuple(paths), count_words(rows), templates, {"words": 0.3, "lookup": 0.8})
    )
    nothing: Any = None
    return LocalModel(str(folder), nothing, nothing, ModelSettings(confidence=1.0, hops=2))


def ask(kg: KnowledgeGraph, local: LocalModel, method: str, question: str, **options: Any) -> Any:
    graph: Any = build_graph(method, kg=kg, generator=local)
    given: dict[str, Any] = {"on_ambiguous": "best", "confidence": 0.0, "queries": False, **options}
    context = Options(**given)
    return graph.invoke({"question": question}, context=context)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who are the children of Ada?", {"Ben", "Cleo"}),
        ("Where do the children of Ada live?", {"Oslo", "Rome"}),
        ("Who is the mother of Ben?", {"Ada", "Eve"}),
        ("Who are the children of Ada and Eve?", {"Ben"}),
    ],
)
def test_the_relation_path_of_the_question_is_executed(
    kg: KnowledgeGraph, local: LocalModel, method: str, question: str, answers: set[str]
) -> None:
    state = ask(kg, local, method, question)
    assert (state["status"], labels(state)) == ("answered", answers)
    assert triples(state) <= FACTS
    assert state["emitted"]["supported"] == state["emitted"]["triples"] > 0
    assert state["usage"]["forward_passes"] == 0 < state["usage"]["kg_requests"]


@pytest.mark.parametrize("method", METHODS)
def test_the_best_path_that_exists_is_taken(
    kg: KnowledgeGraph, local: LocalModel, method: str
) -> None:
    """Rome lives nowhere; where it is the capital is the next best that it has."""
    state = ask(kg, local, method, "Where does the capital Rome live?", hops=1, inverse=False)
    assert labels(state) == {"Italy"}
    assert 0 < state["confidence"] < 0.8


@pytest.mark.parametrize("method", METHODS)
def test_the_view_limits_paths(kg: KnowledgeGraph, local: LocalModel, method: str) -> None:
    question = "Where do the children of Ada live?"
    assert "Oslo" not in labels(ask(kg, local, method, question, hops=1))
    inverse = ask(kg, local, method, "Who is the mother of Ben?", inverse=False, hops=1)
    assert not labels(inverse) & {"Ada", "Eve"}


@pytest.mark.parametrize("method", METHODS)
def test_what_leads_nowhere_is_told(kg: KnowledgeGraph, local: LocalModel, method: str) -> None:
    state = ask(kg, local, method, "Where does Zoe live?", inverse=False)
    assert state["status"] == "abstained"
    assert sum("leads anywhere" in note for note in state["notes"]) == 1


def test_thresholds_are_their_own(kg: KnowledgeGraph, local: LocalModel) -> None:
    asked = "where is it that the children of Ada live"
    sure = {m: ask(kg, local, m, asked, confidence=None) for m in METHODS}
    assert 0.3 <= sure["words"]["confidence"] < 1.0
    assert sure["lookup"]["confidence"] < 0.8
    assert {m: s["status"] for m, s in sure.items()} == {"words": "answered", "lookup": "unsure"}


@pytest.mark.parametrize("method", METHODS)
def test_a_model_without_the_file_is_an_error_before_any_question(
    kg: KnowledgeGraph, local: LocalModel, method: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match="baselines.json"):
        build_graph(method, kg=kg, generator=replace(local, source=str(tmp_path)))
