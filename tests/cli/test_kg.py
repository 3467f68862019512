"""`groundwalk kg build`: a folder that --kg opens, one line for whatever goes wrong."""

import json
from pathlib import Path

import pytest

from .test_cli import assert_one_line_error, groundwalk

TRIG = """
@prefix : <http://example.org/> .
:g1 { :ada :wrote :notes . } :g2 { :ada :knew :babbage . }
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "kg.trig").write_text(TRIG)
    return tmp_path


def test_a_graph_is_built_and_opened(home: Path) -> None:
    run = groundwalk(home, "kg", "build", "kg.trig", "--out", "made/kg")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("made/kg: 2 triples, 2 facts between 3 entities by 2 relations (")
    assert run.stderr == "building from kg.trig\n"
    assert [path.name for path in (home / "made").iterdir()] == ["kg"]
    record = json.loads(groundwalk(home, "kg", "info", "made/kg", "--json").stdout)
    assert {relation["label"] for relation in record["by_relation"]} == {"wrote", "knew"}
    assert not (home / "cache").exists()


def test_json_says_all_and_nothing_else_does(home: Path) -> None:
    run = groundwalk(home, "kg", "build", "kg.trig", "--out", "one", "--json")
    record = json.loads(run.stdout)
    assert record.pop("seconds") > 0
    assert record == {
        "status": "built",
        "folder": "one",
        "source": "kg.trig",
        "triples": 2,
        "facts": 2,
        "entities": 3,
        "relations": 2,
        "profile": "generic",
        "left_out": 0,
    }
    assert run.stderr == ""


def test_classes_are_told_with_their_members(home: Path) -> None:
    lines = ["drill\trdf:type\ttool", "saw\trdf:type\ttool", "saw\tkept in\tshed"]
    (home / "tools.tsv").write_text("\n".join([*lines, "shed\trdf:type\tplace"]))
    run = groundwalk(home, "kg", "info", "tools.tsv")
    assert "classes with their members: tool 2, place 1" in run.stdout
    record = json.loads(groundwalk(home, "kg", "info", "tools.tsv", "--json").stdout)
    assert record["by_class"][0] == {"term": "<urn:groundwalk:tool>", "label": "tool", "members": 2}


def test_an_ontology_is_said_to_be_read_as_one(home: Path) -> None:
    anatomy = str(Path(__file__).parents[1] / "agent" / "kg" / "anatomy.ttl")
    built = groundwalk(home, "kg", "build", anatomy, "--out", "anatomy")
    assert built.returncode == 0, built.stderr
    for run in (built, groundwalk(home, "kg", "info", "anatomy")):
        assert "read as an OWL ontology (--profile owl; --profile generic takes" in run.stdout
    plain = groundwalk(home, "kg", "info", anatomy, "--profile", "generic")
    assert "read as" not in plain.stdout and "--profile owl reads" in plain.stdout


def test_named_graphs_and_a_profile_of_ones_own(home: Path) -> None:
    (home / "own.toml").write_text('schema = ["<http://example.org/wrote>"]')
    options = ("--graph", "http://example.org/g1", "--graph", "http://example.org/g2")
    run = groundwalk(
        home, "kg", "build", "kg.trig", "--out", "own", *options, "--profile", "own.toml", "--json"
    )
    assert json.loads(run.stdout)["facts"] == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("kg.trig", "--out", "kg.trig"), ("kg.trig exists already",)),
        (("kg.trig", "--out", "kg.trig/x"), ("cannot be written",)),
        (("kg.trig", "--out", "x", "--profile", "wiki"), ("'wiki'", "wikidata")),
    ],
)
def test_errors_take_one_line(home: Path, options: tuple[str, ...], words: tuple[str, ...]) -> None:
    assert_one_line_error(groundwalk(home, "kg", "build", *options), 2, *words)
    assert sorted(path.name for path in home.iterdir()) == ["kg.trig"]


def test_a_malformed_line_is_named_and_nothing_is_left(home: Path) -> None:
    (home / "bad.nt").write_text("<urn:a> <urn:b> <urn:c> .\n<urn:a> <urn:b> .\n")
    run = groundwalk(home, "kg", "build", "bad.nt", "--out", "made", "--quiet")
    assert_one_line_error(run, 2, "bad.nt, line 2:")
    assert not (home / "made").exists() and not list(home.glob(".made*"))


@pytest.mark.parametrize("scheme", ["http", "HTTPS"])
def test_an_endpoint_is_not_built_and_keeps_its_secrets(home: Path, scheme: str) -> None:
    url = f"{scheme}://user:sekret@127.0.0.1:9/x?key=hidden"
    for run in (
        groundwalk(home, "kg", "build", url, "--out", "one"),
        groundwalk(home, "ask", "Who?", "--kg", url),
    ):
        assert run.returncode in (2, 3) and len(run.stderr.splitlines()) == 1
        assert "sekret" not in run.stderr and "hidden" not in run.stderr


def test_half_a_bracketed_iri_is_no_graph(home: Path) -> None:
    run = groundwalk(home, "kg", "info", "kg.trig", "--graph", "<http://example.org/g1")
    assert_one_line_error(run, 2, "is not an IRI")
