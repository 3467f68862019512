"""Triples about triples (RDF 1.2): held, verified and named, and never walked as facts."""

import json
import sqlite3
from pathlib import Path as File

import pyoxigraph as ox
import pytest
import rdflib
from groundwalk.agent.kg import (
    GENERIC,
    KnowledgeGraph,
    LabelIndex,
    OxigraphStore,
    Path,
    Reading,
    Step,
    Triple,
    is_connected,
    open_kg,
    verify_paths,
)
from groundwalk.agent.kg.labels.indexing import build_labels
from groundwalk.agent.kg.labels.names import local_name
from groundwalk.agent.kg.stores.rdflib_graph import RdflibStore
from groundwalk.agent.kg.terms import REIFIES, is_triple_term, is_well_formed, triple_term
from groundwalk.agent.kg.verification.checks import Checked, check_records
from groundwalk.agent.kg.verification.claim_lines import read_records
from groundwalk.agent.kg.verification.claims import Inquiry
from hypothesis import given, settings

from .derived.worlds import NODES, graphs, store_of

E = "http://example.org/"
TEXT = f"""
@prefix : <{E}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:ada rdfs:label "Ada" ; :knows :ben ~ :r {{| :since :then |}} .
:ben rdfs:label "Ben" . :knows rdfs:label "knows" .
<< :ben :birthPlace :oslo >> :source :archive .
:archive :says <<( :ada :claims <<( :ben :age 7 )>> )>>, :nothing .
"""


def iri(name: str) -> str:
    return f"<{E}{name}>"


KNOWN = Triple(iri("ada"), iri("knows"), iri("ben"))
TOLD = Triple(iri("r"), REIFIES, triple_term(KNOWN))
SINCE = Triple(iri("r"), iri("since"), iri("then"))
SEVEN = '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'
NESTED = triple_term(
    Triple(iri("ada"), iri("claims"), triple_term(Triple(iri("ben"), iri("age"), SEVEN)))
)
QUOTED = Triple(iri("archive"), iri("says"), NESTED)
WALK = Path(iri("ada"), (Step(TOLD, True), Step(SINCE)))


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("kg")
    (folder / "kg.ttl").write_text(TEXT, encoding="utf-8")
    return open_kg(str(folder / "kg.ttl"), cache=folder / "cache")


def test_what_is_said_of_triples_is_held_and_no_fact(kg: KnowledgeGraph) -> None:
    asked = [TOLD, SINCE, KNOWN, QUOTED]
    assert kg.store.holds(asked) == [True] * 4
    others = [
        TOLD._replace(tail=triple_term(KNOWN._replace(tail=iri("ada")))),
        TOLD._replace(head=triple_term(KNOWN), tail=TOLD.head),
        TOLD._replace(tail=triple_term(KNOWN)[:-1]),
        Triple(iri("ben"), iri("birthPlace"), iri("oslo")),
    ]
    assert kg.store.holds(others) == [False] * 4
    facts = set(kg.store.facts())
    assert {KNOWN, SINCE, Triple(iri("archive"), iri("says"), iri("nothing"))} <= facts
    assert len(facts) == kg.counts.facts == 4
    assert not any(is_triple_term(term) for fact in facts for term in fact)
    assert kg.counts == kg.store.counts()
    assert kg.counts.triples == 10


def test_the_plain_reading_walks_nothing_of_it(kg: KnowledgeGraph) -> None:
    assert kg.reading == Reading("keep") and kg.walks is kg.store
    terms = [*map(iri, ("ada", "ben", "r", "archive")), "_:b0", triple_term(KNOWN), NESTED]
    around = kg.store.neighbours(terms)
    assert around[-2:] == [[], []]
    assert not any(is_triple_term(t) for own in around for step in own for t in step.triple)
    assert kg.store.follow([QUOTED.head], QUOTED.relation, False) == [
        [Step(QUOTED._replace(tail=iri("nothing")))]
    ]
    for inverse in (False, True):
        assert REIFIES not in {r for own in kg.store.relations_at(terms, inverse) for r in own}


def test_reifiers_are_followed_from_the_subject(kg: KnowledgeGraph) -> None:
    assert kg.store.follow([iri("ada"), iri("ben"), iri("oslo")], REIFIES, True) == [
        [Step(TOLD, True)],
        [Step(Triple("_:b0", REIFIES, _about_ben()), True)],
        [],
    ]
    assert kg.store.follow([iri("r")], REIFIES, False) == [[Step(TOLD)]]
    assert {t.tail for t in kg.store.statements(REIFIES)} == {TOLD.tail, _about_ben()}
    assert [t.tail for t in kg.store.statements(QUOTED.relation)] == [iri("nothing")]


def _about_ben() -> str:
    return triple_term(Triple(iri("ben"), iri("birthPlace"), iri("oslo")))


def test_a_triple_term_stands_for_its_subject_in_a_walk(kg: KnowledgeGraph) -> None:
    assert (WALK.steps[0].source, WALK.steps[0].target, WALK.end) == (
        iri("ada"),
        iri("r"),
        iri("then"),
    )
    back = Path(iri("then"), (Step(SINCE, True), Step(TOLD), Step(KNOWN)))
    ada, then = frozenset({iri("ada")}), frozenset({iri("then")})
    for starts, walk in ((ada, WALK), (then, back)):
        assert is_connected(starts, walk) and is_well_formed(starts, walk)
        assert verify_paths(kg.store, starts, [walk])[0].verdict == "supported"
    elsewhere = Path(iri("ben"), WALK.steps)
    assert not is_connected(frozenset({iri("ben")}), elsewhere)
    assert not is_well_formed(frozenset({iri("ben")}), elsewhere)
    assert verify_paths(kg.store, [iri("ben")], [elsewhere])[0].verdict == "unsupported"


