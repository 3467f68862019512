"""The replay of relation plans: what of them the graphs hold, and what they retrieve."""

import json
from pathlib import Path

import pytest
from groundwalk.agent.options import Options
from groundwalk.evaluation.benchmarks.replay import Followed, main, replay

GRAPH = [
    ["Ada", "people.person.children", "Ben"],
    ["Cleo", "people.person.parents", "Ada"],
    ["Ben", "people.person.place_of_birth", "Oslo"],
]


def row(question: str, **fields: object) -> str:
    return json.dumps({"id": question, "question": question, **fields}) + "\n"


def written(folder: Path) -> Path:
    asked = {"q_entity": ["Ada"], "a_entity": ["Ben", "Cleo"], "graph": GRAPH}
    (folder / "dev.jsonl").write_text(row("q", answer=["Ben", "Cleo", "Dan"], **asked))
    paths = [["people.person.children"], ["people.person.parents"], ["people.person.spouse_s"]]
    plans = row("q", relation_paths=paths, scores=[-0.1])
    (folder / "rog-plans-dev.jsonl").write_text(plans)
    return folder


def test_plans_are_followed_as_planned_and_either_way(tmp_path: Path) -> None:
    folder = written(tmp_path)
    as_planned = replay(folder, Options(directed=True, revisits="walk"))
    either = replay(folder, Options(directed=False, revisits="walk"))
    assert as_planned == [Followed(plans=3, lost=2, recall=1 / 3, held=1 / 2)]
    assert either == [Followed(plans=3, lost=1, recall=2 / 3, held=1.0)]


def test_the_data_are_where_the_variable_or_the_option_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "webqsp-slices").mkdir()
    folder = written(tmp_path / "webqsp-slices")
    monkeypatch.setenv("GROUNDWALK_DATA", str(tmp_path))
    assert main([]) == 0
    by_variable = capsys.readouterr().out
    monkeypatch.delenv("GROUNDWALK_DATA")
    assert main(["--data", str(folder)]) == 0
    assert capsys.readouterr().out == by_variable and "66.7%" in by_variable


def test_data_that_are_not_there_are_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GROUNDWALK_DATA", raising=False)
    for arguments, word in (
        ([], "GROUNDWALK_DATA"),
        (["--data", str(tmp_path / "no")], str(tmp_path / "no")),
        (["--data", str(tmp_path)], str(tmp_path)),
    ):
        assert main(arguments) == 2
        told = capsys.readouterr()
        assert told.out == "" and word in told.err and len(told.err.splitlines()) == 1


@pytest.mark.data("webqsp-slices/rog-plans-dev.jsonl")
def test_the_published_plans_of_webqsp_are_read(public_data: Path) -> None:
    from groundwalk.graphs.rog import read_plans

    plans = read_plans(str(public_data / "webqsp-slices" / "rog-plans-dev.jsonl"))
    assert len(plans) > 800
    assert all(len(own) <= 3 for own in plans.values())
