"""Where a method leaves something out, a note says so, and the turn remembers it; else neither."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.options import Options
from groundwalk.graphs import METHODS
from groundwalk.graphs.ground import Parts
from groundwalk.graphs.prompted import walks as explore
from groundwalk.graphs.skeleton import skeleton
from langchain_core.language_models import BaseChatModel, FakeMessagesListChatModel
from langchain_core.messages import AIMessage

from .prompting import never, path_model

QUESTION = "Whom does [Ada] know?"
CHILDREN = 1_001
HUB = f"""
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:ada rdfs:label "Ada" ; :motherOf {", ".join(f":c{i}" for i in range(CHILDREN))} ; :wrote :book .
:book rdfs:label "Book" . :motherOf rdfs:label "mother of" . :wrote rdfs:label "wrote" .
"""
ALIKE = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:ada rdfs:label "Ada" ; :k0 :ben ; :k1 :ben ; :k2 :ben ; :k3 :ben ; :k4 :ben .
:ben rdfs:label "Ben" ; :k0 :cleo . :cleo rdfs:label "Cleo" .
""" + "".join(
    f':k{i} rdfs:label "{name}" .\n'
    for i, name in enumerate(("knows", "Knows", "KNOWS", "kNows", "KNows"))
)


def opened(folder: Path, text: str) -> KnowledgeGraph:
    (folder / "graph.ttl").write_text(text, encoding="utf-8")
    return open_kg(str(folder / "graph.ttl"), cache=folder / "cache")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    kg = opened(tmp_path_factory.mktemp("hub"), HUB)
    yield kg
    kg.close()


def asked(
    kg: KnowledgeGraph,
    method: str,
    local: LocalModel | None = None,
    llm: BaseChatModel | None = None,
    **options: Any,
) -> Any:
    """The state after the method answered by itself, without a reader before it."""
    settings = path_model().settings
    parts = Parts(kg, LabelLinker(kg.labels), settings, (lambda: local) if local else never, llm)
    question: Any = {"question": QUESTION}
    context = Options(on_ambiguous="best", hops=1, queries=False, **options)
    return skeleton(method, METHODS[method], parts, None).invoke(question, context=context)


def notes(*arguments: Any, **options: Any) -> list[str]:
    return asked(*arguments, **options)["notes"]


def remembers_a_cut(*arguments: Any, **options: Any) -> bool:
    return asked(*arguments, **options)["turns"][-1]["cut"]


def written(folder: Path, *relation_paths: list[str]) -> str:
    row = {"question": QUESTION, "relation_paths": relation_paths}
    folder.mkdir(exist_ok=True)
    (folder / "found.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    return str(folder / "found.jsonl")


PLANNED = "1 of 2 planned relation paths have more walks than were kept"
RETRIEVED = "1 of 2 retrieved relation paths have more walks than were kept"


def test_walks_of_a_plan_beyond_those_that_are_kept(hub: KnowledgeGraph, tmp_path: Path) -> None:
    file = written(tmp_path, ["mother of"], ["wrote"])
    assert PLANNED in notes(hub, "rog", plans=file)
    assert RETRIEVED in notes(hub, "paths", retrieved=file)
    few = written(tmp_path / "few", ["wrote"])
    assert not any("kept" in note for note in notes(hub, "rog", plans=few))
    assert not any("kept" in note for note in notes(hub, "paths", retrieved=few))
    assert remembers_a_cut(hub, "rog", plans=file, max_answers=2_000)
    assert remembers_a_cut(hub, "paths", retrieved=file, max_answers=2_000)
    assert not remembers_a_cut(hub, "rog", plans=few)
    assert not remembers_a_cut(hub, "paths", retrieved=few)


def test_relation_paths_of_a_name_beyond_those_that_are_followed(tmp_path: Path) -> None:
    kg = opened(tmp_path, ALIKE)
    file = written(tmp_path, ["knowS", "knowS"], ["knowS"])
    assert PLANNED in notes(kg, "rog", plans=file), (
        "25 relation paths are called so, in other letters"
    )
    assert RETRIEVED in notes(kg, "paths", retrieved=file)
    kg.close()


FOLLOWED = "walks could use 500 of the more than 500 facts about Ada along mother of"


@pytest.mark.parametrize("method", ["tog", "tot"])
def test_facts_beyond_those_that_are_followed(hub: KnowledgeGraph, method: str) -> None:
    local = path_model()
    assert FOLLOWED in notes(hub, method, local)
    all_of_them = notes(hub, method, local, max_degree=CHILDREN)
    assert not any(note.startswith("walks could use") for note in all_of_them)
    assert remembers_a_cut(hub, method, local)


@pytest.mark.parametrize("method", ["tog", "tot"])
def test_relations_beyond_those_that_are_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    kg = opened(tmp_path, ALIKE)
    monkeypatch.setattr(explore, "MOST_WAYS", 4)
    first = "walks could use 4 of the 5 relations of Ada"
    assert any(note.startswith(first) for note in notes(kg, method, path_model()))
    monkeypatch.setattr(explore, "MOST_WAYS", 6)
    assert not any("relations of" in note for note in notes(kg, method, path_model()))
    kg.close()


@pytest.mark.parametrize("method", ["gcr", "retrieve", "tog", "tot", "direct", "cot", "cot-sc"])
@pytest.mark.parametrize(("end", "shortened"), [("length", True), ("stop", False)])
def test_replies_that_are_not_whole(
    hub: KnowledgeGraph, method: str, end: str, *, shortened: bool
) -> None:
    reply = AIMessage("mother of", response_metadata={"finish_reason": end})
    llm = FakeMessagesListChatModel(responses=[reply])
    told = [note for note in notes(hub, method, path_model(), llm) if "ended early" in note]
    assert len(told) == shortened


def test_walks_beyond_those_that_are_weighed(hub: KnowledgeGraph) -> None:
    told = "200 walks were weighed, and there are more"
    local = path_model()
    assert told in notes(hub, "direct", local, shown=201)
    assert told in notes(hub, "structlm", local, shown=201)
    assert told not in notes(hub, "direct", local, shown=200)
    assert remembers_a_cut(hub, "direct", local, shown=201)
