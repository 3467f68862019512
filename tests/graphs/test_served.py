"""Methods that prompt against a real OpenAI-compatible server, whose models are no good."""

import importlib.util
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
import torch
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.llm.chat import chat_model
from groundwalk.agent.llm.local import LocalModel, load_model
from groundwalk.agent.llm.model_folder import ModelSettings
from groundwalk.agent.options import Options
from groundwalk.evaluation.datasets.jsonl import WORLD_RETRIEVED, read_world
from groundwalk.graphs import METHODS
from groundwalk.graphs.ground import Parts
from groundwalk.graphs.skeleton import skeleton

from ..agent.decoding import worlds
from ..whole import build_graph
from . import stumbling
from .families import labels

pytestmark = pytest.mark.slow

CHAT = "{% for m in messages %}{{ m.content }}\n{% endfor %}"
UNREAD = re.compile("repl(y|ies) could not be read")
REPLY = "<reply>"
CAPITAL = "Ouagadougou"


def _save_nonsense(folder: Path) -> None:
    """A model with random weights."""
    tokenizer = worlds.byte_level()
    tokenizer.chat_template = CHAT
    tokenizer.save_pretrained(folder)
    worlds.random_model(len(tokenizer)).float().save_pretrained(folder)


def _save_one_word(folder: Path) -> None:
    """A model that looks at the last token only, and replies with the same name to every prompt."""
    tokenizer = worlds.byte_level()
    tokenizer.add_tokens([REPLY, CAPITAL])
    tokenizer.chat_template = CHAT + REPLY
    model = worlds.random_model(len(tokenizer)).float()
    head, embedded = torch.zeros_like(model.lm_head.weight), model.model.embed_tokens.weight
    tokens: Any = tokenizer.convert_tokens_to_ids([REPLY, CAPITAL, "<eos>"])
    for token, after in pairwise(tokens):
        head[after] = 20 * embedded[token] / embedded[token].norm()
    model.lm_head.weight = torch.nn.Parameter(head.detach())
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    for name, weight in model.named_parameters():
        if name.endswith(("o_proj.weight", "down_proj.weight")):
            torch.nn.init.zeros_(weight)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """What `--llm` takes, up to the name of the model's folder."""
    for needed in ("accelerate", "fastapi", "uvicorn"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"transformers serve needs {needed}, which is not installed")
    folder = tmp_path_factory.mktemp("served")
    _save_nonsense(folder / "nonsense")
    _save_one_word(folder / "one-word")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("transformers")), "serve"]
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


def _llm(address: str, model: str) -> Any:
    llm: Any = chat_model(f"{address}/{model}")
    llm.max_tokens = 12
    return llm


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


@pytest.mark.parametrize("name", ["tog", "tot", "direct", "cot-sc"])
def test_nonsense_from_a_server_ends_in_no_false_answer(
    address: str, kg: KnowledgeGraph, name: str
) -> None:
    llm, linker = _llm(address, "nonsense"), LabelLinker(kg.labels)
    parts = Parts(kg, linker, ModelSettings(confidence=0.5), _never, llm)
    graph = skeleton(name, METHODS[name], parts, None)
    asked: Any = {"question": "Where does the child of Ada live?"}
    state: Any = graph.invoke(asked, context=Options(width=2, depth=2, expansions=3))
    assert state["usage"]["llm_calls"] > (name != "direct") and state["usage"]["prompt_tokens"] > 0
    check(state)


def check(state: Any) -> None:
    """The server answered, whatever it said; what it cost is counted, and what is shown proven."""
    notes = state["notes"]
    assert not any("did not answer" in note for note in notes), notes
    usage = state["usage"]
    assert all(isinstance(count, int | float) and count >= 0 for count in usage.values()), usage
    assert usage["llm_failed"] == 0
    assert bool(usage["unread"]) == any(map(UNREAD.search, notes)), notes
    assert bool(state["answers"]) == (state["status"] == "answered")
    for answer in state["answers"]:
        assert answer["chains"]
        assert {s["verdict"] for chain in answer["chains"] for s in chain} == {"supported"}


@pytest.fixture(scope="module")
def world() -> Iterator[KnowledgeGraph]:
    opened = open_kg("world")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def bundled() -> LocalModel:
    return load_model()


ALONE = {"dog", "structlm"}
"""The methods that ask the local model only, even where there is a chat LLM."""
MUST_EXPLAIN = {"tot", "cot", "cot-sc"}
"""The methods to which a bare name is no answer."""
TALKATIVE = MUST_EXPLAIN | {"tog"}
"""The methods that ask for more than names."""
OPTIONS = Options(
    hops=2,
    on_ambiguous="best",
    shown=20,
    width=2,
    expansions=3,
    samples=2,
    confidence=0.0,
    retrieved=str(WORLD_RETRIEVED),
)


@pytest.mark.parametrize("model", ["nonsense", "one-word"])
@pytest.mark.parametrize("name", METHODS)
def test_every_method_asks_the_server_about_the_world(
    address: str, world: KnowledgeGraph, bundled: LocalModel, name: str, model: str
) -> None:
    graph = build_graph(name, kg=world, generator=bundled, llm=_llm(address, model))
    right, other = read_world()[:2]
    states = list[Any]()
    for sample in (right, other):
        asked: Any = {"question": sample.question, "id": sample.id}
        states.append(graph.invoke(asked, context=OPTIONS))
        check(states[-1])
    calls = [state["usage"]["llm_calls"] for state in states]
    unread = [state["usage"]["unread"] for state in states]
    if name in ALONE:
        assert calls == unread == [0, 0]
        return
    assert min(calls) > 0 and {state["reasoner"] for state in states} == {"llm"}
    if name in TALKATIVE:
        assert min(unread) > 0
    said = [labels(state) for state in states]
    if model == "nonsense" or name in MUST_EXPLAIN:
        assert said == [set(), set()]
    else:
        assert [answer.label for answer in right.answers] == [CAPITAL]
        unsupported = [state["unsupported"] for state in states]
        assert said[1] == set() and unsupported[1] == [CAPITAL], "it is true of another country"
        read = name != "words" or bool(said[0])
        expected = ({CAPITAL}, []) if read else (set[str](), [CAPITAL])
        assert (said[0], unsupported[0]) == expected, "a bag of words may lead elsewhere"
