"""Options of the methods from text, as the command line and run directories give them."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from .errors import InputError
from .state import Options


def read_options(pairs: Sequence[str], base: Options | None = None) -> Options:
    """`base` with what texts such as `width=5` or `planning=random` set; `none` unsets.

    Raises InputError for a text of another form, an option that there is none of, or a value that
    it cannot have.
    """
    values: dict[str, Any] = {}
    hints = get_type_hints(Options)
    for pair in pairs:
        name, sign, text = pair.partition("=")
        name = name.strip().replace("-", "_")
        if not sign:
            raise InputError(f"--set {pair}: is not NAME=VALUE", "such as --set width=5")
        if name not in hints:
            near = get_close_matches(name, hints, 3) or sorted(hints)
            raise InputError(f"there is no option {name!r}", f"there are {', '.join(near)}")
        values[name] = _value(name, hints[name], text.strip())
    return replace(base or Options(), **values)


def paper_options(options: Options, paper: Mapping[str, Any]) -> Options:
    """The settings of a method's paper, for every option that is as it is when nobody sets it."""
    unset = Options()
    free = {own.name for own in fields(Options) if _same(options, unset, own.name)}
    return replace(options, **{name: value for name, value in paper.items() if name in free})


def _same(options: Options, unset: Options, name: str) -> bool:
    return getattr(options, name) == getattr(unset, name)


def _value(name: str, kind: Any, text: str) -> Any:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    try:
        return adapter.validate_python(None if text.lower() == "none" else text)
    except ValidationError:
        pass
    try:
        return adapter.validate_python(text)
    except ValidationError as error:
        reason = error.errors()[0]["msg"].lower()
        raise InputError(f"the option {name} cannot be {text!r}", reason) from error
