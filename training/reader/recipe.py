"""The recipe of the bundled reader: `./dev train-reader OUT`.

It reads the public data that `GROUNDWALK_DATA` names, and goes on from its checkpoint when it is
called again. What it learnt from is told in the reader's README.
"""

import argparse
import json
import os
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import torch
from rich.console import Console

from ...agent.errors import InputError
from ...agent.reader.lexicon import Lexicon
from ...agent.reader.network import JOINT, Size, make_network
from ...agent.reader.weights import ReaderSettings, ReaderWeights, write_weights
from .batches import PLAIN, Batcher, Drawing, pools_of
from .card import write_card
from .composed import COMPOSED
from .examples import Example
from .learning import Plan, measured, stream_of, train
from .lessons import Lessons, lessons
from .meanings import meanings_of
from .thresholds import fit_thresholds
from .words import lexicon_of

CHECKPOINT, REFINED, JOINED, AFFIXED = "checkpoint.pt", "refined.pt", "joined.pt", "affixed.pt"
_JOINED_SCHEDULE = 12_000
"""Steps over which the rate falls where words and labels begin to see each other."""
_WATCHED_EVERY = 1_000
"""Steps after which it is seen how the training goes."""


@dataclass(frozen=True)
class ReaderRecipe:
    """How a reader is made; with another recipe a checkpoint is not gone on from."""

    steps: int = 12_000
    refined: int = 5_000
    """Steps after them in which labels are barred as a graph bars them, and rare kinds of action
    are drawn more often."""
    joined: int = 5_000
    """Steps after these in which words and labels see each other."""
    affixed: int = 6_000
    """Steps after these in which labels have words that say nothing, and other names more often."""
    width: int = 160
    made: int = 300
    """Questions over each schema of which a graph is made."""
    twins: bool = True
    """Whether it learns wordings that test questions have, around other topics."""
    without: tuple[str, ...] = ()
    """Sources that are left out."""
    seed: int = 0


def train_reader(recipe: ReaderRecipe, data: Path, out: Path, console: Console) -> None:
    """Make a reader in `out`; its checkpoint is beside it, in a folder that ends in `.partial`.

    Raises InputError for a checkpoint of another recipe, and OSError where data is missing.
    """
    out = out.resolve()
    folder = out.with_name(f"{out.name}.partial")
    folder.mkdir(parents=True, exist_ok=True)
    _check_recipe(recipe, folder / "recipe.json")
    since = time.monotonic()

    def told(text: str) -> None:
        console.print(f"{time.monotonic() - since:7.0f} s  {text}", highlight=False, markup=False)

    taught = kept_lessons(recipe, data, folder / "lessons.pickle", told)
    told("making the lexicon")
    every = [
        own
        for name, several in taught.examples.items()
        for own in several
        if name != COMPOSED  # these have the words of others
    ]
    questions = [" ".join(word.text for word in own.words) for own in every]
    labels = (name for own in every for name, _, _ in own.names)
    lexicon = lexicon_of(data, questions)
    meanings = meanings_of(data, questions, labels, Size().meaning)
    lexicon = replace(
        lexicon, meanings={word: row for row, word in enumerate(meanings.words, start=1)}
    )
    size = Size(width=recipe.width, meanings=len(meanings.words), joint=1)
    reader = _trained(
        recipe, taught, lexicon, size, torch.from_numpy(meanings.vectors), folder, told
    )
    reader = fit_thresholds(reader, taught.apart, told, recipe.seed)
    out.mkdir(parents=True, exist_ok=True)
    write_weights(out, reader)
    write_card(out, reader, asdict(recipe), taught.provenance, data)
    told(f"written to {out}")


def _trained(
    recipe: ReaderRecipe,
    taught: Lessons,
    lexicon: Lexicon,
    size: Size,
    meanings: torch.Tensor,
    folder: Path,
    told: Callable[[str], None],
) -> ReaderWeights:
    every = [own for several in taught.examples.values() for own in several]
    pools = pools_of([*every, *taught.watched], taught.schemas)
    plain, network = Batcher(lexicon, pools, PLAIN), None
    names = (name for name, _ in make_network(size).named_parameters())
    apart = tuple(name for name in names if name.startswith(JOINT))
    stages = (
        Stage(CHECKPOINT, recipe.steps, 2e-3, Drawing(barred=0.0), 0.0, apart),
        Stage(REFINED, recipe.refined, 1e-3, Drawing(), 0.3, apart),
        Stage(JOINED, _JOINED_SCHEDULE, 1.5e-3, Drawing(), 0.3, until=recipe.joined),
        Stage(AFFIXED, recipe.affixed, 1.2e-3, Drawing(affixed=0.6, renamed=0.5), 0.3),
    )
    for stage in stages:
        told(f"{stage.steps:,} steps begin")
        watch = _Watch(stage.steps, plain, taught.watched, told)
        network = train(
            Batcher(lexicon, pools, stage.drawing),
            partial(_stream, taught, recipe.seed, stage.rarity),
            Plan(
                steps=stage.steps,
                rate=stage.rate,
                seed=recipe.seed,
                size=size,
                frozen=stage.frozen,
                until=stage.until,
                ahead=True,
            ),
            watch,
            folder / stage.checkpoint,
            meanings if network is None else None,
            None if network is None else network.state_dict(),
        )
    assert network is not None
    return ReaderWeights(network, lexicon, ReaderSettings(size))


