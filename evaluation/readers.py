"""Reading question sets: the bundled `world`, `metaqa` folders and the user's own `jsonl`."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any, cast

from ..agent.errors import DatasetError, InputError
from .samples import Gold, Sample

_SPLIT = re.compile(r"([1-9])-hop/(?:(vanilla|ntm)/)?([a-z]+)")
_WORLD = {"test": "questions.jsonl", "tuning": "tuning.jsonl"}
_TERM = re.compile(r'<[a-zA-Z][^<>\s:]*:[^<>\s]*>|"(.*)"(?:@[\w-]+|\^\^<[^<>\s]+>)', re.DOTALL)


def read_samples(dataset: str, data: Path | None = None, split: str = "") -> tuple[Sample, ...]:
    """Every question of a dataset, in the order of its file.

    `world` needs no `data`; its splits are `test`, which is the default, and `tuning`. `metaqa`
    takes its folder and a split such as `1-hop/dev` (or `1-hop/ntm/dev` for the paraphrased
    questions). `jsonl` takes a file, or a folder in which `split` names one. Raises InputError for
    an unknown dataset or a missing argument, DatasetError for a file that is missing or broken; it
    names the file and the line.
    """
    if dataset not in DATASETS:
        raise InputError(
            f"there is no dataset {dataset!r}", f"datasets: {', '.join(sorted(DATASETS))}"
        )
    return DATASETS[dataset](data, split)


def read_world(split: str = "test") -> tuple[Sample, ...]:
    """The questions over the bundled KG; some have no answer, on purpose. Raises InputError."""
    if split not in _WORLD:
        raise InputError(f"the world questions have no split {split!r}", "splits: test, tuning")
    package = f"{__name__.split('.')[0]}.data.world"
    with resources.as_file(resources.files(package) / _WORLD[split]) as file:
        return tuple(
            replace(sample, topics=tuple(f"<{iri}>" for iri in sample.topics))
            for sample in read_jsonl(file)
        )


def read_metaqa(folder: Path, split: str) -> tuple[Sample, ...]:
    """The questions of `<hops>-hop/vanilla/qa_<split>.txt`, as they stand there.

    The topic stays in its [brackets] and is given by label, as are the answers. The number in an
    id is that of the line, from 1. Raises InputError and DatasetError as `read_samples`.
    """
    match = _SPLIT.fullmatch(split)
    if match is None:
        raise InputError(f"MetaQA has no split {split!r}", "give one such as 1-hop/dev")
    hops, wording, name = int(match[1]), match[2] or "vanilla", match[3]
    variant = "" if wording == "vanilla" else f"{wording}-"
    file = folder / f"{hops}-hop" / wording / f"qa_{name}.txt"
    samples = (
        _metaqa_sample(file, number, line, f"metaqa-{hops}hop-{variant}{name}-{number:06}", hops)
        for number, line in _lines(file)
    )
    return _checked(file, samples)


def read_jsonl(file: Path) -> tuple[Sample, ...]:
    """One JSON object a line: `question`, `answers`, and if known `id`, `topics`, `hops`, `tags`.

    An answer is a label, a term in N-Triples syntax, or `{"term": ..., "label": ...}`; an empty
    list says that the question cannot be answered. Without an id the line's number makes one.
    Raises DatasetError.
    """
    samples = (_json_sample(file, number, line) for number, line in _lines(file))
    return _checked(file, samples)


def _world(data: Path | None, split: str) -> tuple[Sample, ...]:
    if data is not None:
        raise InputError("the world questions are bundled", "leave out data")
    return read_world(split or "test")


def _metaqa(data: Path | None, split: str) -> tuple[Sample, ...]:
    return read_metaqa(_needed(data, "the MetaQA folder"), split)


def _jsonl(data: Path | None, split: str) -> tuple[Sample, ...]:
    path = _needed(data, "a JSON lines file of questions")
    if path.is_dir():
        if not split:
            raise InputError(f"{path} is a folder", "name the file, or the split that it is in")
        path = path / f"{split}.jsonl"
    return read_jsonl(path)


DATASETS: dict[str, Callable[[Path | None, str], tuple[Sample, ...]]] = {
    "world": _world,
    "metaqa": _metaqa,
    "jsonl": _jsonl,
}
"""Every reader by the name that `--dataset` takes."""


def _needed(data: Path | None, what: str) -> Path:
    if data is None:
        raise InputError("this dataset is not bundled", f"say where it is: {what}")
    return data


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers from 1."""
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                text = _decoded(file, number, line)
                if text.strip():
                    yield number, text
    except OSError as error:
        reason = error.strerror or str(error)
        raise DatasetError(f"{file} cannot be read: {reason}", "check the path") from error


