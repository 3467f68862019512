"""Readings of a question, by what they come to."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.answers.outcomes import weighed
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.query.binding import bind
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.question import Asked, mentions_of
from groundwalk.agent.query.reader import ReadQuery
from groundwalk.agent.query.tree import read_query

FULL: dict[str, Any] = {"start": [0], "steps": [{"relation": "owns"}]}
EMPTY: dict[str, Any] = {"start": [0], "steps": [{"relation": "owns", "inverse": True}]}
NONE: dict[str, Any] = {**EMPTY, "answer": "count"}


@pytest.fixture
def kg(tmp_path: Path) -> Iterator[KnowledgeGraph]:
    file = tmp_path / "g.tsv"
    file.write_text("Ann\towns\tboat\nBea\towns\tcar\n")
    with closing(open_kg(str(file))) as opened:
        yield opened


def order(kg: KnowledgeGraph, *readings: tuple[dict[str, Any], float]) -> list[tuple[int, float]]:
    """The readings as they are weighed: the number of each, and its probability."""
    queries = [ReadQuery(bind(kg, read_query(tree), ("Ann",)), (), p) for tree, p in readings]
    bounds = [query.bound for query in queries]
    found = weighed(Facts(kg), queries, Asked("?", mentions_of("?", [])))
    return [(bounds.index(query.bound), round(query.probability, 4)) for query in found]


def test_what_comes_to_nothing_is_less_likely(kg: KnowledgeGraph) -> None:
    assert order(kg, (EMPTY, 0.4), (FULL, 0.3)) == [(1, 0.5), (0, 0.2)]
    assert order(kg, (EMPTY, 0.9), (FULL, 0.06)) == [(0, 0.7855), (1, 0.1745)]


def test_a_count_of_none_and_unlikely_readings_stay(kg: KnowledgeGraph) -> None:
    assert order(kg, (NONE, 0.4), (FULL, 0.3)) == [(0, 0.4), (1, 0.3)]
    assert order(kg, (EMPTY, 0.4), (FULL, 0.01)) == [(0, 0.4), (1, 0.01)]
    assert order(kg, (EMPTY, 0.4)) == [(0, 0.4)]
