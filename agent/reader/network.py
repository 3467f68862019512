"""The network of the reader: one pointer step an action, over labels that it reads.

Question words and the actions so far pass one encoder; words see words, an action sees the words
and the actions before it. The state after an action chooses a kind of action, and where that has a
name, one of the labels: by how their words meet those of the question (late interaction, with a
bias for matches), by which words this step is about, and by what was explained already.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, get_args

from ..query.actions import Action, Kind
from .matching import FEATURES
from .words import BUCKETS, MOST_WORDS, WHATS

if TYPE_CHECKING:
    from torch import Tensor, nn

NONE = "none"
_NAMED: tuple[Kind, ...] = (
    *("class", "has", "step", "then", "where", "group", "most", "least", "column"),
    *("count", "sum", "avg", "min", "max"),
)
KINDS: tuple[str, ...] = (*get_args(Kind), *(f"{kind}*" for kind in _NAMED), NONE)
"""Kinds of actions, those with a name apart; and that nothing which is legal fits."""
MOST_STEPS = 32
LITERALS = 32
"""Numbers that an action may name itself."""
JOINT = ("joint.", "left.")
"""With these begin the names of parameters by which words and labels see each other."""


@dataclass(frozen=True)
class Size:
    """How large a reader is."""

    width: int = 192
    table: int = 64
    layers: int = 4
    heads: int = 4
    meanings: int = 0
    """Words whose meaning is known beforehand; none where an encoder says what words mean."""
    meaning: int = 64
    """Numbers that a meaning has."""
    joint: int = 0
    """After how many of the layers words and labels see each other."""


class Batch(NamedTuple):
    """Questions with labels and actions, padded; 0 pads rows, and -1 numbers of things.

    `pieces (U, P)` are the rows of all distinct words, the first without any; others are numbers
    of these.
    """

    pieces: "Tensor"
    meant: "Tensor"
    """`(U,)`: the row of each distinct word in the table of meanings; 0 where it has none.

    Or `(U, meaning)`: the meanings themselves, by an encoder.
    """
    words: "Tensor"
    """`(B, N)`: words of the question; 0 for a mention, and where there is none."""
    whats: "Tensor"
    """`(B, N)`: what each word is, by its number in `WHATS`; -1 where there is none."""
    earlier: "Tensor"
    """`(B, N)`: 1 for a word of the question before, else 0."""
    classes: "Tensor"
    """`(B, N, C)`: the words of the class of a mention."""
    labels: "Tensor"
    """`(B, L, W)`: the words of each label."""
    tails: "Tensor"
    """`(B, L, C)`: the words of the class that a label leads to."""
    ways: "Tensor"
    """`(B, L)`: 0 forward, 1 inverse, 2 a class; -1 where there is no label."""
    matches: "Tensor"
    """`(B, N, L, F)`: what `matching` says of each word and label."""
    kinds: "Tensor"
    """`(B, T)`: the kind of each action; -1 where there is none."""
    chosen: "Tensor"
    """`(B, T)`: the label of each action, or -1."""
    pointed: "Tensor"
    """`(B, T)`: the word that each action points at, or -1."""
    literal: "Tensor"
    """`(B, T)`: the number that each action is, or -1."""


class Scores(NamedTuple):
    """Scores of what may come at each place, the first before any action; higher is likelier."""

    kinds: "Tensor"
    """`(B, T + 1, kinds)`"""
    labels: "Tensor"
    """`(B, T + 1, L)`"""
    words: "Tensor"
    """`(B, T + 1, N)`: of pointing at each word."""
    literals: "Tensor"
    """`(B, T + 1, LITERALS)`"""
    unread: "Tensor"
    """`(B, T + 1, N)`: of each word asking what the actions so far leave out."""
    met: "Tensor"
    """`(B, N, L)`: how well each word meets each label."""


def kind_of(action: Action) -> str:
    """The kind of an action, as `KINDS` has it."""
    return f"{action.kind}*" if action.name else action.kind


def make_network(size: Size) -> "nn.Module":
    """A new network; called with a `Batch` it gives `Scores`."""
    import torch
    from torch import nn

    width = size.width

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.before = nn.LayerNorm(width)
            self.joint = nn.Linear(width, 3 * width)
            self.out = nn.Linear(width, width)
            self.between = nn.LayerNorm(width)
            self.wide = nn.Linear(width, 2 * width)
            self.narrow = nn.Linear(2 * width, width)

        def forward(self, hidden: "Tensor", barred: "Tensor") -> "Tensor":
            batch, length, _ = hidden.shape
            asks, keys, values = _heads(self.joint(self.before(hidden)))
            mixed = nn.functional.scaled_dot_product_attention(
                asks, keys, values, attn_mask=~barred[:, None]
            )
            mixed = mixed.transpose(1, 2).reshape(batch, length, width)
            hidden = hidden + self.out(mixed)
            wide = nn.functional.gelu(self.wide(self.between(hidden)))
            return hidden + self.narrow(wide)

    class Joint(nn.Module):
        """Words see the labels, and labels the words, the more the better they match."""

        def __init__(self) -> None:
            super().__init__()
            self.words, self.labels = nn.LayerNorm(width), nn.LayerNorm(width)
            self.word, self.label = nn.Linear(width, 3 * width), nn.Linear(width, 3 * width)
            self.match = nn.Linear(len(FEATURES) + 1, 2 * size.heads)
            self.to_word, self.to_label = nn.Linear(width, width), nn.Linear(width, width)
            self.between = nn.LayerNorm(width)
            self.wide, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
            for last in (self.to_word, self.to_label, self.narrow):
                nn.init.zeros_(last.weight)
                nn.init.zeros_(last.bias)

        def forward(
            self, words: "Tensor", labels: "Tensor", matches: "Tensor", seen: "Tensor"
        ) -> "tuple[Tensor, Tensor]":
            """`words (B, N, D)` and `labels (B, L, D)`; `seen (B, N, L)` are those that exist."""
            asks, keys, values = _heads(self.word(self.words(words)))
            label_asks, label_keys, label_values = _heads(self.label(self.labels(labels)))
            near, label_near = self.match(matches).permute(0, 3, 1, 2).chunk(2, 1)
            barred = torch.where(seen, 0.0, -1e4)[:, None]
            to_word = _mixed(asks, label_keys, label_values, near + barred)
            bias = (label_near + barred).transpose(2, 3)
            to_label = _mixed(label_asks, keys, values, bias)
            words = words + self.to_word(to_word)
            labels = labels + self.to_label(to_label)
            wide = nn.functional.gelu(self.wide(self.between(labels)))
            return words, labels + self.narrow(wide)

    def _heads(joint: "Tensor") -> "Tensor":
        batch, length, _ = joint.shape
        return joint.view(batch, length, 3, size.heads, -1).permute(2, 0, 3, 1, 4)

    def _mixed(asks: "Tensor", keys: "Tensor", values: "Tensor", bias: "Tensor") -> "Tensor":
        mixed = nn.functional.scaled_dot_product_attention(
            asks, keys, values, attn_mask=bias.contiguous()
        )
        batch, _, length, _ = mixed.shape
        return mixed.transpose(1, 2).reshape(batch, length, width)

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.EmbeddingBag(BUCKETS, size.table, mode="mean", padding_idx=0)
            self.meanings = nn.Embedding(size.meanings + 1, size.meaning, padding_idx=0)
            self.meanings.weight.requires_grad_(False)
            self.meaning = nn.Linear(size.meaning, size.table, bias=False)
            self.word = nn.Linear(size.table, width)
            self.what = nn.Embedding(len(WHATS), width)
            self.class_ = nn.Linear(size.table, width)
            self.earlier = nn.Embedding(2, width)
            self.matched = nn.Linear(2 * (len(FEATURES) + 1), width)
            self.place = nn.Embedding(2 * MOST_WORDS, width)
            self.kind = nn.Embedding(len(KINDS) + 1, width)
            self.step = nn.Embedding(MOST_STEPS + 1, width)
            self.way = nn.Embedding(3, width)
            self.literal = nn.Embedding(LITERALS, width)
            self.label = nn.Sequential(
                nn.Linear(width, width), nn.GELU(), nn.Linear(width, width), nn.LayerNorm(width)
            )
            self.label_word = nn.Linear(size.table, width)
            self.layers = nn.ModuleList(Layer() for _ in range(size.layers))
            self.last = nn.LayerNorm(width)
            self.meets = nn.Linear(width, width)
            self.weighs = nn.Linear(width, len(FEATURES) + 1)
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
            self.joint = nn.ModuleList(Joint() for _ in range(size.joint))
            if size.joint:
                self.left = nn.Linear(2, len(KINDS), bias=False)
                nn.init.zeros_(self.left.weight)

        def forward(self, batch: Batch) -> Scores:
            by_encoder = batch.meant.is_floating_point()
            meanings = batch.meant if by_encoder else self.meanings(batch.meant)
            read = self.table(batch.pieces) + self.meaning(meanings)
            near = torch.einsum(
                "bnd,blwd->bnlw", _of(meanings, batch.words), _of(meanings, batch.labels)
            )
            matches = torch.cat([batch.matches, near.amax(-1, keepdim=True).clamp(min=0)], -1)
            words = self.word(read)
            classes = self.class_(read)
            label_words = _of(self.label_word(read), batch.labels)
            # words of the question
            count = batch.words.shape[1]
            there = batch.whats >= 0
            hidden = _of(words, batch.words) + self.what(batch.whats.clamp(min=0))
            hidden = hidden + _mean(_of(classes, batch.classes), batch.classes)
            hidden = hidden + self.place(torch.arange(count))[None] + self.earlier(batch.earlier)
            hidden = hidden + self.matched(_best(matches, batch.ways))
            # labels
            vectors = self.label(
                _mean(label_words, batch.labels)
                + _mean(_of(classes, batch.tails), batch.tails)
                + self.way(batch.ways.clamp(min=0))
            )
            # actions, after a first place without any
            steps = batch.kinds.shape[1]
            first = batch.kinds.new_full((len(batch.kinds), 1), len(KINDS))
            kinds = torch.cat([first, batch.kinds.clamp(min=0)], 1)
            acted = self.kind(kinds) + self.step(torch.arange(steps + 1))[None]
            named = _taken(vectors, batch.chosen) + _taken(hidden, batch.pointed)
            named = (
                named + self.literal(batch.literal.clamp(min=0)) * (batch.literal >= 0)[..., None]
            )
            acted = torch.cat([acted[:, :1], acted[:, 1:] + named], 1)
            # one encoder for both
            length = count + steps + 1
            barred = torch.zeros(length, length, dtype=torch.bool)
            barred[:count, count:] = True
            barred[count:, count:] = torch.ones(steps + 1, steps + 1).triu(1).bool()
            nothing = torch.cat([~there, torch.zeros_like(kinds, dtype=torch.bool)], 1)
            mask = barred[None] | nothing[:, None]
            mask = mask & ~torch.eye(length, dtype=torch.bool)[None]
            both = torch.cat([hidden, acted], 1)
            seen = there[:, :, None] & (batch.ways >= 0)[:, None]
            for place, layer in enumerate(self.layers):
                both = layer(both, mask)
                if place < size.joint:
                    hidden, vectors = self.joint[place](both[:, :count], vectors, matches, seen)
                    both = torch.cat([hidden, both[:, count:]], 1)
            both = self.last(both)
            hidden, state = both[:, :count], both[:, count:]
            # how words and labels meet
            apart = width**-0.5
            met = torch.einsum("bnd,blwd->bnlw", self.meets(hidden), label_words) * apart
            met = met.masked_fill((batch.labels == 0)[:, None], -1e4).amax(-1)
            met = met + (nn.functional.softplus(self.weighs(hidden))[:, :, None] * matches).sum(-1)
            met = met.masked_fill(~there[..., None], -1e4)
            about = torch.einsum("btd,bnd->btn", self.asks(state), self.answers(hidden)) * apart
            covered = _covered(met, batch.chosen)
            about = about - nn.functional.softplus(self.explained) * covered
            about = about.masked_fill(~there[:, None], -1e4).log_softmax(-1)
            labels = (about[..., None] + met[:, None]).logsumexp(2)
            labels = labels + torch.einsum("btd,bld->btl", self.names(state), vectors) * apart
            labels = labels + self.bias[batch.ways.clamp(min=0)][:, None]
            labels = labels.masked_fill((batch.ways < 0)[:, None], -1e4)
            pointed = torch.einsum("btd,bnd->btn", self.points(state), hidden) * apart
            pointed = pointed.masked_fill((batch.whats < 1)[:, None], -1e4)
            # what the actions so far leave out
            use = torch.stack(
                [covered, _strongest(met, batch.chosen).sigmoid(), _pointed(batch.pointed, count)],
                -1,
            )
            unread = torch.einsum("btd,bnd->btn", self.lacks(state), self.lacking(hidden)) * apart
            unread = unread + self.apart(hidden)[:, None, :, 0] + self.used(use)[..., 0]
            kinds = self.kinds(state)
            if size.joint:
                left = unread.sigmoid() * there[:, None]
                kinds = kinds + self.left(torch.stack([left.sum(-1), left.amax(-1)], -1))
            return Scores(kinds, labels, pointed, self.literals(state), unread, met)

    def _of(values: "Tensor", numbers: "Tensor") -> "Tensor":
        """The rows of distinct words where these occur."""
        return nn.functional.embedding(numbers, values)

    def _best(matches: "Tensor", ways: "Tensor") -> "Tensor":
        """How well each word matches any relation, and any class: `(B, N, 2F)`."""
        is_class = (ways == 2)[:, None, :, None]
        hops = matches.masked_fill(is_class, 0.0).amax(2)
        return torch.cat([hops, matches.masked_fill(~is_class, 0.0).amax(2)], -1)

    def _mean(values: "Tensor", numbers: "Tensor") -> "Tensor":
        some = (numbers > 0).to(values.dtype)[..., None]
        return (values * some).sum(-2) / some.sum(-2).clamp(min=1)

    def _taken(values: "Tensor", numbers: "Tensor") -> "Tensor":
        """The values of the numbers `(B, T)`; zeros where there is none."""
        place = numbers.clamp(min=0)[..., None].expand(-1, -1, values.shape[-1])
        return values.gather(1, place) * (numbers >= 0)[..., None]

    def _covered(met: "Tensor", chosen: "Tensor") -> "Tensor":
        """How far each word was explained before each action: `(B, T + 1, N)`."""
        shares = met.softmax(1)
        place = chosen.clamp(min=0)[:, None].expand(-1, shares.shape[1], -1)
        taken = shares.gather(2, place) * (chosen >= 0)[:, None]
        before = taken.cumsum(-1).transpose(1, 2).clamp(max=1.0)
        return torch.cat([before.new_zeros((len(before), 1, before.shape[2])), before], 1)

    def _strongest(met: "Tensor", chosen: "Tensor") -> "Tensor":
        """How well each word met a label that was chosen before: `(B, T + 1, N)`."""
        place = chosen.clamp(min=0)[:, None].expand(-1, met.shape[1], -1)
        taken = met.gather(2, place).masked_fill((chosen < 0)[:, None], -10.0).clamp(min=-10.0)
        before = (
            taken.cummax(-1).values.transpose(1, 2) if taken.shape[-1] else taken.transpose(1, 2)
        )
        first = before.new_full((len(before), 1, before.shape[2]), -10.0)
        return torch.cat([first, before], 1)

    def _pointed(pointed: "Tensor", count: int) -> "Tensor":
        """Whether each word was pointed at before: `(B, T + 1, N)`."""
        taken = nn.functional.one_hot(pointed.clamp(min=0), count) * (pointed >= 0)[..., None]
        before = taken.cumsum(1).clamp(max=1)
        return torch.cat([before.new_zeros((len(before), 1, count)), before], 1).float()

    return Network()
