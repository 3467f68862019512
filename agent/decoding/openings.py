"""Names as they are spelled right after an opening tag, where no space leads them in.

Byte-level tokenizers spell them with other tokens than inside a walk, and so in another order.
Made once per index; those of the entities only when chains are first decoded over a KG.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..errors import KGError
from ..kg import KnowledgeGraph
from .arrays import load_array, save_arrays
from .index import FORMAT, TokenIndex
from .model import Tokenizer
from .strings import Array
from .unit_table import UnitTable, ranks
from .units import tokenizer_digest, unit_tokens
from .wire import escape, spell_relation


@dataclass(frozen=True)
class Openings:
    """The opening units of all entities, or of all relations in both directions, as in the index.

    `OrderedUnits`, where `ranks` is the place of each in the order of all.
    """

    units: UnitTable
    ranks: Array

    def ordered(self, names: Array) -> Array:
        """Some of them in the order of their units."""
        return names[np.argsort(self.ranks[names])]


def relation_openings(kg: KnowledgeGraph, tokenizer: Tokenizer, index: TokenIndex) -> Openings:
    """How a relation path may begin; made anew in each process, since relations are few."""
    names = kg.walk_labels.names(list(index.relations))
    spelled = [spell_relation(escape(name), way) for name in names for way in (False, True)]
    return _openings(tokenizer, index, spelled)


def entity_openings(kg: KnowledgeGraph, tokenizer: Tokenizer, index: TokenIndex) -> Openings:
    """How a triple may begin, from the KG's folder if it is there, else made now.

    Raises KGError where what the folder holds is damaged.
    """
    if kg.folder is None:
        return _entity_openings(kg, tokenizer, index)
    folder = kg.folder / f"openings-{FORMAT}-{tokenizer_digest(tokenizer)}-{kg.stamp}"
    if folder.is_dir():
        try:
            return _load(folder)
        except KGError:
            if folder.is_dir():  # else the KG was replaced in this moment
                raise
    made = _entity_openings(kg, tokenizer, index)
    arrays = {"tokens": made.units.tokens, "starts": made.units.starts, "ranks": made.ranks}
    # A read-only or full disk costs time on the next start, nothing else.
    with suppress(OSError, KGError):
        save_arrays(folder, arrays, {})
        return _load(folder)
    return made


def _entity_openings(kg: KnowledgeGraph, tokenizer: Tokenizer, index: TokenIndex) -> Openings:
    if not index.style.lead:
        return Openings(index.entity_table, ranks(list(index.entity_table), index.style.arrow))
    names = kg.walk_labels.names(list(index.entities))
    return _openings(tokenizer, index, [escape(name) for name in names])


def _openings(tokenizer: Tokenizer, index: TokenIndex, spelled: Sequence[str]) -> Openings:
    units = unit_tokens(tokenizer, replace(index.style, lead=""), spelled)
    return Openings(UnitTable.of(units), ranks(units, index.style.arrow))


def _load(folder: Path) -> Openings:
    try:
        tokens, starts, places = (
            load_array(folder, name) for name in ("tokens", "starts", "ranks")
        )
    except (OSError, ValueError) as error:
        raise KGError(
            f"{folder}: the token index is damaged ({error})", "delete this folder and ask again"
        ) from error
    return Openings(UnitTable(tokens, starts), places)
