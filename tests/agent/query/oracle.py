"""What a query comes to, read off `docs/queries.md` in plain Python over a list of triples.

Slow and simple on purpose: what executes queries is held against it. It shares no reading of values
or operators with the product, and does not know of units, connections and earlier answers.
"""

import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from groundwalk.agent.kg.nodes import lexical_form, literal_tag
from groundwalk.agent.kg.profile import Profile
from groundwalk.agent.kg.terms import Term, Triple, is_literal
from groundwalk.agent.query.binding import Bound
from groundwalk.agent.query.tree import (
    AnyOf,
    Domain,
    Entity,
    Extreme,
    Filter,
    Having,
    Last,
    Measure,
    OfClass,
    Query,
    Step,
)

SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
XSD = "http://www.w3.org/2001/XMLSchema#"
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
WORDED: dict[str, Callable[[str, str], bool]] = {
    "starts": str.startswith,
    "ends": str.endswith,
    "contains": str.__contains__,
}
DATED = {XSD + name for name in ("date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth")}
ISO = re.compile(
    r"(-?\d{4,})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d):(\d\d(?:\.\d+)?))?)?)?(?:Z|[+-]\d\d:\d\d)?"
)
NUMERAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")

SAID = {len("2025-07"): 2, len("2025-07-10"): 3}

Moment: TypeAlias = tuple[float, ...]
"""A date from its year to its second; what it does not say is 0."""
Cell: TypeAlias = Term | float | None
Denotation: TypeAlias = frozenset[Term] | frozenset[tuple[Cell, ...]] | float | bool | None


class Reading(NamedTuple):
    """What a value can be compared as."""

    texts: frozenset[str] = frozenset()
    number: float | None = None
    moment: Moment | None = None
    said: int = 6
    """How many parts of the moment are said where it is written in a query."""
    years: range | None = None
    """The years of a decade or a century."""
    month: float | None = None
    """A month of any year."""


