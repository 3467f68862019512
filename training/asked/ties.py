"""Which of equally good relation paths a question means: the one that questions like it share.

Many relation paths reach the same answers by chance. Those whose relations the question names, and
those that other questions need too, are likelier; of these the ones that questions with the same
words need.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from ...agent.llm.bag_of_words import count_words, features_of
from ..questions.graph import Graph, Moves
from ..wording.label_words import plain_label, property_of

_ROUNDS = 3
_HOP = 4.0
"""How much likelier a path is, before the questions are compared, than one with a hop more."""
_WORD = 8.0
"""How much likelier it is for a word of its relations that the question has."""
_SPELLED = 1e6
"""How much likelier it is for a relation that the question spells as the graph does."""
_BACK = 0.1
"""What part of that is lost where it is walked from tail to head."""
_LITTLE = frozenset("are for from had has have its that the was were which who with".split())
"""Words that any question may have."""


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
    words = (named & Counter(_words(text))).total()
    spelled, left = 0.0, text.lower()
    for move, name in sorted(zip(path, names, strict=True), key=lambda own: -len(own[1])):
        taken = _without(left, name)
        if taken is not None:
            spelled, left = spelled + 1.0 - _BACK * move.inverse, taken
    return _SPELLED**spelled * _WORD**words / _HOP ** len(path)


def _without(text: str, name: str) -> str | None:
    """A text after a relation's name is taken out of it once; None where it does not have it."""
    for pattern, form in _forms(name):
        if form in text:
            left, times = pattern.subn("\n", text, count=1)
            if times:
                return left
    return None


@lru_cache(maxsize=100_000)
def _forms(name: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """How a question may spell a name: as it stands, and as words; none where it is too little."""
    if not any(len(word) > 2 and word not in _LITTLE for word in _words(name)):
        return ()
    forms = dict.fromkeys((name.lower(), plain_label(name)))
    return tuple((re.compile(rf"(?<!\w){re.escape(form)}(?!\w)"), form) for form in forms)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _shared(weights: dict[Moves, float]) -> dict[Moves, float]:
    """The weights as shares of one vote; paths of next to none have no part in it."""
    total = sum(weights.values())
    return {path: weight / total for path, weight in weights.items() if weight > 1e-12 * total}
