"""Beam search along a constraint: the K most likely words of the automaton.

The update is the beam search of Hugging Face's `generate` under the same mask, with the closing
tag as its end token; ties go to the smaller token sequence. What is faster is only when
log-probabilities are computed: forced tokens ride along with the next token that needs a choice,
and the beams' next choices are computed before they are asked for.
"""

import math
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal

import numpy as np
from transformers import PreTrainedModel

from ..errors import ConstraintError
from .constraint import RelationConstraint, State
from .engine import Engine, open_engine
from .evaluated import Evaluated
from .head import Vector, log_softmax
from .tree import ROOT, TokenTree

Scores = Literal["allowed", "full"]
Legal = tuple[int, ...]

_LOOKAHEAD = 32
"""How many nodes beyond the needed ones may ride in a forward pass."""
_DIGITS = 6
"""Scores are compared after rounding to this many digits."""


@dataclass(frozen=True)
class BeamPlan:
    """How to search.

    Raises ConstraintError when the groups do not divide the beams.
    """

    beams: int = 10
    scores: Scores = "allowed"
    """`allowed` renormalises over the legal tokens (DoG equation 2), `full` does not (GCR)."""
    groups: int = 1
    """Groups of beams that search one after the other at each token (diverse beam search)."""
    diversity: float = 1.0
    """What a token costs for each beam of an earlier group that took it at the same step."""
    length_penalty: float = 0.0
    """Finished words rank by score / length ** length_penalty."""
    early_stopping: bool | Literal["never"] = False
    """True: stop at K finished words. False and `never`: as Hugging Face's `generate`."""
    max_tokens: int = 1024
    """The length that `never` reckons with."""

    def __post_init__(self) -> None:
        if self.beams < 1 or self.groups < 1 or self.beams % self.groups:
            raise ConstraintError(f"{self.groups} groups do not divide {self.beams} beams")


@dataclass(frozen=True)
class Cost:
    """What a search took; passes are shared by the questions of a batch."""

    forward_passes: int
    tokens: int
    forced_tokens: int
    engine: Engine = "tree"
    """`lines` where the model's layers cannot share a cache among beams, which takes longer."""


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
class Found(Generic[State]):
    """The hypotheses of one question, best first, and what they cost."""

    hypotheses: list[Hypothesis[State]]
    cost: Cost


@dataclass(frozen=True, slots=True)
class _Beam(Generic[State]):
    node: int
    state: State
    score: float
    tokens: Legal


@dataclass
class _Group(Generic[State]):
    running: list[_Beam[State]]
    finished: list[_Beam[State]] = field(default_factory=list[_Beam[State]])


