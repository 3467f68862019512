"""Sets that conditions narrow: by values, by how many, by what else is said of their members."""

import datetime
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from ...agent.query.actions import Action, Kind
from ...agent.query.spelling import spelling
from ...agent.query.values import value_of
from ..questions.graph import Move, Node
from ..wording.phrasebook import plural
from .clauses import (
    Relative,
    Unit,
    against,
    back,
    comparing,
    counting_clause,
    number_of,
    relative,
    several,
)
from .operators import CARDINALS, Measure, Members, Operators
from .question import Named, in_digits, sign
from .sets import SEVERAL, named_topic, of_class, of_walk, same_class

_COMPARISONS: tuple[Kind, ...] = (
    *("greater", "greater", "less", "less"),
    *("atleast", "atmost", "equal"),
)
_CLASSES = 0.35
"""How many sets are all of a class."""
_DAYS = 0.3
"""How many dates are compared as days."""
_COUNTS: tuple[Kind, ...] = ("greater", "less", "atleast", "atmost", "equal")


def some_members(ops: Operators, rng: Random, *, plain: bool = False) -> Members | None:
    """A set in words: of a class or a walk, and narrowed where it is not `plain`."""
    members = of_class(ops, rng) if rng.random() < _CLASSES else of_walk(ops, rng, 0)
    if members is None or plain or rng.random() < 0.6:
        return members
    return with_condition(ops, members, rng, 0) or members


