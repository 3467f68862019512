"""Tests run small models, which gain nothing from threads and lose much by sharing cores.

No test is timed: a machine that is busy with something else fails none. A test of public data has
the mark `data`, with the paths that it reads below the folder that `GROUNDWALK_DATA` names. Without
the variable it skips; with it, a file that is not there, or a skip for any reason, is a failure.
"""

import gc
import os
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from groundwalk.agent.kg import KnowledgeGraph

os.environ.setdefault("OMP_NUM_THREADS", "1")
# A node of Ray that is late to say that it lives would end the process of the test.
os.environ.setdefault("RAY_health_check_timeout_ms", "60000")
os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")  # as `RayActors` has it

_MEMORY = Path("/dev/shm")
_ROOM = 4 << 30
"""Bytes; what the tests write is a tenth of it."""


_COLLECTED = gc.get_threshold()
gc.set_threshold(50_000)  # what is imported stays, and need not be looked at again and again


def _write_into_memory() -> None:
    """Every store that a test builds waits for the disk, ten times as long as it computes."""
    if "TMPDIR" in os.environ or not _MEMORY.is_dir() or not os.access(_MEMORY, os.W_OK):
        return
    system = os.statvfs(_MEMORY)
    if not system.f_flag & os.ST_NOEXEC and system.f_bavail * system.f_frsize >= _ROOM:
        os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)


_write_into_memory()

import torch  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

torch.set_num_threads(1)
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

DATA = os.environ.get("GROUNDWALK_DATA")


@pytest.fixture(scope="session")
def public_data() -> Path:
    """The folder of public data sets, for tests that have the mark `data`."""
    assert DATA, "the test lacks the mark data"
    return Path(DATA)


@pytest.fixture(scope="module")
def kg() -> "Generator[KnowledgeGraph]":
    """The bundled graph; a file whose tests are about another graph has its own `kg`."""
    from groundwalk.agent.kg import open_kg

    opened = open_kg("world")
    yield opened
    opened.close()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    wanted = [name for mark in item.iter_markers("data") for name in mark.args]
    if wanted and not DATA:
        pytest.skip("GROUNDWALK_DATA does not name the data folder")
    for name in wanted:
        if DATA and not (Path(DATA) / name).exists():
            pytest.fail(f"{DATA}, which GROUNDWALK_DATA names, lacks {name}", pytrace=False)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with a long test come first: begun last, one of them would keep a worker alone."""
    long = {item.path for item in items if item.get_closest_marker("long")}
    items.sort(key=lambda item: item.path not in long)


def pytest_collection_finish() -> None:
    """Without the libraries, which are most of what there is, looking for garbage takes a moment.

    It was a quarter of the time of many tests.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECTED)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    unrun = report.skipped and not hasattr(report, "wasxfail")
    if DATA and unrun and item.get_closest_marker("data"):
        report.outcome = "failed"
        reason = call.excinfo and call.excinfo.value
        report.longrepr = f"a test of public data does not run: {reason}"
    report.sections = [(name, _whole(text)) for name, text in report.sections]
    return report


def _whole(text: str) -> str:
    """With `?` for halves of characters, which no worker of pytest can report."""
    return text.encode("utf-8", "replace").decode("utf-8")
