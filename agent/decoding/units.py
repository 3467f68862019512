"""Label token units: each name is tokenised once, and paths are made of the pieces.

Whether tokenising the pieces equals tokenising the whole path depends on the tokenizer: byte-level
BPE wants `" ->"` and `" " + name`, SentencePiece wants bare names. `unit_style` finds out which.
Distinct names always get distinct token sequences: those that would collide are numbered.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, cast

import numpy as np

from ..errors import ConstraintError
from .arrays import Array
from .model import Tokenizer
from .wire import ARROW, SEPARATOR, Wire, escape

Tokens = tuple[int, ...]
Tokenise = Callable[[Sequence[str]], list[Tokens]]


@dataclass(frozen=True)
class UnitStyle:
    """How this tokenizer spells a walk piece by piece; `exact` if that is its own spelling."""

    lead: str
    arrow: Tokens
    exact: bool


def tokenize(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Tokens]:
    """Token ids of each text, where nothing in a text counts as a special token."""
    if not texts:
        return []
    batch = cast(Any, tokenizer)(list(texts), add_special_tokens=False, split_special_tokens=True)
    return [tuple(ids) for ids in batch["input_ids"]]


def tag_token(tokenizer: Tokenizer, tag: str) -> int:
    """The one token of a tag. Raises ConstraintError where the tokenizer has none."""
    token = cast(Any, tokenizer).get_added_vocab().get(tag)
    if token is None:
        raise ConstraintError(
            f"the model's tokenizer has no token {tag}, so the constraint cannot be applied",
            "use a model that was trained for reasoning paths (`groundwalk train` makes one)",
        )
    return int(token)


def wire_tokens(tokenizer: Tokenizer, wire: Wire) -> tuple[int, int]:
    """The tokens that open and close a wire format."""
    return tag_token(tokenizer, wire.open), tag_token(tokenizer, wire.close)


def unit_style(tokenizer: Tokenizer, names: Sequence[str]) -> UnitStyle:
    """The style whose pieces add up to the tokenizer's own spelling of walks over `names`.

    Where neither is exact on all of them (odd labels in odd tokenizers), the better one is taken:
    the paths are legal all the same, only spelled as the model would not quite spell them.
    """
    sample = [escape(name) for name in names[:200]] or ["a", "b"]
    walks = [[sample[(i - 2) % len(sample)], sample[i - 1], sample[i]] for i in range(len(sample))]
    walk_tokens = tokenize(tokenizer, [SEPARATOR.join(walk) for walk in walks])
    best: tuple[int, UnitStyle] | None = None
    for lead, arrow_text in ((" ", ARROW), ("", ARROW.strip())):
        arrow = tokenize(tokenizer, [arrow_text])[0]
        first = tokenize(tokenizer, [walk[0] for walk in walks])
        middle = tokenize(tokenizer, [lead + walk[1] for walk in walks])
        last = tokenize(tokenizer, [lead + walk[2] for walk in walks])
        same = sum(
            a + arrow + b + arrow + c == w
            for a, b, c, w in zip(first, middle, last, walk_tokens, strict=True)
        )
        if best is None or same > best[0]:
            best = (same, UnitStyle(lead, arrow, same == len(walks)))
    assert best is not None
    return best[1]


def unit_tokens(tokenizer: Tokenizer, style: UnitStyle, spelled: Sequence[str]) -> list[Tokens]:
    """One unit for each escaped name, pairwise different: tokenizers and escaping merge names."""
    return DistinctUnits(partial(tokenize, tokenizer), style.lead).make(spelled)


class DistinctUnits:
    """Units that stay pairwise different in however many calls: what collides is numbered."""

    def __init__(self, tokenise: Tokenise, lead: str) -> None:
        """Spell each name with `lead` before it."""
        self._tokenise = tokenise
        self._lead = lead
        self._taken: set[Tokens] = set()
        self._numbers: dict[str, int] = {}

    def make(self, spelled: Sequence[str]) -> list[Tokens]:
        """One more unit for each escaped name.

        Raises ConstraintError where the tokenizer does not even tell numbers apart.
        """
        units = self._tokenise([self._lead + name for name in spelled])
        for i, unit in enumerate(units):
            if not unit or unit in self._taken:
                units[i] = unit = self._numbered(spelled[i])
            self._taken.add(unit)
        return units

    def _numbered(self, name: str) -> Tokens:
        for number in range(self._numbers.get(name, 1) + 1, len(self._taken) + 3):
            (unit,) = self._tokenise([f"{self._lead}{name} ({number})"])
            if unit and unit not in self._taken:
                self._numbers[name] = number
                return unit
        raise ConstraintError(f"the tokenizer cannot tell labels apart: {name!r}")


def tokenizer_digest(tokenizer: Tokenizer) -> str:
    """A digest of what decides how text is tokenised."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    text = backend.to_str() if backend is not None else repr(sorted(tokenizer.get_vocab().items()))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


