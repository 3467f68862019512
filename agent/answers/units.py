"""The units of answers that are numbers, and the same in the unit that a question asks for."""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

from ..errors import ServiceError
from ..kg.profile import Profile
from ..kg.terms import Term
from ..query.comparison import Units
from ..query.facts import Facts
from ..query.named_values import units_in
from ..query.question import Asked
from ..query.values import factor, unit_of_datatype, value_of
from ..records import Answer, Named
from .computed import Computed
from .texts import is_bare_number, number_text, to_be_read, with_unit

_MOST_CONVERTED = 5
"""Values that are shown in another unit."""


def with_units(facts: Facts, computed: Computed) -> Computed:
    """The answers, of which bare numbers have the unit that is known of their relation."""

    @cache
    def shown(term: Term, name: str) -> str:
        try:
            return Units(facts, name, term).shown
        except ServiceError:
            return ""

    def measured(answer: Answer) -> Answer:
        relation = _relation_to(answer)
        unit = shown(relation["term"], relation["label"]) if relation else ""
        return {**answer, "unit": unit} if unit else answer

    return replace(computed, answers=list(map(measured, computed.answers)))


def _relation_to(answer: Answer) -> Named | None:
    """The relation that leads to a bare number; None for other answers."""
    term = answer["term"]
    steps = (step for chain in answer["chains"] for step in reversed(chain))
    relations = (step["relation"] for step in steps if step["tail"]["term"] == term)
    return next(relations, None) if is_bare_number(term) else None


def converted(asked: Asked, computed: Computed, profile: Profile) -> list[str]:
    """The note on numbers in the first unit of a question that they convert into.

    There is none where some are in a unit of the question already.
    """
    numbers = [number for number in _numbers(computed, profile) if number.unit]
    names = [(mention.start, mention.end) for mention in asked.mentions.numbered]
    for unit in units_in(asked.question, names) if numbers else ():
        rates = [(factor(number.unit, unit), number) for number in numbers]
        if any(rate == 1.0 for rate, _ in rates):
            return []
        notes = [
            f"{number.text} are {number_text(to_be_read(number.size * rate), unit, profile)}"
            for rate, number in rates
            if rate is not None
        ]
        if notes:
            return ["; ".join(notes[:_MOST_CONVERTED])]
    return []


class _Number(NamedTuple):
    """A number with its unit, and how it is shown."""

    size: float
    unit: str
    text: str


def _numbers(computed: Computed, profile: Profile) -> list[_Number]:
    """The number that was computed; else the answers that are numbers."""
    result, numbers = computed.result, list[_Number]()
    size = None if result is None or result["kind"] == "truth" else result["value"]
    if result is not None and size is not None:
        unit = result.get("unit", "")
        return [_Number(size, unit, number_text(size, unit, profile))]
    for answer in computed.answers:
        if (value := value_of(answer["term"])) is not None and value.unit != "date":
            unit = answer.get("unit") or unit_of_datatype(value.unit, profile)
            numbers.append(_Number(value.number, unit, with_unit(answer)))
    return numbers
