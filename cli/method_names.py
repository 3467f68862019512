"""The names that `--method` takes, to refuse another one before anything large is imported."""

from difflib import get_close_matches

from ..agent.errors import InputError

METHOD_NAMES = (
    "gcr",
    "dog",
    "plan",
    "rog",
    "tog",
    "tot",
    "paths",
    "retrieve",
    "direct",
    "cot",
    "cot-sc",
    "structlm",
    "words",
    "lookup",
)
"""Those of `graphs.METHODS`, in its order."""


def chosen_method(given: str | None) -> str:
    """The method that `--method` names, else the settings. Raises InputError for no method."""
    from ..agent.settings import read_settings

    method = given or read_settings().method
    check_methods(method)
    return method


def check_methods(*names: str) -> None:
    """Raise InputError for the first name that no method has."""
    for name in names:
        if name not in METHOD_NAMES:
            near = get_close_matches(name.lower(), METHOD_NAMES, n=3)
            meant = f"did you mean {' or '.join(near)}? " if near else ""
            raise InputError(
                f"there is no method {name!r}", f"{meant}methods: {', '.join(METHOD_NAMES)}"
            )
