"""paths: what a retriever found, as a file; and retrieve: paths that are ranked here."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import DatasetError, InputError
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.llm.model_folder import ModelSettings
from groundwalk.agent.options import Options
from groundwalk.graphs import METHODS
from groundwalk.graphs.ground import Parts
from groundwalk.graphs.paths.file import read_retrieved
from groundwalk.graphs.prompted import surroundings
from groundwalk.graphs.skeleton import skeleton
from hypothesis import given
from hypothesis import strategies as st

from .embedding import save_embedding
from .families import labels
from .prompting import QUESTION, ask, never, open_graph, shown
from .scripted import in_order

LIVES = [["Ada", "mother of", "Ben"], ["Ben", "lives in", "Oslo"]]


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = open_graph(tmp_path_factory.mktemp("paths"))
    yield opened
    opened.close()


def file(folder: Path, *rows: object) -> str:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (folder / "retrieved.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return str(folder / "retrieved.jsonl")


def texts(state: Any) -> list[str]:
    return [candidate["text"] for candidate in state["candidates"]]


def test_candidates_become_the_shortest_paths_to_them(kg: KnowledgeGraph, tmp_path: Path) -> None:
    found = [{"entity": name, "score": score} for name, score in [("Rome", 0.6), ("Oslo", 0.3)]]
    found += [{"entity": "Eve", "score": 0.08}, {"entity": "Ben", "score": 0.02}]
    given = file(tmp_path, {"id": "q1", "candidates": found})
    llm = in_order("Oslo\nRome\nParis")
    state = ask(kg, "paths", llm=llm, ident="q1", retrieved=given)
    assert set(texts(state)) == {
        "Ada -> mother of -> Cleo -> lives in -> Rome",
        "Ada -> mother of -> Ben -> lives in -> Oslo",
        "Ada -> mother of -> Ben -> ^mother of -> Eve",
    }, "0.98 of the probability is enough"
    assert labels(state) == {"Oslo", "Rome"} and state["unsupported"] == ["Paris"]
    assert "Cleo -> lives in -> Rome" in llm.asked[0]
    voted = ask(kg, "paths", ident="q1", retrieved=given)
    assert labels(voted) == {"Oslo", "Rome"} and voted["reasoner"] == "vote"
    assert voted["confidence"] == pytest.approx(0.9 / 0.98, abs=1e-5)


def test_entities_that_are_not_reached_are_told(kg: KnowledgeGraph, tmp_path: Path) -> None:
    given = file(tmp_path, {"question": QUESTION, "candidates": ["Oslo", "Zoe", "Atlantis"]})
    state = ask(kg, "paths", retrieved=given)
    assert labels(state) == {"Oslo", "Rome"}
    assert "2 of 3 retrieved entities are not reached within 2 hops" in state["notes"]


@pytest.mark.parametrize(
    "path",
    [
        LIVES,
        [["Ada", "mother of", "Ben", "forward"], ["Ben", "lives in", "Oslo", False]],
        [["<urn:groundwalk:Ada>", "Mother_Of", "Ben"], ["Ben", "lives in", "Oslo"]],
    ],
)
def test_paths_are_taken_as_they_are(
    kg: KnowledgeGraph, tmp_path: Path, path: list[list[Any]]
) -> None:
    given = file(tmp_path, {"question": QUESTION, "paths": [path]})
    state = ask(kg, "paths", llm=in_order("Oslo"), retrieved=given)
    assert labels(state) == {"Oslo"}
    assert shown(state) == {tuple(step) for step in LIVES}


@pytest.mark.parametrize(
    "step",
    [
        ["Eve", "mother of", "Ben"],
        ["Eve", "mother of", "Ben", "inverse"],
        ["Eve", "mother of", "Ben", True],
        ["Ben", "^mother of", "Eve"],
    ],
)
def test_a_step_may_be_walked_backwards(
    kg: KnowledgeGraph, tmp_path: Path, step: list[Any]
) -> None:
    given = file(tmp_path, {"question": QUESTION, "paths": [[LIVES[0], step]]})
    state = ask(kg, "paths", llm=in_order("Eve"), retrieved=given)
    assert texts(state) == ["Ada -> mother of -> Ben -> ^mother of -> Eve"]
    assert labels(state) == {"Eve"}


def test_paths_that_the_graph_does_not_hold_are_counted_and_not_shown(
    kg: KnowledgeGraph, tmp_path: Path
) -> None:
    lies = [[["Ada", "mother of", "Zoe"]], [["Ada", "eats", "Mars"]], [["Ben", "lives in", "Oslo"]]]
    given = file(tmp_path, {"question": QUESTION, "paths": [LIVES, *lies]})
    llm = in_order("Oslo\nMars\nZoe")
    state = ask(kg, "paths", llm=llm, retrieved=given)
    assert labels(state) == {"Oslo"} and state["unsupported"] == ["Mars", "Zoe"]
    assert "Mars" not in llm.asked[0] and "Zoe" not in llm.asked[0]
    emitted = state["emitted"]
    assert (emitted["triples"], emitted["supported"], emitted["unsupported"]) == (4, 2, 2)
    assert (emitted["chains"], emitted["supported_chains"]) == (4, 1)
    assert "3 of 4 retrieved paths are not in the graph" in state["notes"]


def test_relation_paths_are_executed(kg: KnowledgeGraph, tmp_path: Path) -> None:
    rows = [["mother of", "lives in"], ["eats"]]
    given = file(tmp_path, {"question": QUESTION, "relation_paths": rows})
    state = ask(kg, "paths", retrieved=given)
    assert labels(state) == {"Oslo", "Rome"}
    assert "1 of 2 retrieved relation paths lead nowhere in the graph" in state["notes"]
    assert state["emitted"]["chains"] > state["emitted"]["supported_chains"]
    both = file(tmp_path, {"question": QUESTION, "relation_paths": [["mother of", "mother of"]]})
    assert labels(ask(kg, "paths", retrieved=both)) == {"Eve"}, "in either direction"
    term = "<urn:groundwalk:mother%20of>"
    one = file(tmp_path, {"question": QUESTION, "relation_paths": [[term, "^mother of"]]})
    assert labels(ask(kg, "paths", retrieved=one)) == {"Eve"}


def test_triples_are_walked(kg: KnowledgeGraph, tmp_path: Path) -> None:
    rows = [LIVES[1], LIVES[0], ["Ada", "eats", "Mars"], ["Zoe", "likes", "Zoe"]]
    given = file(tmp_path, {"question": QUESTION, "triples": rows})
    state = ask(kg, "paths", llm=in_order("Oslo"), retrieved=given)
    assert labels(state) == {"Oslo"}
    assert "2 of 4 retrieved triples are not in the graph or lead nowhere" in state["notes"]
    emitted = state["emitted"]
    assert (emitted["triples"], emitted["supported"], emitted["ill"]) == (4, 3, 2)


def test_the_id_goes_before_the_question_and_lines_add_up(
    kg: KnowledgeGraph, tmp_path: Path
) -> None:
    rows = [
        {"id": 7, "relation_paths": [["mother of"]]},
        {"question": QUESTION, "relation_paths": [["mother of", "lives in"]]},
        {"id": "8", "candidates": ["Ben"]},
        {"id": "8", "candidates": ["Cleo"]},
    ]
    given = file(tmp_path, *rows)
    assert labels(ask(kg, "paths", retrieved=given, ident="7")) == {"Ben", "Cleo"}
    assert labels(ask(kg, "paths", retrieved=given, ident="9")) == {"Oslo", "Rome"}
    assert len(read_retrieved(given).by_id["8"].candidates) == 2
    state = ask(kg, "paths", retrieved=given, question="Whom does Ada know?")
    assert state["status"] == "abstained"
    assert "the file of retrieved paths has nothing about this question" in state["notes"]


def test_without_a_file_it_says_what_to_do(kg: KnowledgeGraph, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs a file") as error:
        ask(kg, "paths")
    assert "retrieved=FILE" in error.value.hint
    with pytest.raises(DatasetError, match="cannot be read"):
        ask(kg, "paths", retrieved=str(tmp_path / "absent.jsonl"))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", "line 2"),
        ("[]", "no object"),
        ({"id": "q"}, "none of candidates"),
        ({"candidates": []}, "neither `id` nor `question`"),
        ({"id": "q", "candidates": {}}, "no list"),
        ({"id": "q", "candidates": [{"entity": "x", "score": 3}]}, "no probability"),
        ({"id": "q", "candidates": [{"entity": "x", "score": "high"}]}, "no number"),
        ({"id": "q", "candidates": [{"score": 0.3}]}, "no text"),
        ({"id": "q", "paths": [[["a", "b"]]]}, "three names"),
        ({"id": "q", "paths": [[["a", "b", "c", "up"]]]}, "direction"),
        ({"id": "q", "paths": [[["a", "b", "c", []]]]}, "direction"),
        ({"id": "q", "relation_paths": [["^"]]}, "no text"),
        ({"id": "q", "triples": [["a", "b", 3]]}, "no text"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, row: object, message: str) -> None:
    given = file(tmp_path, {"id": "q", "candidates": []}, row)
    with pytest.raises(DatasetError, match="line 2") as error:
        read_retrieved(given)
    assert message in error.value.message


NAMES = st.sampled_from(["Ada", "Ben", "Oslo", "mother of", "^", "^x", "<a b>", "_:x", '"1"', "?x"])
STEPS = st.lists(st.tuples(NAMES, NAMES, NAMES).map(list), max_size=3)


@pytest.mark.slow
@given(st.lists(STEPS, max_size=3), STEPS, st.lists(NAMES, max_size=3))
def test_whatever_was_retrieved_only_what_is_there_is_shown(
    paths: list[list[list[str]]], triples: list[list[str]], names: list[str]
) -> None:
    kg, folder = _graph()
    row = {"question": QUESTION, "paths": paths, "triples": triples, "candidates": names}
    try:
        given = file(folder, {**row, "relation_paths": [names]})
        read_retrieved(given)
    except DatasetError:
        return
    ask(kg, "paths", retrieved=given)


_KEPT = list[tuple[KnowledgeGraph, Path]]()


@pytest.fixture(scope="module", autouse=True)
def _kept(kg: KnowledgeGraph, tmp_path_factory: pytest.TempPathFactory) -> None:
    _KEPT.append((kg, tmp_path_factory.mktemp("files")))


def _graph() -> tuple[KnowledgeGraph, Path]:
    return _KEPT[0]


def test_paths_in_the_words_of_the_question_are_found(kg: KnowledgeGraph) -> None:
    question = "The mother of whom lives in what, Ada?"
    llm = in_order("Oslo")
    state = ask(kg, "retrieve", llm=llm, question=question, beams=2)
    assert set(texts(state)) == {
        "Ada -> mother of -> Ben -> lives in -> Oslo",
        "Ada -> mother of -> Cleo -> lives in -> Rome",
    }
    assert labels(state) == {"Oslo"} and llm.asked[0].count("Ada -> ") == 2
    voted = ask(kg, "retrieve", question=question)
    assert labels(voted) == {"Oslo", "Rome"} and voted["reasoner"] == "vote"
    assert 0 < voted["confidence"] < 1
    shares = {c["text"]: c["score"] for c in voted["candidates"]}
    assert max(shares, key=lambda text: shares[text]).startswith("Ada -> mother of -> ")


class Backwards:
    """Ranks texts that end in Eve first."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        return [float(text.endswith("Eve")) for text in texts]


