"""Units of names that become known one after another."""

from collections.abc import Callable, Sequence

import numpy as np

from .growing_tables import GrowingArray
from .model import Tokenizer
from .strings import Array
from .unit_table import Branch, UnitTable
from .units import DistinctUnits, Tokens, UnitStyle, tokenize, unit_style

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
    """`OrderedUnits` of what is asked for; they stay pairwise different.

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
        self._tokens, self._starts = GrowingArray([], np.int32), GrowingArray([0])
        self._table = UnitTable(self._tokens.array, self._starts.array)

    @property
    def units(self) -> "GrowingUnits":
        """The unit of each."""
        return self

    def unit(self, name: int) -> Tokens:
        """The tokens of one name."""
        row = self._rows_of(np.array([name])).item()
        return self._table.unit(row)

    def read(self, names: Array, depth: int) -> Array:
        """For each of the names, whether it has no more than `depth` tokens."""
        rows = self._rows_of(names)
        return self._table.read(rows, depth)

    def fork(
        self, names: Array, depth: int, arrow: Tokens, goes_on: Callable[[int], bool]
    ) -> tuple[list[Branch], int | None]:
        """How names that share `depth` tokens go on, as in `UnitTable`."""
        rows = self._rows_of(names)
        return self._table.fork(rows, depth, arrow, goes_on)

    def ordered(self, names: Array) -> Array:
        """Some of them in the order of their units."""
        keys = [self._table.unit(row) + self._arrow for row in self._rows_of(names).tolist()]
        return names[sorted(range(len(keys)), key=keys.__getitem__)]

    def _rows_of(self, names: Array) -> Array:
        """Where the units of the names are in the table, made if they were not."""
        more = int(names.max(initial=-1)) + 1 - len(self._rows)
        self._rows.extend([-1] * more)
        new = np.unique(names[self._rows.array[names] < 0])
        if len(new):
            made = self._distinct.make(self._spell(new.tolist()))
            self._rows.array[new] = np.arange(len(made)) + len(self._table)
            self._tokens.extend([token for unit in made for token in unit])
            self._starts.extend(np.cumsum([len(unit) for unit in made]) + self._starts.array[-1])
            self._table = UnitTable(self._tokens.array, self._starts.array)
        return self._rows.array[names]
