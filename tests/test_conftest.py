"""Tests of public data run where the data folder is named, whatever else is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CASES = """
import pytest

@pytest.mark.data("held.txt")
def test_reads(public_data):
    assert (public_data / "held.txt").read_text() == "1"

@pytest.mark.data("held.txt", "folder/gone.txt")
def test_lacks():
    pass

@pytest.mark.data("held.txt")
def test_gives_up():
    pytest.skip("some reason")

@pytest.mark.data("held.txt")
@pytest.mark.skipif(True, reason="a library is gone")
def test_never_starts():
    pass

@pytest.fixture(scope="module")
def broken():
    pytest.importorskip("no_such_module_at_all")

@pytest.mark.data("held.txt")
def test_needs_a_module(broken):
    pass

@pytest.mark.data("held.txt")
@pytest.mark.xfail(reason="known")
def test_known():
    assert False

def test_of_something_else():
    pytest.skip("no browser")
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cases")
    (folder / "conftest.py").write_bytes((Path(__file__).parent / "conftest.py").read_bytes())
    (folder / "test_cases.py").write_text(CASES, encoding="utf-8")
    (folder / "torch.py").write_text("def set_num_threads(count): pass\n")  # the real one is slow
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = data(*paths): public\n")
    (folder / "data").mkdir()
    (folder / "data" / "held.txt").write_text("1")
    return folder


def outcomes(home: Path, **variables: str) -> tuple[dict[str, str], str]:
    """How each case ended, and all that was printed."""
    kept = {name: value for name, value in os.environ.items() if name != "GROUNDWALK_DATA"}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-rfEs", "-p", "no:cacheprovider"],
        cwd=home,
        env=kept | variables | {"COLUMNS": "400", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    words = [line.split() for line in run.stdout.splitlines() if line.startswith("test_cases.py::")]
    return {own[0].partition("::test_")[2]: own[1] for own in words}, run.stdout


def test_with_the_folder_a_skip_is_a_failure(home: Path) -> None:
    found, printed = outcomes(home, GROUNDWALK_DATA=str(home / "data"))
    assert found == {
        "reads": "PASSED",
        "lacks": "ERROR",
        "gives_up": "FAILED",
        "never_starts": "ERROR",
        "needs_a_module": "ERROR",
        "known": "XFAIL",
        "of_something_else": "SKIPPED",
    }
    lines = [
        line for line in printed.splitlines() if line.startswith(("FAILED", "ERROR ", "SKIPPED"))
    ]
    assert len(lines) == 5
    for reason in ("lacks folder/gone.txt", "some reason", "a library is gone", "no browser"):
        assert sum(reason in line for line in lines) == 1


@pytest.mark.parametrize("variables", [{}, {"GROUNDWALK_DATA": ""}], ids=["unset", "empty"])
def test_without_it_they_skip_and_say_why(home: Path, variables: dict[str, str]) -> None:
    found, printed = outcomes(home, **variables)
    assert set(found.values()) == {"SKIPPED"}
    assert "GROUNDWALK_DATA does not name the data folder" in printed
