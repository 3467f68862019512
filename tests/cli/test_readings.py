"""`--mediators` and `--infer` on the command line."""

import json
from pathlib import Path

import pytest

from ..graphs.test_readings import PLAIN, WIKIDATA
from .test_cli import assert_one_line_error, groundwalk, home, model

__all__ = ["home", "model"]


@pytest.fixture(scope="module")
def wikidata(home: Path) -> str:
    (home / "wikidata.ttl").write_text(WIKIDATA, encoding="utf-8")
    return "wikidata.ttl"


def test_statement_nodes_are_collapsed_or_kept(home: Path, model: Path, wikidata: str) -> None:
    given = ("--kg", wikidata, "--profile", "wikidata", "--model", str(model), "--hops", "1")
    for option, ends, told in (
        ((), {"mayor", "judge", "Ben Hill"}, True),
        (("--mediators", "keep"), {"Q1-a", "Q1-b"}, False),
    ):
        run = groundwalk(home, "ask", "Who is Ada Stone?", *given, *option, "--json")
        assert run.returncode == 0, run.stderr
        found = json.loads(run.stdout)
        assert {answer["label"] for answer in found["answers"]} & ends
        assert "urn:groundwalk:joined" not in run.stdout
        assert any("read with" in note for note in found["notes"]) == told


def test_what_is_inferred_is_told(home: Path, model: Path) -> None:
    (home / "plain.ttl").write_text(PLAIN, encoding="utf-8")
    given = ("--kg", "plain.ttl", "--model", str(model), "--infer", "same-as", "--hops", "1")
    run = groundwalk(home, "ask", "Who is A. Stone?", *given)
    assert run.returncode == 0, run.stderr
    assert "A. Stone is read as Ada Stone" in run.stdout


def test_other_words_are_refused(home: Path) -> None:
    for option in (("--mediators", "drop"), ("--infer", "same")):
        run = groundwalk(home, "ask", "What is the capital of France?", *option)
        assert_one_line_error(run, 2, *option)
