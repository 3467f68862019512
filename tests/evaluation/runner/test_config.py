"""What a run is pinned by: the contents behind names, not the names."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from groundwalk.agent.errors import DatasetError, InputError, ModelError
from groundwalk.agent.options import read_options
from groundwalk.evaluation.runner.config import (
    Config,
    check_same,
    describe_contents,
    describe_options,
    folder_digest,
    tree_digest,
)

from ..stubs import SAMPLES, config


def settings(llm: str = "none", **options: str) -> Config:
    chosen = read_options([f"{name}={value}" for name, value in options.items()])
    return replace(
        config(),
        llm=llm,
        options=describe_options(chosen),
        contents=describe_contents(chosen, llm),
    )


def goes_on(before: Config, now: Config) -> bool:
    """Whether a run with the settings before, read back from its file, takes those of now."""
    try:
        check_same(json.loads(json.dumps(asdict(before))), now, SAMPLES)
    except InputError as error:
        assert "contents." in error.message or "llm" in error.message
        return False
    return True


def _text(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")


def _embedder(path: Path, content: str) -> None:
    (path / "1_Pooling").mkdir(parents=True, exist_ok=True)
    _text(path / "1_Pooling" / "config.json", content)


def _model(path: Path, content: str) -> None:
    path.mkdir(exist_ok=True)
    _text(path / "config.json", content)


def _retrieved(path: str) -> Config:
    return settings(retrieved=path)


def _planned(path: str) -> Config:
    return settings(plans=path)


def _embedded(path: str) -> Config:
    return settings(embeddings=path)


def _asked(path: str) -> Config:
    return settings(f"hf:{path}")


@pytest.mark.parametrize(
    ("write", "named"),
    [
        (_text, _retrieved),
        (_text, _planned),
        (_embedder, _embedded),
        (_model, _asked),
    ],
)
def test_a_content_may_move_and_not_change(
    tmp_path: Path, write: Callable[[Path, str], None], named: Callable[[str], Config]
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    write(first, "one")
    write(second, "one")
    before = named(str(first))
    assert goes_on(before, named(str(first)))
    assert goes_on(before, named(str(second)))
    write(first, "two")
    assert not goes_on(before, named(str(first)))
    assert not goes_on(before, settings())
    assert not goes_on(settings(), before)


def test_what_is_not_set_adds_nothing() -> None:
    assert settings().contents == settings("http://localhost/v1#m").contents == {}


def test_names_on_the_hub_are_pinned_as_they_are() -> None:
    assert not goes_on(settings(embeddings="some/model"), settings(embeddings="other/model"))
    assert goes_on(settings(embeddings="some/model"), settings(embeddings="some/model"))
    assert not goes_on(settings("hf:some/model"), settings("hf:other/model"))
    assert not goes_on(settings("hf:some/model"), settings("openai:model"))


@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "OPENAI_API_BASE"])
def test_the_address_behind_openai_is_pinned_without_secrets(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for other in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(other, raising=False)
    unset = settings("openai:m")
    monkeypatch.setenv(name, "https://user:s3cret@one.example/v1?key=s3cret")
    one = settings("openai:m")
    assert one.contents == {"llm": "https://one.example/v1"}
    monkeypatch.setenv(name, "https://one.example/v1")
    assert goes_on(one, settings("openai:m"))
    monkeypatch.setenv(name, "https://other.example/v1")
    assert not goes_on(one, settings("openai:m"))
    assert not goes_on(unset, settings("openai:m"))
    assert settings("none").contents == {}


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    for name in ("retrieved", "plans"):
        with pytest.raises(DatasetError, match="gone.jsonl: cannot be read .No such") as raised:
            settings(**{name: str(tmp_path / "gone.jsonl")})
        assert raised.value.hint == f"check {name}"
    with pytest.raises(ModelError):
        settings(f"hf:{tmp_path / 'gone'}")


def test_hidden_files_are_no_part_of_a_model_and_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    before = folder_digest(tmp_path), tree_digest(tmp_path)
    (tmp_path / ".env").write_text("KEY=s3cret")
    assert (folder_digest(tmp_path), tree_digest(tmp_path)) == before
    (tmp_path / "own.json").write_text("{}")
    assert folder_digest(tmp_path) != before[0] and tree_digest(tmp_path) != before[1]
