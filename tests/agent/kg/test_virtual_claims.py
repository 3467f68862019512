"""Triples that a reading makes are verified by the triples behind them, wherever these are."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pyoxigraph as ox
import pytest
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.verification.checks import Checked, check_records
from groundwalk.agent.kg.verification.claim_lines import read_records
from groundwalk.agent.kg.verification.claims import Inquiry

from .sparql.endpoint import Endpoint

HERE = Path(__file__).parent
REIFIED = """
@prefix : <https://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:ada rdfs:label "Ada" ; :held :office-1 .
:office-1 :office :mayor ; :since 1990 .
:mayor rdfs:label "Mayor" . :held rdfs:label "held" . :office rdfs:label "office" .
"""
PROFILE = """
extends = "generic"
nodes = ["<https://example.org/office-1>"]
collapse = true
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("virtual")
    (folder / "offices.ttl").write_text(REIFIED, encoding="utf-8")
    (folder / "offices.toml").write_text(PROFILE, encoding="utf-8")
    return folder


@contextmanager
def opened(source: Path, profile: str, *, at_endpoint: bool) -> Generator[KnowledgeGraph]:
    """A graph as it is read from a file, or behind an endpoint."""
    from groundwalk.agent.kg import load_profile

    if not at_endpoint:
        yield open_kg(str(source), profile=load_profile(profile), cache=source.parent / "cache")
        return
    store = ox.Store()
    store.load(path=str(source), format=ox.RdfFormat.TURTLE)
    with Endpoint(store) as endpoint:
        kg = open_kg(endpoint.url, profile=load_profile(profile))
        yield kg
        kg.close()


def verdicts(kg: KnowledgeGraph, *triples: list[str]) -> list[str]:
    """What is said of each triple, asked about by itself."""
    lines = [json.dumps({"topics": [t[0]], "chain": [t]}).encode() for t in triples]
    inquiry = Inquiry(kg.store, kg.prove)
    checked = check_records(read_records(lines, "claims"), inquiry, kg.labels, kg.profile.skipped)
    records = [one for one in checked if isinstance(one, Checked)]
    assert len(records) == len(triples)
    return [record.verdicts[0].chains[0].verdict for record in records]


@pytest.mark.parametrize("at_endpoint", [False, True], ids=["file", "endpoint"])
def test_what_an_ontology_says_of_a_class_is_verified(folder: Path, at_endpoint: bool) -> None:
    source = folder / "anatomy.ttl"
    source.write_bytes((HERE / "anatomy.ttl").read_bytes())
    with opened(source, "auto", at_endpoint=at_endpoint) as kg:
        assert kg.profile.name == "owl"
        said = verdicts(
            kg,
            ["Heart", "part of (some)", "Body"],
            ["Heart", "has chamber (exactly 4)", "Heart chamber"],
            ["Liver", "kind of", "Organ"],
            ["Heart", "kind of", "Organ"],
            ["Heart", "part of (some)", "Organ"],
            ["Body", "part of (some)", "Heart"],
        )
        assert said == ["supported"] * 4 + ["unsupported"] * 2


@pytest.mark.parametrize("at_endpoint", [False, True], ids=["file", "endpoint"])
def test_a_step_through_a_node_is_verified(folder: Path, at_endpoint: bool) -> None:
    profile = str(folder / "offices.toml")
    with opened(folder / "offices.ttl", profile, at_endpoint=at_endpoint) as kg:
        (ada,) = kg.labels.named("Ada")
        (steps,) = kg.walks.neighbours([ada])
        (fact,) = (step.triple for step in steps if not step.triple.tail.startswith('"'))
        assert fact.relation.startswith("<urn:groundwalk:joined:")
        other = [fact.tail, fact.relation, fact.head]
        assert verdicts(kg, [*fact], other) == ["supported", "unsupported"]
