"""Samples as token ids: the prompt as the agent writes it, and the path with loss weights."""

from typing import TYPE_CHECKING, NamedTuple

from ..agent.llm.prompt import path_prompt, path_tokens
from .graph import Graph, Move
from .questions import Sample
from .tokenizer import Units

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

ENTITY_WEIGHT = 0.07
"""The loss weight of a token that spells an entity, beside 1 for choices of relations and ends."""


class Encoded(NamedTuple):
    """Token ids, and for each the weight of predicting it: 0 for what is given."""

    ids: list[int]
    weights: list[float]


class Encoder:
    """Encodes samples of one graph for one tokenizer."""

    def __init__(
        self,
        graph: Graph,
        tokenizer: "PreTrainedTokenizerBase",
        *,
        entity_weight: float = ENTITY_WEIGHT,
    ) -> None:
        self.graph = graph
        self.units = Units(tokenizer)
        self._tokenizer = tokenizer
        self._entity_weight = entity_weight

    def prompt(self, sample: Sample) -> list[int]:
        """The ids up to the place of the opening tag, exactly as the agent asks."""
        text = path_prompt(sample.question, sample.mentions, masked=True, instruct=False)
        return path_tokens(self._tokenizer, text)

    def encode(self, sample: Sample) -> Encoded:
        """The prompt and its right continuation."""
        ids = self.prompt(sample)
        weights = [0.0] * len(ids)

        def add(unit: list[int], weight: float) -> None:
            ids.extend(unit)
            weights.extend([weight] * len(unit))

        if sample.moves is None:
            add([self.units.none, self.units.eos], 1.0)
            return Encoded(ids, weights)
        add([self.units.open], 1.0)
        add(self.units.of(self.graph.names[sample.walk[0]]), 0.0)
        for move, node in zip(sample.moves, sample.walk[1:], strict=True):
            add(self.units.arrow, 1.0)
            add(self.relation(move), 1.0)
            add(self.units.arrow, 1.0)
            add(self.entity(node), self._entity_weight)
        add([self.units.close, self.units.eos], 1.0)
        return Encoded(ids, weights)

    def relation(self, move: Move) -> list[int]:
        """The unit of a move."""
        return self.units.of(f" {self.graph.spell(move)}")

    def entity(self, node: int) -> list[int]:
        """The unit of an entity after an arrow."""
        return self.units.of(f" {self.graph.names[node]}")
