"""`groundwalk train`: what it trains, and how torch waits for its threads from its import on."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from groundwalk.agent.reader.weights import write_weights
from groundwalk.cli.main import app
from groundwalk.training.reader import tune
from groundwalk.training.reader.card import Part, TuneReport
from typer.testing import CliRunner

from ..agent.reader.tiny import TURTLE, tiny_reader
from ..training.brief import brief_tuning
from ..training.reader.test_tuning import MORE
from .test_cli import assert_one_line_error, groundwalk

_SCRIPT = """
import os, sys
import groundwalk.cli.main
import groundwalk.cli.train as command
print("torch" in sys.modules)
import groundwalk.training.trainer.watched as progress
def before(console):
    print(os.environ["OMP_WAIT_POLICY"])
    raise SystemExit(0)
progress.show_progress = before
from pathlib import Path
command.train(out=Path("model"))
"""


@pytest.mark.parametrize(("given", "policy"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "A"}, "A")])
def test_threads_do_not_spin_unless_the_user_says_so(given: dict[str, str], policy: str) -> None:
    kept = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        env=kept | given,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", policy]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--width", "128"), "--width is for causal models"),
        (("--skeletons", "."), "--skeletons is for causal models"),
        (("--no-mask",), "--mask is for causal models"),
        (("--lora",), "--lora is for causal models"),
        (("--formats", "path", "--reader", "."), "--reader says which reader is tuned"),
    ],
)
def test_an_option_of_the_other_way(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    run = groundwalk(tmp_path, "train", "--kg", "world", "--out", "model", *words)
    assert_one_line_error(run, 2, said)
    assert said.startswith("--reader") or "add --formats path,plan,chain" in run.stderr
    assert not (tmp_path / "model").exists()


def test_a_reader_is_no_model_and_a_model_no_reader(tmp_path: Path) -> None:
    reader, model = tmp_path / "reader", tmp_path / "model"
    reader.mkdir()
    write_weights(reader, tiny_reader())
    model.mkdir()
    (model / "groundwalk.json").write_text("{}", encoding="utf-8")
    ask = ("ask", "Who?", "--kg", "world")
    assert_one_line_error(
        groundwalk(tmp_path, *ask, "--model", "reader"), 2, "is a reader", "--reader"
    )
    for words in (ask, ("train", "--kg", "world", "--out", "tuned")):
        run = groundwalk(tmp_path, *words, "--reader", "model")
        assert_one_line_error(run, 2, "is a model, and no reader", "--model")


def test_the_report_is_in_whole_lines_and_names_the_graph_of_the_first_split(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def tuned(source: str, out: Path, *_: object) -> TuneReport:
        settings, parts = tiny_reader().settings, {"made": Part(questions=9, before=4, after=6)}
        return TuneReport(out, source, "", "", settings, parts, 1.0, 5, 0.5, 3.0, seed=0)

    monkeypatch.setattr(tune, "tune", tuned)
    monkeypatch.setenv("OMP_WAIT_POLICY", "PASSIVE")
    monkeypatch.setenv("COLUMNS", "30")
    given = ("--dataset", "exam", "--split", "concerts/report,world/report", "--out", "my reader")
    run = CliRunner().invoke(app, ["train", *given])
    assert run.exit_code == 0, run.output
    report, command = run.stdout.splitlines()
    assert report == (
        "my reader: tuned in 3 s; of 9 held-out questions 4 were right before and 6 after"
    )
    words = shlex.split(command)
    assert words[:5] == ["ask", "it:", "groundwalk", "ask", "--kg"]
    assert Path(words[5]).name == "concerts.ttl"
    assert words[6:] == ["--reader", "my reader", "QUESTION"]


def test_the_reader_is_tuned_and_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    brief_tuning(monkeypatch)
    monkeypatch.chdir(tmp_path)
    for name in ("GROUNDWALK_CACHE", "OMP_WAIT_POLICY"):
        monkeypatch.setenv(name, str(tmp_path / "cache"))
    (tmp_path / "films.ttl").write_text(TURTLE + MORE, encoding="utf-8")
    (tmp_path / "reader").mkdir()
    write_weights(tmp_path / "reader", tiny_reader())
    asked = [
        {"question": f"who made Film {n}?", "topics": [f"Film {n}"], "answers": [f"Person {n}"]}
        for n in range(3)
    ]
    asked.append({"question": "who made it?", "topics": [], "answers": ["Person 1"]})
    lines = "".join(json.dumps(own) + "\n" for own in asked)
    (tmp_path / "asked.jsonl").write_text(lines, encoding="utf-8")
    train = ("train", "--kg", "films.ttl", "--reader", "reader", "--questions", "asked.jsonl")
    run = CliRunner().invoke(app, [*train, "--steps", "10", "--out", "my reader"])
    assert run.exit_code == 0, run.output
    assert "step 10 of 10" in run.stdout
    assert "held-out questions" in run.stdout and "right before" in run.stdout
    assert "1 questions were not used: whose topic the graph" in run.stdout
    command = run.stdout.splitlines()[-1]
    assert command == "ask it: groundwalk ask --kg films.ttl --reader 'my reader' QUESTION"
    words = shlex.split(command.partition("groundwalk ")[2])[:-1]
    answer = groundwalk(tmp_path, *words, "Who directed Film 3?")
    assert answer.returncode == 0, answer.stderr
    assert "I read:" in answer.stdout or "read as:" in answer.stdout, answer.stdout