class _Search(Generic[State]):
    """The search of one question, as a generator that asks for the nodes it needs."""

    def __init__(
        self, tree: TokenTree, constraint: RelationConstraint[State], plan: BeamPlan
    ) -> None:
        self.tree = tree
        self.constraint = constraint
        self.plan = plan
        self.forced = 0
        self.logprobs: dict[int, Vector] = {}
        """The log-probabilities of the legal tokens after each node that was scored."""
        self._legal: dict[int, Legal] = {}

    def run(self) -> Generator[dict[int, Legal], None, list[_Beam[State]]]:
        """Yield the nodes to be scored next, with their legal tokens; return the finished beams."""
        start = _Beam(ROOT, self.constraint.start(), 0.0, ())
        groups = [_Group([start]) for _ in range(self.plan.groups)]
        while live := [group for group in groups if group.running]:
            running = [beam for group in live for beam in group.running]
            if any(self._missing(beam.node, beam.state) for beam in running):
                yield self._wanted(running)
            taken: Counter[int] = Counter()
            for group in live:
                self._step(group, taken)
                taken.update(beam.tokens[-1] for beam in group.running)
        finished = sorted((b for group in groups for b in group.finished), key=self._final_rank)
        return list({beam.tokens: beam for beam in finished}.values())[: self.plan.beams]

    def _step(self, group: "_Group[State]", taken: Counter[int]) -> None:
        width = self.plan.beams // self.plan.groups
        candidates = self._candidates(group.running, width, taken)
        closed = [c for c in candidates[:width] if self.constraint.done(c.state)]
        group.finished = sorted([*group.finished, *closed], key=self._final_rank)[:width]
        group.running = [c for c in candidates if not self.constraint.done(c.state)][:width]
        if len(group.finished) == width and group.running and self._is_over(group):
            group.running = []

    def _is_over(self, group: "_Group[State]") -> bool:
        """Whether no running beam may still beat the worst finished one."""
        if self.plan.early_stopping is True:
            return True
        best = group.running[0]
        never = self.plan.early_stopping == "never" and self.plan.length_penalty > 0
        length = self.plan.max_tokens if never else len(best.tokens)
        return self._final(group.finished[-1]) >= best.score / length**self.plan.length_penalty

    def _final(self, beam: _Beam[State]) -> float:
        return beam.score / len(beam.tokens) ** self.plan.length_penalty

    def _final_rank(self, beam: _Beam[State]) -> tuple[float, Legal]:
        return (-round(self._final(beam), _DIGITS), beam.tokens)

    def _legal_at(self, node: int, state: State) -> Legal:
        legal = self._legal.get(node)
        if legal is None:
            legal = self._legal[node] = tuple(self.constraint.allowed(state))
        return legal

    def _missing(self, node: int, state: State) -> bool:
        if node in self.logprobs:
            return False
        return self.plan.scores == "full" or len(self._legal_at(node, state)) > 1

    def _candidates(
        self, running: Sequence[_Beam[State]], width: int, taken: Counter[int]
    ) -> list[_Beam[State]]:
        """The best continuations of all beams, twice the width of them, in order.

        A token that earlier groups took at this step pays the diversity penalty for each.
        """
        scores, owners, tokens = list[Vector](), list[int](), list[int]()
        for i, beam in enumerate(running):
            legal = self._legal_at(beam.node, beam.state)
            if len(legal) == 1 and self.plan.scores == "allowed":
                self.forced += 1
                own = np.zeros(1)
            else:
                own = self.logprobs[beam.node]
            if taken:
                own = own - self.plan.diversity * np.array([taken[token] for token in legal])
            scores.append(own + beam.score)
            owners.extend([i] * len(legal))
            tokens.extend(legal)
        every = np.concatenate(scores)
        keep = range(len(every))
        if len(every) > 2 * width:
            rounded = np.round(every, _DIGITS)
            least = np.partition(rounded, -2 * width)[-2 * width]
            keep = np.flatnonzero(rounded >= least).tolist()
        best = [
            (-round(float(every[i]), _DIGITS), (*running[owners[i]].tokens, tokens[i]), i)
            for i in keep
        ]
        best.sort()
        return [
            _Beam(
                self.tree.child(running[owners[i]].node, tokens[i]),
                self.constraint.advance(running[owners[i]].state, tokens[i]),
                float(every[i]),
                word,
            )
            for _, word, i in best[: 2 * width]
        ]

    def _wanted(self, running: Sequence[_Beam[State]]) -> dict[int, Legal]:
        wanted: dict[int, Legal] = {}
        goals = [self._next_choice(beam.node, beam.state, wanted) for beam in running]
        budget = _LOOKAHEAD
        for node, state in goals:
            for token in self._legal_at(node, state):
                if budget <= 0:
                    return wanted
                after = self.constraint.advance(state, token)
                if not self.constraint.done(after):
                    before = len(wanted)
                    self._next_choice(self.tree.child(node, token), after, wanted)
                    budget -= len(wanted) > before
        return wanted

    def _next_choice(self, node: int, state: State, wanted: dict[int, Legal]) -> tuple[int, State]:
        """Follow forced tokens down to the node where the model has a choice, and want it."""
        while True:
            legal = self._legal_at(node, state)
            if self._missing(node, state):
                wanted[node] = legal
            if len(legal) != 1:
                return node, state
            after = self.constraint.advance(state, legal[0])
            if self.constraint.done(after):
                return node, state
            node, state = self.tree.child(node, legal[0]), after


