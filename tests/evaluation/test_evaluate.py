"""An evaluation from plain arguments to a run directory: a real store and a real, random model."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import DatasetError, InputError, KGError, ModelError
from groundwalk.agent.llm.local import ModelSettings, write_settings
from groundwalk.agent.options import Options
from groundwalk.evaluation.config import folder_digest
from groundwalk.evaluation.evaluate import Speed, evaluate
from groundwalk.evaluation.samples import Part
from groundwalk.evaluation.setup import Setup
from groundwalk.evaluation.summary import RunSummary, Summary
from rich.console import Console

from ..agent.decoding import worlds

FAMILY = "Ada|mother of|Ben\nBen|lives in|Oslo\n"
QUESTIONS = (
    {"question": "Who is a child of [Ada]?", "answers": ["Ben"], "hops": 1},
    {"question": "Where is Ada's child?", "answers": ["Oslo"], "hops": 2},
    {"question": "Who is Nobody?", "answers": []},
    {"question": "?" * 5_000, "answers": ["Ben"]},
)


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("evaluate"))


def make_folder(folder: Path) -> Path:
    """Write a small graph, questions about it and a random model into a folder."""
    (folder / "family.kb").write_text(FAMILY, encoding="utf-8")
    lines = (json.dumps(question) + "\n" for question in QUESTIONS)
    (folder / "q.jsonl").write_text("".join(lines), encoding="utf-8")
    tokenizer = worlds.byte_level()
    worlds.random_model(len(tokenizer)).float().save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    write_settings(folder / "model", ModelSettings(hops=2, instruct=False))
    return folder


@pytest.fixture(autouse=True)
def _cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDWALK_CACHE", str(folder / "cache"))


def ask(
    folder: Path,
    out: Path,
    *,
    data: str = "q.jsonl",
    part: Part = "all",
    kg: str = "family.kb",
    model: str = "model",
    method: str = "gcr",
    options: Options | None = None,
) -> Summary:
    return run(folder, out, data, part, setup(folder, kg, model, (method,), options)).methods[
        method
    ]


def setup(
    folder: Path,
    kg: str = "family.kb",
    model: str = "model",
    methods: tuple[str, ...] = ("gcr",),
    options: Options | None = None,
) -> Setup:
    return Setup(
        dataset="jsonl",
        split="",
        methods=methods,
        kg=str(folder / kg),
        model=str(folder / model),
        options=options or Options(on_ambiguous="best"),
    )


def run(
    folder: Path,
    out: Path,
    data: str,
    part: Part,
    wanted: Setup,
    *,
    limit: int | None = None,
    speed: Speed | None = None,
) -> RunSummary:
    return evaluate(
        wanted,
        out,
        data=folder / data,
        part=part,
        limit=limit,
        seed=5,
        speed=speed or Speed(),
        console=Console(quiet=True),
    )


def test_a_whole_run(folder: Path, tmp_path: Path) -> None:
    summary = ask(folder, tmp_path / "out")
    assert summary.questions == 4
    assert summary.statuses == {"abstained": 1, "answered": 2, "error": 1}
    assert summary.accuracy is not None
    assert summary.accuracy.questions == 3
    assert summary.unanswerable.silent == 1
    assert summary.faithfulness.share == 1
    assert summary.costs.forward_passes > 0
    lines = (tmp_path / "out" / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    records: list[dict[str, Any]] = [json.loads(line) for line in lines]
    assert records[0]["topics"][0]["label"] == "Ada"
    assert records[3]["error"].startswith("question: the question has 5,000 characters")


def test_the_settings_are_all_there(folder: Path, tmp_path: Path) -> None:
    ask(folder, tmp_path, options=Options(beams=3, on_ambiguous="best"))
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    assert config["methods"] == ["gcr"]
    assert config["options"]["beams"] == 3
    assert config["questions"]["count"] == 4
    assert len(config["questions"]["digest"]) == 64
    assert len(config["kg"]["digest"]) == 64
    assert config["kg"]["counts"]["triples"] >= 2
    assert config["model"]["digest"] == folder_digest(folder / "model")
    assert config["model"]["settings"]["hops"] == 2
    assert {"groundwalk", "python", "torch", "transformers"} <= config["versions"].keys()
    assert config["seed"] == 5


def test_the_same_run_twice_says_the_same(folder: Path, tmp_path: Path) -> None:
    first, second = (ask(folder, tmp_path / name) for name in ("a", "b"))
    assert (first.accuracy, first.statuses) == (second.accuracy, second.statuses)
    configs = [(tmp_path / name / "config.json").read_bytes() for name in ("a", "b")]
    assert configs[0] == configs[1]


def test_what_cannot_be_run_is_said_before_anything_is_asked(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(KGError):
        ask(folder, tmp_path, kg="none.ttl")
    with pytest.raises(ModelError):
        ask(folder, tmp_path, model="none")
    with pytest.raises(DatasetError):
        ask(folder, tmp_path, data="none.jsonl")
    with pytest.raises(InputError, match="method"):
        ask(folder, tmp_path, method="none")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "something").touch()
    with pytest.raises(InputError, match="not empty"):
        ask(folder, tmp_path)


def timeless(out: Path) -> list[dict[str, Any]]:
    """The lines of a run but for the time, and what a process computes at its first question."""
    lines = (out / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    records: list[dict[str, Any]] = [json.loads(line) for line in lines]
    for record in records:
        record["seconds"] = 0
        for cost in ("seconds", "forward_passes", "tokens"):
            del record["usage"][cost]
    return records


@pytest.fixture(scope="module", name="methods")
def _methods() -> tuple[str, ...]:
    return ("gcr", "plan")


@pytest.fixture(scope="module", name="alone")
def _alone(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, methods: tuple[str, ...]
) -> list[dict[str, Any]]:
    """The lines of a run of several methods in this process, without a stop."""
    out = tmp_path_factory.mktemp("alone") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWALK_CACHE", str(folder / "cache"))
        run(folder, out, "q.jsonl", "all", setup(folder, methods=methods))
    return timeless(out)


def test_several_methods_answer_every_question(
    alone: list[dict[str, Any]], methods: tuple[str, ...]
) -> None:
    asked = [(record["question"], record["method"]) for record in alone]
    assert asked == [(q["question"], method) for q in QUESTIONS for method in methods]
    assert any(record["answers"] for record in alone)


def test_workers_say_the_same_and_a_run_may_be_taken_up_by_them(
    folder: Path, tmp_path: Path, alone: list[dict[str, Any]], methods: tuple[str, ...]
) -> None:
    wanted = setup(folder, methods=methods)
    run(folder, tmp_path, "q.jsonl", "all", wanted, limit=1)
    assert timeless(tmp_path) == alone[:2]
    run(folder, tmp_path, "q.jsonl", "all", wanted, speed=Speed(workers=2))
    assert timeless(tmp_path) == alone


def test_ray_says_the_same(
    folder: Path, tmp_path: Path, alone: list[dict[str, Any]], methods: tuple[str, ...]
) -> None:
    pytest.importorskip("ray")
    wanted = setup(folder, methods=methods)
    run(folder, tmp_path, "q.jsonl", "all", wanted, speed=Speed(workers=1, ray=True))
    assert timeless(tmp_path) == alone


def test_questions_that_are_decoded_together_say_the_same(
    folder: Path, tmp_path: Path, alone: list[dict[str, Any]], methods: tuple[str, ...]
) -> None:
    run(folder, tmp_path, "q.jsonl", "all", setup(folder, methods=methods), speed=Speed(batch=3))
    for ours, theirs in zip(timeless(tmp_path), alone, strict=True):
        assert [a["term"] for a in ours["answers"]] == [a["term"] for a in theirs["answers"]]
        scores = [a["score"] for a in ours["answers"]]
        assert scores == pytest.approx([a["score"] for a in theirs["answers"]], abs=2e-6)
        same = ("id", "method", "status", "metrics", "topics", "notes", "error")
        assert [ours[name] for name in same] == [theirs[name] for name in same]


def test_given_topics_take_the_place_of_linked_ones(folder: Path, tmp_path: Path) -> None:
    questions = (
        {"id": "known", "question": "Where is Ada's child?", "topics": ["Ben"], "answers": []},
        {"id": "unknown", "question": "Where is Ada?", "topics": ["Eve"], "answers": ["Oslo"]},
        {"id": "none", "question": "Where is Ada?", "answers": ["Oslo"]},
    )
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    (folder / "given.jsonl").write_text(lines, encoding="utf-8")
    wanted = replace(setup(folder), topics="given")
    summary = run(folder, tmp_path, "given.jsonl", "all", wanted)
    known, unknown, none = timeless(tmp_path)
    assert [topic["label"] for topic in known["topics"]] == ["Ben"]
    assert unknown["topics"] == none["topics"] == []
    assert unknown["metrics"]["hit"] == 0
    assert "the given topic Eve is not in the graph" in unknown["notes"]
    assert summary.methods["gcr"].troubles.no_topic == 2


def test_questions_bring_their_own_graph(folder: Path, tmp_path: Path) -> None:
    questions = (
        {"id": "a", "question": "Where is [Ada]?", "graph": [["Ada", "is in", "Rome"]]},
        {"id": "b", "question": "Where is [Ada]?", "graph": [["Ada", "is in", "Pisa"]]},
        {"id": "c", "question": "Where is [Ada]?", "graph": []},
    )
    lines = "".join(json.dumps({**question, "answers": ["Rome"]}) + "\n" for question in questions)
    (folder / "own.jsonl").write_text(lines, encoding="utf-8")
    wanted = replace(setup(folder, methods=("gcr", "plan")), kg=None)
    run(folder, tmp_path, "own.jsonl", "all", wanted)
    records = timeless(tmp_path)
    found = [[answer["label"] for answer in record["answers"]] for record in records]
    assert found == [["Rome"], ["Rome"], ["Pisa"], ["Pisa"], [], []]
    assert [r["metrics"]["hits_at_1"] for r in records] == [1, 1, 0, 0, 0, 0]
    with pytest.raises(InputError, match="no knowledge graph of its own"):
        run(folder, tmp_path / "none", "q.jsonl", "all", wanted)


def test_a_paper_sets_what_the_user_does_not(folder: Path, tmp_path: Path) -> None:
    wanted = setup(folder, options=Options(beams=2, on_ambiguous="best"))
    run(folder, tmp_path / "own", "q.jsonl", "all", replace(wanted, paper=True))
    config = json.loads((tmp_path / "own" / "config.json").read_text(encoding="utf-8"))
    assert config["options"]["paper"] is True
    with pytest.raises(InputError, match="options.paper was True, is False"):
        run(folder, tmp_path / "own", "q.jsonl", "all", wanted)
