"""Questions over readings of a KG: answers rest on real triples, and the notes say on what."""

from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.kg import KnowledgeGraph, Reading, Triple, load_profile, open_kg
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.llm.model_folder import ModelSettings
from groundwalk.agent.options import Options
from groundwalk.graphs import ground
from langchain_core.language_models import FakeListChatModel

from ..agent.decoding import worlds
from ..agent.kg.sparql.endpoint import Endpoint
from ..whole import build_graph

WIKIDATA = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix s: <http://www.wikidata.org/entity/statement/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix pr: <http://www.wikidata.org/prop/reference/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

wd:Q1 rdfs:label "Ada Stone"@en ; p:P39 s:Q1-a, s:Q1-b .
s:Q1-a a wikibase:Statement ; wikibase:rank wikibase:NormalRank ; ps:P39 wd:Q2 ;
    pq:P580 "1990-01-01"^^xsd:date ; pq:P1366 wd:Q3 ; prov:wasDerivedFrom wd:Q9 .
s:Q1-b ps:P39 wd:Q4 .
wd:Q2 rdfs:label "mayor"@en . wd:Q3 rdfs:label "Ben Hill"@en . wd:Q4 rdfs:label "judge"@en .
wd:P39 rdfs:label "position held"@en .
wd:P580 rdfs:label "start time"@en .
wd:P1366 rdfs:label "replaced by"@en .
"""
FREEBASE = """
@prefix ns: <http://rdf.freebase.com/ns/> .
ns:m.01 ns:type.object.name "Ada Stone"@en ; ns:people.person.spouse_s ns:m.0x .
ns:m.02 ns:type.object.name "Ben Hill"@en ; ns:people.person.spouse_s ns:m.0x .
ns:m.0x ns:people.marriage.spouse ns:m.01, ns:m.02 ; ns:people.marriage.location ns:m.03 .
ns:m.03 ns:type.object.name "Oslo"@en .
"""
PLAIN = """
@prefix : <http://example.org/> .
@prefix o: <http://other.example/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:ada rdfs:label "Ada Stone" ; :knows :ben ; :likes :ben .
o:ada rdfs:label "A. Stone" ; owl:sameAs :ada ; :plays :chess .
:ben rdfs:label "Ben Hill" . :chess rdfs:label "chess" .
:motherOf owl:inverseOf :childOf . :childOf rdfs:label "child of" ; rdfs:subPropertyOf :kinOf .
:kinOf rdfs:label "kin of" .
:cleo rdfs:label "Cleo Stone" ; :motherOf :ada .
[] rdf:subject :ada ; rdf:predicate :knows ; rdf:object :ben ; :since "1990" .
<< :ada :knows :ben >> :source :archive .
:archive rdfs:label "archive" .
"""
STATED = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:ada rdfs:label "Ada Stone" ; :knows :ben {| :source :archive |} ~ :r {| :since "1990" |} .
:ben rdfs:label "Ben Hill" ; :met :cleo ~ :q {| :place :oslo |} .
<< :ada :left :oslo >> :since "1985" .
:knows rdfs:label "knows" . :left rdfs:label "left" . :since rdfs:label "since" .
:oslo rdfs:label "Oslo" . :archive rdfs:label "archive" . :cleo rdfs:label "Cleo Stone" .
"""


@pytest.fixture(scope="module")
def model() -> LocalModel:
    tokenizer = worlds.byte_level()
    weights = worlds.random_model(len(tokenizer)).float()
    return LocalModel("random", weights, tokenizer, ModelSettings(hops=2, instruct=False))


def opened(text: str, folder: Path, profile: str, reading: Reading | None = None) -> KnowledgeGraph:
    file = folder / "kg.ttl"
    file.write_text(text, encoding="utf-8")
    return open_kg(
        str(file), cache=folder / "cache", profile=load_profile(profile), reading=reading
    )


def asked(kg: KnowledgeGraph, model: LocalModel, question: str, **given: Any) -> Any:
    """What the method says by itself, without a reader before it."""
    chosen: dict[str, Any] = {"on_ambiguous": "best", "beams": 10, "queries": False}
    options = Options(**chosen | given.pop("options", {}))
    graph = build_graph(given.pop("method", "gcr"), kg=kg, generator=model, **given)
    return graph.invoke({"question": question}, context=options)


