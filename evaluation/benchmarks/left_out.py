"""What a reader makes of a source that it never learnt from: `... .benchmarks.left_out --out DIR`.

Each source of questions is left out in turn, with all that have the same questions in another
vocabulary, and a small reader learns from the rest. Prints how many of its labels are right, given
the actions before, beside a reader that learnt from all sources and the aligner, which learns
nothing. The questions that are asked are learnt by no reader. The data is that of
`GROUNDWALK_DATA`; what was measured is kept in DIR, and not measured again.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from ...agent.reader.inputs import CLASS, Batch, Size
from ...agent.reader.network import CLASS_KIND
from ...agent.reader.weights import ReaderWeights, open_reader
from ...training.reader.batches import Batcher
from ...training.reader.composed import COMPOSED, composed
from ...training.reader.examples import Example
from ...training.reader.learning import Plan, stream_of, train
from ...training.reader.lessons import Lessons
from ...training.reader.pools import PLAIN, pools_of
from ...training.reader.recipe import LESSONS, ReaderRecipe, lessons_beside
from ...training.reader.rows import ROWS
from .harness import data_folder
from .unseen import worth_of_features

if TYPE_CHECKING:
    from torch import Tensor

FAMILIES = ("simplequestions", "flexkbqa")
"""Sources whose names begin alike have the same questions, or such with other topics."""
ASKED = 300
"""Questions of each family that no reader learns."""
_COMPOSED = 20_000
_SIZE = Size(width=64, table=24, layers=2, joint=1)
"""With this a reader learns fewer than a million numbers."""


def family_of(source: str) -> str:
    """The sources that are left out together."""
    return next((family for family in FAMILIES if source.startswith(family)), source)


def parted(
    examples: Mapping[str, Sequence[Example]],
) -> tuple[dict[str, list[Example]], dict[str, list[Example]]]:
    """What is learnt, by source, and what is asked, by family.

    Of questions with the same words beside their mentions all are asked or none. Questions that are
    composed are not among either.
    """
    plain = {source: group for source, group in examples.items() if source not in (COMPOSED, ROWS)}
    families: dict[str, list[Example]] = {}
    for source, group in plain.items():
        families.setdefault(family_of(source), []).extend(group)
    asked = {
        family: Random(f"asked {family}").sample(group, min(len(group) // 4, ASKED))
        for family, group in families.items()
    }
    texts = {_text(example) for example in chain.from_iterable(asked.values())}
    learnt = {
        source: [example for example in group if _text(example) not in texts]
        for source, group in plain.items()
    }
    return learnt, asked


def _text(example: Example) -> str:
    return " ".join(word.text for word in example.words if word.mention is None)


def labels_right(
    score: "Callable[[Batch], Tensor]", batcher: Batcher, examples: Sequence[Example]
) -> float:
    """The share of the labels of relations that are right where the actions before are, in percent.

    `score` gives each label at each place a number `(B, T + 1, L)`, or one for all places. Of
    labels with the same number one is drawn.
    """
    import torch

    from ...training.reader.module import as_tensors

    rng, right, count = Random(0), 0, 0
    ties = torch.Generator().manual_seed(0)
    for first in range(0, len(examples), 64):
        made, targets = batcher.batch(examples[first : first + 64], rng)
        batch = as_tensors(made)
        with torch.inference_mode():
            scores = score(batch)
        scores = scores + 1e-4 * torch.rand(scores.shape, generator=ties)
        barred = (batch.ways < 0) | (batch.ways == CLASS)
        scores = scores.masked_fill(barred[:, None] | ~targets.offered, -1e4)
        asked = (targets.labels >= 0) & (targets.kinds != CLASS_KIND)
        right += int(((scores.argmax(-1) == targets.labels) & asked).sum())
        count += int(asked.sum())
    return 100 * right / max(count, 1)


def align(batch: Batch) -> "Tensor":
    """Each label by the word that is most like it, as the aligner has it: `(B, 1, L)`."""
    import torch

    worth = torch.from_numpy(worth_of_features()).float()
    return (batch.matches * worth).sum(-1).amax(1, keepdim=True)


def learn(
    lessons: Lessons,
    learnt: Mapping[str, Sequence[Example]],
    without: str | None,
    like: ReaderWeights,
    steps: int,
    console: Console,
) -> "Callable[[Batch], Tensor]":
    """How a small reader scores labels that learnt from all but one family.

    Its lexicon is that of another reader.
    """
    import torch

    sources = {name: group for name, group in learnt.items() if family_of(name) != without}
    single = list(chain.from_iterable(sources.values()))
    sources[COMPOSED] = composed(single, lessons.schemas, _COMPOSED, 0)
    pools = pools_of([*single, *sources[COMPOSED]], lessons.schemas)
    known = like.settings.size
    size = replace(_SIZE, meanings=known.meanings, meaning=known.meaning)
    plan = Plan(steps=steps, rate=3e-3, size=size)
    meanings = torch.from_numpy(like.network.weights["meanings.weight"][1:])

    def report(step: int, loss: float, _: torch.nn.Module) -> None:
        if step % 500 == 0:
            console.print(f"without {without}: step {step:,} of {steps:,}, loss {loss:.3f}")

    network = train(
        Batcher(like.lexicon, pools),
        lambda step: stream_of(sources, lessons.weights, step),
        plan,
        report,
        meanings=meanings,
    )
    return lambda batch: network(batch).labels


def table(measured: Mapping[str, Mapping[str, float]]) -> Table:
    """What each reader makes of each family."""
    made = Table(
        "source", "learnt from it", "left out", "aligner", title="labels right, in percent"
    )
    for family, shares in measured.items():
        made.add_row(family, *(f"{shares[name]:.1f}" for name in ("learnt", "left out", "aligner")))
    return made


def main(argv: Sequence[str] | None = None) -> None:
    """Measure each family that is not measured yet, and print the table."""
    import torch

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=1_500, help="of each small reader")
    parser.add_argument("--made", type=int, default=100, help="questions over each schema")
    parser.add_argument("--only", action="append", help="a source")
    options = parser.parse_args(argv)
    console, data, out = Console(highlight=False), data_folder(), options.out
    torch.set_num_threads(1)
    out.mkdir(parents=True, exist_ok=True)
    lessons = lessons_beside(ReaderRecipe(made=options.made), data, out / LESSONS, console.print)
    like = open_reader().load()
    learnt, asked = parted(lessons.examples)
    every = list(chain(*learnt.values(), *asked.values()))
    batcher = Batcher(like.lexicon, pools_of(every, lessons.schemas), PLAIN)
    wanted = [family for family in asked if options.only is None or family in options.only]
    file = out / "measured.json"
    measured: dict[str, dict[str, float]] = json.loads(file.read_text()) if file.exists() else {}
    for without in [None, *wanted]:
        scored = wanted if without is None else [without]
        name = "learnt" if without is None else "left out"
        if all(name in measured.get(family, {}) for family in scored):
            continue
        score = learn(lessons, learnt, without, like, options.steps, console)
        for family in scored:
            shares = measured.setdefault(family, {})
            shares[name] = labels_right(score, batcher, asked[family])
            shares["aligner"] = labels_right(align, batcher, asked[family])
        file.write_text(json.dumps(measured, indent=2), encoding="utf-8")
    console.print(table({family: measured[family] for family in wanted}))


if __name__ == "__main__":
    main()
