"""What a process opens: no connection that nobody asked for, and no `.env` but that of its folder.

Nothing in the environment turns telemetry off: whatever is off is so by groundwalk itself.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ..evaluation.runner.test_evaluate import make_folder

CODE = """
import json, sys
log = open(sys.argv.pop(1), "w", buffering=1)
def spy(event, details):
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        log.write(json.dumps([event, str(details[0])]) + "\\n")
    elif event in ("socket.connect", "socket.sendto") and isinstance(details[1], tuple):
        log.write(json.dumps([event, str(details[1][0])]) + "\\n")
    elif event == "open" and str(details[0]).endswith(".env"):
        log.write(json.dumps([event, str(details[0])]) + "\\n")
sys.addaudithook(spy)
from groundwalk.cli.main import main
main()
"""
TELEMETRY = ("HF_", "LANG", "GROUNDWALK_", "OPENAI_", "GRADIO_", "RAY_", "DO_NOT_TRACK", "DISABLE_")


class Opened(NamedTuple):
    """What a command printed, and what it opened: the event and its host or path."""

    out: str
    events: list[tuple[str, str]]


def watched(folder: Path, *words: str) -> Opened:
    log = folder / "events.jsonl"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(TELEMETRY)}
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(log), *words],
        cwd=folder,
        env=kept | {"GROUNDWALK_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    events: list[Any] = [json.loads(line) for line in log.read_text().splitlines()]
    return Opened(done.stdout, [(event, place) for event, place in events])


def test_a_question_on_the_bundled_graph_connects_to_nobody(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("GROUNDWALK_METHOD=plan\n", encoding="utf-8")
    found = watched(tmp_path, "ask", "--json", "What is the capital of France?")
    assert json.loads(found.out)["method"] == "plan"
    assert {(event, Path(place).name) for event, place in found.events} == {("open", ".env")}


@pytest.mark.slow
def test_no_settings_are_read_beside_data_graphs_models_or_runs(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    make_folder(data)
    for folder in (data, data / "model", tmp_path / "run"):
        folder.mkdir(exist_ok=True)
        (folder / ".env").write_text("GROUNDWALK_METHOD=none\nGROUNDWALK_LLM=none:\n")
    own = tmp_path / "own"
    own.mkdir()
    given = {"--data": "q.jsonl", "--kg": "family.kb", "--model": "model"}
    places = [word for option, name in given.items() for word in (option, str(data / name))]
    found = watched(own, "eval", "run", "--dataset", "jsonl", *places, "--out", "../run/out")
    assert "gcr" in found.out
    assert found.events == []
