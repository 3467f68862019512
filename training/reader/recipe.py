"""The recipe of the reader of any graph: `./dev train-reader OUT`.

It reads the public data that `GROUNDWALK_DATA` names, and goes on from its checkpoint when it is
called again. What it learnt from is told in the reader's README.
"""

import argparse
import json
import os
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from ...agent.errors import InputError
from ...agent.reader.inputs import KIND_NUMBERS, NONE, Size
from ...agent.reader.lexicon import Lexicon, open_encoder
from ...agent.reader.network import MATCHES
from ...agent.reader.weights import ReaderSettings, ReaderWeights, write_weights
from .asked import asked_graphs
from .batches import Batcher
from .card import write_card
from .composed import COMPOSED
from .judging import with_judge
from .labelled import LABELLED
from .learning import Plan, blended, measured, stream_of, train
from .lessons import Lessons, gather_lessons
from .lexicons import lexicon_of, meanings_of, nouns_of, thesaurus
from .module import ReaderModule, is_joint_after
from .naming import OtherNames
from .pools import PLAIN, Pool, every_word, pools_of
from .rows import ROWS
from .siblings import Siblings, Vector, siblings_of
from .stages import STAGES, Stage
from .thresholds import fit_thresholds

LESSONS = "lessons.pickle"
_MEANING = 192
"""Numbers that the meaning of a word has."""
_JOINT = max(stage.joint for stage in STAGES)
_MOST_WORDS = 1_000_000
"""Words of which it is kept what an encoder says."""
_WATCHED_EVERY = 1_000
"""Steps after which it is seen how the training goes."""
_REPORTED_EVERY = 200


@dataclass(frozen=True)
class ReaderRecipe:
    """How a reader is made; with another recipe a checkpoint is not gone on from."""

    steps: tuple[int, ...] = tuple(stage.steps for stage in STAGES)
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
        written = asdict(self)
        return written if self.encoder else {k: v for k, v in written.items() if k != "encoder"}


def train_reader(
    recipe: ReaderRecipe, data: Path, out: Path, console: Console, device: str = "cpu"
) -> None:
    """Make a reader in `out`; its checkpoint is beside it, in a folder that ends in `.partial`.

    `device` is where it is trained, as torch names it.

    Raises InputError for a checkpoint of another recipe and an encoder that cannot be had, and
    OSError where data is missing.
    """
    out = out.resolve()
    folder = out.with_name(f"{out.name}.partial")
    folder.mkdir(parents=True, exist_ok=True)
    _check_recipe(recipe, folder / "recipe.json")
    since = time.monotonic()

    def report(text: str) -> None:
        console.print(f"{time.monotonic() - since:7.0f} s  {text}", highlight=False, markup=False)

    encoder = None
    if recipe.encoder:
        encoder = open_encoder(recipe.encoder, asks_hub=True, most=_MOST_WORDS)
    lessons = lessons_beside(recipe, data, folder / LESSONS, report)
    report("making the lexicon")
    every = [
        example
        for source, examples in lessons.examples.items()
        for example in examples
        if source not in (COMPOSED, ROWS, LABELLED)  # these have the words of others
    ]
    questions = [" ".join(word.text for word in example.words) for example in every]
    near = thesaurus()
    lexicon = lexicon_of(data, questions, near)
    size, vectors = Size(width=recipe.width, meaning=_MEANING, joint=_JOINT), None
    word_vectors = dict[str, Vector]()
    if encoder is None:
        labels = (name for example in every for name, _, _ in example.names)
        meanings = meanings_of(data, questions, labels, near, size.meaning)
        rows = {word: row for row, word in enumerate(meanings.words, start=1)}
        lexicon, size = replace(lexicon, meanings=rows), replace(size, meanings=len(rows))
        vectors = torch.from_numpy(meanings.vectors)
        word_vectors = dict(zip(meanings.words, meanings.vectors, strict=True))
    else:
        lexicon, size = replace(lexicon, encoder=encoder), replace(size, meaning=encoder.width)
    of_words = {heads[0]: others for heads, others in near if len(heads) == 1}
    names = OtherNames(lexicon.aliases, of_words, nouns_of(data))
    course = _Course(recipe, lessons, lexicon, names, word_vectors, size, folder, report, device)
    network = course.train(vectors)
    name = recipe.encoder
    if name and Path(name).is_dir():
        name = str(Path(name).resolve())
    reader = ReaderWeights(network.network(), lexicon, ReaderSettings(size, encoder=name))
    reader = with_judge(reader, asked_graphs(apart=False), report, recipe.seed)
    reader = fit_thresholds(
        reader, lessons.apart, list(asked_graphs(apart=True)), report, recipe.seed
    )
    out.mkdir(parents=True, exist_ok=True)
    write_weights(out, reader)
    write_card(out, reader, recipe.written, lessons.provenance, data)
    report(f"written to {out}")


