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


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_error(closed: str, tmp_path: Path) -> None:
    script = f'exec "$@" --version {closed}'
    run = subprocess.run(["bash", "-c", script, "-", *COMMAND], capture_output=True, cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, b"")


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
