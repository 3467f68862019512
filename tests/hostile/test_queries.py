"""Queries over hostile graphs show nothing unsupported, and their SPARQL says nothing else."""

from dataclasses import replace
from typing import Any

import pytest
from groundwalk.agent.answers.computed import Computed
from groundwalk.agent.answers.queries import Executed
from groundwalk.agent.errors import QuestionError
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.query.binding import Bound
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.tree import read_query
from hypothesis import given
from hypothesis import strategies as st

from . import queries, strategies
from .queries import Asked, ask

_KEYS = (
    *("start", "steps", "class", "filters", "and", "not", "group", "having", "extreme"),
    *("columns", "to", "answer", "all", "any", "relation", "op", "value", "mention"),
)
_LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | strategies.half_texts
trees: st.SearchStrategy[Any] = st.recursive(
    _LEAVES,
    lambda own: (
        st.lists(own, max_size=3) | st.dictionaries(st.sampled_from(_KEYS) | st.text(), own)
    ),
    max_leaves=20,
)


def test_queries_show_what_the_text_has() -> None:
    asked = ask(250, seed=2)
    assert asked.ran > 80
    assert (asked.unsupported, asked.injected) == (0, 0)


@pytest.mark.slow
def test_ten_thousand_queries() -> None:
    asked = ask(10_000, seed=1)
    assert asked.queries >= 10_000 and asked.ran > 3_000
    assert (asked.unsupported, asked.injected) == (0, 0)


@given(trees)
def test_what_is_no_query_is_refused_in_a_line(tree: Any) -> None:
    try:
        read_query(tree)
    except QuestionError as error:
        assert len(error.message.splitlines()) <= 1


def test_sparql_that_says_something_else_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite can fail."""

    real = queries.executed

    def other(kg: KnowledgeGraph, facts: Facts, bound: Bound) -> Executed:
        return replace(real(kg, facts, bound), sparql="SELECT ?a WHERE { ?a ?b ?c }")

    monkeypatch.setattr(queries, "executed", other)
    assert ask(100).injected > 20


def test_a_triple_that_is_not_there_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def lying(*_: object) -> Executed:
        made_up = {"term": "<urn:x>", "label": "x"}
        step = dict.fromkeys(("head", "relation", "tail"), made_up) | {"verdict": "supported"}
        answer: Any = {"chains": [[step]]}
        return Executed(Computed("answered", [answer]))

    monkeypatch.setattr(queries, "executed", lying)
    asked = ask(100)
    assert asked == Asked(asked.queries, asked.ran, asked.ran, 0) and asked.ran > 20
