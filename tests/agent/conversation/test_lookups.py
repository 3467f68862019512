"""What can be compared, and what operators look up, against SPARQL over random small graphs."""

from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from groundwalk.agent.conversation.lookups import between, valued
from groundwalk.agent.kg import open_kg
from groundwalk.agent.query.values import value_of
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph

XSD = "http://www.w3.org/2001/XMLSchema#"
NAMES = st.sampled_from("abcdef")


@given(st.dates(), st.dates())
def test_dates_compare_as_dates(one: date, other: date) -> None:
    first, second = (value_of(f'"{d.isoformat()}"^^<{XSD}date>') for d in (one, other))
    assert first is not None and second is not None and first.unit == "date"
    assert (first.size < second.size) == (one < other)


@pytest.mark.parametrize(
    ("term", "size"),
    [
        (f'"8848.5"^^<{XSD}decimal>', 8848.5),
        (f'"1.5E3"^^<{XSD}double>', 1500),
        (f'"-7"^^<{XSD}integer>', -7),
        ("<urn:groundwalk:1994>", 1994),
        ('"12"', 12),
        ('"12"@en', None),
        ('"twelve"', None),
        ("<https://example.org/1994>", None),
        (f'"NaN"^^<{XSD}double>', None),
        (f'"soon"^^<{XSD}date>', None),
    ],
)
def test_what_can_be_compared(term: str, size: float | None) -> None:
    value = value_of(term)
    assert (value and float(value.size[0])) == size


FACTS = st.sets(st.tuples(NAMES, st.sampled_from(["in", "near"]), NAMES), min_size=1, max_size=12)
SIZES = st.dictionaries(NAMES, st.integers(0, 99), min_size=1)


@settings(max_examples=25)
@given(FACTS, SIZES, NAMES)
def test_look_ups_are_what_sparql_says(
    facts: set[tuple[str, str, str]], sizes: dict[str, int], other: str
) -> None:
    turtle = "".join(f"<urn:x:{h}> <urn:x:{r}> <urn:x:{t}> .\n" for h, r, t in sorted(facts))
    turtle += "".join(f"<urn:x:{m}> <urn:x:size> {n} .\n" for m, n in sorted(sizes.items()))
    members = [f"<urn:x:{name}>" for name in "abcdef"]
    with TemporaryDirectory() as folder:
        (Path(folder) / "kg.ttl").write_text(turtle, encoding="utf-8")
        kg = open_kg(f"{folder}/kg.ttl", cache=Path(folder) / "cache")
        touching = between(kg, members, f"<urn:x:{other}>")
        found = valued(kg, members, ["mass", "size"])
        kg.close()
    graph = Graph().parse(data=turtle, format="turtle")
    query = (
        f"SELECT DISTINCT ?m {{ {{ ?m ?r <urn:x:{other}> }} UNION {{ <urn:x:{other}> ?r ?m }} }}"
    )
    rows: Any = graph.query(query)
    said = {row.m.n3() for row in rows}
    assert {member for member, paths in touching.items() if paths} == said & set(members)
    for member, paths in touching.items():
        assert all(path.end == member and path.topic == f"<urn:x:{other}>" for path in paths)
    assert found is not None and found.step.id == "<urn:x:size>"
    assert found.having == {f"<urn:x:{m}>" for m in sizes}
