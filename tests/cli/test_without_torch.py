"""Without torch the bundled graph and one of one's own are asked; more is told in a line."""

import subprocess
import sys
from pathlib import Path

import pytest
from groundwalk.agent.errors import ModelError
from groundwalk.agent.llm import local

_WITHOUT = """
import sys
sys.modules["torch"] = sys.modules["transformers"] = None
from groundwalk.cli.main import main
main()
"""
OWN = """
@prefix : <https://example.org/> .
:Ada a :Person ; :works_for :Acme .
:Ben a :Person ; :works_for :Acme .
:Acme a :Company ; :based_in :Oslo .
"""


def test_the_bundled_graph_is_asked() -> None:
    done = _run("ask", "-q", "Which countries border Portugal?")
    assert (done.stdout.split(), done.returncode) == (["Spain"], 0)


def test_a_graph_of_ones_own_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "own.ttl"
    file.write_text(OWN, encoding="utf-8")
    done = _run("ask", "-q", "--kg", str(file), "Who works for Acme?")
    assert (done.stdout.split(), done.returncode) == (["Ada", "Ben"], 0)


def test_what_takes_torch_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "find_spec", lambda name: None)  # pyright: ignore
    with pytest.raises(ModelError, match="takes torch and transformers, not installed") as caught:
        local.load_model()
    assert caught.value.hint == "pip install 'groundwalk[models]'"
    with pytest.raises(ModelError) as caught:
        local.need_torch("training a model", "train")
    assert caught.value.hint == "pip install 'groundwalk[train]'"


def _run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", _WITHOUT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)
