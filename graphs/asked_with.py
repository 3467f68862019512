"""The options that a method is asked with, from those that a user set."""

from collections.abc import Collection
from dataclasses import fields

from ..agent.options import Options, paper_options
from .method import COMMON
from .methods import method_named


def method_options(
    name: str, options: Options, *, paper: bool = False, kept: Collection[str] = ()
) -> Options:
    """The options with which a method is asked; with `paper` its paper's, less those in `kept`.

    No paper reads questions as queries.

    Raises InputError for an unknown method, and for options that it cannot be used with.
    """
    method = method_named(name)
    without = {**method.paper, "queries": False}
    own = paper_options(options, without, kept) if paper else options
    method.check(own)
    return own


def unused(name: str, options: Options, kept: Collection[str] = ()) -> list[str]:
    """A note on the options that a user set and that a method does not use, where there are any.

    Set are those in `kept`, and those that are not as they are by default.
    """
    read, unset = COMMON | method_named(name).uses, Options()
    names = [own.name for own in fields(Options) if own.name not in read]
    given = [n for n in names if n in kept or getattr(options, n) != getattr(unset, n)]
    return [f"{name} does not use {', '.join(given)}"] if given else []
