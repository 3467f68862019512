"""Answering on Ray: Ray Data hands the questions to actors, each of which opens all once.

Ray starts an actor that dies again, with what it was asked. What ends it twice is recorded as an
error.
"""

import json
import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Generator, Sequence, Set
from contextlib import ExitStack
from typing import Any, cast

from ...agent.errors import GroundwalkError, InputError, ServiceError
from ...agent.kg.labels.names import one_line
from ..records import Asked, Record, failed
from .asking import Ask, OpenAsk, Task

_ATTEMPTS = 2
_LONGEST_REASON = 300
_MOST_SECONDS = 10.0
"""How long the threads of a run may take to end."""
LEFT_BEHIND = "Prefetcher"
"""Ray Data leaves threads of this name behind, which do nothing once a run has ended."""
_ENDS: dict[int, type[GroundwalkError]] = {2: InputError, 3: ServiceError}
"""The error that ends a run, by its exit code."""


class RayActors:
    """Answers tasks in Ray's actors; open it with `with`.

    Ray runs on this machine, or where `RAY_ADDRESS` says, and is left running only if it was. A
    node of a cluster that is lost costs the time of what was asked there.
    """

    def __init__(
        self, open_ask: OpenAsk, count: int | None, dataset: str, split: str, *, chunk: int = 1
    ) -> None:
        """`open_ask` can be pickled; `chunk` tasks are sent to an actor at once.

        Without a `count` there is an actor for each core of the cluster. What gets no answer is
        recorded under `dataset` and `split`. Raises InputError where Ray is not installed.
        """
        # A thread of Ray Data that outlives the run would start another Ray in this process.
        os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
        try:
            import ray
            import ray.data as data
        except ImportError as error:
            raise InputError("Ray is not installed", "pip install 'groundwalk[ray]'") from error
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        self._ray, self._data = cast(Any, ray), cast(Any, data)
        self._open_ask, self._filed, self._chunk = open_ask, (dataset, split), chunk
        self._count = count
        self._began = False
        self._threads = frozenset[threading.Thread]()

    def __enter__(self) -> "RayActors":
        """Start Ray, unless it runs. Raises ServiceError where it does not start."""
        if not self._ray.is_initialized():
            cores = self._count or len(os.sched_getaffinity(0))
            here = {"address": "local", "num_cpus": cores}
            where = {} if os.environ.get("RAY_ADDRESS") else here
            try:
                self._ray.init(
                    include_dashboard=False, log_to_driver=False, logging_level="ERROR", **where
                )
            except (OSError, RuntimeError, ValueError) as error:
                reason = one_line(str(error))[:_LONGEST_REASON]
                message = f"Ray did not start: {reason}"
                raise ServiceError(message, "look at RAY_ADDRESS, or ask again later") from error
            self._began = True
        self._threads = frozenset(threading.enumerate())
        return self

    def __exit__(self, *_: object) -> None:
        if not self._began:
            return
        # A thread of Ray Data that asks Ray for something afterwards would kill this process.
        deadline = time.monotonic() + _MOST_SECONDS
        try:
            while threads_since(self._threads) and time.monotonic() < deadline:
                time.sleep(0.05)
        finally:
            self._ray.shutdown()

    def __call__(self, tasks: Sequence[Task]) -> Generator[Record]:
        """The records of all tasks, as they come."""
        self._data.DataContext.get_current().enable_progress_bars = False
        chunks = [tasks[i : i + self._chunk] for i in range(0, len(tasks), self._chunk)]
        count = self._count or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        attempts = self._beside_us(_Attempts)
        stored = self._ray.put(chunks)
        indices = [{"index": index} for index in range(len(chunks))]
        answers = self._data.from_items(indices, override_num_blocks=len(indices)).map_batches(
            _Actor,
            fn_constructor_args=(self._open_ask, [stored], attempts, self._filed),
            batch_size=1,
            compute=self._data.ActorPoolStrategy(size=min(count, len(chunks))),
            num_cpus=1,
        )
        for row in answers.iter_rows():
            yield _record(row["record"])

    def _beside_us(self, actor: type) -> Any:
        """An actor on the node of this process, which no other node takes with it."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = NodeAffinitySchedulingStrategy(
            self._ray.get_runtime_context().get_node_id(), soft=False
        )
        return self._ray.remote(actor).options(num_cpus=0, scheduling_strategy=here).remote()


def threads_since(before: Set[threading.Thread]) -> set[threading.Thread]:
    """The threads that run now and did not before, but for those that Ray Data leaves behind."""
    return {t for t in threading.enumerate() if t not in before and t.name != LEFT_BEHIND}


class _Attempts:
    """An actor that outlives the others and knows what they began."""

    def __init__(self) -> None:
        self._begun = Counter[int]()

    def begin(self, index: int) -> int:
        """The number of the attempt at this chunk, from 1."""
        self._begun[index] += 1
        return self._begun[index]


class _Actor:
    """Opens all at its first tasks; what it cannot open ends the run."""

    def __init__(
        self, open_ask: OpenAsk, chunks: Sequence[Any], attempts: Any, filed: tuple[str, str]
    ) -> None:
        import ray

        self._get = cast(Any, ray).get
        self._chunks = cast("Sequence[Sequence[Task]]", self._get(chunks[0]))
        self._open_ask, self._attempts, self._filed = open_ask, attempts, filed
        self._opened = ExitStack()
        self._ask: Ask | None = None

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[str]]:
        index = int(batch["index"][0])
        tasks = self._chunks[index]
        try:
            if self._ask is None:
                self._ask = self._opened.enter_context(self._open_ask())
            if self._get(self._attempts.begin.remote(index)) > _ATTEMPTS:
                records = [self._lost(task) for task in tasks]
            else:
                records = list(self._ask(tasks))
        except GroundwalkError as error:
            end = {"message": error.message, "hint": error.hint, "exit_code": error.exit_code}
            return {"record": [json.dumps({"ended": end})]}
        return {"record": [json.dumps(record) for record in records]}

    def _lost(self, task: Task) -> Record:
        error = GroundwalkError("the Ray actor that worked on it ended twice")
        return failed(task.sample, Asked(*self._filed, task.method), error, 0.0)


def _record(line: str) -> Record:
    """A record; raises what ended the run in its place."""
    content = cast("dict[str, Any]", json.loads(line))
    if (end := content.get("ended")) is not None:
        raise _ENDS.get(end["exit_code"], GroundwalkError)(end["message"], end["hint"])
    return cast(Record, content)
