"""The MCP server as agent hosts meet it: real processes, asked by the SDK's own client."""

import asyncio
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.kg import Triple, open_kg
from groundwalk.agent.options import Options
from groundwalk.cli.session import Session

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")

WORLD = "<https://groundwalk.example/world/"
BORDERS = {"start": [0], "steps": [{"relation": "borders"}]}


def deep(levels: int) -> dict[str, Any]:
    tree: dict[str, Any] = {"start": [0]}
    for _ in range(levels):
        tree = {"start": tree}
    return tree


CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "answered": (
        "ask",
        {"question": "Which countries border the country whose capital is Vienna?"},
    ),
    "silent": ("ask", {"question": "Who painted the Mona Lisa?"}),
    "ambiguous": ("ask", {"question": "What is the capital of Korea?"}),
    "meant": ("ask", {"question": "What is the capital of [South Korea]?"}),
    "many": ("ask", {"question": "Which countries are in Africa?"}),
    "empty": ("ask", {"question": " "}),
    "no question": ("ask", {}),
    "walked": ("query", {"query": BORDERS, "mentions": ["Portugal"]}),
    "meant by its term": (
        "query",
        {"query": BORDERS, "mentions": [{"text": "Portugal", "term": WORLD + "country/portugal>"}]},
    ),
    "counted": ("query", {"query": {"start": {"class": "country"}, "answer": "count"}}),
    "no tree": ("query", {"query": {"start": {"class": "country"}, "step": []}}),
    "no such name": ("query", {"query": {"start": {"class": "planet\n"}}}),
    "no mention": ("query", {"query": BORDERS}),
    "odd mention": ("query", {"query": BORDERS, "mentions": [{"name": "Portugal"}]}),
    "no object": ("query", {"query": [1]}),
    "too deep": ("query", {"query": deep(60)}),
    "typo": ("find_entity", {"name": "Viena"}),
    "several": ("find_entity", {"name": "[Korea]", "limit": 1}),
    "term": ("find_entity", {"name": "<https://groundwalk.example/world/city/vienna>"}),
    "no such term": ("find_entity", {"name": "<https://example.org/none>"}),
    "nobody": ("find_entity", {"name": "Zzyzx Qqq"}),
    "around": ("neighbours", {"entity": "Vienna"}),
    "cut": ("neighbours", {"entity": "Austria", "limit": 3}),
    "borders": ("neighbours", {"entity": "Austria", "relation": "borders"}),
    "unknown": ("neighbours", {"entity": "Zzyzx\nQqq"}),
    "no relation": ("neighbours", {"entity": "Austria", "relation": "loves"}),
    "too many": ("neighbours", {"entity": "Austria", "limit": 1000}),
    "proven": (
        "verify_chain",
        {"topics": ["Vienna"], "chain": [["Austria", "capital", "Vienna"]], "answers": ["Austria"]},
    ),
    "made up": (
        "verify_chain",
        {"topics": ["Vienna"], "chain": [["Vienna", "capital", "Austria"]], "answers": ["Austria"]},
    ),
    "unclear": (
        "verify_chain",
        {"topics": ["Georgia"], "chain": [["Georgia", "borders", "Russia"]], "answers": []},
    ),
    "two parts": ("verify_chain", {"topics": [], "chain": [["Austria", "Wien"]], "answers": []}),
}


