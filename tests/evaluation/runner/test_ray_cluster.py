"""Answering on a Ray cluster of two nodes on this machine, one of which is lost."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from groundwalk.evaluation.records import Record
from groundwalk.evaluation.runner.asking import Task
from groundwalk.evaluation.runner.ray_run import RayActors

from ...cli.test_cli import COMMAND
from ..crowd import asked_of, crowd, opens_crowd

ray: Any = pytest.importorskip("ray", reason="needs the extra `ray`")
pytestmark = pytest.mark.slow

NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 * 1024 * 1024}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Two nodes of a core each, which `RAY_ADDRESS` names."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_worker_niceness", "0")  # a busy machine would starve the actors
    made: Any = Cluster(initialize_head=True, head_node_args=NODE | {"include_dashboard": False})
    made.add_node(**NODE)
    monkeypatch.setenv("RAY_ADDRESS", made.address)
    yield made
    ray.shutdown()
    made.shutdown()


def test_what_a_lost_node_was_asked_is_asked_again(cluster: Any, tmp_path: Path) -> None:
    samples = crowd(16)
    tasks = [Task(sample, "gcr") for sample in samples]
    found = list[Record]()
    with (
        RayActors(opens_crowd(tmp_path, seconds=0.2), None, "crowd", "") as ask,
        closing(ask(tasks)) as records,
    ):
        assert int(ray.cluster_resources()["CPU"]) == 2
        for record in records:
            found.append(record)
            if len(found) == 3:
                (other,) = [node for node in cluster.list_all_nodes() if not node.head]
                cluster.remove_node(other, allow_graceful=False)
    assert not ray.is_initialized()
    processes = {process for _, process in asked_of(tmp_path)}
    assert len(processes) > 1 and os.getpid() not in processes
    with opens_crowd(tmp_path)() as alone:
        assert sorted(map(timeless, found), key=str) == [timeless(r) for r in alone(tasks)]


def test_eval_run_says_the_same_on_a_cluster_and_goes_on_there(
    cluster: Any, tmp_path: Path
) -> None:
    run(tmp_path, "whole", "--limit", "6", "--method", "words")
    run(tmp_path, "spread", "--limit", "2", "--method", "words")
    run(tmp_path, "spread", "--limit", "6", "--method", "words", "--ray")
    whole, spread = (lines(tmp_path / name) for name in ("whole", "spread"))
    assert len(whole) == 6
    assert sorted(map(timeless, spread), key=str) == sorted(map(timeless, whole), key=str)


def timeless(record: Record) -> dict[str, Any]:
    """A record without how long it took."""
    return {**record, "seconds": 0, "usage": {**record["usage"], "seconds": 0}}


def lines(out: Path) -> list[Record]:
    return [json.loads(line) for line in (out / "samples.jsonl").read_text("utf-8").splitlines()]


def run(home: Path, out: str, *options: str) -> None:
    command = [*COMMAND, "eval", "run", "--dataset", "world", "--out", out, *options]
    done = subprocess.run(command, cwd=home, env={**os.environ}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
