"""`langgraph dev` serves the graph that langgraph.json names; asked over HTTP, on loopback only."""

import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
OFFLINE = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGSMITH_TRACING": "false",
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    for needed in ("langgraph_cli", "langgraph_api"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"langgraph dev needs {needed}, which the extra studio installs")
    folder = tmp_path_factory.mktemp("served")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    where = ["--port", str(port), "--config", str(ROOT / "langgraph.json")]
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GROUNDWALK_", "LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_"))
    }
    log = folder / "log"
    with log.open("w") as lines:
        process = subprocess.Popen(
            [*command, *where],
            stdout=lines,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**kept, **OFFLINE, "GROUNDWALK_CACHE": str(folder / "cache")},
        )
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=240) as client:
                _wait(process, client, log)
                yield client
        finally:
            process.terminate()
            process.wait(timeout=60)


def _wait(process: "subprocess.Popen[bytes]", client: httpx.Client, log: Path) -> None:
    for _ in range(960):
        if process.poll() is not None:
            break
        try:
            if client.get("/ok").is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.25)
    pytest.fail(f"langgraph dev did not start: {log.read_text()[-1000:]}")


def _ask(server: httpx.Client, thread: str, question: str) -> Any:
    run = {"assistant_id": "groundwalk", "input": {"question": question}}
    reply = server.post(f"/threads/{thread}/runs/wait", json=run)
    assert reply.is_success, reply.text
    return reply.json()


def test_a_thread_answers_question_after_question(server: httpx.Client) -> None:
    thread = server.post("/threads", json={}).json()["thread_id"]
    state = _ask(server, thread, "Which countries border the country whose capital is Lisbon?")
    assert [answer["label"] for answer in state["answers"]] == ["Spain"]
    steps = [step for chain in state["answers"][0]["chains"] for step in chain]
    assert steps and {step["verdict"] for step in steps} == {"supported"}
    state = _ask(server, thread, "What is the capital of Kenya?")
    assert [answer["label"] for answer in state["answers"]] == ["Nairobi"]
    kept = server.get(f"/threads/{thread}/state").json()["values"]
    assert [message["type"] for message in kept["messages"]] == ["human", "ai"] * 2


def test_the_state_machine_is_shown(server: httpx.Client) -> None:
    (assistant,) = server.post("/assistants/search", json={}).json()
    drawn = server.get(f"/assistants/{assistant['assistant_id']}/graph").json()
    assert {"link", "load", "gcr", "verify", "respond"} <= {node["id"] for node in drawn["nodes"]}
