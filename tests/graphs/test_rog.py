"""rog: plans that may be made up, retrieval of the paths that follow them, and its ablations."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from groundwalk.agent.decoding.plan import Cost
from groundwalk.agent.errors import DatasetError
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.llm.free_text import FreeTexts
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.options import Options
from groundwalk.agent.state import State
from groundwalk.graphs import rog as relation_plans
from groundwalk.graphs.rog import Planned, read_plan, read_plans
from langchain_core.language_models import FakeListChatModel

from ..whole import build_graph
from .families import asked, labels, open_family, random_local

QUESTION = "Where do the children of Ada live?"


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = open_family(tmp_path_factory.mktemp("rog"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def local() -> LocalModel:
    return random_local()


def replayed(folder: Path, *paths: list[str], scores: list[float] | None = None) -> str:
    file = folder / "plans.jsonl"
    row = {"question": QUESTION, "relation_paths": paths, "scores": scores}
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("<PLAN>lives in -> ^capital of</PLAN>", [("lives in", False), ("capital of", True)]),
        ("<PATH> lives in <SEP> capital of </PATH>", [("lives in", False), ("capital of", False)]),
        ("so: <PLAN>lives in", [("lives in", False)]),
        ("<PLAN></PLAN>", []),
        ("<PLAN> -> </PLAN>", []),
        ("no plan", []),
    ],
)
def test_plans_are_read_tolerantly(text: str, plan: list[tuple[str, bool]]) -> None:
    assert read_plan(text) == tuple(Planned(*relation) for relation in plan)


def test_a_free_planner_shows_nothing_that_the_graph_does_not_hold(
    kg: KnowledgeGraph, local: LocalModel
) -> None:
    state = asked(kg, local, "rog", QUESTION)
    assert state["status"] == "abstained"
    assert state["usage"]["forward_passes"] > 0


def test_replayed_plans_are_followed(kg: KnowledgeGraph, local: LocalModel, tmp_path: Path) -> None:
    plans = replayed(tmp_path, ["mother of", "lives in"])
    state = asked(kg, local, "rog", QUESTION, plans=plans)
    assert labels(state) == {"Oslo", "Rome"}
    assert state["usage"]["forward_passes"] == 0


def test_plans_that_the_graph_does_not_hold_are_counted_and_told(
    kg: KnowledgeGraph, local: LocalModel, tmp_path: Path
) -> None:
    plans = replayed(tmp_path, ["mother of"], ["lives in"], ["eats"], scores=[-0.1, -0.2, -0.3])
    state = asked(kg, local, "rog", QUESTION, plans=plans)
    assert labels(state) == {"Ben", "Cleo"}
    assert "2 of 3 planned relation paths lead nowhere in the graph" in state["notes"]
    emitted = state["emitted"]
    assert (emitted["chains"], emitted["supported_chains"]) == (4, 2)


def test_plans_that_cannot_be_read_are_lost_too(
    kg: KnowledgeGraph, local: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ("no plan", "<PLAN>mother of</PLAN>", "<PLAN>eats</PLAN>", "<PLAN> -> </PLAN>")
    written = FreeTexts(texts, (-0.1, -0.2, -0.3, -0.4), Cost(3, 40, 12))

    def write(*_: object) -> FreeTexts:
        return written

    monkeypatch.setattr(relation_plans, "write_freely", write)
    state = asked(kg, local, "rog", QUESTION)
    assert labels(state) == {"Ben", "Cleo"}
    assert "2 plans could not be read" in state["notes"]
    assert "1 of 2 planned relation paths lead nowhere in the graph" in state["notes"]
    emitted = state["emitted"]
    assert (emitted["chains"], emitted["supported_chains"]) == (2 + 3, 2)
    usage = state["usage"]
    assert (usage["prompt_tokens"], usage["tokens"], usage["forward_passes"]) == (40, 12, 3)
    written = FreeTexts(texts[:3], (-0.1, -0.2, -0.3), Cost(3, 40, 12))
    assert "1 plan could not be read" in asked(kg, local, "rog", QUESTION)["notes"]


def test_without_direction_a_relation_is_walked_both_ways(
    kg: KnowledgeGraph, local: LocalModel, tmp_path: Path
) -> None:
    plans = replayed(tmp_path, ["mother of", "mother of"])
    directed = asked(kg, local, "rog", QUESTION, plans=plans)
    either = asked(kg, local, "rog", QUESTION, plans=plans, directed=False)
    assert labels(directed) == set()
    assert labels(either) == {"Eve"}


def test_the_ends_of_all_paths_are_answers_without_reasoning(
    kg: KnowledgeGraph, local: LocalModel, tmp_path: Path
) -> None:
    plans = replayed(tmp_path, ["mother of"], ["mother of", "lives in"], scores=[-0.1, -2.0])
    voted = asked(kg, local, "rog", QUESTION, plans=plans)
    ends = asked(kg, local, "rog", QUESTION, plans=plans, reasoning="ends")
    assert labels(voted) == {"Ben", "Cleo"}
    assert labels(ends) == {"Ben", "Cleo", "Oslo", "Rome"}
    assert (voted["reasoner"], ends["reasoner"]) == ("vote", "ends")


def test_random_plans_depend_on_the_seed_alone(kg: KnowledgeGraph, local: LocalModel) -> None:
    def answers(seed: int) -> list[str]:
        state = asked(kg, local, "rog", QUESTION, planning="random", seed=seed)
        return [candidate["text"] for candidate in state["candidates"]]

    assert answers(1) == answers(1) != []
    assert len({tuple(answers(seed)) for seed in range(5)}) > 1


def test_an_llm_reasons_over_the_paths_and_explains(
    kg: KnowledgeGraph, local: LocalModel, tmp_path: Path
) -> None:
    llm = FakeListChatModel(responses=["Oslo\nParis\n# Explanation:\nBen lives there."])
    graph = build_graph("rog", kg=kg, generator=local, llm=llm)
    options = Options(plans=replayed(tmp_path, ["mother of", "lives in"]), explain=True)
    state = graph.invoke({"question": QUESTION}, context=options)
    assert [answer["label"] for answer in state["answers"]] == ["Oslo"]
    assert state["unsupported"] == ["Paris"]
    assert "the LLM's explanation, unchecked: Ben lives there." in state["notes"]


def test_without_plans_what_an_llm_says_is_no_answer(kg: KnowledgeGraph, local: LocalModel) -> None:
    graph = build_graph(
        "rog", kg=kg, generator=local, llm=FakeListChatModel(responses=["Oslo\nRome"])
    )
    state = graph.invoke({"question": QUESTION}, context=Options(planning="none"))
    assert (state["answers"], state["unsupported"]) == ([], ["Oslo", "Rome"])


def test_a_broken_file_of_plans_is_named(
    kg: KnowledgeGraph, local: LocalModel, tmp_path: Path
) -> None:
    (tmp_path / "broken.jsonl").write_text('{"question": "x"}\n', encoding="utf-8")
    with pytest.raises(DatasetError, match="line 1"):
        asked(kg, local, "rog", QUESTION, plans=str(tmp_path / "broken.jsonl"))
    with pytest.raises(DatasetError, match="cannot be read"):
        asked(kg, local, "rog", QUESTION, plans=str(tmp_path / "absent.jsonl"))


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\n\n"])
def test_plans_are_read_as_other_json_lines_are(tmp_path: Path, line_end: str) -> None:
    rows = [{"question": "a\u2028b?", "relation_paths": [["mother of"]]}]
    rows.append({"question": "c?", "relation_paths": []})
    text = line_end.join(json.dumps(row, ensure_ascii=False) for row in rows)
    file = tmp_path / "plans.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode() + line_end.encode())
    (plan,) = read_plans(str(file))["a\u2028b?"]
    assert plan.relations == (Planned("mother of", False),)
    assert read_plans(str(file))["c?"] == ()


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        '{"question": "x", "relation_paths": "mother of"}',
        '{"question": "x", "relation_paths": ["mother of"]}',
        '{"question": "x", "relation_paths": [["mother of"]], "scores": "1"}',
        '{"question": "x", "relation_paths": [["mother of"]], "scores": [NaN]}',
        '{"question": "x", "relation_paths": [["mother of"]], "scores": [Infinity]}',
        f'{{"question": "x", "relation_paths": [["mother of"]], "scores": [{"9" * 400}]}}',
    ],
)
def test_lines_that_hold_no_plans_are_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "plans.jsonl"
    file.write_text(f'\n{{"question": "y", "relation_paths": []}}\n{line}\n', encoding="utf-8")
    with pytest.raises(DatasetError, match="line 3: holds no plans"):
        read_plans(str(file))


@pytest.mark.parametrize("planning", ["model", "none"])
def test_a_planner_is_asked_once(kg: KnowledgeGraph, local: LocalModel, planning: str) -> None:
    graph = build_graph("rog", kg=kg, generator=local)
    options = Options(planning=cast(Any, planning))
    events = graph.stream({"question": QUESTION}, context=options, stream_mode="updates")
    assert [name for event in events for name in event].count("rog") == 1


def test_the_models_threshold_does_not_hold_for_another_planners_scores(
    kg: KnowledgeGraph, local: LocalModel, tmp_path: Path
) -> None:
    sure = replace(local, settings=replace(local.settings, confidences={"plan": 0.9}))
    plans = replayed(tmp_path, ["mother of", "lives in"], ["mother of"], scores=[-0.7, -0.7])
    graph = build_graph("rog", kg=kg, generator=sure)
    state = graph.invoke({"question": QUESTION}, context=Options(plans=plans))
    assert state["confidence"] < 0.9
    assert labels(cast(State, state)) != set()
    state = graph.invoke({"question": QUESTION}, context=Options(plans=plans, confidence=0.9))
    assert labels(cast(State, state)) == set()
