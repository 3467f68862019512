"""Methods that prompt against a real OpenAI-compatible server, whose model writes nonsense."""

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
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.llm.chat import chat_model
from groundwalk.agent.llm.local import LocalModel, ModelSettings
from groundwalk.agent.options import Options
from groundwalk.graphs.cot import COT_SC
from groundwalk.graphs.direct import DIRECT
from groundwalk.graphs.method import Method, Parts
from groundwalk.graphs.skeleton import skeleton
from groundwalk.graphs.tog import TOG
from groundwalk.graphs.tot import TOT

from ..agent.decoding import worlds
from . import stumbling

CHAT = "{% for m in messages %}{{ m.content }}\n{% endfor %}"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    for needed in ("accelerate", "fastapi", "uvicorn"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"transformers serve needs {needed}, which is not installed")
    folder = tmp_path_factory.mktemp("served")
    tokenizer = worlds.byte_level()
    tokenizer.chat_template = CHAT
    tokenizer.save_pretrained(folder)
    worlds.random_model(len(tokenizer)).float().save_pretrained(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("transformers")), "serve", str(folder)]
    options = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    log = (folder / "log").open("w")
    server = subprocess.Popen(
        [*command, *options],
        stdout=log,
        stderr=subprocess.STDOUT,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
    )
    try:
        _wait(server, f"http://127.0.0.1:{port}/health", folder / "log")
        yield f"http://127.0.0.1:{port}/v1#{folder}"
    finally:
        server.terminate()
        server.wait(timeout=30)
        log.close()


def _wait(server: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    for _ in range(240):
        if server.poll() is not None:
            break
        try:
            if httpx.get(url).is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.25)
    pytest.fail(f"the server did not start: {log.read_text()[-500:]}")


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = stumbling.family(tmp_path_factory.mktemp("family"))
    yield opened
    opened.close()


def _never() -> LocalModel:
    raise AssertionError("a chat LLM needs no local model")


@pytest.mark.parametrize(
    ("name", "method"), [("tog", TOG), ("tot", TOT), ("direct", DIRECT), ("cot-sc", COT_SC)]
)
def test_nonsense_from_a_server_ends_in_no_false_answer(
    address: str, kg: KnowledgeGraph, name: str, method: Method
) -> None:
    llm: Any = chat_model(address)
    llm.max_tokens = 12
    parts = Parts(kg, LabelLinker(kg.labels), ModelSettings(confidence=0.5), _never, llm)
    graph = skeleton(name, method, parts, None)
    asked: Any = {"question": "Where does the child of Ada live?"}
    state: Any = graph.invoke(asked, context=Options(width=2, depth=2, expansions=3))
    assert state["usage"]["llm_calls"] > (name != "direct") and state["usage"]["prompt_tokens"] > 0
    assert not any("did not answer" in note for note in state["notes"]), state["notes"]
    for answer in state["answers"]:
        assert {s["verdict"] for chain in answer["chains"] for s in chain} == {"supported"}
