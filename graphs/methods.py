"""Every method by its name, and the options it is asked with.

The file of a method is imported when it is first asked for.
"""

from collections.abc import Collection, Iterator, MutableMapping
from dataclasses import fields
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

from ..agent.errors import InputError
from ..agent.options import Options, paper_options

if TYPE_CHECKING:
    from ..agent.llm.model_folder import ModelSettings
    from .method import Method


class _Methods(MutableMapping[str, "Method"]):
    """A method is known by where it is, as `module.NAME` in this package, or is there itself."""

    def __init__(self, places: dict[str, str]) -> None:
        self._known: dict[str, Method | str] = {**places}

    def __getitem__(self, name: str) -> "Method":
        known = self._known[name]
        if isinstance(known, str):
            module, _, attribute = known.partition(".")
            method: Method = getattr(import_module(f".{module}", __package__), attribute)
            known = self._known[name] = method
        return known

    def __setitem__(self, name: str, method: "Method | str") -> None:
        self._known[name] = method

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


METHODS = _Methods(
    {
        "gcr": "gcr.GCR",
        "query": "query.QUERY",
        "dog": "dog.DOG",
        "plan": "plan.PLAN",
        "rog": "rog.ROG",
        "tog": "tog.TOG",
        "tot": "tot.TOT",
        "paths": "paths.PATHS",
        "retrieve": "retrieve.RETRIEVE",
        "direct": "direct.DIRECT",
        "cot": "cot.COT",
        "cot-sc": "cot.COT_SC",
        "structlm": "direct.STRUCTLM",
        "words": "plan.WORDS",
        "lookup": "plan.LOOKUP",
    }
)
"""Every method by the name that `--method` takes."""


def default_method(settings: "ModelSettings") -> str:
    """The method that answers with such a model, where the user names none."""
    return "query" if "query" in settings.formats else "gcr"


def method_named(name: str) -> "Method":
    """The method of a name. Raises InputError where there is none."""
    check_method(name)
    return METHODS[name]


def check_method(name: str) -> None:
    """Raise InputError where no method has this name; no method is imported for that."""
    if name not in METHODS:
        near = get_close_matches(name.lower(), METHODS, n=3)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise InputError(f"there is no method {name!r}", f"{meant}methods: {', '.join(METHODS)}")


def method_options(
    name: str, options: Options, *, paper: bool = False, user_set: Collection[str] = ()
) -> Options:
    """The options with which a method is asked; with `paper` its paper's, less what a user set.

    No paper reads questions as queries.

    Raises InputError for an unknown method, and for options that it cannot be used with.
    """
    method = method_named(name)
    without = {**method.paper, "queries": False}
    chosen = paper_options(options, without, user_set) if paper else options
    method.check(chosen)
    return chosen


def unused(name: str, options: Options, user_set: Collection[str] = ()) -> list[str]:
    """A note on the options that a user set and that a method does not use, where there are any.

    Set are those in `user_set`, and those that are not as they are by default.
    """
    from .method import COMMON

    read, unset = COMMON | method_named(name).uses, Options()
    names = [option.name for option in fields(Options) if option.name not in read]
    given = [n for n in names if n in user_set or getattr(options, n) != getattr(unset, n)]
    return [f"{name} does not use {', '.join(given)}"] if given else []
