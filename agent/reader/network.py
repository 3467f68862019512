"""The network of the reader: one pointer step an action, over labels that it reads.

Question words and the actions so far pass one encoder; words see words, an action sees the words
and the actions before it. The state after an action chooses a kind of action, and where that has a
name, one of the labels: by how their words meet those of the question (late interaction, with a
bias for matches), by which words this step is about, and by what was explained already.

Shapes: `B` questions, `N` words, `L` labels of `W` words, `T` actions, `D` the width, `F` features
of a match. It runs over NumPy's arrays; training runs it over torch's tensors, and makes the
weights, whose names are used here.
"""

from collections.abc import Mapping
from typing import NamedTuple

from ..operations import Array, laid_out, layer_norm, linear, log_softmax, operations_of
from .inputs import CLASS, KIND_NUMBERS, KINDS, LITERALS, MOST_STEPS, NONE, Batch, Size
from .lexicon import BUCKETS, MOST_WORDS, WHATS
from .matching import FEATURES

CLASS_KIND = KIND_NUMBERS["class*"]
POINTER_KIND = KIND_NUMBERS["pointer"]
HOP_KINDS = range(CLASS_KIND + 1, KIND_NUMBERS[NONE])
"""The kinds with the name of a relation: those with a name follow each other, classes first."""
MATCHES = len(FEATURES) + 2
"""What is said of a match: `FEATURES`, and how near a word's meaning is to those of the label and
of its class."""
_NEVER = -1e4


class Scores(NamedTuple):
    """Scores of what may come at each position, the first before any action; higher is likelier."""

    kinds: Array
    """`(B, T + 1, kinds)`"""
    labels: Array
    """`(B, T + 1, L)`"""
    words: Array
    """`(B, T + 1, N)`: of pointing at each word."""
    literals: Array
    """`(B, T + 1, LITERALS)`"""
    unread: Array
    """`(B, T + 1, N)`: of each word asking what the actions so far leave out."""
    word_label_scores: Array
    """`(B, N, L)`: how well each word meets each label."""


class Read(NamedTuple):
    """Questions with their labels as they are read before any action: none of it depends on one."""

    plain_words: Array
    """`(B, N, D)`: before they see each other."""
    plain_labels: Array
    """`(B, L, D)`: before words see them."""
    keys_values: tuple[tuple[Array, Array], ...]
    """The keys and values of the words in each layer, `(B, heads, N, width of a head)`."""
    words: Array
    """`(B, N, D)`"""
    labels: Array
    """`(B, L, D)`"""
    word_label_scores: Array
    """As in `Scores`."""


class Logs(NamedTuple):
    """Log-probabilities at each position: of kinds, and of what there is within a kind."""

    kinds: Array
    hops: Array
    classes: Array
    words: Array
    literals: Array


def logs_of(
    scores: Scores,
    ways: Array,
    legal: Array,
    is_literal: Array,
    offered: Array | None = None,
    pointable: Array | None = None,
) -> Logs:
    """Log-probabilities at each position: of the legal kinds, and of each label within its kind.

    `ways (B, L)` are those of the labels, `legal (B, T, kinds)` the kinds that may come,
    `is_literal (B, T)` whether a pointer there is a number itself. `offered (B, T, L)` and
    `pointable (B, T, N)` bar labels and words; all may be chosen without.
    """
    operations = operations_of(scores.kinds)
    labels = scores.labels if offered is None else operations.where(offered, scores.labels, _NEVER)
    words = scores.words if pointable is None else operations.where(pointable, scores.words, _NEVER)
    is_class = (ways == CLASS)[:, None]
    hops = operations.where(is_class, _NEVER, labels)
    classes = operations.where(is_class, labels, _NEVER)
    points = operations.where(is_literal[..., None], 0.0, operations.logsumexp(words, -1)).clip(
        min=-1e3
    )
    kinds, numbers = scores.kinds, operations.arange(len(KINDS), scores.kinds)
    named = (numbers >= HOP_KINDS[0]) & (numbers <= HOP_KINDS[-1])
    for is_kind, log_share in (
        (named, operations.logsumexp(hops, -1)),
        (numbers == CLASS_KIND, operations.logsumexp(classes, -1)),
        (numbers == POINTER_KIND, points),
    ):
        kinds = operations.where(is_kind, kinds + log_share, kinds)
    kinds = operations.where(legal, kinds, _NEVER)
    return Logs(*map(log_softmax, (kinds, hops, classes, words, scores.literals)))


