"""The token index says what the store says, and survives the disk."""

import tempfile
from pathlib import Path as Folder

import numpy as np
import pytest
from groundwalk.agent.decoding.arrays import StringTable
from groundwalk.agent.decoding.index import TokenIndex, build_index, open_index
from groundwalk.agent.errors import KGError
from groundwalk.agent.kg import build, open_kg
from hypothesis import given, settings
from hypothesis import strategies as st

from . import worlds
from .test_search import facts

TOKENIZER = worlds.byte_level()


def triples(index: TokenIndex) -> set[tuple[str, str, str, bool]]:
    found: set[tuple[str, str, str, bool]] = set()
    for node in range(len(index.entities)):
        for run in range(int(index.node_runs[node]), int(index.node_runs[node + 1])):
            walked = int(index.run_relation[run])
            for edge in range(int(index.run_edges[run]), int(index.run_edges[run + 1])):
                ends = index.entities[node], index.entities[int(index.edge_target[edge])]
                head, tail = reversed(ends) if walked % 2 else ends
                found.add((head, index.relations[walked // 2], tail, bool(walked % 2)))
    return found


@settings(max_examples=20, deadline=None)
@given(facts=facts)
def test_index_holds_every_fact_in_both_directions(facts: set[worlds.Fact]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kg = worlds.graph(facts, Folder(folder), on_disk=True)
        made, kept = open_index(kg, TOKENIZER), open_index(kg, TOKENIZER)
        kg.close()
        expected = {
            (worlds.entity(h), worlds.relation(r), worlds.entity(t), inverse)
            for h, r, t in facts
            for inverse in (False, True)
        }
        assert triples(made) == triples(kept) == expected
        assert np.array_equal(made.edge_target, kept.edge_target)


def test_labels_keep_apart_what_they_spell_alike(tmp_path: Folder) -> None:
    kg = worlds.graph([(i, 0, 0) for i in range(len(worlds.HOSTILE))], tmp_path)
    index = build_index(kg, TOKENIZER)
    units = list(index.entity_table)
    assert len(set(units)) == len(units)
    spelled = [TOKENIZER.decode(list(unit)) for unit in units]
    assert not any("->" in text or "<" in text or "\n" in text for text in spelled)
    special = set(TOKENIZER.all_special_ids)
    assert not any(special & set(unit) for unit in units)


def test_damaged_index_says_what_to_delete(tmp_path: Folder) -> None:
    kg = worlds.graph([(0, 0, 1)], tmp_path, on_disk=True)
    open_index(kg, TOKENIZER)
    assert kg.folder is not None
    (folder,) = kg.folder.glob("tokens-*")
    (folder / "index.json").write_text("{")
    with pytest.raises(KGError, match="damaged"):
        open_index(kg, TOKENIZER)


def test_kg_of_labels_only_has_nothing_to_walk(tmp_path: Folder) -> None:
    kg = worlds.graph([], tmp_path)
    with pytest.raises(KGError, match="no facts"):
        build_index(kg, TOKENIZER)


@given(st.lists(st.text(max_size=8)))
def test_string_table_finds_what_it_holds(texts: list[str]) -> None:
    table = StringTable.of(texts)
    assert list(table) == sorted(set(texts))
    for i, text in enumerate(table):
        assert table.find(text) == i
    assert table.find("not there, surely") is None


def test_an_index_is_of_the_content_that_is_open(tmp_path: Folder) -> None:
    sources = [tmp_path / "one.txt", tmp_path / "other.txt"]
    for number, source in enumerate(sources):
        source.write_text(f"A|r|B{number}\n", encoding="utf-8")
    out = tmp_path / "kg"
    build(str(sources[0]), out)
    before = open_kg(str(out))
    build(str(sources[1]), out, replace=True)
    after = open_kg(str(out))
    for _ in range(2):
        for number, kg in enumerate((before, after)):
            entities = list(open_index(kg, TOKENIZER).entities)
            assert sorted(kg.labels.names(entities)) == ["A", f"B{number}"]
    before.close()
    after.close()