@dataclass(frozen=True)
class _Course:
    """The stages of a training, one after the other, each with a checkpoint in a folder."""

    recipe: ReaderRecipe
    lessons: Lessons
    lexicon: Lexicon
    names: OtherNames
    word_vectors: Mapping[str, Vector]
    """What words mean; none where an encoder says it."""
    size: Size
    folder: Path
    report: Callable[[str], None]
    device: str

    @cached_property
    def _pools(self) -> Mapping[str, Pool]:
        """The labels of all schemas; where an encoder says what words mean, it says it here."""
        lessons, encoder = self.lessons, self.lexicon.encoder
        every = [*chain.from_iterable(lessons.examples.values()), *lessons.watched]
        pools = pools_of(every, lessons.schemas)
        if encoder is not None:
            words = every_word(every, pools, self.names.words())
            self.report(f"encoding {len(words):,} words")
            encoder.vectors(words)  # here, and not in the process that makes the batches
        return pools

    @cached_property
    def _plain(self) -> Batcher:
        return Batcher(self.lexicon, self._pools, PLAIN)

    @cached_property
    def _siblings(self) -> Siblings:
        labels = (hop.label for pool in self._pools.values() for hop in pool.hops)
        return siblings_of(labels, self.word_vectors, self.lexicon.apart)

    def train(self, meanings: torch.Tensor | None) -> ReaderModule:
        """The network after all stages; `meanings` are the vectors of the lexicon's words."""
        network, begun = None, dict[str, dict[str, torch.Tensor]]()
        for stage, count in zip(STAGES, self.recipe.steps, strict=True):
            if network is not None:
                begun[stage.name] = {name: w.clone() for name, w in network.state_dict().items()}
            if not count:
                continue
            network = self._after(stage, count, network, meanings)
            if stage.mean_with in begun:
                mean = blended(begun[stage.mean_with], network.state_dict(), stage.share)
                network.load_state_dict(mean)
            with torch.no_grad():
                network.kinds.bias[KIND_NUMBERS[NONE]] -= stage.answering
        if network is None:
            raise ValueError("a reader is made in one step at least: see --steps")
        return network

    def _after(
        self,
        stage: Stage,
        count: int,
        before: ReaderModule | None,
        meanings: torch.Tensor | None,
    ) -> ReaderModule:
        """The network after a stage; `before` is the one that it goes on from."""
        self.report(f"{stage.name}: {count:,} steps begin")
        lessons, seed = self.lessons, self.recipe.seed
        middle = self.folder / f"{stage.name}.middle.pt"
        names = (name for name, _ in ReaderModule(self.size).named_parameters())
        unused = tuple(name for name in names if is_joint_after(name, stage.joint))
        every = {**dict.fromkeys(lessons.examples, 1.0), **lessons.weights}
        weights = {name: weight * stage.more.get(name, 1.0) for name, weight in every.items()}
        network = train(
            Batcher(self.lexicon, self._pools, stage.drawing, self.names, self._siblings),
            lambda step: stream_of(lessons.examples, weights, seed + step, stage.rarity),
            Plan(
                steps=max(count, stage.schedule or 0),
                batch=stage.batch,
                averaged=stage.averaged,
                rate=stage.rate,
                seed=seed,
                size=self.size,
                frozen=(*stage.frozen, *unused),
                until=count,
                makers=1 if self.device == "cpu" else max(1, (os.cpu_count() or 1) - 1),
                device=self.device,
            ),
            self._watch(stage, count, middle),
            self.folder / f"{stage.name}.pt",
            meanings if before is None else None,
            None if before is None else before.state_dict(),
        )
        halfway = before.state_dict() if before and stage.middle == 0 else None
        if stage.middle and middle.is_file():
            halfway = torch.load(middle, weights_only=True, map_location=self.device)
        if halfway is not None:
            network.load_state_dict(blended(halfway, network.state_dict(), 0.5))
        return network

    def _watch(
        self, stage: Stage, count: int, middle: Path
    ) -> Callable[[int, float, ReaderModule], None]:
        """What hears of the steps of a stage: it reports, and writes the weights half way."""
        since, watched = time.monotonic(), self.lessons.watched
        first: int | None = None

        def heard(step: int, loss: float, network: ReaderModule) -> None:
            nonlocal first
            first = step if first is None else first
            if step % _WATCHED_EVERY == 0:
                right = measured(network.eval(), self._plain, watched)
                network.train()
                share = 100 * right.whole
                self.report(f"kept apart: {share:.1f}% of {len(watched)} questions right")
            if step % _REPORTED_EVERY == 0 and step > first:
                left = (count - step) * (time.monotonic() - since) / (step - first) / 60
                self.report(f"step {step:,} of {count:,}, loss {loss:.3f}, {left:.0f} min left")
            if step == stage.middle:
                torch.save(network.state_dict(), middle)

        return heard


