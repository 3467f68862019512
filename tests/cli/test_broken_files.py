"""Broken files as a user meets them: a line that names the line, or what is whole of them."""

import json
from pathlib import Path

import pytest

from .test_cli import assert_one_line_error, groundwalk

RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">\n'
FILES = {
    "kg.rdf": RDF
    + "".join(
        f'<rdf:Description rdf:about="http://e/a{i}">'
        f'<e:p rdf:resource="http://e/{"&lt;" if i == 30 else ""}b{i}"/></rdf:Description>\n'
        for i in range(40)
    )
    + "</rdf:RDF>\n",
    "kg.ttl": "@prefix e: <http://e/> .\n" + "e:a e:p e:b .\n" * 30 + "e:a e:p <urn:<x> .\n",
}
LINE = "line 32: "
LEFT_OUT = "1 broken statement was left out of the graph: "
ONTOLOGY = """
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix e: <http://e/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:Pizza a owl:Class ; rdfs:label "Pizza" ; rdfs:subClassOf e:Food ,
  [ a owl:Restriction ; owl:onProperty e:base ; owl:someValuesFrom e:Base ] ,
  [ a owl:Restriction ; owl:onProperty e:base ; owl:qualifiedCardinality 1 ; owl:onClass e:Base ] .
e:Base a owl:Class ; rdfs:subClassOf e:Food .
e:base a owl:ObjectProperty ; rdfs:domain e:Pizza ; rdfs:range e:Base .
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "onto.ttl").write_text(ONTOLOGY, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_a_broken_iri_is_named_or_left_out(home: Path, name: str) -> None:
    run = groundwalk(home, "kg", "info", name)
    assert_one_line_error(run, 2, f"{name}, {LINE}", "IRI", "--on-broken skip")
    for _ in range(2):  # built, and opened again
        run = groundwalk(home, "kg", "info", name, "--on-broken", "skip")
        assert run.returncode == 0 and f"{LEFT_OUT}{name}, {LINE}" in run.stdout
    assert_one_line_error(groundwalk(home, "ask", "Who?", "--kg", name), 2, f"{name}, {LINE}")


def test_a_built_graph_says_what_it_lacks(home: Path) -> None:
    run = groundwalk(home, "kg", "build", "kg.rdf", "--out", "built", "--on-broken", "skip", "-q")
    assert run.returncode == 0 and run.stdout == ""
    assert run.stderr.startswith(f"{LEFT_OUT}kg.rdf, {LINE}")
    assert len(run.stderr.splitlines()) == 1
    record = json.loads(groundwalk(home, "kg", "info", "built", "--json").stdout)
    assert record["triples"] == 39 and record["left_out"] == 1
    assert record["notes"][0].startswith(f"{LEFT_OUT}kg.rdf, {LINE}")
    answer = json.loads(
        groundwalk(home, "ask", "What does a1 p?", "--kg", "built", "--json").stdout
    )
    assert answer["notes"][0] == record["notes"][0]
    run = groundwalk(home, "chat", "--kg", "built", say="/quit\n")
    assert run.stdout.startswith(LEFT_OUT)
    claim = {"topics": ["<http://e/a1>"], "chain": [["<http://e/a1>", "<http://e/p>", "a"]]}
    run = groundwalk(home, "verify", "-", "--kg", "built", "--quiet", say=json.dumps(claim))
    assert run.stderr.startswith(LEFT_OUT)


def test_a_run_leaves_out_what_is_broken_of_questions_and_graph(home: Path) -> None:
    (home / "q.jsonl").write_text('{"question": "What does a1 p?", "answers": ["b1"]}\n{\n')
    words = ("eval", "run", "--dataset", "jsonl", "--data", "q.jsonl", "--kg", "kg.rdf")
    words = (*words, "--method", "lookup", "--out", "run", "--quiet")
    assert_one_line_error(groundwalk(home, *words), 2, "q.jsonl, line 2")
    run = groundwalk(home, *words, "--on-broken", "skip")
    assert run.returncode == 0, run.stderr
    assert "1 questions are left out:" in run.stderr and LEFT_OUT in run.stderr
    config = json.loads((home / "run" / "config.json").read_text())
    assert config["kg"]["left_out"] == 1 and config["questions"]["skipped"] == 1


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "d.jsonld",
            '{"@id":"urn:a","urn:p":' * 5_000 + "1" + "}" * 5_000,
            "line 1: more than 200",
        ),
        (
            "l.nt",
            f'<urn:a> <urn:p> <urn:b> .\n<urn:a> <urn:p> "{"x" * (17 << 20)}" .\n',
            "line 2: a",
        ),
        ("q.ttl", '<urn:a> <urn:p> "x\n. <urn:a> <urn:p> <urn:b> .\ny" .\n', "line 1: "),
    ],
)
def test_what_no_parser_survives_is_a_line(home: Path, name: str, text: str, words: str) -> None:
    (home / name).write_text(text, encoding="utf-8")
    for skip in ((), ("--on-broken", "skip")):
        run = groundwalk(home, "kg", "info", name, *skip)
        if name == "l.nt" and skip:
            assert run.returncode == 0 and f"{LEFT_OUT}l.nt, line 2: a literal" in run.stdout
        else:
            assert_one_line_error(run, 2, f"{name}, {words}")


def test_a_graph_without_facts_says_why(home: Path) -> None:
    plain = ("onto.ttl", "--profile", "generic")
    why = "there are no facts to walk: none of the 17 triples relates an entity to another one"
    run = groundwalk(home, "kg", "info", *plain)
    assert run.returncode == 0 and why in run.stdout
    run = groundwalk(home, "ask", "What is the base of a Pizza?", "--kg", *plain)
    assert run.returncode == 0 and why in run.stdout and "The graph does not say." in run.stdout
    run = groundwalk(home, "train", "--kg", *plain, "--formats", "path", "--out", "model")
    assert_one_line_error(run, 2, "onto.ttl: nothing to train on", why)
    assert not (home / "model").exists()


def test_a_word_that_the_option_does_not_take(home: Path) -> None:
    for words in (("kg", "info"), ("ask", "Who?"), ("chat",), ("train", "--out", "model")):
        run = groundwalk(home, *words, "--on-broken", "mend")
        assert_one_line_error(run, 2, "--on-broken mend: is none of fail, skip")
