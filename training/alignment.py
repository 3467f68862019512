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

Pair: TypeAlias = tuple[Sequence[str], Sequence[str]]
"""The words of a question, and the names of the actions of its query."""


@dataclass(frozen=True)
class Alignment:
    """How likely each action draws each word."""

    likely: Mapping[str, Mapping[str, float]]

    def best(self, word: str, actions: Sequence[str]) -> int | None:
        """The place of the action that a word was likeliest drawn from; None where from none."""
        scores = [self._likely(NONE, word), *(self._likely(own, word) for own in actions)]
        best = max(range(len(scores)), key=scores.__getitem__)
        return best - 1 if best else None

    def _likely(self, action: str, word: str) -> float:
        return self.likely.get(action, {}).get(word, _LEAST)


def align(pairs: Iterable[Pair], rounds: int = _ROUNDS) -> Alignment:
    """Find how likely each action draws each word."""
    known = [(words, (NONE, *dict.fromkeys(actions))) for words, actions in pairs]
    likely: Mapping[str, Mapping[str, float]] | None = None
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
    return Alignment(likely or {})