def _decoded(file: Path, number: int, line: bytes) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise _broken(file, number, "is not UTF-8") from error


def _checked(file: Path, samples: Iterable[Sample]) -> tuple[Sample, ...]:
    found: dict[str, Sample] = {}
    for sample in samples:
        if sample.id in found:
            raise DatasetError(f"{file}: the id {sample.id!r} occurs twice", "make ids unique")
        found[sample.id] = sample
    if not found:
        raise DatasetError(f"{file} holds no questions", "check that it is the right file")
    return tuple(found.values())


def _broken(file: Path, number: int, why: str) -> DatasetError:
    return DatasetError(f"{file}, line {number}: {why}", "correct or remove the line")


def _metaqa_sample(file: Path, number: int, line: str, sample_id: str, hops: int) -> Sample:
    question, tab, answers = line.partition("\t")
    labels = [label.strip() for label in answers.split("|")]
    start, end = question.find("["), question.rfind("]")
    if not tab or "\t" in answers or not all(labels):
        raise _broken(file, number, "is not `question TAB answer|answer`")
    if not -1 < start < end - 1:
        raise _broken(file, number, "the question names no topic in [brackets]")
    return Sample(
        id=sample_id,
        question=question.strip(),
        answers=tuple(Gold(label=label) for label in dict.fromkeys(labels)),
        topics=(question[start + 1 : end].strip(),),
        hops=hops,
    )


def _json_sample(file: Path, number: int, line: str) -> Sample:
    try:
        fields: object = json.loads(line)
        if not isinstance(fields, dict):
            raise ValueError("is not a JSON object")
        known = cast("dict[str, Any]", fields)
        sample_id = known.get("id")
        hops = known.get("hops")
        if not (hops is None or type(hops) is int):
            raise ValueError("`hops` is not a whole number")
        return Sample(
            id=f"{file.stem}-{number:06}" if sample_id is None else _text(str(sample_id), "id"),
            question=_text(known.get("question"), "question"),
            answers=tuple(dict.fromkeys(map(_gold, _list(known.get("answers"), "answers")))),
            topics=tuple(_text(t, "topics") for t in _list(known.get("topics", []), "topics")),
            hops=hops,
            tags=tuple(_text(t, "tags") for t in _list(known.get("tags", []), "tags")),
        )
    except (ValueError, RecursionError) as error:
        why = "is not JSON" if isinstance(error, json.JSONDecodeError) else str(error)
        raise _broken(file, number, why) from error


def _gold(value: object) -> Gold:
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        gold = Gold(
            _text(fields.get("term", ""), "answers", empty=True),
            _text(fields.get("label", ""), "answers", empty=True),
        )
        if gold == Gold():
            raise ValueError("an answer has neither `term` nor `label`")
        return gold
    text = _text(value, "answers")
    match = _TERM.fullmatch(text)
    if match is None:
        return Gold(label=text)
    return Gold(term=text, label=match[1] or "")


def _list(value: object, name: str) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"`{name}` is not a list")
    return cast("list[object]", value)


def _text(value: object, name: str, *, empty: bool = False) -> str:
    if not isinstance(value, str) or not (empty or value.strip()):
        raise ValueError(f"`{name}` is not a text, or an empty one")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"`{name}` holds half a character") from None
    return value.strip()
