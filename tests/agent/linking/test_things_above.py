"""A thing that is also a class above another is linked as any thing is."""

from contextlib import closing
from pathlib import Path

import pytest
from groundwalk.agent.answers.class_words import members_of
from groundwalk.agent.kg import open_kg
from groundwalk.agent.linking import LabelLinker

GRAPH = """
@prefix : <http://e.x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Rock rdfs:label "Rock music" . :Music rdfs:label "Music" . :Art rdfs:label "Art" .
:punk rdfs:subClassOf :Rock . :Rock rdfs:subClassOf :Music . :Music rdfs:subClassOf :Art .
:b a :punk ; :genre :Rock ; :likes :Music .
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who has the genre Rock music?", ["Rock"]),
        ("who has the genre rock music", ["Rock"]),
        ("Who likes music?", ["Music"]),
        ("Which art is there?", []),
    ],
)
def test_what_facts_point_at_is_a_thing(tmp_path: Path, question: str, expected: list[str]) -> None:
    (tmp_path / "graph.ttl").write_text(GRAPH, encoding="utf-8")
    with closing(open_kg(str(tmp_path / "graph.ttl"), cache=tmp_path / "cache")) as kg:
        mentions = LabelLinker(kg.labels).link(question)
        terms = [mention.candidates[0].term for mention in mentions]
        assert terms == [f"<http://e.x/{name}>" for name in expected]
        classes = {word.text for word in kg.labels.vocabulary() if not word.relation}
        assert classes == {"punk", "Art"}
        assert list(members_of(kg, "<http://e.x/Rock>")) == ["<http://e.x/b>"]
