"""Units in two arrays, and the one step that all automata share: how a range of names goes on.

Names are compared as their tokens followed by an arrow. Escaped names hold no arrow, so no name so
followed is a prefix of another, and those that share a prefix lie side by side.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .strings import Array
from .units import Tokens

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


@dataclass(frozen=True)
class UnitTable:
    """The units of many names; nothing is a Python object until it is asked for."""

    tokens: Array
    starts: Array

    @classmethod
    def of(cls, units: Sequence[Tokens]) -> "UnitTable":
        """The table of the given units, in their order."""
        starts = np.zeros(len(units) + 1, np.int64)
        np.cumsum([len(unit) for unit in units], out=starts[1:])
        return cls(np.array([token for unit in units for token in unit], np.int32), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[Tokens]:
        return map(self.unit, range(len(self)))

    def unit(self, name: int) -> Tokens:
        """The tokens of one name."""
        return tuple(self.tokens[self.starts[name] : self.starts[name + 1]].tolist())

    def read(self, names: Array, depth: int) -> Array:
        """For each of the names, whether it has no more than `depth` tokens."""
        return self.starts[names + 1] - self.starts[names] <= depth

    def fork(
        self, names: Array, depth: int, arrow: Tokens, goes_on: Callable[[int], bool]
    ) -> tuple[list[Branch], int | None]:
        """How names that share `depth` tokens, arrow included, go on; and which one ends here.

        `names` are sorted as `ranks` sorts them, and places in it are what this speaks of. A name
        is followed by the arrow where `goes_on(place)`, which is asked only when the name is read.
        The work is that of a few array operations over `names`.
        """
        if len(names) <= _FEW:
            return self._fork_few(names.tolist(), depth, arrow, goes_on)
        starts = self.starts[names]
        past = depth - (self.starts[names + 1] - starts)
        inside = past < 0
        tokens = np.full(len(names), -1, np.int64)
        tokens[inside] = self.tokens[starts[inside] + depth]
        end: int | None = None
        for place in np.flatnonzero(~inside).tolist():  # no more of them than the arrow has tokens
            if past[place] == 0:
                end = place
            if goes_on(place):
                tokens[place] = arrow[past[place]]
        alive = np.flatnonzero(tokens >= 0)
        cuts = np.flatnonzero(np.diff(tokens[alive])) + 1
        firsts = alive[np.concatenate(([0], cuts))] if len(alive) else alive
        lasts = alive[np.append(cuts, len(alive)) - 1] if len(alive) else alive
        branches = zip(
            tokens[firsts].tolist(),
            firsts.tolist(),
            (lasts + 1).tolist(),
            (past[firsts] == len(arrow) - 1).tolist(),
            strict=True,
        )
        return [Branch(*branch) for branch in branches], end

    def _fork_few(
        self, names: Sequence[int], depth: int, arrow: Tokens, goes_on: Callable[[int], bool]
    ) -> tuple[list[Branch], int | None]:
        branches: list[Branch] = []
        end: int | None = None
        for place, name in enumerate(names):
            start = self.starts.item(name)
            past = depth - (self.starts.item(name + 1) - start)
            if past < 0:
                token = self.tokens.item(start + depth)
            else:
                if past == 0:
                    end = place
                if not goes_on(place):
                    continue
                token = arrow[past]
            if branches and branches[-1].token == token:
                branches[-1] = Branch(token, branches[-1].lo, place + 1, False)
            else:
                branches.append(Branch(token, place, place + 1, past == len(arrow) - 1))
        return branches, end


def ranks(units: Sequence[Tokens], arrow: Tokens) -> Array:
    """The place of each unit in the order of all."""
    order = sorted(range(len(units)), key=lambda i: units[i] + arrow)
    places = np.empty(len(units), np.int64)
    places[order] = np.arange(len(units))
    return places


def spans(starts: Array, stops: Array) -> Array:
    """The positions of all ranges `starts[i]:stops[i]`, one range after another."""
    sizes = stops - starts
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - (ends - sizes), sizes)
