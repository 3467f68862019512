"""Fine-tuning models of other shapes, with tokenizers and prompts that are not ours."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from groundwalk.agent.decoding.index import open_index
from groundwalk.agent.decoding.paths import PathLimits
from groundwalk.agent.decoding.wire import MARKERS, PATH, PLAN, TRIPLE
from groundwalk.agent.errors import InputError, ModelError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.llm.local import LocalModel, load_model
from groundwalk.agent.llm.model_folder import ModelSettings, write_settings
from groundwalk.agent.llm.prompt import wire_prompt
from groundwalk.graphs.gcr import path_question
from groundwalk.training.asked.lesson_stream import draw
from groundwalk.training.asked.question_files import read_questions
from groundwalk.training.asked.supervision import supervise
from groundwalk.training.card import TrainReport, card
from groundwalk.training.encoder import Encoder
from groundwalk.training.fitting.exams import judge
from groundwalk.training.material import questioner_for
from groundwalk.training.questions.graph import load_graph
from groundwalk.training.questions.questioner import Questioner
from groundwalk.training.recipe import Recipe, Schedule
from groundwalk.training.train import train
from groundwalk.training.trainer.finetune import add_markers, load_base
from safetensors.torch import load_file
from transformers import BertConfig, BertForMaskedLM

from .bases import save_base
from .brief import brief
from .toy import toy_questions, toy_turtle

pytestmark = pytest.mark.slow

pytest.importorskip("accelerate", reason="needs the extra train")
SHAPES = ("gpt2", "llama", "qwen2")


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        brief(patch)
        yield


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finetune")
    (folder / "toy.ttl").write_text(toy_turtle(), encoding="utf-8")
    (folder / "qa.txt").write_text(toy_questions(), encoding="utf-8")
    for shape in SHAPES:
        save_base(folder / shape, shape)
    return folder


@pytest.fixture(scope="module")
def kg(home: Path) -> Iterator[KnowledgeGraph]:
    opened = open_kg(str(home / "toy.ttl"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def questioner(kg: KnowledgeGraph) -> Questioner:
    return questioner_for(kg, load_graph(kg), None, hops=2, seed=0)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_trained_is_what_is_asked_and_may_be_written(
    home: Path, kg: KnowledgeGraph, questioner: Questioner, shape: str, masked: bool
) -> None:
    base = load_base(str(home / shape))
    add_markers(base.model, base.tokenizer)
    settings = ModelSettings(masked=masked, hops=2)
    local = LocalModel(shape, base.model, base.tokenizer, settings)
    encoder = Encoder(questioner.graph, base.tokenizer, masked=masked, instruct=True)
    index = open_index(kg, base.tokenizer)
    rng = Random(shape)
    walked = 0
    while walked < 20:
        sample = questioner.sample(rng)
        for wire in (PATH, PLAN, TRIPLE):
            prompt, _ = wire_prompt(local, sample.question, sample.mentions, wire)
            assert encoder.prompt(sample, wire) == prompt
        if sample.moves is None:
            continue
        walked += 1
        topic = questioner.graph.terms[sample.walk[0]]
        names = {topic: questioner.graph.names[sample.walk[0]]}
        question, paths = path_question(
            local, index, sample.question, sample.mentions, names, PathLimits(hops=2)
        )
        encoded = encoder.encode(sample)
        state = paths.start()
        for token in encoded.ids[len(question.prompt) : -1]:
            paths.prepare([state])
            state = paths.advance(state, token)
        assert paths.done(state)
        assert paths.path(state).end == questioner.graph.terms[sample.walk[-1]]


@pytest.mark.parametrize("shape", SHAPES)
def test_markers_are_tokens_with_embeddings(home: Path, shape: str, tmp_path: Path) -> None:
    base = load_base(str(home / shape))
    add_markers(base.model, base.tokenizer)
    add_markers(base.model, base.tokenizer)
    base.model.save_pretrained(tmp_path)
    base.tokenizer.save_pretrained(tmp_path)
    loaded = load_model(str(tmp_path))
    tokenizer: Any = loaded.tokenizer
    embeddings: Any = loaded.model.get_input_embeddings()
    rows = embeddings.weight.shape[0]
    for marker in MARKERS:
        (token,) = tokenizer(marker, add_special_tokens=False)["input_ids"][-1:]
        assert tokenizer.convert_ids_to_tokens(token) == marker
        assert token < rows
    assert len(set(tokenizer.convert_tokens_to_ids(list(MARKERS)))) == len(MARKERS)


@pytest.fixture(scope="module")
def tuned(home: Path) -> TrainReport:
    torch.set_num_threads(1)
    schedule = Schedule(steps=1500, batch=16, rate=1e-3, warm_up=10, pool=4)
    recipe = Recipe(questions=home / "qa.txt", noise=0.0, base=str(home / "llama"))
    return train(str(home / "toy.ttl"), home / "tuned", replace(recipe, schedule=schedule))


def test_a_fine_tuned_model_answers_its_questions(home: Path, tuned: TrainReport) -> None:
    loaded = load_model(str(tuned.out))
    assert loaded.settings == tuned.settings
    assert loaded.settings.instruct and not loaded.settings.masked
    kg = open_kg(str(home / "toy.ttl"))
    graph = load_graph(kg)
    lessons = supervise(kg, graph, read_questions(home / "qa.txt"), 1).lessons
    questioner = questioner_for(kg, graph, None, hops=1, seed=0)
    samples = [s for lesson in lessons if (s := draw(questioner, lesson, Random(0), 0))]
    for method in ("gcr", "plan", "dog"):
        judged = list(map(judge(kg, loaded, graph, method), samples))
        assert sum(one.right for one in judged) >= len(samples) - 1, method
    text = card(tuned)
    assert f"fine-tuned from `{home / 'llama'}`" in text
    assert "base_model:" not in text and "license" not in text
    assert list(tuned.hits) == [150 * look for look in range(1, 11)]


def test_adapters_are_merged(home: Path, tuned: TrainReport) -> None:
    pytest.importorskip("peft", reason="needs the extra train")
    recipe = Recipe(questions=home / "qa.txt", base=str(home / "qwen2"), lora=True, mask=True)
    schedule = Schedule(steps=6, batch=4, rate=1e-2, warm_up=1, pool=2)
    report = train(str(home / "toy.ttl"), home / "adapted", replace(recipe, schedule=schedule))
    before = load_file(home / "qwen2" / "model.safetensors")
    after = load_file(home / "adapted" / "model.safetensors")
    assert before.keys() == after.keys()
    loaded = load_model(str(report.out))
    assert loaded.settings.masked
    tokenizer: Any = loaded.tokenizer
    markers: list[int] = tokenizer.convert_tokens_to_ids(list(MARKERS))
    for name, old in before.items():
        changed = {int(row) for row in (after[name] != old).reshape(len(old), -1).any(1).nonzero()}
        if "embed" in name or "lm_head" in name:
            assert changed and changed <= set(markers)
        elif "norm" in name or "bias" in name:
            assert not changed
        else:
            assert changed


def test_a_model_of_ours_goes_on_as_it_was_asked(home: Path, tmp_path: Path) -> None:
    folder = save_base(tmp_path / "ours", "llama")
    write_settings(folder, ModelSettings(masked=True, instruct=False))
    recipe = Recipe(questions=home / "qa.txt", base=str(folder), accumulate=2)
    schedule = Schedule(steps=2, batch=4, pool=1)
    report = train(str(home / "toy.ttl"), tmp_path / "on", replace(recipe, schedule=schedule))
    assert report.settings.masked and not report.settings.instruct


def test_mistakes_are_one_line(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, out = str(home / "toy.ttl"), tmp_path / "out"
    questions = home / "qa.txt"
    with pytest.raises(ModelError, match="no such model folder"):
        train(source, out, Recipe(questions=questions, base="./nowhere"))
    bert = BertForMaskedLM(BertConfig(vocab_size=2000, hidden_size=16, num_hidden_layers=1,
                                      num_attention_heads=1, intermediate_size=16))  # fmt: skip
    save_base(tmp_path / "bert", "gpt2")
    bert.save_pretrained(tmp_path / "bert")
    with pytest.raises(ModelError, match="not a causal language model"):
        train(source, out, Recipe(questions=questions, base=str(tmp_path / "bert")))
    with pytest.raises(InputError, match="--lora is for"):
        Recipe(lora=True)
    with pytest.raises(InputError, match="3 equal parts"):
        recipe = Recipe(questions=questions, base=str(home / "gpt2"), batch=4, accumulate=3)
        train(source, out, recipe)

    def full(*_: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr("groundwalk.training.trainer.finetune.train_with_hf", full)
    with pytest.raises(InputError, match="memory does not suffice") as caught:
        train(source, out, Recipe(questions=questions, base=str(home / "gpt2")))
    assert "--accumulate" in caught.value.hint
    monkeypatch.setattr("groundwalk.training.train.find_spec", _nowhere)
    with pytest.raises(InputError, match="needs accelerate and peft") as caught:
        train(source, out, Recipe(questions=questions, base=str(home / "gpt2"), lora=True))
    assert caught.value.hint == "pip install 'groundwalk[train]'"
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]


def _nowhere(name: str) -> None:
    """What `find_spec` says of a package that is not installed."""
