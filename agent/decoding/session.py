"""The token trees of some prompts under one model, on which constrained and free text take turns.

Every node that is written stays known, whoever wrote it: a chain of triples with free text between
them, and all its rivals, are branches of one tree.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np

from ..errors import ConstraintError
from .beams import Beam, BeamSearch, Legal
from .constraint import Constraint, State
from .forward import TreeForward
from .llama import Llama
from .model import CausalModel
from .network import Vector
from .plan import BeamPlan, Cost, Engine, Hypothesis
from .tree import Evaluated, TokenTree


@dataclass(frozen=True)
class Start(Generic[State]):
    """Where a search begins: after a node of one prompt's tree."""

    row: int
    node: int
    constraint: Constraint[State]


@dataclass(frozen=True)
class Searched(Generic[State]):
    """The finished beams of a search, best first."""

    start: Start[State]
    best: list[Beam[State]]


class Session:
    """Not safe to share between threads."""

    def __init__(
        self, model: CausalModel, prompts: Sequence[Sequence[int]], shared: int = 0
    ) -> None:
        """Open trees after prompts, whose first `shared` tokens are those of other sessions too.

        Raises ConstraintError for a prompt without tokens.
        """
        if not all(len(prompt) for prompt in prompts):
            raise ConstraintError("a prompt is empty", "a walk is decoded after a token at least")
        self.engine: Engine
        self.engine, self.forward = _open_engine(model, prompts, shared)
        self._in_words: list[set[int]] = [set() for _ in prompts]
        self._forced: list[set[int]] = [set() for _ in prompts]

    @property
    def trees(self) -> list[TokenTree]:
        """One tree for each prompt; its root is the prompt's end."""
        return self.forward.trees

    def cost(self, row: int) -> Cost:
        """What a prompt's tree has taken so far."""
        forward = self.forward
        unseen = {node for node in self._in_words[row] if not forward.known(row, node)}
        forced = (node in unseen or forward.known(row, node) for node in self._forced[row])
        return Cost(
            forward.forward_passes,
            forward.prompt_tokens[row],
            forward.tokens[row] + len(unseen),
            sum(forced),
            self.engine,
        )

    def cost_of(self, rows: Sequence[int]) -> Cost:
        """What the trees of some prompts have taken together; there is one at least."""
        return replace(
            sum((self.cost(row) for row in rows), Cost()),
            forward_passes=self.forward.forward_passes,
        )

    def search(self, starts: Sequence[Start[State]], plan: BeamPlan) -> list[Searched[State]]:
        """Search from all starts at once.

        Raises ConstraintError where the model cannot hold prompt and walk.
        """
        searches = [
            BeamSearch(
                self.trees[start.row],
                start.constraint,
                plan,
                start.node,
                self.forward.network.ahead,
            )
            for start in starts
        ]
        best: dict[int, list[Beam[State]]] = {}
        steps = {i: search.run() for i, search in enumerate(searches)}
        while steps:
            nodes_by_search: dict[int, dict[int, Legal]] = {}
            for i in list(steps):
                try:
                    nodes_by_search[i] = next(steps[i])
                except StopIteration as stop:
                    best[i] = stop.value
                    del steps[i]
            self._score(
                [(starts[i].row, searches[i], nodes) for i, nodes in nodes_by_search.items()]
            )
        for i, (start, search) in enumerate(zip(starts, searches, strict=True)):
            self._forced[start.row] |= search.forced
            for beam in best[i]:
                self._in_words[start.row].update(self.trees[start.row].line(beam.node))
        return [Searched(start, best[i]) for i, start in enumerate(starts)]

    def _score(self, requests: Sequence[tuple[int, BeamSearch[State], dict[int, Legal]]]) -> None:
        """Give each search the log-probabilities that it wants of its row."""
        row_nodes = [(row, search, node) for row, search, nodes in requests for node in nodes]
        if not row_nodes:
            return
        legal = [tokens for _, _, nodes in requests for tokens in nodes.values()]
        nodes = [(row, node) for row, _, node in row_nodes]
        self._evaluate(nodes)
        full = row_nodes[0][1].plan.scores == "full"
        logprobs = self.forward.logprobs(nodes, legal, full=full)
        for (_, search, node), values in zip(row_nodes, logprobs, strict=True):
            search.logprobs[node] = values

    def hypotheses(self, searches: Sequence[Searched[State]]) -> list[list[Hypothesis[State]]]:
        """The beams of each search with the unconstrained probability of what they commit to."""
        commitments = [
            [self._commitment(searched.start, beam) for beam in searched.best]
            for searched in searches
        ]
        committed = dict.fromkeys(c for beams in commitments for beam in beams for c in beam)
        logprobs = dict[tuple[int, int, int], float]()
        if committed:
            nodes = [(row, node) for row, node, _ in committed]
            self._evaluate(nodes)
            tokens = [(token,) for _, _, token in committed]
            values = self.forward.logprobs(nodes, tokens, full=True)
            logprobs = {c: float(value[0]) for c, value in zip(committed, values, strict=True)}
        return [
            [
                Hypothesis(b.tokens, b.score, math.exp(sum(logprobs[c] for c in chosen)), b.state)
                for b, chosen in zip(searched.best, beams, strict=True)
            ]
            for searched, beams in zip(searches, commitments, strict=True)
        ]

    def _commitment(self, start: Start[State], beam: Beam[State]) -> list[tuple[int, int, int]]:
        """The relation tokens of a word, each as (row, node before it, token)."""
        line = self.trees[start.row].line(beam.node)[-len(beam.tokens) :]
        flags = start.constraint.relation_tokens(beam.state)
        steps = zip([start.node, *line[:-1]], beam.tokens, flags, strict=True)
        return [(start.row, node, token) for node, token, counts in steps if counts]

    def logits(self, nodes: Sequence[tuple[int, int]]) -> list[Vector]:
        """The logits over the whole vocabulary after each (row, node), for free text."""
        self._evaluate(nodes)
        return list(self.forward.logits(nodes))

    def _evaluate(self, nodes: Sequence[tuple[int, int]]) -> None:
        rows: dict[int, list[int]] = {}
        for row, node in nodes:
            rows.setdefault(row, []).append(node)
        self.forward.evaluate(rows)


