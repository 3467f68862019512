"""`ask --explain`: what a pipe gets is the evidence and nothing else."""

from importlib import resources
from pathlib import Path

import pyoxigraph as ox
import rdflib

from ..evaluation.report.pages import Page
from .test_cli import assert_one_line_error, groundwalk, home, model

__all__ = ["home", "model"]

QUESTION = "Which countries border Portugal?"
NAMED = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:g { :ada :likes :tea . :ada rdfs:label "Ada" . :tea rdfs:label "tea" . }
:h { :ada :likes :mud . :mud rdfs:label "mud" . }
"""


def explained(home: Path, form: str, *arguments: str) -> str:
    run = groundwalk(home, "ask", "--explain", form, *arguments)
    assert run.returncode == 0 and run.stderr == "", run.stderr
    return run.stdout


def rows(store: ox.Store, query: str) -> list[str]:
    solutions = store.query(query)
    assert isinstance(solutions, ox.QuerySolutions)
    return [str(row[0]) for row in solutions]


def world() -> ox.Store:
    store = ox.Store()
    text = resources.files("groundwalk.data.world").joinpath("world.ttl").read_bytes()
    store.load(text, format=ox.RdfFormat.TURTLE)
    return store


def test_the_query_runs_as_it_is(home: Path) -> None:
    found = rows(world(), explained(home, "sparql", QUESTION))
    assert found == ["<https://groundwalk.example/world/country/spain>"]


def test_the_turtle_parses_and_names_its_source(home: Path) -> None:
    graph = rdflib.Graph().parse(data=explained(home, "turtle", QUESTION), format="turtle")
    base = "https://groundwalk.example/world/"
    border = rdflib.URIRef(f"{base}vocab#borders")
    ends = (rdflib.URIRef(f"{base}country/portugal"), rdflib.URIRef(f"{base}country/spain"))
    assert (ends[0], border, ends[1]) in graph or (ends[1], border, ends[0]) in graph
    labels = {str(own) for own in graph.objects(None, rdflib.RDFS.label)}
    assert {QUESTION, "world", "bundled", "query"} <= labels


def test_the_page_is_whole(home: Path) -> None:
    text = explained(home, "html", QUESTION)
    assert text.startswith("<!DOCTYPE html>") and text.rstrip().endswith("</html>")
    assert {"svg", "table", "pre"} <= {tag for tag, _ in Page(text).elements}


def test_tree_and_flowchart(home: Path) -> None:
    assert "└── ✓ " in explained(home, "tree", QUESTION)
    text = explained(home, "mermaid", QUESTION, "--quiet")
    assert text.startswith("flowchart LR\n") and "Spain" in text


def test_silence_is_told_in_a_file_that_parses(home: Path) -> None:
    question = "Who is the king of Narnia?"
    run = groundwalk(home, "ask", "--explain", "sparql", question)
    assert run.returncode == 0 and run.stderr.startswith("not understood: "), run.stderr
    assert "I did not understand that." in run.stdout and rows(world(), run.stdout) == []
    text = explained(home, "turtle", question)
    assert "I did not understand that." in text
    assert len(rdflib.Graph().parse(data=text, format="turtle")) > 0


def test_named_graphs_are_asked_alone(home: Path, model: Path) -> None:
    (home / "likes.trig").write_text(NAMED, encoding="utf-8")
    given = ("--kg", "likes.trig", "--graph", "http://example.org/g", "--model", str(model))
    query = explained(home, "sparql", "What does Ada like?", *given, "--hops", "1")
    store = ox.Store()
    store.load(NAMED.encode(), format=ox.RdfFormat.TRIG)
    assert rows(store, query) == ["<http://example.org/tea>"]


def test_wrong_forms_are_refused(home: Path) -> None:
    run = groundwalk(home, "ask", QUESTION, "--explain", "pdf")
    assert_one_line_error(run, 2, "--explain pdf", "turtle")
    run = groundwalk(home, "ask", QUESTION, "--explain", "tree", "--json")
    assert run.returncode == 2 and "--explain and --json" in run.stdout