def test_names_are_made_of_names(kg: KnowledgeGraph) -> None:
    assert kg.labels.names([TOLD.tail, iri("ada"), NESTED]) == [
        "«Ada knows Ben»",
        "Ada",
        "«Ada claims «Ben age 7»»",
    ]
    assert local_name(TOLD.tail) == "«ada knows ben»"
    norms = {"ada knows ben", "claims", "age", "birthplace"}
    assert not kg.labels.known(norms)


@pytest.mark.parametrize("name", ["kg.trig", "kg.nq"])
def test_one_of_several_named_graphs(tmp_path: File, name: str) -> None:
    told, since = (" ".join(triple) for triple in (TOLD, SINCE))
    texts = {
        "kg.trig": f"<{E}g> {{ {told} . {since} }} <{E}h> {{ {' '.join(QUOTED)} }}",
        "kg.nq": f"{told} <{E}g> .\n{since} <{E}g> .\n{' '.join(QUOTED)} <{E}h> .\n",
    }
    (tmp_path / name).write_text(texts[name], encoding="utf-8")
    held = {
        graphs: open_kg(str(tmp_path / name), cache=tmp_path / "c", graphs=graphs).store.holds(
            [TOLD, SINCE, QUOTED]
        )
        for graphs in ((), (f"{E}g",), (f"{E}h",))
    }
    assert [*held.values()] == [[True] * 3, [True, True, False], [False, False, True]]


def test_graphs_that_were_not_built_here_are_read_as_one() -> None:
    store = ox.Store()
    store.load(
        f"<{E}g> {{ {' '.join(TOLD)} }} <{E}h> {{ {' '.join(TOLD)} . {' '.join(SINCE)} }}",
        ox.RdfFormat.TRIG,
    )
    read = OxigraphStore(store)
    assert read.holds([TOLD]) == [True] and [*read.facts()] == [SINCE]
    assert read.follow([iri("ada")], REIFIES, True) == [[Step(TOLD, True)]]


def test_rdflib_has_none() -> None:
    """It parses no syntax of theirs either."""
    graph = rdflib.Graph()
    graph.parse(data=f"{' '.join(SINCE)} .", format="nt")
    store = RdflibStore(graph)
    assert store.holds([TOLD, QUOTED, SINCE]) == [False, False, True]
    assert store.neighbours([NESTED]) == [[]]
    assert [store.follow([iri("ada")], REIFIES, way) for way in (False, True)] == [[[]], [[]]]
    with pytest.raises(Exception, match="(?i)invalid"):
        graph.parse(data=f"{' '.join(TOLD)} .", format="nt")


@settings(deadline=None)
@given(graphs)
def test_the_label_index_is_that_of_the_other_triples(triples: list[Triple]) -> None:
    """Nothing is named after a triple term, nor counted for one."""
    plain = [t for t in triples if not is_triple_term(t.tail)]
    dumps: list[list[str]] = []
    for some in (triples, plain):
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        counts = build_labels(connection, store_of(some), GENERIC)
        assert counts == OxigraphStore(store_of(some)).counts()
        assert counts.triples == len(some)
        tables = ("terms", "surface", "vocabulary", "summary")
        dumps.append(
            [repr(row) for t in tables for row in connection.execute(f"SELECT * FROM {t}")]
        )
        LabelIndex(connection).close()
    assert dumps[0] == dumps[1]


@settings(deadline=None)
@given(graphs)
def test_every_triple_is_held_and_every_reifier_found(triples: list[Triple]) -> None:
    store = OxigraphStore(store_of(triples))
    assert all(store.holds(triples))
    told = {t for t in triples if t.relation == REIFIES}
    back = store.follow(NODES, REIFIES, True)
    assert {step.triple for own in back for step in own} == told
    assert {s.triple for own in store.follow(NODES, REIFIES, False) for s in own} == told
    for node, own in zip(NODES, back, strict=True):
        assert {step.source for step in own} <= {node} and all(step.inverse for step in own)


def test_claims_about_triples_are_checked(kg: KnowledgeGraph) -> None:
    def of(topic: str, *chain: Triple, answer: str = iri("then")) -> Checked:
        record = {"topics": [topic], "chain": [list(t) for t in chain], "answers": [answer]}
        (checked,) = check_records(
            read_records([json.dumps(record).encode()], "claims"), Inquiry(kg.store), kg.labels
        )
        assert isinstance(checked, Checked)
        return checked

    spaced = TOLD._replace(tail=TOLD.tail.replace("<<( ", "<<(").replace(" )>>", "\t)>>"))
    for chain in ((TOLD, SINCE), (spaced, SINCE)):
        checked = of("Ada", *chain)
        (judged,) = checked.verdicts
        assert judged.chains[0].verdict == "supported" and judged.answers == ("supported",)
        assert judged.chains[0].flags == ()
        assert checked.names[TOLD.tail] == "«Ada knows Ben»"
    (elsewhere,) = of("Ben", TOLD, SINCE).verdicts
    assert elsewhere.chains[0].verdict == "unsupported"
    assert elsewhere.chains[0].flags == ("not from a topic",)
    (wrong,) = of("Ada", TOLD._replace(tail=triple_term(KNOWN._replace(tail=KNOWN.head)))).verdicts
    assert wrong.chains[0].verdict == "unsupported" and "reversed" not in wrong.chains[0].flags
    (broken,) = of("Ada", TOLD._replace(tail="<<( <urn:a> )>>")).verdicts
    assert "unknown name" in broken.chains[0].flags
