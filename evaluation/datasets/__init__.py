"""Reading question sets, by the name of the dataset."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ...agent.errors import InputError
from ..samples import Sample
from .files import OnBroken, ReadSplit, Samples, Skipped
from .jsonl import exam_kg, jsonl, read_exam, read_world
from .with_graph import kb_file, metaqa, pathquestion, rog, two_wiki
from .without_graph import commonsenseqa, freebaseqa, medqa, qald

PER_QUESTION = "per question"
"""The KG of a dataset whose samples each have their `graph`."""


@dataclass(frozen=True)
class Dataset:
    """How a dataset is read; `data` says what it is read from and is empty for a bundled one.

    `kg` tells for that folder or file and a split where the KG is, as `open_kg` takes it, or
    PER_QUESTION. It is None where the dataset has no KG and the user must name one. `split` makes
    one name of all those that a split may be given by.
    """

    data: str
    read: ReadSplit
    kg: Callable[[Path, str], str] | None = None
    split: Callable[[str], str] = str


class Read(NamedTuple):
    """The questions of a dataset, what was broken, its KG and its split."""

    samples: tuple[Sample, ...]
    skipped: Skipped
    kg: str | None
    split: str


def _per_question(_data: Path, _split: str) -> str:
    return PER_QUESTION


DATASETS: dict[str, Dataset] = {
    "2wiki": Dataset("2WikiMultihopQA's folder or file", two_wiki, _per_question),
    "commonsenseqa": Dataset(
        "CommonsenseQA's folder or file",
        commonsenseqa,
        split=lambda name: name.removesuffix("_rand_split"),
    ),
    "exam": Dataset(
        "",
        lambda _data, split, _on_broken: Samples(read_exam(split or "world")),
        lambda _data, split: exam_kg(split or "world"),
        lambda name: name or "world",
    ),
    "freebaseqa": Dataset(
        "FreebaseQA's folder or file",
        freebaseqa,
        split=lambda name: name.removeprefix("FreebaseQA-"),
    ),
    "jsonl": Dataset("a JSON lines file of questions, or a folder of them", jsonl),
    "medqa": Dataset("MedQA's folder or file", medqa),
    "metaqa": Dataset(
        "the MetaQA folder",
        metaqa,
        lambda data, _: str(data / "kb.txt"),
        lambda name: name.replace("/vanilla/", "/"),
    ),
    "pathquestion": Dataset(
        "the PathQuestion folder", pathquestion, lambda data, split: str(kb_file(data, split))
    ),
    "qald": Dataset(
        "a QALD JSON file, or a folder of them", qald, split=lambda name: name.removesuffix("@en")
    ),
    "rog": Dataset("RoG-webqsp's or RoG-cwq's folder or file", rog, _per_question),
    "world": Dataset(
        "",
        lambda _data, split, _on_broken: Samples(read_world(split or "test")),
        lambda _data, _split: "world",
        lambda name: name or "test",
    ),
}
"""Every dataset by the name that `--dataset` takes."""


def read_dataset(
    dataset: str, data: Path | None = None, split: str = "", on_broken: OnBroken = "fail"
) -> Read:
    """The questions of a dataset in the order of its files, and where its KG is.

    `data` is the folder or file that `Dataset.data` describes; `world` is bundled and takes none.
    With `on_broken="skip"`, rows that are broken or repeat an id are left out and counted. Raises
    InputError for an unknown dataset, a missing argument or a split that cannot be, DatasetError
    for a file that is missing or broken; it names the file and the line.
    """
    if dataset not in DATASETS:
        raise InputError(
            f"there is no dataset {dataset!r}", f"datasets: {', '.join(sorted(DATASETS))}"
        )
    chosen = DATASETS[dataset]
    if data is not None and not chosen.data:
        raise InputError(f"the {dataset} questions are bundled", "leave out data")
    if data is None and chosen.data:
        raise InputError("this dataset is not bundled", f"say where it is: {chosen.data}")
    where = data or Path()
    samples, skipped = chosen.read(where, split, on_broken)
    return Read(samples, skipped, chosen.kg and chosen.kg(where, split), chosen.split(split))


def kg_of(dataset: str, data: Path | None, split: str) -> str:
    """Where the one KG of a dataset is; empty where there is none for all its questions."""
    known = DATASETS.get(dataset)
    source = known.kg(data or Path(), split) if known and known.kg else ""
    return "" if source == PER_QUESTION else source


def read_samples(dataset: str, data: Path | None = None, split: str = "") -> tuple[Sample, ...]:
    """The questions of a dataset, all of which must be right: see `read_dataset`."""
    return read_dataset(dataset, data, split).samples
