"""Patterns of SPARQL, made of fixed text, fresh variables and serialised terms."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeAlias

import pyoxigraph as ox

from ..errors import QuestionError
from ..kg.classes import SUBCLASS
from ..kg.nodes import to_term
from ..kg.profile import Profile
from ..kg.stores.sparql.queries import can_spell, spell
from ..kg.terms import XSD, RelationPath, Term, is_literal
from .binding import Bound
from .comparison import YEAR, Operand, check_order, grain_of, operand_of
from .tree import Filter, Op

_NUMERAL = r"^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{1,3})?$"
_DATE = r"^-?[0-9]{4,}(-[0-9]{2}(-[0-9]{2}(T.*)?)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$"
_AFTER_DAY = r"(T.*|Z|[+-][0-9]{2}:[0-9]{2})$"
_DATES = ", ".join(
    f"<{XSD}{name}>" for name in ("date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth")
)
_TEXT_OPS = {"starts": "STRSTARTS", "ends": "STRENDS", "contains": "CONTAINS"}

Members: TypeAlias = Callable[[str], list[str]]
"""The patterns that bind a variable to the members of a set; made anew for each variable."""


class InexpressibleError(QuestionError):
    """A query that SPARQL 1.1 cannot say; the message tells why."""


class Patterns:
    """Patterns over the names of one query, in one profile and some named graphs."""

    def __init__(
        self,
        bound: Bound,
        profile: Profile,
        graphs: Sequence[Term],
        numeric: Callable[[Term], bool],
        below: Callable[[Term], Collection[Term]],
        priced: Callable[[Term, str], bool],
    ) -> None:
        self.bound = bound
        self.profile = profile
        self._is_numeric = numeric
        self._below = below
        self._priced = priced
        self._plain: set[str] = set()
        """Variables whose values are all numbers of XSD."""
        self._reached: dict[str, Sequence[Term]] = {}
        """The relation whose values a variable is bound to; nothing where it leads to heads."""
        self.measured: set[Term] = set()
        """Relations whose values may be read as numbers."""
        self._graphs = [self.spelled(graph) for graph in graphs]
        self._fresh = 0

    # Terms and triples

    def variable(self) -> str:
        """A variable that nothing else has."""
        self._fresh += 1
        return f"?x{self._fresh}"

    def spelled(self, term: Term) -> str:
        """A term. Raises InexpressibleError for one that no query can name."""
        if not can_spell(term):
            raise InexpressibleError(f"no query can name {term[:80]}")
        return spell(term)

    def alternatives(self, relations: Sequence[Term]) -> str:
        """A path along any of some relations."""
        return "|".join(map(self.spelled, relations))

    def triple(self, head: str, relation: str, tail: str) -> list[str]:
        """A triple in the named graphs."""
        pattern = f"{head} {relation} {tail} ."
        match self._graphs:
            case []:
                return [pattern]
            case [graph]:
                return [f"GRAPH {graph} {{ {pattern} }}"]
            case graphs:
                graph = self.variable()
                return [f"VALUES {graph} {{ {' '.join(graphs)} }} GRAPH {graph} {{ {pattern} }}"]

    def walk(self, start: str, hops: RelationPath, end: str) -> list[str]:
        """The patterns of hops from a variable to another."""
        lines = list[str]()
        for index, (relation, inverse) in enumerate(hops):
            target = end if index == len(hops) - 1 else self.variable()
            head, tail = (target, start) if inverse else (start, target)
            lines += self.triple(head, self.spelled(relation), tail)
            start = target
        return lines

    def along(self, members: Members, hops: RelationPath) -> Members:
        """What hops from the members of a set lead to."""

        def lines(variable: str) -> list[str]:
            start = self.variable()
            return [*members(start), *self.walk(start, hops, variable)]

        return lines

    def among(self, terms: Sequence[Term]) -> Members:
        """The set of some terms."""
        spelled = " ".join(map(self.spelled, terms))
        return lambda v: [f"VALUES {v} {{ {spelled} }}"]

    def of_class(self, class_: Term) -> Members:
        """The members of a class."""
        types, spelled = self.profile.types, self.spelled(class_)
        kinds, below = self.alternatives(types), self._below(class_)
        if below and len(self._graphs) > 1:  # a path stays in one of them
            among, one = self.among([class_, *below]), self.variable()
            return lambda v: [*among(one), *self.triple(v, kinds, one)]
        if below:
            kinds = f"({kinds})" if len(types) > 1 else kinds
            kinds = f"{kinds}/{self.spelled(SUBCLASS)}*"
        return lambda v: self.triple(v, kinds, spelled)

    def things(self, variable: str) -> list[str]:
        """Every entity that a fact has."""
        relation, other_end = self.variable(), self.variable()
        skipped = ", ".join(map(self.spelled, sorted(self.profile.skipped)))
        facts = [f"FILTER({relation} NOT IN ({skipped}))"]
        for prefix in self.profile.skipped_prefixes:
            facts.append(f"FILTER(!STRSTARTS(STR({relation}), {text(prefix.removeprefix('<'))}))")
        no_literal = f"FILTER(!isLiteral({variable}))"
        return either(
            [
                [*self.triple(variable, relation, other_end), *facts],
                [*self.triple(other_end, relation, variable), no_literal, *facts],
            ]
        )

    # Values

    def are_plain(self, hops: RelationPath) -> bool:
        """Whether hops lead to numbers of XSD only, which need no reading."""
        return bool(hops) and not hops[-1][1] and self._is_numeric(hops[-1][0])

    def value(self, hops: RelationPath) -> str:
        """A variable for what hops lead to."""
        variable = self.variable()
        if self.are_plain(hops):
            self._plain.add(variable)
        for relation, inverse in hops[-1:]:
            self._reached[variable] = () if inverse else (relation,)
        return variable

    def is_plain(self, value: str) -> bool:
        """Whether all that a variable is bound to are numbers of XSD."""
        return value in self._plain

    def number(self, value: str) -> str:
        """The expression for the number that a variable is."""
        self.measured.update(self._reached.get(value, self.bound.relations.values()))
        return value if self.is_plain(value) else number_of(value)

    def date(self, value: str) -> str:
        """The expression for the date that a variable is."""
        return "1/0" if self.is_plain(value) else date_of(value)

    def shown(self, value: str) -> tuple[list[str], str]:
        """The patterns for what a value is called, and the expression."""
        label = self.variable()
        tags = [text(tag) for tag in self.profile.languages if tag]
        plain = f'LANG({label}) = ""' if "" in self.profile.languages else "false"
        wanted = " || ".join([plain, *(f"LANGMATCHES(LANG({label}), {tag})" for tag in tags)])
        named = self.triple(value, self.alternatives(self.profile.labels), label)
        lines = optional([*named, f"FILTER({wanted})"])
        local = f'REPLACE(REPLACE(STR({value}), "[/#:]+$", ""), "^.*[/#:]", "")'
        local = f'REPLACE({local}, "_", " ")'
        return lines, f"IF(isLiteral({value}), STR({value}), COALESCE(STR({label}), {local}))"

    def best(
        self, lines: Sequence[str], keys: Sequence[str], value: str, best: str, *, most: bool
    ) -> list[str]:
        """The patterns that bind the largest or smallest of the numbers of each key."""
        key = self.variable()
        body = [*lines, f"BIND({self.number(value)} AS {key})", f"FILTER(BOUND({key}))"]
        if self.is_plain(value):
            key, body = f"<{XSD}double>({value})", list(lines)
        return grouped_by(keys, f"{'MAX' if most else 'MIN'}({key})", best, body)

    # Comparisons with what is written

    def passing(self, value: str, condition: Filter) -> list[str]:
        """The patterns that keep values that pass; of `!=`, those that are equal."""
        relations = self._reached.get(value, self.bound.relations.values())
        if condition.unit and not all(self._priced(it, condition.unit) for it in relations):
            raise InexpressibleError("units are converted here, not in SPARQL")
        operand, op = self.operand(condition), condition.op
        if op in _TEXT_OPS:
            wanted = operand.text if operand.text is not None else f"{operand.number:g}"
            lines, shown = self.shown(value)
            return [*lines, f"FILTER({_TEXT_OPS[op]}(UCASE({shown}), {text(wanted.upper())}))"]
        if op in ("=", "!="):
            return self._equal(value, condition, operand)
        readings = self._sized(value, op, operand, bool(condition.of))
        if not readings:
            raise QuestionError(f"`{op}` compares numbers and dates", "use `=`")
        return [self._any(value, readings)]

    def operand(self, condition: Filter) -> Operand:
        """What a condition compares with as it is written."""
        written = self.bound.text_of(condition)
        assert written is not None
        operand = operand_of(written, condition.unit)
        is_thing = any(not is_literal(term) for term in self._linked(condition))
        return Operand(text=operand.text) if is_thing else operand

    def _linked(self, condition: Filter) -> list[Term]:
        """The term of the mention that a condition compares with, if it has any."""
        if condition.mention is None:
            return []
        term = self.bound.mentioned(condition.mention).term
        return [] if term is None else [term]

    def _equal(self, value: str, condition: Filter, operand: Operand) -> list[str]:
        linked, upper_text = self._linked(condition), (operand.text or "").upper()
        if operand.text is not None and linked and not is_literal(linked[0]):
            # An entity is equal to itself, and not to its namesakes.
            is_text = f"isLiteral({value}) && UCASE(STR({value})) = {text(upper_text)}"
            return [f"FILTER({value} = {self.spelled(linked[0])} || {is_text})"]
        lines, readings = list[str](), self._sized(value, "=", operand, bool(condition.of))
        readings += [f"{value} = {self.spelled(term)}" for term in linked]
        if operand.text is not None and not condition.of and not self.is_plain(value):
            lines, shown = self.shown(value)
            readings.append(f"UCASE({shown}) = {text(upper_text)}")
        return [*lines, self._any(value, readings)] if readings else ["FILTER(1 = 0)"]

    def _sized(self, value: str, op: Op, operand: Operand, year: bool) -> list[str]:
        """The comparisons with an operand as a number and as a date."""
        if op != "=":
            check_order(operand)
        readings = list[str]()
        if operand.number is not None:
            number, bound = self.number(value), operand.number
            if operand.years:
                number, bound = f"FLOOR({number} / {operand.years:g})", bound // operand.years
            readings.append(f"{number} {op} {double(bound)}")
        if operand.date is not None and (year or not self.is_plain(value)):
            date, bound, grain = self.date(value), operand.date, grain_of(operand, year=year)
            if operand.is_yearly:
                date = f"({date} - FLOOR({date} / {YEAR:g}) * {YEAR:g})"
            if grain:
                date, bound = f"FLOOR({date} / {grain:g})", bound // grain
            readings.append(f"{date} {op} {double(bound)}")
        return readings

    def _any(self, value: str, readings: Sequence[str]) -> str:
        if len(readings) > 1 or not self.is_plain(value):
            readings = [f"COALESCE({reading}, false)" for reading in readings]
        return f"FILTER({' || '.join(readings)})"


def subquery(members: Members) -> Members:
    """The same set as a subquery, so that its other variables stay its own."""
    return lambda variable: block(select(f"DISTINCT {variable}", members(variable)))


def in_both(members: Members, other_members: Members) -> Members:
    """What is in both sets."""
    return lambda variable: [*members(variable), *other_members(variable)]


def in_first_only(members: Members, other_members: Members) -> Members:
    """What is in the first set, and not in the other."""

    def lines(variable: str) -> list[str]:
        removed = block(subquery(other_members)(variable), "MINUS {")
        return [*subquery(members)(variable), *removed]

    return lines


def grouped_by(keys: Sequence[str], computed: str, name: str, lines: Sequence[str]) -> list[str]:
    """A subquery with a number for each key.

    Some engines make an empty row where there is nothing to group: the filter takes it away.
    """
    selected = " ".join([*keys, f"({computed} AS {name})"])
    if not keys:
        return block(select(selected, lines))
    rows = block(select(selected, lines, f"}} GROUP BY {' '.join(keys)}"))
    return block([*rows, f"FILTER(BOUND({keys[0]}))"])


def number_of(value: str) -> str:
    """The expression for the number that a value is; an error for what is none."""
    form = f'IF(isIRI({value}), STRAFTER(STR({value}), "urn:groundwalk:"), STR({value}))'
    plain = f'REGEX({form}, "{_NUMERAL}") && (isIRI({value}) || LANG({value}) = "")'
    dated = f"isLiteral({value}) && DATATYPE({value}) IN ({_DATES})"
    return f"IF({plain} && !({dated}), <{XSD}double>({form}), 1/0)"


def date_of(value: str) -> str:
    """The expression for a date as one number, as `Quantity.number` has it; else an error."""
    day = f'REPLACE(STR({value}), "{_AFTER_DAY}", "")'
    year = f'<{XSD}double>(REPLACE({day}, "^(-?[0-9]+).*$", "$1"))'
    rest = f'CONCAT(REPLACE({day}, "^-?[0-9]+|-", ""), "0000")'
    time = f"(HOURS({value}) * 3600 + MINUTES({value}) * 60 + SECONDS({value})) / 86401"
    dated = f'DATATYPE({value}) IN ({_DATES}) && REGEX(STR({value}), "{_DATE}")'
    size = f"{year} * 10000 + <{XSD}double>(SUBSTR({rest}, 1, 4)) + COALESCE({time}, 0)"
    return f"IF({dated}, {size}, 1/0)"


def double(number: float) -> str:
    """A number as a literal."""
    return f'"{float(number)!r}"^^<{XSD}double>'


def text(characters: str) -> str:
    """A text as a literal."""
    return spell(to_term(ox.Literal(characters)))


def exists(lines: Sequence[str], which: str = "EXISTS") -> list[str]:
    """A filter by whether patterns match."""
    return block(lines, f"FILTER {which} {{")


def either(bodies: Sequence[Sequence[str]]) -> list[str]:
    """The union of groups of patterns."""
    lines = ["{"]
    for number, body in enumerate(bodies):
        lines += ["} UNION {"] * bool(number) + indented(body)
    return [*lines, "}"]


def select(selected: str, lines: Iterable[str], end: str = "}") -> list[str]:
    """A SELECT; `end` closes it, with what comes after."""
    return [f"SELECT {selected} WHERE {{", *indented(lines), end]


def optional(lines: Iterable[str]) -> list[str]:
    """Patterns that need not match."""
    return block(lines, "OPTIONAL {")


def block(lines: Iterable[str], begin: str = "{") -> list[str]:
    """Lines in braces."""
    return [begin, *indented(lines), "}"]


def indented(lines: Iterable[str]) -> list[str]:
    """Lines, one step further in."""
    return [f"  {line}" for line in lines]
