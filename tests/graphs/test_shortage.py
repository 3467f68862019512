"""Memory that runs out: the hint names options that the method has."""

import re
from typing import Any

import pytest
from groundwalk.agent.errors import ShortageError
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.llm.local import LocalModel, load_model
from groundwalk.agent.options import Options
from groundwalk.agent.state import State
from groundwalk.graphs import skeleton
from groundwalk.graphs.methods import unused
from langchain_core.language_models import FakeListChatModel
from langgraph.runtime import Runtime

from ..whole import build_graph


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return load_model()


def runs_out(*_: object, **__: object) -> Any:
    def node(state: State, runtime: Runtime[Options]) -> Any:
        raise MemoryError

    return node


@pytest.mark.parametrize(
    ("method", "named"),
    [
        ("gcr", {"beams", "hops", "max_triples"}),
        ("query", {"beams", "hops", "max_triples"}),
        ("rog", {"beams", "hops"}),
        ("direct", {"hops", "max_triples"}),
        ("words", {"hops"}),
    ],
)
def test_the_hint_names_what_the_method_uses(
    method: str,
    named: set[str],
    kg: KnowledgeGraph,
    model: LocalModel,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(skeleton, "understand", runs_out)
    llm = FakeListChatModel(responses=["Oslo"])
    graph = build_graph(method, kg=kg, generator=model, llm=llm)
    with pytest.raises(ShortageError, match="more memory than there is") as raised:
        graph.invoke({"question": "What is the capital of France?"})
    found = set(re.findall(r"--(?:set )?(\w+)", raised.value.hint))
    assert found == named and unused(method, Options(), found) == []
