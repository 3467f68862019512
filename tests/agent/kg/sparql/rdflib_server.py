"""rdflib-endpoint over a file of N-Quads: a module to run with a port and the file."""

import sys
from typing import Any

import rdflib


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
