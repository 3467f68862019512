"""A SPARQL endpoint on the loopback: Oxigraph behind a small HTTP server, which may misbehave."""

import gzip
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qs, urlsplit

import pyoxigraph as ox

JSON = "application/sparql-results+json"

Misbehaviour = Callable[["Handler"], bool]
"""Answers in place of the endpoint; False to let it answer after all."""


class Asked(NamedTuple):
    """A request as it came in."""

    method: str
    query: str
    headers: dict[str, str]
    path: str


class Replying(BaseHTTPRequestHandler):
    """Replies with a body, or with bytes as they are, and says nothing of it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def reply(self, status: int, body: bytes, media: str = JSON, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def raw(self, *pieces: bytes) -> None:
        """Write bytes as they are, and hang up."""
        self.close_connection = True
        for piece in pieces:
            self.wfile.write(piece)
            self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Handler(Replying):
    @property
    def endpoint(self) -> "Endpoint":
        assert isinstance(self.server, Server)
        return self.server.endpoint

    def do_GET(self) -> None:
        self._serve(parse_qs(urlsplit(self.path).query).get("query", [""])[0])

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = self.headers["Content-Type"] == "application/x-www-form-urlencoded"
        self._serve(parse_qs(body).get("query", [""])[0] if form else body)

    def _serve(self, query: str) -> None:
        endpoint = self.endpoint
        endpoint.asked.append(Asked(self.command, query, dict(self.headers), self.path))
        if endpoint.misbehaviour is not None and endpoint.misbehaviour(self):
            return
        try:
            body = endpoint.answer(query)
        except (SyntaxError, ValueError) as error:
            self.reply(400, str(error).encode(), "text/plain")
            return
        headers = dict(endpoint.headers)
        if "gzip" in self.headers.get("Accept-Encoding", ""):
            body, headers = gzip.compress(body, 1), {**headers, "Content-Encoding": "gzip"}
        self.reply(200, body, JSON, **headers)


class Unruffled(ThreadingHTTPServer):
    """A server that no client disturbs."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what the tests are about."""


class Server(Unruffled):
    endpoint: "Endpoint"


class Endpoint:
    """Serves `store` at `url`; `cut` takes rows away without a word, `headers` go with answers."""

    def __init__(self, store: ox.Store | None = None) -> None:
        self.store = store or ox.Store()
        self.asked: list[Asked] = []
        self.misbehaviour: Misbehaviour | None = None
        self.cut: Callable[[list[Any]], list[Any]] | None = None
        self.headers: dict[str, str] = {}
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.endpoint = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/sparql"

    def answer(self, query: str) -> bytes:
        results = self.store.query(query)
        body: bytes = results.serialize(format=ox.QueryResultsFormat.JSON)  # pyright: ignore
        if self.cut is None:
            return body
        document = json.loads(body)
        document["results"]["bindings"] = self.cut(document["results"]["bindings"])
        return json.dumps(document).encode()

    def reset(self, store: ox.Store | None = None) -> None:
        self.store = store or ox.Store()
        self.asked.clear()
        self.misbehaviour = self.cut = None
        self.headers = {}

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
