"""Diverse beam search over enumerated words, written from its description and in no hurry.

The algorithm is Vijayakumar et al. (2018), algorithm 1, with Hamming diversity: at each token the
groups step one after the other, and a token costs a group `diversity` for each beam of an earlier
group that has just taken it. What the paper leaves open, or does otherwise:

- What a token costs is part of the score that is kept, so that it counts at all later steps and in
  the final order (in the paper it only helps to choose).
- Beams that end at this token took nothing: only those that go on are counted. Forced tokens cost
  like any others.
- Each group has beams / groups beams, finished words and a stop of its own. A group with fewer live
  beams goes on with those, one with none is left out, and neither is filled up by others.
- A word that several groups found is returned once, with the best of its scores.
- Candidates are compared after rounding to six digits, and then by their tokens.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch
from groundwalk.agent.decoding.plan import BeamPlan

from .bounds import Word, children

Scored = tuple[Word, float]
Follow = Callable[[Word], dict[int, float]]
"""The log-probability of each legal token after a prefix; nothing after a whole word."""


def followers(model: Any, prompt: list[int], legal: Iterable[Word], scores: str) -> Follow:
    """One full forward pass for each prefix that is asked for."""
    trie = children(list(legal))

    @cache
    def follow(prefix: Word) -> dict[int, float]:
        if prefix not in trie:
            return {}
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([[*prompt, *prefix]])).logits[0, -1].double()
        among = logits[trie[prefix]] if scores == "allowed" else logits
        return {token: float(logits[token] - among.logsumexp(0)) for token in trie[prefix]}

    return follow


@dataclass
class Group:
    live: list[Scored] = field(default_factory=lambda: [((), 0.0)])
    ended: list[Scored] = field(default_factory=list[Scored])


def diverse_search(follow: Follow, plan: BeamPlan) -> list[Scored]:
    """The words that the groups found, best first, with the scores that were kept."""
    size = plan.beams // plan.groups
    groups = [Group() for _ in range(plan.groups)]
    while any(group.live for group in groups):
        used: Counter[int] = Counter()
        for group in groups:
            candidates = best(
                ((*word, token), score + value - plan.diversity * used[token])
                for word, score in group.live
                for token, value in follow(word).items()
            )[: 2 * size]
            ended = [c for c in candidates[:size] if not follow(c[0])]
            group.ended = best([*group.ended, *ended])[:size]
            group.live = [c for c in candidates if follow(c[0])][:size]
            if len(group.ended) == size and group.live:
                if round(group.live[0][1], 6) <= round(group.ended[-1][1], 6):
                    group.live = []
            used.update(word[-1] for word, _ in group.live)
    found: dict[Word, float] = {}
    for word, score in best(scored for group in groups for scored in group.ended):
        found.setdefault(word, score)
    return list(found.items())


def best(scored: Iterable[Scored]) -> list[Scored]:
    return sorted(scored, key=lambda one: (-round(one[1], 6), one[0]))
