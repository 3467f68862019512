"""Which relations a walk may take, and in which direction."""

from collections.abc import Collection

import numpy as np

from ..kg.terms import Term
from .graph_index import GraphIndex
from .strings import Array


class Permitted:
    """All relations but the excluded ones, those that the index gets to know later among them."""

    def __init__(
        self, index: GraphIndex, excluded: Collection[Term], *, inverse: bool = True
    ) -> None:
        """With `inverse`, from tail to head as well."""
        self._relations = index.relations
        self._excluded = excluded
        self._inverse = inverse
        self._mask = np.empty(0, bool)

    @property
    def mask(self) -> Array:
        """For each relation and direction of the index, whether it may be walked."""
        size = 2 * len(self._relations)
        if len(self._mask) != size:
            self._mask = np.ones(size, bool)
            self._mask[1::2] = self._inverse
            for term in self._excluded:
                if (place := self._relations.find(term)) is not None:
                    self._mask[2 * place : 2 * place + 2] = False
        return self._mask
