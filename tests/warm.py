"""`groundwalk` and `python` as processes that have imported the libraries already.

Run as a script, this listens on a socket and forks for every command that is started; nothing that
a command does can reach the network. `command` is `groundwalk` for `subprocess`; `Shell` runs
scripts in a real shell.
"""

import atexit
import contextlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Generator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

_CLIENT = """\
#!{python} -IS
import json, os, socket, sys
name = os.path.basename(sys.argv[0])
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    told = json.dumps([name, sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(server, [len(told).to_bytes(8)], [0, 1, 2])
    server.sendall(told)
    sys.exit(int(server.recv(16)))
"""
_IMPORTED = ("groundwalk.cli.main", "groundwalk.graphs")
_OF_MODELS = (
    "torch",
    "groundwalk.training.train",
    "transformers.models.llama.modeling_llama",
)
_HUB = "huggingface_hub"
"""It reads its variables when it is imported."""
_QUESTION = "What is the capital of Kenya?"
"""What a question imports is imported beforehand."""
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Ran(NamedTuple):
    """What a script printed, on both streams, and its exit code."""

    said: str
    code: int


class Shell:
    """A shell in a folder, with the caches and threads of a new user."""

    def __init__(self, folder: Path, server: "subprocess.Popen[str]", commands: Path) -> None:
        self.folder = folder
        self._server = server
        self._environment = _clean() | {
            "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
            "GROUNDWALK_CACHE": str(folder.parent / "cache"),
            "GROUNDWALK_THREADS": str(folder.parent / f"{folder.name}.sqlite"),
        }

    def run(self, script: str) -> Ran:
        """Run a script; a command that fails ends it."""
        done = subprocess.run(
            ["bash", "-euc", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self._environment,
            cwd=self.folder,
            timeout=600,
        )
        assert self._server.poll() is None
        return Ran(done.stdout, done.returncode)


@contextlib.contextmanager
def warm(folder: Path, *, models: bool = True) -> Generator[Callable[[Path], Shell]]:
    """A function that opens a `Shell` in a folder, as long as the context lasts.

    Without the libraries of `models` each command imports those of the hub itself.
    """
    address, commands = folder / "socket", folder / "bin"
    commands.mkdir()
    for name in ("groundwalk", "python"):
        client = commands / name
        client.write_text(_CLIENT.format(python=sys.executable, address=str(address)))
        client.chmod(0o700)
    server = subprocess.Popen(
        [sys.executable, __file__, str(address), *(_OF_MODELS if models else ())],
        stdout=subprocess.PIPE,
        text=True,
        env=_clean(),
    )
    try:
        assert server.stdout and server.stdout.readline() == "ready\n"
        yield lambda own: Shell(own, server, commands)
    finally:
        server.terminate()
        server.wait()


@cache
def command(*, models: bool = True) -> list[str]:
    """The beginning of a command line: `groundwalk`, from a server that ends with this process.

    It differs from a process of its own in that Python and the libraries do not start anew, and in
    that its streams are in UTF-8.
    """
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="groundwalk-warm-")))
    stack.enter_context(warm(folder, models=models))
    return [str(folder / "bin" / "groundwalk")]


def _clean() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GROUNDWALK_", "OPENAI_"))}
    return kept | {"HF_HUB_OFFLINE": "1", "COLUMNS": "100", "OMP_NUM_THREADS": "1"}


def _serve(address: str, *of_models: str) -> None:
    for module in (*of_models, *_IMPORTED, *_imported_by_a_question()):
        if of_models or not module.startswith(_HUB):
            with contextlib.suppress(ImportError):
                import_module(module)
    if of_models:
        import_module("torch").set_num_threads(1)
    assert of_models or _HUB not in sys.modules
    sys.addaudithook(_stay_offline)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        print("ready", flush=True)
        while True:
            connection, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                _attend(connection)
            connection.close()


def _imported_by_a_question() -> list[str]:
    """The modules of groundwalk, and of what it uses, that a first question imports."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with tempfile.TemporaryDirectory() as folder:
            variables = {**os.environ, "GROUNDWALK_CACHE": folder}
            _perform("groundwalk", ["ask", _QUESTION], folder, variables)
            os.write(writing, "\n".join(sys.modules).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as names:
        return sorted(set(names.read().split()) - set(sys.modules))


def _attend(connection: socket.socket) -> None:
    """Run a command in a child, and tell its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(connection, 8, 3)
    told = b""
    while len(told) < int.from_bytes(size):
        told += connection.recv(1 << 16)
    child = os.fork()
    if child == 0:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        sys.stdin = open(0, encoding="utf-8", closefd=False)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)
        os._exit(_perform(*json.loads(told)))
    for stream in streams:
        os.close(stream)
    _, status = os.waitpid(child, 0)
    connection.sendall(str(os.waitstatus_to_exitcode(status) % 256).encode())
    os._exit(0)


def _perform(name: str, words: list[str], folder: str, environment: dict[str, str]) -> int:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    code: Any = 0
    try:
        if name == "groundwalk":
            from groundwalk.cli.main import main

            sys.argv = [name, *words]
            main()
        elif words[0] == "-m":
            sys.argv = words[1:]
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = words
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as error:
        code = error.code
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    return code if isinstance(code, int) else int(code is not None)


def _stay_offline(event: str, details: tuple[Any, ...]) -> None:
    if event == "socket.connect" and isinstance(details[1], tuple):
        host = details[1][0]
    elif event == "socket.getaddrinfo":
        host = details[0]
    else:
        return
    if host not in _LOOPBACK:
        raise OSError(f"{host}: a page must not need the network")


if __name__ == "__main__":
    _serve(*sys.argv[1:])
