"""Answering in Ray's actors on this machine, some of which are killed."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.evaluation.records import Record
from groundwalk.evaluation.runner.asking import OpenAsk, Task
from groundwalk.evaluation.runner.ray_run import RayActors, threads_since
from groundwalk.evaluation.samples import Sample

from ..crowd import asked_of, crowd, opens_crowd

pytestmark = pytest.mark.slow

ray: Any = pytest.importorskip("ray", reason="needs the extra `ray`")


@pytest.fixture(scope="module", autouse=True)
def _ray() -> Iterator[None]:
    """One Ray for all tests here, which `RayActors` finds running and leaves so."""
    ends, left = ray.shutdown, list[set[threading.Thread]]()
    with pytest.MonkeyPatch.context() as patch:
        with RayActors(opens_crowd(Path()), 2, "crowd", ""):
            assert ray.is_initialized()
            before = set(threading.enumerate())
            patch.setattr(ray, "shutdown", lambda: (left.append(threads_since(before)), ends()))
            yield
            threading.Thread(target=time.sleep, args=(1.0,)).start()
        assert not ray.is_initialized()
    assert left == [set()], "a thread that asks an ended Ray would kill this process"


def answers(opened: OpenAsk, samples: tuple[Sample, ...]) -> list[Record]:
    """What two actors answer, in the order of the questions."""
    tasks = [Task(sample, "gcr") for sample in samples]
    with RayActors(opened, 2, "crowd", "") as ask, closing(ask(tasks)) as records:
        return sorted(records, key=lambda record: record["id"])


def test_actors_say_the_same_and_what_kills_them_costs_itself_only(tmp_path: Path) -> None:
    samples = crowd(10, "kills", "kills once")
    found = {record["question"]: record for record in answers(opens_crowd(tmp_path), samples)}
    assert found["kills"]["error"] == "error: the Ray actor that worked on it ended twice"
    assert Counter(asked for asked, _ in asked_of(tmp_path))["kills"] == 2
    rest = tuple(sample for sample in samples if sample.question != "kills")
    (tmp_path / "asked").unlink()
    with opens_crowd(tmp_path)() as ask:
        plain = [sample for sample in rest if not sample.question.startswith("kills")]
        alone = list(ask([Task(sample, "gcr") for sample in plain]))
    assert [found[sample.question] for sample in plain] == alone
    assert found["kills once"]["status"] == "answered"
    assert ray.is_initialized()


def test_what_would_meet_every_question_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such tag"):
        answers(opens_crowd(tmp_path), crowd(3, "wrong setting"))
    with pytest.raises(InputError, match="does not load") as raised:
        answers(opens_crowd(tmp_path, fails="input"), crowd(3))
    assert raised.value.hint == "train it again"
