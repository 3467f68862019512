"""Servers that fail, lie or never end: one clear line in time, and never a wrong yes."""

import gzip
import json
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from email.utils import formatdate
from typing import Any

import pytest
from groundwalk.agent.errors import RefusedError, ServiceError, UnavailableError
from groundwalk.agent.kg import OxigraphStore, Path, Step, Triple, verify_paths
from groundwalk.agent.kg.store import Way
from groundwalk.agent.kg.stores.sparql import SparqlLabels, SparqlStore
from groundwalk.agent.kg.verification.checks import check_records
from groundwalk.agent.kg.verification.claim_lines import read_records
from groundwalk.agent.kg.verification.claims import Inquiry

from .asking import client, iri, store, turtle
from .endpoint import JSON, Endpoint, Handler, Misbehaviour

TRUE = Triple(iri("a"), iri("p"), iri("b"))
FALSE = Triple(iri("a"), iri("p"), iri("c"))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\n"
TIMEOUT = 0.5


def replies(status: int, body: bytes = b"", media: str = JSON, **headers: str) -> Misbehaviour:
    def answer(handler: Handler) -> bool:
        handler.reply(status, body, media, **headers)
        return True

    return answer


def writes(*pieces: bytes) -> Misbehaviour:
    def answer(handler: Handler) -> bool:
        handler.raw(*pieces)
        return True

    return answer


def drips(start: bytes, drop: bytes, pause: float) -> Misbehaviour:
    """Never ends, and never leaves the client without a byte for long."""

    def answer(handler: Handler) -> bool:
        handler.raw(start)
        while True:
            handler.raw(drop)
            time.sleep(pause)

    return answer


def sleeps(handler: Handler) -> bool:
    time.sleep(10 * TIMEOUT)
    return True


def hangs_up(handler: Handler) -> bool:
    handler.close_connection = True
    return True


