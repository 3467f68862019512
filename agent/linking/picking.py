"""Which of several candidates a reply means, where somebody was asked which one is meant."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..kg.labels.names import normalise

if TYPE_CHECKING:
    from ..records import Entity


def picked(reply: str, options: Sequence["Entity"]) -> list["Entity"]:
    """The options that a reply fits: exactly one where it is a choice.

    A number counts from 1. A name or term in full means its option, though others may contain it.
    Any other text fits all options with that text somewhere in their name or description, whatever
    its case, accents and punctuation. Digits fit whole words only, so that a number that counts
    nothing is no part of a year.
    """
    text = reply.strip()
    numbers = [str(number) for number, _ in enumerate(options, 1)]
    if (number := text.rstrip(".)")) in numbers:
        return [options[numbers.index(number)]]
    wanted = normalise(text)
    fits: tuple[Callable[[Entity], bool], ...] = (
        lambda option: text in (option["label"], option["term"]),
        lambda option: wanted == normalise(option["label"]),
        lambda option: any(_has(shown, wanted) for shown in _shown(option)),
    )
    for fit in fits:
        if fitting := [option for option in options if fit(option)]:
            return fitting if wanted else []
    return []


def _shown(option: "Entity") -> tuple[str, str]:
    """What a person sees of an option."""
    return option["label"], option["description"] or option["kind"]


def _has(shown: str, wanted: str) -> bool:
    text = normalise(shown)
    return f" {wanted} " in f" {text} " if wanted.isdecimal() else wanted in text
