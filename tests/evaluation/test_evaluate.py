"""An evaluation from plain arguments to a run directory: a real store and a real, random model."""

import json
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import DatasetError, InputError, KGError, ModelError
from groundwalk.agent.llm.local import ModelSettings, write_settings
from groundwalk.agent.state import Options
from groundwalk.evaluation.config import folder_digest
from groundwalk.evaluation.evaluate import evaluate
from groundwalk.evaluation.samples import Part
from groundwalk.evaluation.summary import Summary
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
    folder = tmp_path_factory.mktemp("evaluate")
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
    return evaluate(
        dataset="jsonl",
        data=folder / data,
        split="",
        part=part,
        limit=None,
        kg=str(folder / kg),
        model=str(folder / model),
        method=method,
        out=out,
        options=options,
        seed=5,
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
    assert config["method"] == "gcr"
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
