"""What an endpoint is asked equals what the same triples hold in a local store."""

import json

import pyoxigraph as ox
import pytest
from groundwalk.agent.errors import KGError, ServiceError
from groundwalk.agent.kg import OxigraphStore, Triple
from groundwalk.agent.kg.store import Way, metered
from groundwalk.agent.kg.stores.sparql import SparqlStore, open_endpoint
from groundwalk.agent.kg.stores.sparql.settings import EndpointSettings
from groundwalk.agent.kg.walking.view import NeighbourCache
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .asking import GRAPHS, HEADS, QUADS, RELATIONS, TAILS, E, iri, loaded, named, quad, turtle
from .asking import client as connect
from .asking import store as remote
from .endpoint import Endpoint, Handler

quick = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
METHODS = st.sampled_from(["form", "direct", "get"])
NODES = st.lists(TAILS | st.sampled_from(["no term", "<no iri>", '"a"@en--ltr']), max_size=8)


@quick
@given(GRAPHS, NODES, METHODS, st.booleans())
def test_neighbours_are_those_of_a_local_store(
    endpoint: Endpoint, triples: list[Triple], nodes: list[str], method: str, inverse: bool
) -> None:
    endpoint.reset(loaded(triples))
    nodes += [triple.head for triple in triples]
    local = OxigraphStore(endpoint.store)
    with remote(endpoint.url, method=method) as store:
        found = store.neighbours(nodes, inverse=inverse)
        assert store.requests <= 1
    expected = [
        [] if node.startswith("_:") else named(steps)
        for node, steps in zip(nodes, local.neighbours(nodes, inverse=inverse), strict=True)
    ]
    assert found == expected


@quick
@given(GRAPHS, NODES, RELATIONS | TAILS, st.booleans())
def test_follow_is_that_of_a_local_store(
    endpoint: Endpoint, triples: list[Triple], nodes: list[str], relation: str, inverse: bool
) -> None:
    endpoint.reset(loaded(triples))
    nodes += [triple.tail if inverse else triple.head for triple in triples]
    local = OxigraphStore(endpoint.store).follow(nodes, relation, inverse)
    with remote(endpoint.url) as store:
        assert store.follow(nodes, relation, inverse) == [
            [] if node.startswith("_:") else named(steps)
            for node, steps in zip(nodes, local, strict=True)
        ]


@quick
@given(GRAPHS, NODES, st.lists(RELATIONS | TAILS, max_size=3), st.booleans(), METHODS)
def test_what_is_asked_of_hubs_is_that_of_a_local_store(
    endpoint: Endpoint,
    triples: list[Triple],
    nodes: list[str],
    relations: list[str],
    inverse: bool,
    method: str,
) -> None:
    endpoint.reset(loaded(triples))
    nodes += [triple.tail if inverse else triple.head for triple in triples]
    local = OxigraphStore(
        loaded([t for t in triples if not any(term.startswith("_:") for term in t)])
    )
    ways = [Way(node, relation, inverse) for node in nodes for relation in relations]
    with remote(endpoint.url, method=method) as store:
        assert store.relations_at(nodes, inverse) == local.relations_at(nodes, inverse)
        assert store.follow_each(ways) == local.follow_each(ways)
        expected = [min(len(steps), 1) for steps in local.follow_each(ways)]
        assert [len(steps) for steps in store.follow_each(ways, limit=1)] == expected


@quick
@given(GRAPHS, st.lists(st.builds(Triple, HEADS | TAILS, RELATIONS | TAILS, TAILS)), METHODS)
def test_holds_is_that_of_a_local_store(
    endpoint: Endpoint, triples: list[Triple], others: list[Triple], method: str
) -> None:
    endpoint.reset(loaded(triples))
    asked = [*triples, *others, Triple("France", "borders", "Spain")]
    local = OxigraphStore(endpoint.store).holds(asked)
    with remote(endpoint.url, method=method) as store:
        verdicts = store.holds(asked)
    for triple, held, verdict in zip(asked, local, verdicts, strict=True):
        is_blank = "_:" in (triple.head[:2], triple.tail[:2])
        if is_blank and triple.relation.startswith("<") and not triple.head.startswith('"'):
            assert verdict is None
        else:
            assert verdict is held


@quick
@given(GRAPHS)
def test_facts_and_counts_are_those_of_a_local_store(
    endpoint: Endpoint, triples: list[Triple]
) -> None:
    endpoint.reset(loaded(triples))
    local = OxigraphStore(endpoint.store)
    with remote(endpoint.url) as store:
        assert store.counts() == local.counts()
        facts = list(store.facts())
    expected = {t for t in local.facts() if not any(term.startswith("_:") for term in t)}
    assert len(facts) == len(expected)
    assert set(facts) == expected


