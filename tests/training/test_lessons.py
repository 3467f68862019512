"""Lessons from questions with answers, against searches that do without their shortcuts."""

import pytest
from groundwalk.agent.errors import DatasetError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.training.asked.lessons import best_paths, f1, shortest_paths
from groundwalk.training.asked.question_files import FileQuestion
from groundwalk.training.asked.supervision import supervise
from groundwalk.training.questions.graph import (
    Graph,
    Moves,
    Node,
    execute,
    load_graph,
    relation_paths,
)
from groundwalk.training.questions.questioner import name_topics
from groundwalk.training.wording.english import OTHER, TOPIC
from hypothesis import given
from hypothesis import strategies as st

from .toy import toy_graph, toy_turtle

GRAPH = toy_graph()
NODES = st.integers(0, len(GRAPH.terms) - 1)


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("toy")
    file = folder / "toy.ttl"
    file.write_text(toy_turtle(), encoding="utf-8")
    return open_kg(str(file), cache=folder / "cache")


def distances(graph: Graph, topic: Node) -> dict[Node, int]:
    """How many steps away each entity is, by breadth first search over single edges."""
    found, level, steps = {topic: 0}, {topic}, 0
    while level:
        steps += 1
        targets = {
            target
            for edges in graph.edges.values()
            for node in level
            for target in edges.get(node, ())
        }
        level = targets - found.keys()
        found |= dict.fromkeys(level, steps)
    return found


@given(NODES, st.frozensets(NODES, min_size=1, max_size=4))
def test_shortest_paths_are_all_and_as_short_as_can_be(
    topic: Node, answers: frozenset[Node]
) -> None:
    wanted = answers - {topic}
    reached = relation_paths(GRAPH, topic, 3)
    paths, score = shortest_paths(reached, wanted)
    away = distances(GRAPH, topic)
    right = {
        moves
        for moves, found in reached.items()
        if any(away[answer] == len(moves) for answer in found & wanted)
    }
    assert set(paths) == right and len(paths) == len(right)
    ends = frozenset(end for moves in paths for end in execute(GRAPH, topic, moves))
    assert score == f1(ends, wanted)


@given(NODES, st.frozensets(NODES, min_size=1, max_size=4))
def test_best_paths_have_the_best_f1_shorter_first(topic: Node, answers: frozenset[Node]) -> None:
    reached = relation_paths(GRAPH, topic, 3)
    paths, score = best_paths(reached, answers - {topic})
    scores = {moves: f1(execute(GRAPH, topic, moves), answers - {topic}) for moves in reached}
    assert score == max(scores.values(), default=0.0)
    assert set(paths) == ({m for m, own in scores.items() if own == score} if score else set())
    assert sorted(map(len, paths)) == [*map(len, paths)]


def words(graph: Graph, paths: tuple[Moves, ...]) -> set[str]:
    return {"/".join(map(graph.spell, moves)) for moves in paths}


def test_shortest_instead_of_best(kg: KnowledgeGraph) -> None:
    graph = load_graph(kg)
    asked = FileQuestion("which countries pay like [Spain]", ("Spain",), ("France", "Germany"), 1)
    best = supervise(kg, graph, [asked], 3).lessons
    shortest = supervise(kg, graph, [asked], 3, "shortest").lessons
    assert words(graph, best[0].paths) == {"money/^money"}
    # France is one step away, Germany two:
    assert words(graph, shortest[0].paths) == {"borders", "money/^money", "borders/borders"}


def test_two_topics_that_meet_in_the_answer(kg: KnowledgeGraph) -> None:
    """Poland and France both border Germany, and each borders more or reaches it otherwise."""
    graph = load_graph(kg)
    asked = FileQuestion(
        "who uses the Euro and borders [Spain]?", ("Spain", "Euro"), ("France",), 1
    )
    by_one = FileQuestion("who borders [Spain]?", ("Spain",), ("France",), 2)
    assert len(supervise(kg, graph, [by_one], 1).lessons) == 1
    both = FileQuestion(
        "what borders Germany and has the Euro", ("Germany", "Euro"), ("France",), 3
    )
    lessons = supervise(kg, graph, [asked, both], 1).lessons
    assert [words(graph, own.paths) for own in lessons] == [{"borders"}, {"borders"}, {"^money"}]
    assert [own.text for own in lessons[1:]] == [
        f"what borders {TOPIC} and has the {OTHER}",
        f"what borders {OTHER} and has the {TOPIC}",
    ]
    assert [[graph.names[node] for node in own.others] for own in lessons[1:]] == [
        ["Euro"],
        ["Germany"],
    ]


def test_every_topic_keeps_its_name(kg: KnowledgeGraph) -> None:
    graph = load_graph(kg)
    topics = ("Iceland", "Poland", "Spain", "Germany")
    asked = FileQuestion(
        "Iceland, Poland, Spain: what is by Germany?", topics, ("France", "Poland"), 1
    )
    (lesson,) = supervise(kg, graph, [asked], 1).lessons
    named, mentions = name_topics(graph, lesson.text, (lesson.topic, *lesson.others))
    assert named == asked.text
    assert [mention.name for mention in mentions] == [*topics]


def test_a_name_within_another_word_is_not_meant(kg: KnowledgeGraph) -> None:
    asked = FileQuestion("Spaniards say Spain has money", ("Spain",), ("Euro",), 1)
    (lesson,) = supervise(kg, load_graph(kg), [asked], 1).lessons
    assert lesson.text == f"Spaniards say {TOPIC} has money"


def test_walks_may_come_back_where_the_graph_returns(kg: KnowledgeGraph) -> None:
    asked = FileQuestion(
        "who pays like Spain, itself too", ("Spain",), ("Spain", "France", "Germany"), 1
    )
    itself = FileQuestion("who is Spain", ("Spain",), ("Spain",), 2)
    graph = load_graph(kg, returns=True)
    first, second = supervise(kg, graph, [asked, itself], 2).lessons
    assert words(graph, first.paths) == {"money/^money"}
    assert execute(graph, first.topic, first.paths[0]) == first.answers
    assert second.topic in execute(graph, second.topic, second.paths[0])
    with pytest.raises(DatasetError, match="without a path"):
        supervise(kg, load_graph(kg), [itself], 2)
