"""The graph of LangGraph's server: made as the settings say, without the server."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.llm.local import LocalModel, load_model
from groundwalk.agent.llm.model_folder import write_settings
from groundwalk.graphs import build, server

from .families import FAMILY, random_local

CHAT = "{% for m in messages %}{{ m.content }}\n{% endfor %}"


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    local = random_local()
    local.tokenizer.chat_template = CHAT
    local.model.save_pretrained(tmp_path / "model")
    local.tokenizer.save_pretrained(tmp_path / "model")
    write_settings(tmp_path / "model", local.settings)
    (tmp_path / "family.kb").write_text(FAMILY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROUNDWALK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GROUNDWALK_KG", "family.kb")
    monkeypatch.setenv("GROUNDWALK_MODEL", "./model")
    server.graph.cache_clear()
    yield
    server.graph.cache_clear()


def test_the_model_device_and_number_format_are_those_of_the_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GROUNDWALK_DEVICE", "cpu:0")
    monkeypatch.setenv("GROUNDWALK_DTYPE", "float64")
    loaded = list[LocalModel]()

    def load(source: str, **how: Any) -> LocalModel:
        assert how == {"device": "cpu:0", "dtype": "float64"}
        loaded.append(load_model(source, **how))
        return loaded[-1]

    monkeypatch.setattr(build, "load_generator", load)
    asked: Any = {"question": "Who is a child of Ada?"}
    state: Any = server.graph().invoke(asked)
    assert state["usage"]["forward_passes"] > 0 and state["usage"]["llm_calls"] == 0
    (local,) = loaded
    assert (local.source, str(local.model.dtype)) == ("./model", "torch.float64")


def test_the_chat_model_is_that_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDWALK_METHOD", "direct")
    monkeypatch.setenv("GROUNDWALK_LLM", "hf:./model")
    asked: Any = {"question": "Who is a child of Ada?"}
    state: Any = server.graph().with_state().invoke(asked)
    assert state["usage"]["llm_calls"] == 1 and state["reasoner"] == "llm"


def test_a_chat_model_that_cannot_be_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDWALK_LLM", "some model")
    with pytest.raises(InputError, match="some model"):
        server.graph()


def test_it_is_made_once() -> None:
    assert server.graph() is server.graph()
