"""The weights of a reader's network as torch trains them; `agent/reader/network.py` runs them."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from ...agent.reader.inputs import KINDS, LITERALS, MOST_STEPS, Batch, Size
from ...agent.reader.lexicon import BUCKETS, MOST_WORDS, WHATS
from ...agent.reader.network import MATCHES, Network, Scores


def is_joint_after(name: str, layers: int) -> bool:
    """Whether a parameter is of no use where words and labels see each other after so many layers.

    One by which they do so after a later layer is, and with none also that of what is left to read.
    """
    part, *others = name.split(".")
    return not layers if part == "left" else part == "joint" and int(others[0]) >= layers


class _Layer(nn.Module):
    """A layer of the encoder of words and actions."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        width = size.width
        self.before = nn.LayerNorm(width)
        self.joint = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.between = nn.LayerNorm(width)
        self.wide = nn.Linear(width, 2 * width)
        self.narrow = nn.Linear(2 * width, width)


class _Joint(nn.Module):
    """Words see the labels, and labels the words, the more the better they match."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        width = size.width
        self.words, self.labels = nn.LayerNorm(width), nn.LayerNorm(width)
        self.word, self.label = nn.Linear(width, 3 * width), nn.Linear(width, 3 * width)
        self.match = nn.Linear(MATCHES, 2 * size.heads)
        self.to_word, self.to_label = nn.Linear(width, width), nn.Linear(width, width)
        self.between = nn.LayerNorm(width)
        self.wide, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        for last in (self.to_word, self.to_label, self.narrow):
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)


class ReaderModule(nn.Module):
    """A new network with random weights; called with a `Batch` of tensors it gives `Scores`."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        width = size.width
        self.table = nn.EmbeddingBag(BUCKETS, size.table, mode="mean", padding_idx=0)
        self.meanings = nn.Embedding(size.meanings + 1, size.meaning, padding_idx=0)
        self.meanings.weight.requires_grad_(False)
        self.meaning = nn.Linear(size.meaning, size.table, bias=False)
        self.word = nn.Linear(size.table, width)
        self.what = nn.Embedding(len(WHATS), width)
        self.class_ = nn.Linear(size.table, width)
        self.earlier = nn.Embedding(2, width)
        self.matched = nn.Linear(2 * MATCHES, width)
        self.place = nn.Embedding(2 * MOST_WORDS, width)
        self.kind = nn.Embedding(len(KINDS) + 1, width)
        self.step = nn.Embedding(MOST_STEPS + 1, width)
        self.way = nn.Embedding(3, width)
        self.literal = nn.Embedding(LITERALS, width)
        self.label = nn.Sequential(
            nn.Linear(width, width), nn.GELU(), nn.Linear(width, width), nn.LayerNorm(width)
        )
        self.label_word = nn.Linear(size.table, width)
        self.layers = nn.ModuleList(_Layer(size) for _ in range(size.layers))
        self.last = nn.LayerNorm(width)
        self.meets = nn.Linear(width, width)
        self.weighs = nn.Linear(width, MATCHES)
        nn.init.constant_(self.weighs.bias, 2.0)
        self.asks = nn.Linear(width, width)
        self.answers = nn.Linear(width, width)
        self.explained = nn.Parameter(torch.tensor(1.0))
        self.names = nn.Linear(width, width)
        self.points = nn.Linear(width, width)
        self.kinds = nn.Linear(width, len(KINDS))
        self.literals = nn.Linear(width, LITERALS)
        self.bias = nn.Parameter(torch.zeros(3))
        self.lacks = nn.Linear(width, width)
        self.lacking = nn.Linear(width, width)
        self.apart = nn.Linear(width, 1)
        self.used = nn.Linear(3, 1, bias=False)
        self.joint = nn.ModuleList(_Joint(size) for _ in range(size.joint))
        self.left: nn.Linear | None = None
        if size.joint:
            self.left = nn.Linear(2, len(KINDS), bias=False)
            nn.init.zeros_(self.left.weight)
        self.size = size

    def forward(self, batch: Batch) -> Scores:
        """The scores at each place of each question."""
        return Network(self.size, dict(self.named_parameters()))(batch)

    def network(self) -> Network:
        """The network with a copy of these weights, to be run without torch."""
        return Network(
            self.size,
            {name: one.detach().cpu().clone().numpy() for name, one in self.named_parameters()},
        )


def module_of(network: Network) -> ReaderModule:
    """The weights of a network, to be trained on."""
    with torch.random.fork_rng(devices=[]):  # what is drawn here would change what others draw
        module = ReaderModule(network.size)
    module.load_state_dict(tensors_of(network))
    return module


def tensors_of(network: Network) -> Mapping[str, Tensor]:
    """A copy of the weights of a network."""
    return {name: torch.tensor(one) for name, one in network.weights.items()}


def as_tensors(batch: Batch, device: torch.device | str = "cpu") -> Batch:
    """A batch for a `ReaderModule` on a device."""
    return Batch(*(torch.as_tensor(array).to(device) for array in batch))
