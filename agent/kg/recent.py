"""What was read last, up to a bound."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Generic, TypeVar

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
        wanted = list(dict.fromkeys(keys))
        with self._lock:
            found = {key: self._values[key] for key in wanted if key in self._values}
        missing = [key for key in wanted if key not in found]
        new = read(missing) if missing else {}
        values = {key: found[key] if key in found else new[key] for key in wanted}
        self.put(values)
        return values
