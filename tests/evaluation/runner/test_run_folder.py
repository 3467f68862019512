"""The run directory: it goes on after any interruption, and takes no other run's answers."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.evaluation.analysis.summary import RunSummary, summarise
from groundwalk.evaluation.record_lines import read_records
from groundwalk.evaluation.records import Record
from groundwalk.evaluation.runner.asking import OpenAsk, Task
from groundwalk.evaluation.runner.config import Config
from groundwalk.evaluation.runner.evaluate import run
from groundwalk.evaluation.runner.run_folder import open_run
from groundwalk.evaluation.runner.run_lines import unwritable
from groundwalk.evaluation.samples import Gold, Sample
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from .. import stubs
from ..crowd import asked_of, crowd, opens_crowd
from ..stubs import config, opens, proven, says

SAMPLES = tuple(
    replace(sample, question="too long") if sample.question == "service down" else sample
    for sample in stubs.SAMPLES
)
"""The samples, of which none is to be asked again: an error is that of its question."""
QUIET = Console(quiet=True)
METHODS = ("gcr", "rog")


def ask(
    out: Path,
    samples: Sequence[Sample] = SAMPLES,
    methods: tuple[str, ...] = METHODS,
    by: OpenAsk | None = None,
) -> RunSummary:
    return run(samples, by or opens(), out, config(samples, methods), console=QUIET)


def timeless(out: Path) -> list[dict[str, Any]]:
    """The lines of a run but for the seconds."""
    text = (out / "samples.jsonl").read_text(encoding="utf-8")
    return [{**json.loads(line), "seconds": 0} for line in text.splitlines()]


@pytest.fixture(scope="module", name="whole")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "run"
    ask(out)
    return out


def test_a_question_for_every_method_in_order(whole: Path) -> None:
    keys = [(line["id"], line["method"]) for line in timeless(whole)]
    assert keys == [(sample.id, method) for sample in SAMPLES for method in METHODS]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_run_that_ended_at_any_byte_goes_on(
    whole: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    lines = (whole / "samples.jsonl").read_bytes()
    out = tmp_path_factory.mktemp("cut")
    (out / "config.json").write_bytes((whole / "config.json").read_bytes())
    cut = data.draw(st.integers(0, len(lines)))
    junk = data.draw(st.binary(max_size=5).map(lambda junk: junk.replace(b"\n", b"")))
    (out / "samples.jsonl").write_bytes(lines[:cut] + junk)
    asked = list[Task]()

    def spying(tasks: Sequence[Task]) -> Generator[Record]:
        asked.extend(tasks)
        with opens()() as answering:
            yield from answering(tasks)

    ask(out, by=lambda: nullcontext(spying))
    assert timeless(out) == timeless(whole)
    assert len(asked) == len(SAMPLES) * len(METHODS) - lines[:cut].count(b"\n")


def test_a_finished_run_asks_and_opens_nothing(whole: Path) -> None:
    def opened() -> Any:
        raise AssertionError("opened")

    before = {path.name: path.read_bytes() for path in whole.iterdir()}
    summary = ask(whole, by=opened)
    assert list(summary.methods) == list(METHODS)
    assert {path.name: path.read_bytes() for path in whole.iterdir()} == before


def test_the_summary_is_that_of_the_whole_lines(whole: Path) -> None:
    found = ask(whole)
    assert found == summarise(read_records(whole), config(SAMPLES, METHODS).seed)
    assert all(summary.faithfulness.proven > 0 for summary in found.methods.values())


def test_a_missing_or_old_summary_is_made_again(whole: Path) -> None:
    before = (whole / "summary.json").read_bytes()
    (whole / "summary.json").write_text("{}", encoding="utf-8")
    ask(whole)
    assert (whole / "summary.json").read_bytes() == before
    (whole / "summary.json").unlink()
    ask(whole)
    assert (whole / "summary.json").read_bytes() == before


def test_lines_that_came_in_any_order_end_in_that_of_the_questions(
    whole: Path, tmp_path: Path
) -> None:
    def shuffled(tasks: Sequence[Task]) -> Generator[Record]:
        with opens()() as answering:
            records = list(answering(tasks))
        random.Random(4).shuffle(records)
        yield from records

    ask(tmp_path / "out", by=lambda: nullcontext(shuffled))
    assert timeless(tmp_path / "out") == timeless(whole)


def test_half_a_character_is_written_as_one_that_json_can_hold(tmp_path: Path) -> None:
    samples = (Sample("half \ud800", "cities", (Gold(label='quo"te\\'),)),)
    half = says(proven("\ud83d half"), unsupported=("\ud83d\ude00", "\udc00"))
    ask(tmp_path, samples, by=opens(lambda _: half))
    assert [line["id"] for line in timeless(tmp_path)] == ["half \ufffd"] * 2
    ask(tmp_path, samples, by=_unopened)
    for record in read_records(tmp_path):
        assert record["answers"][0]["label"] == "\ufffd half"
        assert record["unsupported"] == ["\U0001f600", "\ufffd"]


def _unopened() -> Any:
    raise AssertionError("opened")


CHANGES: dict[str, dict[str, Any]] = {
    "seed was 3, is 4": {"seed": 4},
    "topics was linked, is given": {"topics": "given"},
    "options.on_ambiguous was best, is error": {"options": {"on_ambiguous": "error"}},
    "versions.python was 3, is 4": {"versions": {"python": "4"}},
    "llm was none, is openai:gpt": {"llm": "openai:gpt"},
    "model.digest was None, is abc": {"model": {"source": "stub", "digest": "abc"}},
}


@pytest.mark.parametrize(("said", "change"), CHANGES.items())
def test_other_settings_are_refused_by_name(whole: Path, said: str, change: dict[str, Any]) -> None:
    before = (whole / "samples.jsonl").read_bytes()
    with pytest.raises(InputError, match=said):
        run(SAMPLES, opens(), whole, replace(config(SAMPLES, METHODS), **change), console=QUIET)
    with pytest.raises(InputError, match="methods was"):
        ask(whole, methods=("gcr",))
    assert (whole / "samples.jsonl").read_bytes() == before


def test_the_same_content_elsewhere_is_the_same(whole: Path) -> None:
    moved = replace(config(SAMPLES, METHODS), kg={"source": "moved"}, model={"source": "moved"})
    run(SAMPLES, _unopened, whole, moved, console=QUIET)


def test_a_run_grows_and_does_not_shrink(tmp_path: Path, whole: Path) -> None:
    for count in (2, 5, len(SAMPLES)):
        ask(tmp_path, SAMPLES[:count])
        assert len(timeless(tmp_path)) == 2 * count
    assert timeless(tmp_path) == timeless(whole)
    written = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    assert written["questions"]["count"] == len(SAMPLES)
    with pytest.raises(InputError, match="has 7 questions, more than the 2"):
        ask(tmp_path, SAMPLES[:2])


@pytest.mark.parametrize(
    "change",
    [
        {"question": "capital of Chile"},
        {"answers": (Gold(label="Oslo"),)},
        {"topics": ("Peru",)},
        {"graph": (("a", "b", "c"),)},
    ],
)
def test_other_questions_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    ask(tmp_path, SAMPLES[:3])
    other = (replace(SAMPLES[0], **change), *SAMPLES[1:])
    with pytest.raises(InputError, match="other questions"):
        ask(tmp_path, other)


def test_before_the_first_answer_settings_are_free(whole: Path, tmp_path: Path) -> None:
    other = {**json.loads((whole / "config.json").read_text(encoding="utf-8")), "seed": 99}
    (tmp_path / "config.json").write_text(json.dumps(other), encoding="utf-8")
    (tmp_path / "config.json.new").write_text("{", encoding="utf-8")
    (tmp_path / "samples.jsonl").write_text('{"schema": 1, "data', encoding="utf-8")
    ask(tmp_path)
    assert len(timeless(tmp_path)) == 2 * len(SAMPLES)


@pytest.mark.parametrize("torn", [0, 1, 20, 200])
def test_a_run_that_was_killed_as_it_began_may_begin_again(
    whole: Path, tmp_path: Path, torn: int
) -> None:
    (tmp_path / ".lock").write_text("4242"[:torn], encoding="utf-8")
    (tmp_path / "config.json.new").write_bytes((whole / "config.json").read_bytes()[:torn])
    (tmp_path / "samples.jsonl").touch()
    ask(tmp_path)
    assert len(timeless(tmp_path)) == 2 * len(SAMPLES)


FOREIGN = {
    "a model": {"config.json": '{"architectures": ["X"]}', "model.safetensors": "weights"},
    "a list": {"config.json": "[1, 2]"},
    "other settings": {"config.json": '{"methods": "gcr", "questions": 3}'},
    "deep": {"config.json": "[" * 100_000},
    "a line without its end": {"samples.jsonl": '{"id": 1}'},
    "theirs beside": {"config.json.new": '{"architectures": ["X"]}'},
    "their lock": {".lock": "held by me"},
}


@pytest.mark.parametrize("files", FOREIGN.values(), ids=FOREIGN)
def test_what_no_run_wrote_is_left_as_it_is(tmp_path: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=str(tmp_path)) as raised:
        ask(tmp_path)
    assert raised.value.hint == "choose a new folder for this run"
    assert {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()} == files


def test_a_start_that_fails_takes_away_only_what_it_made(whole: Path, tmp_path: Path) -> None:
    settings_then = (whole / "config.json").read_bytes()
    (tmp_path / "config.json").write_bytes(settings_then)
    with pytest.raises(InputError, match="does not load"):
        ask(tmp_path, by=opens_crowd(tmp_path, fails="input"))
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]
    assert (tmp_path / "config.json").read_bytes() == settings_then


def test_answers_without_settings_are_refused(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").write_bytes((whole / "samples.jsonl").read_bytes())
    with pytest.raises(InputError, match="holds no run"):
        ask(tmp_path)


def test_a_damaged_line_is_named_and_nothing_is_lost(whole: Path, tmp_path: Path) -> None:
    lines = (whole / "samples.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "config.json").write_bytes((whole / "config.json").read_bytes())
    cut, zeros, byte = lines[3][:-9] + b"\n", bytearray(lines[3]), bytearray(lines[3])
    zeros[80:90], byte[-20] = bytes(10), 0xFF
    unnamed = lines[3].replace(b'"s2"', b'"\xff"', 1)
    for line in (b"oops\n", cut, bytes(zeros), bytes(byte), unnamed, b'{"schema": 1}\n'):
        damaged = b"".join([*lines[:3], line, *lines[4:]])
        (tmp_path / "samples.jsonl").write_bytes(damaged)
        with pytest.raises(InputError, match="samples.jsonl, line 4: is damaged") as raised:
            ask(tmp_path)
        assert "remove the line" in raised.value.hint
        assert (tmp_path / "samples.jsonl").read_bytes() == damaged


def test_settings_that_are_no_json(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").write_bytes((whole / "samples.jsonl").read_bytes())
    for text, said in (("{", "damaged"), ("[]", "no settings"), ('{"seed": 3}', "no settings")):
        (tmp_path / "config.json").write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=said):
            ask(tmp_path)


def test_a_start_that_fails_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    with pytest.raises(InputError, match="does not load"):
        ask(out, by=opens_crowd(tmp_path, fails="input"))
    assert not out.exists()


def test_one_writer(tmp_path: Path) -> None:
    made: Config = config(SAMPLES)
    with open_run(tmp_path, made, SAMPLES):
        said = f"another run .process {os.getpid()}. is writing to"
        with pytest.raises(InputError, match=said), open_run(tmp_path, made, SAMPLES):
            raise AssertionError("opened twice")
    ask(tmp_path)
    assert not (tmp_path / ".lock").exists()


SCRIPT = """
import sys
from pathlib import Path
from rich.console import Console
from groundwalk.agent.errors import GroundwalkError
from groundwalk.evaluation.runner.evaluate import run
from tests.evaluation.crowd import crowd, opens_crowd
from tests.evaluation.stubs import config
if __name__ == "__main__":
    out, seconds = Path(sys.argv[1]), float(sys.argv[2])
    samples = crowd(150)
    opened = opens_crowd(out.parent, seconds=seconds)
    try:
        run(samples, opened, out, config(samples), console=Console(quiet=True))
    except GroundwalkError as error:
        sys.exit(f"{error.message} ({error.hint})")
