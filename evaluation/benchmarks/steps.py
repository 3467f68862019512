"""What a training step of a new model costs: by AdamW, and by Muon in bfloat16 and in float32.

`python -m groundwalk.evaluation.benchmarks.steps [--steps N] [--threads N] [--float32]
[--out FILE.json]` trains three models of the default size on questions over the bundled graph, a
step of each in turn. `groundwalk train` takes the Muon that is marked as used. Times are of the
processor, so that other processes matter little. With `--float32`, and ONEDNN_MAX_CPU_ISA=AVX2 in
the environment, a processor that multiplies bfloat16 in hardware is like one that does not.
"""

import platform
import sys
from collections.abc import Sequence
from statistics import median
from time import process_time
from typing import Any

import torch

from ...agent.kg import open_kg
from ...agent.kg.opening import WORLD
from ...training.encoder import Batches, Encoder
from ...training.material import gather
from ...training.recipe import Optimizer, Recipe, Schedule, Size
from ...training.trainer.plain_loop import has_bfloat16, optimizers_for, padded, take_step
from ...training.trainer.scratch import new_model, train_tokenizer
from .harness import aligned, conduct, options_of

_WARM_UP = 2
"""Steps that are not counted."""
_WAYS: dict[str, tuple[Optimizer, bool]] = {
    "AdamW": ("adamw", False),
    "Muon in bfloat16": ("muon", True),
    "Muon in float32": ("muon", False),
}
"""The optimizer, and whether it computes in bfloat16."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. The exit code is 2 for what the user can mend."""
    parser = options_of("steps", __doc__)
    parser.add_argument("--steps", type=int, default=10, metavar="N", help="counted steps (10)")
    parser.add_argument("--threads", type=int, default=1, help="of torch (1)")
    parser.add_argument("--float32", action="store_true", help="compute the models in float32")
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    bfloat16 = has_bfloat16("cpu") and not options.float32
    return conduct(lambda: run(options.steps, bfloat16=bfloat16), table, options.out)


def run(steps: int, size: Size | None = None, *, bfloat16: bool) -> dict[str, Any]:
    """The report: settings, and for each way the median seconds of a step of `steps`.

    `bfloat16` is whether the models, all but the optimizers, compute in it.
    """
    kg = open_kg(WORLD)
    recipe, size = Recipe(), size or Size()
    material = gather(kg, WORLD, recipe)
    tokenizer = train_tokenizer(material.texts(masked=True), kinds=material.graph.kinds)
    encoder = Encoder(material.graph, tokenizer, masked=True)
    eos, pad = encoder.units.eos, encoder.units.pad
    batches = Batches(material, encoder, recipe, batch=Schedule.batch, pool=Schedule.pool)
    models = {name: new_model(len(tokenizer), size, 0, eos=eos, pad=pad) for name in _WAYS}
    optimizers = {
        name: optimizers_for(models[name], Schedule(optimizer=optimizer), bfloat16=iterates)
        for name, (optimizer, iterates) in _WAYS.items()
    }
    seconds: dict[str, list[float]] = {name: [] for name in _WAYS}
    for step in range(_WARM_UP + steps):
        ids, weights = padded(batches[step], pad)
        for name, model in models.items():
            since = process_time()
            take_step(model, optimizers[name], ids, weights, clip=Schedule.clip, bfloat16=bfloat16)
            if step >= _WARM_UP:
                seconds[name].append(process_time() - since)
    used = f"Muon in {'bfloat16' if bfloat16 else 'float32'}"
    return {
        "settings": {
            "steps": steps,
            "threads": torch.get_num_threads(),
            "bfloat16": bfloat16,
            "machine": platform.machine(),
            "torch": torch.__version__,
        },
        "seconds": {name: round(median(times), 4) for name, times in seconds.items()},
        "used": ["AdamW", used],
    }


def table(report: dict[str, Any]) -> list[str]:
    """The report as lines of aligned text."""
    seconds: dict[str, float] = report["seconds"]
    rows = [("step of", "s", "x AdamW", "")]
    for name, median_seconds in seconds.items():
        ratio = median_seconds / seconds["AdamW"]
        used = "used" if name in report["used"] else ""
        rows.append((name, f"{median_seconds:.3f}", f"{ratio:.2f}", used))
    settings = report["settings"]
    form = "bfloat16" if settings["bfloat16"] else "float32"
    return [
        *aligned(rows),
        "",
        f"processor time, median of {settings['steps']} steps; {settings['threads']} threads, "
        f"models in {form}",
    ]


if __name__ == "__main__":
    sys.exit(main())
