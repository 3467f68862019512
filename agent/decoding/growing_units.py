"""Units of names that become known one after another."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ..kg.terms import Term
from .arrays import Array
from .model import Tokenizer
from .units import Branch, DistinctUnits, Tokens, UnitStyle, UnitTable, always, tokenize, unit_style


class GrowingArray:
    """A flat array whose appending takes amortised constant time for each value."""

    def __init__(self, values: ArrayLike, dtype: DTypeLike = np.int64) -> None:
        self._buffer = np.array(values, dtype)
        self._size = len(self._buffer)

    def __len__(self) -> int:
        return self._size

    def extend(self, values: ArrayLike) -> None:
        """Append some values."""
        new = np.asarray(values, self._buffer.dtype)
        size = self._size + len(new)
        if size > len(self._buffer):
            self._buffer = np.resize(self._buffer, max(size, 2 * len(self._buffer)))
        self._buffer[self._size : size] = new
        self._size = size

    @property
    def array(self) -> Array:
        """All values so far; what is appended later may be in another array."""
        return self._buffer[: self._size]


class GrowingTerms:
    """Terms by number, in the order in which they were met, and back."""

    def __init__(self) -> None:
        self._terms: list[Term] = []
        self._numbers: dict[Term, int] = {}

    def __len__(self) -> int:
        return len(self._terms)

    def __getitem__(self, index: int) -> Term:
        return self._terms[index]

    def find(self, text: str) -> int | None:
        """The number of a term, or None."""
        return self._numbers.get(text)

    def numbers(self, terms: Iterable[Term]) -> Array:
        """The numbers of terms that were met."""
        return np.array([self._numbers[term] for term in terms], np.int64)

    def meet(self, terms: Iterable[Term]) -> int:
        """Append, in their order, those of the terms that are new; how many those are."""
        new = sorted({term for term in terms if term not in self._numbers})
        self._numbers.update((term, number) for number, term in enumerate(new, len(self._terms)))
        self._terms += new
        return len(new)


_MOST = 500_000
"""Names whose tokens are kept at most."""


class NameTokens:
    """The style of a tokenizer, and the tokens of the names that it was asked for before.

    One serves all questions: which names it has seen changes the time that it takes, and nothing
    else.
    """

    def __init__(self, tokenizer: Tokenizer, style: UnitStyle | None = None) -> None:
        """Without a `style`, it is the one in which the tokenizer spells plain names."""
        self.style = style or unit_style(tokenizer, [])
        self._tokenizer = tokenizer
        self._known: dict[str, Tokens] = {}

    def __call__(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text."""
        known = {text: unit for text in texts if (unit := self._known.get(text)) is not None}
        new = list(dict.fromkeys(text for text in texts if text not in known))
        made = dict(zip(new, tokenize(self._tokenizer, new), strict=True))
        if len(self._known) + len(made) > _MOST:
            self._known.clear()
        self._known.update(made)
        known.update(made)
        return [known[text] for text in texts]


class GrowingUnits:
    """`Units` of what is asked for; they stay pairwise different.

    Units are made, and colliding ones numbered, in the order in which they are asked for; those
    that are asked for together in the order of their numbers.
    """

    def __init__(
        self, tokens: NameTokens, lead: str, spell: Callable[[Sequence[int]], list[str]]
    ) -> None:
        """The unit of a number is `lead` and what `spell` says, an escaped name."""
        self._spell = spell
        self._distinct = DistinctUnits(tokens, lead)
        self._arrow = tokens.style.arrow
        self._rows = GrowingArray([])
        """The row of each name in the table; -1 where it has none."""
        self._tokens, self._starts = GrowingArray([], np.int32), GrowingArray([0])
        self._table = UnitTable(self._tokens.array, self._starts.array, self._arrow)

    def unit(self, name: int) -> Tokens:
        """The tokens of one name."""
        row = self._rows_of(np.array([name])).item()
        return self._table.unit(row)

    def read(self, names: Array, depth: int) -> Array:
        """For each of the names, whether it has no more than `depth` tokens."""
        rows = self._rows_of(names)
        return self._table.read(rows, depth)

    def fork(
        self, names: Array, depth: int, goes_on: Callable[[int], bool] = always
    ) -> tuple[list[Branch], int | None]:
        """How names that share `depth` tokens go on, as in `UnitTable`."""
        rows = self._rows_of(names)
        return self._table.fork(rows, depth, goes_on)

    def ordered(self, names: Array) -> Array:
        """Some names in the order of their units."""
        keys = [self._table.unit(row) + self._arrow for row in self._rows_of(names).tolist()]
        return names[sorted(range(len(keys)), key=keys.__getitem__)]

    def _rows_of(self, names: Array) -> Array:
        """Where the units of the names are in the table, made if they were not."""
        more = int(names.max(initial=-1)) + 1 - len(self._rows)
        self._rows.extend([-1] * more)
        new = np.unique(names[self._rows.array[names] < 0])
        if len(new):
            units = self._distinct.make(self._spell(new.tolist()))
            self._rows.array[new] = np.arange(len(units)) + len(self._table)
            self._tokens.extend([token for unit in units for token in unit])
            self._starts.extend(np.cumsum([len(unit) for unit in units]) + self._starts.array[-1])
            self._table = UnitTable(self._tokens.array, self._starts.array, self._arrow)
        return self._rows.array[names]