@dataclass(frozen=True)
class Stage:
    """A part of the training; `rarity` as `stream_of` has it."""

    checkpoint: str
    steps: int
    rate: float
    drawing: Drawing
    rarity: float
    frozen: tuple[str, ...] = ()
    """Parameters that stay as they are."""
    until: int | None = None
    """The step after which it ends before the rate has fallen."""


def _stream(taught: Lessons, seed: int, rarity: float, step: int) -> Iterator[Example]:
    return stream_of(taught.examples, taught.weights, seed + step, rarity)


class _Watch:
    """Tells how the training goes, and what is right of questions that it does not learn."""

    def __init__(
        self, steps: int, plain: Batcher, watched: Sequence[Example], told: Callable[[str], None]
    ) -> None:
        self._steps, self._plain, self._watched, self._told = steps, plain, watched, told
        self._since, self._first = time.monotonic(), -1

    def __call__(self, step: int, loss: float, network: torch.nn.Module) -> None:
        if step % _WATCHED_EVERY == 0:
            right = measured(network.eval(), self._plain, self._watched)
            network.train()
            count = len(self._watched)
            self._told(f"kept apart: {100 * right.whole:.1f}% of {count} questions right")
        if self._first < 0:
            self._first = step
        elif step % 200 == 0:
            each = (time.monotonic() - self._since) / (step - self._first)
            left = (self._steps - step) * each / 60
            self._told(f"step {step:,} of {self._steps:,}, loss {loss:.3f}, {left:.0f} min left")


def kept_lessons(
    recipe: ReaderRecipe, data: Path, kept: Path, told: Callable[[str], None]
) -> Lessons:
    """The lessons, made at the first call and kept beside the checkpoint."""
    if kept.exists():
        told("the lessons are there")
        return pickle.loads(kept.read_bytes())
    taught = lessons(
        data,
        made=recipe.made,
        twins=recipe.twins,
        without=frozenset(recipe.without),
        seed=recipe.seed,
        told=told,
        workers=os.cpu_count() or 1,
    )
    written = kept.with_suffix(".new")
    written.write_bytes(pickle.dumps(taught))
    written.replace(kept)
    return taught


def _check_recipe(recipe: ReaderRecipe, file: Path) -> None:
    wanted = json.dumps(asdict(recipe), indent=2) + "\n"
    if not file.exists():
        file.write_text(wanted, encoding="utf-8")
    elif file.read_text(encoding="utf-8") != wanted:
        raise InputError(
            f"{file.parent} is of another recipe", "remove it, or give the options that it has"
        )


def main(argv: Sequence[str] | None = None) -> None:
    """Make a reader from the command line."""
    own = ReaderRecipe()
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=own.steps)
    parser.add_argument("--refined", type=int, default=own.refined, help="steps after them")
    parser.add_argument("--joined", type=int, default=own.joined, help="steps after these")
    parser.add_argument("--affixed", type=int, default=own.affixed, help="steps after these")
    parser.add_argument("--width", type=int, default=own.width)
    parser.add_argument("--made", type=int, default=own.made, help="questions over each schema")
    parser.add_argument(
        "--no-twins", action="store_true", help="without wordings of test questions"
    )
    parser.add_argument("--without", action="append", default=[], help="a source to leave out")
    parser.add_argument("--seed", type=int, default=own.seed)
    given = parser.parse_args(argv)
    folder = os.environ.get("GROUNDWALK_DATA")
    if not folder:
        parser.error("GROUNDWALK_DATA does not name the folder of public data")
    recipe = ReaderRecipe(
        given.steps,
        given.refined,
        given.joined,
        given.affixed,
        given.width,
        given.made,
        not given.no_twins,
        tuple(given.without),
        given.seed,
    )
    torch.set_num_threads(1)
    try:
        train_reader(recipe, Path(folder), given.out, Console())
    except (InputError, OSError, ValueError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