def with_condition(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    """The same set with a condition; None where what was drawn does not fit it."""
    make = rng.choices([make for make, _ in _CONDITIONS], [share for _, share in _CONDITIONS])[0]
    made = make(ops, members, rng, first + len(members.named))
    if made is None:
        return None
    text = made.text
    return made._replace(text=f"the {text}" if rng.random() < 0.4 else text, bare=text)


def _valued(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    """Those whose measure compares with a value."""
    measure = ops.a_measure(members, rng)
    if measure is None:
        return None
    kind: Kind = rng.choice(_COMPARISONS)
    value = compared_value(ops, measure, rng)
    said = comparing(ops, measure, kind, rng, value.unit, v=sign(first))
    if said and rng.random() < 0.7:
        worded = f"{members.bare} {said}"
    else:
        template: str = kind
        if measure.dates:
            kind = "greater" if rng.random() < 0.5 else "less"
            template = "after" if kind == "greater" else "before"
        worded = ops.measured(members, measure, template, rng, v=sign(first))
    return _with_comparisons(ops, members, measure, worded, value.unit, {kind: value.text}, first)


def _against(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    """Those whose measure is more or less than that of another thing: `older than X`."""
    measure = ops.a_measure(members, rng)
    if measure is None:
        return None
    having = sorted(ops.graph.edges[measure.move])
    others = [node for node in having if ops.graph.kinds[node] == members.kind]
    if not others:
        return None
    kind: Kind = "greater" if rng.random() < 0.5 else "less"
    said = against(ops, measure, kind, rng, sign(first)) if rng.random() < 0.4 else ""
    name = "more_than" if kind == "greater" else "less_than"
    worded = (
        f"{members.bare} {said}"
        if said
        else ops.measured(members, measure, name, rng, o=sign(first))
    )
    where, value = ops.step(measure.move, "where"), ops.step(measure.move)
    compared = (where, Action(kind), Action("value"), Action("pointer", number=first), value)
    return members._replace(
        text=worded,
        actions=(*members.actions, *compared, Action("end")),
        named=(*members.named, ops.named(rng.choice(others))),
    )


def _between(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    """Those whose measure is between two values."""
    measure = ops.a_measure(members, rng)
    if measure is None:
        return None
    values = [compared_value(ops, measure, rng) for _ in range(2)]
    low, high = sorted(values, key=lambda value: value.size)
    said = comparing(ops, measure, "between", rng, low.unit, v=sign(first), w=sign(first + 1))
    if not said or low.size == high.size or low.unit != high.unit:
        return None
    compared: dict[Kind, str] = {"atleast": low.text, "atmost": high.text}
    return _with_comparisons(
        ops, members, measure, f"{members.bare} {said}", low.unit, compared, first
    )


def _with_comparisons(
    ops: Operators,
    members: Members,
    measure: Measure,
    text: str,
    unit: Unit,
    compared: dict[Kind, str],
    first: int,
) -> Members:
    """A set with the conditions that a measure compares so with some values."""
    year = (Action("year"),) if unit == "year" else ()
    conditions = (
        action
        for number, kind in enumerate(compared, first)
        for action in (
            ops.step(measure.move, "where"),
            *year,
            Action(kind),
            Action("pointer", number=number),
        )
    )
    named = (Named(value, "number") for value in compared.values())
    return members._replace(
        text=text, actions=(*members.actions, *conditions), named=(*members.named, *named)
    )


class Value(NamedTuple):
    """A value that a question may compare a measure with, as it is written."""

    text: str
    unit: Unit
    size: tuple[float, ...]


def compared_value(ops: Operators, measure: Measure, rng: Random) -> Value:
    """A value near one of a measure; of dates the year, or the day."""
    value = value_of(ops.graph.terms[rng.choice(measure.values)])
    assert value is not None
    if value.unit == "date":
        year, month, day = map(int, value.size[:3])
        if rng.random() < _DAYS and (date := _day(year, month, day)):
            text = ops.phrases.filled("days", rng, **_spelled_day(date))
            return Value(text, "day", (year, month, day))
        return Value(str(year), "year", (year,))
    text = in_digits(value.number, rng)
    return Value(text, "", (float(text.replace(",", "")),))


def _day(year: int, month: int, day: int) -> datetime.date | None:
    """A day; None where there is no such day, or only a month or a year is told."""
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def _spelled_day(date: datetime.date) -> dict[str, str]:
    """What a day is written with."""
    ordinals = {1: "st", 2: "nd", 3: "rd"}
    last = 0 if 10 < date.day < 20 else date.day % 10
    months = [name for name, number in spelling().months.items() if number == date.month]
    return {
        "d": str(date.day),
        "th": ordinals.get(last, "th"),
        "month": months[0].capitalize(),
        "mon": months[-1].capitalize(),
        "y": str(date.year),
        "iso": date.isoformat(),
    }


def _counted(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    """Those that have so many of something."""
    moves = ops.counted_moves(members)
    if not moves:
        return None
    move, kind = rng.choice(moves), rng.choice(_COUNTS)
    size = rng.randint(1, 6)
    text = str(size) if size == 1 or rng.random() < 0.5 else (*CARDINALS, "six")[size - 2]
    said = counting_clause(ops, move, members.kind, rng) if rng.random() < 0.6 else None
    if said is not None:
        wordings, nouns = said
        inner = number_of(ops, f"many_{kind}", nouns, rng, sign(first))
        worded = f"{members.bare} {wordings.said(inner, rng)}"
    else:
        word = ops.end_word(move, rng)
        if not word:
            return None
        worded = ops.worded(members, f"many_{kind}", rng, ws=plural(word), v=sign(first))
    actions = (ops.step(move, "where"), Action("many"), Action(kind))
    return members._replace(
        text=worded,
        actions=(*members.actions, *actions, Action("pointer", number=first)),
        named=(*members.named, Named(text, "number")),
    )


def _held(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    """Those that have something, or nothing of it."""
    moves = [
        move
        for move in ops.moves_at(members)
        if len(ops.graph.edges[move]) < 0.97 * len(ops.graph.nodes[members.kind])
    ]
    if not moves:
        return None
    move = rng.choice(moves)
    kind: Kind = "exists" if rng.random() < 0.4 else "missing"
    said = counting_clause(ops, move, members.kind, rng) if rng.random() < 0.5 else None
    worded = ""
    if said is not None:
        wordings, nouns = said
        if kind == "missing" and rng.random() < 0.6:
            worded = wordings.denied(number_of(ops, "any", nouns, rng), rng)
        else:
            worded = wordings.said(number_of(ops, kind, nouns, rng), rng)
    word = "" if worded else ops.end_word(move, rng)
    if worded:
        worded = f"{members.bare} {worded}"
    elif word:
        worded = ops.worded(members, kind, rng, w=word)
    else:
        return None
    return members._replace(
        text=worded, actions=(*members.actions, ops.step(move, "where"), Action(kind))
    )


def _without(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    """Those that are not among others."""
    if rng.random() < 0.4:
        node = ops.other(members, rng)
        worded = ops.worded(members, "except", rng, o=sign(first))
        inner = (Action("pointer", number=first),)
        named = (ops.named(node),)
    else:
        other = same_class(ops, members, rng, first)
        if other is None:
            return None
        worded = ops.worded(members, "not", rng, o=other.text)
        inner, named = other.actions, other.named
    return _beside_others(members, "not", worded, inner, named)


def _joined(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    """Those that are among others."""
    other = same_class(ops, members, rng, first)
    if other is None:
        return None
    worded = ops.worded(members, "and", rng, o=other.text)
    return _beside_others(members, "and", worded, other.actions, other.named)


def _also(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    """Those of which a clause says something, or does not."""
    drawn = _clause_of(ops, members, rng)
    if drawn is None:
        return None
    wordings, move, topics = drawn
    signs = [sign(first + number) for number in range(len(topics))]
    is_not = rng.random() < 0.45
    if len(signs) > 1:
        name = rng.choice(("neither", "or")) if is_not else "or"
        inner = several(ops, name, rng, *signs)
        is_said = name == "neither"
    else:
        inner, is_said = ops.composer.named(wordings.start, rng, signs[0]), False
    says = wordings.denied if is_not and not is_said else wordings.said
    clause = says(inner, rng)
    if not clause:
        return None
    name = "denied" if is_not else "also"
    worded = ops.phrases.filled(name, rng, s=members.bare, c=clause)
    pointers = (Action("pointer", number=first + number) for number in range(len(topics)))
    named = tuple(named_topic(ops, node, move) for node in topics)
    kind: Kind = "not" if is_not else "and"
    return _beside_others(members, kind, worded, (*pointers, ops.step(move)), named)


def _pair(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    """Those of which a clause says something of both of two things, or of one and not the other."""
    drawn = _clause_of(ops, members, rng, count=2)
    if drawn is None:
        return None
    wordings, move, topics = drawn
    kind: Kind = "and" if rng.random() < 0.5 else "not"
    name = "both" if kind == "and" else "but_not"
    inner = several(ops, name, rng, sign(first), sign(first + 1))
    worded = f"{members.bare} {wordings.said(inner, rng)}"
    one, other = ((Action("pointer", number=first + n), ops.step(move)) for n in (0, 1))
    joined = _beside_others(members, "and", worded, one, (named_topic(ops, topics[0], move),))
    return _beside_others(joined, kind, worded, other, (named_topic(ops, topics[1], move),))


class _Clause(NamedTuple):
    """Wordings of a set by a move that leads to it, the move, and where that may begin."""

    wordings: Relative
    move: Move
    topics: Sequence[Node]


def _clause_of(ops: Operators, members: Members, rng: Random, count: int = 0) -> _Clause | None:
    """A clause about a set, from so many things, or from one and at times from two."""
    graph = ops.graph
    moves = [back(move) for move in ops.moves_at(members)] if members.kind else []
    moves = [move for move in moves if move in graph.edges]
    moves = [move for move in moves if all(map(ops.is_thing, graph.edges[move]))]
    if ops.names_texts:
        moves += [move for move, texts in ops.text_moves if _leads(ops, move, texts, members.kind)]
    if not moves:
        return None
    move = rng.choice(moves)
    nodes = sorted(graph.edges[move])
    size = count or (2 if rng.random() < SEVERAL else 1)
    kinds = {graph.kinds[node] for node in nodes}
    if len(kinds) > 1 or len(nodes) < size:
        return None
    wordings = relative(ops, move, kinds.pop(), members.kind, rng)
    return wordings and _Clause(wordings, move, rng.sample(nodes, size))


def _leads(ops: Operators, move: Move, texts: Sequence[Node], kind: str) -> bool:
    """Whether a move leads from a text to things of a class."""
    return ops.graph.kinds[ops.graph.edges[move][texts[0]][0]] == kind


def _beside_others(
    members: Members, kind: Kind, text: str, inner: Sequence[Action], named: Sequence[Named]
) -> Members:
    """A set that is joined with another, or without it."""
    return members._replace(
        text=text,
        bare=text,
        actions=(*members.actions, Action(kind), *inner, Action("end")),
        named=(*members.named, *named),
    )


def _spelled(ops: Operators, members: Members, rng: Random, first: int) -> Members | None:
    """Those whose name begins or ends so, or has that in it."""
    kind: Kind = rng.choice(("starts", "starts", "ends", "contains"))
    name = ops.graph.names[ops.other(members, rng)]
    size = rng.randint(1, 3)
    text = name[-size:] if kind == "ends" else name[:size]
    if not text.strip() or '"' in text:
        return None
    is_letter = size == 1 and text.isalpha() and text.lower() not in spelling().letters
    text = text.upper() if is_letter else f'"{text}"'
    worded = ops.worded(members, kind, rng, v=sign(first))
    actions = (Action("where"), Action("self"), Action(kind))
    return members._replace(
        text=worded,
        actions=(*members.actions, *actions, Action("pointer", number=first)),
        named=(*members.named, Named(text, "text")),
    )


_Condition = Callable[[Operators, Members, Random, int], Members | None]
_CONDITIONS: tuple[tuple[_Condition, float], ...] = (
    (_valued, 2),
    (_between, 0.6),
    (_against, 0.8),
    (_counted, 1),
    (_held, 1),
    (_without, 1.5),
    (_joined, 1),
    (_also, 2.5),
    (_pair, 0.7),
    (_spelled, 0.5),
)
"""What narrows a set, and how often beside the others."""
