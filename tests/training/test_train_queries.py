"""A training of queries leaves a folder that the method query answers with."""

from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.llm.local import load_model
from groundwalk.agent.options import Options
from groundwalk.agent.query.account import ACCOUNT_FILE
from groundwalk.training.recipe import Recipe, Schedule, Size
from groundwalk.training.train import train

from ..whole import build_graph
from .bases import save_base
from .brief import brief
from .toy import toy_turtle

pytestmark = pytest.mark.slow

SCHEDULE = Schedule(steps=20, batch=16, rate=4e-3, warm_up=2, pool=2)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    brief(monkeypatch)


def test_a_folder_that_answers(tmp_path: Path) -> None:
    source, out = tmp_path / "toy.ttl", tmp_path / "model"
    source.write_text(toy_turtle(), encoding="utf-8")
    skeletons = tmp_path / "own"
    skeletons.mkdir()
    (skeletons / "a.txt").write_text(
        "(which|what) countries pay with {0:currency} => <0><STEP>^money\n", encoding="utf-8"
    )
    recipe = Recipe(
        formats=("path", "query"),
        schedule=SCHEDULE,
        size=Size(width=64, layers=2, heads=2),
        hops=1,
        skeletons=skeletons,
    )
    report = train(str(source), out, recipe)
    assert report.settings.formats == ("path", "query")
    assert set(report.settings.confidences) == {"path", "query"}
    assert (out / ACCOUNT_FILE).is_file()
    assert load_model(str(out)).settings == report.settings
    local = load_model(str(out))
    agent = build_graph("query", kg=str(source), generator=local).with_state()
    context = Options(on_ambiguous="best", confidence=0.0)
    for question in ("which countries pay with Euro?", "how many countries border France"):
        state: Any = agent.invoke({"question": question}, context=context)
        assert state["readings"], state
        assert [own["text"] for own in state["account"]] == question.rstrip("?").split()


@pytest.mark.parametrize("lora", [False, True])
def test_a_base_model_learns_the_markers_of_queries(tmp_path: Path, lora: bool) -> None:
    pytest.importorskip("peft", reason="needs the extra train")
    source, out = tmp_path / "toy.ttl", tmp_path / "model"
    source.write_text(toy_turtle(), encoding="utf-8")
    base = save_base(tmp_path / "base", "qwen2")
    schedule = Schedule(steps=2, batch=4, pool=1, warm_up=1)
    recipe = Recipe(formats=("path", "query"), schedule=schedule, base=str(base), lora=lora, hops=1)
    report = train(str(source), out, recipe)
    assert report.settings.formats == ("path", "query")
    local = load_model(str(out))
    agent = build_graph("query", kg=str(source), generator=local).with_state()
    context = Options(on_ambiguous="best", confidence=0.0)
    state: Any = agent.invoke({"question": "who borders France"}, context=context)
    assert state["readings"]
