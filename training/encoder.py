"""Samples as token ids, and batches of them.

Each is the prompt as the agent writes it, with a loss weight of 0, and the right path or query
after it, with the weight of predicting each token.
"""

from collections.abc import Sequence
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..agent.decoding.units import tokenize, unit_style
from ..agent.decoding.wire import NONE, PATH, PLAN, TRIPLE, Wire
from ..agent.errors import ModelError
from ..agent.kg import KnowledgeGraph
from ..agent.llm.prompt import path_prompt, path_tokens
from ..agent.query.actions import Action
from ..agent.query.constraint import ActionTokens
from ..agent.query.prompt import query_prompt, query_tokens
from .material import Material
from .queries.question import QueryQuestion
from .queries.typed import TypedQuestion, typed_question
from .questions.graph import Graph, Move
from .questions.questioner import Sample
from .recipe import FORMATS, SHARES, Schedule

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


MAX_LENGTH = 1024
"""The longest input that a trained model takes, in tokens."""


class Units:
    """The token ids of markers and names, each looked up once.

    A walk is tokenised name by name as the decoder's index does it: the first name as it is, the
    others as they follow an arrow.
    """

    def __init__(self, tokenizer: "PreTrainedTokenizerBase", names: Sequence[str] = ()) -> None:
        """Find how the tokenizer spells walks over `names`. Raises ModelError without markers."""
        self._tokenizer = tokenizer
        self._style = unit_style(tokenizer, names)
        self._seen: dict[str, list[int]] = {}
        self.tags = {
            wire: (self._marker(wire.open), self._marker(wire.close))
            for wire in (PATH, PLAN, TRIPLE)
        }
        self.open, self.close = self.tags[PATH]
        self.none = self._marker(NONE)
        self.eos = self._special("eos")
        self.pad = self._special("pad" if tokenizer.pad_token_id is not None else "eos")
        self.arrow = list(self._style.arrow)

    def of(self, name: str) -> list[int]:
        """The token ids of a name at the start of a walk."""
        ids = self._seen.get(name)
        if ids is None:
            ids = self._seen[name] = list(tokenize(self._tokenizer, [name])[0])
        return ids

    def after_arrow(self, name: str) -> list[int]:
        """The token ids of a name after an arrow."""
        return self.of(f"{self._style.lead}{name}")

    def _marker(self, marker: str) -> int:
        token = cast(Any, self._tokenizer).get_added_vocab().get(marker)
        if token is None:
            raise ModelError(
                f"the marker {marker} is not a token of this tokenizer",
                "train a model with `groundwalk train`, which makes a tokenizer that has it",
            )
        return token

    def _special(self, kind: str) -> int:
        token: Any = getattr(self._tokenizer, f"{kind}_token_id")
        if not isinstance(token, int):
            raise ModelError(f"the tokenizer has no {kind} token", "give another base model")
        return token


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
        opening, closing = ([tag] for tag in self.units.tags[wire])
        arrow = Piece(self.units.arrow, 1.0)
        if wire == PLAN:
            first, *others = sample.moves
            pieces = [Piece(opening, 1.0), Piece(self.units.of(self.graph.spell(first)), 1.0)]
            for move in others:
                pieces += [arrow, Piece(self.relation(move), 1.0)]
            return [*pieces, Piece(closing, 1.0)]
        given = Piece(self.units.arrow, 0.0)
        before, after = (given, given) if wire == TRIPLE else (arrow, arrow)
        pieces = [Piece(opening, 1.0), Piece(self.units.of(self.graph.names[sample.walk[0]]), 0.0)]
        for index, (move, target) in enumerate(zip(sample.moves, sample.walk[1:], strict=True)):
            if wire == TRIPLE and index:
                source = Piece(self.units.of(self.graph.names[sample.walk[index]]), 0.0)
                pieces += [Piece(closing, 0.0), Piece(opening, 1.0), source]
            pieces += [before, Piece(self.relation(move), 1.0), after]
            pieces.append(Piece(self.entity(target), self._entity_weight))
        return [*pieces, Piece(closing, 0.0 if wire == TRIPLE else 1.0)]

    def relation(self, move: Move) -> list[int]:
        """The unit of a move."""
        return self.units.after_arrow(self.graph.spell(move))

    def entity(self, node: int) -> list[int]:
        """The unit of an entity after an arrow."""
        return self.units.after_arrow(self.graph.names[node])


