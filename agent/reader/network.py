"""The network of the reader: one pointer step an action, over labels that it reads.

Question words and the actions so far pass one encoder; words see words, an action sees the words
and the actions before it. The state after an action chooses a kind of action, and where that has a
name, one of the labels: by how their words meet those of the question (late interaction, with a
bias for matches), by which words this step is about, and by what was explained already.

Shapes: `B` questions, `N` words, `L` labels of `W` words, `T` actions, `D` the width, `F` features
of a match. The names of attributes are those of the weights on disk.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from .inputs import CLASS, KIND_NUMBERS, KINDS, LITERALS, MOST_STEPS, Batch, Size
from .lexicon import BUCKETS, MOST_WORDS, WHATS
from .matching import FEATURES

JOINT = ("joint.", "left.")
"""With these begin the names of parameters by which words and labels see each other."""
CLASS_KIND = KIND_NUMBERS["class*"]
POINTER_KIND = KIND_NUMBERS["pointer"]
HOP_KINDS = [
    number for name, number in KIND_NUMBERS.items() if name.endswith("*") and name != "class*"
]
_NEVER = -1e4


class Scores(NamedTuple):
    """Scores of what may come at each place, the first before any action; higher is likelier."""

    kinds: Tensor
    """`(B, T + 1, kinds)`"""
    labels: Tensor
    """`(B, T + 1, L)`"""
    words: Tensor
    """`(B, T + 1, N)`: of pointing at each word."""
    literals: Tensor
    """`(B, T + 1, LITERALS)`"""
    unread: Tensor
    """`(B, T + 1, N)`: of each word asking what the actions so far leave out."""
    met: Tensor
    """`(B, N, L)`: how well each word meets each label."""


class Logs(NamedTuple):
    """Log-probabilities at each place: of kinds, and of what there is within a kind."""

    kinds: Tensor
    hops: Tensor
    classes: Tensor
    words: Tensor
    literals: Tensor


def logs_of(
    scores: Scores,
    ways: Tensor,
    legal: Tensor,
    is_literal: Tensor,
    offered: Tensor | None = None,
    pointable: Tensor | None = None,
) -> Logs:
    """Log-probabilities at each place: of the legal kinds, and of each label within its kind.

    `ways (B, L)` are those of the labels, `legal (B, T, kinds)` the kinds that may come,
    `is_literal (B, T)` whether a pointer there is a number itself. `offered (B, T, L)` and
    `pointable (B, T, N)` bar labels and words; all may be chosen without.
    """
    labels = scores.labels if offered is None else scores.labels.masked_fill(~offered, _NEVER)
    words = scores.words if pointable is None else scores.words.masked_fill(~pointable, _NEVER)
    hops = labels.masked_fill((ways == CLASS)[:, None], _NEVER)
    classes = labels.masked_fill((ways != CLASS)[:, None], _NEVER)
    kinds = scores.kinds.clone()
    kinds[..., HOP_KINDS] = kinds[..., HOP_KINDS] + hops.logsumexp(-1, keepdim=True)
    kinds[..., CLASS_KIND] = kinds[..., CLASS_KIND] + classes.logsumexp(-1)
    points = words.logsumexp(-1).masked_fill(is_literal, 0.0)
    kinds[..., POINTER_KIND] = kinds[..., POINTER_KIND] + points.clamp(min=-1e3)
    kinds = kinds.masked_fill(~legal, _NEVER).log_softmax(-1)
    return Logs(
        kinds,
        hops.log_softmax(-1),
        classes.log_softmax(-1),
        words.log_softmax(-1),
        scores.literals.log_softmax(-1),
    )


class _Layer(nn.Module):
    """A layer of the encoder of words and actions."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        width, self.heads = size.width, size.heads
        self.before = nn.LayerNorm(width)
        self.joint = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.between = nn.LayerNorm(width)
        self.wide = nn.Linear(width, 2 * width)
        self.narrow = nn.Linear(2 * width, width)

    def forward(self, hidden: Tensor, barred: Tensor) -> Tensor:
        asks, keys, values = _heads(self.joint(self.before(hidden)), self.heads)
        hidden = hidden + self.out(_attended(asks, keys, values, ~barred[:, None]))
        return hidden + self.narrow(functional.gelu(self.wide(self.between(hidden))))


