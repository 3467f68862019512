"""Fields of a row as what a sample is made of; each raises ValueError with the reason."""

from collections.abc import Iterator
from typing import cast

from ..packed import PackedTriples, pack
from ..samples import NamedTriple
from .reading import Row


def sample_id(row: Row, value: object) -> str:
    """The id that the dataset gives, else one of the file's name and the row's number."""
    if value is None:
        return f"{row.file.stem}-{row.number:06}"
    if isinstance(value, str | int) and not isinstance(value, bool):
        return text(str(value), "id")
    raise ValueError("`id` is neither text nor a whole number")


def text(value: object, name: str, *, empty: bool = False) -> str:
    """A text without blanks around it; none, or a blank one, only where it may be `empty`."""
    if value is None:
        if empty:
            return ""
        raise ValueError(f"`{name}` is missing")
    if not isinstance(value, str) or not (empty or value.strip()):
        raise ValueError(f"`{name}` is not a text, or an empty one")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"`{name}` holds half a character") from None
    return value.strip()


def items(value: object, name: str, *, optional: bool = False) -> list[object]:
    """A list; the empty one where an `optional` one is missing."""
    if optional and value is None:
        return []
    if not isinstance(value, list):
        raise ValueError(f"`{name}` is missing" if value is None else f"`{name}` is not a list")
    return cast("list[object]", value)


def texts(value: object, name: str, *, optional: bool = False) -> tuple[str, ...]:
    """A list of texts, which may be missing where it is `optional`."""
    return tuple(text(item, name) for item in items(value, name, optional=optional))


def record(value: object, name: str, *, optional: bool = False) -> dict[str, object]:
    """An object; the empty one where an `optional` one is missing."""
    if optional and value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"`{name}` is missing" if value is None else f"`{name}` is not an object")
    return cast("dict[str, object]", value)


def chain(value: object, name: str) -> tuple[NamedTriple, ...]:
    """A list of triples of names."""
    return tuple(_triples(value, name))


def graph(value: object, name: str) -> PackedTriples:
    """A list of triples of names, each kept once."""
    return pack(_triples(value, name))


def _triples(value: object, name: str) -> Iterator[NamedTriple]:
    known: dict[object, str] = {}
    for item in items(value, name):
        own = items(item, name)
        if len(own) != 3:
            raise ValueError(f"`{name}` holds something else than [head, relation, tail]")
        for part in own:
            if not isinstance(part, str) or part not in known:
                known[part] = text(part, name)
        yield known[own[0]], known[own[1]], known[own[2]]
