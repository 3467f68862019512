"""A graph that is made up over a schema has its relations between its classes, and no others."""

from pathlib import Path
from random import Random

from groundwalk.agent.kg import open_kg
from groundwalk.training.reader.made import domains, write_graph
from groundwalk.training.reader.sources import Hop, SchemaLabels

SCHEMA = SchemaLabels(
    (Hop("flows through", "river", "country"), Hop("length", "river", "number"), Hop("loose"))
)


def test_a_made_graph_is_as_its_schema_says(tmp_path: Path) -> None:
    file = tmp_path / "made.ttl"
    write_graph(SCHEMA, file, Random(0))
    first = file.read_bytes()
    write_graph(SCHEMA, file, Random(0))
    assert file.read_bytes() == first, "the same for the same seed"
    kg = open_kg(str(file))
    assert {own.name for own in kg.walk_labels.relations()} == {"flows through", "length"}
    facts = list(kg.walks.facts())
    kinds = {own.term: own.kind for own in kg.labels.describe([fact.head for fact in facts])}
    assert facts and set(kinds.values()) == {"river"}
    kg.close()


def test_a_domain_that_is_too_small_is_none() -> None:
    hops = [(f"film.x.{n}", Hop(f"r{n}", "film", "person")) for n in range(6)]
    few = [(f"wine.x.{n}", Hop(f"r{n}", "wine", "text")) for n in range(3)]
    assert list(domains([*hops, *few])) == ["film"]
