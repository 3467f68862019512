"""Executing a relation path says when it did not follow everything."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from groundwalk.agent.kg import KnowledgeGraph, execute, open_kg
from groundwalk.agent.kg.execution import execute_together
from groundwalk.agent.kg.readers import name_iri

FACTS = "A|r|B\nA|r|C\nA|r|D\nB|s|E\n"


def term(name: str) -> str:
    return f"<{name_iri(name)}>"


@pytest.mark.parametrize(("degree", "cut"), [(2, True), (3, False), (4, False)])
def test_steps_beyond_the_degree_are_told(tmp_path: Path, degree: int, cut: bool) -> None:
    (tmp_path / "kg.kb").write_text(FACTS, encoding="utf-8")
    kg = open_kg(str(tmp_path / "kg.kb"), cache=tmp_path / "cache")
    run = execute(kg.store, [term("A")], ((term("r"), False),), degree=degree)
    assert (len(run.reached), run.truncated) == (min(degree, 3), cut)
    kg.close()


BORDERS = (
    "D|by|V\nE|by|V\nD|by|Y\nE|by|Z\n"
    "A|by|X\nA|by|Y\nB|by|X\nB|by|Z\nX|pays|euro\nY|pays|dinar\nZ|pays|dinar\nC|by|W\nW|pays|euro\n"
)


@pytest.fixture
def borders(tmp_path: Path) -> Iterator[KnowledgeGraph]:
    (tmp_path / "kg.kb").write_text(BORDERS, encoding="utf-8")
    kg = open_kg(str(tmp_path / "kg.kb"), cache=tmp_path / "cache")
    yield kg
    kg.close()


@pytest.mark.parametrize(
    ("topics", "ends"),
    [
        (("A", "B"), {"euro"}),
        (("A", "C"), {"euro"}),
        (("A",), {"euro", "dinar"}),
        (("A", "B", "C"), {"euro"}),
        (("A", "Q"), {"euro", "dinar"}),
        (("D", "E"), {"dinar"}),
        ((), set()),
    ],
    ids=[
        "meet on the way",
        "meet at the end",
        "one",
        "all meet at the end",
        "one leads nowhere",
        "where they meet leads nowhere",
        "none",
    ],
)
@pytest.mark.parametrize("keep", [1, 5])
def test_topics_go_on_together_from_where_they_meet(
    borders: KnowledgeGraph, topics: tuple[str, ...], ends: set[str], keep: int
) -> None:
    path = ((term("by"), False), (term("pays"), False))
    run = execute_together(borders.store, [*map(term, topics)], path, keep=keep)
    assert {reached.end for reached in run.reached} == {*map(term, ends)}
    walks = [walk for reached in run.reached for walk in reached.paths]
    met = "Q" not in topics
    assert all({w.topic for w in r.paths} == {*map(term, topics)} for r in run.reached if met)
    assert all(all(borders.store.holds([step.triple for step in walk.steps])) for walk in walks)
