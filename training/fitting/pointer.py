"""The account of words as torch trains it."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ...agent.query.account import (
    BUCKETS,
    HEADS,
    LAYERS,
    MOST_PARTS,
    SPECIAL,
    TABLE_WIDTH,
    WIDTH,
    Rows,
    Weights,
    padded,
)


class Pointer(nn.Module):
    """Takes what `batched` makes; gives the logarithms of the shares of each part.

    `log_shares` runs its weights without torch.
    """

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag(BUCKETS, TABLE_WIDTH, mode="mean", padding_idx=0)
        self.widened = nn.Linear(TABLE_WIDTH, WIDTH)
        self.kinds = nn.Embedding(2, WIDTH)
        self.places = nn.Embedding(MOST_PARTS, WIDTH)  # a name of the trained weights
        layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, 2 * WIDTH, dropout=0.1, batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.asks = nn.Linear(WIDTH, WIDTH)
        self.offers = nn.Linear(WIDTH, WIDTH)
        self.special = nn.Linear(WIDTH, SPECIAL)

    def forward(self, rows: Tensor, words: Tensor) -> Tensor:
        """`(batch, parts, SPECIAL + parts)` of rows `(batch, parts, pieces)`."""
        batch, parts, pieces = rows.shape
        table = self.table(rows.reshape(batch * parts, pieces)).view(batch, parts, -1)
        position = torch.arange(parts, device=rows.device)[None]
        is_action = position >= words[:, None]
        start = torch.where(is_action, words[:, None], 0)
        embedded = self.widened(table) + self.kinds(is_action.long())
        is_padding = (rows == 0).all(-1)
        hidden = self.layers(
            embedded + self.places(position - start), src_key_padding_mask=is_padding
        )
        scores = self.asks(hidden) @ self.offers(hidden).transpose(1, 2) / WIDTH**0.5
        scores = scores.masked_fill((is_padding | ~is_action)[:, None], float("-inf"))
        return torch.cat([self.special(hidden), scores], -1).log_softmax(-1)

    def arrays(self) -> Weights:
        """A copy of the weights, for `log_shares`."""
        return {
            name: parameter.detach().clone().numpy() for name, parameter in self.named_parameters()
        }


def batched(questions: Sequence[tuple[Sequence[Rows], Sequence[Rows]]]) -> tuple[Tensor, Tensor]:
    """The rows `(batch, parts, pieces)` and the numbers of words `(batch)` of some questions.

    Each question is its words and its actions.
    """
    rows = torch.from_numpy(padded([[*words, *actions] for words, actions in questions]))
    return rows, torch.tensor([len(words) for words, _ in questions])
