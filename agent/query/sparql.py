"""A query as one query of SPARQL 1.1, with the same denotation wherever the graph is held.

A set is a group of patterns that binds one variable. A set inside another is a subquery, so that
its other variables stay its own.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from ..errors import QuestionError
from ..kg.profile import Profile
from ..kg.terms import RelationPath, Term
from .binding import Bound
from .comparison import number_for_having
from .members import Form
from .sparql_patterns import (
    InexpressibleError,
    Members,
    Patterns,
    block,
    date_of,
    double,
    either,
    exists,
    grouped_by,
    in_both,
    in_first_only,
    indented,
    optional,
    select,
    subquery,
)
from .tree import (
    Agg,
    AnyOf,
    Domain,
    Entity,
    Extreme,
    Filter,
    Last,
    Measure,
    OfClass,
    Query,
    Step,
    asks_of_each,
    exceptions,
    subject,
)

ANSWER = "?answer"
VALUE = "?value"


@dataclass(frozen=True)
class Compiled:
    """The text of a query, the variables of its rows in order, and what the rows are."""

    text: str
    variables: tuple[str, ...]
    form: Form


def compile_query(
    bound: Bound,
    profile: Profile,
    graphs: Sequence[Term] = (),
    *,
    numeric: Callable[[Term], bool] = lambda _: False,
    below: Callable[[Term], Collection[Term]] = lambda _: (),
    must_read: Callable[[Term], bool] = lambda _: False,
    priced: Callable[[Term, str], bool] = lambda _, __: False,
) -> Compiled:
    """The query of SPARQL for a query of ours.

    Members are rows of `?answer`, numbers and columns rows of their own variables. A yes is a row
    and a no is none. `numeric` knows of a relation that all its values are numbers of XSD, so that
    they need no reading, `below` those classes whose members are members of a class, too,
    `must_read` that values of a relation are no numbers or dates to SPARQL, and `priced` that they
    need no conversion into a currency. Raises InexpressibleError for what only the execution here
    can do: connections, converted units, durations and amounts in texts that are compared, earlier
    answers that are not known, and terms that no query can name.
    """
    compiler = _Compiler(bound, profile, graphs, numeric, below, priced)
    compiled = compiler.compiled()
    if any(map(must_read, compiler.measured)):
        raise InexpressibleError("durations and texts with a unit are compared here, not in SPARQL")
    return compiled


class _Compiler(Patterns):
    def compiled(self) -> Compiled:
        """The topmost node, in the form of its answer."""
        query = self.bound.query
        match query.answer:
            case "connection":
                raise InexpressibleError("SPARQL 1.1 has no shortest connections")
            case "yesno" if asks_of_each(query):
                return self._truth_of_each(query)
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

    def _truth_of_each(self, query: Query) -> Compiled:
        """A row where the set has members and no exceptions, which are counted."""
        other, number = self.variable(), self.variable()
        counted = select(
            f"(COUNT(DISTINCT {other}) AS {number})", self._set(exceptions(query))(other)
        )
        lines = [*self._any_of(self._set(subject(query))), *block(counted), f"FILTER({number} = 0)"]
        return _rows([f"(1 AS {VALUE})"], lines, "truth", limit=1)

    # Sets

    def _set(self, query: Query) -> Members:
        members = self._start(query)
        for step in query.steps:
            members = self.along(members, ((self.bound.relation(step), step.inverse),))
        if class_ := self.bound.class_of(query.of_class, query.class_id):
            members = in_both(members, self.of_class(class_))
        for condition in query.filters:
            members = self._filtered(members, condition)
        for other in map(self._set, query.also):
            members = in_both(members, subquery(other))
        for other in map(self._set, query.without):
            members = in_first_only(members, other)
        if query.group:
            return self._keys(query, members)
        if query.extreme is not None:
            return self._extreme(members, query.extreme)
        return members

    def _start(self, query: Query) -> Members:
        match query.start:
            case tuple() as numbers:
                terms = [self.bound.mentioned(number).term for number in numbers]
                return self.among([term for term in terms if term is not None])
            case Entity(entity=name, id=term):
                return self.among([self.bound.entities[term or name]])
            case OfClass(name=name, id=term):
                class_ = self.bound.class_of(name, term)
                return self.of_class(class_) if class_ else self.things
            case Domain() as domain:
                walk = ((self.bound.relation(domain), False),)
                return lambda v: self.walk(v, walk, self.variable())
            case AnyOf(any=queries):
                sets = [subquery(self._set(inner)) for inner in queries]
                return lambda v: either([members(v) for members in sets])
            case Query() as inner:
                return subquery(self._set(inner))
            case Last(last=name) if name in self.bound.earlier:
                return self.among(self.bound.earlier[name])
            case _:
                raise InexpressibleError("it is not known what earlier answers there are")

    def _any_of(self, members: Members) -> list[str]:
        variable = self.variable()
        return block(select(variable, members(variable), "} LIMIT 1"))

    # Conditions

    def _to_values(self, measure: Measure, member: str) -> tuple[list[str], str]:
        """The patterns from a member to its values, and their variable."""
        hops = self.bound.hops(measure.steps)
        value = self.value(hops) if hops else member
        lines = self.walk(member, hops, value)
        if measure.among is not None:
            lines += subquery(self._set(measure.among))(value)
        return lines, value

    def _filtered(self, members: Members, condition: Filter) -> Members:
        if condition.count:
            return self._with_count(members, condition)
        if condition.among is not None or isinstance(condition.value, Query):
            return self._joined(members, condition)

        def lines(variable: str) -> list[str]:
            before = members(variable)
            walk, value = self._to_values(condition, variable)
            match condition.op:
                case "exists":
                    return [*before, *exists(walk)]
                case "not exists":
                    return [*before, *exists(walk, "NOT EXISTS")]
                case op:
                    passing = self.passing(value, condition)
            if op != "!=":
                return [*before, *(exists([*walk, *passing]) if walk else passing)]
            if walk:
                return [*before, *exists(walk), *exists([*walk, *passing], "NOT EXISTS")]
            return in_first_only(members, in_both(members, lambda v: self.passing(v, condition)))(
                variable
            )

        return lines

    def _joined(self, members: Members, condition: Filter) -> Members:
        """Members by a condition with a set in it.

        That set stands outside of EXISTS, where engines would make it anew for every member.
        """

        def having(variable: str) -> list[str]:
            return [*members(variable), *self._to_values(condition, variable)[0]]

        def passing(variable: str) -> list[str]:
            walk, value = self._to_values(condition, variable)
            return [*members(variable), *walk, *self._comparison(value, condition)]

        match condition.op:
            case "exists":
                return subquery(having)
            case "not exists":
                return in_first_only(members, having)
            case "!=":
                return in_first_only(having, passing)
            case _:
                return subquery(passing)

    def _with_count(self, members: Members, condition: Filter) -> Members:
        def lines(variable: str) -> list[str]:
            number = self.variable()
            counted = self._counted(members, condition, variable, number)
            if isinstance(condition.value, Query):
                return [*counted, *self._compared(number, condition, condition.value)]
            bound = self.operand(condition).amount
            if bound is None:
                raise QuestionError(
                    "how many there are compares with a number", "give one as the value"
                )
            return [*counted, f"FILTER({number} {condition.op} {double(bound)})"]

        if not isinstance(condition.value, Query):
            return lines
        return in_first_only(members, lines) if condition.op == "!=" else subquery(lines)

    def _counted(self, members: Members, measure: Measure, variable: str, number: str) -> list[str]:
        """The patterns that bind each member and how many values it has."""
        walk, value = self._to_values(measure, variable)
        if walk and value == variable:
            value = self.variable()
            walk.append(f"BIND({variable} AS {value})")
        body = subquery(members)(variable)
        body += optional(walk) if walk else []
        return grouped_by([variable], f"COUNT(DISTINCT {value})", number, body)

    def _comparison(self, value: str, condition: Filter) -> list[str]:
        """The patterns that keep values that pass; of `!=`, those that are equal."""
        if isinstance(condition.value, Query):
            return self._compared(value, condition, condition.value)
        return self.passing(value, condition)

    def _compared(self, value: str, condition: Filter, query: Query) -> list[str]:
        """The patterns that keep values which compare so with the answer of another query."""
        op, answer = "=" if condition.op == "!=" else condition.op, self.variable()
        if query.answer != "list":
            return [*self._number_of(query, answer), f"FILTER({self.number(value)} {op} {answer})"]
        answers = subquery(self._set(query))(answer)
        readings = [
            f"COALESCE({self.number(value)} {op} {self.number(answer)}, false)",
            f"COALESCE({self.date(value)} {op} {self.date(answer)}, false)",
        ]
        readings += [f"sameTerm({value}, {answer})"] if op == "=" else []
        return [*answers, f"FILTER({' || '.join(readings)})"]

    # Extremes, groups and numbers

    def _extreme(self, members: Members, extreme: Extreme) -> Members:
        def counted(member: str, _: str, best: str) -> list[str]:
            return self._counted(members, extreme, member, best)

        def ranked(member: str, kind: str, best: str) -> list[str]:
            walk, value = self._to_values(extreme, member)
            lines = [*subquery(members)(member), *walk]
            if self.is_plain(value):
                return self.best(lines, [member], value, best, most=extreme.most)
            number, key = self.variable(), self.variable()
            lines += [
                f"BIND({self.number(value)} AS {number})",
                f"BIND(COALESCE({number}, {date_of(value)}) AS {key})",
                f"FILTER(BOUND({key}))",
                f"BIND(IF(BOUND({number}), 1, 0) AS {kind})",
            ]
            largest = f"{'MAX' if extreme.most else 'MIN'}({key})"
            return grouped_by([member, kind], largest, best, lines)

        if extreme.count:
            return self._placed(extreme, counted)
        is_plain = self.are_plain(self.bound.hops(extreme.steps))
        return self._placed(extreme, ranked, kinds=not is_plain)

    def _placed(
        self,
        extreme: Extreme,
        ranked: Callable[[str, str, str], list[str]],
        *,
        kinds: bool = False,
    ) -> Members:
        """What has the ranks that are asked for.

        `ranked` binds a member and its value; with `kinds` one of each kind, and between them 1 for
        a number or 0 for a date. Where any member has a number, only numbers have ranks.
        """
        order, at_least = ("DESC", ">=") if extreme.most else ("ASC", "<=")
        distinct, rank = (" DISTINCT", extreme.place) if extreme.place else ("", extreme.n)

        def lines(variable: str) -> list[str]:
            kind, nth_kind, size, other, nth_size = (self.variable() for _ in range(5))
            by = f"DESC({nth_kind}) {order}({nth_size})" if kinds else f"{order}({nth_size})"
            nth = [
                f"SELECT{distinct} {f'{nth_kind} ' if kinds else ''}{nth_size} WHERE {{",
                *indented(ranked(other, nth_kind, nth_size)),
                f"}} ORDER BY {by} LIMIT 1 OFFSET {rank - 1}",
            ]
            conditions, top = [f"{size} = {nth_size}"], nth_kind
            members = ranked(variable, kind, size)
            if kinds and rank > 1:
                top, any_kind = self.variable(), self.variable()
                every = ranked(self.variable(), any_kind, self.variable())
                members += block(select(f"(MAX({any_kind}) AS {top})", every))
                conditions += [f"{nth_kind} = {top}"]
            same_kind = f"{kind} = {top} && " if kinds else ""
            if extreme.place or rank == 1:
                return [*members, *block(nth), f"FILTER({same_kind}{' && '.join(conditions)})"]
            fewer = f"!BOUND({nth_size})" + (f" || {nth_kind} < {top}" if kinds else "")
            enough = f"FILTER({same_kind}({fewer} || {size} {at_least} {nth_size}))"
            return [*members, *optional(block(nth)), enough]

        return lines

    def _keys(self, query: Query, members: Members) -> Members:
        """The keys of a group, those with the ranks that are asked for."""
        grouped = self._grouped(query, members)

        def keys(variable: str) -> list[str]:
            lines = subquery(lambda v: grouped(v, self.variable()))(variable)
            for condition in query.having:
                number = self.variable()
                lines += self._per_key(grouped, variable, condition.agg, condition.of, number)
                wanted = double(number_for_having(self.bound.text_of(condition)))
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
        hops = self.bound.hops(query.group)
        return lambda key, member: [*subquery(members)(member), *self.walk(member, hops, key)]

    def _per_key(
        self,
        grouped: Callable[[str, str], list[str]],
        key: str,
        agg: Agg,
        steps: Sequence[Step],
        number: str,
    ) -> list[str]:
        """The patterns that bind each key and an aggregate over its members."""
        member, hops = self.variable(), self.bound.hops(steps)
        value = self.value(hops) if hops else member
        lines = [*grouped(key, member), *self.walk(member, hops, value)]
        if agg == "count":
            if hops:
                walk = optional(self.walk(member, hops, value))
                lines = [*grouped(key, member), *walk]
            return grouped_by([key], f"COUNT(DISTINCT {value})", number, lines)
        best = self.variable()
        inner = self.best(lines, [key, member], value, best, most=agg != "min")
        return grouped_by([key], f"{agg.upper()}({best})", number, inner)

    def _number_of(self, query: Query, number: str) -> list[str]:
        """The patterns that bind the number that a query comes to; nothing where it has none."""
        if query.answer == "count":
            variable = self.variable()
            counted = f"COUNT(DISTINCT {variable})"
            return grouped_by([], counted, number, self._set(query)(variable))
        *before, last = query.steps
        member, best, size = (self.variable() for _ in range(3))
        hops = ((self.bound.relation(last), last.inverse),)
        value = self.value(hops)
        things = subquery(self._set(Query(start=query.start, steps=tuple(before))))
        lines = [
            *things(member),
            *self.walk(member, hops, value),
            *subquery(self._set(query))(value),
        ]
        inner = self.best(lines, [member], value, best, most=query.answer != "min")
        computed = f"({query.answer.upper()}({best}) AS {number}) (COUNT({best}) AS {size})"
        return [*block(select(computed, inner)), f"FILTER({size} > 0)"]

    def _columns(self, query: Query) -> Compiled:
        plain = query.model_copy(update={"group": (), "having": (), "extreme": None})
        grouped = self._grouped(query, self._set(plain))
        lines, selected = subquery(self._set(query))(ANSWER), [ANSWER]
        for column in query.columns:
            name = self.variable()
            selected.append(name)
            if column.agg and not query.group:
                lines += self._number_each(self._set(query), self.bound.hops(column.of), name)
                continue
            if column.agg:
                shown = self._per_key(grouped, ANSWER, column.agg, column.of, name)
            else:
                shown = self.walk(ANSWER, self.bound.hops(column.steps), name)
            lines += optional(shown)
        return _rows(selected, lines, "rows")

    def _number_each(self, members: Members, hops: RelationPath, number: str) -> list[str]:
        """The patterns that bind each member and how many things hops lead to from it."""
        value = self.value(hops)
        walk = optional(self.walk(ANSWER, hops, value))
        body = [*subquery(members)(ANSWER), *walk]
        return grouped_by([ANSWER], f"COUNT(DISTINCT {value})", number, body)


def _rows(
    selected: Sequence[str], lines: Sequence[str], form: Form, limit: int | None = None
) -> Compiled:
    distinct = "DISTINCT " if form in ("members", "rows") else ""
    text = [f"SELECT {distinct}{' '.join(selected)}", *block(lines, "WHERE {")]
    text += [f"LIMIT {limit}"] if limit is not None else []
    variables = tuple(column.rsplit(" ", 1)[-1].rstrip(")") for column in selected)
    return Compiled("\n".join(text), variables, form)
