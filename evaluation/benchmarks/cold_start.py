"""How long a first answer takes from nothing: against `import torch`, which none of them needs.

`python -m groundwalk.evaluation.benchmarks.cold_start [--rounds N] [--out FILE.json]` starts, in
turn, a Python that imports torch, one that imports the libraries of an answer, `groundwalk ask`,
`groundwalk chat` with one question and (where the extra is installed) `groundwalk mcp` with one
call. Each figure is the best of its rounds, and ratios are of processor time, which a busy machine
disturbs less. The bundled graph is built before, and files are warm.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from time import perf_counter
from typing import IO, Any

from .harness import conduct, machine, options_of

AIM = 1.5
"""Times `import torch` that a first answer may take; the libraries alone take two thirds of it."""
LIBRARIES = (
    "import langgraph.graph.message, numpy, tokenizers, pyoxigraph, typer, rich.markup, jinja2"
)
"""What an answer imports that is not ours."""
_BASELINES = ("torch", "libraries")
"""The processes that answers are compared with."""
QUESTION = "What is the capital of Austria?"

_GROUNDWALK = (sys.executable, "-c", "from groundwalk.cli.main import main; main()")


@dataclass(frozen=True)
class Took:
    """Seconds of one process, from its start to its end."""

    wall: float
    processor: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. The exit code is 1 where the aim is missed, 2 where `--out` fails."""
    parser = options_of("cold_start", __doc__)
    parser.add_argument("--rounds", type=int, default=5, help="times that each is started")
    options = parser.parse_args(arguments)
    return conduct(
        lambda: run(options.rounds),
        table,
        options.out,
        lambda report: any(row["ratio"] > AIM for row in report["measures"].values()),
    )


def run(rounds: int) -> dict[str, Any]:
    """The report: settings, and for each start its best seconds and its ratio to that of torch."""
    starts = _starts()
    with tempfile.TemporaryDirectory(prefix="groundwalk-") as cache:
        setting = {**os.environ, "GROUNDWALK_CACHE": cache, "OMP_NUM_THREADS": "1"}
        for start in starts.values():  # builds the graph, compiles modules, warms files
            _took(start, setting)
        every = [
            {name: _took(start, setting) for name, start in starts.items()} for _ in range(rounds)
        ]
    best = {
        name: Took(min(one[name].wall for one in every), min(one[name].processor for one in every))
        for name in starts
    }
    return {
        "settings": {"rounds": rounds, **machine()},
        "measures": {
            name: {
                "wall": round(took.wall, 3),
                "processor": round(took.processor, 3),
                "ratio": round(took.processor / best["torch"].processor, 3),
                "wall_ratio": round(took.wall / best["torch"].wall, 3),
            }
            for name, took in best.items()
        },
    }


def table(report: Mapping[str, Any]) -> list[str]:
    """The report as lines of aligned text."""
    lines = [f"{'':10}{'processor':>12}{'wall':>10}{'ratio':>8}{'of wall':>9}   at most {AIM:g}"]
    for name, row in report["measures"].items():
        verdict = "" if name in _BASELINES else "yes" if row["ratio"] <= AIM else "NO"
        lines.append(
            f"{name:10}{row['processor']:>10.2f} s{row['wall']:>8.2f} s{row['ratio']:>8.2f}"
            f"{row['wall_ratio']:>9.2f}   {verdict}".rstrip()
        )
    return lines


Start = Callable[[Mapping[str, str]], None]
"""Starts a process in an environment, and waits for its end."""


def _starts() -> dict[str, Start]:
    starts: dict[str, Start] = {
        "torch": lambda setting: _run([sys.executable, "-c", "import torch"], setting),
        "libraries": lambda setting: _run([sys.executable, "-c", LIBRARIES], setting),
        "ask": lambda setting: _run([*_GROUNDWALK, "ask", QUESTION], setting),
        "chat": lambda setting: _run([*_GROUNDWALK, "chat"], setting, f"{QUESTION}\n"),
    }
    return {**starts, "mcp": _mcp} if find_spec("mcp") else starts


def _took(start: Start, setting: Mapping[str, str]) -> Took:
    since, before = perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    start(setting)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Took(perf_counter() - since, used)


def _run(command: Sequence[str], setting: Mapping[str, str], said: str = "") -> None:
    subprocess.run(command, env=setting, input=said, text=True, capture_output=True, check=True)


def _mcp(setting: Mapping[str, str]) -> None:
    """One call of `ask` over stdio."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    client = {"clientInfo": {"name": "cold start", "version": "0"}}
    call = {"name": "ask", "arguments": {"question": QUESTION}}
    command = [*_GROUNDWALK, "mcp"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(
        command, env=setting, text=True, stderr=subprocess.DEVNULL, **pipes
    ) as server:
        assert server.stdin and server.stdout
        _send(server.stdin, {"id": 1, "method": "initialize", "params": {**hello, **client}})
        _send(server.stdin, {"method": "notifications/initialized"})
        _send(server.stdin, {"id": 2, "method": "tools/call", "params": call})
        for line in server.stdout:
            if json.loads(line).get("id") == 2:
                break
        else:
            raise RuntimeError("the MCP server ended without an answer")
        server.stdin.close()
        server.wait()


def _send(pipe: IO[str], message: Mapping[str, Any]) -> None:
    pipe.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    pipe.flush()


if __name__ == "__main__":
    sys.exit(main())
