"""Questions for things of a class in few plain words: "which bells were not cast by Mears?".

They begin with all of a class, which conditions narrow, or from which what is said of it is taken
away. Where such questions are rare, a reader begins at the thing that is named, and misses a "not".
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from ...agent.query.actions import Action
from ..questions.compose import route_of
from ..questions.graph import Move, Node, execute, sample_walk
from ..wording.english import claimed, denied_question, predicate
from ..wording.phrasebook import plural
from ..wording.template import Filling, fill
from .clauses import back
from .conditions import with_condition
from .operators import Members, Operators
from .question import QueryQuestion, numbered, sign
from .sets import of_class

_COUNTED = 0.25
"""How many of the questions for a narrowed class are for a number."""
_TRIES = 4
"""Conditions that are drawn until one fits."""


def narrowed_class(ops: Operators, rng: Random) -> QueryQuestion | None:
    """The things of a class that meet a condition, or how many these are."""
    members = of_class(ops, rng)
    if members is None:
        return None
    drawn = (with_condition(ops, members, rng, 0) for _ in range(_TRIES))
    narrowed = next(filter(None, drawn), None)
    if narrowed is None:
        return None
    counts = rng.random() < _COUNTED
    verb = _verb(members, narrowed)
    if verb:
        name = "asked_count" if counts else "asked"
        text = ops.words.filled(name, rng, s=members.bare, c=verb)
    else:
        text = ops.worded(narrowed, "count" if counts else "list", rng)
    return ops.question(text, narrowed, *((Action("count"),) if counts else ()))


def _verb(members: Members, narrowed: Members) -> str:
    """What a condition says of things, as a verb phrase with them as its subject; else empty."""
    said = narrowed.bare.removeprefix(members.bare).strip()
    verb = predicate(said)
    return "" if verb and numbered(verb.partition(" ")[0]) else verb


class _Asked(NamedTuple):
    """Questions that follow one relation from a topic, which they name by its sign."""

    texts: Sequence[str]
    topic: Node
    name: str
    """How they name it."""
    move: Move
    kind: str
    """The class of the answers."""
    nouns: str
    answers: frozenset[Node]


def _asked(ops: Operators, rng: Random) -> _Asked | None:
    shape, topic = ops.shapes.sample(rng)
    moves = shape.moves[:1]
    walk = sample_walk(ops.graph, topic, moves, rng, None)
    if walk is None or not (ops.is_thing(walk[-1]) and ops.is_thing(topic)):
        return None
    route = route_of(ops.graph, moves, walk)
    nouns = ops.composer.noun(route.kinds[1], True, rng)
    inner = ops.composer.named(route.kinds[0], rng, sign(0))
    wordings = ops.composer.wording(route, 0, 1).ask
    texts = [fill(wording, Filling(inner, True, nouns), rng) for wording in wordings]
    answers = frozenset(execute(ops.graph, topic, moves))
    return _Asked(texts, topic, inner.text, moves[0], route.kinds[1], nouns, answers)


def denied_walk(ops: Operators, rng: Random) -> QueryQuestion | None:
    """The things of a class of which a question that follows a relation would not ask.

    "What did X win?" makes "Which games did X not win?".
    """
    asked = _asked(ops, rng)
    if asked is None or asked.kind not in ops.classes:
        return None
    denied = (denied_question(text, asked.name, asked.nouns, rng) for text in asked.texts)
    texts = list(filter(None, denied))
    if not texts:
        return None
    inner = (Action("pointer", number=0), ops.step(asked.move), Action("end"))
    actions = (Action("class", ops.classes[asked.kind]), Action("not"), *inner)
    members = Members("", "", asked.kind, actions, (ops.named(asked.topic),), asked.answers)
    return ops.question(rng.choice(texts), members)


def claimed_walk(ops: Operators, rng: Random) -> QueryQuestion | None:
    """Whether a thing answers a question: "What did X win?" makes "Did X win Y?"."""
    asked = _asked(ops, rng)
    if asked is None:
        return None
    claims = (claimed(text, asked.name, asked.nouns, sign(1), rng) for text in asked.texts)
    texts = list(filter(None, claims))
    if not texts:
        return None
    named = (ops.named(asked.topic),)
    actions = (Action("pointer", number=0), ops.step(asked.move))
    members = Members("", "", asked.kind, actions, named, asked.answers)
    members = members._replace(named=(*named, ops.named(ops.other(members, rng))))
    inner = (Action("and"), Action("pointer", number=1), Action("end"))
    return ops.question(rng.choice(texts), members, *inner, Action("yesno"))


def then_narrowed(ops: Operators, members: Members, rng: Random) -> QueryQuestion | None:
    """The last answers that meet a condition, or how many: "which of them won X?"."""
    if not members.kind:
        return None
    noun = ops.composer.noun(members.kind, True, rng)
    named = members._replace(text=noun, bare=noun)
    drawn = (with_condition(ops, named, rng, 0) for _ in range(_TRIES))
    for narrowed in filter(None, drawn):
        if verb := _verb(named, narrowed):
            counts = rng.random() < _COUNTED
            name = "then_asked_count" if counts else "then_asked"
            text = ops.words.filled(name, rng, c=verb, s=noun)
            return ops.question(text, narrowed, *((Action("count"),) if counts else ()))
    return None


def distinct_ends(ops: Operators, rng: Random) -> QueryQuestion | None:
    """How many different things the members of a set lead to."""
    members = of_class(ops, rng)
    if members is None:
        return None
    if rng.random() < 0.4:
        members = with_condition(ops, members, rng, 0) or members
    moves = ops.moves_at(members)
    moves += [back(move) for move, _ in ops.text_moves if members.kind in ops.ends_of(move)]
    if (leading := ops.an_end(moves, rng)) is None:
        return None
    move, word = leading
    text = ops.worded(members, "distinct", rng, ws=plural(word))
    return ops.question(text, members, ops.step(move), Action("count"))
