from random import Random

from groundwalk.agent.kg.terms import Triple
from groundwalk.training.questions.graph import (
    Graph,
    Move,
    build_graph,
    execute,
    relation_paths,
    sample_walk,
)
from hypothesis import given
from hypothesis import strategies as st

from .toy import iri, toy_graph


def names(graph: Graph, nodes: frozenset[int]) -> set[str]:
    return {graph.names[node] for node in nodes}


def moves(graph: Graph, *spellings: str) -> tuple[Move, ...]:
    known = {graph.spell(move): move for move in graph.edges}
    return tuple(known[spelling] for spelling in spellings)


def test_a_path_executes_over_sets_and_not_back_to_its_topic() -> None:
    graph = toy_graph()
    france = graph.by_term[iri("france")]
    assert names(graph, execute(graph, france, moves(graph, "borders", "capital"))) == {
        "Madrid",
        "Berlin",
    }
    assert names(graph, execute(graph, france, moves(graph, "money", "^money"))) == {
        "Spain",
        "Germany",
    }


def test_a_symmetric_relation_has_no_inverse() -> None:
    assert "^borders" not in {toy_graph().spell(move) for move in toy_graph().edges}


def random_graph(edges: list[tuple[int, int, int]]) -> Graph:
    facts = [Triple(iri(f"n{h}"), iri(f"r{r}"), iri(f"n{t}")) for h, r, t in edges]
    terms = {t for fact in facts for t in (fact.head, fact.tail)}
    return build_graph(
        facts,
        names={term: term[-3:-1] for term in terms},
        kinds=dict.fromkeys(terms, "thing"),
        labels={iri(f"r{r}"): f"r{r}" for r in range(3)},
    )


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=14
    ),
    st.integers(0, 1000),
)
def test_every_relation_path_has_a_walk_to_each_of_its_ends(
    edges: list[tuple[int, int, int]], seed: int
) -> None:
    graph = random_graph(edges)
    topic = sorted(graph.leaving)[0]
    for path, reached in relation_paths(graph, topic, 3).items():
        assert reached == execute(graph, topic, path)
        walk = sample_walk(graph, topic, path, Random(seed), None)
        assert walk is not None
        assert walk[0] == topic
        assert topic not in walk[1:]
        assert walk[-1] in reached
        for move, source, target in zip(path, walk, walk[1:], strict=False):
            assert target in graph.edges[move][source]
