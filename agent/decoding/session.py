"""The token trees of some prompts under one model, on which constrained and free text take turns.

Every node that is written stays known, whoever wrote it: a chain of triples with free text between
them, and all its rivals, are branches of one tree.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic

from ..errors import ConstraintError
from .beams import Beam, BeamSearch, Legal
from .constraint import RelationConstraint, State
from .engine import Engine, open_engine
from .head import Vector
from .model import CausalModel
from .plan import BeamPlan, Cost, Hypothesis
from .tree import TokenTree


@dataclass(frozen=True)
class Start(Generic[State]):
    """Where a search begins: after a node of one prompt's tree."""

    row: int
    node: int
    constraint: RelationConstraint[State]


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
        self.engine, self.forward = open_engine(model, prompts, shared)
        self._found: list[set[int]] = [set() for _ in prompts]
        self._forced: list[set[int]] = [set() for _ in prompts]

    @property
    def trees(self) -> list[TokenTree]:
        """One tree for each prompt; its root is the prompt's end."""
        return self.forward.trees

    def cost(self, row: int) -> Cost:
        """What a prompt's tree has taken so far."""
        forward = self.forward
        unseen = {node for node in self._found[row] if not forward.known(row, node)}
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

    def count(self, row: int, search: BeamSearch[State], best: Sequence[Beam[State]]) -> None:
        """Let what a search found, and what was forced in it, be part of the cost."""
        self._forced[row] |= search.forced
        for beam in best:
            self._found[row].update(self.trees[row].line(beam.node))

    def search(self, starts: Sequence[Start[State]], plan: BeamPlan) -> list[Searched[State]]:
        """Search from all starts at once.

        Raises ConstraintError where the model cannot hold prompt and walk.
        """
        searches = [
            BeamSearch(self.trees[start.row], start.constraint, plan, start.node)
            for start in starts
        ]
        best: dict[int, list[Beam[State]]] = {}
        steps = {i: search.run() for i, search in enumerate(searches)}
        while steps:
            wanted: dict[int, dict[int, Legal]] = {}
            for i in list(steps):
                try:
                    wanted[i] = next(steps[i])
                except StopIteration as stop:
                    best[i] = stop.value
                    del steps[i]
            self.score([(starts[i].row, searches[i], own) for i, own in wanted.items()])
        for i, search in enumerate(searches):
            self.count(starts[i].row, search, best[i])
        return [Searched(start, best[i]) for i, start in enumerate(starts)]

    def score(self, wanted: Sequence[tuple[int, BeamSearch[State], dict[int, Legal]]]) -> None:
        """Tell each search the log-probabilities that it wants of its row."""
        asked = [(row, search, node) for row, search, own in wanted for node in own]
        if not asked:
            return
        legal = [tokens for _, _, own in wanted for tokens in own.values()]
        places = [(row, node) for row, _, node in asked]
        self._evaluate(places)
        full = asked[0][1].plan.scores == "full"
        logprobs = self.forward.logprobs(places, legal, full=full)
        for (_, search, node), values in zip(asked, logprobs, strict=True):
            search.logprobs[node] = values

    def hypotheses(self, searches: Sequence[Searched[State]]) -> list[list[Hypothesis[State]]]:
        """The beams of each search with the unconstrained probability of what they commit to."""
        asked: dict[tuple[int, int, int], float] = {}
        chosen = list[list[list[tuple[int, int, int]]]]()
        for searched in searches:
            start, own = searched.start, list[list[tuple[int, int, int]]]()
            tree = self.trees[start.row]
            for beam in searched.best:
                line = tree.line(beam.node)[-len(beam.tokens) :]
                before = [start.node, *line[:-1]]
                flags = start.constraint.relation_tokens(beam.state)
                steps = zip(before, beam.tokens, flags, strict=True)
                own.append([(start.row, node, token) for node, token, counts in steps if counts])
            chosen.append(own)
            asked.update(dict.fromkeys((place for places in own for place in places), 0.0))
        if asked:
            places = [(row, node) for row, node, _ in asked]
            self._evaluate(places)
            tokens = [(token,) for _, _, token in asked]
            values = self.forward.logprobs(places, tokens, full=True)
            asked = {place: float(value[0]) for place, value in zip(asked, values, strict=True)}
        return [
            [
                Hypothesis(b.tokens, b.score, math.exp(sum(asked[p] for p in places)), b.state)
                for b, places in zip(searched.best, own, strict=True)
            ]
            for searched, own in zip(searches, chosen, strict=True)
        ]

    def logits(self, places: Sequence[tuple[int, int]]) -> list[Vector]:
        """The logits over the whole vocabulary after each (row, node), for free text."""
        self._evaluate(places)
        return list(self.forward.logits(places).double().cpu().numpy())

    def _evaluate(self, places: Sequence[tuple[int, int]]) -> None:
        rows: dict[int, list[int]] = {}
        for row, node in places:
            rows.setdefault(row, []).append(node)
        self.forward.evaluate(rows)
