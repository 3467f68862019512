"""Beam search along a constraint: the K most likely words of the automaton.

The update is the beam search of Hugging Face's `generate` under the same mask, with the closing
tag as its end token, no length penalty, and ties broken by the smaller token sequence. What is
faster is only when log-probabilities are computed: forced tokens ride along with the next token
that needs a choice, and the widest beams' next choices are computed before they are asked for.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal

from transformers import PreTrainedModel

from .constraint import PathConstraint, State
from .tree import ROOT, TokenTree

Scores = Literal["allowed", "full"]

_LOOKAHEAD = 32
"""How many nodes beyond the needed ones may ride in a forward pass."""
_DIGITS = 6
"""Scores are compared after rounding to this many digits."""


@dataclass(frozen=True)
class Cost:
    """What a search took."""

    forward_passes: int
    tokens: int
    forced_tokens: int


@dataclass(frozen=True)
class Hypothesis(Generic[State]):
    """A finished word: its tokens with both tags, its log-probability and its relevance.

    `relevance` is the probability, under the model without any constraint, of what the path
    commits to: that there is a path, its relations, and where it stops.
    """

    tokens: tuple[int, ...]
    score: float
    relevance: float
    state: State


@dataclass(frozen=True)
class _Beam(Generic[State]):
    node: int
    state: State
    score: float
    tokens: tuple[int, ...]

    def rank(self) -> tuple[float, tuple[int, ...]]:
        return (-round(self.score, _DIGITS), self.tokens)


class _Search(Generic[State]):
    def __init__(self, tree: TokenTree, constraint: PathConstraint[State], scores: Scores) -> None:
        self.tree = tree
        self.constraint = constraint
        self.scores: Scores = scores
        self.forced = 0
        self._logprobs: dict[int, list[float]] = {}

    def expand(self, beam: _Beam[State]) -> list[_Beam[State]]:
        legal = self.constraint.allowed(beam.state)
        logprobs = self.logprobs(beam, legal)
        return [
            _Beam(
                self.tree.child(beam.node, token),
                self.constraint.advance(beam.state, token),
                beam.score + logprob,
                (*beam.tokens, token),
            )
            for token, logprob in zip(legal, logprobs, strict=True)
        ]

    def logprobs(self, beam: _Beam[State], legal: Sequence[int]) -> list[float]:
        """Log-probabilities of the legal tokens (`allowed`: DoG equation 2; `full`: GCR)."""
        if len(legal) == 1 and self.scores == "allowed":
            self.forced += 1
            return [0.0]
        if beam.node not in self._logprobs:
            logits = self.tree.logits(beam.node)
            chosen = logits[list(legal)]
            whole = chosen if self.scores == "allowed" else logits
            self._logprobs[beam.node] = (chosen - whole.logsumexp(0)).tolist()
        return self._logprobs[beam.node]

    def prepare(self, beams: Sequence[_Beam[State]]) -> None:
        """Make sure that the next choice of every beam can be scored."""
        goals = [self._next_choice(beam.node, beam.state) for beam in beams]
        missing = [node for node, _ in goals if not self.tree.known(node)]
        if not any(
            not self.tree.known(beam.node)
            and (self.scores == "full" or len(self.constraint.allowed(beam.state)) > 1)
            for beam in beams
        ):
            return
        budget = _LOOKAHEAD
        wanted = list(missing)
        for node, state in goals:
            if budget <= 0:
                break
            for token in self.constraint.allowed(state):
                after = self.constraint.advance(state, token)
                if self.constraint.done(after):
                    continue
                ahead, _ = self._next_choice(self.tree.child(node, token), after)
                if not self.tree.known(ahead):
                    wanted.append(ahead)
                    budget -= 1
                if budget <= 0:
                    break
        self.tree.evaluate(wanted)

    def _next_choice(self, node: int, state: State) -> tuple[int, State]:
        """Follow forced tokens down to the node where the model has a choice."""
        while not self.constraint.done(state):
            legal = self.constraint.allowed(state)
            if len(legal) != 1:
                break
            after = self.constraint.advance(state, legal[0])
            if self.constraint.done(after):
                break
            node, state = self.tree.child(node, legal[0]), after
        return node, state

    def relevance(self, beam: _Beam[State]) -> float:
        """The unconstrained probability of the tokens that choose relations or where to stop."""
        line = [ROOT, *self.tree.ancestry(beam.node)][:-1]
        self.tree.evaluate(line)
        total = 0.0
        for above, token, counts in zip(
            line, beam.tokens, self.constraint.relation_tokens(beam.state), strict=True
        ):
            if counts:
                logits = self.tree.logits(above)
                total += float(logits[token] - logits.logsumexp(0))
        return math.exp(total)


def beam_search(
    model: PreTrainedModel,
    prompt: Sequence[int],
    constraint: PathConstraint[State],
    *,
    beams: int = 10,
    scores: Scores = "allowed",
    max_tokens: int = 1024,
) -> tuple[list[Hypothesis[State]], Cost]:
    """The best `beams` words that follow `prompt`, best first; fewer if there are fewer.

    `allowed` renormalises each choice over the legal tokens, `full` does not. Raises
    ConstraintError where the model cannot hold prompt and walk.
    """
    tree = TokenTree(model, prompt)
    search = _Search(tree, constraint, scores)
    running = [_Beam[State](ROOT, constraint.start(), 0.0, ())]
    finished: list[_Beam[State]] = []
    for _ in range(max_tokens):
        search.prepare(running)
        candidates = sorted(
            (after for beam in running for after in search.expand(beam)), key=_Beam[State].rank
        )[: 2 * beams]
        closed = [c for c in candidates[:beams] if constraint.done(c.state)]
        finished = sorted((*finished, *closed), key=_Beam[State].rank)[:beams]
        running = [c for c in candidates if not constraint.done(c.state)][:beams]
        if not running or len(finished) == beams and finished[-1].score >= running[0].score:
            break
    hypotheses = [
        Hypothesis(beam.tokens, beam.score, search.relevance(beam), beam.state) for beam in finished
    ]
    return hypotheses, Cost(tree.forward_passes, tree.tokens, search.forced)
