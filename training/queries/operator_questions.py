"""Questions that do something to a set: it is counted, ranked, summed up, compared or shown."""

from collections.abc import Callable
from random import Random

from ...agent.query.actions import Action, Kind
from ..questions.compose import route_of
from ..questions.graph import execute, sample_walk
from ..wording.phrasebook import plural
from ..wording.template import Filling, fill
from .class_questions import (
    claimed_walk,
    denied_walk,
    distinct_ends,
    narrowed_class,
    then_narrowed,
)
from .clauses import asked_of_one, counting_clause, number_of, ranking
from .conditions import compared_value, some_members, with_condition
from .operators import CARDINALS, Measure, Members, Operators
from .question import Earlier, Named, QueryQuestion, earlier_class, sign, words_of
from .sets import of_walk, same_class

_ORDINALS = ("second", "third", "fourth", "fifth", "2nd", "3rd", "4th", "5th")
_RANKS = 4


def operator_question(ops: Operators, rng: Random) -> QueryQuestion | None:
    """One question; None where the set that was drawn does not lend itself to it."""
    make = rng.choices([make for make, _ in _KINDS], [weight for _, weight in _KINDS])[0]
    return make(ops, rng)


def _count(ops: Operators, rng: Random) -> QueryQuestion | None:
    members = some_members(ops, rng)
    return members and ops.question(ops.worded(members, "count", rng), members, Action("count"))


def _any(ops: Operators, rng: Random) -> QueryQuestion | None:
    members = some_members(ops, rng)
    return members and ops.question(ops.worded(members, "any", rng), members, Action("yesno"))


def _listed(ops: Operators, rng: Random) -> QueryQuestion | None:
    members = some_members(ops, rng, plain=True)
    narrowed = members and with_condition(ops, members, rng, 0)
    return narrowed and ops.question(ops.worded(narrowed, "list", rng), narrowed)


def _member(ops: Operators, rng: Random) -> QueryQuestion | None:
    members = some_members(ops, rng)
    if members is None:
        return None
    number = len(members.named)
    text = ops.worded(members, "member", rng, o=sign(number))
    members = members._replace(named=(*members.named, ops.named(ops.other(members, rng))))
    inner = (Action("and"), Action("pointer", number=number), Action("end"))
    return ops.question(text, members, *inner, Action("yesno"))


def _extreme(ops: Operators, rng: Random) -> QueryQuestion | None:
    members = some_members(ops, rng)
    measure = members and ops.a_measure(members, rng)
    if members is None or measure is None:
        return None
    kind: Kind = "most" if rng.random() < 0.65 else "least"
    return _ranked(ops, members, kind, kind, (ops.step(measure.move, kind),), measure, rng)


def _extreme_of_many(ops: Operators, rng: Random) -> QueryQuestion | None:
    members = some_members(ops, rng)
    moves = ops.counted_moves(members) if members else []
    if members is None or not moves:
        return None
    move = rng.choice(moves)
    kind: Kind = "most" if rng.random() < 0.7 else "least"
    said = counting_clause(ops, move, members.kind, rng) if rng.random() < 0.6 else None
    if said is not None:
        wordings, nouns = said
        many = number_of(ops, f"many_{kind}", nouns, rng)
        text = _ranked_by(ops, members, wordings.said(many, rng), rng, many.text)
    else:
        word = ops.end_word(move, rng)
        if not word:
            return None
        text = ops.worded(members, f"many_{kind}", rng, ws=plural(word))
    return ops.question(text, members, ops.step(move, kind), Action("many"))


def _ranked_by(
    ops: Operators, members: Members, clause: str, rng: Random, subject: str = ""
) -> str:
    """Who of a set is first in what a clause says, with a verb where the clause has one.

    It has none of the set where it has a `subject` of its own.
    """
    pronoun, _, verb = clause.partition(" ")
    named = {"s": members.bare, "np": members.text}
    if pronoun in ("that", "who", "which") and not (subject and verb.startswith(subject)):
        return ops.phrases.filled("ranked", rng, c=verb, **named)
    return ops.phrases.filled("ranked_so", rng, r=clause, **named)


