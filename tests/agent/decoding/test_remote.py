"""Paths from a real HTTP server: one that obeys the expression, and many that do not."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from groundwalk.agent.decoding.index import build_index
from groundwalk.agent.decoding.paths import PathLimits
from groundwalk.agent.decoding.remote import ListedPaths, Server, decode_remote, list_paths
from groundwalk.agent.errors import ConstraintError, GroundwalkError, InputError, ServiceError
from groundwalk.agent.kg import KnowledgeGraph, Triple
from groundwalk.agent.services import MOST_BYTES

from ...faults.servers import Proxy, Relay, at_once
from . import worlds
from .servers import completion, constrained_server, of_sglang, of_vllm, serving

TOKENIZER = worlds.byte_level()
BASIC = "Ym9iOnMzY3JldA=="
SECRETS = ("s3cret", "k3y", BASIC)
GZIP = b"\r\nContent-Encoding: gzip"
FACTS = [(0, 0, 1), (0, 1, 2), (1, 2, 3), (2, 0, 4), (3, 4, 14), (14, 0, 15), (2, 5, 16)]


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = worlds.graph(FACTS, tmp_path_factory.mktemp("graph"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def paths(kg: KnowledgeGraph) -> ListedPaths:
    index = build_index(kg, TOKENIZER)
    return list_paths(index, kg.labels, [worlds.entity(0)], PathLimits(2))


@pytest.fixture(scope="module")
def obedient() -> Any:
    model = worlds.random_model(len(TOKENIZER))
    return constrained_server(model, TOKENIZER)


@pytest.mark.parametrize("api", ["completions", "chat"])
@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_a_model_behind_http_writes_paths_of_the_graph(
    kg: KnowledgeGraph, paths: ListedPaths, obedient: Any, api: Any, engine: Any
) -> None:
    with serving(obedient) as (address, bodies):
        server = Server(address, "tiny", engine, api, key="secret")
        found = decode_remote(server, "New York?", paths, samples=4, seed=3)
        again = decode_remote(server, "New York?", paths, samples=4, seed=3)
    assert found == again and found.rejected == 0 and found.requests == 1
    assert sum(path.samples for path in found.paths) == 4 and len(found.paths) > 1
    for remote in found.paths:
        assert paths.find(remote.text) == remote.path
        triples = [Triple(*step.triple) for step in remote.path.steps]
        assert kg.store.holds(triples) == [True] * len(triples)
    assert bodies[0]["authorization"] == "Bearer secret" and bodies[0]["model"] == "tiny"


@pytest.mark.parametrize(("engine", "reads"), [("vllm", of_vllm), ("sglang", of_sglang)])
def test_each_engine_is_told_in_its_own_form_and_the_other_form_yields_nothing(
    paths: ListedPaths, engine: Any, reads: Any
) -> None:
    model = worlds.random_model(len(TOKENIZER))
    other = "sglang" if engine == "vllm" else "vllm"
    with serving(constrained_server(model, TOKENIZER, reads)) as (address, _):
        found = decode_remote(Server(address, "tiny", engine), "A", paths, samples=3)
        with pytest.raises(ConstraintError, match="does not apply the constraint"):
            decode_remote(Server(address, "tiny", other), "A", paths, samples=3)
    assert found.rejected == 0 and sum(path.samples for path in found.paths) == 3


def test_temperature_zero_is_one_reply(paths: ListedPaths, obedient: Any) -> None:
    with serving(obedient) as (address, bodies):
        found = decode_remote(Server(address, "tiny"), "A", paths, temperature=0.0)
    assert len(found.paths) == 1 and bodies[0]["n"] == 1


def test_a_server_that_ignores_n_is_asked_until_there_are_enough(paths: ListedPaths) -> None:
    texts = iter([*paths.paths][:2] * 2)
    with serving(lambda path, body: completion(next(texts))) as (address, bodies):
        found = decode_remote(Server(address, "one"), "A", paths, samples=4, seed=7)
    assert found.requests == 4 and [path.samples for path in found.paths] == [2, 2]
    assert [body["seed"] for body in bodies] == [7, 8, 9, 10]


def test_a_server_that_cheats_is_found_out(paths: ListedPaths) -> None:
    true = next(iter(paths.paths))
    cheats = ["A -> r -> Atlantis", f"{true} -> r -> A", true[:-1], true.lower(), "", None]
    with serving(lambda path, body: completion(true, *cheats)) as (address, _):
        found = decode_remote(Server(address, "cheat"), "A", paths, samples=7)
    assert [path.text for path in found.paths] == [true] and found.rejected == 6


@pytest.mark.parametrize("text", ["A -> r -> Atlantis", "", "I think that it is Paris."])
def test_nothing_but_cheating_is_an_error_and_is_not_shown(paths: ListedPaths, text: str) -> None:
    with serving(lambda path, body: completion(text, text)) as (address, bodies):
        with pytest.raises(ConstraintError, match="does not apply the constraint") as raised:
            decode_remote(Server(address, "cheat"), "A", paths)
    assert not text or text not in str(raised.value)
    assert len(bodies) == 1


def test_a_reply_that_was_cut_short_is_no_path(paths: ListedPaths) -> None:
    true = next(iter(paths.paths))
    with serving(lambda path, body: completion(true, reason="length")) as (address, _):
        with pytest.raises(ConstraintError):
            decode_remote(Server(address, "short"), "A", paths)


@pytest.mark.parametrize(
    "answer",
    [
        (500, b"out of memory"),
        (400, b'{"error": "regex is not supported"}'),
        (302, b""),
        (200, b""),
        (200, b"\xff\xfe<html>"),
        (200, b"[]"),
        (200, b"null"),
        (200, b"{}"),
        (200, b'{"choices": []}'),
        (200, b'{"choices": null}'),
        (200, b'{"choices": [3]}'),
        (200, b'{"choices": [{"text": 3}]}'),
        (0, b""),
    ],
)
def test_garbage_is_a_service_that_did_not_answer(
    paths: ListedPaths, answer: tuple[int, bytes]
) -> None:
    for api in ("completions", "chat"):
        with serving(lambda path, body: answer) as (address, _):
            with pytest.raises(ServiceError) as raised:
                decode_remote(Server(address, "broken", api=api, key="secret"), "A", paths)
        assert address in raised.value.message and "secret" not in raised.value.message


def test_nobody_there_and_nobody_answering(paths: ListedPaths) -> None:
    with serving(lambda path, body: (500, b"")) as (address, _):
        pass
    with pytest.raises(ServiceError, match="ConnectError"):
        decode_remote(Server(address, "gone"), "A", paths)
    silent = httpx.MockTransport(_never)
    with httpx.Client(transport=silent) as client:
        with pytest.raises(ServiceError, match="ReadTimeout"):
            decode_remote(Server(address, "slow"), "A", paths, client=client)
        assert not client.is_closed


@pytest.mark.parametrize("address", ["", "host:1/v1", "http://[", "ftp://host"])
def test_an_address_that_is_none(paths: ListedPaths, address: str) -> None:
    with pytest.raises(GroundwalkError):
        decode_remote(Server(address, "none"), "A", paths)


@pytest.mark.parametrize("port", [0, 65536])
def test_a_port_that_is_none(port: int) -> None:
    with pytest.raises(InputError, match=f"127.0.0.1:{port}/v1: {port} is no port"):
        Server(f"http://me:secret@127.0.0.1:{port}/v1", "none")


@pytest.mark.parametrize(("head", "says"), [(b"", "sent more than"), (GZIP, "packs its replies")])
def test_a_reply_without_an_end_is_one_that_is_not_read(
    paths: ListedPaths, head: bytes, says: str
) -> None:
    sent = list[int]()

    def fault(relay: Relay) -> None:
        relay.raw(b"HTTP/1.1 200 OK%b\r\n\r\n" % head + b'{"choices": [{"text": "')
        for _ in range(256):
            relay.raw(b"x" * 2**20)
            sent.append(2**20)

    with Proxy("http://127.0.0.1:9/v1") as proxy:
        proxy.fail(fault, at_once)
        with pytest.raises(ServiceError, match=says):
            decode_remote(Server(proxy.url, "endless"), "A", paths)
    assert sum(sent) < 8 * MOST_BYTES


@pytest.mark.parametrize("status", [200, 401])
def test_a_password_in_the_address_is_not_told(paths: ListedPaths, status: int) -> None:
    wrong = f"Wrong password: s3cret of bob:s3cret, key: k3y, or header: Basic {BASIC}"
    texts = (wrong.encode(), completion("A -> r -> B")[1])
    for content in texts:
        with serving(lambda path, body, own=content: (status, own)) as (address, bodies):
            server = Server(address.replace("//", "//bob:s3cret@"), "m", key="k3y")
            with pytest.raises(GroundwalkError) as raised:
                decode_remote(server, "A", paths)
        told = f"{raised.value.message} {raised.value.hint} {server!r}"
        assert address in told and not any(secret in told for secret in SECRETS)
        assert bodies[0]["authorization"] == f"Basic {BASIC}"
        with pytest.raises(ServiceError, match="did not answer") as raised:
            decode_remote(server, "A", paths)
        assert "s3cret" not in raised.value.message


def test_a_key_is_not_printed() -> None:
    assert "secret" not in repr(replace(Server("http://host/v1", "m"), key="secret"))


def _never(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadTimeout("", request=request)
