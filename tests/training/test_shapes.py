"""Which relation paths are asked for."""

from collections.abc import Mapping
from random import Random

import pytest
from groundwalk.agent.kg.terms import Triple
from groundwalk.training.questions.graph import build_graph, execute
from groundwalk.training.questions.shapes import Shapes, find_shapes

PEOPLE = 300
RARE = 60
FACTS = [
    *(Triple(f"<p{n}>", "<knows>", f"<p{n + 1}>") for n in range(PEOPLE)),
    *(Triple(f"<p{n}>", f"<rare{n}>", f"<thing{n}>") for n in range(RARE)),
]


def shapes(kinds: Mapping[str, str] | str, hops: int = 2, *, every: bool = True) -> Shapes:
    terms = {term for fact in FACTS for term in (fact.head, fact.tail)}
    graph = build_graph(
        FACTS,
        names={term: term.strip("<>") for term in terms},
        kinds={term: kinds if isinstance(kinds, str) else kinds.get(term, "") for term in terms},
        labels={fact.relation: fact.relation.strip("<>") for fact in FACTS},
    )
    return find_shapes(graph, hops, Random(0), every=every)


def test_a_graph_without_classes_is_asked_for_each_of_its_relations() -> None:
    found = shapes("")
    first = {shape.moves[0] for shape in found.shapes}
    assert first == set(found.graph.edges)
    drawn = [found.sample(Random(seed)) for seed in range(3_000)]
    assert len({move for shape, _ in drawn for move in shape.moves}) > 0.95 * len(first)
    assert sum(len(shape.moves) == 1 for shape, _ in drawn) == pytest.approx(1_500, rel=0.3)


def test_beside_questions_of_a_file_the_common_relations_are_asked_for() -> None:
    found = shapes("", every=False)
    drawn = [found.sample(Random(seed))[0] for seed in range(1_000)]
    knows = {move for move in found.graph.edges if found.graph.labels[move.relation] == "knows"}
    assert sum(bool(knows & {*shape.moves}) for shape in drawn) > 700


@pytest.mark.parametrize("kind", ["", "person"])
def test_a_topic_has_the_relation_path_that_it_is_drawn_with(kind: str) -> None:
    found = shapes(kind)
    for seed in range(200):
        shape, topic = found.sample(Random(seed))
        assert shape.kind == kind and topic in shape.topics
        assert execute(found.graph, topic, shape.moves)


def test_what_has_a_class_is_asked_about_beside_what_has_none() -> None:
    found = shapes({f"<p{n}>": "person" for n in range(PEOPLE + 1)})
    drawn = [found.sample(Random(seed))[0].kind for seed in range(1_000)]
    assert 300 < drawn.count("person") < 970
