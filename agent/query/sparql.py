"""A query as one query of SPARQL 1.1, with the same denotation wherever the graph is held.

Made of fixed text, fresh variables and serialised terms. A set is a group of patterns that binds
one variable; a set inside another is a subquery, so that its other variables stay its own.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyoxigraph as ox

from ..errors import QuestionError
from ..kg.nodes import to_term
from ..kg.profile import Profile
from ..kg.sparql.queries import can_spell, spell
from ..kg.terms import RelationPath, Term, is_literal
from .binding import Bound
from .measures import Operand, operand_of
from .outcome import Form
from .tree import (
    Agg,
    AnyOf,
    Domain,
    Entity,
    Extreme,
    Filter,
    Having,
    Measure,
    OfClass,
    Query,
    Step,
)

ANSWER = "?answer"
VALUE = "?value"

_XSD = "http://www.w3.org/2001/XMLSchema#"
_NUMERAL = r"^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{1,3})?$"
_DATE = r"^-?[0-9]{4,}(-[0-9]{2}(-[0-9]{2}(T.*)?)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$"
_AFTER_DAY = r"(T.*|Z|[+-][0-9]{2}:[0-9]{2})$"
_DATES = ", ".join(
    f"<{_XSD}{name}>" for name in ("date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth")
)
_TEXT_OPS = {"starts": "STRSTARTS", "ends": "STRENDS", "contains": "CONTAINS"}


@dataclass(frozen=True)
class Compiled:
    """The text of a query, the variables of its rows in order, and what the rows are."""

    text: str
    variables: tuple[str, ...]
    form: Form


class NotSaidError(QuestionError):
    """A query that SPARQL 1.1 cannot say; the message tells why."""


def compile_query(
    bound: Bound,
    profile: Profile,
    graphs: Sequence[Term] = (),
    *,
    numeric: Callable[[Term], bool] = lambda _: False,
) -> Compiled:
    """The query of SPARQL for a query of ours.

    Members are rows of `?answer`, numbers and columns rows of their own variables. A yes is a row
    and a no is none. `numeric` knows of a relation that all its values are numbers of XSD, so that
    they need no reading. Raises NotSaidError for what only the execution here can do: connections,
    converted units, earlier answers, and terms that no query can name.
    """
    return _Compiler(bound, profile, graphs, numeric).compiled()


Members: TypeAlias = Callable[[str], list[str]]
"""The patterns that bind a variable to the members of a set; made anew for each variable."""


class _Compiler:
    def __init__(
        self,
        bound: Bound,
        profile: Profile,
        graphs: Sequence[Term],
        numeric: Callable[[Term], bool],
    ) -> None:
        self._bound = bound
        self._profile = profile
        self._numeric = numeric
        self._plain: set[str] = set()
        """Variables whose values are all numbers of XSD."""
        self._graphs = [self._spelled(graph) for graph in graphs]
        self._fresh = 0

    def compiled(self) -> Compiled:
        """The topmost node, and what is told of it."""
        query = self._bound.query
        match query.answer:
            case "connection":
                raise NotSaidError("SPARQL 1.1 has no shortest connections")
            case "yesno":
                sets = map(self._set, [query, *query.every])
                lines = [line for members in sets for line in self._any_of(members)]
                return _rows([f"(1 AS {VALUE})"], lines, "truth", limit=1)
            case "list" if query.columns:
                return self._columns(query)
            case "list":
                return _rows([ANSWER], self._set(query)(ANSWER), "members")
            case _:
                return _rows([VALUE], self._number_of(query, VALUE), "number")

    # Sets

    def _set(self, query: Query) -> Members:
        members = self._start(query)
        for step in query.steps:
            members = self._along(members, ((self._bound.relation(step), step.inverse),))
        if class_ := self._class(query.of_class, query.class_id):
            members = _and(members, self._of_class(class_))
        for condition in query.filters:
            members = self._filtered(members, condition)
        for other in map(self._set, query.also):
            members = _and(members, _apart(other))
        for other in map(self._set, query.without):
            members = _less(members, other)
        if query.group:
            return self._keys(query, members)
        if query.extreme is not None:
            return self._extreme(members, query.extreme)
        return members

    def _start(self, query: Query) -> Members:
        match query.start:
            case tuple() as numbers:
                terms = [self._bound.mentioned(number).term for number in numbers]
                return self._among([term for term in terms if term is not None])
            case Entity(entity=name, id=term):
                return self._among([self._bound.entities[term or name]])
            case OfClass(name=name, id=term):
                class_ = self._class(name, term)
                return self._of_class(class_) if class_ else self._things
            case Domain() as domain:
                walk = ((self._bound.relation(domain), False),)
                return lambda v: self._walk(v, walk, self._variable())
            case AnyOf(any=several):
                sets = [_apart(self._set(own)) for own in several]
                return lambda v: _either([members(v) for members in sets])
            case Query() as inner:
                return _apart(self._set(inner))
            case _:
                raise NotSaidError("earlier answers are in no graph")

    def _among(self, terms: Sequence[Term]) -> Members:
        spelled = " ".join(map(self._spelled, terms))
        return lambda v: [f"VALUES {v} {{ {spelled} }}"]

    def _of_class(self, class_: Term) -> Members:
        kinds, spelled = self._alternatives(self._profile.types), self._spelled(class_)
        return lambda v: self._triple(v, kinds, spelled)

    def _along(self, members: Members, hops: RelationPath) -> Members:
        def lines(variable: str) -> list[str]:
            start = self._variable()
            return [*members(start), *self._walk(start, hops, variable)]

        return lines

    def _things(self, variable: str) -> list[str]:
        """Every entity that a fact has."""
        relation, other = self._variable(), self._variable()
        skipped = ", ".join(map(self._spelled, sorted(self._profile.skipped)))
        facts = [f"FILTER({relation} NOT IN ({skipped}))"]
        for prefix in self._profile.skipped_prefixes:
            facts.append(f"FILTER(!STRSTARTS(STR({relation}), {_text(prefix.removeprefix('<'))}))")
        no_literal = f"FILTER(!isLiteral({variable}))"
        return _either(
            [
                [*self._triple(variable, relation, other), *facts],
                [*self._triple(other, relation, variable), no_literal, *facts],
            ]
        )

    def _class(self, name: str, term: str) -> Term | None:
        return self._bound.class_of(name, term) if name or term else None

    def _spelled(self, term: Term) -> str:
        if not can_spell(term):
            raise NotSaidError(f"no query can name {term[:80]}")
        return spell(term)

    def _alternatives(self, relations: Sequence[Term]) -> str:
        return "|".join(map(self._spelled, relations))

    def _walk(self, start: str, hops: RelationPath, end: str) -> list[str]:
        """The patterns of hops from a variable to another."""
        lines = list[str]()
        for place, (relation, inverse) in enumerate(hops):
            last = end if place == len(hops) - 1 else self._variable()
            head, tail = (last, start) if inverse else (start, last)
            lines += self._triple(head, self._spelled(relation), tail)
            start = last
        return lines

    def _triple(self, head: str, relation: str, tail: str) -> list[str]:
        pattern = f"{head} {relation} {tail} ."
        match self._graphs:
            case []:
                return [pattern]
            case [graph]:
                return [f"GRAPH {graph} {{ {pattern} }}"]
            case several:
                graph = self._variable()
                return [f"VALUES {graph} {{ {' '.join(several)} }} GRAPH {graph} {{ {pattern} }}"]

    def _value(self, hops: RelationPath) -> str:
        """A variable for what hops lead to."""
        variable = self._variable()
        if not hops[-1][1] and self._numeric(hops[-1][0]):
            self._plain.add(variable)
        return variable

    def _number(self, value: str) -> str:
        return value if value in self._plain else _number(value)

    def _date(self, value: str) -> str:
        return "1/0" if value in self._plain else _date(value)

    def _any_of(self, members: Members) -> list[str]:
        variable = self._variable()
        inner = [f"SELECT {variable} WHERE {{", *_indented(members(variable)), "} LIMIT 1"]
        return ["{", *_indented(inner), "}"]

    def _variable(self) -> str:
        self._fresh += 1
        return f"?x{self._fresh}"

    # Conditions

    def _to_values(self, measure: Measure, member: str) -> tuple[list[str], str]:
        """The patterns from a member to its values, and their variable."""
        hops = self._bound.hops(measure.steps)
        value = self._value(hops) if hops else member
        lines = self._walk(member, hops, value)
        if measure.among is not None:
            lines += _apart(self._set(measure.among))(value)
        return lines, value

    def _filtered(self, members: Members, condition: Filter) -> Members:
        if condition.count:
            return self._by_count(members, condition)

        if condition.among is not None or isinstance(condition.value, Query):
            return self._joined(members, condition)

        def lines(variable: str) -> list[str]:
            before = members(variable)
            walk, value = self._to_values(condition, variable)
            if condition.op == "exists":
                return [*before, *_exists(walk)]
            if condition.op == "not exists":
                return [*before, *_exists(walk, "NOT EXISTS")]
            passing = self._passing(value, condition)
            if condition.op == "!=":
                has = _exists(walk) if walk else []
                if walk:
                    return [*before, *has, *_exists([*walk, *passing], "NOT EXISTS")]
                equal = _and(members, lambda v: self._passing(v, condition))
                return _less(members, equal)(variable)
            return [*before, *_exists([*walk, *passing])] if walk else [*before, *passing]

        return lines

    def _joined(self, members: Members, condition: Filter) -> Members:
        """Members by a condition with a set in it.

        That set stands outside of EXISTS, where engines would make it anew for every member.
        """

        def having(variable: str) -> list[str]:
            return [*members(variable), *self._to_values(condition, variable)[0]]

        def passing(variable: str) -> list[str]:
            walk, value = self._to_values(condition, variable)
            return [*members(variable), *walk, *self._passing(value, condition)]

        match condition.op:
            case "exists":
                return _apart(having)
            case "not exists":
                return _less(members, having)
            case "!=":
                return _less(having, passing)
            case _:
                return _apart(passing)

    def _by_count(self, members: Members, condition: Filter) -> Members:
        def lines(variable: str) -> list[str]:
            number = self._variable()
            counted = self._counted(members, condition, variable, number)
            if isinstance(condition.value, Query):
                return [*counted, *self._compared(number, condition, condition.value)]
            wanted = self._operand(condition).number
            if wanted is None:
                raise QuestionError(
                    "how many there are compares with a number", "give one as the value"
                )
            return [*counted, f"FILTER({number} {condition.op} {_double(wanted)})"]

        if not isinstance(condition.value, Query):
            return lines
        return _less(members, lines) if condition.op == "!=" else _apart(lines)

    def _counted(self, members: Members, measure: Measure, variable: str, number: str) -> list[str]:
        """The patterns that bind each member and how many values it has."""
        walk, value = self._to_values(measure, variable)
        if walk and value == variable:
            value = self._variable()
            walk.append(f"BIND({variable} AS {value})")
        body = _apart(members)(variable)
        body += ["OPTIONAL {", *_indented(walk), "}"] if walk else []
        return _grouped_by([variable], f"COUNT(DISTINCT {value})", number, body)

    def _passing(self, value: str, condition: Filter) -> list[str]:
        """The patterns that keep values that pass; of `!=`, those that are equal."""
        if isinstance(condition.value, Query):
            return self._compared(value, condition, condition.value)
        if condition.unit:
            raise NotSaidError("units are converted here, not in SPARQL")
        operand, op = self._operand(condition), condition.op
        if op in _TEXT_OPS:
            text = operand.text if operand.text is not None else f"{operand.number:g}"
            lines, shown = self._shown(value)
            return [*lines, f"FILTER({_TEXT_OPS[op]}(UCASE({shown}), {_text(text.upper())}))"]
        op, lines, readings = "=" if op == "!=" else op, list[str](), list[str]()
        if op == "=" and operand.text is not None and (thing := self._thing(condition)):
            text = _text(operand.text.upper())
            said = f"isLiteral({value}) && UCASE(STR({value})) = {text}"
            return [f"FILTER({value} = {self._spelled(thing)} || {said})"]
        if operand.number is not None:
            readings.append(f"{self._number(value)} {op} {_double(operand.number)}")
        if operand.date is not None and condition.of:
            readings.append(
                f"FLOOR({self._date(value)} / 10000) {op} {_double(operand.date // 10_000)}"
            )
        elif operand.date is not None and value not in self._plain:
            readings.append(f"{self._date(value)} {op} {_double(operand.date)}")
        if op == "=":
            readings += [f"{value} = {self._spelled(term)}" for term in self._linked(condition)]
            if operand.text is not None and not condition.of and value not in self._plain:
                lines, shown = self._shown(value)
                readings.append(f"UCASE({shown}) = {_text(operand.text.upper())}")
        if not readings and op == "=":
            return ["FILTER(1 = 0)"]
        if not readings:
            raise QuestionError(f"`{op}` compares numbers and dates", "use `=`")
        safe = len(readings) == 1 and value in self._plain
        kept = readings if safe else [f"COALESCE({own}, false)" for own in readings]
        return [*lines, f"FILTER({' || '.join(kept)})"]

    def _thing(self, condition: Filter) -> Term | None:
        """The entity that a condition compares with, to which only itself is equal."""
        return next((term for term in self._linked(condition) if not is_literal(term)), None)

    def _linked(self, condition: Filter) -> list[Term]:
        """The term of the mention that a condition compares with, if it has any."""
        if condition.mention is None:
            return []
        term = self._bound.mentioned(condition.mention).term
        return [] if term is None else [term]

    def _compared(self, value: str, condition: Filter, query: Query) -> list[str]:
        """The patterns that keep values which compare so with the answer of another query."""
        op, other = "=" if condition.op == "!=" else condition.op, self._variable()
        if query.answer != "list":
            return [*self._number_of(query, other), f"FILTER({self._number(value)} {op} {other})"]
        answers = _apart(self._set(query))(other)
        readings = [
            f"COALESCE({self._number(value)} {op} {self._number(other)}, false)",
            f"COALESCE({self._date(value)} {op} {self._date(other)}, false)",
        ]
        readings += [f"sameTerm({value}, {other})"] if op == "=" else []
        return [*answers, f"FILTER({' || '.join(readings)})"]

    def _operand(self, condition: Filter) -> Operand:
        text = condition.value
        if text is None and condition.mention is not None:
            text = self._bound.mentioned(condition.mention).text
        assert text is not None and not isinstance(text, Query)
        operand = operand_of(text, condition.unit, np.zeros(0, np.int64))
        return Operand(operand.terms, operand.text) if self._thing(condition) else operand

    def _shown(self, value: str) -> tuple[list[str], str]:
        """The patterns for what a value is called, and the expression."""
        label = self._variable()
        tags = [_text(tag) for tag in self._profile.languages if tag]
        plain = f'LANG({label}) = ""' if "" in self._profile.languages else "false"
        wanted = " || ".join([plain, *(f"LANGMATCHES(LANG({label}), {tag})" for tag in tags)])
        named = self._triple(value, self._alternatives(self._profile.labels), label)
        lines = ["OPTIONAL {", *_indented([*named, f"FILTER({wanted})"]), "}"]
        local = f'REPLACE(REPLACE(STR({value}), "[/#:]+$", ""), "^.*[/#:]", "")'
        local = f'REPLACE({local}, "_", " ")'
        shown = f"IF(isLiteral({value}), STR({value}), COALESCE(STR({label}), {local}))"
        return lines, shown

    # Extremes, groups and numbers

    def _extreme(self, members: Members, extreme: Extreme) -> Members:
        def counted(member: str, _: str, best: str) -> list[str]:
            return self._counted(members, extreme, member, best)

        def ranked(member: str, kind: str, best: str) -> list[str]:
            walk, value = self._to_values(extreme, member)
            lines = [*_apart(members)(member), *walk]
            if value in self._plain:
                return self._best(lines, [member], value, best, most=extreme.most)
            number, key = self._variable(), self._variable()
            lines += [
                f"BIND({_number(value)} AS {number})",
                f"BIND(COALESCE({number}, {_date(value)}) AS {key})",
                f"FILTER(BOUND({key}))",
                f"BIND(IF(BOUND({number}), 1, 0) AS {kind})",
            ]
            largest = f"{'MAX' if extreme.most else 'MIN'}({key})"
            return _grouped_by([member, kind], largest, best, lines)

        if extreme.count:
            return self._placed(extreme, counted)
        hops = self._bound.hops(extreme.steps)
        plain = bool(hops) and not hops[-1][1] and self._numeric(hops[-1][0])
        return self._placed(extreme, ranked, kinds=not plain)

    def _best(
        self, lines: Sequence[str], keys: Sequence[str], value: str, best: str, *, most: bool
    ) -> list[str]:
        """The patterns that bind the largest or smallest of the numbers of each key."""
        key = self._variable()
        body = [*lines, f"BIND({self._number(value)} AS {key})", f"FILTER(BOUND({key}))"]
        if value in self._plain:
            key, body = f"<{_XSD}double>({value})", list(lines)
        return _grouped_by(keys, f"{'MAX' if most else 'MIN'}({key})", best, body)

    def _placed(
        self,
        extreme: Extreme,
        ranked: Callable[[str, str, str], list[str]],
        *,
        kinds: bool = False,
    ) -> Members:
        """What has the places that are asked for.

        `ranked` binds a member and its value; with `kinds` one of each kind, before them 1 for a
        number or 0 for a date. Where any member has a number, only numbers have places.
        """
        order, at_least = ("DESC", ">=") if extreme.most else ("ASC", "<=")
        distinct, place = (" DISTINCT", extreme.place) if extreme.place else ("", extreme.n)

        def lines(variable: str) -> list[str]:
            kind, other_kind, best, other, bound = (self._variable() for _ in range(5))
            by = f"DESC({other_kind}) {order}({bound})" if kinds else f"{order}({bound})"
            nth = [
                f"SELECT{distinct} {f'{other_kind} ' if kinds else ''}{bound} WHERE {{",
                *_indented(ranked(other, other_kind, bound)),
                f"}} ORDER BY {by} LIMIT 1 OFFSET {place - 1}",
            ]
            found = ["{", *_indented(nth), "}"]
            kept, top = [f"{best} = {bound}"], other_kind
            members = ranked(variable, kind, best)
            if kinds and place > 1:
                top, again = self._variable(), self._variable()
                every = ranked(self._variable(), again, self._variable())
                first = [f"SELECT (MAX({again}) AS {top}) WHERE {{", *_indented(every), "}"]
                members += ["{", *_indented(first), "}"]
                kept += [f"{other_kind} = {top}"]
            same_kind = f"{kind} = {top} && " if kinds else ""
            if extreme.place or place == 1:
                return [*members, *found, f"FILTER({same_kind}{' && '.join(kept)})"]
            fewer = f"!BOUND({bound})" + (f" || {other_kind} < {top}" if kinds else "")
            enough = f"FILTER({same_kind}({fewer} || {best} {at_least} {bound}))"
            return [*members, "OPTIONAL {", *_indented(found), "}", enough]

        return lines

    def _keys(self, query: Query, members: Members) -> Members:
        """The keys of a group, those with the places that are asked for."""
        grouped = self._grouped(query, members)

        def keys(variable: str) -> list[str]:
            lines = _apart(lambda v: grouped(v, self._variable()))(variable)
            for condition in query.having:
                number = self._variable()
                lines += self._per_key(grouped, variable, condition.agg, condition.of, number)
                wanted = _double(self._wanted(condition))
                lines.append(f"FILTER({number} {condition.op} {wanted})")
            return lines

        if query.extreme is None or query.extreme.agg is None:
            return keys
        agg, of = query.extreme.agg, query.extreme.of
        return self._placed(
            query.extreme,
            lambda key, _, value: [*keys(key), *self._per_key(grouped, key, agg, of, value)],
        )

    def _grouped(self, query: Query, members: Members) -> Callable[[str, str], list[str]]:
        hops = self._bound.hops(query.group)
        return lambda key, member: [*_apart(members)(member), *self._walk(member, hops, key)]

    def _wanted(self, condition: Having) -> float:
        text = condition.value
        if text is None and condition.mention is not None:
            text = self._bound.mentioned(condition.mention).text
        operand = operand_of("" if text is None else text, "", np.zeros(0, np.int64))
        if operand.number is None:
            raise QuestionError("`having` compares with a number", "give one as its value")
        return operand.number

    def _per_key(
        self,
        grouped: Callable[[str, str], list[str]],
        key: str,
        agg: Agg,
        of: Sequence[Step],
        number: str,
    ) -> list[str]:
        """The patterns that bind each key and an aggregate over its members."""
        member, hops = self._variable(), self._bound.hops(of)
        value = self._value(hops) if hops else member
        lines = [*grouped(key, member), *self._walk(member, hops, value)]
        if agg == "count":
            if hops:
                walk = ["OPTIONAL {", *_indented(self._walk(member, hops, value)), "}"]
                lines = [*grouped(key, member), *walk]
            return _grouped_by([key], f"COUNT(DISTINCT {value})", number, lines)
        best = self._variable()
        inner = self._best(lines, [key, member], value, best, most=agg != "min")
        return _grouped_by([key], f"{agg.upper()}({best})", number, inner)

    def _number_of(self, query: Query, number: str) -> list[str]:
        """The patterns that bind the number that a query comes to; nothing where it has none."""
        if query.answer == "count":
            variable = self._variable()
            counted = f"COUNT(DISTINCT {variable})"
            return _grouped_by([], counted, number, self._set(query)(variable))
        *before, last = query.steps
        member, best, size = (self._variable() for _ in range(3))
        hops = ((self._bound.relation(last), last.inverse),)
        value = self._value(hops)
        things = _apart(self._set(Query(start=query.start, steps=tuple(before))))
        lines = [
            *things(member),
            *self._walk(member, hops, value),
            *_apart(self._set(query))(value),
        ]
        inner = self._best(lines, [member], value, best, most=query.answer != "min")
        computed = f"({query.answer.upper()}({best}) AS {number}) (COUNT({best}) AS {size})"
        selected = f"SELECT {computed} WHERE {{"
        found = ["{", *_indented([selected, *_indented(inner), "}"]), "}"]
        return [*found, f"FILTER({size} > 0)"]

    def _columns(self, query: Query) -> Compiled:
        plain = query.model_copy(update={"group": (), "having": (), "extreme": None})
        grouped = self._grouped(query, self._set(plain))
        lines, selected = _apart(self._set(query))(ANSWER), [ANSWER]
        for column in query.columns:
            name = self._variable()
            selected.append(name)
            if column.agg and not query.group:
                lines += self._number_each(self._set(query), self._bound.hops(column.of), name)
                continue
            if column.agg:
                shown = self._per_key(grouped, ANSWER, column.agg, column.of, name)
            else:
                shown = self._walk(ANSWER, self._bound.hops(column.steps), name)
            lines += ["OPTIONAL {", *_indented(shown), "}"]
        return _rows(selected, lines, "rows")

    def _number_each(self, members: Members, hops: RelationPath, number: str) -> list[str]:
        """The patterns that bind each member and how many things hops lead to from it."""
        value = self._value(hops)
        walk = ["OPTIONAL {", *_indented(self._walk(ANSWER, hops, value)), "}"]
        body = [*_apart(members)(ANSWER), *walk]
        return _grouped_by([ANSWER], f"COUNT(DISTINCT {value})", number, body)


def _rows(
    selected: Sequence[str], lines: Sequence[str], form: Form, limit: int | None = None
) -> Compiled:
    distinct = "DISTINCT " if form in ("members", "rows") else ""
    text = [f"SELECT {distinct}{' '.join(selected)}", "WHERE {", *_indented(lines), "}"]
    text += [f"LIMIT {limit}"] if limit is not None else []
    variables = tuple(own.rsplit(" ", 1)[-1].rstrip(")") for own in selected)
    return Compiled("\n".join(text), variables, form)


def _apart(members: Members) -> Members:
    """The same set as a subquery, of which only its members are seen outside."""

    def lines(variable: str) -> list[str]:
        inner = [f"SELECT DISTINCT {variable} WHERE {{", *_indented(members(variable)), "}"]
        return ["{", *_indented(inner), "}"]

    return lines


def _and(members: Members, others: Members) -> Members:
    return lambda variable: [*members(variable), *others(variable)]


def _less(members: Members, others: Members) -> Members:
    def lines(variable: str) -> list[str]:
        gone = ["MINUS {", *_indented(_apart(others)(variable)), "}"]
        return [*_apart(members)(variable), *gone]

    return lines


def _grouped_by(keys: Sequence[str], computed: str, name: str, lines: Sequence[str]) -> list[str]:
    """A subquery with a number for each key. Some engines make a row of nothing where there is
    nothing to group: the filter takes it away.
    """
    selected = " ".join([*keys, f"({computed} AS {name})"])
    by = f"}} GROUP BY {' '.join(keys)}" if keys else "}"
    inner = ["{", *_indented([f"SELECT {selected} WHERE {{", *_indented(lines), by]), "}"]
    return ["{", *_indented([*inner, f"FILTER(BOUND({keys[0]}))"]), "}"] if keys else inner


def _number(value: str) -> str:
    text = f'IF(isIRI({value}), STRAFTER(STR({value}), "urn:groundwalk:"), STR({value}))'
    plain = f'REGEX({text}, "{_NUMERAL}") && (isIRI({value}) || LANG({value}) = "")'
    dated = f"isLiteral({value}) && DATATYPE({value}) IN ({_DATES})"
    return f"IF({plain} && !({dated}), <{_XSD}double>({text}), 1/0)"


def _date(value: str) -> str:
    """Year, month, day and time of day as one number, as `Value.number` has them."""
    day = f'REPLACE(STR({value}), "{_AFTER_DAY}", "")'
    year = f'<{_XSD}double>(REPLACE({day}, "^(-?[0-9]+).*$", "$1"))'
    rest = f'CONCAT(REPLACE({day}, "^-?[0-9]+|-", ""), "0000")'
    time = f"(HOURS({value}) * 3600 + MINUTES({value}) * 60 + SECONDS({value})) / 86401"
    dated = f'DATATYPE({value}) IN ({_DATES}) && REGEX(STR({value}), "{_DATE}")'
    size = f"{year} * 10000 + <{_XSD}double>(SUBSTR({rest}, 1, 4)) + COALESCE({time}, 0)"
    return f"IF({dated}, {size}, 1/0)"


def _double(number: float) -> str:
    return f'"{float(number)!r}"^^<{_XSD}double>'


def _text(text: str) -> str:
    return spell(to_term(ox.Literal(text)))


def _exists(lines: Sequence[str], which: str = "EXISTS") -> list[str]:
    return [f"FILTER {which} {{", *_indented(lines), "}"]


def _either(bodies: Sequence[Sequence[str]]) -> list[str]:
    lines = ["{"]
    for number, body in enumerate(bodies):
        lines += ["} UNION {"] * bool(number) + _indented(body)
    return [*lines, "}"]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]
