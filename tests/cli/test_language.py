"""`--language`: names, answers and questions in the languages of the user."""

import json
from pathlib import Path
from typing import Any

import pytest

from ..agent.decoding import worlds
from .test_cli import assert_one_line_error, groundwalk

GRAPH = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:landing rdfs:label "first Moon landing"@en, "erste Mondlandung"@de ; :date "1969-07-20"^^xsd:date .
:date rdfs:label "date"@en, "Datum"@de .
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    (home / "moon.ttl").write_text(GRAPH, encoding="utf-8")
    tokenizer = worlds.byte_level()
    tokenizer.save_pretrained(home / "model")
    worlds.random_model(len(tokenizer)).float().save_pretrained(home / "model")
    return home


@pytest.mark.parametrize(
    ("language", "question", "topic", "relation", "date"),
    [
        ("en", "When was the first Moon landing?", "first Moon landing", "date", "20 July 1969"),
        ("de,en", "Wann war die Mondlandung?", "erste Mondlandung", "Datum", "1969-07-20"),
    ],
)
def test_names_and_values_are_in_the_language_and_terms_stay(
    home: Path, language: str, question: str, topic: str, relation: str, date: str
) -> None:
    asked = ("ask", question, "--kg", "moon.ttl", "--model", "model", "--language", language)
    run = groundwalk(home, *asked, "--json")
    assert run.returncode == 0, run.stdout + run.stderr
    result: Any = json.loads(run.stdout)
    (answer,) = result["answers"]
    (step,) = answer["chains"][0]
    assert [step[end]["label"] for end in ("head", "relation", "tail")] == [topic, relation, date]
    assert answer["term"] == '"1969-07-20"^^<http://www.w3.org/2001/XMLSchema#date>'
    assert f"{relation} → {date}" in groundwalk(home, *asked).stdout


def test_a_graph_is_built_in_a_language(home: Path) -> None:
    run = groundwalk(home, "kg", "build", "moon.ttl", "--out", "built", "--language", "de")
    assert run.returncode == 0, run.stderr
    assert "Datum" in groundwalk(home, "kg", "info", "built").stdout
    run = groundwalk(home, "kg", "info", "built", "--language", "en")
    assert_one_line_error(run, 2, "built for de", "--language en")


def test_claims_are_in_the_language_too(home: Path) -> None:
    moon = "erste Mondlandung"
    claim = {"topics": [moon], "chain": [[moon, "Datum", "1969-07-20"]], "answers": ["1969-07-20"]}
    (home / "claims.jsonl").write_text(json.dumps(claim), encoding="utf-8")
    asked = ("verify", "claims.jsonl", "--kg", "moon.ttl")
    assert groundwalk(home, *asked, "--language", "de").returncode == 0
    english = groundwalk(home, *asked)
    assert english.returncode == 1 and "unknown name" in english.stdout
    (home / ".env").write_text("GROUNDWALK_LANGUAGE=de\n", encoding="utf-8")
    try:
        assert groundwalk(home, *asked).returncode == 0
    finally:
        (home / ".env").unlink()


def test_what_is_no_language_is_told(home: Path) -> None:
    run = groundwalk(home, "ask", "Where?", "--language", "German!")
    assert_one_line_error(run, 2, "'german!' is not the tag of a language", "de,en")
