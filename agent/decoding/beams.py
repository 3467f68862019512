"""The beam search of one question, as a generator that asks for what it needs to know.

The update is the beam search of Hugging Face's `generate` under the same mask, with the closing
tag as its end token; ties go to the smaller token sequence. What is faster is only when
log-probabilities are computed: forced tokens ride along with the next token that needs a choice,
and the beams' next choices are computed before they are asked for.
"""

import math
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple

import numpy as np

from .constraint import Constraint, State
from .network import Vector
from .plan import BeamPlan
from .tree import ROOT, TokenTree

Legal = tuple[int, ...]

_RUN = 1024
"""How far forced tokens are followed ahead of a beam at a time."""
_GUESSED_RUN = 64
"""How far they are followed where no beam may ever go."""
_DIGITS = 6
"""Scores are compared after rounding to this many digits."""


class Beam(NamedTuple, Generic[State]):
    """A word so far: its last node in the tree, its state, its log-probability and its tokens."""

    node: int
    state: State
    score: float
    tokens: Legal


@dataclass
class _Group(Generic[State]):
    running: list[Beam[State]]
    finished: list[Beam[State]] = field(default_factory=list[Beam[State]])


class BeamSearch(Generic[State]):
    """The search from one node of a tree; who drives it gives it the log-probabilities."""

    def __init__(
        self,
        tree: TokenTree,
        constraint: Constraint[State],
        plan: BeamPlan,
        start: int = ROOT,
        ahead: int = 32,
    ) -> None:
        """`ahead` is how many nodes beyond the needed ones may ride in a forward pass."""
        self.tree = tree
        self.constraint = constraint
        self.plan = plan
        self._ahead = ahead
        self.forced: set[int] = set()
        """The nodes of tokens without an alternative."""
        self.logprobs: dict[int, Vector] = {}
        """The log-probabilities of the legal tokens after each node that was scored."""
        self._legal: dict[int, Legal] = {}
        self._groups = [
            _Group([Beam(start, constraint.start(), 0.0, ())]) for _ in range(plan.groups)
        ]

    def run(self) -> Generator[dict[int, Legal], None, list[Beam[State]]]:
        """Yield the nodes to be scored next, with their legal tokens; return the finished beams."""
        while live := [group for group in self._groups if group.running]:
            running = [beam for group in live for beam in group.running]
            self.constraint.prepare([beam.state for beam in running])
            if any(self._missing(beam.node, beam.state) for beam in running):
                yield self._next_choices(running)
            taken: Counter[int] = Counter()
            for group in live:
                self._step(group, taken)
                taken.update(beam.tokens[-1] for beam in group.running)
        finished = [beam for group in self._groups for beam in group.finished]
        unique: dict[Legal, Beam[State]] = {}
        for beam in sorted(finished, key=_rank):
            unique.setdefault(beam.tokens, beam)
        return [*unique.values()][: self.plan.beams]

    # The update.

    def _step(self, group: _Group[State], token_counts: Counter[int]) -> None:
        width = self.plan.beams // self.plan.groups
        candidates = self._candidates(group.running, width, token_counts)
        closed = [c for c in candidates[:width] if self.constraint.done(c.state)]
        group.finished = sorted([*group.finished, *closed], key=_rank)[:width]
        group.running = [c for c in candidates if not self.constraint.done(c.state)][:width]
        if len(group.finished) == width and group.running:
            if group.finished[-1].score >= group.running[0].score:
                group.running = []
        if self.plan.enough is not None and len(group.finished) >= self.plan.enough:
            group.running = [c for c in group.running if math.exp(c.score) >= self.plan.least]

    def _candidates(
        self, running: Sequence[Beam[State]], width: int, token_counts: Counter[int]
    ) -> list[Beam[State]]:
        """The best continuations of all beams, twice the width of them, in order.

        A token that earlier groups took at this step pays the diversity penalty for each.
        """
        scores, owners, tokens = list[Vector](), list[int](), list[int]()
        for i, beam in enumerate(running):
            legal = self._legal_at(beam.node, beam.state)
            if len(legal) == 1 and self.plan.scores == "allowed":
                self.forced.add(self.tree.child(beam.node, legal[0]))
                values = np.zeros(1)
            else:
                values = self.logprobs[beam.node]
            if token_counts:
                values = values - self.plan.diversity * np.array(
                    [token_counts[token] for token in legal]
                )
            scores.append(values + beam.score)
            owners.extend([i] * len(legal))
            tokens.extend(legal)
        all_scores = np.concatenate(scores)
        kept_indices = range(len(all_scores))
        if len(all_scores) > 2 * width:
            rounded = np.round(all_scores, _DIGITS)
            least = np.partition(rounded, -2 * width)[-2 * width]
            kept_indices = np.flatnonzero(rounded >= least).tolist()
        best = [
            (-round(float(all_scores[i]), _DIGITS), (*running[owners[i]].tokens, tokens[i]), i)
            for i in kept_indices
        ]
        best.sort()
        return [
            Beam(
                self.tree.child(running[owners[i]].node, tokens[i]),
                self.constraint.advance(running[owners[i]].state, tokens[i]),
                float(all_scores[i]),
                word,
            )
            for _, word, i in best[: 2 * width]
        ]

    # What to know next.

    def _legal_at(self, node: int, state: State) -> Legal:
        legal = self._legal.get(node)
        if legal is None:
            legal = self._legal[node] = tuple(self.constraint.allowed(state))
        return legal

    def _missing(self, node: int, state: State) -> bool:
        if node in self.logprobs:
            return False
        return self.plan.scores == "full" or len(self._legal_at(node, state)) > 1

    def _next_choices(self, running: Sequence[Beam[State]]) -> dict[int, Legal]:
        """The next choices of all beams, and as many levels of choices below as are small."""
        choices_at: dict[int, Legal] = {}
        level = self._follow([(beam.node, beam.state) for beam in running], choices_at, _RUN)
        budget = self._ahead
        while level:
            budget -= sum(len(self._legal_at(*point)) for point in level)
            if budget < 0:
                break
            level = self._follow(self._below(level), choices_at, _GUESSED_RUN)
        return choices_at

    def _below(self, level: Sequence[tuple[int, State]]) -> list[tuple[int, State]]:
        """The points one token further."""
        after = [
            (self.tree.child(node, token), self.constraint.advance(state, token))
            for node, state in level
            for token in self._legal_at(node, state)
        ]
        return [point for point in after if not self.constraint.done(point[1])]

    def _follow(
        self, points: Sequence[tuple[int, State]], choices_at: dict[int, Legal], most: int
    ) -> list[tuple[int, State]]:
        """Follow forced tokens down to the points where the model has a choice, and want them.

        Points that are more than `most` tokens away are left for later.
        """
        choices = list[tuple[int, State]]()
        for _ in range(most + 1):
            if not points:
                break
            self.constraint.prepare([state for _, state in points])
            forced = list[tuple[int, State]]()
            for node, state in points:
                legal = self._legal_at(node, state)
                if self._missing(node, state):
                    choices_at[node] = legal
                (forced if len(legal) == 1 else choices).append((node, state))
            points = self._below(forced)
        return choices


def _rank(beam: Beam[State]) -> tuple[float, Legal]:
    """The likeliest words come first; ties go to the smaller tokens."""
    return (-round(beam.score, _DIGITS), beam.tokens)
