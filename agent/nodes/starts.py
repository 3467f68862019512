"""A search from each of several topics alone: one with many ends would crowd out the others."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from ..errors import NoPathError

Start = TypeVar("Start")
Found = TypeVar("Found")


def of_each(starts: Iterable[Start], search: Callable[[Start], Found]) -> list[Found]:
    """What the starts lead to that lead anywhere; raises NoPathError where none does."""
    found, missed = list[Found](), list[NoPathError]()
    for start in starts:
        try:
            found.append(search(start))
        except NoPathError as error:
            missed.append(error)
    if missed and not found:
        raise missed[0]
    return found