def shapes_of(size: Size) -> dict[str, tuple[int, ...]]:
    """The names of the weights of a reader, and their shapes."""
    width, table = size.width, size.table
    wide = 2 * width
    tables = {
        "table": (BUCKETS, table),
        "meanings": (size.meanings + 1, size.meaning),
        "what": (len(WHATS), width),
        "earlier": (2, width),
        "place": (2 * MOST_WORDS, width),
        "kind": (len(KINDS) + 1, width),
        "step": (MOST_STEPS + 1, width),
        "way": (3, width),
        "literal": (LITERALS, width),
        "meaning": (table, size.meaning),
        "used": (1, 3),
    }
    square = "label.0 label.2 meets asks answers names points lacks lacking"
    linears = {name: (width, width) for name in square.split()}
    linears |= {name: (width, table) for name in ("word", "class_", "label_word")}
    linears |= {"matched": (width, 2 * MATCHES), "weighs": (MATCHES, width)}
    linears |= {"kinds": (len(KINDS), width), "literals": (LITERALS, width), "apart": (1, width)}
    norms = ["label.3", "last"]
    for number in range(size.layers):
        name = f"layers.{number}"
        norms += [f"{name}.before", f"{name}.between"]
        linears |= {f"{name}.joint": (3 * width, width), f"{name}.out": (width, width)}
        linears |= {f"{name}.wide": (wide, width), f"{name}.narrow": (width, wide)}
    for number in range(size.joint):
        name = f"joint.{number}"
        norms += [f"{name}.words", f"{name}.labels", f"{name}.between"]
        linears |= {f"{name}.{part}": (3 * width, width) for part in ("word", "label")}
        linears |= {f"{name}.match": (2 * size.heads, MATCHES)}
        linears |= {f"{name}.{part}": (width, width) for part in ("to_word", "to_label")}
        linears |= {f"{name}.wide": (wide, width), f"{name}.narrow": (width, wide)}
    if size.joint:
        tables["left"] = (len(KINDS), 2)
    shapes: dict[str, tuple[int, ...]] = {"explained": (), "bias": (3,)}
    shapes |= {f"{name}.weight": shape for name, shape in (tables | linears).items()}
    shapes |= {f"{name}.bias": shape[:1] for name, shape in linears.items()}
    return shapes | {f"{name}.{part}": (width,) for name in norms for part in ("weight", "bias")}


