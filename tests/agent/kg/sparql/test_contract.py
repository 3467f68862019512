"""The contract with an endpoint that you name: does groundwalk work with your engine?

    GROUNDWALK_CONTRACT_SPARQL=http://localhost:3030/ds/query python -m pytest -m contract

The endpoint's default graph holds the triples of `contract.py` and no others. With
`GROUNDWALK_CONTRACT_UPDATE`, the address of its SPARQL 1.1 Update, the tests put them there and
take them away; else load the file that

    python -m tests.agent.kg.sparql.contract > contract.nt

writes. `GROUNDWALK_SPARQL_*` variables apply as they always do. For example:

- Apache Jena Fuseki: `fuseki-server --file=contract.nt /ds`, then http://localhost:3030/ds/query;
  or `fuseki-server --update --mem /ds` with http://localhost:3030/ds/update for the update.
- Comunica: `npx -p @comunica/query-sparql-file comunica-sparql-file-http -p 3001 contract.nt`, then
  http://localhost:3001/sparql.
- QLever: `qlever index` with contract.nt as the input file and `qlever start`, then
  http://localhost:7001, or the port of the Qleverfile.
- Virtuoso: load contract.nt as the graph <urn:contract> (`ld_dir`, `rdf_loader_run()`), set
  GROUNDWALK_SPARQL_GRAPHS='["<urn:contract>"]', then http://localhost:8890/sparql.

Virtuoso 7.2.5, Jena 4.5.0, Oxigraph 0.5.13, Comunica 5.3.0 and rdflib-endpoint 0.6 keep the
contract. The slow tests ask them, and about literals of all kinds too.
"""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.kg import OxigraphStore, Triple
from groundwalk.agent.kg.nodes import lexical_form, literal_tag
from groundwalk.agent.kg.stores.sparql import EndpointSettings, SparqlStore, endpoint_settings
from groundwalk.agent.kg.stores.sparql.client import SparqlClient
from groundwalk.agent.kg.stores.sparql.queries import Query, spell
from hypothesis import HealthCheck, Phase, example, given, seed, settings
from hypothesis import strategies as st

from .asking import LITERALS, iri, literal, loaded
from .contract import (
    TRIPLES,
    check_around,
    check_hub,
    check_labels,
    check_store,
    check_verification,
)
from .servers import SERVERS

URL = os.environ.get("GROUNDWALK_CONTRACT_SPARQL", "")
UPDATE = os.environ.get("GROUNDWALK_CONTRACT_UPDATE", "")

NAMED = pytest.param(
    None,
    id="named",
    marks=[
        pytest.mark.contract,
        pytest.mark.skipif(not URL, reason="GROUNDWALK_CONTRACT_SPARQL names no endpoint"),
    ],
)
SLOW = [pytest.param(serving, id=serving.__name__, marks=pytest.mark.slow) for serving in SERVERS]

XSD = "http://www.w3.org/2001/XMLSchema#"
WRITTEN = {
    "integer": ("1", "01", "+1", "0", "-5", "123456789"),
    "int": ("1", "05"),
    "boolean": ("true", "false", "1", "0"),
    "double": ("1", "1.0", "1e0", "1.5", "0.1", "-2.5E-3", "INF", "NaN"),
    "float": ("1", "1.5"),
    "decimal": ("1", "1.0", "1.50", "0.1", "12345678901234567890.125"),
    "date": ("2020-01-01", "2020-01-01Z", "1066-10-14"),
    "dateTime": ("2020-01-01T00:00:00", "2020-01-01T00:00:00Z", "2020-01-01T01:00:00+01:00"),
    "gYear": ("2020", "0800"),
    "time": ("12:00:00",),
    "anyURI": ("http://example.org/a", "1"),
    "token": ("x", "1"),
}
"""How values of XML Schema are written, some of them in several ways."""

WHOLE = [literal(text, f"{XSD}integer") for text in WRITTEN["integer"]]
"""They may be kept as decimals, which some engines take for the same."""

CHANGED = {
    "rdflib_endpoint": {
        literal("2020-01-01Z", f"{XSD}date"): literal("2020-01-01", f"{XSD}date"),
    }
}
"""Literals that a server loads as others: it holds these in their place."""

TYPED = st.sampled_from([literal(text, XSD + kind) for kind in WRITTEN for text in WRITTEN[kind]])
LONG = st.builds(literal, st.text('aé"\\n ', min_size=1_900, max_size=2_100), st.just("@en"))
ANY_LITERALS = TYPED | LITERALS | LONG
HEADS = st.sampled_from([iri(name) for name in ("a", "b", "é", "x?q=1&r=%22#f")])
ABOUT_VALUES = st.builds(Triple, HEADS, st.sampled_from([iri("value"), iri("q%7D")]), ANY_LITERALS)
NICKNAMES = [
    Triple(iri(head), iri("nick"), literal(name, ""))
    for head, names in {
        "ada": ("Lovelace", "Countess", "Ada B."),
        "ben": ("Benny", "Big Ben"),
    }.items()
    for name in names
]


