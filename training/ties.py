"""Which of equally good relation paths a question means: the one that questions like it share.

Many relation paths reach the same answers by chance. Those whose relations the question names, and
those that other questions need too, are likelier; of these the ones that questions with the same
words need.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence

from ..agent.llm.bag_of_words import count_words, features_of
from .graph import Graph, Moves
from .label_words import plain_label, property_of

_ROUNDS = 3
_HOP = 4.0
"""How much likelier a path is, before the questions are compared, than one with a hop more."""
_WORD = 8.0
"""How much likelier it is for a word of its relations that the question has."""
_SPELLED = 1e6
"""How much likelier it is for a relation that the question spells as the graph does."""
_BACK = 0.1
"""What part of that is lost where it is walked from tail to head."""


def settle(graph: Graph, texts: Sequence[str], ties: Sequence[Sequence[Moves]]) -> list[Moves]:
    """For each masked text one of its tied relation paths.

    Each question has one vote, which it gives its paths by what it names itself and by the votes of
    all questions, in a few rounds; then naive Bayes over the texts, with these votes as counts,
    decides. Where nothing tells, the shorter path is taken, then the smaller.
    """
    before = [
        {path: _before(graph, text, path) for path in own}
        for text, own in zip(texts, ties, strict=True)
    ]
    votes = [_shared(own) for own in before]
    for _ in range(_ROUNDS):
        support = Counter[Moves]()
        for own in votes:
            support.update(own)
        votes = [_shared({path: own[path] * support[path] for path in own}) for own in before]
    number = {path: n for n, path in enumerate({path: None for own in ties for path in own})}
    features = [features_of(text) for text in texts]
    counts = count_words(
        (words, {number[path]: share for path, share in own.items()})
        for words, own in zip(features, votes, strict=True)
    )
    settled = list[Moves]()
    for words, own in zip(features, before, strict=True):
        joint = counts.log_joint(words) if len(own) > 1 else {}
        value = {p: math.log(own[p]) + joint.get(number[p], -math.inf) for p in own}
        settled.append(min(own, key=lambda p, value=value: (-round(value[p], 9), len(p), p)))
    return settled


def _before(graph: Graph, text: str, path: Moves) -> float:
    """How likely a path is by itself, up to a factor of its question."""
    names = [property_of(graph.labels[move.relation]) for move in path]
    named = Counter(word for name in names for word in _words(name))
    spelled = sum(min(times, _times(name, text)) for name, times in Counter(names).items())
    spelled -= _BACK * sum(move.inverse for move in path if spelled)
    words = (named & Counter(_words(text))).total()
    return _SPELLED**spelled * _WORD**words / _HOP ** len(path)


def _times(name: str, text: str) -> int:
    """How often a text has a relation's name, as the graph spells it or as words."""
    forms = "|".join(sorted({re.escape(name.lower()), re.escape(plain_label(name))}))
    return len(re.findall(rf"(?<!\w)(?:{forms})(?!\w)", text.lower())) if name.strip() else 0


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _shared(weights: dict[Moves, float]) -> dict[Moves, float]:
    """The weights as shares of one vote; paths of next to none have no part in it."""
    total = sum(weights.values())
    return {path: weight / total for path, weight in weights.items() if weight > 1e-12 * total}
