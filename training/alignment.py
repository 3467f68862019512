"""Which action of its query each word of a question made, found from many questions together.

The first model of Brown et al. (1993): words are drawn from actions, and how often which from which
is found by expectation and maximisation. What goes with every action alike is drawn from none.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

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
