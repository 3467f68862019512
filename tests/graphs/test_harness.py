"""What the harness does around every method's search."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import pytest
from groundwalk.agent.answers.question import Conclusion, Outcome, Question
from groundwalk.agent.errors import NoPathError
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.nodes.induce import Reasoning, induce
from groundwalk.agent.options import Options
from groundwalk.graphs import METHODS
from groundwalk.graphs.ground import Ground
from groundwalk.graphs.method import Method

from .families import labels
from .prompting import ask, instruct_model, open_graph, path_model
from .scripted import Scripted


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = open_graph(tmp_path_factory.mktemp("harness"))
    yield opened
    opened.close()


@pytest.mark.parametrize("method", ["plan", "dog"])
def test_where_no_path_leaves_it_is_still_told_that_the_model_is_untrained(
    kg: KnowledgeGraph, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(*_: object, **__: object) -> Any:
        raise NoPathError("no path leaves Ada")

    module = "groundwalk.graphs." + {"plan": "plan.RelationPaths", "dog": "dog.from_each"}[method]
    monkeypatch.setattr(module, nowhere)
    state = ask(kg, method, local=path_model(masked=True))
    untrained = [note for note in state["notes"] if note.startswith("the model was not trained")]
    assert len(untrained) == 1 and "no path leaves Ada" in state["notes"]
    assert state["status"] == "abstained" and not labels(state)


def test_what_a_prompt_leaves_out_bounds_no_chain(kg: KnowledgeGraph) -> None:
    """dog writes chains of the whole graph, whatever its prompt shows; direct knows no more."""
    few: dict[str, Any] = {"max_degree": 1, "hops": 1, "shown": 1}
    llm = Scripted(lambda prompt: "NONE")
    shown = ask(kg, "direct", llm=llm, **few)
    assert any(note.startswith("walks could use 1 of the") for note in shown["notes"])
    chained = ask(kg, "dog", local=instruct_model(), steps=1, free=2, **few)
    assert not any(note.startswith("walks could use") for note in chained["notes"])


def test_notes_come_once_and_costs_add_up(
    kg: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = list[Question]()

    def search(question: Question, ground: Ground) -> Outcome:
        tried.append(question)
        return Outcome(notes=["nothing here"], cost={"llm_calls": 2, "unread": 1}, lost=1)

    monkeypatch.setitem(METHODS, "gcr", Method(search, ""))
    state = ask(kg, "gcr", hops=None)
    assert [question.hops for question in tried] == [tried[0].hops, tried[0].hops + 1], "widened"
    assert state["notes"].count("nothing here") == 1
    assert state["usage"]["llm_calls"] == 4
    assert f"{len(tried)} replies could not be read" in state["notes"]


def test_a_second_try_without_candidates_keeps_what_the_first_asserted(kg: KnowledgeGraph) -> None:
    node = induce(Reasoning(kg, None))
    first: Any = {
        "question": "Who?",
        "view": {"hops": 2, "inverse": True, "widened": True, "cut": []},
        "candidates": [],
        "unsupported": ["Atlantis"],
        "confidence": 0.4,
    }

    class Run:
        context = Options()

    changes = node(first, cast(Any, Run()))
    assert (changes.get("unsupported"), changes.get("confidence")) == (["Atlantis"], 0.4)


def test_a_method_searches_in_one_way() -> None:
    method = Method(lambda question, ground: Outcome(conclusion=Conclusion()), "")
    with pytest.raises(ValueError):
        replace(method, search=None)
