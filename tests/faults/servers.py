"""Real services on the loopback, behind a proxy that makes them fail from some request on."""

import http.client
import json
import os
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from importlib import resources
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import pyoxigraph as ox

from ..agent.decoding.servers import serving
from ..agent.kg.sparql.endpoint import Endpoint, Replying, Unruffled

Fault = Callable[["Relay"], None]
"""Replies to a request in the place of the service."""


class Passed(NamedTuple):
    """What the service itself would have replied."""

    status: int
    media: str
    body: bytes


class Relay(Replying):
    """One connection of a client to the proxy."""

    @property
    def proxy(self) -> "Proxy":
        assert isinstance(self.server, _Server)
        return self.server.proxy

    def do_POST(self) -> None:  # noqa: N802
        self._body = self.rfile.read(int(self.headers["Content-Length"]))
        fault = self.proxy.take(self._body)
        if fault is not None:
            fault(self)
        else:
            passed = self.upstream()
            self.reply(passed.status, passed.body, passed.media)

    def upstream(self) -> Passed:
        """Ask the service."""
        connection = http.client.HTTPConnection(self.proxy.host, timeout=30)
        headers = {k: v for k, v in self.headers.items() if k.lower() != "accept-encoding"}
        try:
            connection.request("POST", self.path, self._body, headers)
            reply = connection.getresponse()
            return Passed(reply.status, reply.getheader("Content-Type", ""), reply.read())
        finally:
            connection.close()

    def reply(self, status: int, body: bytes, media: str = "", **headers: str) -> None:
        super().reply(status, body, media or "application/json", **headers)

    def reset(self) -> None:
        """End the connection with RST, as a process that dies does."""
        self.close_connection = True
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())

    def setup(self) -> None:
        super().setup()
        self.proxy.connections.add(self.connection)

    def finish(self) -> None:
        self.proxy.connections.discard(self.connection)
        if self.connection.fileno() >= 0:
            super().finish()


class _Server(Unruffled):
    proxy: "Proxy"


Begins = Callable[[int, bytes], bool]
"""Whether a fault begins with a request, of which the number and the body are told."""


def at_once(number: int, body: bytes) -> bool:
    return True


def on_the_way(number: int, body: bytes) -> bool:
    """While names are looked up and walks decoded."""
    return number == 8


def at_the_second(number: int, body: bytes) -> bool:
    return number == 2


def at_verification(number: int, body: bytes) -> bool:
    """Of the queries of an endpoint, that for verdicts."""
    return b"%3Fheld" in body


class Proxy:
    """Passes on what a service at `upstream` is asked, until a fault begins.

    `failed` counts the requests that a fault replied to.
    """

    def __init__(self, upstream: str) -> None:
        parts = urlsplit(upstream)
        self.host, self.failed = parts.netloc, 0
        self._fault: Fault | None = None
        self._begins, self._lasts, self._requests = at_once, 0, 0
        self._lock = threading.Lock()
        self.connections = set[socket.socket]()
        """Those of clients that are open."""
        self._server: _Server | None = None
        self._port = 0
        self._open()
        self.url = f"http://127.0.0.1:{self._port}{parts.path}"

    def fail(self, fault: Fault, begins: "Begins", *, lasts: int = 1_000_000) -> None:
        """Have so many requests fail, from the one on with which the fault begins."""
        with self._lock:
            self._fault, self._begins, self._lasts = fault, begins, lasts
            self._requests = self.failed = 0
        if fault is refused and begins is at_once:
            self.down()

    def heal(self) -> None:
        """Be a plain proxy again."""
        with self._lock:
            self._fault = None
        if self._server is None:
            self._open()

    def take(self, body: bytes) -> Fault | None:
        """Count a request, and tell what is to happen to it."""
        with self._lock:
            self._requests += 1
            begun = self.failed or self._begins(self._requests, body)
            if self._fault is None or not begun or self.failed >= self._lasts:
                return None
            self.failed += 1
            return self._fault

    def down(self) -> None:
        """Listen no more: connections are refused."""
        with self._lock:
            server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()

    def _open(self) -> None:
        self._server = _Server(("127.0.0.1", self._port), Relay)
        self._server.proxy = self
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.down()


def refused(relay: Relay) -> None:
    """The process dies: its connections end, this one is reset, and all later ones are refused."""
    relay.proxy.down()
    for connection in relay.proxy.connections - {relay.connection}:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
    relay.reset()


@contextmanager
def world_endpoint() -> Generator[Endpoint]:
    """A SPARQL endpoint over the bundled graph."""
    store = ox.Store()
    with resources.as_file(resources.files("groundwalk.data.world") / "world.ttl") as file:
        store.load(path=str(file), format=ox.RdfFormat.TURTLE)
    with Endpoint(store) as served:
        yield served


_END = re.compile(r"\(suggests: (.*)\)$", re.MULTILINE)


def first_ends(prompt: str) -> str:
    """What a reader of the paths in a prompt answers who trusts the first."""
    shown = prompt.rpartition("# Reasoning paths:")[2]
    return next(iter(_END.findall(shown)), "NONE")


def _completes(path: str, body: dict[str, Any]) -> tuple[int, bytes]:
    assert path.endswith("/chat/completions"), path
    text = first_ends(str(body["messages"][-1]["content"]))
    reply = {
        "id": "1",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
    }
    return 200, json.dumps(reply).encode()


@contextmanager
def chat_server() -> Generator[str]:
    """An OpenAI-compatible server; its address, to which `#NAME` is added."""
    with serving(_completes) as (address, _):
        yield address
