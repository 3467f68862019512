"""Which method answers, where the user names one and where nobody does."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from groundwalk.agent.errors import InputError, ModelError
from groundwalk.agent.llm.model_folder import model_folder
from groundwalk.cli.chat.commands import use_method, use_model
from groundwalk.cli.options import Answering, chosen_method, method_of, named_method
from groundwalk.cli.session import check_answering
from rich.console import Console


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("METHOD", "MODEL"):
        monkeypatch.delenv(f"GROUNDWALK_{name}", raising=False)


@pytest.fixture
def reader(tmp_path: Path) -> str:
    """A model that writes queries, by what it says of itself."""
    bundled = model_folder("bundled")
    assert bundled
    folder = tmp_path / "reader"
    shutil.copytree(bundled, folder)
    file = folder / "groundwalk.json"
    settings = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**settings, "formats": ["path", "query"]}), encoding="utf-8")
    return str(folder)


@pytest.fixture
def walker(tmp_path: Path) -> str:
    """A model that writes no queries."""
    folder = tmp_path / "walker"
    folder.mkdir()
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        (folder / name).touch()
    return str(folder)


def test_a_model_that_writes_queries_is_asked_for_them(reader: str, walker: str) -> None:
    assert chosen_method("", reader) == "query" and chosen_method("", walker) == "gcr"
    assert named_method("") == ""


def test_who_names_a_method_gets_it(reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen_method("plan", reader) == "plan"
    monkeypatch.setenv("GROUNDWALK_METHOD", "dog")
    assert chosen_method("", reader) == named_method("") == "dog"
    assert chosen_method("plan", reader) == "plan"
    monkeypatch.setenv("GROUNDWALK_MODEL", reader)
    assert method_of("") == "query"


def test_what_is_none_is_told() -> None:
    with pytest.raises(InputError, match="no method"):
        chosen_method("gcrr", "")
    with pytest.raises(ModelError, match="no such model"):
        chosen_method("", "/no/such")


@pytest.mark.parametrize("is_named", [True, False])
def test_another_model_brings_its_method_where_none_was_named(reader: str, is_named: bool) -> None:
    changed: list[dict[str, Any]] = []

    def change(**parts: Any) -> None:
        changed.append(parts)

    wanted = SimpleNamespace(is_named=is_named, model="bundled")
    talk: Any = SimpleNamespace(wanted=wanted, console=Console(quiet=True), change=change)
    use_model(talk, reader)
    use_method(talk, "plan")
    assert changed == [
        {"model": reader, **({} if is_named else {"method": "query"})},
        {"method": "plan", "is_named": True},
    ]


@pytest.mark.parametrize("no_partial", [True, False])
def test_partial_answers_can_be_refused(no_partial: bool) -> None:
    _, options = check_answering(Answering(on_ambiguous="best", no_partial=no_partial))
    assert options.partial is not no_partial
