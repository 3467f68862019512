"""rdflib-endpoint over a graph, in a thread; or a module to run with a port and N-Quads."""

import socket
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import rdflib


@contextmanager
def serving(graph: rdflib.Dataset) -> Generator[str]:
    """The address at which a graph is served while the block runs."""
    import uvicorn
    from rdflib_endpoint import SparqlEndpoint

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    app: Any = SparqlEndpoint(graph=graph, enable_update=False)
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.should_exit = True
        thread.join()


def main() -> None:
    import uvicorn
    from rdflib_endpoint import SparqlEndpoint

    port, file = sys.argv[1:]
    data = rdflib.Dataset()
    data.parse(file, format="nquads")
    app: Any = SparqlEndpoint(graph=data, enable_update=False)
    uvicorn.run(app, port=int(port), log_level="error")


if __name__ == "__main__":
    main()
