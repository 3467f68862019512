"""How much memory a call needs at its peak, in megabytes."""

import resource
import tracemalloc
from collections.abc import Callable
from pathlib import Path

_PROCESS = Path("/proc/self")


def python_peak(run: Callable[[], object]) -> float:
    """What Python and numpy allocate for a call; tensors are not in it."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def resident_peak(run: Callable[[], object]) -> float:
    """The most that the whole process holds during a call, model and tensors included.

    Where the system cannot forget an earlier peak, it is the highest peak so far.
    """
    try:
        (_PROCESS / "clear_refs").write_text("5")
        run()
        status = (_PROCESS / "status").read_text().splitlines()
        return next(int(line.split()[1]) / 1e3 for line in status if line.startswith("VmHWM"))
    except OSError:
        run()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
