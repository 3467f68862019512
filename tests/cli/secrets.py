"""Services that want secrets, and say them when they refuse; commands that are told them."""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyoxigraph as ox

from ..agent.decoding.servers import serving
from ..agent.kg.sparql.endpoint import Endpoint, Handler
from ..evaluation.tracing import Received, langsmith

GRAPH_PASSWORD, LLM_PASSWORD = "pw-of-the-graph-31", "pw-of-the-llm-16"
HEADER, KEY, TRACING, TOKEN = "header-27", "sk-key-of-the-llm-57", "ls-key-66", "token-in-file-91"
BASIC = [
    base64.b64encode(f"bob:{password}".encode()).decode()
    for password in (GRAPH_PASSWORD, LLM_PASSWORD)
]
SECRETS = (GRAPH_PASSWORD, LLM_PASSWORD, HEADER, KEY, TRACING, TOKEN, *BASIC)

_GRAPH = """
@prefix : <https://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:mother rdfs:label "mother of" . :lives rdfs:label "lives in" .
:ada rdfs:label "Ada" ; :mother :ben . :ben rdfs:label "Ben" ; :lives :oslo .
:oslo rdfs:label "Oslo" .
"""
_LOUD = "import logging\nlogging.basicConfig(level=logging.DEBUG)\n"
"""What `sitecustomize.py` holds: every Python process logs all there is to its standard error."""

_COMMAND = [sys.executable, "-c", "from groundwalk.cli.main import main; main()"]
_VARIABLES = ("GROUNDWALK_", "OPENAI_", "LANGSMITH_", "LANGCHAIN_", "HF_")


class Services(NamedTuple):
    """A SPARQL endpoint, a chat model and LangSmith on the loopback, and what they were sent."""

    graph: Endpoint
    llm: str
    prompts: list[dict[str, Any]]
    traces: str
    traced: list[Received]


class Told(NamedTuple):
    """A process that ended: its exit code, and all that it printed."""

    code: int
    out: str
    err: str


@contextmanager
def services(*, graph_refuses: bool = False, llm_refuses: bool = False) -> Generator[Services]:
    """Services that answer, or refuse and repeat all that they were sent."""
    prompts: list[dict[str, Any]] = []

    def chat(path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        prompts.append(received[-1])
        if llm_refuses:
            message = f"not allowed with {received[-1]['authorization']}"
            return 401, json.dumps({"error": {"message": message}}).encode()
        rated = "Rating: 4" if "Rating" in body["messages"][-1]["content"] else "Ben"
        said = {"role": "assistant", "content": rated}
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        reply = {"id": "1", "object": "chat.completion", "model": "m", "created": 0}
        return 200, json.dumps(reply | {"choices": [choice]}).encode()

    def refuse(handler: Handler) -> bool:
        handler.reply(401, str(handler.headers).encode(), "text/plain")
        return True

    store = ox.Store()
    store.load(_GRAPH.encode(), ox.RdfFormat.TURTLE)
    with Endpoint(store) as graph, serving(chat) as (llm, received), langsmith() as (at, traced):
        graph.misbehaviour = refuse if graph_refuses else None
        yield Services(graph, llm, prompts, at, traced)


def environment(home: Path, found: Services) -> dict[str, str]:
    """Secrets in variables and in the file `.env` of `home`; all logs, and exceptions in full."""
    home.mkdir(exist_ok=True)
    (home / ".env").write_text(f"GROUNDWALK_SPARQL_TOKEN={TOKEN}\n", encoding="utf-8")
    loud = home.parent / "loud"
    loud.mkdir(exist_ok=True)
    (loud / "sitecustomize.py").write_text(_LOUD, encoding="utf-8")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_VARIABLES)}
    return kept | {
        "PYTHONPATH": str(loud),
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "HF_HUB_OFFLINE": "1",
        "GROUNDWALK_DEBUG": "1",
        "GROUNDWALK_THREADS": str(home / "threads.sqlite"),
        "GROUNDWALK_SPARQL_HEADERS": json.dumps({"X-Key": HEADER}),
        "GROUNDWALK_SPARQL_ATTEMPTS": "1",
        "OPENAI_API_KEY": KEY,
        "OPENAI_LOG": "debug",
        "LANGSMITH_TRACING": "true",
        "LANGSMITH_ENDPOINT": found.traces,
        "LANGSMITH_API_KEY": TRACING,
        "LANGSMITH_DISABLE_RUN_COMPRESSION": "true",
    }


def run(home: Path, variables: dict[str, str], *words: str, say: str = "") -> Told:
    """Run `groundwalk` in `home`."""
    done = subprocess.run(
        [*_COMMAND, *words],
        cwd=home,
        env=variables,
        input=say,
        capture_output=True,
        text=True,
        timeout=600,
    )
    return Told(done.returncode, done.stdout, done.stderr)


def call_tools(home: Path, variables: dict[str, str], *options: str, question: str) -> Told:
    """Ask `groundwalk mcp` a question and for an entity, over its standard streams."""
    calls = [
        ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                        "clientInfo": {"name": "test", "version": "1"}}),
        ("tools/call", {"name": "ask", "arguments": {"question": question}}),
        ("tools/call", {"name": "neighbours", "arguments": {"entity": "Ada"}}),
    ]  # fmt: skip
    with (
        (home / "mcp.log").open("w+", encoding="utf-8") as log,
        subprocess.Popen(
            [*_COMMAND, "mcp", *options],
            cwd=home,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as server,
    ):
        assert server.stdin and server.stdout
        said = list[str]()
        for number, (method, given) in enumerate(calls):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": given}
            server.stdin.write(json.dumps(message) + "\n")
            if number == 0:
                started = {"jsonrpc": "2.0", "method": "notifications/initialized"}
                server.stdin.write(json.dumps(started) + "\n")
            server.stdin.flush()
            replied = list(_until(server.stdout, number))
            said += replied
            if not replied:  # it has ended
                break
        server.stdin.close()
        code = server.wait(300)
        log.seek(0)
        return Told(code, "".join(said), log.read())


def _until(lines: Iterable[str], number: int) -> Iterator[str]:
    """The lines of a server up to the reply with this number, or to its end."""
    for line in lines:
        yield line
        if json.loads(line).get("id") == number:
            return


def written(home: Path) -> dict[str, bytes]:
    """What is in all files below a folder, but for the user's own `.env`."""
    return {
        str(file.relative_to(home)): file.read_bytes()
        for file in home.rglob("*")
        if file.is_file() and file != home / ".env"
    }