class _Joint(nn.Module):
    """Words see the labels, and labels the words, the more the better they match."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        width, self.heads = size.width, size.heads
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
        self, words: Tensor, labels: Tensor, matches: Tensor, seen: Tensor
    ) -> tuple[Tensor, Tensor]:
        """`words (B, N, D)` and `labels (B, L, D)`; `seen (B, N, L)` are those that exist."""
        asks, keys, values = _heads(self.word(self.words(words)), self.heads)
        label_asks, label_keys, label_values = _heads(self.label(self.labels(labels)), self.heads)
        near, label_near = self.match(matches).permute(0, 3, 1, 2).chunk(2, 1)
        barred = torch.where(seen, 0.0, _NEVER)[:, None]
        to_word = _attended(asks, label_keys, label_values, near + barred)
        to_label = _attended(label_asks, keys, values, (label_near + barred).transpose(2, 3))
        words = words + self.to_word(to_word)
        labels = labels + self.to_label(to_label)
        return words, labels + self.narrow(functional.gelu(self.wide(self.between(labels))))


class Network(nn.Module):
    """Points at actions: called with a `Batch` it gives `Scores`."""

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
        self.layers = nn.ModuleList(_Layer(size) for _ in range(size.layers))
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
        self.joint = nn.ModuleList(_Joint(size) for _ in range(size.joint))
        self.left: nn.Linear | None = None
        if size.joint:
            self.left = nn.Linear(2, len(KINDS), bias=False)
            nn.init.zeros_(self.left.weight)
        self._scale = width**-0.5

    def forward(self, batch: Batch) -> Scores:
        """The scores at each place of each question."""
        by_encoder = batch.meant.is_floating_point()
        meanings = batch.meant if by_encoder else self.meanings(batch.meant)
        read = self.table(batch.pieces) + self.meaning(meanings)
        matches = _with_nearness(batch, meanings)
        words = self.word(read)
        classes = self.class_(read)
        label_words = _rows(self.label_word(read), batch.labels)
        hidden = self._embedded_words(batch, words, classes, matches)
        labels = self.label(
            _mean(label_words, batch.labels)
            + _mean(_rows(classes, batch.tails), batch.tails)
            + self.way(batch.ways.clamp(min=0))
        )
        actions = self._embedded_actions(batch, hidden, labels)
        hidden, state, labels = self._encoded(batch, hidden, actions, labels, matches)
        met = self._met(batch, hidden, label_words, matches)
        covered = _covered(met, batch.chosen)
        label_scores = self._label_scores(batch, hidden, state, labels, met, covered)
        pointed = _dots(self.points(state), hidden) * self._scale
        pointed = pointed.masked_fill((batch.whats < 1)[:, None], _NEVER)
        unread = self._unread(batch, hidden, state, met, covered)
        kinds = self.kinds(state)
        if self.left is not None:
            left = unread.sigmoid() * (batch.whats >= 0)[:, None]
            kinds = kinds + self.left(torch.stack([left.sum(-1), left.amax(-1)], -1))
        return Scores(kinds, label_scores, pointed, self.literals(state), unread, met)

    def _embedded_words(
        self, batch: Batch, words: Tensor, classes: Tensor, matches: Tensor
    ) -> Tensor:
        """The words of the questions, before they see each other: `(B, N, D)`."""
        hidden = _rows(words, batch.words) + self.what(batch.whats.clamp(min=0))
        hidden = hidden + _mean(_rows(classes, batch.classes), batch.classes)
        count = batch.words.shape[1]
        hidden = hidden + self.place(torch.arange(count))[None] + self.earlier(batch.earlier)
        return hidden + self.matched(_best_matches(matches, batch.ways))

    def _embedded_actions(self, batch: Batch, words: Tensor, labels: Tensor) -> Tensor:
        """The actions after a first place that has none: `(B, T + 1, D)`."""
        steps = batch.kinds.shape[1]
        first = batch.kinds.new_full((len(batch.kinds), 1), len(KINDS))
        kinds = torch.cat([first, batch.kinds.clamp(min=0)], 1)
        actions = self.kind(kinds) + self.step(torch.arange(steps + 1))[None]
        named = _taken(labels, batch.chosen) + _taken(words, batch.pointed)
        literal = self.literal(batch.literal.clamp(min=0))
        named = named + literal * (batch.literal >= 0)[..., None]
        return torch.cat([actions[:, :1], actions[:, 1:] + named], 1)

    def _encoded(
        self, batch: Batch, words: Tensor, actions: Tensor, labels: Tensor, matches: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Words, actions and labels after all layers."""
        there, count = batch.whats >= 0, words.shape[1]
        barred = _barred(there, actions.shape[1])
        seen = there[:, :, None] & (batch.ways >= 0)[:, None]
        both = torch.cat([words, actions], 1)
        for number, layer in enumerate(self.layers):
            both = layer(both, barred)
            if number < len(self.joint):
                words, labels = self.joint[number](both[:, :count], labels, matches, seen)
                both = torch.cat([words, both[:, count:]], 1)
        both = self.last(both)
        return both[:, :count], both[:, count:], labels

    def _met(self, batch: Batch, words: Tensor, label_words: Tensor, matches: Tensor) -> Tensor:
        """How well each word meets each label: by its best word, and by their matches."""
        met = torch.einsum("bnd,blwd->bnlw", self.meets(words), label_words) * self._scale
        met = met.masked_fill((batch.labels == 0)[:, None], _NEVER).amax(-1)
        met = met + (functional.softplus(self.weighs(words))[:, :, None] * matches).sum(-1)
        return met.masked_fill((batch.whats < 0)[..., None], _NEVER)

    def _label_scores(
        self,
        batch: Batch,
        words: Tensor,
        state: Tensor,
        labels: Tensor,
        met: Tensor,
        covered: Tensor,
    ) -> Tensor:
        about = _dots(self.asks(state), self.answers(words)) * self._scale
        about = about - functional.softplus(self.explained) * covered
        about = about.masked_fill((batch.whats < 0)[:, None], _NEVER).log_softmax(-1)
        scores = (about[..., None] + met[:, None]).logsumexp(2)
        scores = scores + _dots(self.names(state), labels) * self._scale
        scores = scores + self.bias[batch.ways.clamp(min=0)][:, None]
        return scores.masked_fill((batch.ways < 0)[:, None], _NEVER)

    def _unread(
        self, batch: Batch, words: Tensor, state: Tensor, met: Tensor, covered: Tensor
    ) -> Tensor:
        """How far the actions before each place leave out what each word asks."""
        strongest = _strongest(met, batch.chosen).sigmoid()
        use = torch.stack([covered, strongest, _pointed(batch.pointed, words.shape[1])], -1)
        unread = _dots(self.lacks(state), self.lacking(words)) * self._scale
        return unread + self.apart(words)[:, None, :, 0] + self.used(use)[..., 0]