@dataclass(frozen=True)
class WritingPlan:
    """How free text is written, always with the likeliest token, and where it stops.

    `stops` end it and are not part of it; `banned` tokens are never written.
    """

    stops: frozenset[int]
    limit: int = 128
    """Tokens at most."""
    banned: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Written:
    """A text: its last node, its tokens, and the token that ended it; None at the limit."""

    node: int
    tokens: tuple[int, ...]
    stop: int | None


@dataclass(frozen=True)
class Reply:
    """What comes after a finished word: a heading, and under it the model's own words."""

    heading: tuple[int, ...]
    writing: WritingPlan


@dataclass
class _Text:
    row: int
    node: int
    tokens: list[int]


def write(session: Session, nodes: Sequence[tuple[int, int]], plan: WritingPlan) -> list[Written]:
    """Go on from (row, node)s in the trees of a session, all in one batch.

    Raises ConstraintError where the model cannot hold prompt and text.
    """
    texts = [_Text(*node, []) for node in nodes]
    stops: dict[int, int] = {}
    banned = list(plan.banned)
    live = dict(enumerate(texts))
    for _ in range(plan.limit + 1):
        if not live:
            break
        logits = session.logits([(text.row, text.node) for text in live.values()])
        for (i, text), values in zip(list(live.items()), logits, strict=True):
            values[banned] = -np.inf
            token = int(values.argmax())
            if token in plan.stops:
                stops[i] = token
                del live[i]
            elif len(text.tokens) == plan.limit:
                del live[i]
            else:
                text.tokens.append(token)
                text.node = session.trees[text.row].child(text.node, token)
    return [Written(text.node, tuple(text.tokens), stops.get(i)) for i, text in enumerate(texts)]


def write_replies(
    session: Session, nodes: Sequence[tuple[int, int]], reply: Reply
) -> list[tuple[int, ...]]:
    """The tokens that the model writes under the heading after each (row, node)."""
    headed = list[tuple[int, int]]()
    for row, node in nodes:
        for token in reply.heading:
            node = session.trees[row].child(node, token)
        headed.append((row, node))
    return [text.tokens for text in write(session, headed, reply.writing)]


def _open_engine(
    model: CausalModel, prompts: Sequence[Sequence[int]], shared: int = 0
) -> tuple[Engine, Evaluated]:
    """The faster way for trees to grow that gives this model's own log-probabilities.

    The first `shared` tokens of the prompts are kept with the model, where that is of use.
    """
    if isinstance(model, Llama):
        return "tree", TreeForward(model, prompts, shared)
    from .lines import LineForward, shares_cache
    from .torch_network import TorchNetwork

    network = TorchNetwork(model)
    if shares_cache(model):
        return "tree", TreeForward(network, prompts, shared)
    return "lines", LineForward(network, prompts)
