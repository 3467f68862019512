"""An endpoint is asked for the names of the wanted languages, as an index is built of them."""

from pathlib import Path

from groundwalk.agent.kg import GENERIC, open_kg
from groundwalk.agent.kg.profile import speaking
from groundwalk.agent.kg.stores.sparql.labels import SparqlLabels
from groundwalk.agent.linking import LabelLinker

from .asking import client, iri, turtle
from .endpoint import Endpoint

GRAPH = """
    :at rdfs:label "Austria"@en ;
        <http://www.w3.org/2004/02/skos/core#prefLabel> "Österreich"@de, "奥地利"@zh ;
        :capital :vie ; :founded "1955-05-15"^^<http://www.w3.org/2001/XMLSchema#date> .
    :vie rdfs:label "Vienna"@en, "Wien"@de . :capital rdfs:label "capital"@en, "Hauptstadt"@de .
    :founded rdfs:label "founded"@en .
"""


def test_names_and_links_are_those_of_an_index(endpoint: Endpoint, tmp_path: Path) -> None:
    store = turtle(GRAPH)
    endpoint.reset(store)
    lines = "".join(f"{quad.subject} {quad.predicate} {quad.object} .\n" for quad in store)
    (tmp_path / "kg.nt").write_text(lines, encoding="utf-8")
    date = '"1955-05-15"^^<http://www.w3.org/2001/XMLSchema#date>'
    terms = [*map(iri, ("at", "vie", "capital", "founded")), date]
    for languages, question, names in (
        ((), "who founded Austria", ["Austria", "Vienna", "capital", "founded", "15 May 1955"]),
        (
            ("de", "en"),
            "Wer gründete Österreich?",
            ["Österreich", "Wien", "Hauptstadt", "founded", "1955-05-15"],
        ),
        (
            ("zh", "en"),
            "奥地利的首都是什么？",
            ["奥地利", "Vienna", "capital", "founded", "1955-05-15"],
        ),
    ):
        profile = speaking(GENERIC, languages)
        local = open_kg(str(tmp_path / "kg.nt"), cache=tmp_path / "cache", languages=languages)
        with client(endpoint.url) as connected:
            labels = SparqlLabels(connected, profile=profile)
            for source in (labels, local.labels):
                assert source.names(terms) == names
                linker = LabelLinker(source, languages=profile.languages)
                (mention,) = linker.link(question)
                assert mention.candidates[0].term == iri("at")
        local.close()
