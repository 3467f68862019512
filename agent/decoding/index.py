"""The KG as the decoder sees it: adjacency sorted by the tokens of its labels.

Made once per KG and tokenizer and kept beside the KG. Every node has runs, one for each relation
that leaves it, sorted by the relation's tokens; every run has edges, sorted by the tokens of their
targets. So any token prefix of a legal continuation is a contiguous range, and walking the graph
needs no trie: the graph is the trie. Orders compare units followed by an arrow, which makes them
prefix-free, since no escaped name holds an arrow.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ..errors import KGError
from ..kg import KnowledgeGraph
from ..kg.terms import Term
from .arrays import load_array, save_arrays
from .model import Tokenizer
from .runs import runs_of
from .strings import Array, StringTable
from .unit_table import UnitTable, ranks, spans
from .units import Tokens, UnitStyle, tokenizer_digest, unit_style, unit_tokens
from .wire import escape, spell_relation

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
    run_relation: Array
    run_edges: Array
    edge_target: Array

    @property
    def whole(self) -> bool:
        """All of the KG is known and in order."""
        return True

    def entity_unit(self, node: int) -> Tokens:
        """The tokens of an entity's name inside a walk."""
        return self.entity_table.unit(node)

    @cached_property
    def relation_units(self) -> Sequence[Tokens]:
        """The units of all relations, in both directions."""
        return list(self.relation_table)

    @cached_property
    def relation_ranks(self) -> Array:
        """The place of each relation and direction in the order of their units."""
        return ranks(self.relation_units, self.style.arrow)

    def find(self, terms: Sequence[Term]) -> list[int | None]:
        """The node of each term, None where no fact holds it."""
        return [self.entities.find(term) for term in terms]

    def missing(self, nodes: Array) -> Array:
        """None of the nodes."""
        return nodes[:0]

    def disordered(self, runs: Array) -> Array:
        """None of the runs."""
        return runs[:0]

    def fetch(self, nodes: Array, runs: Array) -> None:
        """Nothing is left to be looked up."""

    def order(self, runs: Array) -> None:
        """All runs are in order."""

    def leaving(self, node: int) -> tuple[int, int]:
        """The first run of a node and the end of its last."""
        return self.node_runs.item(node), self.node_runs.item(node + 1)

    def runs(self, nodes: Array) -> Array:
        """Every run that leaves one of the nodes, in the order of the nodes."""
        return spans(self.node_runs[nodes], self.node_runs[nodes + 1])

    def edges(self, runs: Array) -> Array:
        """Every edge of the runs, in their order."""
        return spans(self.run_edges[runs], self.run_edges[runs + 1])

    def ordered(self, relations: Array) -> Array:
        """These relations in the order of their units."""
        return relations[np.argsort(self.relation_ranks[relations])]


def open_index(kg: KnowledgeGraph, tokenizer: Tokenizer) -> TokenIndex:
    """The index of a KG for a tokenizer, from the KG's folder if it is there, else made now."""
    if kg.folder is None:
        return build_index(kg, tokenizer)
    folder = _folder(kg.folder, kg, tokenizer)
    if folder.is_dir():
        try:
            return _load(folder)
        except KGError:
            if folder.is_dir():  # else the KG was replaced in this moment
                raise
    index = build_index(kg, tokenizer)
    # A read-only or full disk costs time on the next start, nothing else.
    with suppress(OSError, KGError):
        _save(index, folder)
        return _load(folder)
    return index


def is_indexed(kg: KnowledgeGraph, tokenizer: Tokenizer) -> bool:
    """Whether an index is in the KG's folder."""
    return kg.folder is not None and _folder(kg.folder, kg, tokenizer).is_dir()


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
    place = {term: i for i, term in enumerate(entities)}
    relation_place = {term: i for i, term in enumerate(relations)}
    triples = np.array([(place[h], relation_place[r], place[t]) for h, r, t in facts], np.int64)

    names = kg.walk_labels.names(list(entities))
    style = unit_style(tokenizer, names)
    entity_units = unit_tokens(tokenizer, style, [escape(name) for name in names])
    relation_units = _relation_units(tokenizer, style, kg.walk_labels.names(list(relations)))

    head, relation, tail = triples.T
    back = ... if kg.reading.plain else np.array([not kg.is_one_way(fact) for fact in facts])
    walked = np.concatenate([2 * relation, 2 * relation[back] + 1])
    target = np.concatenate([tail, head[back]])
    made = runs_of(
        np.concatenate([head, tail[back]]),
        walked,
        target,
        ranks(relation_units, style.arrow)[walked],
        ranks(entity_units, style.arrow)[target],
    )
    return TokenIndex(
        style=style,
        entities=entities,
        relations=relations,
        entity_table=UnitTable.of(entity_units),
        relation_table=UnitTable.of(relation_units),
        node_runs=np.searchsorted(made.source, np.arange(len(entities) + 1)),
        run_relation=made.relation.astype(np.int32),
        run_edges=made.edges,
        edge_target=made.target.astype(np.int32),
    )


def _folder(parent: Path, kg: KnowledgeGraph, tokenizer: Tokenizer) -> Path:
    return parent / f"tokens-{FORMAT}-{tokenizer_digest(tokenizer)}-{kg.stamp}"


def _relation_units(tokenizer: Tokenizer, style: UnitStyle, names: Sequence[str]) -> list[Tokens]:
    spelled = [spell_relation(escape(name), way) for name in names for way in (False, True)]
    return unit_tokens(tokenizer, style, spelled)


_ARRAYS = ("node_runs", "run_relation", "run_edges", "edge_target")
_TABLE = ("blob", "starts")


def _save(index: TokenIndex, folder: Path) -> None:
    tables = {"entities": index.entities.arrays(), "relations": index.relations.arrays()}
    arrays: dict[str, Array] = {name: getattr(index, name) for name in _ARRAYS}
    arrays["entity_tokens"] = index.entity_table.tokens
    arrays["entity_starts"] = index.entity_table.starts
    for name, parts in tables.items():
        arrays.update({f"{name}.{part}": array for part, array in parts.items()})
    style = {"lead": index.style.lead, "arrow": index.style.arrow, "exact": index.style.exact}
    save_arrays(folder, arrays, {"style": style, "relation_units": index.relation_units})


def _load(folder: Path) -> TokenIndex:
    try:
        meta = json.loads((folder / "index.json").read_text(encoding="utf-8"))
        arrays = {name: load_array(folder, name) for name in _ARRAYS}
        entities, relations = (
            StringTable(*(load_array(folder, f"{name}.{part}") for part in _TABLE))
            for name in ("entities", "relations")
        )
        style = meta["style"]
        return TokenIndex(
            style=UnitStyle(style["lead"], tuple(style["arrow"]), style["exact"]),
            entities=entities,
            relations=relations,
            entity_table=UnitTable(
                load_array(folder, "entity_tokens"), load_array(folder, "entity_starts")
            ),
            relation_table=UnitTable.of([tuple(unit) for unit in meta["relation_units"]]),
            **arrays,
        )
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise KGError(
            f"{folder}: the token index is damaged ({error})", "delete this folder and ask again"
        ) from error
