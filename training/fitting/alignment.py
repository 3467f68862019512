"""Which action of its query each word of a question made, found from many questions together.

The first model of Brown et al. (1993): words are drawn from actions, and how often which from which
is found by expectation and maximisation. What goes with every action alike is drawn from none.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import NamedTuple, TypeAlias

from ...agent.query.actions import Action, Kind

NONE = ""
"""The action that words are drawn from which no action makes."""
_ROUNDS = 4
_LEAST = 1e-7
_OFTEN, _SELDOM = 0.3, 0.25
"""The share of a word that is often; what of that is seldom."""

Pair: TypeAlias = tuple[Sequence[str], Sequence[str]]
"""The words of a question, and the names of the actions of its query."""


@dataclass(frozen=True)
class Alignment:
    """How likely each action draws each word."""

    likely: Mapping[str, Mapping[str, float]]
    drawn: Mapping[str, float]
    """How many words each action has drawn."""

    def best(self, word: str, actions: Sequence[str]) -> int | None:
        """The place of the action that a word was likeliest drawn from; None where from none."""
        scores = [self._likely(NONE, word), *(self._likely(own, word) for own in actions)]
        best = max(range(len(scores)), key=scores.__getitem__)
        return best - 1 if best else None

    def is_of(self, word: str, action: str, others: Iterable[str]) -> bool:
        """Whether a word is drawn from an action often, and seldom from any of the others.

        That none draws it counts as one of these.
        """
        counts = {own: self._likely(own, word) * count for own, count in self.drawn.items()}
        own, total = counts.get(action, 0.0), sum(counts.values())
        others = {NONE, *others}
        return own >= _OFTEN * total and all(counts.get(o, 0.0) < _SELDOM * own for o in others)

    def _likely(self, action: str, word: str) -> float:
        return self.likely.get(action, {}).get(word, _LEAST)


def align(pairs: Iterable[Pair], rounds: int = _ROUNDS) -> Alignment:
    """Find how likely each action draws each word."""
    known = [(words, (NONE, *dict.fromkeys(actions))) for words, actions in pairs]
    likely: Mapping[str, Mapping[str, float]] | None = None
    totals = dict[str, float]()
    for _ in range(rounds):
        counts = defaultdict[str, dict[str, float]](dict)
        for words, actions in known:
            for word in words:
                own = [1.0 if likely is None else likely[a].get(word, _LEAST) for a in actions]
                total = sum(own)
                for action, share in zip(actions, own, strict=True):
                    found = counts[action]
                    found[word] = found.get(word, 0.0) + share / total
        totals = {action: sum(found.values()) for action, found in counts.items()}
        likely = {
            action: {word: count / totals[action] for word, count in found.items()}
            for action, found in counts.items()
        }
    return Alignment(likely or {}, totals)


_OPENING: frozenset[Kind] = frozenset(("and", "not", "any", "among", "value", "to", "all"))
"""Actions that an `end` of their own closes."""
_TURNED: dict[Kind, Kind] = {
    "and": "not", "not": "and", "most": "least", "least": "most", "less": "greater",
    "greater": "less", "atmost": "atleast", "atleast": "atmost", "exists": "missing",
    "missing": "exists", "sum": "avg", "avg": "max", "max": "min", "min": "max", "place": "first",
}  # fmt: skip
_LOST: frozenset[Kind] = frozenset(("count", "yesno", "sum", "avg", "group"))
_RELATIONS: frozenset[Kind] = frozenset(("step", "then", "where", "most", "least", "column"))
_FILTER_ENDS: frozenset[Kind] = frozenset(("exists", "missing"))


class Misread(NamedTuple):
    """The actions of a query that is wrong, and for each the place it had in the right one."""

    actions: tuple[Action, ...]
    places: tuple[int | None, ...]


def misread(
    actions: Sequence[Action], relations: Sequence[tuple[str, bool]], rng: Random
) -> Misread | None:
    """A query that is wrong in one thing; None where nothing of it can be.

    `relations` are those of the graph, each with whether it is walked from tail to head.
    """
    makers = (
        lambda: _without_part(actions, rng),
        lambda: _turned(actions, rng),
        lambda: _other_relation(actions, relations, rng),
    )
    for make in rng.sample(makers, len(makers)):
        if (made := make()) is not None:
            return made
    return None


def _without_part(actions: Sequence[Action], rng: Random) -> Misread | None:
    parts = [own for place in range(len(actions) - 1) if (own := _part(actions, place))]
    if not parts:
        return None
    gone = rng.choice(parts)
    kept = [n for n in range(len(actions)) if n not in gone]
    return Misread(tuple(actions[n] for n in kept), tuple(kept))


def _part(actions: Sequence[Action], place: int) -> range | None:
    """The actions from a place on that a query may be without."""
    kind = actions[place].kind
    if kind in ("and", "not", "all"):
        return range(place, _closed(actions, place) + 1)
    if kind in ("most", "least"):
        end = place + 1
        while end < len(actions) and actions[end].kind in ("then", "many", "count"):
            end += 1
        if end < len(actions) and actions[end].kind in ("first", "place"):
            end += 2
        return range(place, end)
    if kind in ("first", "place"):
        return range(place, place + 2)
    if kind == "where":
        return _filter(actions, place)
    if kind in _LOST or (kind in ("step", "class") and place):
        return range(place, place + 1)
    return None


def _filter(actions: Sequence[Action], place: int) -> range:
    """A filter up to what it compares with."""
    end = place + 1
    while end < len(actions) - 1:
        kind = actions[end].kind
        if kind == "among":
            end = _closed(actions, end)
        elif kind in _FILTER_ENDS or kind == "pointer":
            return range(place, end + 1)
        elif kind == "value":
            return range(place, _closed(actions, end) + 1)
        end += 1
    return range(place, end)


def _closed(actions: Sequence[Action], place: int) -> int:
    """Where what an action opens is closed."""
    depth = 0
    for end in range(place, len(actions)):
        depth += (actions[end].kind in _OPENING) - (actions[end].kind == "end")
        if not depth:
            return end
    return len(actions) - 2


def _turned(actions: Sequence[Action], rng: Random) -> Misread | None:
    places = [n for n, own in enumerate(actions) if own.kind in _TURNED]
    if not places:
        return None
    place = rng.choice(places)
    return _with(actions, place, replace(actions[place], kind=_TURNED[actions[place].kind]))


def _other_relation(
    actions: Sequence[Action], relations: Sequence[tuple[str, bool]], rng: Random
) -> Misread | None:
    places = [n for n, own in enumerate(actions) if own.kind in _RELATIONS and own.name]
    if not places:
        return None
    place = rng.choice(places)
    name, inverse = rng.choice(relations)
    if name == actions[place].name:
        return None
    return _with(actions, place, replace(actions[place], name=name, inverse=inverse))


def _with(actions: Sequence[Action], place: int, action: Action) -> Misread:
    changed = (*actions[:place], action, *actions[place + 1 :])
    return Misread(changed, tuple(None if n == place else n for n in range(len(actions))))