def _ranked(
    ops: Operators,
    members: Members,
    name: str,
    kind: Kind,
    actions: tuple[Action, ...],
    measure: Measure,
    rng: Random,
) -> QueryQuestion:
    style = rng.random()
    if style < 0.6:
        verb = ranking(ops, measure, kind, rng) if style < 0.2 else ""
        if verb:
            text = _ranked_by(ops, members, f"that {verb}", rng)
        else:
            text = ops.measured(members, measure, name, rng)
        return ops.question(text, members, *actions)
    rank = rng.randrange(_RANKS) + 2
    if style < 0.8:
        nth = rng.choice((_ORDINALS[rank - 2], _ORDINALS[rank - 2 + _RANKS]))
        text = ops.measured(members, measure, f"{name}_place", rng, nth=nth)
        return ops.question(
            text, members, *actions, Action("place"), Action("pointer", number=rank)
        )
    count = CARDINALS[rank - 2] if rng.random() < 0.5 else str(rank)
    text = ops.measured(members, measure, f"{name}_first", rng, n=count)
    return ops.question(text, members, *actions, Action("first"), Action("pointer", number=rank))


def _computed(ops: Operators, rng: Random) -> QueryQuestion | None:
    members = some_members(ops, rng)
    measure = members and ops.a_measure(members, rng)
    if members is None or measure is None or measure.dates:
        return None
    form: Kind = rng.choice(("sum", "sum", "avg", "avg", "max", "min"))
    text = ops.measured(members, measure, form, rng)
    return ops.question(text, members, ops.step(measure.move), Action(form))


def _onward(ops: Operators, rng: Random) -> QueryQuestion | None:
    """What a narrowed set leads to."""
    members = some_members(ops, rng, plain=True)
    narrowed = members and with_condition(ops, members, rng, 0)
    leading = narrowed and ops.an_end(ops.moves_at(narrowed), rng)
    if narrowed is None or leading is None:
        return None
    move, word = leading
    text = ops.worded(narrowed, "one_step", rng, ws=plural(word))
    return ops.question(text, narrowed, ops.step(move))


def _table(ops: Operators, rng: Random) -> QueryQuestion | None:
    """One column or two beside each member, or how many things a relation leads to."""
    members = some_members(ops, rng)
    moves = ops.moves_at(members) if members else []
    if members is None or not moves:
        return None
    moves += [measure.move for measure in ops.measures_at(members)]
    columns = rng.sample(moves, min(len(moves), rng.choice((1, 2))))
    words = [word for move in columns if (word := ops.end_word(move, rng))]
    if len(words) < len(columns):
        return None
    first, last = words[0], words[-1]
    if len(columns) == 1 and ops.is_counted(columns[0]) and rng.random() < 0.5:
        text = ops.worded(members, "column_count", rng, ws=plural(first))
        return ops.question(text, members, Action("column"), ops.step(columns[0], "count"))
    name = "column" if len(columns) == 1 else "columns"
    slots = {"w": first, "ws": plural(first), "w2": last, "ws2": plural(last)}
    text = ops.worded(members, name, rng, **slots)
    return ops.question(text, members, *(ops.step(move, "column") for move in columns))


def _grouped(ops: Operators, rng: Random) -> QueryQuestion | None:
    members = some_members(ops, rng)
    leading = members and ops.an_end(ops.moves_at(members), rng)
    if members is None or leading is None:
        return None
    move, word = leading
    group = ops.step(move, "group")
    if rng.random() < 0.5:
        text = ops.worded(members, "group", rng, g=word)
        return ops.question(text, members, group, Action("column"), Action("count"))
    text = ops.worded(members, "group_most", rng, g=word)
    return ops.question(text, members, group, Action("most"), Action("count"))


def _measured_pair(ops: Operators, rng: Random) -> tuple[Members, Measure] | None:
    """Two things of a class, and a measure that they have; None where no class has one."""
    kinds = [kind for kind in ops.measures if kind and len(ops.graph.nodes.get(kind, ())) > 1]
    if not kinds:
        return None
    kind = rng.choice(sorted(kinds))
    measure = rng.choice(ops.measures[kind])
    pair = tuple(map(ops.named, rng.sample(ops.graph.nodes[kind], 2)))
    return Members("", "", kind, (), pair, frozenset()), measure


