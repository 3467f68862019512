"""A model that is run without torch is the one that transformers reads, but for rounding."""

import json
import shutil
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch
from groundwalk.agent.decoding.forward import TreeForward
from groundwalk.agent.decoding.llama import Llama
from groundwalk.agent.decoding.torch_network import TorchNetwork
from groundwalk.agent.decoding.units import tokenizer_digest
from groundwalk.agent.decoding.wire import MARKERS
from groundwalk.agent.errors import ModelError
from groundwalk.agent.kg import open_kg
from groundwalk.agent.llm.free_text import Writing, write_freely
from groundwalk.agent.llm.local import LocalModel, load_generator, load_model
from groundwalk.agent.llm.plain_model import read_plain
from groundwalk.agent.llm.prompt import Mention, wire_prompt
from groundwalk.evaluation.datasets.jsonl import read_world
from groundwalk.training.recipe import Size
from groundwalk.training.trainer.job import store_in_half
from groundwalk.training.trainer.scratch import new_model, round_weights, train_tokenizer

from ..decoding.worlds import HOSTILE

BUNDLED = Path(str(resources.files("groundwalk.data") / "model"))


@pytest.fixture(scope="module")
def library() -> LocalModel:
    return load_model()


@pytest.fixture(scope="module")
def plain() -> LocalModel:
    local = load_generator()
    assert isinstance(local.model, Llama)
    return local


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BUNDLED, tmp_path / "model"))


ROUNDING = 2e-4
"""By how much logits may differ, whose sums of float32 are taken in another order."""


def _logits(local: LocalModel, ids: torch.Tensor) -> torch.Tensor:
    model: Any = local.model
    if not isinstance(model, Llama):
        with torch.inference_mode():
            return model(input_ids=ids).logits
    rows, tokens = ids.shape
    mask = np.triu(np.full((rows, 1, tokens, tokens), model.unseen), 1)
    positions = np.arange(tokens)[None].repeat(rows, 0)
    states = model.states(ids.numpy(), positions, mask, model.cache())
    logits = model.logits(list(states.reshape(rows * tokens, -1))).reshape(rows, tokens, -1)
    return torch.from_numpy(logits).float()


def test_logits_are_equal(library: LocalModel, plain: LocalModel) -> None:
    generator = torch.Generator().manual_seed(1)
    for rows, tokens in [(1, 1), (1, 2), (1, 17), (3, 40), (8, 130)]:
        ids = torch.randint(0, 1221, (rows, tokens), generator=generator)
        assert (_logits(plain, ids) - _logits(library, ids)).abs().max() < ROUNDING


def test_rounded_weights_are_stored_in_half_the_bytes(tmp_path: Path) -> None:
    model: Any = new_model(2000, Size(width=64, layers=1, heads=2), 1, eos=1, pad=0)
    before = [own.clone() for own in model.parameters()]
    round_weights(model)
    assert any(not torch.equal(*pair) for pair in zip(before, model.parameters(), strict=True))
    folder = Path(shutil.copytree(BUNDLED, tmp_path / "model"))
    model.save_pretrained(folder)
    whole = (folder / "model.safetensors").stat().st_size
    store_in_half(folder)
    assert (folder / "model.safetensors").stat().st_size < 0.6 * whole
    read = load_model(str(folder))
    for own, stored in zip(model.parameters(), read.model.parameters(), strict=True):
        assert stored.dtype == torch.float32 and torch.equal(own, stored)


