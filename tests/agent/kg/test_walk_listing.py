"""Listed and shortest walks against all walks of small random graphs."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Literal

from groundwalk.agent.kg import Path, Step, Term, Triple
from groundwalk.agent.kg.walking.listing import list_walks, shortest_paths
from hypothesis import given, settings
from hypothesis import strategies as st

Fact = tuple[int, int, int]
FACTS = st.sets(
    st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=12
)
REVISITS: Sequence[Literal["walk", "no-topic", "simple"]] = ("walk", "no-topic", "simple")


class Graph:
    def __init__(self, facts: set[Fact]) -> None:
        triples = [Triple(f"e{h}", f"r{r}", f"e{t}") for h, r, t in sorted(facts)]
        self.steps = [Step(triple, way) for triple in triples for way in (False, True)]
        self.asked = 0

    def neighbours(self, nodes: Sequence[Term]) -> list[list[Step]]:
        self.asked += 1
        return [[step for step in self.steps if step.source == node] for node in nodes]

    def walks(self, topics: Sequence[Term], hops: int, revisits: str) -> Iterator[Path]:
        """Every walk that is allowed, by trying all."""
        level = [Path(topic, ()) for topic in topics]
        for _ in range(hops):
            level = [
                Path(path.topic, (*path.steps, step))
                for path in level
                for step in self.steps
                if step.source == path.end
                and not (revisits != "walk" and step.target in topics)
                and not (revisits == "simple" and step.target in visited(path))
            ]
            yield from level


def visited(path: Path) -> set[Term]:
    return {path.topic, *(step.target for step in path.steps)}


@settings(deadline=None)
@given(FACTS, st.sampled_from([["e0"], ["e0", "e1"]]), st.integers(1, 3), st.sampled_from(REVISITS))
def test_all_walks_are_listed_where_there_is_room(
    facts: set[Fact],
    topics: list[Term],
    hops: int,
    revisits: Literal["walk", "no-topic", "simple"],
) -> None:
    graph = Graph(facts)
    listed = list_walks(graph, topics, hops, revisits=revisits, most=1_000_000)
    assert graph.asked <= hops and not listed.more
    assert len(listed.paths) == len(set(listed.paths))
    assert set(listed.paths) == set(graph.walks(topics, hops, revisits))


@settings(deadline=None)
@given(FACTS, st.integers(1, 20), st.sampled_from(REVISITS))
def test_each_relation_path_has_a_walk_before_any_has_two(
    facts: set[Fact], most: int, revisits: Literal["walk", "no-topic", "simple"]
) -> None:
    graph = Graph(facts)
    every = set(graph.walks(["e0"], 2, revisits))
    listed = list_walks(graph, ["e0"], 2, revisits=revisits, most=most)
    assert len(listed.paths) == min(most, len(every)) and set(listed.paths) <= every
    assert listed.more == (len(every) > most)
    kinds = {path.relations for path in every}
    assert len({path.relations for path in listed.paths}) == min(most, len(kinds))


@settings(deadline=None)
@given(FACTS, st.sampled_from([["e0"], ["e0", "e1"]]), st.integers(1, 3))
def test_shortest_paths_are_the_shortest_walks(
    facts: set[Fact], topics: list[Term], hops: int
) -> None:
    graph = Graph(facts)
    targets = ["e1", "e3", "e4", "e9"]
    found = shortest_paths(graph, topics, targets, hops, keep=1_000)
    assert graph.asked <= hops * len(topics)
    for target in targets:
        expected = set[Path]()
        for topic in topics:
            walks = [w for w in graph.walks([topic], hops, "walk") if w.end == target != topic]
            least = min((len(walk.steps) for walk in walks), default=0)
            expected |= {walk for walk in walks if len(walk.steps) == least}
        assert set(found.get(target, [])) == expected


def test_of_many_shortest_paths_only_some_are_kept() -> None:
    numbers = count()
    facts = {(0, next(numbers), 1) for _ in range(9)}
    (paths,) = shortest_paths(Graph(facts), ["e0"], ["e1"], 2, keep=4).values()
    assert len(paths) == 4