def _of_two(ops: Operators, rng: Random) -> QueryQuestion | None:
    if (drawn := _measured_pair(ops, rng)) is None:
        return None
    members, measure = drawn
    if rng.random() < 0.35:
        text = ops.measured(members, measure, "longer", rng, a=sign(0), b=sign(1))
        other = (Action("value"), Action("pointer", number=1), ops.step(measure.move))
        actions = (Action("pointer", number=0), ops.step(measure.move, "where"))
        ends = (Action("end"), Action("yesno"))
        return ops.question(text, members, *actions, Action("greater"), *other, *ends)
    grade: Kind = "most" if rng.random() < 0.7 else "least"
    text = ops.measured(members, measure, f"two_{grade}", rng, a=sign(0), b=sign(1))
    starts = (Action("pointer", number=0), Action("pointer", number=1))
    return ops.question(text, members, *starts, ops.step(measure.move, grade))


def _of_one(ops: Operators, rng: Random) -> QueryQuestion | None:
    """Whether a measure of a thing compares so with a value, or with another thing's."""
    if (drawn := _measured_pair(ops, rng)) is None:
        return None
    pair, measure = drawn
    start = (Action("pointer", number=0), ops.step(measure.move, "where"))
    ends = (Action("end"), Action("yesno"))
    than: Kind = "greater" if rng.random() < 0.5 else "less"
    if rng.random() < 0.5:
        text = asked_of_one(ops, measure, than, rng, sign(0), b=sign(1))
        members = pair._replace(actions=start)
        value = (Action("value"), Action("pointer", number=1), ops.step(measure.move))
        return ops.question(text, members, Action(than), *value, *ends) if text else None
    than = rng.choice((than, "atleast", "atmost", "equal"))
    value = compared_value(ops, measure, rng)
    text = asked_of_one(ops, measure, than, rng, sign(0), value.unit, v=sign(1))
    named = (pair.named[0], Named(value.text, "number"))
    year = (Action("year"),) if value.unit == "year" else ()
    members = pair._replace(actions=start, named=named)
    compared = (*year, Action(than), Action("pointer", number=1), Action("yesno"))
    return ops.question(text, members, *compared) if text else None


def _whether(ops: Operators, rng: Random) -> QueryQuestion | None:
    """Whether a walk leads to a thing."""
    members = of_walk(ops, rng, 0)
    if members is None:
        return None
    number = len(members.named)
    text = ops.phrases.filled("is", rng, o=sign(number), p=members.text)
    members = members._replace(named=(*members.named, ops.named(ops.other(members, rng))))
    inner = (Action("and"), Action("pointer", number=number), Action("end"))
    return ops.question(text, members, *inner, Action("yesno"))


def _how_many(ops: Operators, rng: Random) -> QueryQuestion | None:
    """How many things there are that a question asks for: `how many games did X win`."""
    shape, topic = ops.shapes.sample(rng)
    walk = sample_walk(ops.graph, topic, shape.moves[:1], rng, None)
    if walk is None or not (ops.is_thing(walk[-1]) and ops.is_thing(topic)):
        return None
    route = route_of(ops.graph, shape.moves[:1], walk)
    asks, nouns = (
        ops.composer.wording(route, 0, 1).ask,
        ops.composer.noun(route.kinds[1], True, rng),
    )
    inner = ops.composer.named(route.kinds[0], rng, sign(0))
    asked = [fill(ask, Filling(inner, True, nouns), rng) for ask in asks]
    asked = [
        text.removeprefix(f"{word} {nouns} ")
        for text in asked
        for word in ("which", "what")
        if text.startswith(f"{word} {nouns} ")
    ]
    if not asked:
        return None
    text = ops.phrases.filled("how_many", rng, ws=nouns, rest=rng.choice(asked))
    actions = (Action("pointer", number=0), ops.step(shape.moves[0]))
    members = Members("", "", route.kinds[1], actions, (ops.named(topic),), frozenset())
    return ops.question(text, members, Action("count"))


def _connected(ops: Operators, rng: Random) -> QueryQuestion | None:
    kinds = [kind for kind in ops.graph.nodes if kind and ops.are_things(kind)]
    if not kinds:
        return None
    nodes = [rng.choice(ops.graph.nodes[rng.choice(kinds)]) for _ in range(2)]
    members = Members("", "", "", (), tuple(map(ops.named, nodes)), frozenset())
    text = ops.words.filled("connection", rng, a=sign(0), b=sign(1))
    inner = (Action("to"), Action("pointer", number=1), Action("end"))
    return ops.question(text, members, Action("pointer", number=0), *inner)


