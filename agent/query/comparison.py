"""How the values of members compare: numbers, dates and texts, with their units."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import QuestionError
from ..kg.labels.names import local_name
from ..kg.nodes import lexical_form, literal_tag
from ..kg.terms import XSD, Term, is_literal
from ..records import AS_IT_IS, NOT_COMPARED
from .currencies import currencies_of
from .facts import DATE, NO_ONE, NUMBER, Facts, Ids, Pairs, distinct, starts_run
from .tree import Op
from .unit_signs import is_size
from .values import (
    factor,
    is_currency,
    is_name_of_unit,
    unit_in_iri,
    unit_in_name,
    unit_of_datatype,
    value_of,
)

Mask: TypeAlias = NDArray[np.bool_]
Sizes: TypeAlias = NDArray[np.float64]

_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_YEAR = re.compile(r"[1-9]\d{2,3}")
"""A number that is a year beside dates; one of three digits is so without a unit."""
_MONTH = re.compile(r"--(0[1-9]|1[0-2])")
"""A month of any year, as XSD writes it: `--05`."""
YEAR = 10_000.0
"""What a year is of `Quantity.number`."""
_GRAINS = {7: 100.0, 10: 1.0}
"""The same of a month and of a day, by the characters with which they are written."""
_LOOKED_AT = 3
"""Things that show whether a currency is said beside a number."""
_MANY_YEARS = re.compile(r"\d\d\d[xX]|-?\d\d[xX]{2}")
"""A decade or a century, as ISO 8601-2 writes them: `198X`, `19XX`. `-04XX` is 500 BC to 401 BC."""


# Operands and units


@dataclass(frozen=True)
class Operand:
    """What values are compared with: terms, and the text, number or date that was written."""

    terms: Ids = field(default_factory=lambda: NO_ONE)
    text: str | None = None
    number: float | None = None
    date: float | None = None
    grain: float = 0.0
    """What of a value is compared with the date: its day, month, year, decade or century.

    It is how much one of these adds to `Quantity.number`; with 0 all of the value is compared.
    """
    years: float = 0.0
    """The years of the decade or century that is compared with; 0 for another value."""
    is_yearly: bool = False
    """Whether of the date only the month is said, which comes every year."""
    unit: str = ""
    numbers: tuple[tuple[str, Sizes], ...] = ()
    """Further numbers, each of which may be equal: of each unit, sorted."""
    dates: Sizes = field(default_factory=lambda: np.zeros(0))
    """Further dates, each of which may be equal."""

    @property
    def amount(self) -> float | None:
        """The number that a count is compared with; None for a decade."""
        return None if self.years else self.number


def operand_of(text: str | int | float | bool, unit: str = "") -> Operand:
    """What a written value can be equal to, or larger than."""
    if isinstance(text, bool):
        return Operand(text="true" if text else "false")
    if isinstance(text, (int, float)):
        date = _date_of(str(text), unit) if _YEAR.fullmatch(str(text)) else None
        return Operand(number=float(text), date=date, unit=unit)
    stripped = text.strip()
    if _MANY_YEARS.fullmatch(stripped):
        years = 10.0 ** stripped.lower().count("x")
        first = float(stripped.lower().replace("x", "0"))
        first -= years * stripped.startswith("-")
        return Operand(
            text=stripped,
            number=first,
            date=first * YEAR,
            grain=years * YEAR,
            years=years,
            unit=unit,
        )
    if month := _MONTH.fullmatch(stripped):
        grain = _GRAINS[7]
        date = float(month[1]) * grain
        return Operand(text=stripped, date=date, grain=grain, is_yearly=True)
    if _GROUPED.fullmatch(stripped):
        stripped = stripped.replace(",", "")
    number = value_of(f'"{stripped}"') if re.fullmatch(r"[\w.+-]+", stripped) else None
    return Operand(
        text=text if number is None else stripped,
        number=number and number.number,
        date=_date_of(stripped, unit),
        grain=_GRAINS.get(len(stripped.removeprefix("-")), 0.0),
        unit=unit,
    )


def _date_of(text: str, unit: str) -> float | None:
    """The date that a text may be, as one number."""
    if _YEAR.fullmatch(text) and not unit:
        text = text.zfill(4)
    date = value_of(f'"{text}"^^<{XSD}dateTime>') if re.match(r"-?\d{4}", text) else None
    return date and date.number


def grain_of(operand: Operand, *, year: bool) -> float:
    """The `grain` with which dates are compared; with `year` it is at least that of a year.

    A month of any year is none of a year.
    """
    return max(operand.grain, YEAR) if year and not operand.is_yearly else operand.grain


def check_order(operand: Operand) -> None:
    """Raise QuestionError where nothing is larger or smaller than an operand: May has no order."""
    if operand.is_yearly:
        raise QuestionError("a month of any year has no order", "say of which year it is")


def number_for_having(text: str | int | float | bool | None) -> float:
    """The number of a condition on groups. Raises QuestionError where it is none."""
    number = operand_of("" if text is None else text).amount
    if number is None:
        raise QuestionError("`having` compares with a number", "give one as its value")
    return number


@dataclass
class Units:
    """Turns values into the unit of an operand, and notes what was converted."""

    facts: Facts
    relation: str
    """The display name of the relation, in which a unit may stand."""
    term: Term | None = None
    """The relation itself, of which a unit may be stated."""
    notes: list[str] = field(default_factory=list[str])
    notes_left_out: bool = True
    """Whether a note says which values do not convert; they are unequal to all others anyway."""

    @cached_property
    def unstated(self) -> str:
        """The unit of values that come without one; empty where that is not known."""
        in_name = unit_in_name(self.relation)
        if self.term is None:
            return in_name
        return self.facts.unit_of(self.term) or in_name or unit_in_iri(self.term)

    @property
    def shown(self) -> str:
        """The unit that a number of such values is shown with.

        *In year* is no unit of one, and a letter at the end of an IRI may be a size.
        """
        if self.term is not None and (stated := self.facts.unit_of(self.term)):
            return stated
        is_whole_word = is_name_of_unit(self.unstated) and not self.relation.endswith((")", "]"))
        may_be_size = is_size(self.unstated) and not unit_in_name(self.relation)
        return "" if is_whole_word or may_be_size else self.unstated

    @cached_property
    def currency(self) -> str:
        """The currency that the things with the relation have beside it; all where they differ.

        Empty where that is not known, as at an endpoint.
        """
        facts = self.facts
        if self.term is None or not facts.kg.pinned:
            return ""
        heads = facts.having(self.term)
        around = chain.from_iterable(facts.neighbours(facts.terms(heads[:_LOOKED_AT])))
        priced = (step for step in around if not step.inverse and _is_money(step.target))
        for relation in sorted({step.triple.relation for step in priced}):
            currencies = facts.terms(distinct(np.sort(facts.step(heads, relation, False).targets)))
            if all(map(_is_money, currencies)):
                return ", ".join(map(local_name, currencies))
        return ""

    def converted(self, sizes: Sizes, units: NDArray[np.int32], target: str) -> Sizes:
        """Sizes in the wanted unit; unchanged where a unit is not known.

        Where some convert, those of another known unit are no number: they compare with none. A
        number without a unit may be one of any that they have.
        """
        if not target:
            if len(known := self._distinct(units)) > 1:
                has = f"{self.relation or 'a value'} is in {', '.join(known)}"
                self.notes.append(f"{has}: compared with a number {AS_IT_IS}")
            return sizes
        sizes = sizes.copy()
        named = {number: self._named(number, target) for number in np.unique(units).tolist()}
        rates = {number: factor(unit, target) for number, unit in named.items()}
        some_convert = any(rate is not None for rate in rates.values())
        for number, rate in rates.items():
            unit, has_unit = named[number], units == number
            if rate is None and unit and some_convert:
                sizes[has_unit] = np.nan
                if self.notes_left_out:
                    self.notes.append(self.left_out(int(has_unit.sum()), f"in {unit}"))
            elif rate is None:
                self.notes.append(_not_converted(self.relation or "a value", unit, target))
            elif rate != 1.0:
                sizes[has_unit] *= rate
                self.notes.append(f"{self.relation} was converted from {unit} to {target}")
        return sizes

    def _distinct(self, units: NDArray[np.int32]) -> list[str]:
        """The units of values, each one once that others are the same as."""
        distinct_units = list[str]()
        for unit in map(self.facts.unit, np.unique(units).tolist()):
            if all(factor(unit, other) != 1.0 for other in distinct_units):
                distinct_units.append(unit or "no unit")
        return distinct_units

    def left_out(self, count: int, has: str) -> str:
        """The note on values that cannot be compared, and what tells them from the others."""
        values = "1 value" if count == 1 else f"{count:,} values"
        is_ = "is" if count == 1 else "are"
        return f"{values} of {self.relation or 'the set'} {has} {is_} left out"

    def _named(self, number: int, target: str) -> str:
        """The unit of values, of which those without one may have one that is stated."""
        unit = self.facts.unit(number) or self.unstated
        return unit or (self.currency if is_currency(target) else "")


def are_in_currency(facts: Facts, relation: Term, currency: str) -> bool:
    """Whether the numbers of a relation are all in a currency, or in none that is known."""
    if not is_currency(currency) or facts.kg.profile.skips(relation):
        return False
    (name,) = facts.kg.walk_labels.names([relation])
    units = Units(facts, name, relation)
    tags = map(literal_tag, facts.written(relation))
    of_datatypes = {
        "" if tag.startswith(XSD) else unit_of_datatype(tag, facts.kg.profile) for tag in tags
    }
    every = {unit or units.unstated or units.currency for unit in of_datatypes}
    return all(not unit or factor(unit, currency) == 1.0 for unit in every)


def _is_money(term: Term) -> bool:
    return bool(currencies_of(local_name(term)))


def _not_converted(name: str, unit: str, target: str) -> str:
    """The note on values in a unit, or in none, that does not convert into the wanted one.

    People leave out the currency of a price, so that a bare number is compared without a doubt.
    """
    if not unit and is_currency(target):
        return f"{name} has no currency that is known: its numbers are compared with {target}"
    has = f"in {unit}" if unit else "without a unit that is known"
    return f"{name} is {has}: compared with {target} {AS_IT_IS}"


# Comparisons


def compare(sizes: Sizes, op: Op, bound: float) -> Mask:
    """Which sizes compare so with the one that is wanted."""
    comparisons = {
        "=": np.equal,
        "!=": np.not_equal,
        "<": np.less,
        "<=": np.less_equal,
        ">": np.greater,
        ">=": np.greater_equal,
    }
    if op not in comparisons:
        raise QuestionError(f"numbers have no `{op}`", "it compares texts")
    return comparisons[op](sizes, bound)


def equal(facts: Facts, values: Ids, operand: Operand, units: Units, *, year: bool) -> Mask:
    """Which values are equal to an operand in any of its readings."""
    kinds, sizes, units_of = facts.measured(values)
    is_number = kinds == NUMBER
    mask = np.isin(values, operand.terms)
    numbers = operand.numbers
    if operand.number is not None:
        wanted = _coarse(np.array([operand.number]), operand.years)
        numbers = (*numbers, (operand.unit, wanted))
    for unit, wanted in numbers:
        converted = units.converted(sizes[is_number], units_of[is_number], unit)
        mask[is_number] |= _close_to_any(_coarse(converted, operand.years), wanted)
    dates = operand.dates if operand.date is None else np.array([operand.date])
    grain = grain_of(operand, year=year)
    in_year = sizes % YEAR if operand.is_yearly else sizes
    mask |= (kinds == DATE) & np.isin(_coarse(in_year, grain), _coarse(dates, grain))
    if operand.text is not None and not year:
        is_called_so = _texts(facts, values, "=", operand.text)
        if not all(map(is_literal, facts.terms(operand.terms))):
            # An entity is equal to itself, and not to its namesakes.
            is_called_so &= np.array([is_literal(term) for term in facts.terms(values)], bool)
        mask |= is_called_so
    return mask


def _close_to_any(sizes: Sizes, sorted_numbers: Sizes) -> Mask:
    """Which sizes are equal to one of some sorted numbers, but for the dust of floating point."""
    after = np.searchsorted(sorted_numbers, sizes)
    near = [
        sorted_numbers[np.clip(indices, 0, len(sorted_numbers) - 1)]
        for indices in (after - 1, after)
    ]
    return np.logical_or(*(np.isclose(sizes, size, rtol=1e-12, atol=0.0) for size in near))


def ordered(
    facts: Facts, values: Ids, op: Op, operand: Operand, units: Units, *, year: bool
) -> Mask:
    """Which values are larger or smaller than an operand. Raises QuestionError for names."""
    check_order(operand)
    kinds, sizes, units_of = facts.measured(values)
    is_number, is_date = kinds == NUMBER, kinds == DATE
    mask = np.zeros(len(values), bool)
    if operand.number is not None or operand.date is not None:
        as_number = is_number & (operand.number is not None)
        as_date = is_date & (operand.date is not None)
        if len(values) and not (as_number | as_date).any():
            raise _no_order(facts, values, op, units.relation)
        units.notes += _unread_numbers(facts, values[~(as_number | as_date)], units.relation)
        if operand.number is not None:
            converted = units.converted(sizes[is_number], units_of[is_number], operand.unit)
            bound = _coarse(np.array([operand.number]), operand.years)[0]
            mask[is_number] = compare(_coarse(converted, operand.years), op, bound)
        if operand.date is not None:
            grain = grain_of(operand, year=year)
            bound = _coarse(np.array([operand.date]), grain)[0]
            mask[is_date] = compare(_coarse(sizes[is_date], grain), op, bound)
    elif operand.text is None and len(operand.terms):
        raise _no_order(facts, operand.terms, op, units.relation)
    elif operand.text is not None and len(values):
        raise QuestionError(
            f"`{op}` compares numbers and dates, and {operand.text!r} is none", "use `=`"
        )
    return mask


def worded(facts: Facts, values: Ids, op: Op, operand: Operand) -> Mask:
    """Which values start with, end in or contain a text."""
    if operand.text is None and operand.number is not None:
        return _texts(facts, values, op, f"{operand.number:g}")
    if operand.text is None:
        raise QuestionError(f"`{op}` compares with a text", "give one as the value")
    return _texts(facts, values, op, operand.text)


def _texts(facts: Facts, values: Ids, op: Op, text: str) -> Mask:
    """Which values have a name that compares so with a text; capitals do not matter."""
    folded = text.casefold()

    def passes(name: str) -> bool:
        match op:
            case "starts":
                return name.startswith(folded)
            case "ends":
                return name.endswith(folded)
            case "contains":
                return folded in name
            case _:
                return name == folded

    pairs = facts.texts(values)
    names, inverse = np.unique(pairs.targets, return_inverse=True)
    passing = np.array([passes(facts.text(name).casefold()) for name in names], bool)
    return np.isin(values, pairs.sources[passing[inverse]] if len(names) else pairs.sources)


# Sizes


def largest(sizes: Sizes, pairs: Pairs, *, most: bool) -> NDArray[np.intp]:
    """For each source, in order, the index of its pair with the largest or smallest size."""
    if (np.diff(pairs.sources) > 0).all():
        return np.arange(len(sizes))
    order = np.lexsort((pairs.targets, -sizes if most else sizes, pairs.sources))
    return order[starts_run(pairs.sources[order])]


def comparable(
    facts: Facts, pairs: Pairs, units: Units, *, dates: bool = False
) -> tuple[Pairs, Sizes, str]:
    """The pairs whose values can be compared with each other, their sizes, and the common unit.

    Numbers where there are any, else dates with `dates`; all in the unit that most have. Values of
    a unit that does not convert into it are left out, with a note. Raises QuestionError for what
    has no order, and for dates without `dates`.
    """
    kinds, sizes, units_of = facts.measured(pairs.targets)
    mask = kinds == (DATE if dates and not (kinds == NUMBER).any() else NUMBER)
    if (kinds == DATE).any() and not mask.any():
        raise QuestionError(
            f"{units.relation or 'a group'} holds dates and no numbers",
            "sums and the like are of numbers; an `extreme` compares dates too",
        )
    if len(kinds) and not mask.any():
        raise _no_order(facts, pairs.targets, "<", units.relation)
    units.notes += _unread_numbers(facts, pairs.targets[~mask], units.relation)
    numbers, times = np.unique(units_of[mask], return_counts=True)
    common = int(numbers[times.argmax()]) if len(numbers) else 0
    unit, every = facts.unit(common), int(mask.sum())
    for number in numbers[numbers != common].tolist():
        other_unit = facts.unit(number)
        rate = factor(other_unit or units.unstated, unit or units.unstated)
        has_unit = mask & (units_of == number)
        if rate is None:
            mask &= ~has_unit
            has = f"in {other_unit}" if other_unit else "without a unit"
            units.notes.append(units.left_out(int(has_unit.sum()), has))
        else:
            sizes[has_unit] *= rate
    if every > 2 * mask.sum():
        units.notes.append(f"most values of {units.relation or 'the set'} {NOT_COMPARED}")
    return Pairs(pairs.sources[mask], pairs.targets[mask]), sizes[mask], unit


def _unread_numbers(facts: Facts, values: Ids, relation: str) -> list[str]:
    """The note on texts that may be numbers which are not read, as `c. 1640`; none without."""
    texts = (term for term in facts.terms(distinct(np.sort(values))) if is_literal(term))
    unread = [term for term in texts if any(map(str.isdigit, lexical_form(term)))]
    if not unread:
        return []
    (name,) = facts.kg.walk_labels.names(unread[:1])
    return [f"{relation or 'the set'} has values such as {name!r}, which {NOT_COMPARED}"]


def _no_order(facts: Facts, values: Ids, op: str, relation: str) -> QuestionError:
    value = facts.term(int(values[0]))
    (name,) = facts.kg.walk_labels.names([value])
    what = "texts" if is_literal(value) else "names"
    return QuestionError(
        f"{relation or 'a thing'} holds {what} such as {name!r}, which have no order",
        f"`{op}` and extremes compare numbers and dates",
    )


def _coarse(sizes: Sizes, grain: float) -> Sizes:
    """Sizes in whole grains; as they are with 0."""
    return np.floor(sizes / grain) if grain else sizes
