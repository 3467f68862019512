"""A LangSmith of our own on the loopback, and a run that tells where it connects to."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

CODE = """
import json, socket, sys
connected = []
def spy(name):
    real = getattr(socket.socket, name)
    def connect(self, address):
        connected.append([self.family.name, str(address)])
        return real(self, address)
    setattr(socket.socket, name, connect)
spy("connect")
spy("connect_ex")
real_lookup = socket.getaddrinfo
def lookup(host, *rest, **more):
    connected.append(["lookup", str(host)])
    return real_lookup(host, *rest, **more)
socket.getaddrinfo = lookup
from groundwalk.cli.main import main
try:
    main()
finally:
    print(json.dumps(connected), file=sys.stderr)
"""


class Received(NamedTuple):
    """A request that the server got."""

    path: str
    key: str
    body: bytes


@contextmanager
def langsmith() -> Generator[tuple[str, list[Received]]]:
    """The address of a server that takes everything, and what it took."""
    received: list[Received] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def do_PATCH(self) -> None:
            self._answer()

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            received.append(Received(self.path, self.headers.get("x-api-key", ""), body))
            content = b"{}"
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def spied_run(*arguments: str, cache: Path, **variables: str) -> list[tuple[str, str]]:
    """Run `groundwalk` in a process; where it connected to and what it looked up."""
    standard = ("LANGSMITH_", "LANGCHAIN_", "GROUNDWALK_", "OPENAI_", "HF_")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(standard)}
    environment |= {"GROUNDWALK_CACHE": str(cache), **variables}
    run = subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    return [(kind, address) for kind, address in json.loads(run.stderr.splitlines()[-1])]
