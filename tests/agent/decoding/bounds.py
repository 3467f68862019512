"""What a beam search must and may find when its scores are known to a tolerance only.

Two searches that round differently may part at any step where two candidates nearly tie, and never
meet again; so their results cannot be compared as they are. What follows from the scores of plain
forward passes, if no search is further than the tolerance from them, is two sets: the words that
every such search returns and those that one may return.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

Word = tuple[int, ...]
Table = dict[Word, dict[int, float]]
"""After each prefix of a legal word: the log-probability of each legal token."""

_ROWS = 32
_DIGIT = 1e-6
"""Scores that are closer count as equal in the search, which rounds them before it compares."""


class Bounds(NamedTuple):
    certain: set[Word]
    possible: dict[Word, float]
    """With the log-probability of each."""


def children(legal: Sequence[Word]) -> dict[Word, list[int]]:
    """The tokens that may follow each prefix, ascending."""
    trie: dict[Word, set[int]] = {}
    for word in legal:
        for i, token in enumerate(word):
            trie.setdefault(word[:i], set()).add(token)
    return {prefix: sorted(tokens) for prefix, tokens in trie.items()}


def teacher_forced(model: Any, prompt: list[int], legal: Sequence[Word], scores: str) -> Table:
    """The table of all words from plain forward passes over prompt and word, `_ROWS` a batch."""
    trie, table = children(legal), Table()
    for first in range(0, len(legal), _ROWS):
        rows = legal[first : first + _ROWS]
        width = max(map(len, rows))
        ids = torch.tensor([[*prompt, *word, *[0] * (width - len(word))] for word in rows])
        with torch.no_grad():
            batch = model(input_ids=ids).logits[:, len(prompt) - 1 :].double()
        for word, logits in zip(rows, batch, strict=True):
            for i in range(len(word)):
                if word[:i] not in table:
                    own = logits[i, trie[word[:i]]]
                    norm = (own if scores == "allowed" else logits[i]).logsumexp(0)
                    values = (own - norm).tolist()
                    table[word[:i]] = dict(zip(trie[word[:i]], values, strict=True))
    return table


def bounds(table: Table, legal: Sequence[Word], *, beams: int, tolerance: float) -> Bounds:
    """The bounds of a beam search that goes on until nothing better can come.

    A word counts if it is among the best `beams` candidates when it ends, and the best `beams`
    others go on. The best words are returned. So do the searches that stop when no running beam can
    win any more; a search that stops earlier does not.
    """
    words = set(legal)
    running: dict[Word, tuple[float, bool]] = {(): (0.0, True)}
    finished: dict[Word, tuple[float, bool]] = {}
    while running:
        after = {
            (*prefix, token): (score + value, sure)
            for prefix, (score, sure) in running.items()
            for token, value in table[prefix].items()
        }
        finished |= {w: s for w, s in _best(after, beams, tolerance).items() if w in words}
        open_ones = {word: score for word, score in after.items() if word not in words}
        running = _best(open_ones, beams, tolerance)
    best = _best(finished, beams, tolerance)
    return Bounds(
        {word for word, (_, sure) in best.items() if sure},
        {word: score for word, (score, _) in best.items()},
    )


def _best(
    scored: dict[Word, tuple[float, bool]], beams: int, tolerance: float
) -> dict[Word, tuple[float, bool]]:
    """Those that may be among the best, and whether they surely are."""
    low: dict[Word, float] = {}
    high: dict[Word, float] = {}
    for word, (score, _) in scored.items():
        low[word], high[word] = score - tolerance - _DIGIT, score + tolerance + _DIGIT
    sure_lows = sorted((low[w] for w, (_, sure) in scored.items() if sure), reverse=True)
    highs = sorted(high.values(), reverse=True)
    kept: dict[Word, tuple[float, bool]] = {}
    for word, (score, sure) in scored.items():
        if len(sure_lows) >= beams and sure_lows[beams - 1] > high[word]:
            continue  # enough others are there for sure, and better
        safe = len(highs) <= beams or highs[beams] < low[word]
        kept[word] = (score, sure and safe)
    return kept
