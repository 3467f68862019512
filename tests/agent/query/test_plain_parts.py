"""A query taken apart: its walks as parts, and the rest over them, which comes to the same."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.terms import Step, Term
from groundwalk.agent.nodes.read_parts import PlainParts, plain_parts
from groundwalk.agent.query.binding import Bound, Mention, bind
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.members import Outcome
from groundwalk.agent.query.tree import Last, Part, read_query, write_query

from .random_queries import some_graph, some_query

Tree = dict[str, Any]
NEAR: Tree = {"start": [0], "steps": [{"relation": "near"}]}
FAR: Tree = {"start": [1], "steps": [{"relation": "near"}, {"relation": "far", "inverse": True}]}
PART: Tree = {"start": {"part": 0}}
OTHER: Tree = {"start": {"part": 1}}
CLASS: Tree = {"start": {"class": "town"}}


def apart(tree: Tree, **last: tuple[int, ...]) -> PlainParts:
    known: dict[Literal["answers", "topics"], tuple[int, ...]] = {**last}  # pyright: ignore
    return plain_parts(read_query(tree), frozenset({0, 1, 2}), known)


@pytest.mark.parametrize(
    ("tree", "walks", "rest"),
    [
        (NEAR, [NEAR], PART),
        ({**NEAR, "class": "town"}, [{**NEAR, "class": "town"}], {**PART, "class": "town"}),
        ({**NEAR, "answer": "count"}, [NEAR], {**PART, "answer": "count"}),
        ({**NEAR, "and": [FAR]}, [NEAR, FAR], {**PART, "and": [OTHER]}),
        ({**CLASS, "not": [NEAR]}, [NEAR], {**CLASS, "not": [PART]}),
        ({**NEAR, "not": [NEAR]}, [NEAR], {**PART, "not": [PART]}),
        ({"start": [0]}, [], {"start": [0]}),
        ({**NEAR, "start": [3]}, [], {**NEAR, "start": [3]}),
        (
            {**NEAR, "start": [0, 2]},
            [NEAR, {**NEAR, "start": [2]}],
            {"start": {"any": [PART, OTHER]}},
        ),
        ({"start": {"any": [NEAR, FAR]}}, [NEAR, FAR], {"start": {"any": [PART, OTHER]}}),
        ({"start": NEAR, "not": [FAR]}, [NEAR, FAR], {"start": PART, "not": [OTHER]}),
        (
            {**CLASS, "filters": [{"relation": "size", "op": ">", "value": NEAR}]},
            [NEAR],
            {**CLASS, "filters": [{"relation": "size", "op": ">", "value": PART}]},
        ),
        (
            {**NEAR, "extreme": {"relation": "far", "count": True, "most": True, "among": FAR}},
            [NEAR, FAR],
            {**PART, "extreme": {"relation": "far", "count": True, "most": True, "among": OTHER}},
        ),
        ({**NEAR, "answer": "sum"}, [], {**NEAR, "answer": "sum"}),
        (
            {**FAR, "answer": "sum", "class": "town"},
            [{**FAR, "steps": FAR["steps"][:1]}],
            {**PART, "steps": FAR["steps"][1:], "answer": "sum", "class": "town"},
        ),
    ],
)
def test_walks_from_things_are_parts(tree: Tree, walks: list[Tree], rest: Tree) -> None:
    found = apart(tree)
    assert [write_query(own) for own in found.walks] == walks
    assert write_query(found.rest) == rest == write_query(read_query(rest))


def test_one_walk_is_nothing_else() -> None:
    assert apart(NEAR).is_walk and apart({**NEAR, "class": "town"}).is_walk
    for more in ({"answer": "count"}, {"and": [FAR]}, {"start": [0, 1]}, {"start": [3]}):
        assert not apart({**NEAR, **more}).is_walk


def test_what_came_before_may_be_a_thing_too() -> None:
    currency: Tree = {"start": {"last": "topics"}, "steps": [{"relation": "near"}]}
    assert not apart(currency).walks
    assert apart(currency, answers=(1,)).rest == read_query(currency)
    found = apart(currency, topics=(2,))
    assert found.is_walk and found.walks == (read_query({**NEAR, "start": [2]}),)


@pytest.mark.parametrize("seed", range(40))
def test_the_rest_over_the_parts_comes_to_the_same(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    file = tmp_path / "kg.nt"
    file.write_text(some_graph(random), encoding="utf-8")
    with closing(open_kg(str(file), cache=tmp_path / "cache")) as kg:
        for _ in range(20):
            tree, terms = some_query(random)
            whole = bind(kg, read_query(tree), [Mention(term, term) for term in terms])
            _comes_to_the_same(kg, whole)


def _comes_to_the_same(kg: KnowledgeGraph, whole: Bound) -> None:
    found = plain_parts(whole.query, frozenset(range(len(whole.mentions))), {})
    facts = Facts(kg)
    parts = [execute(facts, bind(kg, walk, whole.mentions)) for walk in found.walks]

    def earlier(start: Last | Part) -> Sequence[tuple[Term, tuple[Step, ...]]]:
        assert isinstance(start, Part)
        return [*parts[start.part].proofs.items()]

    rest = execute(facts, bind(kg, found.rest, whole.mentions), earlier=earlier)
    assert _result(rest) == _result(execute(facts, whole))


def _result(outcome: Outcome) -> tuple[object, ...]:
    return outcome.form, outcome.value, outcome.rows, outcome.size, frozenset(outcome.members)
