"""Answering in several real processes, some of which are killed."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

import pytest
from groundwalk.agent.errors import GroundwalkError, InputError
from groundwalk.evaluation.records import Record
from groundwalk.evaluation.runner.asking import Task
from groundwalk.evaluation.runner.workers import Workers
from groundwalk.evaluation.samples import Sample

from ..crowd import asked_of, crowd, opens_crowd

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


def answers(
    folder: Path, samples: tuple[Sample, ...], count: int, *, chunk: int = 3, fails: str = ""
) -> list[Record]:
    """What some processes answer, in the order of the questions."""
    tasks = [Task(sample, "gcr") for sample in samples]
    opened = opens_crowd(folder, fails=fails)
    with Workers(opened, count, "crowd", "", chunk=chunk) as ask, closing(ask(tasks)) as records:
        return sorted(records, key=lambda record: record["id"])


@pytest.mark.parametrize("count", [1, 3])
def test_any_number_of_processes_says_the_same(tmp_path: Path, count: int) -> None:
    samples = crowd(25)
    with opens_crowd(tmp_path)() as ask:
        alone = list(ask([Task(sample, "gcr") for sample in samples]))
    (tmp_path / "asked").unlink()
    assert answers(tmp_path, samples, count) == alone
    asked = asked_of(tmp_path)
    assert Counter(question for question, _ in asked) == Counter(s.question for s in samples)
    assert os.getpid() not in {process for _, process in asked}
    assert not multiprocessing.active_children()


def test_a_question_that_kills_costs_itself_only(tmp_path: Path) -> None:
    samples = crowd(12, "kills", "kills once")
    found = {record["question"]: record for record in answers(tmp_path, samples, 2)}
    assert found["kills"]["status"] == "error"
    assert found["kills"]["error"] == "error: the process that worked on it ended (SIGKILL)"
    assert len(found) == len(samples)
    assert all(r["status"] == "answered" for q, r in found.items() if q != "kills")
    times = Counter(question for question, _ in asked_of(tmp_path))
    assert times["kills"] == times["kills once"] == 2
    assert len({process for question, process in asked_of(tmp_path) if question == "kills"}) == 2


@pytest.mark.parametrize(
    ("fails", "error", "said"),
    [
        ("input", InputError, "the model does not load"),
        ("told to end as it ends", InputError, "the model does not load"),
        ("killed", GroundwalkError, "ended while it started .SIGKILL."),
    ],
)
def test_processes_that_do_not_start_end_the_run(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    fails: str,
    error: type[Exception],
    said: str,
) -> None:
    with pytest.raises(error, match=said):
        answers(tmp_path, crowd(5), 2, fails=fails)
    assert not multiprocessing.active_children()
    assert capfd.readouterr().err == ""


def test_what_would_meet_every_question_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such tag") as raised:
        answers(tmp_path, crowd(9, "wrong setting"), 2)
    assert raised.value.hint == "check the model"
    assert not multiprocessing.active_children()


SCRIPT = """
import sys
from contextlib import closing
from pathlib import Path
from groundwalk.evaluation.runner.asking import Task
from groundwalk.evaluation.runner.workers import Workers
from tests.evaluation.crowd import crowd, opens_crowd
if __name__ == "__main__":
    folder = Path(sys.argv[1])
    opened = opens_crowd(folder, seconds=0.05, holds=True)
    tasks = [Task(sample, "gcr") for sample in crowd(1000)]
    try:
        with Workers(opened, 2, "crowd", "") as ask, closing(ask(tasks)) as records:
            for record in records:
                print(record["id"], flush=True)
    except KeyboardInterrupt:
        print("stopped")
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_the_run(tmp_path: Path, end: signal.Signals) -> None:
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        while not (tmp_path / "asked").exists() or len({p for _, p in asked_of(tmp_path)}) < 2:
            assert run.poll() is None
            time.sleep(0.05)
        run.send_signal(end)
        said, complaints = run.communicate(timeout=60)
    assert complaints == b""
    assert said.endswith(b"stopped\n") == (end == signal.SIGINT)
    workers = {process for _, process in asked_of(tmp_path)}
    patience = time.monotonic() + 20
    while any(map(_is_running, workers)):
        assert time.monotonic() < patience
        time.sleep(0.05)


FINALISED = """
import os, signal, time
from multiprocessing.util import Finalize
from groundwalk.evaluation.runner import workers
class Held: pass
def ends(): os.kill(os.getpid(), signal.SIGTERM); time.sleep(0.05); print("let go", flush=True)
def opens():
    held = Held()
    Finalize(held, ends)
    del held
    time.sleep(20)
workers._work(None, opens, 1)
"""


def test_an_end_inside_a_finaliser_waits_until_that_is_done() -> None:
    command = [sys.executable, "-c", FINALISED]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=15, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, b"let go\n", b"")


@pytest.mark.parametrize("seconds", [0, 0.05, 0.2, 0.5])
def test_a_stop_while_processes_start_is_silent(tmp_path: Path, seconds: float) -> None:
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as run:
        children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
        while len(children.read_text(encoding="utf-8").split()) < 2:
            assert run.poll() is None
        time.sleep(seconds)
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does
        said, complaints = run.communicate(timeout=60)
    assert complaints == b""
    assert said.endswith(b"stopped\n")


def _is_running(process: int) -> bool:
    with suppress(OSError):
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2]
        return state.split()[0] != "Z"
    return False