class QueryEncoder:
    """Encodes questions with queries over one graph for one tokenizer."""

    def __init__(
        self,
        kg: KnowledgeGraph,
        tokenizer: "PreTrainedTokenizerBase",
        *,
        masked: bool = True,
        instruct: bool = False,
    ) -> None:
        """Prompts are written as `ModelSettings.masked` and `instruct` say."""
        self._tokenizer = tokenizer
        self._masked = masked
        self._instruct = instruct
        self._tokens = ActionTokens(tokenizer, kg.walk_labels)
        self._units = Units(tokenizer)

    def prompt(self, asked: TypedQuestion) -> list[int]:
        """The ids up to the place of the opening tag, exactly as the agent asks."""
        text = query_prompt(
            asked.question,
            asked.mentions,
            masked=self._masked,
            instruct=self._instruct,
            earlier=asked.earlier,
        )
        return query_tokens(self._tokenizer, text)

    def encode(self, question: QueryQuestion) -> Encoded | None:
        """The prompt and its query; None where the agent would miss a mention of it."""
        asked = typed_question(question)
        if asked is None:
            return None
        prompt = self.prompt(asked)
        ids = self.query(asked.actions)
        return Encoded([*prompt, *ids], [0.0] * len(prompt) + [1.0] * len(ids))

    def query(self, actions: Sequence[Action] | None) -> list[int]:
        """The ids of a query, or of there being none, up to the end of the text."""
        if actions is None:
            return [self._units.none, self._units.eos]
        opening, closing = self._tokens.tags
        inner = [token for word in self._tokens.words(actions[:-1]) for token in word]
        return [opening, *inner, closing, self._units.eos]


class Batches:
    """Batches of encoded samples of like length, each made when it is asked for by its number.

    A pool of batches is drawn with a seed of its own, so that a run goes on anywhere.
    """

    def __init__(
        self,
        material: Material,
        encoder: Encoder,
        schedule: Schedule,
        formats: Sequence[str],
        query_encoder: QueryEncoder | None,
    ) -> None:
        self.batch = schedule.batch
        self._material = material
        self._encoder = encoder
        self._formats = formats
        self._query_encoder = query_encoder
        self._pool = schedule.pool
        self._made: tuple[int, list[list[Encoded]]] = (-1, [])

    def __getitem__(self, number: int) -> list[Encoded]:
        """A batch; in order they cost least."""
        pool, index = divmod(number, self._pool)
        if self._made[0] != pool:
            self._made = (pool, self._make(pool))
        return self._made[1][index]

    def _make(self, pool: int) -> list[list[Encoded]]:
        rng = Random(f"pool {self._material.seed} {pool}")
        shares = [SHARES[name] for name in self._formats]
        drawn = rng.choices(self._formats, shares, k=self.batch * self._pool)
        samples = self._material.samples(rng.getrandbits(48))
        encoded = [
            self._encoder.encode(sample, FORMATS[name])
            for name, sample in zip(
                (format_name for format_name in drawn if format_name != "query"),
                samples,
                strict=False,
            )
        ]
        if self._material.queries and self._query_encoder:
            questions = self._material.queries.stream(rng.getrandbits(48))
            encoded_queries = filter(None, map(self._query_encoder.encode, questions))
            encoded += islice(encoded_queries, drawn.count("query"))
        encoded.sort(key=lambda sample: len(sample.ids))
        starts = list(range(0, len(encoded), self.batch))
        rng.shuffle(starts)
        return [encoded[start : start + self.batch] for start in starts]
