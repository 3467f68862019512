"""MetaQA (Zhang et al. 2018): questions of one to three hops over its film KG."""

import re
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ...agent.errors import DatasetError, InputError
from ..samples import Gold, NamedStep, Sample
from .files import line_text, read_lines, read_texts
from .parsing import OnBroken, Row, Samples, collect, text

_SPLIT = re.compile(r"([1-9])-hop/(?:(vanilla|ntm)/)?([a-z]+)")
_RELATIONS = {
    "actor": "starred_actors",
    "director": "directed_by",
    "genre": "has_genre",
    "imdbrating": "has_imdb_rating",
    "imdbvotes": "has_imdb_votes",
    "language": "in_language",
    "tag": "has_tags",
    "tags": "has_tags",
    "writer": "written_by",
    "year": "release_year",
}
"""The relation that leads from a movie to an entity of each kind that the types name."""


def metaqa(folder: Path, split: str, on_broken: OnBroken) -> Samples:
    """The questions of `<hops>-hop/vanilla/qa_<split>.txt`, as they stand there.

    A split is such as `1-hop/dev`, or `1-hop/ntm/dev` for the paraphrased questions. The topic
    stays in its [brackets] and is given by label, as are the answers. The number in an id is that
    of the line, from 1. The types come from `<hops>-hop/qa_<split>_qtype.txt` where it is there,
    and the gold relation paths from them; the dataset has no gold chains. Raises InputError and
    DatasetError.
    """
    match = _SPLIT.fullmatch(split)
    if match is None:
        raise InputError(f"MetaQA has no split {split!r}", "give one such as 1-hop/dev")
    hops, wording, name = int(match[1]), match[2] or "vanilla", match[3]
    variant = "" if wording == "vanilla" else f"{wording}-"
    file = folder / f"{hops}-hop" / wording / f"qa_{name}.txt"
    rows = list(read_lines(file))
    types = _types(folder / f"{hops}-hop" / f"qa_{name}_qtype.txt", rows)
    read = _Split(f"metaqa-{hops}hop-{variant}{name}-", hops, types)
    return collect(file, rows, partial(_sample, read), on_broken)


class _Split(NamedTuple):
    id: str
    hops: int
    types: dict[int, str]


def _types(file: Path, questions: list[Row]) -> dict[int, str]:
    """The question types by line; there is one for each question, or the file is another's."""
    if not file.exists():
        return {}
    types = {number: text.strip() for number, text in read_texts(file).items()}
    if types.keys() != {row.number for row in questions}:
        raise DatasetError(
            f"{file} has {len(types)} lines for {len(questions)} questions",
            "take the file that came with the questions, or remove it",
        )
    return types


def _path(kind: str) -> tuple[NamedStep, ...]:
    """The relation path of a type such as `actor_to_movie_to_year`; none of a type of others."""
    classes = kind.split("_to_")
    steps = [
        (_RELATIONS.get(source if target == "movie" else target, ""), target == "movie")
        for source, target in zip(classes, classes[1:], strict=False)
        if "movie" in (source, target)
    ]
    return tuple(steps) if len(steps) == len(classes) - 1 and all(r for r, _ in steps) else ()


def _sample(read: _Split, row: Row) -> Sample:
    question, tab, answers = line_text(row).partition("\t")
    labels = [label.strip() for label in answers.split("|")]
    start, end = question.find("["), question.rfind("]")
    if not tab or "\t" in answers or not all(labels):
        raise ValueError("is not `question TAB answer|answer`")
    if not -1 < start < end - 1:
        raise ValueError("the question names no topic in [brackets]")
    return Sample(
        id=f"{read.id}{row.number:06}",
        question=question.strip(),
        answers=tuple(Gold(label=label) for label in dict.fromkeys(labels)),
        topics=(text(question[start + 1 : end], "topic"),),
        hops=read.hops,
        type=(kind := read.types.get(row.number, "")),
        path=_path(kind),
    )