def test_an_embedding_model_ranks_where_one_is_named(
    kg: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = list[str]()

    def dense(name: str) -> Backwards:
        opened.append(name)
        return Backwards()

    monkeypatch.setattr(surroundings, "embedding_ranker", dense)
    state = ask(kg, "retrieve", embeddings="some/model", beams=1)
    assert opened == ["some/model"] and labels(state) == {"Eve"}


def test_a_sentence_transformers_folder_ranks(kg: KnowledgeGraph, tmp_path: Path) -> None:
    """A real model of one vector a word: those that sound alike point the same way."""
    alike = {"who": 0, "parent": 1, "mother": 1, "lives": 2, "in": 2, "ada": 3, "ben": 3, "eve": 3}
    model = save_embedding(tmp_path / "model", alike)
    options: dict[str, Any] = {"embeddings": model, "beams": 1, "hops": 1}
    state = ask(kg, "retrieve", question="Who is the parent of Ben?", **options)
    (candidate,) = state["candidates"]
    assert [step["relation"]["label"] for step in candidate["steps"]] == ["mother of"]
    assert labels(state) == {"Ada", "Eve"} and state["reasoner"] == "vote"


def test_a_missing_package_or_model_is_told(kg: KnowledgeGraph, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        ask(kg, "retrieve", embeddings=str(tmp_path))


@pytest.mark.parametrize("method", ["paths", "retrieve"])
def test_the_models_threshold_does_not_hold_for_shares(
    kg: KnowledgeGraph, tmp_path: Path, method: str
) -> None:
    given = file(tmp_path, {"question": QUESTION, "candidates": ["Oslo", "Eve", "Italy"]})
    parts = Parts(kg, LabelLinker(kg.labels), ModelSettings(confidence=0.99), never)
    options = Options(on_ambiguous="best", retrieved=given, hops=2)
    graph = skeleton(method, METHODS[method], parts, None)
    state: Any = graph.invoke({"question": QUESTION}, context=options)
    assert state["confidence"] < 0.99
    assert state["status"] == "answered"
    held: Any = graph.invoke({"question": QUESTION}, context=replace(options, confidence=0.99))
    assert held["status"] == "unsure"
