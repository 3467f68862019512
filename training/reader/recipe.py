"""The recipe of the bundled reader: `./dev train-reader OUT`.

It reads the public data that `GROUNDWALK_DATA` names, and goes on from its checkpoint when it is
called again. What it learnt from is told in the reader's README.
"""

import argparse
import json
import os
import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from ...agent.errors import InputError
from ...agent.reader.encoder import open_encoder
from ...agent.reader.lexicon import Lexicon
from ...agent.reader.network import JOINT, Size, make_network
from ...agent.reader.weights import ReaderSettings, ReaderWeights, write_weights
from .batches import PLAIN, Batcher, every_word, pools_of
from .card import write_card
from .composed import COMPOSED
from .learning import Plan, blended, measured, stream_of, train
from .lessons import Lessons, lessons
from .meanings import meanings_of
from .stages import STAGES, Stage
from .thresholds import fit_thresholds
from .words import lexicon_of

LESSONS = "lessons.pickle"
_MOST_WORDS = 1_000_000
"""Words of which it is kept what an encoder says."""
_WATCHED_EVERY = 1_000
"""Steps after which it is seen how the training goes."""
_TOLD_EVERY = 200


@dataclass(frozen=True)
class ReaderRecipe:
    """How a reader is made; with another recipe a checkpoint is not gone on from."""

    steps: tuple[int, ...] = tuple(own.steps for own in STAGES)
    """Those of each stage."""
    width: int = 160
    made: int = 300
    """Questions over each schema of which a graph is made."""
    twins: bool = True
    """Whether it learns wordings that test questions have, around other topics."""
    without: tuple[str, ...] = ()
    """Sources that are left out."""
    seed: int = 0
    encoder: str = ""
    """The folder or hub id of a sentence encoder, which says what words mean; else lexicons do."""

    @property
    def written(self) -> dict[str, Any]:
        """The recipe as it is written; an encoder only where there is one."""
        return {name: own for name, own in asdict(self).items() if name != "encoder" or own}


def train_reader(recipe: ReaderRecipe, data: Path, out: Path, console: Console) -> None:
    """Make a reader in `out`; its checkpoint is beside it, in a folder that ends in `.partial`.

    Raises InputError for a checkpoint of another recipe and an encoder that cannot be had, and
    OSError where data is missing.
    """
    out = out.resolve()
    folder = out.with_name(f"{out.name}.partial")
    folder.mkdir(parents=True, exist_ok=True)
    _check_recipe(recipe, folder / "recipe.json")
    since = time.monotonic()

    def told(text: str) -> None:
        console.print(f"{time.monotonic() - since:7.0f} s  {text}", highlight=False, markup=False)

    encoder = None
    if recipe.encoder:
        encoder = open_encoder(recipe.encoder, asks_hub=True, most=_MOST_WORDS)
    taught = kept_lessons(recipe, data, folder / LESSONS, told)
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
    size, vectors = Size(width=recipe.width, joint=1), None
    if encoder is None:
        meanings = meanings_of(data, questions, labels, size.meaning)
        rows = {word: row for row, word in enumerate(meanings.words, start=1)}
        lexicon, size = replace(lexicon, meanings=rows), replace(size, meanings=len(rows))
        vectors = torch.from_numpy(meanings.vectors)
    else:
        lexicon, size = replace(lexicon, encoder=encoder), replace(size, meaning=encoder.width)
    reader = _trained(recipe, taught, lexicon, size, vectors, folder, told)
    reader = fit_thresholds(reader, taught.apart, told, recipe.seed)
    out.mkdir(parents=True, exist_ok=True)
    write_weights(out, reader)
    write_card(out, reader, recipe.written, taught.provenance, data)
    told(f"written to {out}")


