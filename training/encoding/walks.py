"""Samples as token ids: the prompt as the agent writes it, and the path with loss weights."""

from typing import TYPE_CHECKING, NamedTuple

from ...agent.decoding.wire import PATH, PLAN, TRIPLE, Wire
from ...agent.llm.prompt import path_prompt, path_tokens
from ..questions.graph import Graph, Move
from ..questions.questioner import Sample
from .tokenizer import Units

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

ENTITY_WEIGHT = 0.07
"""The loss weight of a token that spells an entity, beside 1 for choices of relations and ends."""


class Encoded(NamedTuple):
    """Token ids, and for each the weight of predicting it: 0 for what is given."""

    ids: list[int]
    weights: list[float]


class Piece(NamedTuple):
    """Some tokens of a walk, and what predicting each of them weighs."""

    ids: list[int]
    weight: float


class Encoder:
    """Encodes samples of one graph for one tokenizer."""

    def __init__(
        self,
        graph: Graph,
        tokenizer: "PreTrainedTokenizerBase",
        *,
        entity_weight: float = ENTITY_WEIGHT,
        masked: bool = True,
        instruct: bool = False,
    ) -> None:
        """Prompts are written as `ModelSettings.masked` and `instruct` say."""
        self.graph = graph
        self.units = Units(tokenizer, graph.names)
        self.masked = masked
        self.instruct = instruct
        self.tokenizer = tokenizer
        self._entity_weight = entity_weight

    def prompt(self, sample: Sample, wire: Wire = PATH) -> list[int]:
        """The ids up to the place of the opening tag, exactly as the agent asks."""
        text = path_prompt(
            sample.question, sample.mentions, masked=self.masked, instruct=self.instruct
        )
        return path_tokens(self.tokenizer, text, wire=wire)

    def encode(self, sample: Sample, wire: Wire = PATH) -> Encoded:
        """The prompt and its right continuation in a format."""
        prompt = self.prompt(sample, wire)
        pieces = (
            [Piece([self.units.none], 1.0)] if sample.moves is None else self._walk(sample, wire)
        )
        ids, weights = list(prompt), [0.0] * len(prompt)
        for unit, weight in (*pieces, Piece([self.units.eos], 1.0)):
            ids.extend(unit)
            weights.extend([weight] * len(unit))
        return Encoded(ids, weights)

    def _walk(self, sample: Sample, wire: Wire) -> list[Piece]:
        assert sample.moves is not None
        steps = list(zip(sample.walk, sample.moves, sample.walk[1:], strict=False))
        opening, closing = ([tag] for tag in self.units.tags[wire])
        arrow = Piece(self.units.arrow, 1.0)
        given = Piece(self.units.arrow, 0.0)
        pieces = [Piece(opening, 1.0)]
        for place, (source, move, target) in enumerate(steps):
            if wire == PLAN:
                relation = (
                    self.units.of(self.graph.spell(move)) if not place else self.relation(move)
                )
                pieces += [*([arrow] if place else []), Piece(relation, 1.0)]
                continue
            if wire == TRIPLE and place:
                pieces += [Piece(closing, 0.0), Piece(opening, 1.0)]
            if wire == TRIPLE or not place:
                pieces.append(Piece(self.units.of(self.graph.names[source]), 0.0))
            pieces.append(given if wire == TRIPLE else arrow)
            pieces += [Piece(self.relation(move), 1.0), arrow if wire == PATH else given]
            pieces.append(Piece(self.entity(target), self._entity_weight))
        return [*pieces, Piece(closing, 0.0 if wire == TRIPLE else 1.0)]

    def relation(self, move: Move) -> list[int]:
        """The unit of a move."""
        return self.units.after_arrow(self.graph.spell(move))

    def entity(self, node: int) -> list[int]:
        """The unit of an entity after an arrow."""
        return self.units.after_arrow(self.graph.names[node])
