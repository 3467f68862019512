"""MetaQA's graph, where GROUNDWALK_DATA names the folder that holds it."""

from pathlib import Path
from time import perf_counter

import pytest
from groundwalk.agent.kg import Counts, open_kg


@pytest.mark.slow
@pytest.mark.data("metaqa/kb.txt")
def test_metaqa_builds_completely_and_reopens_at_once(public_data: Path, tmp_path: Path) -> None:
    source = str(public_data / "metaqa" / "kb.txt")
    kg = open_kg(source, cache=tmp_path)
    assert kg.counts == Counts(triples=172_542, facts=129_660, entities=42_873, relations=9)
    assert len(set(kg.store.facts())) == 129_660
    start = perf_counter()
    again = open_kg(source, cache=tmp_path)
    assert perf_counter() - start < 0.5
    with open(source, encoding="utf-8") as lines:
        names = {name for line in lines for name in line.rstrip("\n").split("|")[::2]}
    terms = [hit.term for name in sorted(names) for hit in again.labels.lookup(name.casefold())]
    assert len(set(again.labels.names(terms))) == len(set(terms))


@pytest.mark.data("pathquestion/PQL2-KB.txt", "pathquestion/PQL3-KB.txt")
@pytest.mark.parametrize("hops", ["2", "3"])
def test_pathquestion_graphs_build(public_data: Path, tmp_path: Path, hops: str) -> None:
    kg = open_kg(str(public_data / "pathquestion" / f"PQL{hops}-KB.txt"), cache=tmp_path)
    assert kg.counts.facts > 1_000
