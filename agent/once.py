"""Values that are made when they are first needed, and once: also where many threads need them."""

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

Made = TypeVar("Made")


def once(make: Callable[[], Made]) -> Callable[[], Made]:
    """A function that makes its value at the first call; threads that call meanwhile wait for it.

    What `make` raises is raised, and the next call makes it again.
    """
    lock, made = Lock(), list[Made]()

    def get() -> Made:
        if not made:
            with lock:
                if not made:
                    made.append(make())
        return made[0]

    return get
