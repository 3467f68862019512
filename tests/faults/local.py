"""Faults on this machine: the model's folder, and memory."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from groundwalk.agent.llm.free_text import LocalChat
from groundwalk.agent.llm.local import load_model
from groundwalk.agent.llm.model_folder import model_folder
from safetensors.torch import load_file, save_file

from ..whole import build_graph
from .trials import NEXT, QUESTION, Bench, Outcome, Trial, ask

Damage = Callable[[Path], None]
"""Does something to a copy of the bundled model."""

WEIGHTS = "model.safetensors"


def folder_fails(damage: Damage) -> Trial:
    """A model whose folder is damaged, and mended before the next question."""

    def trial(bench: Bench) -> Outcome:
        whole = model_folder("bundled")
        assert whole is not None
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root) / "model"
            shutil.copytree(whole, folder)
            damage(folder)
            try:
                graph: Any = build_graph(kg=bench.kg, generator=str(folder))
                seen = ask(graph, QUESTION)
                out = Outcome(seen.status, seen.line)
            except Exception as error:
                seen = ask(_Raises(error), QUESTION)
                graph, out = None, Outcome(seen.status, seen.line)
            bench.judge(out, seen)
            shutil.rmtree(folder)
            shutil.copytree(whole, folder)
            graph = graph or build_graph(kg=bench.kg, generator=str(folder))
            bench.next_is_right(out, graph)
        return out

    return trial


class _Raises:
    def __init__(self, error: Exception) -> None:
        self._error = error

    def invoke(self, turn: Any, /) -> Any:
        raise self._error


def without(name: str) -> Damage:
    return lambda folder: (folder / name).unlink()


def cut(name: str, share: float = 0.5) -> Damage:
    """Keep the first part of a file."""

    def damage(folder: Path) -> None:
        file = folder / name
        os.truncate(file, int(file.stat().st_size * share))

    return damage


def holding(name: str, content: str) -> Damage:
    def damage(folder: Path) -> None:
        (folder / name).write_text(content, encoding="utf-8")

    return damage


def changed(name: str, **fields: object) -> Damage:
    """Other values in a file of JSON."""

    def damage(folder: Path) -> None:
        values = json.loads((folder / name).read_text(encoding="utf-8"))
        (folder / name).write_text(json.dumps(values | fields), encoding="utf-8")

    return damage


def without_a_layer(folder: Path) -> None:
    tensors = load_file(folder / WEIGHTS)
    kept = {name: own for name, own in tensors.items() if "layers.0.mlp" not in name}
    assert len(kept) < len(tensors)
    save_file(kept, folder / WEIGHTS, metadata={"format": "pt"})


def not_numbers(folder: Path) -> None:
    """Weights that are no numbers, as those of a training that went wrong."""
    tensors = load_file(folder / WEIGHTS)
    broken = {name: torch.full_like(own, torch.nan) for name, own in tensors.items()}
    save_file(broken, folder / WEIGHTS, metadata={"format": "pt"})


def larger_tokenizer(folder: Path) -> None:
    """More tokens than the model has embeddings."""
    tokenizer = load_model(str(folder)).tokenizer
    tokenizer.add_tokens(["capital", "of", "France"])
    tokenizer.save_pretrained(folder)


def unreadable(folder: Path) -> None:
    """A name that leads nowhere, which nobody may read, root included."""
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).symlink_to(WEIGHTS)


Shortage = Callable[[], Exception]

OF_PYTHON: Shortage = MemoryError


def of_cpu() -> Exception:
    return RuntimeError(
        "[enforce fail at alloc_cpu.cpp:121] . DefaultCPUAllocator: can't allocate memory: you "
        "tried to allocate 68719476736 bytes. Error code 12 (Cannot allocate memory)"
    )


def of_cuda() -> Exception:
    return torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 64.00 GiB.")


def memory_fails(shortage: Shortage, number: int, method: str = "gcr") -> Trial:
    """Memory runs out in one of the model's passes."""

    def trial(bench: Bench) -> Outcome:
        graph = build_graph(method, kg=bench.kg, generator=bench.local)
        with _running_out(bench.local.model, shortage, number):
            seen = ask(graph, QUESTION)
        out = Outcome(seen.status, seen.line)
        bench.judge(out, seen)
        bench.next_is_right(out, graph, method)
        return out

    return trial


def llm_memory_fails(bench: Bench) -> Outcome:
    """Memory runs out in the chat LLM, which is a local one."""
    reader = load_model()
    llm = LocalChat(reader)
    graph = build_graph(kg=bench.kg, generator=bench.local, llm=llm)
    with _running_out(reader.model, of_cpu, 1):
        seen = ask(graph, QUESTION)
    out = Outcome(seen.status, seen.line)
    bench.judge(out, seen)
    bench.next_is_right(out, build_graph(kg=bench.kg, generator=bench.local))
    return out


@contextmanager
def _running_out(model: Any, shortage: Shortage, number: int) -> Generator[None]:
    """From the pass of this number on, there is no memory for the model's layers."""
    passes = 0

    def hook(*_: object) -> None:
        nonlocal passes
        passes += 1
        if passes >= number:
            raise shortage()

    handle = model.base_model.register_forward_pre_hook(hook)
    try:
        yield
    finally:
        handle.remove()
    assert passes >= number, "the model was not asked"


_CHANGES = """
import sys
from groundwalk.agent.llm.local import load_model
from groundwalk.graphs import build_graph
graph = build_graph(generator=load_model(sys.argv[1]))
file = sys.argv[1] + "/model.safetensors"
with open(file, "r+b") as weights:
    weights.truncate(64) if sys.argv[2] == "cut short" else weights.write(bytes(2_000_000))
for question in sys.argv[3:]:
    print("; ".join(a["term"] for a in graph.invoke({"question": question})["answers"]))
"""


def changes_while_loaded(how: str) -> Trial:
    """The file of the weights is cut, or written over in place, under a process that has it."""

    def trial(bench: Bench) -> Outcome:
        whole = model_folder("bundled")
        assert whole is not None
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root) / "model"
            shutil.copytree(whole, folder)
            command = [sys.executable, "-c", _CHANGES, str(folder), how, QUESTION, NEXT]
            run = subprocess.run(command, capture_output=True, text=True, timeout=300)
        out = Outcome(f"exit {run.returncode}" if run.returncode else "answered", "")
        lines = [frozenset(filter(None, line.split("; "))) for line in run.stdout.splitlines()]
        out.line = run.stdout.replace("\n", " | ") or run.stderr[-200:] or "nothing was said"
        out.expect(run.returncode == 0, f"it ended with {run.returncode}")
        out.expect(lines == [bench.right(QUESTION), bench.right(NEXT)], "other answers")
        return out

    return trial