def proven(kg: KnowledgeGraph, state: Any) -> set[Triple]:
    """The triples behind the answers and the walks, all of which the store holds."""
    chains = [c for answer in state["answers"] for c in answer["chains"]]
    chains += [candidate["steps"] for candidate in state["candidates"]]
    assert chains
    triples = {Triple(*(s[k]["term"] for k in Triple._fields)) for c in chains for s in c}
    assert all(kg.store.holds(sorted(triples)))
    assert {step["verdict"] for chain in chains for step in chain} == {"supported"}
    for chain in chains:
        for before, after in zip(chain, chain[1:], strict=False):
            reached = before["head" if before["inverse"] else "tail"]["term"]
            left = after["tail" if after["inverse"] else "head"]["term"]
            told = left.removeprefix("<<( ").split(" ")[0] if left.startswith("<<(") else left
            assert reached == told
    return triples


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("method", ["gcr", "plan"])
def test_wikidata_statements_are_passed_through(
    tmp_path: Path, model: LocalModel, monkeypatch: pytest.MonkeyPatch, whole: bool, method: str
) -> None:
    if not whole:
        monkeypatch.setattr(ground, "MOST_WHOLE", 1)
    kg = opened(WIKIDATA, tmp_path, "wikidata")
    assert kg.reading == Reading("collapse")
    names = {kg.walk_labels.names([fact.relation])[0] for fact in kg.walks.facts()}
    assert "position held (statement)" in names and "position held-start time" in names
    state = asked(kg, model, "Where is Ada Stone?", options={"hops": 1}, method=method)
    assert state["status"] == "answered"
    labels = {candidate["answer"]["label"] for candidate in state["candidates"]}
    if method == "gcr":
        assert {"mayor", "judge", "Ben Hill"} <= labels
    triples = proven(kg, state)
    statements = {t.tail for t in triples if "/prop/P39" in t.relation}
    assert statements and all("/statement/" in term for term in statements)
    assert "read with statement nodes passed through" in state["notes"]
    kg.close()


def test_kept_statements_are_where_walks_stop(tmp_path: Path, model: LocalModel) -> None:
    kg = opened(WIKIDATA, tmp_path, "wikidata", Reading("keep"))
    state = asked(kg, model, "Where is Ada Stone?", options={"hops": 1})
    proven(kg, state)
    assert {c["answer"]["label"] for c in state["candidates"]} == {"Q1-a", "Q1-b"}
    assert not any("read with" in note for note in state["notes"])
    kg.close()


def test_freebase_mediators_are_passed_through(tmp_path: Path, model: LocalModel) -> None:
    kg = opened(FREEBASE, tmp_path, "freebase")
    state = asked(kg, model, "Whom did Ada Stone marry?", options={"hops": 1})
    proven(kg, state)
    assert {c["answer"]["label"] for c in state["candidates"]} == {"Ben Hill", "Oslo"}
    assert {len(candidate["steps"]) for candidate in state["candidates"]} == {2}
    kg.close()


def test_an_llm_answers_from_real_triples(tmp_path: Path, model: LocalModel) -> None:
    kg = opened(FREEBASE, tmp_path, "freebase")
    llm = FakeListChatModel(responses=["Oslo"])
    state = asked(kg, model, "Where did Ada Stone marry?", options={"hops": 1}, llm=llm)
    assert [answer["label"] for answer in state["answers"]] == ["Oslo"]
    proven(kg, state)
    assert "read with statement nodes passed through" in state["notes"]
    kg.close()


def test_what_owl_says_is_honoured_and_told(tmp_path: Path, model: LocalModel) -> None:
    everything = Reading("collapse", same_as=True, inverse_of=True, sub_property_of=True)
    kg = opened(PLAIN, tmp_path, "generic", everything)
    state = asked(kg, model, "Where is A. Stone?", options={"hops": 1, "beams": 20})
    assert [topic["label"] for topic in state["topics"]] == ["Ada Stone"]
    assert "A. Stone is read as Ada Stone, the same by owl:sameAs" in state["notes"]
    found = {candidate["answer"]["label"] for candidate in state["candidates"]}
    assert {"Ben Hill", "chess", "Cleo Stone", "1990"} <= found
    proven(kg, state)
    texts = "\n".join(candidate["text"] for candidate in state["candidates"])
    assert "sameAs" in texts and "mother" in texts
    kg.close()


def test_the_graph_as_it_is_has_none_of_it(tmp_path: Path, model: LocalModel) -> None:
    kg = opened(PLAIN, tmp_path, "generic")
    assert kg.reading.plain and kg.walks is kg.store
    state = asked(kg, model, "Where is Ada Stone?", options={"hops": 1, "beams": 20})
    found = {candidate["answer"]["label"] for candidate in state["candidates"]}
    assert found == {"Ben Hill", "Cleo Stone"}
    kg.close()


