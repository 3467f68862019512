"""A sentence encoder is data: no code of its folder is run, and what is wrong is told in a line."""

import json
from pathlib import Path

import pytest
from groundwalk.agent.errors import InputError, ModelError
from groundwalk.agent.llm import embeddings
from groundwalk.agent.llm.embeddings import encoder_folder, is_encoder, load_embeddings

from ...graphs.embedding import save_embedding


def test_a_folder_is_read(tmp_path: Path) -> None:
    folder = save_embedding(tmp_path, {"film": 0, "movie": 0, "town": 1})
    assert is_encoder(tmp_path)
    assert load_embeddings(folder).embed_documents(["movie", "town"]) == [[1, 0], [0, 1]]


def test_the_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "find_spec", _nowhere)
    with pytest.raises(InputError, match="needs the package sentence-transformers") as caught:
        load_embeddings("some/encoder")
    assert caught.value.hint == "pip install 'groundwalk[embeddings]'"


def _nowhere(name: str) -> None:
    """What `find_spec` says of a package that is not installed."""


def test_one_that_was_not_named_by_the_user_is_never_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sentence_transformers")
    with pytest.raises(ModelError, match="not in the local cache") as caught:
        encoder_folder("nobody/has-this-encoder", asks_hub=False)
    assert caught.value.hint == "hf download nobody/has-this-encoder"


@pytest.mark.parametrize("kind", ["own.Module", "sentence_transformers.models.Router"])
def test_code_of_a_folder_is_not_run(tmp_path: Path, kind: str) -> None:
    folder = save_embedding(tmp_path / "encoder", {"film": 0})
    harm = tmp_path / "harm"
    (tmp_path / "encoder" / "own.py").write_text(
        f"import os\nos.mkdir({str(harm)!r})\nclass Module: pass\n", encoding="utf-8"
    )
    file = tmp_path / "encoder" / "modules.json"
    parts = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps([{**own, "type": kind} for own in parts]), encoding="utf-8")
    with pytest.raises(ModelError, match="which could run code"):
        load_embeddings(folder)
    assert not harm.exists()


@pytest.mark.parametrize("text", ["{", "[1]", '[{"idx": 0}]'])
def test_a_broken_folder_is_told(tmp_path: Path, text: str) -> None:
    folder = save_embedding(tmp_path, {"film": 0})
    (tmp_path / "modules.json").write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match="the embedding model does not load"):
        load_embeddings(folder)
