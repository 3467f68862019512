"""A reader in a folder is the one that was written, and a broken one is told in a line."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from groundwalk.agent.errors import ModelError
from groundwalk.agent.reader.inputs import Inputs, Label, PartialReading
from groundwalk.agent.reader.lexicon import LEXICON_FILE, words_of, write_lexicon
from groundwalk.agent.reader.weights import (
    BUNDLED,
    SETTINGS_FILE,
    WEIGHTS_FILE,
    open_reader,
    reader_folder,
    write_weights,
)
from safetensors.numpy import load_file, save_file

from .tiny import LEXICON, tiny_reader


def test_a_reader_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = tiny_reader(threshold=0.25)
    write_weights(tmp_path, made)
    reader = open_reader(str(tmp_path))
    assert reader.settings == made.settings
    again = reader.load()
    assert again.lexicon == made.lexicon
    assert reader.load() is again
    words = words_of("which movie did Ada direct", ())
    posed = PartialReading(words, [Label("directed", 0, "directed by", "person")])
    one = made.network(Inputs(made.lexicon).batch([posed]))
    other = again.network(Inputs(again.lexicon).batch([posed]))
    for first, second in zip(one, other, strict=True):
        np.testing.assert_allclose(first, second, atol=0.02, rtol=0.02)


def test_the_vectors_of_words_are_stored_as_int8(tmp_path: Path) -> None:
    made = tiny_reader()
    meanings = made.network.weights["meanings.weight"]
    meanings[1] = [0.5, -1.0, 0.25, 0.0]
    meanings[2] = 0.0
    write_weights(tmp_path, made)
    stored = load_file(tmp_path / WEIGHTS_FILE)
    assert stored["meanings.weight"].dtype == np.int8
    read = open_reader(str(tmp_path)).load()
    kept = read.network.weights["meanings.weight"]
    largest = np.abs(meanings).max(axis=1, keepdims=True)
    assert np.all(np.abs(kept - meanings) <= largest / 250)
    written = (tmp_path / WEIGHTS_FILE).read_bytes()
    write_weights(tmp_path, read)
    assert (tmp_path / WEIGHTS_FILE).read_bytes() == written

    scales = stored.pop("meanings.scale")
    for wrong in ({}, {"meanings.scale": scales[:1]}, {"meanings.scale": scales[:, 0]}):
        save_file({**stored, **wrong}, tmp_path / WEIGHTS_FILE)
        with pytest.raises(ModelError, match="other shapes than this version reads"):
            open_reader(str(tmp_path)).load()

    stored["meanings.weight"] = meanings.astype(np.float16)
    save_file(stored, tmp_path / WEIGHTS_FILE)
    earlier = open_reader(str(tmp_path)).load().network.weights["meanings.weight"]
    np.testing.assert_allclose(earlier, meanings, rtol=1e-3)


@pytest.mark.parametrize("name", [SETTINGS_FILE, WEIGHTS_FILE, LEXICON_FILE])
def test_a_folder_that_lacks_a_file_is_no_reader(tmp_path: Path, name: str) -> None:
    write_weights(tmp_path, tiny_reader())
    (tmp_path / name).unlink()
    with pytest.raises(ModelError, match=f"{name} is missing"):
        open_reader(str(tmp_path))


@pytest.mark.parametrize("name", [SETTINGS_FILE, WEIGHTS_FILE, LEXICON_FILE])
def test_a_broken_file_is_told(tmp_path: Path, name: str) -> None:
    write_weights(tmp_path, tiny_reader())
    (tmp_path / name).write_bytes(b"[]")
    with pytest.raises(ModelError, match="cannot be read"):
        open_reader(str(tmp_path)).load()


def test_weights_of_another_size_are_told(tmp_path: Path) -> None:
    write_weights(tmp_path, tiny_reader())
    file = tmp_path / SETTINGS_FILE
    file.write_text(file.read_text(encoding="utf-8").replace('"width": 16', '"width": 32'))
    with pytest.raises(ModelError, match="other shapes than this version reads") as told:
        open_reader(str(tmp_path)).load()
    assert told.value.hint == "train it again with this version"


@pytest.mark.parametrize("weights", [[1.0, 2.0], "12345", [1.0, 2.0, 3.0, 4.0, float("nan")]])
def test_what_cannot_weigh_evidence_is_told(tmp_path: Path, weights: object) -> None:
    write_weights(tmp_path, tiny_reader())
    file = tmp_path / SETTINGS_FILE
    file.write_text(json.dumps({**json.loads(file.read_text()), "evidence": weights}))
    with pytest.raises(ModelError, match="evidence has 5 numbers, or none"):
        open_reader(str(tmp_path))


def test_a_folder_that_is_not_there_is_told() -> None:
    with pytest.raises(ModelError, match="there is no such folder"):
        open_reader("/nowhere/at/all")


def test_a_lexicon_of_another_reader_is_told(tmp_path: Path) -> None:
    write_weights(tmp_path, tiny_reader())
    one_more = replace(LEXICON, meanings={**LEXICON.meanings, "novel": 4})
    write_lexicon(tmp_path, one_more)
    with pytest.raises(ModelError, match="of another reader"):
        open_reader(str(tmp_path)).load()


def test_the_bundled_one_is_small_and_of_public_sources() -> None:
    folder = reader_folder(BUNDLED)
    assert sum(file.stat().st_size for file in folder.iterdir()) < 12_500_000
    reader = open_reader()
    assert sum(own.size for own in reader.load().network.weights.values()) < 8_000_000
    assert reader.settings.kg == ""
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "MetaQA" in card.partition("Never learnt from:")[2].partition("\n")[0]


def test_a_home_of_nobody_is_no_folder() -> None:
    with pytest.raises(ModelError, match="there is no such folder"):
        open_reader("~nosuchuser/reader")


def test_a_reader_that_weighed_evidence_otherwise_is_refused(tmp_path: Path) -> None:
    write_weights(tmp_path, tiny_reader())
    file = tmp_path / SETTINGS_FILE
    file.write_text(json.dumps({**json.loads(file.read_text()), "sureness": [1.0] * 5}))
    with pytest.raises(ModelError, match="of an earlier version") as error:
        open_reader(str(tmp_path))
    assert error.value.hint == "train it again with this version"
