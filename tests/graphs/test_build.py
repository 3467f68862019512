"""A graph whose model is named: it loads once, whoever asks first."""

from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.llm.local import LocalModel, load_model
from groundwalk.agent.llm.model_folder import write_settings
from groundwalk.agent.options import Options
from groundwalk.graphs import build

from .families import labels, open_family, random_local

QUESTIONS = ["Who is a child of Ada?", "Where does Ben live?", "Where does Cleo live?"]


def test_questions_of_a_batch_share_the_model_that_they_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local, folder = random_local(), tmp_path / "model"
    local.model.save_pretrained(folder)
    local.tokenizer.save_pretrained(folder)
    write_settings(folder, local.settings)
    loaded = list[str]()

    def load(source: str, **settings: Any) -> LocalModel:
        loaded.append(source)
        return load_model(source, **settings)

    monkeypatch.setattr(build, "load_generator", load)
    kg = open_family(tmp_path)
    graph = build.build_graph("gcr", kg=kg, generator=str(folder))
    turns: list[Any] = [{"question": question} for question in QUESTIONS]
    options = Options(on_ambiguous="best", confidence=0.0)
    asked = graph.batch(turns, context=options)
    assert loaded == [str(folder)]
    one = build.build_graph("gcr", kg=kg, generator=local)
    alone: list[Any] = [one.invoke(turn, context=options) for turn in turns]
    assert [labels(state) for state in asked] == [labels(state) for state in alone]
    kg.close()


@pytest.mark.parametrize(
    ("context", "said"),
    [
        ({"beams": 99}, "the option beams cannot be 99"),
        ({"beems": 3}, "no option 'beems'"),
        (3, "the context is no Options: int"),
    ],
)
def test_a_context_is_checked_before_anything_runs(tmp_path: Path, context: Any, said: str) -> None:
    kg = open_family(tmp_path)
    graph: Any = build.build_graph("gcr", kg=kg, generator=random_local())
    with pytest.raises(InputError, match=said):
        graph.invoke({"question": QUESTIONS[0]}, context=context)
    kg.close()


@pytest.mark.parametrize(
    "given",
    [{"llm": "gpt"}, *({"device": name} for name in ("graphics card", "", "gpu", "GPU", "cuda0"))],
)
def test_what_can_be_no_model_and_no_device_is_refused_at_once(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"no str|no device"):
        build.build_graph(**given)