@dataclass(frozen=True)
class Question(Generic[State]):
    """What one search of a batch is about: the tokens of its prompt, and what may follow them."""

    prompt: Sequence[int]
    constraint: RelationConstraint[State]


def beam_search(
    model: PreTrainedModel,
    questions: Sequence[Question[State]],
    plan: BeamPlan,
    *,
    relevance: bool = True,
) -> list[Found[State]]:
    """For each question the best words, best first; fewer than `plan.beams` if there are fewer.

    Without `relevance`, whole vocabularies are never looked at in `allowed` searches, and the
    field is 1. Raises ConstraintError where the model cannot hold prompt and walk.
    """
    engine, forward = open_engine(model, [question.prompt for question in questions])
    searches = [
        _Search(tree, question.constraint, plan)
        for tree, question in zip(forward.trees, questions, strict=True)
    ]
    finished: dict[int, list[_Beam[State]]] = {}
    steps = {row: search.run() for row, search in enumerate(searches)}
    while steps:
        wanted: dict[int, dict[int, Legal]] = {}
        for row in list(steps):
            try:
                wanted[row] = next(steps[row])
            except StopIteration as stop:
                finished[row] = stop.value
                del steps[row]
        _score(forward, searches, wanted)
    relevances = _relevances(forward, searches, finished) if relevance else {}
    return [
        Found(
            [
                Hypothesis(b.tokens, b.score, relevances.get((row, b.node), 1.0), b.state)
                for b in finished[row]
            ],
            Cost(forward.forward_passes, forward.tokens[row], search.forced, engine),
        )
        for row, search in enumerate(searches)
    ]


def _score(
    forward: Evaluated,
    searches: Sequence[_Search[State]],
    wanted: dict[int, dict[int, Legal]],
) -> None:
    """Evaluate the wanted nodes and give each search its log-probabilities."""
    places = [(row, node) for row, nodes in wanted.items() for node in nodes]
    if not places:
        return
    forward.evaluate(wanted)
    legal = [wanted[row][node] for row, node in places]
    if searches[0].plan.scores == "allowed":
        logprobs = [log_softmax(values) for values in forward.legal_logits(places, legal)]
    else:
        whole = forward.whole_logits(places)
        logprobs = [log_softmax(v)[list(own)] for v, own in zip(whole, legal, strict=True)]
    for (row, node), values in zip(places, logprobs, strict=True):
        searches[row].logprobs[node] = values


def _relevances(
    forward: Evaluated,
    searches: Sequence[_Search[State]],
    finished: dict[int, list[_Beam[State]]],
) -> dict[tuple[int, int], float]:
    """The unconstrained probability of what each word commits to."""
    chosen: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for row, beams in finished.items():
        for beam in beams:
            line = [ROOT, *searches[row].tree.line(beam.node)[:-1]]
            counts = searches[row].constraint.relation_tokens(beam.state)
            chosen[row, beam.node] = [
                (node, token)
                for node, token, counted in zip(line, beam.tokens, counts, strict=True)
                if counted
            ]
    places = sorted({(row, node) for (row, _), pairs in chosen.items() for node, _ in pairs})
    if not places:
        return {}
    wanted: dict[int, list[int]] = {}
    for row, node in places:
        wanted.setdefault(row, []).append(node)
    forward.evaluate(wanted)
    logprobs = {
        place: log_softmax(values)
        for place, values in zip(places, forward.whole_logits(places), strict=True)
    }
    return {
        (row, end): math.exp(sum(float(logprobs[row, node][token]) for node, token in pairs))
        for (row, end), pairs in chosen.items()
    }
