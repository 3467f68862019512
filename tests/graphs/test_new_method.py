"""ARCHITECTURE.md shows how a method is added; here it is added as it says."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.options import Options
from groundwalk.graphs import METHODS

from ..whole import build_graph
from .families import labels
from .prompting import TRIPLES, open_graph, path_model, shown
from .scripted import Scripted, in_order

GUIDE = Path(__file__).parents[2] / "ARCHITECTURE.md"
TEMPLATE = "{{ question }}\n{{ relations | join('\n') }}\nOne relation:"


@pytest.fixture
def prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The method as a module of `graphs`, its line in the registry, and its folder of prompts."""
    guide = GUIDE.read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", guide, re.S)
    (line,) = re.findall(r'`"guess": "(.*?)"` in `METHODS`', guide)
    module = ModuleType("groundwalk.graphs.guess")
    module.__package__ = "groundwalk.graphs"
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(code, str(GUIDE), "exec"), module.__dict__)
    monkeypatch.setitem(METHODS, "guess", line)
    folder = tmp_path / "prompts"
    (folder / "guess").mkdir(parents=True)
    (folder / "guess" / "relation.jinja").write_text(TEMPLATE, encoding="utf-8")
    return folder


@pytest.fixture
def kg(tmp_path: Path) -> Iterator[KnowledgeGraph]:
    opened = open_graph(tmp_path)
    yield opened
    opened.close()


def ask(kg: KnowledgeGraph, prompts: Path, llm: Scripted, **options: Any) -> Any:
    graph: Any = build_graph("guess", kg=kg, generator=path_model(), llm=llm, prompts=prompts)
    context = Options(on_ambiguous="best", confidence=0.0, hops=2, **options)
    return graph.invoke({"question": "Where does Ben live?"}, context=context)


def test_linking_verdicts_and_accounts_come_with_the_skeleton(
    kg: KnowledgeGraph, prompts: Path
) -> None:
    llm = in_order("lives in")
    state = ask(kg, prompts, llm, reasoning="vote")
    assert (state["status"], state["method"], labels(state)) == ("answered", "guess", {"Oslo"})
    assert shown(state) == {("Ben", "lives in", "Oslo")}
    assert state["usage"]["llm_calls"] == len(llm.asked) == 1
    assert "mother of\nOne relation:" in llm.asked[0]


def test_a_guess_that_leads_nowhere_is_silence(kg: KnowledgeGraph, prompts: Path) -> None:
    state = ask(kg, prompts, Scripted(lambda prompt: "president of"), reasoning="vote")
    assert state["status"] == "abstained" and not state["answers"]
    assert shown(state) <= TRIPLES


def test_without_a_chat_llm_it_says_so_before_anything_is_asked(
    kg: KnowledgeGraph, prompts: Path
) -> None:
    with pytest.raises(InputError, match="^guess needs a chat LLM$"):
        build_graph("guess", kg=kg, generator=path_model(), prompts=prompts)


@pytest.mark.parametrize(
    ("llm", "note", "failed", "unread"),
    [
        (in_order(), "ConnectionError: the LLM did not answer", 1, 0),
        (Scripted(lambda prompt: ""), "1 reply could not be read", 0, 1),
    ],
)
def test_silence_of_the_llm_is_told_and_counted(
    kg: KnowledgeGraph, prompts: Path, llm: Scripted, note: str, failed: int, unread: int
) -> None:
    state = ask(kg, prompts, llm, reasoning="vote")
    assert state["status"] == "abstained" and note in state["notes"]
    assert (state["usage"]["llm_failed"], state["usage"]["unread"]) == (failed, unread)


def test_it_is_known_wherever_methods_are_named(kg: KnowledgeGraph, prompts: Path) -> None:
    with pytest.raises(InputError) as caught:
        build_graph("gues", kg=kg, generator=path_model())
    assert "guess" in str(caught.value.hint)