def _drawn() -> list[Triple]:
    """Triples of literals, the same in every run.

    None has two numbers of one value, of which Virtuoso keeps the first, whatever their datatypes.
    """
    drawn: list[Triple] = []

    @seed(22)
    @settings(max_examples=120, database=None, phases=[Phase.generate])
    @given(ABOUT_VALUES)
    def draw(triple: Triple) -> None:
        drawn.append(triple)

    draw()
    alike: dict[tuple[str, ...], Triple] = {}
    for triple in drawn:
        text = lexical_form(triple.tail)
        with suppress(ValueError):
            text = str(float({"true": "1", "false": "0"}.get(text, text)))
        alike.setdefault((*triple[:2], text, literal_tag(triple.tail)[:5]), triple)
    return [*alike.values()]


@pytest.fixture(scope="module")
def drawn() -> list[Triple]:
    return _drawn()


Connect = Callable[[str], SparqlClient]
"""Connects to the named graph of a server, or to its default graph by an empty name."""


@pytest.fixture(scope="module", params=[NAMED, *SLOW])
def connect(
    request: pytest.FixtureRequest, drawn: list[Triple], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Connect]:
    with ExitStack() as stack:
        if request.param is None:
            stack.enter_context(_loaded())
            yield lambda _: _client(stack, URL, endpoint_settings())
            return
        assert request.config.cache is not None
        graphs = {"": TRIPLES, "urn:values": drawn, "urn:nick": NICKNAMES}
        folder = tmp_path_factory.mktemp(request.param.__name__)
        cache = request.config.cache.mkdir("sparql-servers")
        served = stack.enter_context(request.param(graphs, folder, cache))
        yield lambda graph: _client(stack, served.url, served.settings(graph))


@pytest.fixture
def client(connect: Connect) -> SparqlClient:
    return connect("")


def _client(stack: ExitStack, url: str, settings: EndpointSettings) -> SparqlClient:
    client = SparqlClient(url, settings)
    stack.callback(client.close)
    return client


@contextmanager
def _loaded() -> Generator[None]:
    """The triples in the endpoint that the variable names, where it can be updated."""
    data = " ".join(f"{' '.join(map(spell, triple))} ." for triple in TRIPLES)
    if UPDATE:
        _update(f"INSERT DATA {{ {data} }}")
    yield
    if UPDATE:
        _update(f"DELETE DATA {{ {data} }}")


def _update(text: str) -> None:
    headers = {"Content-Type": "application/sparql-update"}
    httpx.post(UPDATE, content=text.encode(), headers=headers, timeout=60).raise_for_status()


def test_the_store(client: SparqlClient) -> None:
    check_store(client)


def test_a_hub(client: SparqlClient) -> None:
    check_hub(client)


def test_what_is_around(client: SparqlClient) -> None:
    check_around(client)


def test_labels(client: SparqlClient, tmp_path: Path) -> None:
    check_labels(client, tmp_path)


def test_verification(client: SparqlClient) -> None:
    check_verification(client)


@pytest.mark.parametrize("connect", SLOW, indirect=True)
def test_nicknames(connect: Connect) -> None:
    store = SparqlStore(connect("urn:nick"))
    swapped = [
        nick._replace(head=iri("ada" if "ben" in nick.head else "ben")) for nick in NICKNAMES
    ]
    assert store.holds([*NICKNAMES, *swapped]) == [True] * 5 + [False] * 5
    assert store.requests <= 2
    for nick in NICKNAMES:
        assert store.holds([nick]) == [True]


@pytest.mark.parametrize("connect", SLOW, indirect=True)
def test_verdicts_on_literals(
    connect: Connect, drawn: list[Triple], request: pytest.FixtureRequest
) -> None:
    """They are those of Oxigraph in memory, as far as the server keeps what it was given."""
    store, local = SparqlStore(connect("urn:values")), OxigraphStore(loaded(drawn))
    changed = CHANGED.get(request.node.callspec.params["connect"].__name__, {})
    made = {t._replace(tail=changed[t.tail]) for t in drawn if t.tail in changed}

    @settings(max_examples=60, database=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(ABOUT_VALUES | st.sampled_from(drawn), min_size=1, max_size=8, unique=True))
    @example(sorted({*drawn, *made}))
    def check(asked: list[Triple]) -> None:
        verdicts = store.holds(asked)
        for triple, held, verdict in zip(asked, local.holds(asked), verdicts, strict=True):
            unsure = verdict is None and triple.tail in WHOLE
            lost = verdict is not True and triple.tail in changed
            gained = verdict is True and triple in made
            assert verdict is held or unsure or lost or gained, triple

    check()


@pytest.mark.parametrize("connect", SLOW, indirect=True)
def test_a_refusal_is_told_in_the_words_of_the_server(connect: Connect) -> None:
    client = connect("")
    with pytest.raises(ServiceError, match=r"\(400 Bad Request\): \S+ .{10}") as raised:
        client.select(Query("SELECT ?x WHERE { ?x ?y }", ("x",)))
    said = raised.value.message
    assert said.isprintable() and len(said) < 350
