"""Sizing: what is measured is what the records say, and the sums are those on paper."""

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path
from shutil import copytree
from typing import Any

import pyoxigraph as ox
import pytest
from groundwalk.agent.options import Options
from groundwalk.evaluation.benchmarks import sizing
from groundwalk.evaluation.benchmarks.sizing import Assumed, Measured, sized
from groundwalk.evaluation.runner.asking import Setup
from groundwalk.evaluation.runner.evaluate import evaluate
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from ...agent.kg.sparql.endpoint import Endpoint

MEASURED = Measured("run", "gcr", 100, 0.2, 8.0, 60.0, 100.0, 1.0, 20.0)
AMOUNTS = st.floats(0.01, 100)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    """Two questions asked over the file, and over an endpoint that serves it."""
    folder, store = tmp_path_factory.mktemp("runs"), ox.Store()
    with resources.as_file(resources.files("groundwalk.data.world") / "world.ttl") as file:
        store.load(path=str(file), format=ox.RdfFormat.TURTLE)
    here = Setup("world", "", ("words",), "world", "bundled", options=Options(on_ambiguous="best"))
    with Endpoint(store) as served:
        there = replace(here, kg=served.url)
        for name, setup in (("here", here), ("there", there)):
            evaluate(setup, folder / name, first=2, console=Console(quiet=True))
        sent = len(served.asked)
    records = [json.loads(line) for line in (folder / "there/samples.jsonl").open()]
    assert 0 < sum(record["usage"]["kg_requests"] for record in records) <= sent
    yield [folder / "here", folder / "there"]


def test_what_a_run_cost_is_read_from_its_records(
    runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "sizes.json"
    given = ["--run", str(runs[0]), "--run", str(runs[1]), "--out", str(out)]
    assert sizing.main([*given, "--assume", "core_hour=1", "--assume", "wikidata.work=7"]) == 0
    report: Any = json.loads(out.read_text())
    kept = [[json.loads(line) for line in (run / "samples.jsonl").open()] for run in runs]
    for own, records in zip(report["measured"], kept, strict=True):
        assert own["questions"] == len(records) == 2
        assert own["seconds"] == pytest.approx(sum(r["seconds"] for r in records) / 2)
        for name in ("forward_passes", "prompt_tokens", "tokens", "llm_calls"):
            assert own[name] == sum(r["usage"][name] for r in records) / 2
        assert own["requests"] == sum(r["usage"]["kg_requests"] for r in kept[1]) / 2
    assumed = report["assumed"]
    assert [assumed[scale]["core_hour"] for scale in sizing.SCALES] == [1, 1, 1]
    assert [assumed[scale]["work"] for scale in sizing.SCALES] == [1, 1, 7]
    printed = capsys.readouterr().out
    assert all(name in printed for name in assumed["world"])
    million = report["sized"]["here words"][0]["million"]
    assert million == pytest.approx(report["measured"][0]["seconds"] / 3600 * 1e6)


def test_the_sum_of_a_million_questions_on_paper() -> None:
    assumed = Assumed(
        work=2,
        endpoint=1,
        latency_ms=10,
        endpoint_rate=50,
        pass_ms=5,
        batch=4,
        cores_with_gpu=0.5,
        llm_seconds=0.1,
        core_hour=0.36,
        gpu_hour=3.6,
        endpoint_hour=1.8,
    )
    found = sized("any", MEASURED, assumed)
    assert found.gpu_seconds == pytest.approx(16 * 0.005 / 4 + 0.1)
    assert found.requests == 40 and found.per_endpoint == pytest.approx(50 / 40)
    assert found.per_core == pytest.approx(1 / 0.2)
    assert found.answer_seconds == pytest.approx(0.2 + 0.08 + 0.1 + 0.4)
    # A core, a GPU and an endpoint machine cost 100, 1000 and 500 for a million seconds.
    assert found.million == pytest.approx(0.2 * 100 + 0.12 * 1000 + 40 / 50 * 500)


def test_a_graph_at_hand_and_a_model_on_cores_need_neither_endpoint_nor_gpu() -> None:
    found = sized("any", replace(MEASURED, llm_calls=0.0), Assumed())
    assert found.per_gpu is found.per_endpoint is None
    assert found.gpu_seconds == found.requests == 0
    assert found.answer_seconds == pytest.approx(1 / found.per_core) == pytest.approx(0.2)


@given(AMOUNTS, AMOUNTS, AMOUNTS)
def test_no_question_is_cheaper_where_more_is_done(work: float, rate: float, price: float) -> None:
    assumed = Assumed(work=work, endpoint=1, pass_ms=3, endpoint_rate=rate, endpoint_hour=price)
    found = sized("any", MEASURED, assumed)
    more = sized("any", MEASURED, replace(assumed, work=2 * work))
    slower = sized("any", MEASURED, replace(assumed, endpoint_rate=rate / 2))
    assert more.million > found.million and more.answer_seconds > found.answer_seconds
    assert slower.million > found.million and slower.answer_seconds == found.answer_seconds


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--assume", "speed=3"], "--assume speed=3: is no assumption"),
        (["--assume", "moon.work=3"], "--assume moon.work=3: is no assumption"),
        (["--assume", "work"], "--assume work: is no assumption"),
        (["--assume", "work=0"], "give one above 0"),
        (["--assume", "gpu_hour=-1"], "give one 0 or more"),
        (["--assume", "gpu_hour=nan"], "is no number"),
        (["--method", "gcr"], "no run has answers of 'gcr'"),
        (["--run", "nowhere"], "nowhere is no directory"),
        (["--method", "[/b]\x1b[2J"], "no run has answers of"),
    ],
)
def test_what_cannot_be_used_is_one_line(
    runs: list[Path], arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sizing.main(["--run", str(runs[0]), *arguments]) == 2
    said = capsys.readouterr()
    assert words in said.err and len(said.err.splitlines()) == 1 and said.out == ""


def test_a_file_that_cannot_be_written_is_one_line(
    runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sizing.main(["--run", str(runs[0]), "--out", str(tmp_path / "none" / "x.json")]) == 2
    said = capsys.readouterr().err
    assert "x.json cannot be written: No such file" in said and len(said.splitlines()) == 1


@pytest.mark.parametrize("method", ["[/b]", "\x1b[2J\x1b]0;x\x07"])
def test_the_name_of_a_method_is_text(
    runs: list[Path], tmp_path: Path, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    copytree(runs[0], run)
    lines = [json.loads(line) for line in (run / "samples.jsonl").open()]
    changed = "".join(json.dumps(line | {"method": method}) + "\n" for line in lines)
    (run / "samples.jsonl").write_text(changed)
    assert sizing.main(["--run", str(run)]) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said and "\x07" not in said
    assert method.startswith("\x1b") or method in said
