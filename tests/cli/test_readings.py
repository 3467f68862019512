"""`--mediators` and `--infer` on the command line."""

import json
from pathlib import Path

import pytest
from groundwalk.agent.records import Answer, Named, StepRecord
from groundwalk.cli.render import proof
from rich.console import Console

from ..graphs.test_readings import PLAIN, STATED, WIKIDATA
from .test_cli import assert_one_line_error, groundwalk, home, model

__all__ = ["home", "model"]


@pytest.fixture(scope="module")
def wikidata(home: Path) -> str:
    (home / "wikidata.ttl").write_text(WIKIDATA, encoding="utf-8")
    return "wikidata.ttl"


def test_statement_nodes_are_collapsed_or_kept(home: Path, model: Path, wikidata: str) -> None:
    given = ("--kg", wikidata, "--profile", "wikidata", "--model", str(model), "--hops", "1")
    given = (*given, "--set", "queries=false", "--set", "conversation=false")
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


def test_triples_about_triples_are_shown_in_words(home: Path, model: Path) -> None:
    (home / "stated.ttl").write_text(STATED, encoding="utf-8")
    given = ("--kg", "stated.ttl", "--model", str(model), "--mediators", "collapse", "--hops", "1")
    given = (*given, "--set", "conversation=false")
    run = groundwalk(home, "ask", "Who is Ada Stone?", *given, "--json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    chains = [chain for answer in found["answers"] for chain in answer["chains"]]
    told = [step for chain in chains for step in chain if step["relation"]["label"] == "reifies"]
    labels = {step["tail"]["label"] for step in told}
    assert labels and labels <= {"«Ada Stone knows Ben Hill»", "«Ada Stone left Oslo»"}
    (home / "again.json").write_text(run.stdout, encoding="utf-8")
    checked = groundwalk(home, "verify", "again.json", "--kg", "stated.ttl")
    assert checked.returncode == 0, checked.stderr
    assert json.loads(checked.stdout)["verdict"] == "supported"


def test_a_proof_starts_at_the_topic_and_tells_the_triple() -> None:
    def named(term: str, label: str) -> Named:
        return Named(term=term, label=label)

    ada, reifier = named("<urn:ada>", "Ada"), named("_:b0", "_:b0")
    told = named("<<( <urn:ada> <urn:knows> <urn:ben> )>>", "«Ada knows Ben»")
    reifies, since = named("<urn:reifies>", "reifies"), named("<urn:since>", "since")
    year = named('"1990"', "1990")
    chain = [
        StepRecord(head=reifier, relation=reifies, tail=told, inverse=True, verdict="supported"),
        StepRecord(head=reifier, relation=since, tail=year, inverse=False, verdict="supported"),
    ]
    (tree,) = proof([Answer(**year, score=1.0, chains=[chain])], [ada])
    console = Console(width=80)
    with console.capture() as capture:
        console.print(tree)
    assert [line.rstrip() for line in capture.get().splitlines()] == [
        "Ada",
        "└── ✓ «Ada knows Ben» ← reifies ─ _:b0",
        "    └── ✓ ─ since → 1990",
    ]


def test_other_words_are_refused(home: Path) -> None:
    for option in (("--mediators", "drop"), ("--infer", "same")):
        run = groundwalk(home, "ask", "What is the capital of France?", *option)
        assert_one_line_error(run, 2, *option)
