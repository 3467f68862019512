"""Numbers that say how much something is, as a value of the KG may: `the 8,611 m peak`."""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import dropwhile
from typing import NamedTuple

from .mentions import Span, Token, in_words
from .words import singular

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_AMOUNT = re.compile(
    r"(?<!\S)(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)"
    r"(?:[\s-]?(?P<unit>[^\W\d_]+)(?![\w/]|\s+(?:of|from|to|off|away|apart|wide|deep|thick)\b)"
    r"|(?=\s*(?:[?!.,;](?!\d)|$)))"
)
"""With the words that tell what is measured where that is no entity: `74 km from the sea`."""
_BOUND = re.compile(
    r"[<>\u2264\u2265]|n['\u2019]t\b|\b(?:not|no|never|than|more|less|fewer|least|most|over|under"
    r"|above(?! sea level)|below|beyond|between|exceed\w*|up|upwards?|plus|minimum|maximum|higher"
    r"|lower|longer|shorter|taller|bigger|larger|greater|smaller)\b",
    re.I,
)
"""What makes of a number a bound, wherever it stands: `8,000 m or higher`."""
_BEFORE = frozenset(
    """
    a an are be exactly flows has have is just measures measuring of only precisely rises runs s
    stands the was with
    """.split()
)
"""Words before a number that is meant as it stands: `is only 74 km long`, not `over 74 km`."""
_UNITS = {
    form: forms.split()[0]
    for forms in (
        "metre meter m",
        "kilometre kilometer km",
        "centimetre centimeter cm",
        "foot feet ft",
        "mile mi",
        "kilogram kg",
        "tonne ton",
    )
    for form in forms.split()
}


class Amount(NamedTuple):
    """A number of the question, and its `text` as a value spells it."""

    span: Span
    text: str


def amount(question: str, tokens: Sequence[Token], relations: Collection[str]) -> Amount | None:
    """The number that a question gives for what it asks about; none beside a second number.

    A unit follows it, one of those that the names of `relations` have if these have any: what is
    `height in metres` is not found by feet. Else such a name comes before, as in `a height of
    8611`. So bounds, years, counts and numbers in names are none.
    """
    match = _AMOUNT.search(question)
    span = in_words(tokens, *match.span("number")) if match else None
    if match is None or span is None:
        return None
    if len(_NUMBER.findall(question)) > 1 or _BOUND.search(question):
        return None
    before = [token.norm for token in tokens[: span.first]]
    if unit := match["unit"]:
        leads = not before or before[-1] in _BEFORE | set(relations)
        meant = leads and _is_unit(unit.lower(), relations)
    else:
        leading = next(dropwhile(_BEFORE.__contains__, reversed(before)), "")
        meant = leading in relations
    return Amount(span, match["number"].replace(",", "")) if meant else None


def _is_unit(word: str, relations: Iterable[str]) -> bool:
    unit = _UNITS.get(singular(word))
    used = {_UNITS.get(singular(word)) for name in relations for word in name.split()} - {None}
    return unit is not None and (not used or unit in used)
