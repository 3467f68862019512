"""A query in words, made of the labels of its graph: fit to be shown under every answer.

What a phrase is about stands at its end, so that it holds all that follows: a set with conditions
inside another one is in brackets.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from ..kg import KnowledgeGraph
from ..kg.terms import Term
from ..linking.words import singular
from .binding import Bound
from .phrases import IT, Label, is_clause, label_of, plural
from .tree import (
    ANY_CLASS,
    Agg,
    AnyOf,
    Column,
    Domain,
    Entity,
    Extreme,
    Filter,
    Having,
    Last,
    Measure,
    OfClass,
    Part,
    Query,
    Step,
    asks_of_each,
    names_only_things,
    nested,
    subject,
)
from .vocabulary import classes_of_heads, classes_of_tails

MOST_NAMED = 3
"""Earlier answers that are named; of more, one less and how many there are besides."""
_OPS = {"starts": "starting with", "ends": "ending in", "contains": "containing"}
_ANSWERS = {
    "count": "how many: ",
    "sum": "sum of ",
    "avg": "average of ",
    "min": "smallest of ",
    "max": "largest of ",
}
_AGGS = {"count": "number", "sum": "sum", "avg": "average", "min": "smallest", "max": "largest"}


def in_words(kg: KnowledgeGraph, bound: Bound) -> str:
    """A query in words, with the display names of the graph. Raises ServiceError."""
    names = names_of(kg, bound)
    return reading(bound, names, classes_walked(kg, bound), verbs_of(kg, bound, names))


def classes_walked(kg: KnowledgeGraph, bound: Bound) -> dict[Term, str]:
    """The class of all heads of each relation that a query walks against, where it is one."""
    inverse = (step for node in _nodes(bound) for step in node.steps if step.inverse)
    return classes_of_heads(kg, {bound.relation(step) for step in inverse})


def verbs_of(kg: KnowledgeGraph, bound: Bound, names: Mapping[Term, str]) -> frozenset[Term]:
    """The relations of a query of which the label is a verb alone, as what they lead to tells.

    What they lead to has classes, and none of these is called so: `plays` is none that leads to
    plays, nor `seats` that leads to a number.
    """
    lone = {term for term in bound.relations.values() if label_of(names[term]).is_lone_verb}
    reached = classes_of_tails(kg, lone) if lone else {}
    return frozenset(
        term
        for term, classes in reached.items()
        if singular(names[term].lower()) not in map(str.lower, classes)
    )


def names_of(kg: KnowledgeGraph, bound: Bound) -> dict[str, str]:
    """Display names of the terms that a query speaks of, by term and by name in the query."""
    named = {**bound.relations, **bound.entities}
    terms = [*named.values(), *earlier_terms(bound)]
    terms += [mention.term for mention in bound.mentions if mention.term is not None]
    distinct = list(dict.fromkeys(terms))
    names = dict(zip(distinct, kg.walk_labels.names(distinct), strict=True))
    return names | {name: names[term] for name, term in named.items()}


def earlier_terms(bound: Bound) -> list[Term]:
    """Those of the earlier answers and topics that the words of a query name."""
    starts = (node.start for node in _nodes(bound) if isinstance(node.start, Last))
    return [term for start in starts for term in bound.earlier.get(start.last, ())[:MOST_NAMED]]


def _nodes(bound: Bound) -> list[Query]:
    return [bound.query, *nested(bound.query)]


def reading(
    bound: Bound,
    names: Mapping[Term, str] | None = None,
    heads: Mapping[Term, str] | None = None,
    verbs: Collection[Term] = (),
) -> str:
    """What a query asks, in one line.

    `names` are display names of terms, where they are known, and `heads` the class of all that have
    a relation, where it is one. `verbs` are the relations whose label is known to be a verb alone.
    """
    words, query = _Words(bound, names or {}, heads or {}, verbs), bound.query
    if query.answer == "yesno":
        if asks_of_each(query):
            return words.truth_of_each(query)
        first = query.model_copy(update={"every": ()})
        return "; and ".join(map(words.yes_no, (first, *query.every)))
    if query.to is not None:
        return f"shortest connection from {words.set(query)} to {words.set(query.to)}"
    text = words.asked(query)
    if query.columns:
        text += "; each with " + ", ".join(map(words.column, query.columns))
    return text


def equality(bound: Bound, condition: Filter, names: Mapping[Term, str]) -> str:
    """The opposite of an inequality in words: what none of the members has."""
    equal = condition.model_copy(update={"op": "="})
    return _Words(bound, names, {}).condition(equal).removeprefix("with ")


class _Words:
    def __init__(
        self,
        bound: Bound,
        names: Mapping[Term, str],
        heads: Mapping[Term, str],
        verbs: Collection[Term] = (),
    ) -> None:
        self._bound = bound
        self._verbs = verbs
        self._names = names
        self._heads = heads

    def asked(self, query: Query) -> str:
        """What of a set is asked for, in words."""
        return _ANSWERS.get(query.answer, "") + self.set(query)

    def set(self, query: Query) -> str:
        """A set in words: from its end to its start, then what is kept of it."""
        text = self._walk(query)
        conditions = list(self._conditions(query))
        if conditions:
            text = ", ".join([text, *conditions])
        if query.group:
            text = self._phrase(query.group, f"({text})" if conditions else text)
            text += "".join(f", each with {self._having(having)}" for having in query.having)
        if query.extreme is not None:
            text += "; " + self._extreme(query.extreme)
        return text

    def yes_no(self, query: Query) -> str:
        """Whether a set has members; whether named things are in it, where that is all."""
        (*other_sets,) = query.also
        start = Query(start=query.start)
        if names_only_things(start) and not (query.steps or query.group or query.extreme):
            if conditions := list(self._conditions_on_named(query)):
                return f"is {self.set(start)} {', and '.join(conditions)}"
        elif len(other_sets) == 1 and names_only_things(other_sets[0]):
            rest = query.model_copy(update={"also": (), "answer": "list"})
            is_one = rest == Query(start=query.start, steps=query.steps) and self._is_one(rest)
            whole = f"the {self.set(rest)}" if is_one else f"among {self._inner(rest)}"
            return f"is {self.set(other_sets[0])} {whole}"
        text = self._any(query, self.set(query))
        return f"is there {text}" if text.startswith("any") else f"is there anything: {text}"

    def truth_of_each(self, query: Query) -> str:
        """Whether each member of a set is in every one of some others."""
        text = self.set(subject(query))
        each = text if text.startswith("every ") else f"every one of {text}"
        return f"is {each} {', and '.join(f'among {self._inner(set_)}' for set_ in query.every)}"

    def column(self, column: Column) -> str:
        """What a column shows."""
        if column.agg:
            return self._aggregate(column.agg, column.of)
        return self._phrase(column.steps)

    def condition(self, condition: Filter) -> str:
        """What a condition asks of each member."""
        value, op = condition.value, condition.op
        name = self._measure(condition)
        if op in ("exists", "not exists"):
            name = f"anything that {name.removeprefix('what ')}" if is_clause(name) else name
            return f"with{'' if op == 'exists' else 'out'} {name} in the graph"
        if isinstance(value, Query):
            text = self.asked(value)
            text = text if names_only_things(value) else f"({text})"
        elif condition.mention is not None:
            text = self._mention(condition.mention)
        else:
            text = str(value).lower() if isinstance(value, bool) else str(value)
        year = "year of " if condition.of else ""
        unit = f" {condition.unit}" if condition.unit else ""
        if not name:
            name = "name" if op in _OPS else "itself"
        return f"with {year}{name} {_OPS.get(op, op)} {text}{unit}"

    def _conditions(self, query: Query) -> Iterator[str]:
        yield from map(self.condition, query.filters)
        yield from (f"if also {self._inner_any(other)}" for other in query.also)
        for number, other in enumerate(query.without):
            yield f"{'nor' if number else 'but not'} {self._left_out(other)}"

    def _left_out(self, query: Query) -> str:
        """A set that is taken away; named things are so themselves, and nothing around them."""
        text = self._inner_any(query)
        match query.start if names_only_things(query) else None:
            case Entity() | (_,):
                return f"{text} itself"
            case (_, *_):
                return f"{text} themselves"
            case _:
                return text

    def _conditions_on_named(self, query: Query) -> Iterator[str]:
        """The conditions on named things, as what is asked of them."""
        if query.of_class not in ANY_CLASS and query.of_class:
            article = "an" if query.of_class[:1].lower() in tuple("aeio") else "a"
            yield f"{article} {query.of_class}"
        yield from (f"one {self.condition(condition)}" for condition in query.filters)
        yield from (f"among {self._inner(other)}" for other in query.also)
        yield from (f"not among {self._inner(other)}" for other in query.without)

    def _is_one(self, query: Query) -> bool:
        """Whether a walk ends in a noun that is no plural, as far as its form tells."""
        if not query.steps or query.steps[-1].inverse:
            return False
        label = self._label(query.steps[-1])
        return label.form == "noun" and not label.text.endswith("s")

    def _walk(self, query: Query) -> str:
        text, kind = self._start(query), "" if query.of_class in ANY_CLASS else query.of_class
        for step in query.steps:
            label = self._label(step)
            if not step.inverse:
                text = label.tail_phrase(text)
                continue
            head = self._heads.get(self._bound.relations.get(step.id or step.relation, ""))
            is_last = step is query.steps[-1]
            text = label.noun_phrase(
                f"every {(is_last and kind) or head or 'thing'}", _any_member(text)
            )
        if kind and not (query.steps and query.steps[-1].inverse):
            return f"every {kind} among {text}"
        return text

    def _start(self, query: Query) -> str:
        match query.start:
            case tuple() as numbers:
                return " or ".join(self._mention(number) for number in numbers)
            case OfClass(name=name):
                return "anything" if name in ANY_CLASS else f"every {name}"
            case Entity(entity=name, id=term):
                return self._names.get(term, name)
            case Domain() as domain:
                return self._label_named(domain.id, domain.domain).anything_with()
            case AnyOf(any=queries):
                texts = list(map(self._inner, queries))
                brackets = (f"({text})" if " or " in text else text for text in texts)
                return f"either {' or '.join(brackets)}" if len(texts) > 1 else texts[0]
            case Last() | Part() as start:
                return self._earlier(start)
            case Query() as inner:
                return self._inner(inner)

    def _earlier(self, start: Last | Part) -> str:
        """The things of the conversation that a query begins at, by name where they are known."""
        if isinstance(start, Part):
            questions, number = self._bound.questions, start.part
            known = number < len(questions)
            asked = f'"{questions[number]}"' if known else f"question {number + 1}"
            return f"the answers to {asked}"
        noun = f"last {start.last}"
        terms = self._bound.earlier.get(start.last, ())
        names = [self._names.get(term, term) for term in terms[:MOST_NAMED]]
        if not names:
            return f"the {noun}"
        if len(terms) <= MOST_NAMED:
            return " or ".join(names)
        first = ", ".join(names[: MOST_NAMED - 1])
        return f"{first} or {len(terms) - MOST_NAMED + 1} more of the {noun}"

    def _inner(self, query: Query) -> str:
        if query.extreme is not None and _is_first_of_class(query):
            kind = query.start.name if isinstance(query.start, OfClass) else ""
            return self._extreme(query.extreme).replace("the one", f"the {kind}", 1)
        return _enclosed(query, self.set(query))

    def _inner_any(self, query: Query) -> str:
        return _enclosed(query, self._any(query, self.set(query)))

    def _any(self, query: Query, text: str) -> str:
        """The words of a set that is spoken of as a kind: `any river`, not `every river`."""
        is_named = names_only_things(Query(start=query.start)) and not query.steps
        return text if is_named else _any_member(text)

    def _mention(self, number: int) -> str:
        mention = self._bound.mentioned(number)
        return self._names.get(mention.term or "", mention.text)

    def _phrase(self, steps: Sequence[Step], about: str = IT) -> str:
        """What steps from each member lead to, in words."""
        text = about
        for step in steps:
            label = self._label(step)
            text = label.head_phrase(text) if step.inverse else label.tail_phrase(text)
        return text

    def _label(self, step: Step) -> Label:
        label = self._label_named(step.id, step.relation)
        term = self._bound.relations.get(step.id or step.relation, "")
        return label._replace(before_name=True) if term in self._verbs else label

    def _label_named(self, term: str, name: str) -> Label:
        return label_of(self._names.get(term, name))

    def _aggregate(self, agg: Agg, of: Sequence[Step]) -> str:
        """A number over the members of a key, or over what they lead to."""
        if not of:
            return "number of these" if agg == "count" else _AGGS[agg]
        return self._number(of) if agg == "count" else f"{_AGGS[agg]} of {self._phrase(of)}"

    def _number(self, steps: Sequence[Step]) -> str:
        """How many there are of what steps lead to; what may be no noun stands as it is."""
        phrase = self._phrase(steps) if steps else ""
        if is_clause(phrase):
            return f"number of all that {phrase.removeprefix('what ')}"
        return f"number of {plural(phrase)}" if self._is_noun(steps) else f"number of: {phrase}"

    def _is_noun(self, steps: Sequence[Step]) -> bool:
        """Whether a noun comes of what steps lead to, which may be one of many."""
        return not steps or (not steps[-1].inverse and self._label(steps[-1]).is_noun)

    def _having(self, condition: Having) -> str:
        value = condition.value
        text = str(value) if condition.mention is None else self._mention(condition.mention)
        return f"{self._aggregate(condition.agg, condition.of)} {condition.op} {text}"

    def _measure(self, measure: Measure) -> str:
        """What is measured of each member; empty where that is the thing itself."""
        if measure.count:
            return self._number(measure.steps) + self._among_set(measure)
        return (self._phrase(measure.steps) if measure.steps else "") + self._among_set(measure)

    def _among_set(self, measure: Measure) -> str:
        return f" among {self._inner(measure.among)}" if measure.among else ""

    def _extreme(self, extreme: Extreme) -> str:
        if extreme.count and extreme.steps and self._is_noun(extreme.steps):
            many = plural(self._phrase(extreme.steps))
            measure = f"{many}{self._among_set(extreme)} (number of them)"
            size = "most" if extreme.most else "fewest"
        else:
            measure = (
                self._aggregate(extreme.agg, extreme.of) if extreme.agg else self._measure(extreme)
            )
            size = "largest" if extreme.most else "smallest"
        rank = f"the {size} {measure}".rstrip()
        if extreme.place is not None:
            return f"number {extreme.place} by {rank}"
        return f"the {extreme.n} with {rank}" if extreme.n > 1 else f"the one with {rank}"


def _is_first_of_class(query: Query) -> bool:
    """Whether a set is the first of a whole class, such as *the longest river*."""
    start, extreme = query.start, query.extreme
    if not isinstance(start, OfClass) or start.name in ANY_CLASS or extreme is None:
        return False
    is_first = extreme.n == 1 and extreme.place is None and extreme.agg is None
    return is_first and query == Query(start=start, extreme=extreme)


def _any_member(text: str) -> str:
    """The words of a set of which each member alone will do: `any river`, not `every river`."""
    return f"any{text[5:]}" if text.startswith(("every ", "everything ")) else text


def _enclosed(query: Query, text: str) -> str:
    """A set inside another one: in brackets, where more is said of it than a walk."""
    conditions = query.filters or query.also or query.without or query.extreme or query.group
    return f"({text})" if conditions else text
