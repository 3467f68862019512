"""A hub model that cannot be had: a line, within seconds, whatever the hub does."""

import os
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from groundwalk.agent.reader.weights import write_weights

from ..agent.reader.tiny import TURTLE, tiny_reader
from ..warm import command
from .test_cli import assert_one_line_error

QUESTION = ("ask", "What is the capital of France?", "--model", "some/name")


@contextmanager
def hub(reply: bytes) -> Generator[tuple[str, list[bytes]]]:
    """A hub on loopback that replies the same to all, or nothing; address and what was asked."""
    asked: list[bytes] = []
    kept: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                kept.append(connection)
                asked.append(connection.recv(1 << 16))
                if reply:
                    connection.sendall(reply)
                    connection.close()

        Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", asked
        server.shutdown(socket.SHUT_RDWR)
    for connection in kept:
        connection.close()


def asked_of(
    address: str, home: Path, *words: str, **more: str
) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "GROUNDWALK_"))}
    own = {"GROUNDWALK_CACHE": str(home / "cache"), "HF_HOME": str(home / "hf")}
    return subprocess.run(
        [*command(models=False), *(words or QUESTION)],
        capture_output=True,
        text=True,
        cwd=home,
        env=kept | own | {"HF_ENDPOINT": address, "COLUMNS": "100"} | more,
        timeout=300,
        stdin=subprocess.DEVNULL,
    )


def status(line: str, headers: str = "") -> bytes:
    return f"HTTP/1.1 {line}\r\n{headers}Content-Length: 0\r\nConnection: close\r\n\r\n".encode()


@pytest.mark.slow
def test_a_hub_that_never_answers_is_asked_once(tmp_path: Path) -> None:
    with hub(b"") as (address, asked):
        since = time.monotonic()
        run = asked_of(address, tmp_path)
        assert_one_line_error(run, 2, "some/name: is no folder and not in the local cache")
        assert len(run.stderr.splitlines()) == 1 and run.stdout == ""
        assert len(asked) == 1
        assert time.monotonic() - since < 120


def test_a_hub_that_is_not_there(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
    for words in (
        QUESTION,
        ("chat", "--model", "some/name"),
        ("eval", "run", "--dataset", "world", "--out", "run", "--model", "some/name"),
    ):
        run = asked_of(address, tmp_path, *words)
        assert_one_line_error(run, 2, "some/name: is no folder", "the hub cannot be asked")
        assert len(run.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (status("404 Not Found", "X-Error-Code: RepoNotFound\r\n"), "has no such model that you"),
        (status("401 Unauthorized", "X-Error-Code: GatedRepo\r\n"), "who agreed to its terms"),
        (status("503 Service Unavailable"), "the hub cannot be asked (status 503)"),
    ],
)
def test_what_the_hub_says_is_told(tmp_path: Path, reply: bytes, words: str) -> None:
    with hub(reply) as (address, asked):
        run = asked_of(address, tmp_path)
        assert_one_line_error(run, 2, "some/name: is no folder" if "you" in words else "", words)
        assert len(asked) == 1


def test_offline_is_honoured(tmp_path: Path) -> None:
    with hub(b"") as (address, asked):
        run = asked_of(address, tmp_path, HF_HUB_OFFLINE="1")
        assert_one_line_error(run, 2, "some/name", "HF_HUB_OFFLINE is set")
        assert not asked


def cached(home: Path) -> Path:
    """The folder in which the cache has some model."""
    snapshot = home / "hf" / "hub" / "models--some--name" / "snapshots" / "0"
    snapshot.mkdir(parents=True)
    (snapshot.parents[1] / "refs").mkdir()
    (snapshot.parents[1] / "refs" / "main").write_text("0", encoding="utf-8")
    return snapshot


def test_the_cache_serves_where_the_hub_does_not(tmp_path: Path) -> None:
    """What is wrong with the model is then told of the files in the cache."""
    snapshot = cached(tmp_path)
    (snapshot / "config.json").write_text('{"model_type": "nothing"}', encoding="utf-8")
    with hub(status("503 Service Unavailable")) as (address, asked):
        run = asked_of(address, tmp_path)
        assert run.returncode == 2 and "some/name: the model does not load" in run.stderr
        assert len(asked) == 1


def test_a_name_that_no_hub_has(tmp_path: Path) -> None:
    run = asked_of("http://127.0.0.1:9", tmp_path, "ask", "Who?", "--model", "so me/na<me")
    assert_one_line_error(run, 2, "no name that the hub can have")


READ = ("ask", "--kg", "films.ttl", "--reader", "some/name", "who directed Rain")


def test_a_reader_of_the_hub_is_read_from_the_cache(tmp_path: Path) -> None:
    write_weights(cached(tmp_path), tiny_reader())
    (tmp_path / "films.ttl").write_text(TURTLE, encoding="utf-8")
    with hub(status("503 Service Unavailable")) as (address, asked):
        run = asked_of(address, tmp_path, *READ)
        assert run.returncode == 0 and "read as:" in run.stdout, run.stderr
        assert len(asked) == 1
    run = asked_of("http://127.0.0.1:9", tmp_path, *READ, HF_HUB_OFFLINE="1")
    assert run.returncode == 0 and "read as:" in run.stdout, run.stderr


@pytest.mark.parametrize(
    ("file", "said"),
    [("modules.json", "is a sentence encoder"), ("config.json", "is a model, and no reader")],
)
def test_what_is_no_reader_is_told(tmp_path: Path, file: str, said: str) -> None:
    (cached(tmp_path) / file).write_text("[]", encoding="utf-8")
    (tmp_path / "films.ttl").write_text(TURTLE, encoding="utf-8")
    run = asked_of("http://127.0.0.1:9", tmp_path, *READ, HF_HUB_OFFLINE="1")
    assert_one_line_error(run, 2, "some/name", said)


def test_a_reader_that_the_hub_does_not_have(tmp_path: Path) -> None:
    (tmp_path / "films.ttl").write_text(TURTLE, encoding="utf-8")
    with hub(status("404 Not Found", "X-Error-Code: RepoNotFound\r\n")) as (address, asked):
        run = asked_of(address, tmp_path, *READ)
        assert_one_line_error(run, 2, "some/name: is no folder", "has no such model that you")
        assert len(asked) == 1
