"""Streams that are closed, and Ctrl-C while a module is imported."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from groundwalk.cli.terminal import open_streams, spare_imports

from .test_cli import COMMAND


def closed_run(closed: str, folder: Path, *words: str) -> "subprocess.CompletedProcess[bytes]":
    command = ["bash", "-c", f'"$@" {closed}', "-", *COMMAND, *words]
    return subprocess.run(command, capture_output=True, cwd=folder)


@pytest.mark.parametrize("closed", ["<&-", "2>&-"])
def test_a_closed_stream_is_no_error(closed: str, tmp_path: Path) -> None:
    run = closed_run(closed, tmp_path, "--version")
    assert (run.returncode, run.stderr) == (0, b"") and run.stdout.startswith(b"groundwalk ")


def test_what_closed_output_loses_is_an_error(tmp_path: Path) -> None:
    run = closed_run(">&-", tmp_path, "--version")
    (line,) = run.stderr.decode().splitlines()
    assert run.returncode == 3 and line.startswith("groundwalk: standard output is closed")
    assert closed_run("<&- >&- 2>&-", tmp_path, "--version").returncode == 3


def test_an_error_is_told_where_closed_output_takes_no_json(tmp_path: Path) -> None:
    run = closed_run(">&-", tmp_path, "ask", "--json", "--kg", "/no/such.ttl", "Who?")
    assert run.returncode == 2 and run.stderr.startswith(b"groundwalk: /no/such.ttl")


@pytest.mark.parametrize("words", [("--version",), ("kg", "info", "world")])
def test_a_reader_that_leaves_is_told_by_the_exit_code_alone(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    run = closed_run('| true; exit "${PIPESTATUS[0]}"', tmp_path, *words)
    assert (run.returncode, run.stderr) == (3, b"")


def test_a_closed_stream_swallows_what_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    open_streams()
    print("to nobody", flush=True)
    assert sys.stdin.read() == ""


@pytest.fixture
def signals() -> Iterator[None]:
    before = {own: signal.getsignal(own) for own in (signal.SIGINT, signal.SIGALRM)}
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals")
def test_ctrl_c_waits_for_an_import(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    body = (
        "import signal, time\nsignal.raise_signal(signal.SIGINT)\ntime.sleep(0.2)\nwhole = True\n"
    )
    (tmp_path / "half_imported.py").write_text(body, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    spare_imports()
    with pytest.raises(KeyboardInterrupt):
        import_module("half_imported")
        time.sleep(5)
    assert sys.modules.pop("half_imported").whole


@pytest.mark.usefixtures("signals")
def test_ctrl_c_stops_all_else_at_once() -> None:
    spare_imports()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
