"""What a service does instead of answering; each for whatever protocol over HTTP."""

import time

from .servers import Fault, Relay

TIMEOUT = 1.0
"""Seconds that clients are told to wait; healthy services on the loopback need far less."""

LOGIN = b"<!DOCTYPE html><html><title>Sign in</title></html>"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n"


def status(code: int, body: bytes = b"", **headers: str) -> Fault:
    """Every request is refused with this status."""

    def fault(relay: Relay) -> None:
        relay.reply(code, body, "text/plain", **headers)

    return fault


def replies_with(code: int, body: bytes) -> Fault:
    """This status, explained in JSON."""

    def fault(relay: Relay) -> None:
        relay.reply(code, body, "application/json")

    return fault


def replies(body: bytes, media: str = "") -> Fault:
    """Status 200 with this body, in the media type that the service has or another."""

    def fault(relay: Relay) -> None:
        relay.reply(200, body, media or _media(relay))

    return fault


def slow(relay: Relay) -> None:
    """No byte until long after the client has given up."""
    relay.close_connection = True
    time.sleep(TIMEOUT + 1)


def drips(relay: Relay) -> None:
    """A byte now and then, so that no pause is long, and no end."""
    relay.raw(HEAD % (_media(relay).encode(), 1_000_000))
    for _ in range(int((TIMEOUT + 1) / 0.05)):
        relay.raw(b" ")
        time.sleep(0.05)


def endless(relay: Relay) -> None:
    """A reply that begins well, and a quarter of a gigabyte later has not ended."""
    relay.raw(HEAD % (_media(relay).encode(), 2**40) + b'{"choices": [{"message": {"content": "')
    for _ in range(256):
        relay.raw(b"x" * 2**20)


def streams(relay: Relay) -> None:
    """As long a stream of events, which nobody asked for."""
    relay.raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    for _ in range(256):
        relay.raw(b'data: {"choices": [{"delta": {"content": "x"}}]}\n\n' * 20_000)


def resets(relay: Relay) -> None:
    """The connection is reset before a byte of the reply."""
    relay.reset()


def resets_in_the_middle(relay: Relay) -> None:
    """The connection is reset in the middle of the body."""
    body = b'{"head": {"vars": ["s"]}, "choices": [' * 10
    relay.raw(HEAD % (_media(relay).encode(), 2 * len(body)) + body)
    relay.reset()


def breaks_off(relay: Relay) -> None:
    """Fewer bytes than were announced, then an orderly end."""
    body = b'{"head": {"vars": ["s"]}, "choices": ['
    relay.raw(HEAD % (_media(relay).encode(), 2 * len(body)) + body)


def no_http(relay: Relay) -> None:
    """Another protocol."""
    relay.raw(b"220 ESMTP ready\r\n")


def truncated(relay: Relay) -> None:
    """Half of the real reply, announced as the whole."""
    passed = relay.upstream()
    relay.reply(passed.status, passed.body[: len(passed.body) // 2], passed.media)


def noise(relay: Relay) -> None:
    """Bytes that are no text, in the right media type."""
    relay.reply(200, bytes(range(256)) * 20, _media(relay))


def _media(relay: Relay) -> str:
    sparql = relay.path.endswith("/sparql")
    return "application/sparql-results+json" if sparql else "application/json"
