"""A reader that knows nothing learns a graph's own questions in a few steps."""

from dataclasses import replace
from pathlib import Path

from groundwalk.agent.kg import open_kg
from groundwalk.training.material import gather
from groundwalk.training.reader.made_graphs import examples_over
from groundwalk.training.reader.tuning import SCHEMA, TUNING, between, schema_of, tuned
from groundwalk.training.recipe import Recipe

from ...agent.reader.tiny import TURTLE, tiny_reader

MORE = "".join(
    f':p{n} a :Person ; rdfs:label "Person {n}" . :f{n} a :Film ; rdfs:label "Film {n}" ;'
    f" :directedBy :p{n % 7} ; :lengthInMinutes {60 + n} .\n"
    for n in range(30)
)


def test_tuning_learns_the_graph(tmp_path: Path) -> None:
    file = tmp_path / "films.ttl"
    file.write_text(TURTLE + MORE, encoding="utf-8")
    kg = open_kg(str(file))
    schema = schema_of(kg)
    assert {hop.label for hop in schema.hops} == {"directed by", "length in minutes"}
    assert {(hop.head, hop.tail) for hop in schema.hops} == {("film", "person"), ("film", "number")}
    assert set(schema.classes) == {"film", "person"}
    material = gather(kg, str(file), Recipe(formats=("path", "query")))
    made = examples_over(kg, material, SCHEMA, 0)
    assert {name for own in (next(made) for _ in range(30)) for name, _, _ in own.names}
    losses, start = list[float](), replace(tiny_reader(), judge={})
    reader = tuned(
        kg,
        material,
        start,
        replace(TUNING, steps=100, batch=8, rate=5e-3),
        lambda _, loss: losses.append(loss),
    )
    kg.close()
    assert losses[-1] < losses[0] - 0.5
    assert reader.settings.kg == kg.digest
    assert reader.judge is start.judge is between(start, reader, 0.5).judge
