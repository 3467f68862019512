"""The KG as the decoder sees it: adjacency sorted by the tokens of its labels.

Made once per KG and tokenizer and kept beside the KG. Every node has runs, one for each relation
that leaves it, sorted by the relation's tokens; every run has edges, sorted by the tokens of their
targets. So any token prefix of a legal continuation is a contiguous range, and walking the graph
needs no trie: the graph is the trie. Orders compare units followed by an arrow, which makes them
prefix-free, since no escaped name holds an arrow.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from ..errors import KGError
from ..kg import KnowledgeGraph
from ..kg.terms import Term
from .arrays import EMPTY, Array, StringTable, load_array, save_arrays, spans
from .graph_index import runs_of
from .model import Tokenizer
from .units import UnitStyle, UnitTable, tokenizer_digest, unit_style, unit_tokens
from .wire import escape, spell_relation

Made = TypeVar("Made", "TokenIndex", UnitTable)

FORMAT = 1


@dataclass(frozen=True)
class TokenIndex:
    """A `GraphIndex` that holds the whole KG in arrays; its numbers are positions in them."""

    style: UnitStyle
    entities: StringTable
    relations: StringTable
    entity_table: UnitTable
    relation_table: UnitTable
    node_runs: Array
    """The first run of each node, and the end of the last."""
    run_relation: Array
    run_edges: Array
    edge_target: Array

    @property
    def whole(self) -> bool:
        """All of the KG is known and in order."""
        return True

    def find(self, terms: Sequence[Term]) -> list[int | None]:
        """The node of each term, None where no fact holds it."""
        return [self.entities.find(term) for term in terms]

    def missing(self, nodes: Array) -> Array:
        """None of the nodes."""
        return nodes[:0]

    def disordered(self, runs: Array) -> Array:
        """None of the runs."""
        return runs[:0]

    def fetch(self, nodes: Array = EMPTY, runs: Array = EMPTY) -> None:
        """Nothing is left to be looked up."""

    def leaving(self, node: int) -> tuple[int, int]:
        """The first run of a node and the end of its last."""
        return self.node_runs.item(node), self.node_runs.item(node + 1)

    def runs(self, nodes: Array) -> Array:
        """Every run that leaves one of the nodes, in the order of the nodes."""
        return spans(self.node_runs[nodes], self.node_runs[nodes + 1])

    def edges(self, runs: Array) -> Array:
        """Every edge of the runs, in their order."""
        return spans(self.run_edges[runs], self.run_edges[runs + 1])


def open_index(kg: KnowledgeGraph, tokenizer: Tokenizer) -> TokenIndex:
    """The index of a KG for a tokenizer, from the KG's folder if it is there, else made now.

    Raises KGError where what the folder holds is damaged.
    """

    def make() -> TokenIndex:
        return build_index(kg, tokenizer)

    return _read_or_made(_folder(kg, tokenizer, "tokens"), make, _save, _load)


def is_indexed(kg: KnowledgeGraph, tokenizer: Tokenizer) -> bool:
    """Whether an index is in the KG's folder."""
    folder = _folder(kg, tokenizer, "tokens")
    return folder is not None and folder.is_dir()


def build_index(kg: KnowledgeGraph, tokenizer: Tokenizer) -> TokenIndex:
    """Read every fact that walks may use and sort it by the tokens of its labels."""
    facts = list(kg.walks.facts())
    if not facts:
        raise KGError(
            f"{kg.source}: holds no facts between entities, only labels or schema",
            "check that the right file was given",
        )
    entities = StringTable.of([term for h, _, t in facts for term in (h, t)])
    relations = StringTable.of([r for _, r, _ in facts])
    nodes = {term: i for i, term in enumerate(entities)}
    numbers = {term: i for i, term in enumerate(relations)}
    triples = np.array([(nodes[h], numbers[r], nodes[t]) for h, r, t in facts], np.int64)

    names = kg.walk_labels.names(list(entities))
    style = unit_style(tokenizer, names)
    entity_units = unit_tokens(tokenizer, style, [escape(name) for name in names])
    relation_units = unit_tokens(tokenizer, style, _spelled_relations(kg, relations))
    entity_table = UnitTable.of(entity_units, style.arrow)
    relation_table = UnitTable.of(relation_units, style.arrow)

    head, relation, tail = triples.T
    back = ... if kg.reading.plain else np.array([not kg.is_one_way(fact) for fact in facts])
    walked = np.concatenate([2 * relation, 2 * relation[back] + 1])
    target = np.concatenate([tail, head[back]])
    steps = runs_of(
        np.concatenate([head, tail[back]]),
        walked,
        target,
        relation_table.ranks[walked],
        entity_table.ranks[target],
    )
    return TokenIndex(
        style=style,
        entities=entities,
        relations=relations,
        entity_table=entity_table,
        relation_table=relation_table,
        node_runs=np.searchsorted(steps.source, np.arange(len(entities) + 1)),
        run_relation=steps.relation.astype(np.int32),
        run_edges=steps.edges,
        edge_target=steps.target.astype(np.int32),
    )


