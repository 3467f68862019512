"""A model folder is data: no pickle is read, no code of it is run, and no dataset names one."""

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import ModelError
from groundwalk.agent.llm.local import load_model
from groundwalk.evaluation.datasets import read_samples

from ..decoding import worlds


class Harm:
    """Makes a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.file),)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A folder that holds a whole model."""
    folder = tmp_path / "model"
    tokenizer = worlds.byte_level()
    tokenizer.save_pretrained(folder)
    worlds.random_model(len(tokenizer)).float().save_pretrained(folder)
    return folder


@pytest.mark.parametrize("decoy", [None, "other.safetensors"], ids=["alone", "beside"])
def test_pickled_weights_are_an_error_and_not_read(
    model: Path, tmp_path: Path, decoy: str | None
) -> None:
    harm = tmp_path / "harm"
    weights = (model / "model.safetensors").rename(tmp_path / "weights")
    (model / "pytorch_model.bin").write_bytes(pickle.dumps(Harm(harm)))
    if decoy:
        weights.rename(model / decoy)
    with pytest.raises(ModelError, match="safetensors"):
        load_model(str(model))
    assert not harm.exists()


CODE = """
import os
os.mkdir({harm!r})
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
class Config(LlamaConfig):
    model_type = "own"
class Model(LlamaForCausalLM):
    config_class = Config
class Reader(PreTrainedTokenizerFast):
    pass
"""


def amend(file: Path, **fields: object) -> None:
    values = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    file.write_text(json.dumps(values | fields), encoding="utf-8")


def with_code(model: Path, harm: Path) -> None:
    (model / "own.py").write_text(CODE.format(harm=str(harm)), encoding="utf-8")
    known = {"AutoConfig": "own.Config", "AutoModelForCausalLM": "own.Model"}
    amend(model / "config.json", auto_map=known)
    amend(model / "tokenizer_config.json", auto_map={"AutoTokenizer": ["own.Reader", "own.Reader"]})


def test_code_beside_a_known_model_is_not_run(model: Path, tmp_path: Path) -> None:
    with_code(model, tmp_path / "harm")
    loaded: Any = load_model(str(model))
    assert type(loaded.model).__module__.startswith("transformers.models.")
    assert not (tmp_path / "harm").exists()


def test_a_model_that_needs_its_code_is_an_error(model: Path, tmp_path: Path) -> None:
    with_code(model, tmp_path / "harm")
    amend(model / "config.json", model_type="own", architectures=["Model"])
    with pytest.raises(ModelError, match="does not load"):
        load_model(str(model))
    assert not (tmp_path / "harm").exists()


def test_a_row_of_a_dataset_names_no_model_and_allows_no_code(tmp_path: Path) -> None:
    plain = {"question": "Who?", "answers": ["Ada"], "id": "1"}
    own = {
        "model": "other/model",
        "base": "other/model",
        "llm": "hf:other/model",
        "trust_remote_code": True,
        "auto_map": {"AutoModelForCausalLM": "own.Model"},
        "prompts": "/",
        "options": {"embeddings": "other/model"},
    }
    found: list[Any] = []
    for name, row in (("plain", plain), ("armed", plain | own)):
        file = tmp_path / f"{name}.jsonl"
        file.write_text(json.dumps(row) + "\n", encoding="utf-8")
        found.append(read_samples("jsonl", file))
    assert found[0] == found[1]