def _heads(joint: Tensor, heads: int) -> Tensor:
    batch, length, _ = joint.shape
    return joint.view(batch, length, 3, heads, -1).permute(2, 0, 3, 1, 4)


def _attended(asks: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
    mixed = functional.scaled_dot_product_attention(asks, keys, values, attn_mask=mask.contiguous())
    return mixed.transpose(1, 2).flatten(2)


def _barred(there: Tensor, places: int) -> Tensor:
    """What each word and place may not see: `(B, N + places, N + places)`.

    Words see words, and places the words and the places before; each sees itself.
    """
    batch, count = there.shape
    length = count + places
    barred = torch.zeros(length, length, dtype=torch.bool)
    barred[:count, count:] = True
    barred[count:, count:] = torch.ones(places, places).triu(1).bool()
    nothing = torch.cat([~there, torch.zeros(batch, places, dtype=torch.bool)], 1)
    return (barred[None] | nothing[:, None]) & ~torch.eye(length, dtype=torch.bool)[None]


def _with_nearness(batch: Batch, meanings: Tensor) -> Tensor:
    """The matches, with how near a word's meaning is to that of a word of the label."""
    near = torch.einsum(
        "bnd,blwd->bnlw", _rows(meanings, batch.words), _rows(meanings, batch.labels)
    )
    return torch.cat([batch.matches, near.amax(-1, keepdim=True).clamp(min=0)], -1)


def _best_matches(matches: Tensor, ways: Tensor) -> Tensor:
    """How well each word matches any relation, and any class: `(B, N, 2F)`."""
    is_class = (ways == CLASS)[:, None, :, None]
    hops = matches.masked_fill(is_class, 0.0).amax(2)
    return torch.cat([hops, matches.masked_fill(~is_class, 0.0).amax(2)], -1)


def _dots(states: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("btd,bnd->btn", states, values)


def _rows(values: Tensor, numbers: Tensor) -> Tensor:
    """The rows of distinct words where these occur."""
    return functional.embedding(numbers, values)


def _mean(values: Tensor, numbers: Tensor) -> Tensor:
    some = (numbers > 0).to(values.dtype)[..., None]
    return (values * some).sum(-2) / some.sum(-2).clamp(min=1)


def _taken(values: Tensor, numbers: Tensor) -> Tensor:
    """The values of the numbers `(B, T)`; zeros where there is none."""
    rows = numbers.clamp(min=0)[..., None].expand(-1, -1, values.shape[-1])
    return values.gather(1, rows) * (numbers >= 0)[..., None]


def _of_chosen(values: Tensor, chosen: Tensor) -> Tensor:
    """The values `(B, N, L)` of the labels that actions chose: `(B, N, T)`."""
    return values.gather(2, chosen.clamp(min=0)[:, None].expand(-1, values.shape[1], -1))


def _shifted(before: Tensor, first: float) -> Tensor:
    """Values `(B, T, N)`, each one place later; `first` stands before any action."""
    return torch.cat([before.new_full((len(before), 1, before.shape[2]), first), before], 1)


def _covered(met: Tensor, chosen: Tensor) -> Tensor:
    """How far each word was explained before each action: `(B, T + 1, N)`."""
    taken = _of_chosen(met.softmax(1), chosen) * (chosen >= 0)[:, None]
    return _shifted(taken.cumsum(-1).transpose(1, 2).clamp(max=1.0), 0.0)


def _strongest(met: Tensor, chosen: Tensor) -> Tensor:
    """How well each word met a label that was chosen before: `(B, T + 1, N)`."""
    taken = _of_chosen(met, chosen).masked_fill((chosen < 0)[:, None], -10.0).clamp(min=-10.0)
    best = taken.cummax(-1).values if taken.shape[-1] else taken
    return _shifted(best.transpose(1, 2), -10.0)


def _pointed(pointed: Tensor, count: int) -> Tensor:
    """Whether each word was pointed at before: `(B, T + 1, N)`."""
    taken = functional.one_hot(pointed.clamp(min=0), count) * (pointed >= 0)[..., None]
    return _shifted(taken.cumsum(1).clamp(max=1), 0).float()
