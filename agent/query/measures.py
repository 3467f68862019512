"""Values of members, and how they compare: numbers, dates and texts, with their units."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import QuestionError
from ..kg.terms import RelationPath, Term, Triple, is_literal
from ..kg.terms import Step as TripleStep
from .facts import DATE, NUMBER, Facts, Ids, Pairs
from .tree import Op
from .units import factor, unit_in_name
from .values import value_of

Mask: TypeAlias = NDArray[np.bool_]

_XSD = "http://www.w3.org/2001/XMLSchema#"
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_YEAR = re.compile(r"[1-9]\d{3}")
_DATES = {4: "gYear", 7: "gYearMonth", 10: "date"}


@dataclass(frozen=True)
class Operand:
    """What values are compared with: terms, and the text, number or date that was written."""

    terms: Ids
    text: str | None = None
    number: float | None = None
    date: float | None = None
    unit: str = ""
    numbers: tuple[tuple[str, NDArray[np.float64]], ...] = ()
    """Further numbers, each of which may be equal: of each unit, sorted."""
    dates: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """Further dates, each of which may be equal."""


@dataclass
class Units:
    """Turns values into the unit of an operand, and keeps what is to be told of that."""

    facts: Facts
    relation: str
    """The display name of the relation, in which a unit may stand."""
    notes: list[str] = field(default_factory=list[str])

    def converted(self, sizes: NDArray[np.float64], units: NDArray[np.int32], wanted: str):
        """Sizes in the wanted unit; as they are where a unit is not known."""
        if not wanted:
            return sizes
        sizes = sizes.copy()
        for number in np.unique(units).tolist():
            unit = self.facts.unit(number) or unit_in_name(self.relation)
            rate = factor(unit, wanted)
            if rate is None:
                has = f"in {unit}" if unit else "without a unit that is known"
                self.notes.append(
                    f"{self.relation or 'a value'} is {has}: compared with {wanted} as it is"
                )
            elif rate != 1.0:
                sizes[units == number] *= rate
                self.notes.append(f"{self.relation} was converted from {unit} to {wanted}")
        return sizes


def operand_of(text: str | int | float | bool, unit: str, terms: Ids) -> Operand:
    """What a value of a query can be equal to, or larger than."""
    if isinstance(text, bool):
        return Operand(terms, "true" if text else "false")
    if isinstance(text, (int, float)):
        year = value_of(f'"{text}"^^<{_XSD}gYear>') if _YEAR.fullmatch(str(text)) else None
        return Operand(terms, None, float(text), year and year.number, unit)
    plain = text.strip()
    if _GROUPED.fullmatch(plain):
        plain = plain.replace(",", "")
    number = value_of(f'"{plain}"') if re.fullmatch(r"[\w.+-]+", plain) else None
    kind = _DATES.get(len(plain), "dateTime")
    date = value_of(f'"{plain}"^^<{_XSD}{kind}>') if re.match(r"\d{4}", plain) else None
    return Operand(
        terms,
        plain if number is not None else text,
        None if number is None else number.number,
        None if date is None else date.number,
        unit,
    )


def follow(facts: Facts, ids: Ids, hops: RelationPath) -> Pairs:
    """From each of a set to what the hops lead to, each pair once, sorted."""
    if len(hops) == 1:
        return facts.step(ids, *hops[0])
    pairs = Pairs(ids, ids)
    for relation, inverse in hops:
        nodes, places = np.unique(pairs.targets, return_inverse=True)
        steps = facts.step(nodes, relation, inverse)
        joined = _joined(pairs.sources, nodes[places], steps)
        pairs = Pairs(*_distinct(joined.sources, joined.targets))
    return pairs


def trace(facts: Facts, start: int, hops: RelationPath, end: int) -> tuple[TripleStep, ...]:
    """One walk along the hops from a node to another that they lead to."""
    levels = [np.array([start])]
    steps = list[Pairs]()
    for relation, inverse in hops:
        steps.append(facts.step(levels[-1], relation, inverse))
        levels.append(np.unique(steps[-1].targets))
    walk = list[TripleStep]()
    for (relation, inverse), pairs in zip(reversed(hops), reversed(steps), strict=True):
        before = int(pairs.sources[pairs.targets == end].min())
        walk.append(triple_step(facts, before, relation, inverse, end))
        end = before
    return tuple(reversed(walk))


def triple_step(
    facts: Facts, source: int, relation: Term, inverse: bool, target: int
) -> TripleStep:
    """The step between two nodes."""
    head, tail = (target, source) if inverse else (source, target)
    return TripleStep(Triple(facts.term(head), relation, facts.term(tail)), inverse)


def counts(pairs: Pairs, ids: Ids) -> NDArray[np.int64]:
    """How many pairs each of a set has."""
    return np.bincount(np.searchsorted(ids, pairs.sources), minlength=len(ids))


def holding(numbers: NDArray[np.float64], op: Op, wanted: float) -> Mask:
    """Which numbers compare so with the one that is wanted."""
    match op:
        case "=":
            return numbers == wanted
        case "!=":
            return numbers != wanted
        case "<":
            return numbers < wanted
        case "<=":
            return numbers <= wanted
        case ">":
            return numbers > wanted
        case ">=":
            return numbers >= wanted
        case _:
            raise QuestionError(f"numbers have no `{op}`", "it compares texts")


def equal(facts: Facts, values: Ids, operand: Operand, units: Units, *, year: bool) -> Mask:
    """Which values are equal to an operand in any of its readings."""
    kinds, sizes, units_of = facts.measured(values)
    mask = np.isin(values, operand.terms)
    for unit, numbers in operand.numbers:
        converted = units.converted(sizes[kinds == NUMBER], units_of[kinds == NUMBER], unit)
        mask[kinds == NUMBER] |= _close_to_any(converted, numbers)
    if len(operand.dates):
        mask |= (kinds == DATE) & np.isin(_dates(sizes, year), _dates(operand.dates, year))
    if operand.number is not None:
        converted = units.converted(sizes[kinds == NUMBER], units_of[kinds == NUMBER], operand.unit)
        mask[kinds == NUMBER] |= np.isclose(converted, operand.number, rtol=1e-12, atol=0.0)
    if operand.date is not None:
        mask |= (kinds == DATE) & (_dates(sizes, year) == _dates(np.array([operand.date]), year)[0])
    if operand.text is not None and not year:
        called = _texts(facts, values, "=", operand.text)
        if not all(map(is_literal, facts.terms(operand.terms))):
            # An entity is equal to itself, and not to its namesakes.
            called &= np.array([is_literal(term) for term in facts.terms(values)], bool)
        mask |= called
    return mask


def _close_to_any(sizes: NDArray[np.float64], wanted: NDArray[np.float64]) -> Mask:
    """Which sizes are equal to one of some sorted numbers, but for the dust of floating point."""
    after = np.searchsorted(wanted, sizes)
    near = [wanted[np.clip(places, 0, len(wanted) - 1)] for places in (after - 1, after)]
    return np.logical_or(*(np.isclose(sizes, own, rtol=1e-12, atol=0.0) for own in near))


def ordered(
    facts: Facts, values: Ids, op: Op, operand: Operand, units: Units, *, year: bool
) -> Mask:
    """Which values are larger or smaller than an operand. Raises QuestionError for names."""
    kinds, sizes, units_of = facts.measured(values)
    numbers, dates = kinds == NUMBER, kinds == DATE
    mask = np.zeros(len(values), bool)
    if operand.number is not None or operand.date is not None:
        as_number = numbers & (operand.number is not None)
        as_date = dates & (operand.date is not None)
        if len(values) and not (as_number | as_date).any():
            raise _no_order(facts, values, op, units.relation)
        if operand.number is not None:
            converted = units.converted(sizes[numbers], units_of[numbers], operand.unit)
            mask[numbers] = holding(converted, op, operand.number)
        if operand.date is not None:
            wanted = _dates(np.array([operand.date]), year)[0]
            mask[dates] = holding(_dates(sizes[dates], year), op, wanted)
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
    wanted = text.casefold()
    pairs = facts.texts(values)
    distinct, places = np.unique(pairs.targets, return_inverse=True)
    passing = np.array([_says(facts.text(own).casefold(), op, wanted) for own in distinct], bool)
    return np.isin(values, pairs.sources[passing[places]] if len(distinct) else pairs.sources)


def _says(text: str, op: Op, wanted: str) -> bool:
    match op:
        case "starts":
            return text.startswith(wanted)
        case "ends":
            return text.endswith(wanted)
        case "contains":
            return wanted in text
        case _:
            return text == wanted


def largest(sizes: NDArray[np.float64], pairs: Pairs, *, most: bool) -> NDArray[np.intp]:
    """For each source, in order, the place of its pair with the largest or smallest size."""
    if (np.diff(pairs.sources) > 0).all():
        return np.arange(len(sizes))
    order = np.lexsort((pairs.targets, sizes if not most else -sizes, pairs.sources))
    sources = pairs.sources[order]
    first = np.ones(len(order), bool)
    first[1:] = sources[1:] != sources[:-1]
    return order[first]


def comparable(
    facts: Facts, pairs: Pairs, units: Units, *, dates: bool = False
) -> tuple[Pairs, NDArray[np.float64], str]:
    """The pairs whose values can be compared with each other, their sizes, and the common unit.

    Numbers where there are any, else with `dates` these; all in the unit that most have. Values of
    a unit that does not convert into it are left out, and that is told. Raises QuestionError for
    what has no order, and without `dates` for these.
    """
    kinds, sizes, units_of = facts.measured(pairs.targets)
    wanted = DATE if dates and not (kinds == NUMBER).any() else NUMBER
    kept = kinds == wanted
    if (kinds == DATE).any() and not kept.any():
        raise QuestionError(
            f"{units.relation or 'a group'} holds dates and no numbers",
            "sums and the like are of numbers; an `extreme` compares dates too",
        )
    if len(kinds) and not kept.any():
        raise _no_order(facts, pairs.targets, "<", units.relation)
    numbers, times = np.unique(units_of[kept], return_counts=True)
    common = int(numbers[times.argmax()]) if len(numbers) else 0
    unit = facts.unit(common)
    for number in numbers.tolist():
        if number == common:
            continue
        other = facts.unit(number)
        rate = factor(other or unit_in_name(units.relation), unit or unit_in_name(units.relation))
        own = kept & (units_of == number)
        if rate is None:
            kept &= ~own
            has = f"in {other}" if other else "without a unit"
            units.notes.append(f"{int(own.sum())} values of {units.relation} {has} are left out")
        else:
            sizes[own] *= rate
    return Pairs(pairs.sources[kept], pairs.targets[kept]), sizes[kept], unit


def _no_order(facts: Facts, values: Ids, op: str, relation: str) -> QuestionError:
    (name,) = facts.kg.walk_labels.names([facts.term(int(values[0]))])
    return QuestionError(
        f"{relation or 'a thing'} holds names such as {name!r}, which have no order",
        f"`{op}` and extremes compare numbers and dates",
    )


def _dates(sizes: NDArray[np.float64], year: bool) -> NDArray[np.float64]:
    return np.floor(sizes / 10_000) if year else sizes


def _joined(sources: Ids, middle: Ids, steps: Pairs) -> Pairs:
    from ..decoding.unit_table import spans

    first = np.searchsorted(steps.sources, middle, "left")
    last = np.searchsorted(steps.sources, middle, "right")
    return Pairs(np.repeat(sources, last - first), steps.targets[spans(first, last)])


def _distinct(sources: Ids, targets: Ids) -> tuple[Ids, Ids]:
    order = np.lexsort((targets, sources))
    sources, targets = sources[order], targets[order]
    new = np.ones(len(order), bool)
    new[1:] = (sources[1:] != sources[:-1]) | (targets[1:] != targets[:-1])
    return sources[new], targets[new]


def names_of(facts: Facts, terms: Sequence[Term]) -> list[str]:
    """The display names of some terms."""
    return facts.kg.walk_labels.names(list(terms)) if terms else []
