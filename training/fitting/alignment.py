"""Which action of its query each word of a question made, found from many questions together.

The first model of Brown et al. (1993): words are drawn from actions, and how often which from which
is found by expectation and maximisation. What goes with every action alike is drawn from none.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
        """The index of the action that a word was likeliest drawn from; None where from none."""
        scores = [self._likely(NONE, word), *(self._likely(action, word) for action in actions)]
        best = max(range(len(scores)), key=scores.__getitem__)
        return best - 1 if best else None

    def is_of(self, word: str, action: str, others: Iterable[str]) -> bool:
        """Whether a word is drawn from an action often, and seldom from any of the others.

        That none draws it counts as one of these.
        """
        counts = {name: self._likely(name, word) * count for name, count in self.drawn.items()}
        often, total = counts.get(action, 0.0), sum(counts.values())
        others = {NONE, *others}
        return often >= _OFTEN * total and all(counts.get(o, 0.0) < _SELDOM * often for o in others)

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
                shares = [1.0 if likely is None else likely[a].get(word, _LEAST) for a in actions]
                total = sum(shares)
                for action, share in zip(actions, shares, strict=True):
                    drawn = counts[action]
                    drawn[word] = drawn.get(word, 0.0) + share / total
        totals = {action: sum(drawn.values()) for action, drawn in counts.items()}
        likely = {
            action: {word: count / totals[action] for word, count in drawn.items()}
            for action, drawn in counts.items()
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
    """The actions of a query that is wrong, and for each its index in the right one."""

    actions: tuple[Action, ...]
    origins: tuple[int | None, ...]


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
        lambda: _of_any(actions),
    )
    for make in rng.sample(makers, len(makers)):
        if (made := make()) is not None:
            return made
    return None


def _without_part(actions: Sequence[Action], rng: Random) -> Misread | None:
    parts = [part for at in range(len(actions) - 1) if (part := _part(actions, at))]
    if not parts:
        return None
    gone = rng.choice(parts)
    left = [n for n in range(len(actions)) if n not in gone]
    return Misread(tuple(actions[n] for n in left), tuple(left))


def _of_any(actions: Sequence[Action]) -> Misread | None:
    """Whether any thing of a set is in another one, where it was asked of each of them.

    The other set becomes a condition: a set to be in, or the filter that everything with a relation
    passes.
    """
    at = next((n for n, action in enumerate(actions) if action.kind == "all"), None)
    if at is None or actions[at - 1].kind != "yesno":
        return None
    end = _closed(actions, at)
    inner = range(at + 1, end)
    is_filter = actions[at + 1].kind == "has" and len(inner) > 1
    condition = [*inner[1:]] if is_filter else [None, *inner, end]
    origins = [*range(at - 1), *condition, at - 1, *range(end + 1, len(actions))]
    joined = Action("and")
    return Misread(tuple(joined if n is None else actions[n] for n in origins), tuple(origins))


def _part(actions: Sequence[Action], at: int) -> range | None:
    """The actions from an index on that a query may be without."""
    kind = actions[at].kind
    if kind in ("and", "not", "all"):
        return range(at, _closed(actions, at) + 1)
    if kind in ("most", "least"):
        end = at + 1
        while end < len(actions) and actions[end].kind in ("then", "many", "count"):
            end += 1
        if end < len(actions) and actions[end].kind in ("first", "place"):
            end += 2
        return range(at, end)
    if kind in ("first", "place"):
        return range(at, at + 2)
    if kind == "where":
        return _filter(actions, at)
    if kind in _LOST or (kind in ("step", "class") and at):
        return range(at, at + 1)
    return None


def _filter(actions: Sequence[Action], at: int) -> range:
    """A filter up to what it compares with."""
    end = at + 1
    while end < len(actions) - 1:
        kind = actions[end].kind
        if kind == "among":
            end = _closed(actions, end)
        elif kind in _FILTER_ENDS or kind == "pointer":
            return range(at, end + 1)
        elif kind == "value":
            return range(at, _closed(actions, end) + 1)
        end += 1
    return range(at, end)


def _closed(actions: Sequence[Action], at: int) -> int:
    """Where what an action opens is closed."""
    depth = 0
    for end in range(at, len(actions)):
        depth += (actions[end].kind in _OPENING) - (actions[end].kind == "end")
        if not depth:
            return end
    return len(actions) - 2


def _turned(actions: Sequence[Action], rng: Random) -> Misread | None:
    indexes = [n for n, action in enumerate(actions) if action.kind in _TURNED]
    if not indexes:
        return None
    at = rng.choice(indexes)
    return _with(actions, at, actions[at]._replace(kind=_TURNED[actions[at].kind]))


def _other_relation(
    actions: Sequence[Action], relations: Sequence[tuple[str, bool]], rng: Random
) -> Misread | None:
    indexes = [n for n, action in enumerate(actions) if action.kind in _RELATIONS and action.name]
    if not indexes:
        return None
    at = rng.choice(indexes)
    name, inverse = rng.choice(relations)
    if name == actions[at].name:
        return None
    return _with(actions, at, actions[at]._replace(name=name, inverse=inverse))


def _with(actions: Sequence[Action], at: int, action: Action) -> Misread:
    changed = (*actions[:at], action, *actions[at + 1 :])
    return Misread(changed, tuple(None if n == at else n for n in range(len(actions))))