"""
ROOT = Path(__file__).parents[3]


def crowd_run(out: Path, seconds: float = 0.0, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(out), str(seconds)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.mark.slow
def test_killed_again_and_again_it_loses_at_most_what_was_in_flight(tmp_path: Path) -> None:
    out, kills, dice = tmp_path / "run", 0, random.Random(9)
    while kills < 4:
        before = len(asked_of(tmp_path)) if (tmp_path / "asked").exists() else 0
        running = crowd_run(out, 0.005)
        while not (tmp_path / "asked").exists() or len(asked_of(tmp_path)) <= before:
            assert running.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(dice.uniform(0.01, 0.15))
        running.send_signal(signal.SIGKILL)
        running.wait()
        kills += 1
    assert crowd_run(out).wait() == 0
    ids = [line["id"] for line in timeless(out)]
    assert ids == [sample.id for sample in crowd(150)]
    assert all(line["metrics"]["hits_at_1"] == 1 for line in timeless(out))
    assert len(asked_of(tmp_path)) <= len(ids) + kills  # each kill cost one question at most


def test_a_full_disk_is_one_line_and_the_file_stays_whole(tmp_path: Path) -> None:
    out, room = tmp_path / "run", 60_000

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    full = crowd_run(out, preexec_fn=little_room)
    _, said = full.communicate()
    assert full.returncode == 1
    assert len(said.splitlines()) == 1
    assert "samples.jsonl cannot be written: File too large (make room" in said
    written = (out / "samples.jsonl").read_bytes()
    assert written.endswith(b"}\n")
    assert 0 < len(written) <= room
    assert crowd_run(out).wait() == 0
    assert (out / "samples.jsonl").read_bytes().startswith(written)
    assert len(timeless(out)) == 150


def test_a_full_disk_is_no_internal_error() -> None:
    full = unwritable(Path("samples.jsonl"), OSError(28, "No space left on device"))
    assert (full.code, full.exit_code) == ("disk", 3)


def test_a_run_keeps_the_date_and_the_speed_that_it_began_with(tmp_path: Path) -> None:
    first = replace(config(SAMPLES[:2]), begun="2026-01-02T03:04:05+00:00", speed={"batch": 1})
    later = replace(config(SAMPLES), begun="2026-02-03T00:00:00+00:00", speed={"batch": 4})
    for samples, settings_then in ((SAMPLES[:2], first), (SAMPLES, later)):
        run(samples, opens(), tmp_path / "run", settings_then, console=QUIET)
    kept = json.loads((tmp_path / "run" / "config.json").read_text(encoding="utf-8"))
    assert kept["begun"] == first.begun and kept["speed"] == first.speed
    assert kept["questions"]["count"] == len(SAMPLES)
