"""Answering in several processes, each of which opens the KG and the model once.

A process that dies (killed, out of memory) is replaced. What it was asked is asked once more, every
question by itself, and then recorded as an error.
"""

import os
import signal
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.util import Finalize
from types import FrameType
from typing import Literal, TypeAlias, cast

from ...agent.errors import GroundwalkError
from ..records import Asked, Record, failed
from .asking import OpenAsk, Task
from .run_lines import Key

_ATTEMPTS = 2
_PATIENCE = 30.0
"""Seconds that a process gets to end by itself: it may have traces to send."""

_Message: TypeAlias = Literal["ready"] | GroundwalkError | Record
"""What a process tells: that it needs tasks, what ended it, an answer."""


class Workers:
    """Answers tasks in processes; open it with `with`.

    Asking raises what a process raised, and GroundwalkError where none can be started.
    """

    def __init__(
        self, open_ask: OpenAsk, count: int, dataset: str, split: str, *, chunk: int = 1
    ) -> None:
        """`open_ask` can be pickled; `chunk` is how many tasks are sent to a process at once.

        What gets no answer is recorded under `dataset` and `split`.
        """
        self._open_ask, self._count, self._filed = open_ask, count, (dataset, split)
        self._chunk = chunk
        self._pool: list[_Worker] = []

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for worker in self._pool:
            worker.end(at_once=kind is not None)

    def __call__(self, tasks: Sequence[Task]) -> Generator[Record]:
        """The records of all tasks, as they come."""
        chunks = deque(tasks[i : i + self._chunk] for i in range(0, len(tasks), self._chunk))
        deaths = Counter[Key]()
        self._start(min(self._count, len(chunks)))
        while chunks or any(worker.tasks for worker in self._pool):
            for worker in self._pool:
                if worker.needy and chunks:
                    worker.give(chunks.popleft())
            heard = wait([worker.connection for worker in self._pool])
            for worker in [worker for worker in self._pool if worker.connection in heard]:
                message = worker.hear()
                if isinstance(message, GroundwalkError):
                    raise message
                if isinstance(message, dict):
                    yield message
                elif message is None:
                    yield from self._bury(worker, chunks, deaths)

    def _start(self, count: int) -> None:
        threads = max(1, len(os.sched_getaffinity(0)) // self._count)
        resource_tracker.ensure_running()  # it would let Ctrl-C through as it starts
        for _ in range(count):
            self._pool.append(_Worker(self._open_ask, threads))

    def _bury(
        self, worker: "_Worker", chunks: deque[Sequence[Task]], deaths: Counter[Key]
    ) -> Iterator[Record]:
        """Ask again what a dead process was asked, or record it as lost."""
        self._pool.remove(worker)
        worker.end(at_once=True)
        end = f"the process that worked on it ended ({worker.reason})"
        if worker.begun:
            self._start(1)
        elif not self._pool:
            raise GroundwalkError(
                f"a worker ended while it started ({worker.reason})",
                "make memory, or use fewer --workers",
            )
        for key, task in worker.tasks.items():
            deaths[key] += 1
            if deaths[key] < _ATTEMPTS:
                chunks.appendleft([task])
            else:
                asked = Asked(*self._filed, task.method)
                yield failed(task.sample, asked, GroundwalkError(end), 0.0)


class _Worker:
    """A process and what it was asked and has not answered."""

    def __init__(self, open_ask: OpenAsk, threads: int) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, open_ask, threads), daemon=True)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()  # with the mask: Ctrl-C is for the parent
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
        self.begun = self.needy = False
        self.tasks: dict[Key, Task] = {}

    @property
    def reason(self) -> str:
        """Why the process ended."""
        code = self._process.exitcode or 0
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"

    def give(self, tasks: Sequence[Task]) -> None:
        """Send tasks to a process that waits for them."""
        self.needy = False
        self.tasks = {Key(task.sample.id, task.method): task for task in tasks}
        with suppress(OSError):  # it is dead; `hear` will tell
            self.connection.send(tasks)

    def hear(self) -> _Message | None:
        """What the process says; None when it is dead."""
        try:
            message = cast(_Message, self.connection.recv())
        except (EOFError, OSError):
            return None
        if message == "ready":
            self.begun = self.needy = True
        elif isinstance(message, dict):
            self.tasks.pop(Key(message["id"], message["method"]), None)
        return message

    def end(self, *, at_once: bool) -> None:
        """Let the process end by itself, or else end it."""
        self.connection.close()
        if at_once:
            self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _leave(_signal: int, frame: FrameType | None) -> None:
    """End in order, so that nothing is left for Python to complain about.

    Inside a finaliser Python would swallow the end, so it is tried again, until it is not inside.
    """
    while frame is not None:
        if frame.f_code is Finalize.__call__.__code__:
            signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
            return
        frame = frame.f_back
    signal.setitimer(signal.ITIMER_REAL, 0)
    raise SystemExit


def _work(connection: Connection, open_ask: OpenAsk, threads: int) -> None:
    """What a process does until the connection is closed, also by the death of its parent."""
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGALRM, _leave)
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    with suppress(EOFError, ConnectionError):
        try:
            with open_ask() as ask:
                while True:
                    connection.send("ready")
                    for record in ask(connection.recv()):
                        connection.send(record)
        except (EOFError, ConnectionError):
            raise
        except GroundwalkError as error:
            connection.send(error)
        except Exception as error:
            line = " ".join(str(error).split())[:300]
            connection.send(GroundwalkError(f"internal error: {type(error).__name__}: {line}"))
        finally:
            for end in (signal.SIGTERM, signal.SIGALRM):
                signal.signal(end, signal.SIG_IGN)  # it ends by itself now
