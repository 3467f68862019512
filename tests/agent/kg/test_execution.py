"""Executing a relation path says when it did not follow everything."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import rdflib
from groundwalk.agent.kg import KnowledgeGraph, execute, kg_of, open_kg
from groundwalk.agent.kg.files.readers import name_iri
from groundwalk.agent.kg.walking.execution import Junction
from hypothesis import given
from hypothesis import strategies as st

EX = rdflib.Namespace("https://example.org/")
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
    "T|likes|X\nT|likes|Z\n"
)


@pytest.fixture
def borders(tmp_path: Path) -> Iterator[KnowledgeGraph]:
    (tmp_path / "kg.kb").write_text(BORDERS, encoding="utf-8")
    kg = open_kg(str(tmp_path / "kg.kb"), cache=tmp_path / "cache")
    yield kg
    kg.close()


BY_PAYS = ((term("by"), False), (term("pays"), False))


@pytest.mark.parametrize(
    ("topics", "ends"),
    [
        ("AB", {"euro"}),
        ("AC", {"euro"}),
        ("A", {"euro", "dinar"}),
        ("ABC", {"euro"}),
        ("AQ", set()),
        ("DE", {"dinar"}),
    ],
    ids=[
        "meet on the way",
        "meet at the end",
        "one",
        "all meet at the end",
        "one leads nowhere",
        "where they meet leads nowhere",
    ],
)
@pytest.mark.parametrize("keep", [1, 5])
def test_topics_go_on_together_from_where_they_meet(
    borders: KnowledgeGraph, topics: str, ends: set[str], keep: int
) -> None:
    junction = Junction(borders.store, keep=keep)
    found = junction.reached([(term(topic), BY_PAYS) for topic in topics]).reached
    assert {reached.end for reached in found} == {*map(term, ends)}
    walks = [walk for reached in found for walk in reached.paths]
    assert all({w.topic for w in r.paths} == {*map(term, topics)} for r in found)
    assert all(all(borders.store.holds([step.triple for step in walk.steps])) for walk in walks)


def test_relation_paths_that_end_alike_meet_before_it(borders: KnowledgeGraph) -> None:
    """A is by X and by Y, T likes X and Z; only X pays for both, though Y and Z pay alike."""
    liked = ((term("likes"), False), (term("pays"), False))
    walks = [(term("A"), BY_PAYS), (term("T"), liked)]
    (met,) = Junction(borders.store).reached(walks).reached
    (other,) = Junction(borders.store, banned=[term("X")]).reached(walks).reached
    assert (met.end, other.end) == (term("euro"), term("dinar"))


def test_what_was_followed_is_not_followed_again(borders: KnowledgeGraph) -> None:
    junction = Junction(borders.store)
    walks = [(term(topic), BY_PAYS) for topic in "AB"]
    first = junction.reached(walks)
    again = junction.reached([(term("A"), BY_PAYS[:1]), (term("B"), BY_PAYS[:1])])
    assert first.reached and again.reached
    assert (first.requests, again.requests, junction.requests) == (3, 0, 3)


@given(
    facts=st.sets(
        st.tuples(st.integers(0, 5), st.sampled_from("rs"), st.integers(0, 5)), min_size=1
    ),
    walks=st.lists(
        st.tuples(
            st.integers(0, 5),
            st.lists(st.tuples(st.sampled_from("rs"), st.booleans()), min_size=1, max_size=3),
        ),
        min_size=1,
        max_size=3,
    ),
)
def test_ends_in_common_are_those_of_a_search_by_hand(
    facts: set[tuple[int, str, int]], walks: list[tuple[int, list[tuple[str, bool]]]]
) -> None:
    """Each end is one of every topic's alone, and something is found whenever there is one."""

    def ends(start: int, moves: list[tuple[str, bool]]) -> set[int]:
        level = {start}
        for relation, inverse in moves:
            own = {(t, h) if inverse else (h, t) for h, r, t in facts if r == relation}
            level = {target for source, target in own if source in level}
        return level

    graph = rdflib.Graph()
    for head, relation, tail in facts:
        graph.add((EX[f"n{head}"], EX[relation], EX[f"n{tail}"]))
    kg = kg_of(graph)
    named = [
        (EX[f"n{start}"].n3(), tuple((EX[relation].n3(), inverse) for relation, inverse in moves))
        for start, moves in walks
    ]
    found = {own.end for own in Junction(kg.store).reached(named).reached}
    alone = {EX[f"n{end}"].n3() for end in set.intersection(*(ends(*walk) for walk in walks))}
    assert found <= alone and bool(found) == bool(alone)
    kg.close()
