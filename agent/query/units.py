"""Units of measure: which one a value has, and how many of another that is."""

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from ..kg.profile import Profile

if TYPE_CHECKING:
    from pint import UnitRegistry

_PLAIN = str.maketrans("²³·", "23*")
_NAMES = {"ha": "hectare", "h": "hour", "min": "minute", "kn": "knot", "°C": "degC", "°F": "degF"}
"""What profiles write where pint reads something else, or nothing."""
_UNIT = re.compile(r"[^\W\d]+(?:\*\*[23])?(?:[ */][^\W\d]+(?:\*\*[23])?)*|%")
_LONGEST = 40
_LAST_WORD = re.compile(r"\(([^()]+)\)\s*$|(\w{3,})\s*$")


def factor(unit: str, other: str) -> float | None:
    """How many of the other unit one of this unit is; None where that is not known."""
    if not unit or not other:
        return None
    return 1.0 if unit == other else _factor(unit, other)


def is_unit(text: str) -> bool:
    """Whether a text is known as a unit of measure."""
    return _parsed(text) is not None


def unit_of_datatype(datatype: str, profile: Profile) -> str:
    """The unit that a datatype stands for; the IRI itself where none is known."""
    return profile.unit_of.get(f"<{datatype}>", datatype)


@cache
def unit_in_name(name: str) -> str:
    """The unit that the name of a relation ends in, `height (m)` or `height in metres`; or none."""
    match = _LAST_WORD.search(name)
    text = (match[1] or match[2]) if match else ""
    return text if text and is_unit(text) else ""


@cache
def _factor(unit: str, other: str) -> float | None:
    pair = _parsed(unit), _parsed(other)
    if pair[0] is None or pair[1] is None:
        return None
    from pint import DimensionalityError

    try:
        return float(_registry().Quantity(1.0, pair[0]).to(pair[1]).magnitude)
    except DimensionalityError:
        return None


@cache
def _parsed(text: str) -> str | None:
    """The text as pint writes units; None where it is none, or one that cannot be multiplied.

    Such are degrees that start elsewhere than 0, and logarithmic units.
    """
    written = _NAMES.get(text, text).translate(_PLAIN)
    written = re.sub(r"(?<=[A-Za-z])([23])\b", r"**\1", written)
    if len(text) > _LONGEST or not _UNIT.fullmatch(written):
        return None
    from pint import UndefinedUnitError

    try:
        unit = _registry().Unit(written)
        one = _registry().Quantity(1.0, unit)
        _ = one / one
    except (UndefinedUnitError, ValueError, TypeError, AttributeError, AssertionError):
        return None
    except Exception as error:  # pint's parser has errors of its own, of no common class
        if type(error).__module__.startswith(("pint", "tokenize")):
            return None
        raise
    return None if unit.dimensionless else str(unit)


@cache
def _registry() -> "UnitRegistry[Any]":
    from pint import UnitRegistry

    return UnitRegistry(cache_folder=None)