def _trained(
    recipe: ReaderRecipe,
    taught: Lessons,
    lexicon: Lexicon,
    size: Size,
    meanings: torch.Tensor | None,
    folder: Path,
    told: Callable[[str], None],
) -> ReaderWeights:
    every = [own for several in taught.examples.values() for own in several]
    pools = pools_of([*every, *taught.watched], taught.schemas)
    if lexicon.encoder is not None:
        words = every_word([*every, *taught.watched], pools, lexicon)
        told(f"encoding {len(words):,} words")
        lexicon.encoder.vectors(words)  # here, and not in the process that makes the batches
    plain = Batcher(lexicon, pools, PLAIN)
    names = (name for name, _ in make_network(size).named_parameters())
    apart = tuple(name for name in names if name.startswith(JOINT))

    def staged(stage: Stage, count: int, before: torch.nn.Module | None) -> torch.nn.Module:
        """The network after a stage; `before` is the one that it goes on from."""
        told(f"{stage.name}: {count:,} steps begin")
        since, first = time.monotonic(), -1

        def heard(step: int, loss: float, network: torch.nn.Module) -> None:
            nonlocal first
            first = step if first < 0 else first
            if step % _WATCHED_EVERY == 0:
                right = measured(network.eval(), plain, taught.watched)
                network.train()
                asked = len(taught.watched)
                told(f"kept apart: {100 * right.whole:.1f}% of {asked} questions right")
            if step % _TOLD_EVERY == 0 and step > first:
                left = (count - step) * (time.monotonic() - since) / (step - first) / 60
                told(f"step {step:,} of {count:,}, loss {loss:.3f}, {left:.0f} min left")
            if step == stage.middle:
                torch.save(network.state_dict(), middle)

        middle = folder / f"{stage.name}.middle.pt"
        network = train(
            Batcher(lexicon, pools, stage.drawing),
            lambda step: stream_of(
                taught.examples, taught.weights, recipe.seed + step, stage.rarity
            ),
            Plan(
                steps=max(count, stage.schedule or 0),
                rate=stage.rate,
                seed=recipe.seed,
                size=size,
                frozen=() if stage.joint else apart,
                until=count,
                ahead=True,
            ),
            heard,
            folder / f"{stage.name}.pt",
            meanings if before is None else None,
            None if before is None else before.state_dict(),
        )
        if stage.middle is not None and middle.is_file():
            halfway = torch.load(middle, weights_only=True)
            network.load_state_dict(blended(halfway, network.state_dict(), 0.5))
        return network

    network = None
    for stage, count in zip(STAGES, recipe.steps, strict=True):
        if count:
            network = staged(stage, count, network)
    if network is None:
        raise ValueError("a reader is made in one step at least: see --steps")
    name = recipe.encoder
    if name and Path(name).is_dir():
        name = str(Path(name).resolve())
    return ReaderWeights(network, lexicon, ReaderSettings(size, encoder=name))


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
    wanted = json.dumps(recipe.written, indent=2) + "\n"
    if not file.exists():
        file.write_text(wanted, encoding="utf-8")
    elif file.read_text(encoding="utf-8") != wanted:
        raise InputError(
            f"{file.parent} is of another recipe", "remove it, or give the options that it has"
        )


def main(argv: Sequence[str] | None = None) -> None:
    """Make a reader from the command line."""
    own, stages = ReaderRecipe(), ", ".join(stage.name for stage in STAGES)
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--steps",
        type=int,
        nargs=len(STAGES),
        default=own.steps,
        help=f"those of {stages}",
    )
    parser.add_argument("--width", type=int, default=own.width)
    parser.add_argument("--made", type=int, default=own.made, help="questions over each schema")
    parser.add_argument(
        "--no-twins", action="store_true", help="without wordings of test questions"
    )
    parser.add_argument("--without", action="append", default=[], help="a source to leave out")
    parser.add_argument("--seed", type=int, default=own.seed)
    parser.add_argument(
        "--encoder",
        metavar="DIR|HUB_ID",
        default=own.encoder,
        help="a sentence encoder that says what words mean",
    )
    given = parser.parse_args(argv)
    folder = os.environ.get("GROUNDWALK_DATA")
    if not folder:
        parser.error("GROUNDWALK_DATA does not name the folder of public data")
    recipe = ReaderRecipe(
        tuple(given.steps),
        given.width,
        given.made,
        not given.no_twins,
        tuple(given.without),
        given.seed,
        given.encoder,
    )
    torch.set_num_threads(1)
    try:
        train_reader(recipe, Path(folder), given.out, Console())
    except InputError as error:
        parser.error(f"{error.message} ({error.hint})" if error.hint else error.message)
    except (OSError, ValueError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
