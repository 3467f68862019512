"""Queries found by their answers, against all of their forms, each executed by the agent."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import pytest
from groundwalk.agent.errors import QuestionError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.terms import node_of
from groundwalk.agent.query.actions import Action, Kind, spell
from groundwalk.agent.query.automaton import query_of
from groundwalk.agent.query.binding import Mention, bind
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.members import Outcome
from groundwalk.training.queries import search as query_search
from groundwalk.training.queries.search import Gold, queries_giving
from groundwalk.training.questions.graph import Graph, Node, load_graph

TURTLE = """
@prefix : <https://rivers.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:flows rdfs:label "flows through" . :mouth rdfs:label "mouth" .
:length rdfs:label "length" .
:a a :Country ; rdfs:label "Aland" . :b a :Country ; rdfs:label "Bland" .
:c a :Country ; rdfs:label "Cland" .
:x a :River ; rdfs:label "Xa" ; :flows :a, :b ; :mouth :s ; :length 300 .
:y a :River ; rdfs:label "Ya" ; :flows :a ; :mouth :s ; :length 200, 450 .
:z a :River ; rdfs:label "Za" ; :flows :a, :b, :c ; :mouth :x ; :length 300 .
:w a :River ; rdfs:label "Wa" ; :flows :b ; :mouth :x .
:s a :Sea ; rdfs:label "Sea" .
"""
OPENED = """
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:opened rdfs:label "opened" . :x :opened 5 . :y :opened "2001-02-03"^^xsd:date .
"""
"""Values that cannot be compared. With each relation, pairs of walks grow by its fourth power."""
HOPS = 2
ROOM = 10**9


def opened(folder: Path, turtle: str) -> tuple[KnowledgeGraph, Graph]:
    file = folder / "rivers.ttl"
    file.write_text(turtle, encoding="utf-8")
    kg = open_kg(str(file), cache=folder / "cache")
    return kg, load_graph(kg, returns=True)


@pytest.fixture(scope="module")
def rivers(tmp_path_factory: pytest.TempPathFactory) -> tuple[KnowledgeGraph, Graph]:
    return opened(tmp_path_factory.mktemp("rivers"), TURTLE + OPENED)


def every(graph: Graph, topics: int) -> Iterator[tuple[Action, ...]]:
    """Every query of the forms that are tried, whatever the graph has."""
    moves = [(graph.relations[own.relation], own.inverse) for own in graph.edges]
    hops = [path for size in range(1, HOPS + 1) for path in product(moves, repeat=size)]
    walks = {
        number: [
            (Action("pointer", number=number), *(Action("step", *own) for own in path))
            for path in hops
        ]
        for number in range(topics)
    }
    sets = [own for number in walks for own in walks[number]]
    if topics > 1:
        joined = product(walks[0], walks[1])
        sets += [(*one, Action("and"), *other, Action("end")) for one, other in joined]
    kinds: tuple[Kind, Kind] = ("most", "least")
    for own in sets:
        yield (*own, Action("end"))
        yield (*own, Action("count"), Action("end"))
        yield (*own, Action("yesno"), Action("end"))
    if topics == 1:
        for own, kind, move in product(walks[0], kinds, moves):
            yield (*own, Action(kind, *move), Action("end"))
            yield (*own, Action(kind, *move), Action("many"), Action("end"))


def outcome(
    kg: KnowledgeGraph, facts: Facts, graph: Graph, topics: Sequence[Node], own: tuple[Action, ...]
) -> Outcome | None:
    """What the agent comes to; None where it cannot compare."""
    mentions = [Mention(graph.names[node], graph.terms[node]) for node in topics]
    try:
        return execute(facts, bind(kg, query_of(own), mentions))
    except QuestionError:
        return None


def gives(
    graph: Graph, found: Outcome, topics: Sequence[Node], own: Sequence[Action]
) -> list[Gold]:
    """The answers that a query is right for."""
    if found.form == "truth":
        return [Gold(truth=bool(found.value))]
    if found.form == "number":
        assert isinstance(found.value, int)
        return [Gold(number=found.value)]
    nodes = frozenset(graph.by_term[node_of(term)] for term in found.members)
    is_walk = all(action.kind in ("pointer", "step", "end") for action in own)
    topic = topics[own[0].number or 0]
    return [Gold(nodes), Gold(nodes - {topic})] if is_walk else [Gold(nodes)]


@pytest.mark.parametrize(
    ("names", "turtle"),
    [
        (["Aland"], TURTLE + OPENED),
        (["Xa"], TURTLE + OPENED),
        (["Aland", "Bland"], TURTLE),
        pytest.param(["Aland", "Bland"], TURTLE + OPENED, marks=pytest.mark.slow),
    ],
)
def test_the_shortest_of_all_queries_are_found(
    names: list[str], turtle: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_search, "MOST", ROOM)
    kg, graph = opened(tmp_path, turtle)
    facts, topics = Facts(kg), [graph.by_name[name.lower()][0] for name in names]
    right = dict[Gold, list[tuple[Action, ...]]]()
    for own in every(graph, len(topics)):
        found = outcome(kg, facts, graph, topics, own)
        if found is not None and found.size + bool(found.value):
            for gold in dict.fromkeys(gives(graph, found, topics, own)):
                right.setdefault(gold, []).append(own)
    golds = [gold for gold in right if gold.nodes or gold.number]
    assert len(golds) > 6
    for gold in golds:
        least = min(map(len, right[gold]))
        wanted = {spell(own, {}) for own in right[gold] if len(own) == least}
        told = queries_giving(graph, topics, gold, HOPS)
        assert {spell(own.actions, {}) for own in told} == wanted, gold
        assert len(told) == len(wanted)


def spelled(graph: Graph, topics: Sequence[str], gold: Gold, hops: int = 1) -> list[str]:
    """The queries that are found, with the names of relations."""
    nodes = [graph.by_name[name.lower()][0] for name in topics]
    labels = dict(zip(graph.relations, graph.labels, strict=True))
    found = queries_giving(graph, nodes, gold, hops)
    return [spell(own.actions, labels)[len("<QUERY>") : -len("</QUERY>")] for own in found]


def test_yes_and_no(rivers: tuple[KnowledgeGraph, Graph]) -> None:
    _, graph = rivers
    yes = spelled(graph, ["Xa", "Aland"], Gold(truth=True))
    assert yes == [
        "<0><STEP>flows through<AND><1><END><YESNO>",
        "<0><AND><1><STEP>^flows through<END><YESNO>",
    ]
    no = spelled(graph, ["Xa", "Cland"], Gold(truth=False))
    assert "<0><STEP>flows through<AND><1><END><YESNO>" in no
    assert "<0><STEP>length<YESNO>" in spelled(graph, ["Xa"], Gold(truth=True))
    assert "<0><STEP>length<YESNO>" in spelled(graph, ["Wa"], Gold(truth=False))
    assert "<0><STEP>length<YESNO>" not in spelled(graph, ["Wa"], Gold(truth=True))


def test_none_are_counted(rivers: tuple[KnowledgeGraph, Graph]) -> None:
    _, graph = rivers
    assert "<0><STEP>^mouth<COUNT>" in spelled(graph, ["Wa"], Gold(number=0))
    assert "<0><STEP>^mouth<COUNT>" in spelled(graph, ["Xa"], Gold(number=2))


def test_walks_extremes_and_joins(rivers: tuple[KnowledgeGraph, Graph]) -> None:
    _, graph = rivers
    x, y, z = (graph.by_name[name][0] for name in ("xa", "ya", "za"))
    assert spelled(graph, ["Aland"], Gold(frozenset((x, y, z)))) == ["<0><STEP>^flows through"]
    longest = spelled(graph, ["Aland"], Gold(frozenset((y,))))
    assert "<0><STEP>^flows through<MOST>length" in longest
    assert "<0><STEP>^flows through<LEAST>length" in longest  # it has 200 and 450
    assert spelled(graph, ["Aland", "Bland"], Gold(frozenset((x, z)))) == [
        "<0><STEP>^flows through<AND><1><STEP>^flows through<END>"
    ]
    assert spelled(graph, ["Sea"], Gold(frozenset((z,)))) == []


def test_no_more_are_tried_than_may_be(
    rivers: tuple[KnowledgeGraph, Graph], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, graph = rivers
    gold = Gold(frozenset((graph.by_name["ya"][0],)))
    assert spelled(graph, ["Aland"], gold)
    monkeypatch.setattr(query_search, "MOST", 1)
    assert spelled(graph, ["Aland"], gold) == []


def test_a_topic_that_a_walk_comes_back_to_may_count_or_not(
    rivers: tuple[KnowledgeGraph, Graph],
) -> None:
    _, graph = rivers
    names = {graph.names[node]: node for node in range(len(graph.terms))}
    beside = frozenset(names[name] for name in ("Bland", "Cland"))
    for gold in (beside, beside | {names["Aland"]}):
        own = spelled(graph, ["Aland"], Gold(gold), 2)
        assert own == ["<0><STEP>^flows through<STEP>flows through"]
