"""Names from an endpoint are those of an index built from the same triples."""

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.kg import GENERIC, Labels, Triple, Word, open_kg
from groundwalk.agent.kg.labels.names import normalise
from groundwalk.agent.kg.stores.sparql.labels import SparqlLabels, spellings
from groundwalk.agent.linking import LabelLinker
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from .asking import client, iri, loaded, turtle
from .endpoint import Endpoint

quick = settings(
    deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
ENTITIES = st.sampled_from([iri(name) for name in ("a", "b", "c_d", "e%20f", "Kind", "Sort")])
RELATIONS = st.sampled_from([iri("birthPlace"), iri("knows")])
TEXTS = st.sampled_from(
    ["Paris", "paris", "New  York", "Georgia", "Kind", "birth place", "Émile", " ", "knows"]
)
TAGS = st.sampled_from(["@en", "", "@de", "@en-gb"])
LITERALS = st.tuples(TEXTS, TAGS).map(lambda pair: f'"{pair[0]}"{pair[1]}')
FACTS = st.builds(Triple, ENTITIES, RELATIONS, ENTITIES | LITERALS)
LABELS = st.builds(
    Triple,
    ENTITIES | RELATIONS,
    st.sampled_from([f"<{RDFS}label>", f"<{SKOS}prefLabel>"]),
    LITERALS,
)
OTHERS = st.builds(
    Triple,
    ENTITIES | RELATIONS,
    st.sampled_from([f"<{SKOS}altLabel>", f"<{SKOS}hiddenLabel>", f"<{RDFS}comment>"]),
    LITERALS,
)
CLASSES = st.sampled_from(
    [iri("Kind"), iri("Sort"), "<http://www.w3.org/2002/07/owl#Class>", f"<{RDFS}Resource>"]
)
TYPES = st.builds(Triple, ENTITIES, st.just(TYPE), CLASSES)
GRAPHS = st.lists(FACTS | LABELS | OTHERS | TYPES, min_size=1, max_size=25)


@contextmanager
def indexed(triples: list[Triple], folder: Path) -> Generator[Labels]:
    """The index that a file of the triples is built into."""
    file = folder / "kg.nt"
    file.write_text("".join(f"{' '.join(triple)} .\n" for triple in triples), encoding="utf-8")
    kg = open_kg(str(file), cache=folder / "cache")
    try:
        yield kg.labels
    finally:
        kg.close()


@contextmanager
def remote(endpoint: Endpoint, **given: Any) -> Generator[SparqlLabels]:
    with client(endpoint.url, **given) as connected:
        yield SparqlLabels(connected)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kg")


BIRTH = Triple(iri("a"), iri("birthPlace"), iri("a"))


@quick
@given(GRAPHS)
@example([BIRTH, *(Triple(iri("a"), f"<{RDFS}label>", text) for text in ('"Paris"@de', '" "@en'))])
@example(
    [
        BIRTH,
        Triple(iri("knows"), f"<{RDFS}label>", '" "@en'),
        Triple(iri("knows"), f"<{RDFS}comment>", '"Paris"@en'),
    ]
)
def test_all_that_is_said_of_terms_is_what_an_index_says(
    endpoint: Endpoint, folder: Path, triples: list[Triple]
) -> None:
    endpoint.reset(loaded(triples))
    terms = sorted(set(named_terms(triples)))
    with indexed(triples, folder) as local, remote(endpoint) as labels:
        assert labels.describe(terms) == local.describe(terms)
        assert labels.names(terms) == local.names(terms)
        assert labels.relations() == local.relations()
        assert set(map(normal, labels.vocabulary())) == set(map(normal, local.vocabulary()))


def normal(word: Word) -> tuple[str, str, bool]:
    return normalise(word.text), word.term, word.relation


def named_terms(triples: list[Triple]) -> Iterator[str]:
    """What an index has a name for: whatever has facts or a label, and classes."""
    for triple in triples:
        if triple.relation not in GENERIC.skipped:
            yield from triple
        elif triple.relation in GENERIC.labels:
            yield triple.head
        elif triple.relation == TYPE and triple.tail.startswith("<http://example.org/"):
            yield triple.tail


@quick
@given(GRAPHS, TEXTS)
def test_a_text_finds_what_an_index_finds(
    endpoint: Endpoint, folder: Path, triples: list[Triple], text: str
) -> None:
    """Of what an index finds, all that has one of the spellings in a language of the profile."""
    endpoint.reset(loaded(triples))
    norm = normalise(text)
    spelled = {f'"{s}"{tag}' for s in spellings(norm, text) for tag in ("", "@en")}
    naming = {*GENERIC.labels, *GENERIC.aliases, *GENERIC.hidden}
    having = {t.head for t in triples if t.relation in naming and t.tail in spelled}
    with indexed(triples, folder) as local, remote(endpoint) as labels:
        known = labels.known({norm: text} if norm else {})
        found = labels.lookup(norm)
        hits = [hit for hit in local.lookup(norm) if hit.term in having]
        assert {(h.term, h.degree) for h in found} == {(h.term, h.degree) for h in hits}
        assert bool(known) >= bool(hits)
        relations = {t.relation for t in triples if t.relation not in GENERIC.skipped}
        labelled = [
            info.term
            for info in local.describe(sorted(having))
            if info.label == text
            and any(
                t == (info.term, p, f'"{text}"{g}')
                for t in triples
                for p in GENERIC.labels
                for g in ("", "@en")
            )
        ]
        for relation in (False, True):
            expected = {term for term in labelled if (term in relations) == relation}
            if relation:  # those without a label in the languages have a name as well
                expected |= relations.intersection(local.named(text, relation=True))
            mine = set(labels.named(text, relation=relation))
            assert mine <= expected
            assert bool(mine) == bool(expected)


FILMS = """
    :jaws rdfs:label "Jaws"@en ; :director :spielberg ; a :Film .
    :et rdfs:label "E.T. the Extra-Terrestrial"@en ; :director :spielberg ; a :Film .
    :lotr rdfs:label "The Lord of the Rings"@en ; a :Film ; :director :pj .
    :spielberg rdfs:label "Steven Spielberg"@en ; a :Person .
    :pj rdfs:label "Peter Jackson"@en .
    :g1 rdfs:label "Georgia"@en ; rdfs:comment "country, in the Caucasus"@en ; :in :asia .
    :g2 rdfs:label "Georgia"@en ; rdfs:comment "U.S. state"@en .
    :g2 :in :usa ; :borders :alabama .
    :director rdfs:label "directed by"@en . :Film rdfs:label "film"@en .
    :usa rdfs:label "United States"@en ; <http://www.w3.org/2004/02/skos/core#altLabel> "USA"@en .
"""


def test_namesakes_are_told_apart_whichever_is_asked_for(endpoint: Endpoint) -> None:
    endpoint.reset(turtle(FILMS))
    with remote(endpoint) as labels:
        assert labels.names([iri("g1")]) == ["Georgia (country)"]
    with remote(endpoint) as labels:
        assert labels.names([iri("g1"), iri("g2")]) == ["Georgia (country)", "Georgia"]
        assert labels.names([iri("g1")]) == ["Georgia (country)"]
        assert labels.named("Georgia") == [iri("g2")]
        assert labels.named("Georgia (country)") == [iri("g1")]
        assert labels.named("directed by") == []
        assert labels.named("directed by", relation=True) == [iri("director")]
        assert labels.names(["_:b0", '"7"', iri("no_such"), "<no iri>"])[:3] == [
            "_:b0",
            "7",
            "no such",
        ]
        assert labels.similar("gorgia") == []


def test_names_are_asked_for_once(endpoint: Endpoint) -> None:
    endpoint.reset(turtle(FILMS))
    with client(endpoint.url) as connected:
        labels = SparqlLabels(connected)
        films = [iri(name) for name in ("jaws", "et", "lotr", "spielberg")]
        labels.names(films)
        assert connected.requests == 2, "their labels, and who shares them"
        labels.names(films)
        assert connected.requests == 2
        labels.describe(films)
        before = connected.requests
        labels.describe(films)
        assert connected.requests == before


OWN_LABELS = st.fixed_dictionaries(
    {
        term: st.sampled_from(["Paris", "Georgia", "knows"])
        for term in (*map(iri, ("a", "b", "c_d", "e%20f")), iri("birthPlace"), iri("knows"))
    }
)
LABELLED_FACTS = st.builds(
    Triple,
    *(st.sampled_from([iri(name) for name in ("a", "b", "c_d", "e%20f")]),),
    *(RELATIONS, st.sampled_from([iri(name) for name in ("a", "b", "c_d", "knows")])),
)


@quick
@given(OWN_LABELS, st.lists(LABELLED_FACTS, min_size=1, max_size=8), st.lists(OTHERS), st.data())
def test_a_name_depends_on_nothing_that_is_asked_beside_or_before(
    endpoint: Endpoint,
    folder: Path,
    called: dict[str, str],
    facts: list[Triple],
    others: list[Triple],
    data: st.DataObject,
) -> None:
    """It is that in an index of all."""
    named = [Triple(term, f"<{RDFS}label>", f'"{text}"@en') for term, text in called.items()]
    triples = facts + named + others
    endpoint.reset(loaded(triples))
    terms = data.draw(st.permutations(sorted(called)))
    with indexed(triples, folder) as local, remote(endpoint) as labels:
        for batch in in_batches(data, terms):
            assert labels.names(batch) == local.names(batch)


@quick
@given(GRAPHS, st.data())
def test_no_two_terms_ever_have_one_name(
    endpoint: Endpoint, triples: list[Triple], data: st.DataObject
) -> None:
    """Neither two relations nor two others, whether they have labels or are values."""
    endpoint.reset(loaded(triples))
    facts = [triple for triple in triples if triple.relation not in GENERIC.skipped]
    ends = {term for triple in facts for term in (triple.head, triple.tail)}
    relations = {triple.relation for triple in facts}
    terms = data.draw(st.permutations(sorted({*named_terms(triples)})))
    with remote(endpoint) as labels:
        names: dict[str, str] = {}
        for batch in in_batches(data, terms):
            names.update(zip(batch, labels.names(batch), strict=True))
        assert labels.names(terms) == [names[term] for term in terms]
        for own in (relations, names.keys() - (relations - ends)):
            assert len({names[term] for term in own}) == len(own)


def in_batches(data: st.DataObject, terms: list[str]) -> Iterator[list[str]]:
    while terms:
        size = data.draw(st.integers(1, len(terms)))
        yield terms[:size]
        terms = terms[size:]


def test_the_names_of_a_crowd(endpoint: Endpoint) -> None:
    """Nobody has the label, nobody is compared with all others, and every name is its own."""
    kinds = ["", ' ; rdfs:comment "potter, in Kent"@en', " ; a :Baker"]
    people = [f':p{i} rdfs:label "Smith"@en ; :in :kent {kinds[i % 3]} .' for i in range(60)]
    endpoint.reset(turtle("\n".join([*people, ':Baker rdfs:label "baker"@en .'])))
    terms = [iri(f"p{i}") for i in range(60)]
    with client(endpoint.url) as connected:
        together = SparqlLabels(connected).names(terms)
        labels = SparqlLabels(connected)
        before = connected.requests
        alone = [labels.names([term])[0] for term in terms[:6]]
        assert connected.requests - before < 6 * 4
    assert (
        alone
        == together[:6]
        == [
            *("Smith (p0)", "Smith (potter p1)", "Smith (baker p2)"),
            *("Smith (p3)", "Smith (potter p4)", "Smith (baker p5)"),
        ]
    )
    assert len({*together}) == 60


def test_threads_give_one_name(endpoint: Endpoint) -> None:
    people = [f':p{i} rdfs:label "Smith"@en ; :in :kent{i % 3} .' for i in range(9)]
    endpoint.reset(turtle("\n".join(people)))
    terms = [iri(f"p{i}") for i in range(9)] + ['"Smith"', '"Smith"@en', '"Smith"@de']
    with remote(endpoint) as labels, ThreadPoolExecutor(8) as pool:
        found = list(pool.map(labels.names, [terms[i % 3 :: 2] for i in range(24)]))
        names = dict(zip(terms, labels.names(terms), strict=True))
    assert found == [[names[term] for term in terms[i % 3 :: 2]] for i in range(24)]
    assert len({*names.values()}) == len(terms)


def test_a_linker_links_over_http(endpoint: Endpoint) -> None:
    endpoint.reset(turtle(FILMS))
    with client(endpoint.url) as connected:
        labels: Labels = SparqlLabels(connected)
        linker = LabelLinker(labels)
        before = connected.requests
        (mention,) = linker.link("who directed jaws?")
        assert mention.candidates[0].term == iri("jaws")
        assert connected.requests - before < 8
        (mention,) = linker.link("Which films did Steven Spielberg direct?")
        assert mention.candidates[0].term == iri("spielberg")
        (mention,) = linker.link("who made the lord of the rings")
        assert mention.candidates[0].term == iri("lotr")
        (mention,) = linker.link("which country is in [Georgia]")
        assert [c.term for c in mention.candidates] == [iri("g2"), iri("g1")]
        assert linker.link("what is in usa")[0].candidates[0].term == iri("usa")


def test_what_was_written_is_found(endpoint: Endpoint) -> None:
    endpoint.reset(turtle(FILMS))
    written = "E.T. the Extra-Terrestrial"
    norm = normalise(written)
    with remote(endpoint) as labels:
        assert labels.known([norm]) == set()
        assert labels.lookup(norm) == []
        assert labels.known({norm: written, "no such": "No such"}) == {norm}
        assert [hit.term for hit in labels.lookup(norm)] == [iri("et")]


def test_an_endpoint_that_does_not_list_relations_links_all_the_same(endpoint: Endpoint) -> None:
    endpoint.reset(turtle(FILMS))

    def overloaded(handler: Any) -> bool:
        slow = "SELECT DISTINCT ?p" in endpoint.asked[-1].query
        if slow:
            handler.reply(500, b"")
        return slow

    endpoint.misbehaviour = overloaded
    with remote(endpoint) as labels:
        assert labels.vocabulary() == []


def test_wikidata_names_relations_by_their_entities(endpoint: Endpoint) -> None:
    from groundwalk.agent.kg.profile import load_profile

    endpoint.reset(
        turtle("""
        PREFIX wd: <http://www.wikidata.org/entity/> PREFIX wdt: <http://www.wikidata.org/prop/direct/>
        wd:Q42 wdt:P19 wd:Q350 ; rdfs:label "Douglas Adams"@en ; wdt:P31 wd:Q5 .
        wd:P19 rdfs:label "place of birth"@en . wd:Q5 rdfs:label "human"@en .
        """)
    )
    with client(endpoint.url) as connected:
        labels = SparqlLabels(connected, profile=load_profile("wikidata"))
        wikidata = "<http://www.wikidata.org/"
        assert labels.names([f"{wikidata}prop/direct/P19>"]) == ["place of birth"]
        (adams,) = labels.describe([f"{wikidata}entity/Q42>"])
        assert (adams.name, adams.kind, adams.degree) == ("Douglas Adams", "human", 1)
        (birth,) = labels.relations()
        assert birth.name == "place of birth"