@dataclass(frozen=True)
class Oracle:
    """The meaning of queries over some triples."""

    triples: Collection[Triple]
    profile: Profile
    bound: Bound

    def denotation(self) -> Denotation:
        """What the topmost node comes to: members, rows, a number, or yes and no."""
        query = self.bound.query
        match query.answer:
            case "list" if query.columns:
                return frozenset(self.rows(query))
            case "list":
                return frozenset(self.members(query))
            case "yesno" if query.every and not self.claims(query):
                subject = self.members(query)
                return bool(subject) and all(subject <= self.members(own) for own in query.every)
            case "yesno":
                return all(self.members(own) for own in (query, *query.every))
            case _:
                return self.number(query)

    def claims(self, query: Query) -> bool:
        """Whether a set says something of what is named, and is none to be spoken of by itself."""
        names = (own for own in query.also if isinstance(own.start, (tuple, Entity, Last)))
        if any(own == Query(start=own.start) for own in names):
            return True
        if any(not own.steps and not own.count for own in query.filters):
            return True
        is_start = not query.steps and not query.group
        if isinstance(query.start, Query):
            return is_start and self.claims(query.start)
        if isinstance(query.start, AnyOf):
            return is_start and all(self.claims(own) for own in query.start.any)
        return is_start and isinstance(query.start, (tuple, Entity, Last))

    # Sets

    def members(self, query: Query) -> set[Term]:
        found = self.before_grouping(query)
        if query.group:
            found = {key for key in self.keys(query) if self.has_all(query, key)}
        if query.extreme is not None:
            found = placed(self.ranked(query, found), query.extreme)
        return found

    def before_grouping(self, query: Query) -> set[Term]:
        found = self.reached(self.start(query), query.steps)
        if query.of_class and query.of_class != "anything":
            found &= self.of_class(query.class_id or query.of_class)
        for own in query.filters:
            found = {term for term in found if self.passes(term, own)}
        for own in query.also:
            found &= self.members(own)
        for own in query.without:
            found -= self.members(own)
        return found

    def start(self, query: Query) -> set[Term]:
        match query.start:
            case tuple() as numbers:
                terms = {self.bound.mentions[number].term for number in numbers}
                return {term for term in terms if term is not None}
            case Entity() as own:
                return {own.id or own.entity}
            case OfClass() as own if own.name == "anything":
                facts = [t for t in self.triples if not self.profile.skips(t.relation)]
                ends = {end for triple in facts for end in (triple.head, triple.tail)}
                return {end for end in ends if not is_literal(end)}
            case OfClass() as own:
                return self.of_class(own.id or own.name)
            case Domain() as own:
                return {t.head for t in self.triples if t.relation == (own.id or own.domain)}
            case AnyOf() as own:
                return {term for one in own.any for term in self.members(one)}
            case Query() as own:
                return self.members(own)
            case own:
                raise AssertionError(own)

    def of_class(self, class_: Term) -> set[Term]:
        kinds, classes = self.profile.types, {class_, *below(self.triples, class_)}
        return {t.head for t in self.triples if t.relation in kinds and t.tail in classes}

    def reached(self, terms: Iterable[Term], steps: Iterable[Step]) -> set[Term]:
        found = set(terms)
        for step in steps:
            relation = step.id or step.relation
            ends = [(t.head, t.tail) for t in self.triples if t.relation == relation]
            if step.inverse:
                ends = [(tail, head) for head, tail in ends]
            found = {end for source, end in ends if source in found}
        return found

    # Conditions

    def values(self, term: Term, measure: Measure) -> set[Term]:
        found = self.reached([term], measure.steps)
        return found if measure.among is None else found & self.members(measure.among)

    def passes(self, term: Term, condition: Filter) -> bool:
        values = self.values(term, condition)
        if condition.op == "exists":
            return bool(values)
        if condition.op == "not exists":
            return not values
        if condition.count:
            op = "=" if condition.op == "!=" else condition.op
            wanted = [own.number for own in self.operands(condition) if own.number is not None]
            holds = any(COMPARE[op](len(values), number) for number in wanted)
            return not holds if condition.op == "!=" else holds
        if condition.op == "!=":
            return bool(values) and not any(self.holds(v, condition, "=") for v in values)
        return any(self.holds(value, condition, condition.op) for value in values)

    def holds(self, value: Term, condition: Filter, op: str) -> bool:
        if op == "=" and value in self.same_terms(condition):
            return True
        read, year = self.reading(value), condition.of == "year"
        if op == "=" and self.is_thing(condition) and not is_literal(value):
            return False
        return any(agrees(read, op, own, year=year) for own in self.operands(condition))

    def is_thing(self, condition: Filter) -> bool:
        """Whether a condition compares with an entity, to which only itself is equal."""
        if condition.mention is None or isinstance(condition.value, Query):
            return False
        term = self.bound.mentions[condition.mention].term
        return term is not None and not is_literal(term)

    def same_terms(self, condition: Filter) -> set[Term]:
        """The terms that a condition compares with."""
        if isinstance(condition.value, Query):
            return set() if condition.value.answer != "list" else self.members(condition.value)
        if condition.mention is None:
            return set()
        term = self.bound.mentions[condition.mention].term
        return set() if term is None else {term}

    def operands(self, condition: Filter) -> list[Reading]:
        """What a condition compares with, in any of its readings."""
        if isinstance(condition.value, Query):
            if condition.value.answer != "list":
                number = self.number(condition.value)
                return [] if number is None else [Reading(number=number)]
            answers = map(self.reading, self.members(condition.value))
            return [answer._replace(texts=frozenset()) for answer in answers]
        if condition.mention is not None and condition.value is None:
            mention = self.bound.mentions[condition.mention]
            if mention.term is not None and not is_literal(mention.term):
                return [Reading(texts=frozenset({mention.text.casefold()}))]
            return [written(mention.text)]
        assert condition.value is not None
        return [written(condition.value)]

    def reading(self, value: Term) -> Reading:
        """What a value of the graph can be compared as."""
        if not is_literal(value):
            return Reading(texts=frozenset(name.casefold() for name in self.names(value)))
        text, tag = lexical_form(value), literal_tag(value)
        texts = frozenset({text.casefold()})
        if tag in DATED:
            return Reading(texts, moment=moment(text))
        plain = not tag or tag.startswith("http")
        return Reading(texts, number=float(text) if plain and NUMERAL.fullmatch(text) else None)

    def names(self, term: Term) -> Iterator[str]:
        """The labels of a thing in the languages that are wanted; else the end of its IRI."""
        found = [
            lexical_form(triple.tail)
            for triple in self.triples
            if triple.head == term
            and triple.relation in self.profile.labels
            and self.is_wanted(literal_tag(triple.tail))
        ]
        yield from found or [re.split("[/#:]", term.strip("<>"))[-1].replace("_", " ")]

    def is_wanted(self, tag: str) -> bool:
        tag = "" if ":" in tag else tag.lower()
        return any(
            tag == own or own and tag.startswith(f"{own}-") for own in self.profile.languages
        )

    # Extremes and groups

    def ranked(self, query: Query, found: Iterable[Term]) -> dict[Term, float | Moment]:
        """The value by which each member has its place."""
        extreme = query.extreme
        assert extreme is not None
        if extreme.agg is not None:
            numbers = {key: self.per_key(query, key, extreme.agg, extreme.of) for key in found}
            return {key: number for key, number in numbers.items() if number is not None}
        if extreme.count:
            return {term: len(self.values(term, extreme)) for term in found}
        values = {term: self.values(term, extreme) for term in found}
        return best_of(self.comparable(values), max if extreme.most else min)

    def comparable(self, values: dict[Term, set[Term]]) -> dict[Term, list[Any]]:
        """The numbers of each term, where any has one; else the dates."""
        read = {term: [self.reading(own) for own in some] for term, some in values.items()}
        numbers = {t: [r.number for r in some if r.number is not None] for t, some in read.items()}
        moments = {t: [r.moment for r in some if r.moment is not None] for t, some in read.items()}
        return dict[Term, list[Any]](numbers if any(numbers.values()) else moments)

    def keys(self, query: Query) -> dict[Term, set[Term]]:
        """The members of each key of a group."""
        found: dict[Term, set[Term]] = {}
        for member in self.before_grouping(query):
            for key in self.reached([member], query.group):
                found.setdefault(key, set()).add(member)
        return found

    def has_all(self, query: Query, key: Term) -> bool:
        return all(self.having(query, key, own) for own in query.having)

    def having(self, query: Query, key: Term, condition: Having) -> bool:
        number = self.per_key(query, key, condition.agg, condition.of)
        assert condition.value is not None
        wanted = written(condition.value).number
        return number is not None and wanted is not None and compared(number, condition.op, wanted)

    def per_key(self, query: Query, key: Term, agg: str, of: Sequence[Step]) -> float | None:
        members = self.keys(query).get(key, set())
        if agg == "count":
            return len(self.reached(members, of))
        return self.aggregate({member: self.reached([member], of) for member in members}, agg)

    # Answers

    def number(self, query: Query) -> float | None:
        if query.answer == "count":
            return len(self.members(query))
        things = self.members(Query(start=query.start, steps=query.steps[:-1]))
        among = self.members(query)
        last = query.steps[-1:]
        return self.aggregate({t: self.reached([t], last) & among for t in things}, query.answer)

    def aggregate(self, values: dict[Term, set[Term]], agg: str) -> float | None:
        """Of numbers, each thing once: with its largest, of a smallest with its smallest."""
        numbers = {
            term: [n for own in some if (n := self.reading(own).number) is not None]
            for term, some in values.items()
        }
        pick = min if agg == "min" else max
        best = [pick(some) for some in numbers.values() if some]
        if not best:
            return None
        computed = {"sum": sum(best), "avg": sum(best) / len(best), "min": min(best)}
        return computed.get(agg, max(best))

    def rows(self, query: Query) -> Iterator[tuple[Cell, ...]]:
        for member in self.members(query):
            cells: list[list[Cell]] = []
            for column in query.columns:
                if column.agg is not None and not query.group:
                    cells.append([len(set(self.reached([member], column.of)))])
                elif column.agg is not None:
                    cells.append([self.per_key(query, member, column.agg, column.of)])
                else:
                    cells.append([*self.reached([member], column.steps)] or [None])
            for row in product(*cells):
                yield (member, *row)


