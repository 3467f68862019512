"""A training that was killed goes on, and makes the same model."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.training.trainer.checkpoint import (
    open_partial,
    partial_folder,
    read_state,
    write_state,
)
from groundwalk.training.trainer.watched import Watcher

from .bases import save_base
from .toy import toy_questions, toy_turtle

pytestmark = pytest.mark.slow

SCRIPT = """
import os, signal, sys
import groundwalk.training.trainer.checkpoint as checkpoint
checkpoint.EVERY = 0.0
from pathlib import Path
from groundwalk.training.recipe import Recipe, Schedule, Size
from groundwalk.training.train import train
from pytest import MonkeyPatch
from tests.training.brief import brief

brief(MonkeyPatch())
home, out, base, lora, seed, kill, optimizer = sys.argv[1:]
asked = open(Path(home) / f"{out}.asked", "a")

class Killer:
    def step(self, done, steps, loss, hits):
        if done == int(kill):
            os.kill(os.getpid(), signal.SIGKILL)
    def part(self, name, done, total):
        if name == "answering questions":
            print("asked", done, file=asked, flush=True)
            if done == -int(kill):
                os.kill(os.getpid(), signal.SIGKILL)
    def say(self, line):
        if not line.startswith("trained; "):
            print(line, flush=True)

recipe = Recipe(
    questions=Path(home) / "qa.txt", base=base, lora=lora == "True", seed=int(seed), patience=9,
    schedule=Schedule(
        steps=12, batch=4, pool=5, warm_up=2, dropout=0.1 * (not base), optimizer=optimizer
    ),
    size=None if base else Size(width=32, layers=1, heads=2),
)
train(str(Path(home) / "toy.ttl"), Path(home) / out, recipe, Killer())
"""
WAYS = ("scratch", "muon", "full", "lora")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("resume")
    (folder / "toy.ttl").write_text(toy_turtle(), encoding="utf-8")
    (folder / "qa.txt").write_text(toy_questions(), encoding="utf-8")
    save_base(folder / "base", "gpt2")
    return folder


def run(home: Path, way: str, out: str, *, kill: int = 0, seed: int = 0) -> tuple[int, str]:
    new = way in ("scratch", "muon")
    if not new:
        pytest.importorskip("accelerate", reason="needs the extra train")
    if way == "lora":
        pytest.importorskip("peft", reason="needs the extra train")
    base = "" if new else str(home / "base")
    command = [sys.executable, "-c", SCRIPT, str(home), out, base, str(way == "lora")]
    done = subprocess.run(
        [*command, str(seed), str(kill), "muon" if way == "muon" else "adamw"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("way", WAYS)
def test_a_killed_training_goes_on_to_the_same_bytes(home: Path, way: str) -> None:
    assert run(home, way, f"whole-{way}") == (0, "")
    code, _ = run(home, way, f"cut-{way}", kill=8)
    assert code == -9
    assert not (home / f"cut-{way}").exists()
    code, said = run(home, way, f"cut-{way}")
    assert (code, said) == (0, "the training goes on from step 7\n")
    weights = [home / f"{name}-{way}" / "model.safetensors" for name in ("whole", "cut")]
    assert weights[0].read_bytes() == weights[1].read_bytes()
    assert not partial_folder(home / f"cut-{way}").exists()


@pytest.mark.parametrize("way", WAYS)
def test_a_training_killed_after_its_last_step_goes_on_there(home: Path, way: str) -> None:
    assert run(home, way, f"one-{way}") == (0, "")
    out = f"two-{way}"
    assert run(home, way, out, kill=-4)[0] == -9
    before = json.loads((partial_folder(home / out) / "seconds.json").read_text())["seconds"]
    assert not (home / out).exists() and before > 0
    assert run(home, way, out) == (0, "the training goes on after its last step\n")
    assert not partial_folder(home / out).exists()
    asked = [(home / f"{name}-{way}.asked").read_text().split("\n") for name in ("one", "two")]
    assert asked[0] == asked[1], "no question is asked twice"
    one, two = (contents(home / f"{name}-{way}") for name in ("one", "two"))
    (seconds,) = (int(text) for text in re.findall(rb"steps \((\d+) s\)", two["README.md"]))
    assert seconds > before
    assert {name for name in one if one[name] != two[name]} <= {"README.md"}
    cards = [re.sub(rb"\(\d+ s\)", b"", files["README.md"]) for files in (one, two)]
    assert cards[0] == cards[1]


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_broken_model_is_made_again(home: Path) -> None:
    assert run(home, "scratch", "broken", kill=-1)[0] == -9
    (partial_folder(home / "broken") / "trained" / "config.json").write_text("{", encoding="utf-8")
    code, said = run(home, "scratch", "broken")
    assert code == 0
    assert "the trained model is broken, and is made again" in said
    # Patience may end the training a step before its schedule does.
    assert re.search(r"the training goes on from step 1[12]\n", said)


def test_other_settings_begin_anew(home: Path) -> None:
    assert run(home, "scratch", "changed", kill=5)[0] == -9
    code, said = run(home, "scratch", "changed", seed=1)
    assert code == 0
    assert said == "the settings changed (seed): the training begins anew\n"


def test_a_state_is_read_as_written(tmp_path: Path) -> None:
    import torch

    folder = open_partial(tmp_path / "model", {"steps": 3}, Watcher())
    assert read_state(folder) is None
    tensors = {"a": torch.arange(6).reshape(2, 3), "b.c": torch.tensor(0.5)}
    for done in (1, 2):
        write_state(folder, tensors, {"done": done})
        found = read_state(folder)
        assert found is not None and found[1] == {"done": done}
        assert all(bool((found[0][name] == own).all()) for name, own in tensors.items())
    assert open_partial(tmp_path / "model", {"steps": 3}, Watcher()) == folder
    assert read_state(folder) is not None
    open_partial(tmp_path / "model", {"steps": 4}, Watcher())
    assert read_state(folder) is None
    assert sorted(file.name for file in folder.iterdir()) == ["recipe.json"]


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    folder = partial_folder(tmp_path / "model")
    folder.mkdir()
    (folder / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(InputError, match="no checkpoints"):
        open_partial(tmp_path / "model", {}, Watcher())
    assert (folder / "mine.txt").exists()