def lessons_beside(
    recipe: ReaderRecipe, data: Path, file: Path, report: Callable[[str], None]
) -> Lessons:
    """The lessons, made at the first call and kept in a file beside the checkpoint."""
    if file.exists():
        report("the lessons are there")
        return pickle.loads(file.read_bytes())
    lessons = gather_lessons(
        data,
        made=recipe.made,
        twins=recipe.twins,
        without=frozenset(recipe.without),
        seed=recipe.seed,
        report=report,
        workers=os.cpu_count() or 1,
    )
    written = file.with_suffix(".new")
    written.write_bytes(pickle.dumps(lessons))
    written.replace(file)
    return lessons


def _check_recipe(recipe: ReaderRecipe, file: Path) -> None:
    network = {"joint": [stage.joint for stage in STAGES], "matches": MATCHES}
    wanted = json.dumps(recipe.written | network, indent=2) + "\n"
    if not file.exists():
        file.write_text(wanted, encoding="utf-8")
    elif file.read_text(encoding="utf-8") != wanted:
        raise InputError(
            f"{file.parent} is of another recipe", "remove it, or give the options that it has"
        )


def main(argv: Sequence[str] | None = None) -> None:
    """Make a reader from the command line."""
    default, stages = ReaderRecipe(), ", ".join(stage.name for stage in STAGES)
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("out", type=Path)
    add("--steps", type=int, nargs="+", help=f"those of {stages}; 0 for each that is not said")
    add("--width", type=int, default=default.width)
    add("--made", type=int, default=default.made, help="questions over each schema")
    add("--no-twins", action="store_true", help="without wordings of test questions")
    add("--without", action="append", default=[], help="a source to leave out")
    add("--seed", type=int, default=default.seed)
    add(
        "--encoder",
        metavar="DIR|HUB_ID",
        default=default.encoder,
        help="a sentence encoder that says what words mean",
    )
    add("--device", default="cpu", help="where it is trained: cpu, cuda")
    options = parser.parse_args(argv)
    folder = os.environ.get("GROUNDWALK_DATA")
    if not folder:
        parser.error("GROUNDWALK_DATA does not name the folder of public data")
    steps = tuple(options.steps or default.steps)
    if len(steps) > len(STAGES):
        parser.error(f"--steps: there are {len(STAGES)} stages, and {len(steps)} numbers")
    recipe = ReaderRecipe(
        steps + (0,) * (len(STAGES) - len(steps)),
        options.width,
        options.made,
        not options.no_twins,
        tuple(options.without),
        options.seed,
        options.encoder,
    )
    torch.set_num_threads(1)
    try:
        train_reader(recipe, Path(folder), options.out, Console(), options.device)
    except InputError as error:
        parser.error(f"{error.message} ({error.hint})" if error.hint else error.message)
    except (OSError, ValueError, RuntimeError) as error:
        parser.error(str(error).partition("\n")[0])


if __name__ == "__main__":
    main()
