"""What a question costs over a SPARQL endpoint: requests, those one after the other, seconds.

`python -m groundwalk.evaluation.benchmarks.endpoint [--latency SECONDS] [--method NAME ...]
[--out FILE.json]` serves the bundled graph on the loopback, answers late, and asks each question
twice: cold, when nothing of the endpoint is known, and warm. Longest is the longest sequence of
requests none of which began before the one before it had ended. Seconds of a cold question are
those of opening the endpoint, of building the graph and of the answer; the model is loaded before.
"""

import sys
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any
from urllib.parse import parse_qs

import pyoxigraph as ox

from ...agent.kg import open_kg
from ...agent.options import Options
from ...graphs import build_graph
from ..report.terminal import aligned
from .harness import conduct, machine, options_of

AIM = 8
"""Requests one after the other that a cold one-hop question may take."""
QUESTIONS = {
    "one hop": "What is the capital of Austria?",
    "one hop back": "Which river flows through Vienna?",
    "two hops": "What is the currency of the country whose capital is Nairobi?",
    "count": "How many countries border Germany?",
    "yes or no": "Is Vienna the capital of Austria?",
}
_JSON = "application/sparql-results+json"


@dataclass
class Served:
    """An endpoint on the loopback: its address, and when each request began and ended."""

    store: ox.Store
    latency: float
    url: str = ""
    times: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])

    def answer(self, query: str) -> bytes:
        """The answer of the store as JSON, `latency` seconds late."""
        since = time.perf_counter()
        time.sleep(self.latency)
        results: Any = self.store.query(query)
        body = results.serialize(format=ox.QueryResultsFormat.JSON)
        self.times.append((since, time.perf_counter()))
        return body


@dataclass(frozen=True)
class Cost:
    """What a question took: requests in all, the longest sequence of them, and seconds."""

    requests: int
    longest: int
    seconds: float


def longest_sequence(times: Sequence[tuple[float, float]]) -> int:
    """The most requests of which each began after the one before it had ended."""
    length, ended = 0, float("-inf")
    for since, until in sorted(times, key=lambda pair: pair[1]):
        if since >= ended:
            length, ended = length + 1, until
    return length


@contextmanager
def served(latency: float) -> Generator[Served]:
    """The bundled graph behind HTTP."""
    store = ox.Store()
    world = resources.files("groundwalk.data.world") / "world.ttl"
    with resources.as_file(world) as file:
        store.load(path=str(file), format=ox.RdfFormat.TURTLE)
    endpoint = Served(store, latency)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_POST(self) -> None:
            form = self.rfile.read(int(self.headers["Content-Length"])).decode()
            body = endpoint.answer(parse_qs(form)["query"][0])
            self.send_response(200)
            self.send_header("Content-Type", _JSON)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing of each request."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/sparql"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. The exit code is 1 where the aim is missed, 2 for what a user can mend."""
    parser = options_of("endpoint", __doc__)
    parser.add_argument("--latency", type=float, default=0.05, help="seconds of each request")
    parser.add_argument("--method", nargs="*", default=["query"], help="methods that answer")
    options = parser.parse_args(arguments)
    return conduct(
        lambda: run(options.latency, options.method),
        table,
        options.out,
        lambda report: any(
            row["cold"]["longest"] > AIM for row in report["rows"] if row["kind"] == "one hop"
        ),
    )


def run(latency: float, methods: Sequence[str]) -> dict[str, Any]:
    """The report: settings, and what each question took by each method, cold and warm."""
    for method in methods:  # loads the model, compiles modules
        _asked(build_graph(method), QUESTIONS["one hop"])
    rows = list[dict[str, Any]]()
    with served(latency) as endpoint:
        for method in methods:
            for kind, question in QUESTIONS.items():
                cold, warm, answers = _costs(endpoint, method, question)
                both = {"cold": asdict(cold), "warm": asdict(warm)}
                rows.append({"method": method, "kind": kind, "answers": answers, **both})
    return {"settings": {"latency": latency, **machine()}, "rows": rows}


def table(report: dict[str, Any]) -> list[str]:
    """The report as lines of aligned text."""
    lines = [["method", "question", "", "requests", "longest", "seconds"]]
    for row in report["rows"]:
        for state in ("cold", "warm"):
            cost = row[state]
            numbers = [str(cost["requests"]), str(cost["longest"]), f"{cost['seconds']:.2f}"]
            lines.append([row["method"], row["kind"], state, *numbers])
    latency = report["settings"]["latency"]
    return [*aligned(lines), "", f"each request is answered {1000 * latency:.0f} ms late"]


def _costs(endpoint: Served, method: str, question: str) -> tuple[Cost, Cost, list[str]]:
    costs, answers = list[Cost](), list[str]()
    endpoint.times.clear()
    since = time.perf_counter()
    kg = open_kg(endpoint.url)
    graph = build_graph(method, kg=kg)
    for _ in range(2):
        answers = _asked(graph, question)
        seconds, times = time.perf_counter() - since, [*endpoint.times]
        costs.append(Cost(len(times), longest_sequence(times), round(seconds, 3)))
        endpoint.times.clear()
        since = time.perf_counter()
    kg.close()
    cold, warm = costs
    return cold, warm, answers


def _asked(graph: Any, question: str) -> list[str]:
    state = graph.invoke({"question": question}, context=Options(on_ambiguous="best"))
    return [answer["label"] for answer in state["answers"]]


if __name__ == "__main__":
    sys.exit(main())