_FEW = 32
"""Ranges up to this long are walked in Python, which is faster there."""


class Branch(NamedTuple):
    """A token by which the members `lo:hi` of a range go on.

    `whole` when it is the last token of the arrow behind the one member `lo`.
    """

    token: int
    lo: int
    hi: int
    whole: bool


def always(_: int) -> bool:
    """Every name may be followed by an arrow."""
    return True


@dataclass(frozen=True)
class UnitTable:
    """The units of many names in two arrays; none is a Python object until it is asked for.

    Names are compared as their tokens followed by an arrow. Escaped names hold no arrow, so no name
    so followed is a prefix of another, and names that share a prefix lie side by side.
    """

    tokens: Array
    starts: Array
    arrow: Tokens
    known_ranks: Array | None = None
    """The ranks, where they were computed before."""

    @classmethod
    def of(cls, units: Sequence[Tokens], arrow: Tokens) -> "UnitTable":
        """The table of some units, in their order."""
        starts = np.zeros(len(units) + 1, np.int64)
        np.cumsum([len(unit) for unit in units], out=starts[1:])
        return cls(np.array([token for unit in units for token in unit], np.int32), starts, arrow)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[Tokens]:
        return map(self.unit, range(len(self)))

    def unit(self, name: int) -> Tokens:
        """The tokens of one name."""
        return tuple(self.tokens[self.starts[name] : self.starts[name + 1]].tolist())

    @cached_property
    def ranks(self) -> Array:
        """The position of each name in the order of all."""
        if self.known_ranks is not None:
            return self.known_ranks
        keys = [unit + self.arrow for unit in self]
        ranks = np.empty(len(keys), np.int64)
        ranks[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
        return ranks

    def ranked(self) -> "UnitTable":
        """The same table, whose ranks are computed now and not in the first search."""
        return replace(self, known_ranks=self.ranks)

    def ordered(self, names: Array) -> Array:
        """Some names in the order of their units."""
        return names[np.argsort(self.ranks[names])]

    def read(self, names: Array, depth: int) -> Array:
        """For each of the names, whether it has no more than `depth` tokens."""
        return self.starts[names + 1] - self.starts[names] <= depth

    def fork(
        self, names: Array, depth: int, goes_on: Callable[[int], bool] = always
    ) -> tuple[list[Branch], int | None]:
        """How names that share `depth` tokens, arrow included, go on; and which one ends here.

        `names` are in order, and indices into them are what this speaks of. A name is followed by
        the arrow where `goes_on(index)`, which is asked only when the name is read. The work is
        that of a few array operations over `names`.
        """
        if len(names) <= _FEW:
            return self._fork_few(names.tolist(), depth, goes_on)
        starts = self.starts[names]
        past = depth - (self.starts[names + 1] - starts)
        inside = past < 0
        tokens = np.full(len(names), -1, np.int64)
        tokens[inside] = self.tokens[starts[inside] + depth]
        end: int | None = None
        for i in np.flatnonzero(~inside).tolist():  # no more of them than the arrow has tokens
            if past[i] == 0:
                end = i
            if goes_on(i):
                tokens[i] = self.arrow[past[i]]
        alive = np.flatnonzero(tokens >= 0)
        if not len(alive):
            return [], end
        cuts = np.flatnonzero(np.diff(tokens[alive])) + 1
        firsts = alive[np.concatenate(([0], cuts))]
        lasts = alive[np.append(cuts, len(alive)) - 1]
        branches = zip(
            tokens[firsts].tolist(),
            firsts.tolist(),
            (lasts + 1).tolist(),
            (past[firsts] == len(self.arrow) - 1).tolist(),
            strict=True,
        )
        return [Branch(*branch) for branch in branches], end

    def _fork_few(
        self, names: Sequence[int], depth: int, goes_on: Callable[[int], bool]
    ) -> tuple[list[Branch], int | None]:
        branches: list[Branch] = []
        end: int | None = None
        for i, name in enumerate(names):
            start = self.starts.item(name)
            past = depth - (self.starts.item(name + 1) - start)
            if past < 0:
                token = self.tokens.item(start + depth)
            else:
                if past == 0:
                    end = i
                if not goes_on(i):
                    continue
                token = self.arrow[past]
            if branches and branches[-1].token == token:
                branches[-1] = Branch(token, branches[-1].lo, i + 1, False)
            else:
                branches.append(Branch(token, i, i + 1, past == len(self.arrow) - 1))
        return branches, end
