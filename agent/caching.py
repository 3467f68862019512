"""What is kept in memory: values made once, the last ones up to a bound, things that threads take.

All are safe to share between threads.
"""

from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Generic, TypeVar

Made = TypeVar("Made")


def once(make: Callable[[], Made]) -> Callable[[], Made]:
    """A function that makes its value at the first call; threads that call meanwhile wait for it.

    What `make` raises is raised, and the next call makes it again.
    """
    lock, values = Lock(), list[Made]()

    def get() -> Made:
        if not values:
            with lock:
                if not values:
                    values.append(make())
        return values[0]

    return get


Lent = TypeVar("Lent")


class Pool(Generic[Lent]):
    """As many as were ever in use at the same time."""

    def __init__(self, make: Callable[[], Lent]) -> None:
        self._make = make
        self._free = list[Lent]()

    @contextmanager
    def lent(self) -> Generator[Lent]:
        """One that nobody else uses within the block."""
        try:
            lent_value = self._free.pop()
        except IndexError:
            lent_value = self._make()
        try:
            yield lent_value
        finally:
            self._free.append(lent_value)


K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Remembers the values of the keys used last. Safe to share between threads."""

    def __init__(self, most: int) -> None:
        self.most = most
        """Keys that are remembered at most."""
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """The value of a key, where it is remembered."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, values: Mapping[K, V]) -> None:
        """Remember values, and forget the oldest beyond the bound."""
        with self._lock:
            for key, value in values.items():
                self._values[key] = value
                self._values.move_to_end(key)
            while len(self._values) > self.most:
                self._values.popitem(last=False)

    def take(self, keys: Iterable[K], read: Callable[[list[K]], Mapping[K, V]]) -> dict[K, V]:
        """The value of each key; those not remembered are read, all together."""
        distinct = list(dict.fromkeys(keys))
        with self._lock:
            remembered = {key: self._values[key] for key in distinct if key in self._values}
        missing = [key for key in distinct if key not in remembered]
        fresh = read(missing) if missing else {}
        values = {key: remembered[key] if key in remembered else fresh[key] for key in distinct}
        self.put(values)
        return values