def command(*arguments: str, noisy: bool = False) -> list[str]:
    noise = (
        "import os, groundwalk.cli.session as session, groundwalk.agent.linking as linking\n"
        "opens, links = session.open_session, linking.LabelLinker.link\n"
        "def noisily(*args, **how):\n    print('NOISE')\n    return opens(*args, **how)\n"
        "def loudly(self, text):\n    os.write(1, b'NOISE\\n')\n    return links(self, text)\n"
        "session.open_session, linking.LabelLinker.link = noisily, loudly\n"
    )
    code = "from groundwalk.cli.main import main; main()"
    return [sys.executable, "-c", (noise if noisy else "") + code, "mcp", *arguments]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GROUNDWALK_")}
    cache = str(tmp_path_factory.mktemp("cache"))
    return {**kept, "GROUNDWALK_CACHE": cache, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def address(environment: dict[str, str]) -> Iterator[str]:
    started = [*command("--transport", "http", "--port", "0")]
    with subprocess.Popen(started, stderr=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stderr is not None
            line = server.stderr.readline()
            found = re.fullmatch(
                r"groundwalk: serving MCP at (http://127\.0\.0\.1:\d+/mcp)\n", line
            )
            assert found, line + server.stderr.read()
            yield found[1]
        finally:
            server.terminate()
            server.communicate(timeout=30)


async def _ask(server: Any) -> dict[str, Any]:
    async with mcp.Client(server) as client:
        listed = await client.list_tools()
        said = {key: await client.call_tool(*call) for key, call in CALLS.items()}
        return {"tools": listed.tools, **said}


@pytest.fixture(scope="module", params=["stdio", "http"])
def said(request: pytest.FixtureRequest, environment: dict[str, str]) -> dict[str, Any]:
    """What the server says to every call, by either transport."""
    if request.param == "http":
        return asyncio.run(_ask(request.getfixturevalue("address")))
    program, *arguments = command(noisy=True)
    process = mcp.StdioServerParameters(command=program, args=arguments, env=environment)
    return asyncio.run(_ask(process))


def text(result: Any) -> str:
    (content,) = result.content
    return content.text


def labels(entities: list[dict[str, Any]]) -> list[str]:
    return [entity["label"] for entity in entities]


def test_the_tools_only_read(said: dict[str, Any]) -> None:
    assert {tool.name for tool in said["tools"]} == {
        "ask",
        "query",
        "find_entity",
        "neighbours",
        "verify_chain",
    }
    for tool in said["tools"]:
        assert tool.annotations.read_only_hint and not tool.annotations.destructive_hint
        assert tool.description and tool.output_schema


def test_ask_answers_in_words_and_as_data(said: dict[str, Any]) -> None:
    result = said["answered"]
    found = result.structured_content
    first, reading, heading, *triples = text(result).splitlines()
    assert found["status"] == "answered" and first == "; ".join(labels(found["answers"]))
    assert reading == f"Read as: {found['reading']}"
    assert heading.startswith("Verified in the graph")
    assert "Austria -> capital -> Vienna" in triples and "Austria -> borders -> Italy" in triples
    steps = [s for answer in found["answers"] for chain in answer["chains"] for s in chain]
    assert {step["verdict"] for step in steps} == {"supported"}
    with contextlib.closing(open_kg("world")) as kg:
        assert all(
            kg.store.holds(
                [Triple(s["head"]["term"], s["relation"]["term"], s["tail"]["term"]) for s in steps]
            )
        )


def test_ask_says_when_it_does_not_know_or_what_is_unclear(said: dict[str, Any]) -> None:
    silent = said["silent"].structured_content
    assert silent["answers"] == [] and silent["status"] == "abstained"
    assert "The graph does not say.\nNote: I read: " in text(said["silent"])
    assert said["ambiguous"].structured_content["status"] == "ambiguous"
    assert "North Korea" in text(said["ambiguous"]) and "South Korea" in text(said["ambiguous"])
    assert labels(said["meant"].structured_content["answers"]) == ["Seoul"]


def test_ask_tells_an_agent_no_more_than_it_can_read(said: dict[str, Any]) -> None:
    found = said["many"].structured_content
    assert len(found["answers"]) == 50
    assert all(len(answer["chains"]) == 1 for answer in found["answers"])
    assert any("more answers are not listed" in note for note in found["notes"])
    assert len(text(said["many"]).splitlines()) < 70


def test_a_query_is_run_whole_and_proved(said: dict[str, Any]) -> None:
    found = said["walked"].structured_content
    assert found["status"] == "answered" and labels(found["answers"]) == ["Spain"]
    assert found["query"] == BORDERS and found["reading"] == "borders of Portugal"
    assert "Portugal -> borders -> Spain" in text(said["walked"]).splitlines()
    assert found["usage"]["forward_passes"] == found["usage"]["llm_calls"] == 0
    assert set(found) == set(said["answered"].structured_content)
    assert labels(said["meant by its term"].structured_content["answers"]) == ["Spain"]
    with contextlib.closing(open_kg("world")) as kg:
        (country,) = {
            w.term for w in kg.labels.vocabulary() if w.text == "country" and not w.relation
        }
        members = {
            t.head
            for own in kg.profile.types
            for t in kg.store.statements(own)
            if t.tail == country
        }
    counted = said["counted"].structured_content
    assert counted["result"]["value"] == len(members) and len(counted["answers"]) == 50


def test_find_entity(said: dict[str, Any]) -> None:
    (vienna,) = said["typo"].structured_content["entities"]
    assert vienna["label"] == "Vienna" and vienna["score"] < 1
    assert labels(said["several"].structured_content["entities"]) == ["North Korea"]
    assert labels(said["term"].structured_content["entities"]) == ["Vienna"]
    assert said["no such term"].structured_content == {"entities": []}
    assert said["nobody"].structured_content == {"entities": []}


def test_neighbours_are_those_of_the_store(said: dict[str, Any]) -> None:
    def triples(name: str) -> set[Triple]:
        facts = said[name].structured_content["facts"]
        return {Triple(f["head"]["term"], f["relation"]["term"], f["tail"]["term"]) for f in facts}

    with contextlib.closing(open_kg("world")) as kg:
        (vienna,), (austria,) = kg.labels.named("Vienna"), kg.labels.named("Austria")
        (borders,) = kg.labels.named("borders", relation=True)
        around, land = kg.store.neighbours([vienna, austria])
        assert triples("around") == {step.triple for step in around}
        assert triples("borders") == {s.triple for s in land if s.triple.relation == borders}
        assert len(triples("cut")) == 3 and triples("cut") < {step.triple for step in land}
        relations = {step.triple.relation for step in land}
    cut, whole = said["cut"].structured_content, said["around"].structured_content
    assert cut["more"] and {own["term"] for own in cut["relations"]} == relations
    assert not whole["more"] and whole["relations"] == [] and whole["entity"]["label"] == "Vienna"


def test_verify_chain(said: dict[str, Any]) -> None:
    proven, made_up = said["proven"].structured_content, said["made up"].structured_content
    assert proven["verdict"] == "supported" and proven["well_formed"]
    assert [answer["verdict"] for answer in proven["answer_verdicts"]] == ["supported"]
    assert made_up["verdict"] == "unsupported" and made_up["flags"] == ["reversed"]
    assert [answer["verdict"] for answer in made_up["answer_verdicts"]] == ["unsupported"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("empty", "the question is empty (ask about something in the graph)"),
        ("no question", "question: Field required"),
        ("unknown", "no entity of the graph is called 'Zzyzx\\nQqq' (find_entity"),
        ("no relation", "no relation of the graph is called 'loves' (neighbours without"),
        ("too many", "limit: Input should be less than or equal to 200"),
        ("unclear", "'Georgia' may mean <https://groundwalk.example/"),
        ("no tree", "the query is malformed: step: Extra inputs are not permitted ("),
        ("no such name", "the graph has no class called 'planet\\n' ("),
        ("no mention", "the query speaks of mention 0, and there are 0 (count mentions from 0)"),
        ("odd mention", "mentions.0"),
        ("no object", "query: Input should be a valid dictionary"),
        ("too deep", "the query is nested deeper than 40 levels (ask for less)"),
        ("two parts", "chain.0: List should have at least 3 items"),
    ],
)
def test_a_wrong_call_is_a_tool_error_of_one_line(
    said: dict[str, Any], name: str, message: str
) -> None:
    assert said[name].is_error and said[name].structured_content is None
    assert message in text(said[name]) and "\n" not in text(said[name])


def test_standard_output_is_the_protocols(environment: dict[str, str]) -> None:
    about = {"protocolVersion": "2025-06-18", "capabilities": {}}
    asked = {"name": "ask", "arguments": {"question": "What is the capital of Kenya?"}}
    messages = [
        {"id": 1, "method": "initialize", "params": {**about, "clientInfo": _client()}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": asked},
    ]
    with subprocess.Popen(
        command(noisy=True),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        said: list[Any] = []
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()
            if "id" in message:
                said.append(json.loads(server.stdout.readline()))
        rest, errors = server.communicate(timeout=60)
    assert [message["id"] for message in said] == [1, 2] and not rest
    assert "Nairobi" in said[1]["result"]["content"][0]["text"]
    assert errors.count("NOISE") >= 2 and server.returncode == 0


def _client() -> dict[str, str]:
    return {"name": "test", "version": "1"}


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}], ids=["host", "origin"]
)
def test_http_on_loopback_takes_no_foreign_name(address: str, headers: dict[str, str]) -> None:
    """As a page of another site would ask that had its name resolved to this machine."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream", **headers}
    assert httpx.post(address, json=message, headers=accept).status_code in (403, 421)


def test_the_server_answers_while_it_is_asked() -> None:
    """The question ends only after the server has answered a ping."""
    from groundwalk.cli.mcp_server import mcp_server
    from groundwalk.cli.mcp_tools import Tools

    pinged, begun = threading.Event(), threading.Event()

    class Slow:
        def invoke(self, turn: Any, context: Options) -> Any:
            begun.set()
            assert pinged.wait(60), "no ping was answered"
            return {**turn, "answers": [], "messages": [], "notes": []}

    async def ask_and_ping() -> Any:
        with warnings.catch_warnings(), contextlib.closing(open_kg("world")) as kg:
            warnings.simplefilter("ignore")  # a ping is of the older protocol
            session = Session(kg, cast(Any, Slow()), Options())
            async with mcp.Client(mcp_server(Tools(session)), mode="legacy") as client:
                asked = asyncio.create_task(client.call_tool("ask", {"question": "Why?"}))
                await asyncio.to_thread(begun.wait, 60)
                await client.send_ping()
                pinged.set()
                return await asked

    result = asyncio.run(ask_and_ping())
    assert not result.is_error and result.structured_content["question"] == "Why?"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--kg", "nowhere.ttl"], "nowhere.ttl: no such file or folder"),
        (["--transport", "carrier-pigeon"], "--transport carrier-pigeon: is none of stdio, http"),
    ],
)
def test_what_cannot_be_served_ends_in_one_line(
    arguments: list[str], message: str, environment: dict[str, str], tmp_path: Path
) -> None:
    ended = _run(arguments, environment, tmp_path)
    assert ended.returncode == 2 and not ended.stdout
    assert message in ended.stderr and ended.stderr.count("\n") == 1


def test_a_taken_port_ends_in_one_line(environment: dict[str, str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = _run(["--transport", "http", "--port", port], environment, tmp_path)
    assert ended.returncode == 2 and not ended.stdout
    assert f"cannot listen at 127.0.0.1:{port}" in ended.stderr
    assert ended.stderr.count("\n") == 1


def _run(
    arguments: list[str], environment: dict[str, str], folder: Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
        timeout=120,
    )


def test_without_the_sdk_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from groundwalk.cli import mcp as command_of

    def find_nothing(name: str) -> None:
        assert name == "mcp"

    monkeypatch.setattr("importlib.util.find_spec", find_nothing)
    with pytest.raises(InputError) as caught:
        command_of.mcp()
    assert caught.value.hint == "pip install 'groundwalk[mcp]'"
