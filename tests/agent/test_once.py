"""A value that many threads need at once is made once."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier
from time import sleep

import pytest
from groundwalk.agent.caching import once

THREADS = 8


def test_threads_that_ask_at_once_get_the_one_value() -> None:
    numbers, together = count(), Barrier(THREADS)

    def make() -> int:
        sleep(0.05)
        return next(numbers)

    get = once(make)

    def ask() -> int:
        together.wait()
        return get()

    with ThreadPoolExecutor(THREADS) as threads:
        asked = [threads.submit(ask) for _ in range(THREADS)]
        assert [one.result() for one in asked] == [0] * THREADS


def test_what_failed_is_made_again() -> None:
    numbers = count()

    def make() -> int:
        if (number := next(numbers)) == 0:
            raise OSError("not yet")
        return number

    get = once(make)
    with pytest.raises(OSError, match="not yet"):
        get()
    assert get() == get() == 1