def test_another_reading_is_no_other_build(tmp_path: Path, model: LocalModel) -> None:
    first = opened(PLAIN, tmp_path, "generic")
    second = opened(PLAIN, tmp_path, "generic", Reading("collapse", inverse_of=True))
    assert first.folder == second.folder and first.digest == second.digest
    for kg in (first, second):
        asked(kg, model, "Where is Ada Stone?")
    assert first.folder
    folders = sorted(path.name for path in first.folder.glob("tokens-*"))
    assert len(folders) == 2 and folders[1] == f"{folders[0]}-mediators-inverse-of"
    first.close()
    second.close()


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("method", ["gcr", "plan"])
def test_what_is_said_of_triples_is_a_step_from_their_subject(
    tmp_path: Path, model: LocalModel, monkeypatch: pytest.MonkeyPatch, whole: bool, method: str
) -> None:
    if not whole:
        monkeypatch.setattr(ground, "MOST_WHOLE", 1)
    kg = opened(STATED, tmp_path, "generic", Reading("collapse"))
    names = {kg.walk_labels.names([fact.relation])[0] for fact in kg.walks.facts()}
    assert names == {"knows", "met", "knows-since", "source-knows", "left-since", "place-met"}
    state = asked(kg, model, "Where is Ada Stone?", options={"hops": 2, "beams": 20}, method=method)
    assert state["status"] == "answered"
    triples = proven(kg, state)
    told = {t.tail for t in triples if t.relation.endswith("#reifies>")}
    assert told and all(term.startswith("<<( <http://example.org/") for term in told)
    if method == "gcr":
        assert "read with statement nodes passed through" in state["notes"]
        walks = {c["answer"]["label"]: c for c in state["candidates"]}
        assert {"1990", "1985", "archive", "Ben Hill", "Oslo"} <= walks.keys()
        assert walks["1990"]["text"] == (
            "Ada Stone -> ^reifies «Ada Stone knows Ben Hill» -> r -> since -> 1990"
        )
        assert walks["Oslo"]["text"] == (
            "Ada Stone -> knows -> Ben Hill -> ^reifies «Ben Hill met Cleo Stone» -> q"
            " -> place -> Oslo"
        )
    kg.close()


def test_what_is_said_of_triples_is_no_fact_of_the_plain_graph(
    tmp_path: Path, model: LocalModel
) -> None:
    kg = opened(STATED, tmp_path, "generic")
    state = asked(kg, model, "Where is Ada Stone?", options={"hops": 2, "beams": 20})
    proven(kg, state)
    found = {candidate["answer"]["label"] for candidate in state["candidates"]}
    assert found == {"Ben Hill", "Cleo Stone"}
    assert not any("read with" in note for note in state["notes"])
    kg.close()


def test_what_is_said_of_triples_at_an_endpoint(tmp_path: Path, model: LocalModel) -> None:
    import pyoxigraph as ox

    store = ox.Store()
    store.load(STATED, ox.RdfFormat.TURTLE)
    with Endpoint(store) as endpoint:
        kg = open_kg(endpoint.url, reading=Reading("collapse"))
        state = asked(kg, model, "Where is Ada Stone?", options={"hops": 1, "beams": 20})
        proven(kg, state)
        found = {candidate["answer"]["label"] for candidate in state["candidates"]}
        assert found == {"Ben Hill", "1990"}
        kg.close()


def test_over_an_endpoint(tmp_path: Path, model: LocalModel) -> None:
    import pyoxigraph as ox

    store = ox.Store()
    store.load(WIKIDATA, ox.RdfFormat.TURTLE)
    with Endpoint(store) as endpoint:
        kg = open_kg(endpoint.url, profile=load_profile("wikidata"))
        state = asked(kg, model, "Where is Ada Stone?", options={"hops": 1})
        proven(kg, state)
        found = {candidate["answer"]["label"] for candidate in state["candidates"]}
        assert {"mayor", "judge", "Ben Hill"} <= found
        kg.close()


@pytest.mark.parametrize("method", ["rog", "dog"])
def test_methods_that_do_not_prove_walks_take_the_graph_as_it_is(
    tmp_path: Path, model: LocalModel, method: str
) -> None:
    kg = opened(WIKIDATA, tmp_path, "wikidata")
    state = asked(kg, model, "Where is Ada Stone?", method=method)
    written = [step for candidate in state["candidates"] for step in candidate["steps"]]
    assert not any("urn:groundwalk:joined" in step["relation"]["term"] for step in written)
    assert {step["verdict"] for step in written} <= {"supported"}
    kg.close()


@pytest.mark.parametrize("method", ["tog", "tot", "direct", "cot"])
def test_a_method_that_walks_facts_as_stored_says_so(
    method: str, tmp_path: Path, model: LocalModel
) -> None:
    text = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:a rdfs:label "Ada" ; owl:sameAs :b ; :likes :chess . :b rdfs:label "Ada Stone" ; :knows :c, :d .
:c rdfs:label "Ben" . :d rdfs:label "Cleo" . :chess rdfs:label "chess" .
"""
    kg = opened(text, tmp_path, "generic", Reading("keep", same_as=True))
    state = asked(kg, model, "What does Ada like?", method=method)
    assert [topic["term"] for topic in state["topics"]] == ["<http://example.org/a>"]
    note = f"{method} walks the facts as they are stored: --mediators and --infer are not used"
    assert note in state["notes"]
    plain = asked(kg.as_stored, model, "What does Ada like?", method=method)
    assert note not in plain["notes"]
    kg.close()
