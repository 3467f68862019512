"""What a chat server sends, from a real one: a bound holds however a reply comes."""

import gzip
from collections.abc import Callable

import pytest
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.llm.chat import chat_model
from groundwalk.agent.services import MOST_BYTES

from ...faults.servers import Proxy, Relay, at_once, chat_server

NOWHERE = "http://127.0.0.1:9/v1"
PIECE = 2**20
MORE = "sent more than 8,388,608 bytes for one reply"
PACKED = "packs its replies, which it was not asked for"
BEGINS = b'{"choices": [{"message": {"role": "assistant", "content": "'
EVENT = b'data: {"choices": [{"index": 0, "delta": {"content": "x"}}]}\n\n'
GZIP = b"200 OK\r\nContent-Encoding: gzip"


def endless(head: bytes, begins: bytes, unit: bytes) -> tuple[Callable[[Relay], None], list[int]]:
    """A server's reply of up to 256 MiB; what of it was sent is listed."""
    sent = list[int]()

    def fault(relay: Relay) -> None:
        sent.clear()
        relay.raw(b"HTTP/1.1 %b\r\nContent-Type: application/json\r\n\r\n" % head + begins)
        for _ in range(256):
            relay.raw(unit * (PIECE // len(unit)))
            sent.append(PIECE)

    return fault, sent


@pytest.mark.parametrize(
    ("head", "begins", "unit", "says"),
    [
        (b"200 OK", BEGINS, b"x", MORE),
        (b"200 OK", b"", b" ", MORE),
        (b"200 OK", EVENT, EVENT, MORE),
        (b"400 Bad Request", b'{"error": {"message": "', b"x", MORE),
        (GZIP, b"", gzip.compress(BEGINS + bytes(PIECE)), PACKED),
    ],
    ids=["JSON", "spaces", "events", "an error", "packed"],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_a_reply_without_an_end_is_one_line(
    streamed: bool, head: bytes, begins: bytes, unit: bytes, says: str
) -> None:
    fault, sent = endless(head, begins, unit)
    with Proxy(NOWHERE) as proxy:
        llm = chat_model(f"{proxy.url}#m")
        assert llm is not None
        proxy.fail(fault, at_once)
        with pytest.raises(ServiceError) as raised:
            list(llm.stream("Who?")) if streamed else llm.invoke("Who?")
        assert raised.value.message == f"{proxy.url}#m: {says}"
        assert proxy.failed == 1 and sum(sent) < 8 * MOST_BYTES


def test_a_redirect_is_followed_without_reading_it() -> None:
    with chat_server() as address, Proxy(address) as proxy:
        head = b"307 Temporary Redirect\r\nLocation: %b/chat/completions" % address.encode()
        fault, sent = endless(head, b"", b"x")
        proxy.fail(fault, at_once)
        llm = chat_model(f"{proxy.url}#m")
        assert llm is not None and llm.invoke("Who?").text == "NONE"
    assert sum(sent) < 8 * MOST_BYTES


def test_redirects_in_circles_end() -> None:
    with Proxy(NOWHERE) as proxy:
        proxy.fail(lambda relay: relay.reply(307, b"", "", Location=relay.path), at_once)
        llm = chat_model(f"{proxy.url}#m")
        assert llm is not None
        with pytest.raises(ServiceError, match="redirects in circles"):
            llm.invoke("Who?")
        assert proxy.failed == 6


def test_a_password_goes_along_on_the_same_host_alone() -> None:
    seen = list[tuple[str, str | None]]()

    def fault(relay: Relay) -> None:
        host = str(relay.headers["Host"])
        seen.append((relay.path, relay.headers["Authorization"]))
        there = ("/v1/again", f"http://localhost:{host.rpartition(':')[2]}/v1/away")
        if len(seen) <= len(there):
            relay.reply(307, b"", "", Location=there[len(seen) - 1])
        else:
            relay.reply(404, b"", "")

    with Proxy(NOWHERE) as proxy:
        proxy.fail(fault, at_once)
        llm = chat_model(f"{proxy.url.replace('//', '//bob:pass@')}#m")
        assert llm is not None
        with pytest.raises(ServiceError, match="404 Not Found"):
            llm.invoke("Who?")
    basic = "Basic Ym9iOnBhc3M="
    assert seen == [("/v1/chat/completions", basic), ("/v1/again", basic), ("/v1/away", None)]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b'{"error": {"message": "no model m for sk-own"}}', ": no model m for ***"),
        (b'{"error": "model \'m\' not found"}', ": model 'm' not found"),
        (b'{"detail": "Bearer sk-own is\\u001b[2J nobody"}', ": Bearer *** is"),
        (b"<html>Bearer sk-own</html>", ""),
        (b'{"error": {"message": ["sk-own"]}}', ""),
        (b"", ""),
    ],
)
def test_why_a_server_refuses_is_told_without_its_key(
    body: bytes, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-own")
    with Proxy(NOWHERE) as proxy:
        proxy.fail(lambda relay: relay.reply(404, body, "application/json"), at_once)
        llm = chat_model(f"{proxy.url}#m")
        assert llm is not None
        with pytest.raises(ServiceError) as raised:
            llm.invoke("Who?")
    said = raised.value.message
    assert said.startswith(f"{proxy.url}#m: 404 Not Found{says}")
    assert "sk-own" not in said and "\x1b" not in said
    assert says or said.endswith("404 Not Found")
