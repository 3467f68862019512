"""Codes at the end of IRIs name things that have other names, where nothing is called so."""

from pathlib import Path

import pytest
from groundwalk.agent.kg import open_kg
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.linking.spans import codes_in, tokenise

TEMPLES = """
@prefix wd: <http://www.wikidata.org/entity/> . @prefix p: <http://www.wikidata.org/prop/> .
@prefix : <https://x.example/#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
wd:Q52 rdfs:label "Parthenon" ; p:P31 wd:Q9 ; p:P2048 13.7 ; :by :e003, :a .
wd:Q53 rdfs:label "Q54" ; p:P31 wd:Q9 . wd:Q54 rdfs:label "Pantheon" ; p:P31 wd:Q9 .
wd:Q9 rdfs:label "temple" . p:P31 rdfs:label "instance of" .
:e003 rdfs:label "Ann Bell" ; :age 50 ; :in :WH-B . :WH-B rdfs:label "North" ; :size 3 .
:a rdfs:label "Bo Cray" ; :age 60 .
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the height of Q52?", [("Q52", "Parthenon")]),
        ("Tell me about Q52", [("Q52", "Parthenon")]),
        ("how old is e003", [("e003", "Ann Bell")]),
        ("Who built Q54?", [("Q54", "Q54")]),
        ("Who is in WH-B?", [("WH-B", "North")]),
        ("Who is in WH-C?", []),
        ("Is Q52 older than the Pantheon?", [("Q52", "Parthenon"), ("Pantheon", "Pantheon")]),
        ("What is the height of q52?", []),
        ("What is the height of Q5?", []),
        ("What is the P31 of Q99?", []),
        ("Who is a?", []),
        ("Where is Q52.csv?", []),
    ],
)
def test_a_code_names_the_thing_of_that_iri(
    tmp_path: Path, question: str, expected: list[tuple[str, str]]
) -> None:
    (tmp_path / "x.ttl").write_text(TEMPLES, encoding="utf-8")
    linker = LabelLinker(open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache").labels)
    mentions = linker.link(question)
    assert [(mention.text, mention.candidates[0].label) for mention in mentions] == expected


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Q52", ["Q52"]),
        ("e003 or WH-B, PT-10/b", ["e003", "WH-B", "PT-10/b"]),
        ("A" * 29 + "1", ["A" * 29 + "1"]),
        ("A" * 30 + "1", []),
        ("Q 52 5Q Quick É52 well-known and/or WHO -B", []),
        ("Q52.csv", []),
    ],
)
def test_codes_begin_with_a_letter_and_have_digits_or_signs(text: str, codes: list[str]) -> None:
    spans = codes_in(text, tokenise(text))
    assert [text[span.start : span.end] for span in spans] == codes