@quick
@given(QUADS, st.lists(st.integers(1, 2), max_size=3))
def test_named_graphs_are_read_as_one(
    endpoint: Endpoint, quads: list[tuple[Triple, int]], chosen: list[int]
) -> None:
    names = [ox.DefaultGraph(), ox.NamedNode(f"{E}g1"), ox.NamedNode(f"{E}g2")]
    endpoint.reset()
    for triple, number in quads:
        endpoint.store.add(quad(triple, names[number]))
    graphs = tuple(iri(f"g{number}") for number in chosen)
    local = OxigraphStore(loaded([t for t, number in quads if number in (chosen or [0])]))
    nodes = [triple.head for triple, _ in quads if not triple.head.startswith("_:")]
    asked = [t for t, _ in quads if not any(term.startswith("_:") for term in t)]
    with remote(endpoint.url, graphs=graphs) as store:
        assert store.neighbours(nodes) == [named(steps) for steps in local.neighbours(nodes)]
        assert store.holds(asked) == local.holds(asked)
        assert store.counts() == local.counts()


def hub(endpoint: Endpoint, edges: int) -> OxigraphStore:
    endpoint.reset(turtle("".join(f":hub :p{i % 3} :a{i} . " for i in range(edges))))
    endpoint.store.extend(turtle(":small :p0 :a1 . :b :p0 :hub ."))
    return OxigraphStore(endpoint.store)


def test_a_hub_does_not_spoil_the_batch(endpoint: Endpoint) -> None:
    local = hub(endpoint, 30_000)
    nodes = [iri(name) for name in ("hub", "small", *(f"a{i}" for i in range(97)))]
    with remote(endpoint.url) as store:
        assert store.neighbours(nodes) == local.neighbours(nodes)
        assert store.requests < 20
        (steps, *_) = store.neighbours([iri("hub")], limit=1_000)
        assert sum(not step.inverse for step in steps) == 1_000
        assert sum(step.inverse for step in steps) == 1


@pytest.mark.parametrize("announced", [True, False])
def test_a_hub_is_read_past_a_silent_cut(endpoint: Endpoint, announced: bool) -> None:
    local = hub(endpoint, 3_456)
    most = 1_000 if not announced else 777
    endpoint.cut = lambda rows: rows[:most]
    endpoint.headers = {"X-SPARQL-MaxRows": str(most)} if announced else {}
    with remote(endpoint.url) as store:
        assert store.neighbours([iri("hub")]) == local.neighbours([iri("hub")])
        follow = store.follow([iri("hub")], iri("p0"), False)
        assert follow == local.follow([iri("hub")], iri("p0"), False)
        assert len(store.neighbours([iri("hub")], inverse=False, limit=2_345)[0]) == 2_345
        if announced:
            assert sorted(store.facts()) == sorted(local.facts())


RARE = [f":x{i} :rare{i} :hub . " for i in range(100)]


@pytest.mark.parametrize("most", [None, 777])
def test_every_relation_of_a_hub_is_found_in_few_requests(
    endpoint: Endpoint, most: int | None
) -> None:
    """With a server that gives all rows, and one that says that it gives so many."""
    edges = [f":a{i} :in :hub . " for i in range(15_000)]
    endpoint.reset(turtle("".join(edges[:9_000] + RARE + edges[9_000:])))
    if most is not None:
        endpoint.cut = lambda rows: rows[:most]
        endpoint.headers = {"X-SPARQL-MaxRows": str(most)}
    with remote(endpoint.url) as store:
        cache = NeighbourCache(store, limit=2_000)
        store.check()
        before = store.requests
        ((steps, more),), _ = cache.look_up([iri("hub")], inverse=True)
        assert more and len(steps) == 2_000
        assert {iri(f"rare{i}") for i in range(100)} < {step.triple.relation for step in steps}
        assert all(step.inverse and step.triple.tail == iri("hub") for step in steps)
        assert store.requests - before < (12 if most is None else 20)


def test_steps_that_are_kept_back_are_asked_for_again(endpoint: Endpoint) -> None:
    hub(endpoint, 600)
    local = OxigraphStore(endpoint.store)
    ways = [Way(iri("hub"), iri(f"p{i}"), False) for i in range(4)]
    endpoint.cut = lambda rows: rows[:100]
    with remote(endpoint.url) as store:
        assert store.follow_each(ways, limit=300) == local.follow_each(ways)
        (first, *_) = store.follow_each(ways, limit=150)
        assert len({*first}) == 150 and {*first} < {*local.follow_each(ways)[0]}