@pytest.mark.parametrize("shared", [0, 3])
def test_trees_are_equal(library: LocalModel, plain: LocalModel, shared: int) -> None:
    prompts = [wire_prompt(plain, text, [])[0] for text in ("capital?", "Who is it? Or not?")]
    networks = (TorchNetwork(library.model), cast("Llama", plain.model))
    grown = [TreeForward(network, prompts, shared) for network in networks]
    for forward in grown:
        wanted = dict[int, list[int]]()
        for row, tree in enumerate(forward.trees):
            node = 0
            for step in range(40):
                node = tree.child(node if step % 3 else 0, (7 * step + row) % 1221)
                wanted.setdefault(row, []).append(node)
        forward.evaluate({row: nodes[:20] for row, nodes in wanted.items()})
        forward.evaluate(wanted)
    places = [(row, node) for row in range(2) for node in range(len(grown[0].trees[row].tokens))]
    few = [[3, 5, 7], [9]] * (len(places) // 2)
    assert np.abs(grown[0].logits(places) - grown[1].logits(places)).max() < ROUNDING
    for full in (False, True):
        ours, theirs = (forward.logprobs(places, few, full=full) for forward in grown)
        assert np.abs(np.concatenate(ours) - np.concatenate(theirs)).max() < ROUNDING


def test_texts_have_equal_tokens(library: LocalModel, plain: LocalModel) -> None:
    kg = open_kg("world")
    terms = {term for fact in kg.store.facts() for term in (fact.head, fact.relation, fact.tail)}
    names = kg.labels.names(sorted(terms))
    texts = [*HOSTILE, *MARKERS, *names, "", " ", "[country] [city]  [lake]", "\n# Question: \nA"]
    texts += [sample.question for sample in read_world()]
    for add in (False, True):
        for split in (False, True):
            flags: Any = {"add_special_tokens": add, "split_special_tokens": split}
            expected: Any = library.tokenizer(texts, **flags)
            assert plain.tokenizer(texts, **flags)["input_ids"] == expected["input_ids"]
    ids: Any = library.tokenizer(texts)
    for row in [*ids["input_ids"], list(range(1221))]:
        for skip in (False, True):
            expected = library.tokenizer.decode(row, skip_special_tokens=skip)
            assert plain.tokenizer.decode(row, skip_special_tokens=skip) == expected
    kg.close()


def test_tokenizers_say_the_same_of_themselves(library: LocalModel, plain: LocalModel) -> None:
    known: Any = library.tokenizer
    own: Any = plain.tokenizer
    assert tokenizer_digest(own) == tokenizer_digest(known)
    for name in ("eos_token_id", "pad_token_id", "is_fast", "chat_template"):
        assert getattr(own, name) == getattr(known, name)
    for name in ("all_special_tokens", "all_special_ids"):
        assert sorted(getattr(own, name)) == sorted(getattr(known, name))
    assert own.get_vocab() == known.get_vocab()
    assert own.get_added_vocab() == known.get_added_vocab()
    assert own.added_tokens_decoder.keys() == known.added_tokens_decoder.keys()


def test_free_text_is_equal(library: LocalModel, plain: LocalModel) -> None:
    mention = Mention(20, 27, "Austria", "country")
    prompt, _ = wire_prompt(plain, "What is the capital of Austria?", [mention])
    for how in (Writing(20, beams=3), Writing(20, samples=4)):
        assert write_freely(plain, prompt, how) == write_freely(library, prompt, how)


def test_what_training_writes_is_read(tmp_path: Path) -> None:
    tokenizer = train_tokenizer(["a b c", "b c d"], kinds=["city"], vocabulary=300)
    ends: Any = tokenizer
    size = Size(width=32, layers=2, heads=2)
    model = new_model(len(tokenizer), size, 1, eos=ends.eos_token_id, pad=ends.pad_token_id)
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    assert read_plain(tmp_path) is not None
    ids = torch.tensor([[5, 6, 7, 8]])
    expected = _logits(load_model(str(tmp_path)), ids)
    assert (_logits(load_generator(str(tmp_path)), ids) - expected).abs().max() < ROUNDING


Change = Callable[[Path], object]
"""What is done to a model folder."""


def _written(name: str, content: str | bytes) -> Change:
    own = content.encode() if isinstance(content, str) else content
    return lambda folder: (folder / name).write_bytes(own)


def _config(**values: Any) -> Change:
    return _changed("config.json", **values)


def _changed(name: str, **values: Any) -> Change:
    def change(folder: Path) -> None:
        file = folder / name
        file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | values))

    return change


@pytest.mark.parametrize(
    "change",
    [
        _config(rope_parameters={"rope_theta": 10000.0, "rope_type": "linear", "factor": 2.0}),
        _config(hidden_act="gelu"),
        _config(sliding_window=4),
        _changed("tokenizer_config.json", add_bos_token=True),
        _changed("tokenizer_config.json", chat_template="{{ messages }}"),
        _changed("generation_config.json", temperature=0.5),
        _written("chat_template.jinja", "{{ messages }}"),
        _written("special_tokens_map.json", "{}"),
    ],
    ids=["rope", "activation", "window", "bos", "template", "sampling", "file", "map"],
)
def test_what_is_not_as_training_writes_it_is_left_to_the_library(
    copied: Path, change: Change
) -> None:
    change(copied)
    assert read_plain(copied) is None
    assert not isinstance(load_generator(str(copied)).model, Llama)


@pytest.mark.parametrize("how", [{"device": "cpu:0"}, {"dtype": "float64"}], ids=["gpu", "dtype"])
def test_other_devices_and_number_formats_are_left_to_the_library(how: dict[str, str]) -> None:
    assert not isinstance(load_generator(**how).model, Llama)


def _without_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def _cut(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1000])


def _not_numbers(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    file = folder / "model.safetensors"
    weights = load_file(file)
    weights["model.norm.weight"] = weights["model.norm.weight"] * float("nan")
    save_file(weights, file, {"format": "pt"})


@pytest.mark.parametrize(
    "harm",
    [
        _written("config.json", "{"),
        _written("config.json", "[]"),
        _written("tokenizer.json", "{}"),
        _written("model.safetensors", b"\0" * 9),
        _without_tokenizer,
        _cut,
        _not_numbers,
        _config(vocab_size=1000),
        _config(num_hidden_layers=5),
    ],
)
def test_a_broken_folder_is_told_as_by_the_library(copied: Path, harm: Change) -> None:
    harm(copied)
    with pytest.raises(ModelError) as known:
        load_model(str(copied))
    with pytest.raises(ModelError) as read:
        load_generator(str(copied))
    assert (read.value.message, read.value.hint) == (known.value.message, known.value.hint)