def below(triples: Iterable[Triple], class_: Term) -> set[Term]:
    """The other classes from which statements lead to a class."""
    said = {(t.head, t.tail) for t in triples if t.relation == SUBCLASS}
    found, size = {class_}, 0
    while len(found) > size:
        size = len(found)
        found |= {one for one, above in said if above in found}
    return found - {class_}


def written(value: str | float | bool) -> Reading:
    """What a value of a query can be compared as."""
    if isinstance(value, bool):
        return Reading(frozenset({str(value).casefold()}))
    if isinstance(value, int | float):
        year = moment(f"{value:04}") if isinstance(value, int) and 100 <= value <= 9999 else None
        return Reading(frozenset(), float(value), year)
    plain = value.strip()
    if plain[:-1].isdigit() and len(plain) == 4 and plain[3] in "xX":
        first = int(plain[:3] + "0")
        return Reading(frozenset({value.casefold()}), years=range(first, first + 10))
    if re.fullmatch(r"-\d\dXX", plain.upper()):
        last = -int(plain[1:3] + "00")
        return Reading(frozenset({value.casefold()}), years=range(last - 100, last))
    if re.fullmatch(r"--\d\d", plain):
        return Reading(frozenset({value.casefold()}), month=float(plain[2:]))
    if plain[:-2].isdigit() and len(plain) == 4 and plain[2:].upper() == "XX":
        first = int(plain[:2] + "00")
        return Reading(frozenset({value.casefold()}), years=range(first, first + 100))
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?", plain):
        plain = plain.replace(",", "")
    number = float(plain) if NUMERAL.fullmatch(plain) else None
    texts = {value.casefold()} if number is None else {plain.casefold()}
    said = SAID.get(len(plain.removeprefix("-")), 6)
    year = plain.zfill(4) if re.fullmatch(r"[1-9]\d\d", plain) else plain
    return Reading(frozenset(texts), number, moment(year), said)


