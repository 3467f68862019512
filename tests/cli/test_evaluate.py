"""`groundwalk eval run` as a user meets it: real processes, stopped and killed, and taken up."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from groundwalk.evaluation.datasets import DATASETS

from .test_cli import COMMAND, assert_one_line_error, groundwalk

COUNT = 14
LINE = ("--dataset", "world", "--limit", str(COUNT))


@pytest.fixture(scope="module", name="home")
def _home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module", name="whole")
def _whole(home: Path) -> Path:
    run = groundwalk(home, "eval", "run", *LINE, "--out", "whole")
    assert run.returncode == 0, run.stderr
    assert "Hits@1" in run.stdout and "written to whole" in run.stdout
    assert f"{COUNT}/{COUNT}" in run.stderr
    return home / "whole"


def timeless(out: Path) -> list[dict[str, Any]]:
    """The lines of a run but for the time, and what a process computes at its first question."""
    lines = (out / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    records: list[dict[str, Any]] = [json.loads(line) for line in lines]
    for record in records:
        record["seconds"] = 0
        for cost in ("seconds", "forward_passes", "tokens"):
            del record["usage"][cost]
    return records


def begun(home: Path, out: str, *options: str) -> subprocess.Popen[str]:
    """A run in a process group of its own that has written a line at least."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GROUNDWALK_")}
    run = subprocess.Popen(
        [*COMMAND, "eval", "run", *LINE, "--out", out, *options],
        cwd=home,
        env=environment | {"GROUNDWALK_CACHE": str(home / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    before = _size(home / out)
    while _size(home / out) <= before and run.poll() is None:
        time.sleep(0.02)
    return run


def _size(out: Path) -> int:
    file = out / "samples.jsonl"
    return file.stat().st_size if file.exists() else 0


@pytest.mark.slow
def test_killed_stopped_and_taken_up_it_says_the_same(home: Path, whole: Path) -> None:
    killed = begun(home, "torn", "--workers", "2")
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    left = timeless(home / "torn")
    stopped = begun(home, "torn")
    os.killpg(stopped.pid, signal.SIGINT)
    _, complaints = stopped.communicate(timeout=60)
    if stopped.returncode != 0:  # else it was done already
        assert stopped.returncode == 130
        assert complaints.splitlines()[-1] == "stopped; the same command goes on with torn"
    assert "Traceback" not in complaints
    assert len(timeless(home / "torn")) > len(left)
    run = groundwalk(home, "eval", "run", *LINE, "--out", "torn", "--quiet")
    assert run.returncode == 0 and run.stderr == ""
    assert timeless(home / "torn") == timeless(whole)


def test_two_runs_into_one_directory_refuse_each_other(home: Path, whole: Path) -> None:
    first = begun(home, "twice")
    os.killpg(first.pid, signal.SIGSTOP)
    held = timeless(home / "twice")
    second = groundwalk(home, "eval", "run", *LINE, "--out", "twice", "--quiet")
    assert len(held) < COUNT, "the first was done before it could be stopped"
    assert_one_line_error(second, 2, f"another run (process {first.pid}) is writing to twice")
    assert timeless(home / "twice") == held
    os.killpg(first.pid, signal.SIGCONT)
    first.communicate(timeout=120)
    assert first.returncode == 0
    assert timeless(home / "twice") == timeless(whole)


def test_a_sample_is_said_to_be_one(home: Path, whole: Path) -> None:
    line = f"a random sample over the kinds of questions: {COUNT} of 340"
    again = groundwalk(home, "eval", "run", *LINE, "--out", "whole")
    assert line in again.stdout.splitlines()
    assert json.loads((whole / "summary.json").read_text(encoding="utf-8"))["sampled_of"] == 340
    assert not all(record["gold"] for record in timeless(whole))
    report = groundwalk(home, "eval", "report", "whole", "--out", "whole.html")
    assert report.returncode == 0 and line in (home / "whole.html").read_text(encoding="utf-8")


def test_right_answers_that_the_graph_does_not_have_are_counted(home: Path) -> None:
    lines = [
        {"question": "What is the capital of Peru?", "answers": ["lima"]},
        {"question": "What is the population of Peru?", "answers": [34_000_000]},
        {"question": "What is the currency of Peru?", "answers": ["Peruvian sol", "Sol of Peru"]},
        {"question": "What is the capital of Chile?", "answers": ["<https://e.org/Santiago>"]},
        {"question": "What is the capital of Mars?", "answers": []},
    ]
    file = home / "gold.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    asked = ("eval", "run", "--dataset", "jsonl", "--data", "gold.jsonl", "--kg", "world")
    run = groundwalk(home, *asked, "--out", "gold")
    line = "2 of 5 questions have a right answer that names nothing in the graph as it is spelled"
    assert f"{line}, such as Sol of Peru" in run.stderr.splitlines()
    assert line in run.stdout.splitlines()
    summary = json.loads((home / "gold" / "summary.json").read_text(encoding="utf-8"))
    assert summary["unknown_gold"] == 2
    assert groundwalk(home, "eval", "report", "gold", "--out", "gold.html").returncode == 0
    assert line in (home / "gold.html").read_text(encoding="utf-8")


def test_of_several_entities_of_a_name_the_likeliest_is_taken_unless_it_is_set(home: Path) -> None:
    line = {"question": "Which countries border Congo?", "answers": ["Angola"]}
    (home / "congo.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    asked = ("eval", "run", "--dataset", "jsonl", "--data", "congo.jsonl", "--kg", "world")
    for out, options, status in (
        ("best", (), "answered"),
        ("error", ("--set", "on_ambiguous=error"), "ambiguous"),
    ):
        assert groundwalk(home, *asked, "--out", out, *options).returncode == 0
        assert [record["status"] for record in timeless(home / out)] == [status]
    help = groundwalk(home, "eval", "run", "--help").stdout
    assert "on_ambiguous is best" in " ".join(help.replace("│", " ").split())


def test_the_numbers_as_json(home: Path, whole: Path) -> None:
    run = groundwalk(home, "eval", "run", *LINE, "--out", "whole", "--json")
    assert run.returncode == 0 and run.stderr == ""
    written = json.loads((whole / "summary.json").read_text(encoding="utf-8"))
    assert json.loads(run.stdout) == written
    assert list(written["methods"]) == ["query"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--beams", "3"), ("options.beams was None, is 3", "config.json")),
        (("--limit", "5"), ("has 14 questions, more than the 5 that", "ask for 14 or more")),
        (("--first", "14"), ("--limit and --first", "one of them")),
        (("--method", "gcr,nonsense"), ("methods",)),
        (("--method", " , "), ("no method was named", "--method gcr,plan")),
        (("--topics", "guessed"), ("--topics guessed", "linked, given")),
        (("--part", "half"), ("--part half",)),
        (("--on-broken", "mend"), ("--on-broken mend",)),
        (("--set", "beam=3"), ("beam",)),
        (("--prompts", "none"), ("none", "--prompts")),
        (("--split", "nowhere"), ("nowhere",)),
    ],
)
def test_what_does_not_fit_is_one_line(
    home: Path, whole: Path, options: tuple[str, ...], words: tuple[str, ...]
) -> None:
    before = (whole / "samples.jsonl").read_bytes()
    run = groundwalk(home, "eval", "run", *LINE, "--out", "whole", *options)
    assert_one_line_error(run, 2, *words)
    assert (whole / "samples.jsonl").read_bytes() == before


@pytest.mark.parametrize("workers", [(), ("--workers", "1")])
def test_a_method_that_there_is_none_of_leaves_no_folder(
    home: Path, workers: tuple[str, ...]
) -> None:
    run = groundwalk(home, "eval", "run", *LINE, "--out", "new", "--method", "none", *workers)
    assert_one_line_error(run, 2, "no method 'none'")
    assert not (home / "new").exists()


def test_no_method_leaves_no_folder(home: Path) -> None:
    run = groundwalk(home, "eval", "run", *LINE, "--out", "new", "--method", ",")
    assert_one_line_error(run, 2, "no method was named")
    assert not (home / "new").exists()


def test_the_help_names_all_datasets_and_what_a_part_is(home: Path) -> None:
    shown = " ".join(groundwalk(home, "eval", "run", "--help").stdout.replace("│", " ").split())
    assert f"One of {', '.join(sorted(DATASETS))}." in shown
    assert "50% are in train, 20% in tune, 30% in report" in shown


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_folder_that_cannot_be_written(home: Path) -> None:
    for out in ("/dev/full", "/dev/full/below", "/proc/below"):
        run = groundwalk(home, "eval", "run", *LINE, "--out", out)
        assert_one_line_error(run, 2, out, "cannot be written")