class Network:
    """Points at actions: called with a `Batch` it gives `Scores`."""

    def __init__(self, size: Size, weights: Mapping[str, Array]) -> None:
        """The weights are those of a reader of that size, all of one kind of array."""
        self.size = size
        self.weights = laid_out(weights)
        self._operations = operations_of(weights["bias"])
        self._scale = size.width**-0.5

    def __call__(self, batch: Batch) -> Scores:
        """The scores at each position of each question."""
        return self.scored(batch, self.read(batch))

    def read(self, batch: Batch) -> Read:
        """The questions of a batch, whatever its actions are."""
        weights = self.weights
        meanings = batch.meant
        if meanings.ndim == 1:
            meanings = weights["meanings.weight"][meanings]
        read = _mean_without_padding(weights["table.weight"][batch.pieces], batch.pieces)
        read = read + linear(weights, "meaning", meanings)
        matches = self._with_nearness(batch, meanings)
        words = linear(weights, "word", read)
        classes = linear(weights, "class_", read)
        label_words = linear(weights, "label_word", read)[batch.labels]
        plain_words = self._embedded_words(batch, words, classes, matches)
        plain_labels = self._embedded_labels(batch, label_words, classes)
        hidden, labels, seen = self._encoded(batch, plain_words, plain_labels, matches)
        met = self._score_words_and_labels(batch, hidden, label_words, matches)
        return Read(plain_words, plain_labels, seen, hidden, labels, met)

    def scored(self, batch: Batch, read: Read, *, last: bool = False) -> Scores:
        """The scores at each position, or with `last` only at the last one, which has T = 0.

        The batch, but for its actions, may have a row for all, as `read` has then.
        """
        weights, hidden, word_label_scores = self.weights, read.words, read.word_label_scores
        positions = slice(-1, None) if last else slice(None)
        state = self._after_actions(batch, read)[:, positions]
        covered = self._covered(word_label_scores, batch.chosen)[:, positions]
        label_scores = self._label_scores(batch, read, state, covered)
        pointed = self._dots("points", state, hidden)
        pointed = self._where((batch.whats < 1)[:, None], _NEVER, pointed)
        strongest = self._strongest(word_label_scores, batch.chosen)[:, positions]
        used = self._pointed(batch.pointed, hidden)[:, positions]
        unread = self._unread(hidden, state, covered, strongest, used)
        kinds = linear(weights, "kinds", state)
        if self.size.joint:
            left = self._operations.sigmoid(unread) * (batch.whats >= 0)[:, None]
            left = self._operations.stack([left.sum(-1), self._operations.max(left, -1)], -1)
            kinds = kinds + linear(weights, "left", left)
        literals = linear(weights, "literals", state)
        return Scores(kinds, label_scores, pointed, literals, unread, word_label_scores)

    def _where(self, condition: Array, one: Array | float, other: Array | float) -> Array:
        return self._operations.where(condition, one, other)

    def _embedded_words(self, batch: Batch, words: Array, classes: Array, matches: Array) -> Array:
        """The words of the questions, before they see each other: `(B, N, D)`."""
        weights = self.weights
        hidden = words[batch.words] + weights["what.weight"][batch.whats.clip(min=0)]
        hidden = hidden + _mean_without_padding(classes[batch.classes], batch.classes)
        count = batch.words.shape[1]
        hidden = hidden + weights["place.weight"][:count] + weights["earlier.weight"][batch.earlier]
        return hidden + linear(weights, "matched", self._best_matches(matches, batch.ways))

    def _embedded_labels(self, batch: Batch, label_words: Array, classes: Array) -> Array:
        """The labels, before words see them: `(B, L, D)`."""
        weights = self.weights
        labels = _mean_without_padding(label_words, batch.labels) + _mean_without_padding(
            classes[batch.tails], batch.tails
        )
        labels = labels + weights["way.weight"][batch.ways.clip(min=0)]
        labels = self._operations.gelu(linear(weights, "label.0", labels))
        return layer_norm(weights, "label.3", linear(weights, "label.2", labels))

    def _embedded_actions(self, batch: Batch, words: Array, labels: Array) -> Array:
        """The actions after a first position that has none: `(B, T + 1, D)`."""
        weights, steps = self.weights, batch.kinds.shape[1]
        named = self._rows_of(labels, batch.chosen) + self._rows_of(words, batch.pointed)
        literal = weights["literal.weight"][batch.literal.clip(min=0)]
        named = named + literal * (batch.literal >= 0)[..., None]
        actions = weights["kind.weight"][batch.kinds.clip(min=0)] + named
        first = weights["kind.weight"][batch.kinds.sum(1)[:, None] * 0 - 1]
        actions = self._operations.concatenate([first, actions], 1)
        return actions + weights["step.weight"][: steps + 1]

    def _encoded(
        self, batch: Batch, words: Array, labels: Array, matches: Array
    ) -> tuple[Array, Array, tuple[tuple[Array, Array], ...]]:
        """Words and labels after all layers, and the keys and values of words in each."""
        there = batch.whats >= 0
        numbers = self._operations.arange(there.shape[1], there)
        mask = there[:, None] | (numbers[:, None] == numbers[None])[None]
        exists = there[:, :, None] & (batch.ways >= 0)[:, None]
        keys_values = list[tuple[Array, Array]]()
        for number in range(self.size.layers):
            words, keys, values = self._layer(f"layers.{number}", words, mask)
            keys_values.append((keys, values))
            if number < self.size.joint:
                words, labels = self._joined(f"joint.{number}", words, labels, matches, exists)
        return layer_norm(self.weights, "last", words), labels, tuple(keys_values)

    def _after_actions(self, batch: Batch, read: Read) -> Array:
        """The state at each position, which sees the words and those before: `(B, T + 1, D)`."""
        operations = self._operations
        actions = self._embedded_actions(batch, read.plain_words, read.plain_labels)
        there = batch.whats >= 0
        numbers = operations.arange(actions.shape[1], actions)
        exists = operations.concatenate([there, there[:, :1] | (numbers >= 0)[None]], 1)
        columns = operations.arange(exists.shape[1], exists) - there.shape[1]
        mask = exists[:, None] & (columns[None] <= numbers[:, None])[None]
        for number, seen in enumerate(read.keys_values):
            actions, *_ = self._layer(f"layers.{number}", actions, mask, seen)
        return layer_norm(self.weights, "last", actions)

    def _layer(
        self, name: str, hidden: Array, mask: Array, earlier: tuple[Array, Array] | None = None
    ) -> tuple[Array, Array, Array]:
        """A layer of the encoder, with its keys and values; `earlier` ones come before."""
        weights = self.weights
        before = layer_norm(weights, f"{name}.before", hidden)
        asks, keys, values = self._heads(linear(weights, f"{name}.joint", before))
        every = keys, values
        if earlier is not None:
            every = self._behind(earlier[0], keys), self._behind(earlier[1], values)
        attended = self._attended(asks, *every, mask[:, None])
        hidden = hidden + linear(weights, f"{name}.out", attended)
        return hidden + self._wide(name, hidden), keys, values

    def _behind(self, first: Array, later: Array) -> Array:
        """Both along their third axis; the first may have one row for all."""
        return self._operations.concatenate([first + 0 * later[:, :, :1], later], 2)

    def _joined(
        self, name: str, words: Array, labels: Array, matches: Array, exists: Array
    ) -> tuple[Array, Array]:
        """Words see the labels, and labels the words, the more the better they match.

        `words (B, N, D)` and `labels (B, L, D)`; `exists (B, N, L)` where both do.
        """
        weights, heads = self.weights, self.size.heads
        normed = layer_norm(weights, f"{name}.words", words)
        asks, keys, values = self._heads(linear(weights, f"{name}.word", normed))
        normed = layer_norm(weights, f"{name}.labels", labels)
        label_asks, label_keys, label_values = self._heads(linear(weights, f"{name}.label", normed))
        near = linear(weights, f"{name}.match", matches).swapaxes(2, 3).swapaxes(1, 2)
        near = self._where(exists[:, None], near, near + _NEVER)
        to_word = self._attended(asks, label_keys, label_values, near[:, :heads])
        back = near[:, heads:].swapaxes(2, 3)
        to_label = self._attended(label_asks, keys, values, back)
        words = words + linear(weights, f"{name}.to_word", to_word)
        labels = labels + linear(weights, f"{name}.to_label", to_label)
        return words, labels + self._wide(name, labels)

    def _wide(self, name: str, hidden: Array) -> Array:
        """What a layer adds to each position by itself."""
        weights = self.weights
        wide = linear(weights, f"{name}.wide", layer_norm(weights, f"{name}.between", hidden))
        return linear(weights, f"{name}.narrow", self._operations.gelu(wide))

    def _heads(self, joint: Array) -> tuple[Array, Array, Array]:
        """Queries, keys and values: `(B, heads, length, width of a head)` each."""
        batch, length, _ = joint.shape
        parts = joint.reshape(batch, length, 3, self.size.heads, -1)
        queries, keys, values = (parts[:, :, part].swapaxes(1, 2) for part in range(3))
        return queries, keys, values

    def _attended(self, asks: Array, keys: Array, values: Array, mask: Array) -> Array:
        mixed = self._operations.attention(asks, keys, values, mask).swapaxes(1, 2)
        return mixed.reshape(*mixed.shape[:2], -1)

    def _score_words_and_labels(
        self, batch: Batch, words: Array, label_words: Array, matches: Array
    ) -> Array:
        """How well each word meets each label: by its best word, and by their matches."""
        scores = _each_with_each(linear(self.weights, "meets", words), label_words) * self._scale
        scores = self._where((batch.labels == 0)[:, None], _NEVER, scores)
        weighed = self._operations.softplus(linear(self.weights, "weighs", words))
        scores = self._operations.max(scores, -1) + (weighed[:, :, None] * matches).sum(-1)
        return self._where((batch.whats < 0)[..., None], _NEVER, scores)

    def _label_scores(self, batch: Batch, read: Read, state: Array, covered: Array) -> Array:
        operations, weights = self._operations, self.weights
        about = self._dots("asks", state, linear(weights, "answers", read.words))
        about = about - operations.softplus(weights["explained"]) * covered
        about = log_softmax(self._where((batch.whats < 0)[:, None], _NEVER, about))
        scores = operations.logsumexp(about[..., None] + read.word_label_scores[:, None], 2)[
            :, :, 0
        ]
        scores = scores + self._dots("names", state, read.labels)
        scores = scores + weights["bias"][batch.ways.clip(min=0)][:, None]
        return self._where((batch.ways < 0)[:, None], _NEVER, scores)

    def _unread(
        self, words: Array, state: Array, covered: Array, strongest: Array, pointed: Array
    ) -> Array:
        """How far the actions before each position leave out what each word asks."""
        operations, weights = self._operations, self.weights
        use = operations.stack([covered, operations.sigmoid(strongest), pointed], -1)
        unread = self._dots("lacks", state, linear(weights, "lacking", words))
        unread = unread + linear(weights, "apart", words)[:, None, :, 0]
        return unread + linear(weights, "used", use)[..., 0]

    def _dots(self, name: str, states: Array, values: Array) -> Array:
        """Each state, after a layer, with each value."""
        return linear(self.weights, name, states) @ values.swapaxes(1, 2) * self._scale

    def _with_nearness(self, batch: Batch, meanings: Array) -> Array:
        """The matches, with how near a word's meaning is to those of the label and of its class."""
        words, nearest = meanings[batch.words], self._operations.max
        near = [
            nearest(_each_with_each(words, meanings[names]), -1)[..., None].clip(min=0)
            for names in (batch.labels, batch.tails)
        ]
        return self._operations.concatenate([batch.matches, *near], -1)

    def _best_matches(self, matches: Array, ways: Array) -> Array:
        """How well each word matches any relation, and any class: `(B, N, 2F)`."""
        is_class = (ways == CLASS)[:, None, :, None]
        operations = self._operations
        hops, classes = (
            operations.where(is_class, 0.0, matches),
            operations.where(is_class, matches, 0.0),
        )
        return operations.concatenate([operations.max(hops, 2), operations.max(classes, 2)], -1)

    def _rows_of(self, values: Array, numbers: Array) -> Array:
        """The values of the numbers `(B, T)`; zeros where there is none."""
        rows = self._operations.arange(len(values), values)[:, None]
        return values[rows, numbers.clip(min=0)] * (numbers >= 0)[..., None]

    def _columns_of(self, values: Array, chosen: Array) -> Array:
        """The values `(B, N, L)` of the labels that actions chose: `(B, N, T)`."""
        return self._operations.take(values, chosen.clip(min=0)[:, None], 2)

    def _shifted(self, before: Array, first: float) -> Array:
        """Values `(B, N, T)` as `(B, T + 1, N)`, `first` before any action."""
        start = before[:, :, :1] if before.shape[2] else before.sum(-1)[..., None]
        shifted = self._operations.concatenate([start * 0 + first, before], 2)
        return shifted.swapaxes(1, 2)

    def _covered(self, word_label_scores: Array, chosen: Array) -> Array:
        """How far each word was explained before each action: `(B, T + 1, N)`."""
        shares = self._operations.softmax(word_label_scores, 1)
        taken = self._columns_of(shares, chosen) * (chosen >= 0)[:, None]
        return self._shifted(taken.cumsum(-1).clip(max=1.0), 0.0)

    def _strongest(self, word_label_scores: Array, chosen: Array) -> Array:
        """How well each word met a label that was chosen before: `(B, T + 1, N)`."""
        chosen_scores = self._columns_of(word_label_scores, chosen)
        chosen_scores = self._where((chosen < 0)[:, None], -10.0, chosen_scores).clip(min=-10.0)
        best = (
            self._operations.highest_so_far(chosen_scores)
            if chosen_scores.shape[-1]
            else chosen_scores
        )
        return self._shifted(best, -10.0)

    def _pointed(self, pointed: Array, words: Array) -> Array:
        """Whether each word was pointed at before: `(B, T + 1, N)`."""
        numbers = self._operations.arange(words.shape[1], words)
        taken = self._operations.like(pointed[:, None] == numbers[None, :, None], words)
        return self._shifted(taken.cumsum(-1).clip(max=1.0), 0.0)


def _each_with_each(words: Array, label_words: Array) -> Array:
    """The product of each word `(B, N, D)` and each word of a label: `(B, N, L, W)`."""
    batch, labels, wide, width = label_words.shape
    met = words @ label_words.reshape(batch, labels * wide, width).swapaxes(1, 2)
    return met.reshape(batch, -1, labels, wide)


def _mean_without_padding(values: Array, numbers: Array) -> Array:
    """The mean of the values whose number is none of padding, along the last axis of numbers."""
    is_word = operations_of(values).like(numbers > 0, values)[..., None]
    return (values * is_word).sum(-2) / is_word.sum(-2).clip(min=1)