def test_a_hub_of_100_000_edges_is_capped(endpoint: Endpoint) -> None:
    hub(endpoint, 100_000)
    with remote(endpoint.url) as store:
        (steps,) = store.neighbours([iri("hub")], inverse=False, limit=20_000)
        assert len(set(steps)) == 20_000
        endpoint.cut = lambda rows: rows[:10_000]
        (steps,) = store.follow([iri("hub")], iri("p0"), False, limit=12_000)
        assert len(set(steps)) == 12_000


def test_a_server_that_stays_silent_about_rows_is_found_out(endpoint: Endpoint) -> None:
    hub(endpoint, 500)
    endpoint.cut = lambda rows: rows if len(rows) < 3 else rows[:100]
    with remote(endpoint.url) as store:
        found = store.neighbours([iri("hub")], inverse=False)
        assert len(found[0]) == 500
        endpoint.cut = lambda rows: rows if len(rows) < 3 else [rows[0]] * 100
        with pytest.raises(ServiceError, match="keeps a part of its answer back"):
            store.neighbours([iri("hub")], inverse=False)


def test_200_triples_are_one_request(endpoint: Endpoint) -> None:
    local = hub(endpoint, 300)
    triples = [Triple(iri("hub"), iri(f"p{i % 2}"), iri(f"a{i}")) for i in range(201)]
    with remote(endpoint.url) as store:
        assert store.holds(triples[:200]) == local.holds(triples[:200])
        assert store.requests == 1
        assert store.holds(triples) == local.holds(triples)
        assert store.requests == 3
        assert store.holds([]) == []


def test_rows_left_out_are_asked_for_again_or_unknown(endpoint: Endpoint) -> None:
    local = hub(endpoint, 60)
    triples = [Triple(iri("hub"), iri(f"p{i % 2}"), iri(f"a{i}")) for i in range(40)]
    endpoint.cut = lambda rows: rows[::2]
    with remote(endpoint.url) as store:
        assert store.holds(triples) == local.holds(triples)
        endpoint.cut = lambda rows: rows[:15]
        assert store.holds(triples) == local.holds(triples)
        endpoint.cut = lambda rows: []
        assert store.holds(triples) == [None] * 40


def test_numbers_are_held_as_they_are_written(endpoint: Endpoint) -> None:
    endpoint.reset(turtle(':a :p 1, "1", 1.50 .'))
    integer = "^^<http://www.w3.org/2001/XMLSchema#integer>"
    tails = ['"1"', f'"1"{integer}', f'"2"{integer}', '"1"@en']
    with remote(endpoint.url) as store:
        triples = [Triple(iri("a"), iri("p"), tail) for tail in tails]
        assert store.holds(triples) == [True, True, False, False]
        odd = [Triple(iri("a"), iri("p"), f'"01"{integer}')]
        assert store.holds(odd) == OxigraphStore(endpoint.store).holds(odd)