def truncated(handler: Handler) -> bool:
    body = handler.endpoint.answer(handler.endpoint.asked[-1].query)
    handler.reply(200, body[: len(body) // 2])
    return True


def breaks_off(handler: Handler) -> bool:
    body = handler.endpoint.answer(handler.endpoint.asked[-1].query)
    handler.raw(HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode(), body[:-9])
    return True


def flips_a_byte(handler: Handler) -> bool:
    body = handler.endpoint.answer(handler.endpoint.asked[-1].query)
    handler.reply(200, body.replace(b"head", b"he\xffd"))
    return True


def other_encoding(handler: Handler) -> bool:
    body = handler.endpoint.answer(handler.endpoint.asked[-1].query)
    handler.reply(200, body.decode().encode("utf-16"))
    return True


LOGIN = b"<!DOCTYPE html><html><title>Sign in</title></html>"
BOMB = gzip.compress(b" " * 50_000_000)
SERVERS: dict[str, tuple[Misbehaviour, str]] = {
    "hangs up": (hangs_up, "did not answer: it broke off"),
    "speaks no HTTP": (writes(b"220 ESMTP ready\r\n"), "speaks no HTTP"),
    "says nothing": (sleeps, "did not answer within 0.5 s"),
    "slow headers": (drips(b"HTTP/1.1 200 OK\r\nX: ", b"x", 0.05), "within 0.5 s"),
    "endless headers": (drips(b"HTTP/1.1 200 OK\r\nX: ", b"x" * 9_999, 0), "it broke off"),
    "slow body": (drips(HEAD + b"\r\n", b" ", 0.05), "within 0.5 s"),
    "endless body": (drips(HEAD + b"\r\n", b" " * 9_999, 0), "more than 100,000 bytes"),
    "gzip bomb": (replies(200, BOMB, Content_Encoding="gzip"), "more than 100,000 bytes"),
    "half a gzip": (replies(200, BOMB[:-9], Content_Encoding="gzip"), "bytes|half an answer"),
    "no gzip": (replies(200, b"{}", Content_Encoding="gzip"), "damaged answer"),
    "other packing": (replies(200, b"{}", Content_Encoding="br"), "in a way"),
    "login page": (replies(200, LOGIN, "text/html"), "not answer with SPARQL results"),
    "disguised page": (replies(200, LOGIN), "broken or no SPARQL result"),
    "XML results": (replies(200, b"<sparql/>", "application/sparql-results+xml"), "in JSON"),
    "empty": (replies(200), "broken or no SPARQL result"),
    "truncated": (truncated, "broken or no SPARQL result"),
    "breaks off": (breaks_off, "it broke off"),
    "not UTF-8": (flips_a_byte, "broken or no SPARQL result"),
    "UTF-16": (other_encoding, "broken or no SPARQL result"),
    "nested": (replies(200, b"[" * 99_999), "broken or no SPARQL result"),
    "ASK answer": (replies(200, b'{"head": {}, "boolean": true}'), "no SPARQL result"),
    "part of it": (replies(200, b"{}", X_SQL_State="S1TAT"), "sent a part of the answer"),
    "206": (replies(206, b"{}"), r"\(206 Partial Content\)"),
    "400": (replies(400, b"Lexical error"), r"refused the query \(400 Bad Request\)"),
    "401": (replies(401), r"\(401 Unauthorized\)"),
    "404": (replies(404), r"\(404 Not Found\)"),
    "500": (replies(500, b"java.lang.OutOfMemoryError"), r"\(500 Internal Server Error\)"),
    "503": (replies(503), r"\(503 Service Unavailable\)"),
    "799": (replies(799), r"\(799\)"),
    "429 for an hour": (replies(429, Retry_After="3600"), r"\(429 Too Many Requests\)"),
    "to another host": (replies(302, Location="http://user:x@example.org/?q"), "another host"),
    "to another port": (replies(307, Location="http://127.0.0.1:1/"), "another host"),
    "to nowhere": (replies(302), "circles"),
    "to no address": (replies(302, Location="http://example.org:port/"), "it broke off"),
    "in circles": (replies(308, Location="/sparql"), "circles"),
}
SETTINGS: dict[str, Any] = {"timeout": TIMEOUT, "max_bytes": 100_000, "attempts": 2, "pause": 0}
SLOW = frozenset(("says nothing", "slow headers", "slow body"))


def settings_for(kind: str) -> dict[str, Any]:
    """Patience with servers that are not slow on purpose: this machine may be."""
    return SETTINGS if kind in SLOW else {**SETTINGS, "timeout": 4 * TIMEOUT}


@contextmanager
def in_time(seconds: float) -> Generator[None]:
    since = time.monotonic()
    yield
    assert time.monotonic() - since < seconds


@pytest.mark.parametrize("kind", SERVERS)
def test_one_clear_line_in_time_and_never_a_wrong_yes(endpoint: Endpoint, kind: str) -> None:
    endpoint.reset(turtle(":a :p :b ."))
    endpoint.misbehaviour, message = SERVERS[kind]
    with store(endpoint.url, **settings_for(kind), user="alice", password="s3cret") as remote:
        asks: list[Callable[[], object]] = [
            lambda: remote.neighbours([TRUE.head]),
            lambda: list(remote.facts()),
            lambda: remote.relations_at([TRUE.head], False),
            lambda: remote.follow_each([Way(TRUE.head, TRUE.relation, False)]),
        ]
        for ask in asks:
            with in_time(TIMEOUT + 2), pytest.raises(ServiceError, match=message) as raised:
                ask()
            said = f"{raised.value} {raised.value.hint}"
            assert endpoint.url in said
            assert "\n" not in said
            assert "s3cret" not in said
            assert "user:x" not in said
            assert raised.value.exit_code == 3
        with in_time(TIMEOUT + 2):
            assert remote.holds([TRUE, FALSE]) == [None, None]
        path = Path(TRUE.head, (Step(TRUE),))
        (judged,) = verify_paths(remote, [TRUE.head], [path])
        assert judged.verdict == "unknown"


@pytest.mark.parametrize("kind", SERVERS)
def test_names_are_not_made_up(endpoint: Endpoint, kind: str) -> None:
    endpoint.reset(turtle(':a :p :b ; rdfs:label "A" .'))
    endpoint.misbehaviour, message = SERVERS[kind]
    with client(endpoint.url, **settings_for(kind)) as connected:
        labels = SparqlLabels(connected)
        asks: list[Callable[[], object]] = [
            lambda: labels.names([TRUE.head]),
            lambda: labels.known({"a": "A"}),
            lambda: labels.named("A"),
        ]
        for ask in asks:
            with in_time(TIMEOUT + 2), pytest.raises(ServiceError, match=message):
                ask()
        with in_time(2 * TIMEOUT + 2):
            assert labels.vocabulary() == []
        endpoint.misbehaviour = None
        assert labels.names([TRUE.head]) == ["A"]
        assert labels.named("A") == [TRUE.head]


CLAIMS = [
    {"topics": [TRUE.head], "chain": [[*TRUE]], "answers": [TRUE.tail]},
    {"topics": [FALSE.head], "chain": [[*FALSE]]},
]


@pytest.mark.parametrize("kind", SERVERS)
def test_claims_are_unknown(endpoint: Endpoint, kind: str) -> None:
    endpoint.reset(turtle(":a :p :b ."))
    endpoint.misbehaviour, _ = SERVERS[kind]
    lines = [json.dumps(claim).encode() for claim in CLAIMS]
    with client(endpoint.url, **SETTINGS) as connected, in_time(6 * (TIMEOUT + 0.5)):
        inquiry = Inquiry(SparqlStore(connected))
        found = list(check_records(read_records(lines, "x"), inquiry, SparqlLabels(connected)))
    said = [own for record in found for judged in record[1] for own in judged.chains]  # pyright: ignore
    assert [chain.verdict for chain in said] == ["unknown", "unknown"]


def test_half_the_rows_gain_no_wrong_verdict(endpoint: Endpoint) -> None:
    """Of a server that keeps every second row back without a word."""
    endpoint.reset(turtle(" ".join(f":a :p{i % 7} :b{i} ." for i in range(140))))
    triples = [Triple(iri("a"), iri(f"p{i % 3}"), iri(f"b{i}")) for i in range(140)]
    held = OxigraphStore(endpoint.store).holds(triples)
    endpoint.cut = lambda rows: rows[::2]
    with store(endpoint.url, timeout=10) as remote:
        verdicts = remote.holds(triples)
        assert True in verdicts and False in verdicts
        pairs = zip(verdicts, held, strict=True)
        assert all(verdict in (None, truth) for verdict, truth in pairs)


def test_a_server_that_is_down(endpoint: Endpoint) -> None:
    with Endpoint() as gone:
        url = gone.url
    with store(url, timeout=5) as remote, in_time(4):
        with pytest.raises(ServiceError, match="did not answer: no connection"):
            remote.check()
        assert remote.holds([TRUE]) == [None]


@pytest.mark.parametrize("asked", ["0", "date", "junk", "-1", "1"])
def test_busy_servers_are_asked_again_when_they_say(endpoint: Endpoint, asked: str) -> None:
    endpoint.reset(turtle(":a :p :b ."))
    later = formatdate(time.time() + 1, usegmt=True) if asked == "date" else asked

    def busy_once(handler: Handler) -> bool:
        first = len(endpoint.asked) == 1
        if first:
            handler.reply(429, b"", Retry_After=later)
        return first

    endpoint.misbehaviour = busy_once
    with store(endpoint.url) as remote, in_time(3):
        since = time.monotonic()
        assert remote.holds([TRUE, FALSE]) == [True, False]
        assert len(endpoint.asked) == 2
        assert asked != "1" or time.monotonic() - since >= 1


@pytest.mark.parametrize(("status", "times"), [(400, 1), (500, 1), (502, 3), (503, 3), (504, 3)])
def test_only_what_may_pass_is_tried_again(endpoint: Endpoint, status: int, times: int) -> None:
    endpoint.misbehaviour = replies(status)
    with store(endpoint.url, attempts=3) as remote, pytest.raises(ServiceError):
        remote.check()
    assert len(endpoint.asked) == times


def test_a_query_that_was_given_up_in_a_deadlock_is_asked_again(endpoint: Endpoint) -> None:
    endpoint.reset(turtle(":a :p :b ."))
    given_up = replies(500, b"Virtuoso 40001 Error SR172: Transaction deadlocked", "text/plain")

    def first_only(handler: Handler) -> bool:
        return len(endpoint.asked) == 1 and given_up(handler)

    endpoint.misbehaviour = first_only
    with store(endpoint.url, attempts=3) as remote:
        assert remote.holds([TRUE, FALSE]) == [True, False]
    assert len(endpoint.asked) == 2


def test_a_redirect_on_the_same_host_is_followed(endpoint: Endpoint) -> None:
    endpoint.reset(turtle(":a :p :b ."))

    def moved(handler: Handler) -> bool:
        here = handler.path.startswith("/new")
        if not here:
            handler.reply(301, b"", Location="/new?x=1")
        return not here

    endpoint.misbehaviour = moved
    for method in ("form", "direct"):
        with store(endpoint.url, method=method, user="alice", password="pw") as remote:
            assert remote.holds([TRUE, FALSE]) == [True, False]
        assert endpoint.asked[-1].headers["Authorization"].startswith("Basic ")


def test_credentials_do_not_follow_a_redirect(endpoint: Endpoint) -> None:
    with Endpoint(turtle(":a :p :b .")) as other:
        endpoint.misbehaviour = replies(307, Location=other.url)
        with store(endpoint.url, token="t0ken") as remote:
            assert remote.holds([TRUE]) == [None]
        assert other.asked == []


def test_a_lying_server_gains_no_yes(endpoint: Endpoint) -> None:
    """Rows about other triples, other numbers, or both yes and no."""
    term = {"type": "uri", "value": "http://example.org/a"}

    def row(number: object, held: str, *terms: object) -> dict[str, object]:
        text = {"type": "literal", "value": str(number)}
        names = zip("spo", terms, strict=False)
        return {"i": text, "held": {"type": "literal", "value": held}, **dict(names)}

    s, p, o = ({"type": "uri", "value": part[1:-1]} for part in TRUE)
    for rows in (
        [row(0, "yes", term, term, term)],
        [row(0, "yes")],
        [row(1, "yes", s, p, o)],
        [row(-1, "yes", s, p, o), row("x", "yes", s, p, o), row("", "yes", s, p, o)],
        [row(0, "true", s, p, o)],
        [row(0, "yes", s, p, o), row(0, "no", s, p, o)],
        [{"i": {"type": "bnode", "value": "0"}}],
        [{}],
        [],
    ):
        body = {"head": {"vars": ["i", "held", "s", "p", "o"]}, "results": {"bindings": rows}}
        endpoint.misbehaviour = replies(200, json.dumps(body).encode())
        with store(endpoint.url) as remote:
            assert remote.holds([TRUE]) == [None], rows


def test_threads_share_a_client(endpoint: Endpoint) -> None:
    endpoint.reset(turtle(" ".join(f":a{i} :p :b{i} ." for i in range(20))))
    found: list[object] = []
    with store(endpoint.url) as remote:

        def ask(number: int) -> None:
            found.append(remote.neighbours([iri(f"a{number}")]))

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert remote.requests == 20
    triples = (Triple(iri(f"a{i}"), iri("p"), iri(f"b{i}")) for i in range(20))
    assert sorted(map(str, found)) == sorted(str([[Step(triple)]]) for triple in triples)


SAID: dict[str, tuple[bytes, str, str]] = {
    "Virtuoso": (b"Virtuoso 37000 Error SP030: syntax error\n\nSPARQL query:\nSELECT", "text/plain",
                 "Virtuoso 37000 Error SP030: syntax error SPARQL query: SELECT"),
    "a page": (b"<html><head><title>Oh</title></head><script>x</script><h1>Bad &amp; odd</h1>",
               "text/html", "Bad & odd"),
    "control codes": (b"\x1b[31mred\x07 \xff[bold]x[/bold]\r\nnext", "text/plain",
                      "[31mred \ufffd[bold]x[/bold] next"),
    "secrets": (b"alice:s3cret at http://bob:pa%2055@h/?key=k3y, Basic YWxpY2U6czNjcmV0, X 0wn",
                "text/plain", "alice:*** at http://***:***@h/?key=***, Basic ***, X ***"),
    "long": (b"word " * 99, "text/plain", "word " * 39 + "word\u2026"),
    "huge": (b"x" * 99_999, "text/plain", ""),
    "nothing": (b"", "text/plain", ""),
}  # fmt: skip


@pytest.mark.parametrize("kind", SAID)
@pytest.mark.parametrize("status", [400, 500])
def test_what_a_server_says_of_a_refusal_is_shown(
    endpoint: Endpoint, kind: str, status: int
) -> None:
    body, media, shown = SAID[kind]
    endpoint.misbehaviour = replies(status, body, media)
    address = endpoint.url.replace("://", "://bob:pa%2055@") + "?key=k3y"
    headers = {"X-Own": "0wn"}
    with store(address, user="alice", password="s3cret", headers=headers) as remote:
        with pytest.raises(RefusedError) as raised:
            remote.check()
    meaning = {400: "400 Bad Request", 500: "500 Internal Server Error"}[status]
    said = f": {shown}" if shown else ""
    assert raised.value.message == f"{endpoint.url} refused the query ({meaning}){said}"


def test_the_page_of_a_proxy_is_not_shown(endpoint: Endpoint) -> None:
    page, media, _ = SAID["a page"]
    endpoint.misbehaviour = replies(503, page, media)
    with store(endpoint.url, attempts=1) as remote:
        with pytest.raises(UnavailableError, match=r"\(503 Service Unavailable\)$"):
            remote.check()


def test_a_refusal_that_never_ends_is_told_without_its_words(endpoint: Endpoint) -> None:
    bad = b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\n"
    endpoint.misbehaviour = drips(bad, b"x", 0.05)
    with store(endpoint.url, timeout=20) as remote, in_time(10):
        with pytest.raises(RefusedError, match=r"\(400 Bad Request\)$"):
            remote.check()