def _either(ops: Operators, rng: Random) -> QueryQuestion | None:
    members = of_walk(ops, rng, 0)
    other = members and same_class(ops, members, rng, len(members.named))
    if members is None or other is None:
        return None
    text = ops.worded(members, "or", rng, o=other.text)
    text = ops.words.filled("list", rng, np=text, s=text)
    named = (*members.named, *other.named)
    if members.actions[1:] == other.actions[1:]:  # both begin at one thing
        starts = (members.actions[0], other.actions[0])
        return ops.question(
            text, members._replace(named=named, actions=(*starts, *members.actions[1:]))
        )
    inner = (Action("any"), *members.actions, Action("or"), *other.actions, Action("end"))
    return ops.question(text, members._replace(named=named, actions=inner))


def _follow_up(ops: Operators, rng: Random) -> QueryQuestion | None:
    """What is asked about the answers or the topic before."""
    shape, topic = ops.shapes.sample(rng)
    reached = execute(ops.graph, topic, shape.moves)
    ends = sorted(filter(ops.is_thing, reached))
    if not ends or not ops.is_thing(topic):
        return None
    end, many = rng.choice(ends), len(reached) > 1
    earlier = Earlier(earlier_class(ops.graph, topic), earlier_class(ops.graph, end), many)
    about = "answers" if many or rng.random() < 0.6 else "topics"
    of, nodes = (end, reached) if about == "answers" else (topic, frozenset((topic,)))
    members = Members("", "", ops.graph.kinds[of], (Action(about),), (), nodes)
    made = _then(ops, members, rng, are_many=many and about == "answers")
    walk = sample_walk(ops.graph, topic, shape.moves, rng, None)
    if made is None or walk is None:
        return None
    first = len(made.named)
    text = ops.composer.plain(route_of(ops.graph, shape.moves, walk), rng, sign(first))
    earlier = earlier._replace(question=words_of(text))
    return made._replace(named=(*made.named, ops.named(topic)), earlier=earlier)


def _then(ops: Operators, members: Members, rng: Random, *, are_many: bool) -> QueryQuestion | None:
    style = rng.random()
    if style < 0.45 or not are_many:
        moves = ops.moves_at(members)
        moves += [measure.move for measure in ops.measures_at(members)]
        if (leading := ops.an_end(moves, rng)) is None:
            return None
        move, word = leading
        text = ops.words.filled("then_step", rng, w=word, ws=plural(word))
        return ops.question(text, members, ops.step(move))
    if style < 0.52:
        return ops.question(ops.words.filled("then_count", rng), members, Action("count"))
    if style < 0.66:
        return then_narrowed(ops, members, rng)
    if style < 0.75:
        other = same_class(ops, members, rng, 0)
        if other is None:
            return None
        text = ops.words.filled("then_which", rng, o=other.text)
        members = members._replace(named=other.named)
        return ops.question(text, members, Action("and"), *other.actions, Action("end"))
    if style < 0.87:
        text = ops.words.filled("then_except", rng, o=sign(0))
        members = members._replace(named=(ops.named(ops.other(members, rng)),))
        inner = (Action("not"), Action("pointer", number=0), Action("end"))
        return ops.question(text, members, *inner)
    measure = ops.a_measure(members, rng)
    if measure is None:
        return None
    kind: Kind = "most" if rng.random() < 0.65 else "least"
    text = ops.measured(members, measure, f"then_{kind}", rng)
    return ops.question(text, members, ops.step(measure.move, kind))


_Make = Callable[[Operators, Random], QueryQuestion | None]
_KINDS: tuple[tuple[_Make, float], ...] = (
    (_count, 3),
    (_any, 1),
    (_listed, 4),
    (_how_many, 1),
    (_member, 1),
    (_whether, 1.2),
    (_of_one, 1.2),
    (_extreme, 3.5),
    (_extreme_of_many, 1.5),
    (_computed, 1.5),
    (_onward, 1.5),
    (_table, 1),
    (_grouped, 1),
    (_of_two, 1),
    (_connected, 0.4),
    (_either, 0.8),
    (_follow_up, 2),
    (narrowed_class, 5),
    (denied_walk, 1.5),
    (claimed_walk, 1.5),
    (distinct_ends, 1),
)
"""What is made, and how often beside the others."""