def test_what_an_engine_gainsays_is_asked_singly(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Virtuoso did, which said of a triple among others that it is there and that it is not."""
    local = hub(endpoint, 60)
    triples = [Triple(iri("hub"), iri(f"p{i % 2}"), iri(f"a{i}")) for i in range(15)]
    answer = endpoint.answer

    def gainsays(query: str) -> bytes:
        whole = json.loads(answer(query))
        rows = whole["results"]["bindings"]
        if "OPTIONAL" in query:
            rows += [{name: row[name] for name in row if name != "held"} for row in rows]
        return json.dumps(whole).encode()

    monkeypatch.setattr(endpoint, "answer", gainsays)
    with remote(endpoint.url) as store:
        assert store.holds(triples) == local.holds(triples)
        assert store.requests <= 2 + sum(local.holds(triples))


def test_a_term_that_is_refused_spoils_no_other(endpoint: Endpoint) -> None:
    local = hub(endpoint, 300)
    triples = [Triple(iri("hub"), iri(f"p{i % 2}"), iri(f"a{i}")) for i in range(200)]

    def refuses(handler: Handler) -> bool:
        bad = "/a77>" in endpoint.asked[-1].query
        if bad:
            handler.reply(400, b"no a77 here", "text/plain")
        return bad

    endpoint.misbehaviour = refuses
    with remote(endpoint.url) as store:
        with metered() as meter:
            verdicts = store.holds(triples)
        assert verdicts.pop(77) is None
        assert verdicts == local.holds(triples[:77] + triples[78:])
        assert meter.failure.endswith("(400 Bad Request): no a77 here")
        assert store.requests < 20


def test_refusals_of_everything_are_few_requests(endpoint: Endpoint) -> None:
    def refuses(handler: Handler) -> bool:
        handler.reply(500, b"out of order", "text/plain")
        return True

    endpoint.misbehaviour = refuses
    triples = [Triple(iri("hub"), iri("p"), iri(f"a{i}")) for i in range(400)]
    with remote(endpoint.url) as store:
        assert store.holds(triples) == [None] * 400
        assert store.requests == 3


@pytest.mark.parametrize("held", ["1", '"1"^^:own', "1.0", "true"])
def test_literals_that_an_engine_takes_for_others_gain_no_wrong_yes(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, held: str
) -> None:
    """As Virtuoso finds whole numbers where doubles or booleans are asked about."""
    endpoint.reset(turtle(f":a :p {held} ."))
    whole = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
    answer = endpoint.answer
    stored = str(next(iter(endpoint.store)).object)

    def mistakes(query: str) -> bytes:
        return answer(query.replace(whole, stored))

    monkeypatch.setattr(endpoint, "answer", mistakes)
    triple = Triple(iri("a"), iri("p"), whole)
    with remote(endpoint.url) as store:
        (verdict,) = store.holds([triple])
        assert verdict is (True if held == "1" else None if held == "1.0" else False)


def test_literals_that_an_answer_leaves_out_gain_no_wrong_no(endpoint: Endpoint) -> None:
    endpoint.reset(turtle(" ".join(f":a :p {i}.5 ." for i in range(40))))
    asked = [
        Triple(iri("a"), iri("p"), f'"{i}.5"^^<http://www.w3.org/2001/XMLSchema#decimal>')
        for i in range(50)
    ]
    with remote(endpoint.url) as store:
        assert store.holds(asked) == [True] * 40 + [False] * 10
        assert store.requests == 2
        endpoint.cut = lambda rows: rows[::2]
        assert store.holds(asked) == [None] * 50


def test_an_endpoint_that_misreads_terms_is_found_out(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one does that decodes a form twice."""
    endpoint.reset(turtle(":a%3E :p :b . :a :p :c ."))
    answer = endpoint.answer

    def misread(query: str) -> bytes:
        return answer(query.replace("%3E", ""))

    monkeypatch.setattr(endpoint, "answer", misread)
    with remote(endpoint.url) as store:
        asked = [Triple(iri(name), iri("p"), iri("c")) for name in ("a%3E", "a")]
        assert store.holds(asked) == [None, True]
        with pytest.raises(ServiceError, match="other terms") as raised:
            store.neighbours([iri("a%3E")])
        assert "METHOD" in raised.value.hint


def test_opening_sees_that_there_is_something(endpoint: Endpoint) -> None:
    quiet = EndpointSettings(_env_file=None)  # pyright: ignore[reportCallIssue]
    with pytest.raises(KGError, match="default graph .* is empty"):
        open_endpoint(endpoint.url, settings=quiet)
    other = quiet.model_copy(update={"graphs": ("<http://example.org/graph>",)})
    with pytest.raises(KGError, match="named graphs .* are empty") as raised:
        open_endpoint(endpoint.url, settings=other)
    assert raised.value.hint == "check their IRIs"
    endpoint.reset(turtle(":a :p :b ."))
    opened = open_endpoint(f"{endpoint.url}?x=1#f", settings=quiet)
    assert isinstance(opened.store, SparqlStore)
    assert opened.source == endpoint.url
    assert opened.address == f"{endpoint.url}?x=1"
    assert endpoint.asked[-1].path == "/sparql?x=1"
    assert opened.labels.names([iri("a")]) == ["a"]
    opened.labels.close()
    for address in ("ftp://example.org/", "http://", "sparql"):
        with pytest.raises(KGError):
            open_endpoint(address, settings=quiet)
    with pytest.raises(KGError, match="port 65536 is none"):
        open_endpoint("http://127.0.0.1:65536/", settings=quiet)


def test_requests_are_as_the_protocol_says(endpoint: Endpoint) -> None:
    endpoint.reset(turtle(":a :p :b ."))
    for method, verb, media in (
        ("form", "POST", "application/x-www-form-urlencoded"),
        ("direct", "POST", "application/sparql-query"),
        ("get", "GET", None),
    ):
        with connect(endpoint.url, method=method, token="t0ken", headers={"X-Own": "1"}) as client:
            SparqlStore(client).check()
        asked = endpoint.asked[-1]
        assert asked.method == verb
        assert asked.headers.get("Content-Type") == media
        assert asked.headers["Authorization"] == "Bearer t0ken"
        assert asked.headers["X-Own"] == "1"
        assert asked.headers["User-Agent"].startswith("groundwalk/")
        assert asked.headers["Accept"] == "application/sparql-results+json"
        assert asked.query.startswith("SELECT ")