def relation_openings(kg: KnowledgeGraph, tokenizer: Tokenizer, index: TokenIndex) -> UnitTable:
    """How a relation path may begin: relations, in both directions, right after an opening tag.

    Made anew in each process, since relations are few.
    """
    return _opening_units(tokenizer, index, _spelled_relations(kg, index.relations))


def entity_openings(kg: KnowledgeGraph, tokenizer: Tokenizer, index: TokenIndex) -> UnitTable:
    """How a triple may begin: entities right after an opening tag, where no space leads them in.

    Byte-level tokenizers spell them with other tokens than inside a walk, and so in another order.
    From the KG's folder if it is there, else made now: when chains are first decoded over a KG.
    Raises KGError where what the folder holds is damaged.
    """

    def make() -> UnitTable:
        if not index.style.lead:
            return index.entity_table.ranked()
        names = kg.walk_labels.names(list(index.entities))
        return _opening_units(tokenizer, index, [escape(name) for name in names])

    def save(openings: UnitTable, folder: Path) -> None:
        arrays = {"tokens": openings.tokens, "starts": openings.starts, "ranks": openings.ranks}
        save_arrays(folder, arrays, {})

    def load(folder: Path) -> UnitTable:
        tokens, starts, ranks = (load_array(folder, name) for name in ("tokens", "starts", "ranks"))
        return UnitTable(tokens, starts, index.style.arrow, ranks)

    return _read_or_made(_folder(kg, tokenizer, "openings"), make, save, load)


def _spelled_relations(kg: KnowledgeGraph, relations: Sequence[Term]) -> list[str]:
    names = kg.walk_labels.names(list(relations))
    return [spell_relation(escape(name), way) for name in names for way in (False, True)]


def _opening_units(tokenizer: Tokenizer, index: TokenIndex, spelled: Sequence[str]) -> UnitTable:
    units = unit_tokens(tokenizer, replace(index.style, lead=""), spelled)
    return UnitTable.of(units, index.style.arrow).ranked()


# In the KG's folder.


def _folder(kg: KnowledgeGraph, tokenizer: Tokenizer, kind: str) -> Path | None:
    """Where arrays are kept for a KG as it is now; None where it has no folder."""
    if kg.folder is None:
        return None
    return kg.folder / f"{kind}-{FORMAT}-{tokenizer_digest(tokenizer)}-{kg.stamp}"


def _read_or_made(
    folder: Path | None,
    make: Callable[[], Made],
    save: Callable[[Made, Path], None],
    load: Callable[[Path], Made],
) -> Made:
    """What a folder holds, or what is made now and saved there. Raises KGError where damaged."""

    def read(folder: Path) -> Made:
        try:
            return load(folder)
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise KGError(
                f"{folder}: the token index is damaged ({error})",
                "delete this folder and ask again",
            ) from error

    if folder is None:
        return make()
    if folder.is_dir():
        try:
            return read(folder)
        except KGError:
            if folder.is_dir():  # else the KG was replaced in this moment
                raise
    arrays = make()
    # A read-only or full disk costs time on the next start, nothing else.
    with suppress(OSError, KGError):
        save(arrays, folder)
        return read(folder)
    return arrays


_ARRAYS = ("node_runs", "run_relation", "run_edges", "edge_target")


def _save(index: TokenIndex, folder: Path) -> None:
    arrays: dict[str, Array] = {name: getattr(index, name) for name in _ARRAYS}
    arrays["entity_tokens"] = index.entity_table.tokens
    arrays["entity_starts"] = index.entity_table.starts
    for name, table in (("entities", index.entities), ("relations", index.relations)):
        arrays |= {f"{name}.{part}": array for part, array in table.arrays().items()}
    meta = {"style": asdict(index.style), "relation_units": list(index.relation_table)}
    save_arrays(folder, arrays, meta)


def _load(folder: Path) -> TokenIndex:
    meta = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    entities, relations = (
        StringTable(load_array(folder, f"{name}.blob"), load_array(folder, f"{name}.starts"))
        for name in ("entities", "relations")
    )
    style = UnitStyle(**meta["style"] | {"arrow": tuple(meta["style"]["arrow"])})
    entity_tokens, entity_starts = (
        load_array(folder, name) for name in ("entity_tokens", "entity_starts")
    )
    return TokenIndex(
        style=style,
        entities=entities,
        relations=relations,
        entity_table=UnitTable(entity_tokens, entity_starts, style.arrow),
        relation_table=UnitTable.of([tuple(u) for u in meta["relation_units"]], style.arrow),
        **{name: load_array(folder, name) for name in _ARRAYS},
    )