def moment(text: str) -> Moment | None:
    """A date with as much of it as is said; the offset from universal time does not count."""
    match = ISO.fullmatch(text)
    return tuple(float(part or 0) for part in match.groups()) if match else None


def agrees(value: Reading, op: str, wanted: Reading, *, year: bool) -> bool:
    """Whether a value compares so with what is wanted in a reading that both have."""
    if op in WORDED:
        texts = wanted.texts or {f"{wanted.number:g}"}
        return any(WORDED[op](own, text) for own in value.texts for text in texts)
    if wanted.years is not None:
        year_of = None if value.moment is None else value.moment[0]
        sizes = [size for size in (value.number, year_of) if size is not None]
        if any(in_years(size, op, wanted.years) for size in sizes):
            return True
    if wanted.month is not None and value.moment is not None and value.moment[1] == wanted.month:
        return True
    if value.number is not None and wanted.number is not None:
        if COMPARE[op](value.number, wanted.number):
            return True
    if value.moment is not None and wanted.moment is not None:
        parts = 1 if year else wanted.said
        if COMPARE[op](value.moment[:parts], wanted.moment[:parts]):
            return True
    return op == "=" and not year and bool(value.texts & wanted.texts)


def in_years(size: float, op: str, years: range) -> bool:
    """Whether a year, or a number, compares so with the years of a decade or a century."""
    before, after = size < years.start, size >= years.stop
    return {
        "=": not before and not after,
        "<": before,
        "<=": not after,
        ">": after,
        ">=": not before,
    }[op]


def compared(number: float, op: str, wanted: float) -> bool:
    return number != wanted if op == "!=" else COMPARE[op](number, wanted)


def best_of(
    values: dict[Term, list[float | Moment]], pick: Callable[..., float | Moment]
) -> dict[Term, float | Moment]:
    return {term: pick(some) for term, some in values.items() if some}


def placed(ranked: dict[Term, float | Moment], extreme: Extreme) -> set[Term]:
    """What has the places that are asked for."""
    better = COMPARE[">" if extreme.most else "<"]
    kept = set[Term]()
    for term, value in ranked.items():
        before = [other for other in ranked.values() if better(other, value)]
        if extreme.place is not None:
            if len(set(before)) == extreme.place - 1:
                kept.add(term)
        elif len(before) < extreme.n:
            kept.add(term)
    return kept
