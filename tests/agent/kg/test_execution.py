"""Executing a relation path says when it did not follow everything."""

from pathlib import Path

import pytest
from groundwalk.agent.kg import execute, open_kg
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
