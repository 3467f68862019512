"""The questions that a recipe names: to train on, and to fit the confidence.

They come from files of questions with answers or with queries, or from a dataset.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast

from ...agent.errors import DatasetError, InputError
from ...agent.kg.opening import WORLD
from ...evaluation.datasets import read_samples
from ...evaluation.datasets.jsonl import read_jsonl, read_world
from ...evaluation.samples import Sample, part_of
from ..recipe import Recipe


class FileQuestion(NamedTuple):
    """A question of a file: its text, the topics it names and the answers, as written there.

    Or it comes with its `query` in the place of both, as `groundwalk ask --query` takes it.
    """

    text: str
    topics: tuple[str, ...]
    answers: tuple[str, ...]
    line: int
    query: Mapping[str, Any] | None = None


def asked_questions(recipe: Recipe) -> list[FileQuestion]:
    """Those of one part, at most `limit` a file or split. Raises DatasetError and InputError."""
    if recipe.questions:
        files = [read_questions(recipe.questions)]
    elif recipe.dataset:
        files = [
            [_asked(sample, number) for number, sample in enumerate(samples, 1) if sample.answers]
            for split in recipe.split.split(",")
            for samples in [read_samples(recipe.dataset, recipe.data, split.strip())]
        ]
    else:
        return []
    asked = [
        one
        for questions in files
        for one in select(questions, recipe.part, recipe.limit, recipe.seed)
    ]
    with_query = next((question for question in asked if question.query is not None), None)
    if with_query is not None and "query" not in recipe.formats:
        raise InputError(
            f"{recipe.questions}:{with_query.line}: a query is learnt with the format query",
            "add it to the formats: --formats path,query",
        )
    return asked


def tuning_questions(kg_source: str, recipe: Recipe) -> list[Sample]:
    """Those that fit the confidence and are not trained on; the bundled graph has some.

    Raises DatasetError.
    """
    if recipe.tuning:
        return list(read_jsonl(recipe.tuning))
    bundled = kg_source == WORLD and not recipe.supervised
    return list(read_world("tuning")) if bundled else []


def _asked(sample: Sample, number: int) -> FileQuestion:
    answers = tuple(gold.term or gold.label for gold in sample.answers)
    return FileQuestion(sample.question, sample.topics, answers, number)


_BRACKETS = re.compile(r"\[([^\[\]]+)\]")


def read_questions(file: Path) -> list[FileQuestion]:
    """Read MetaQA's `question with [topic] TAB answer|answer`, or JSON lines. Raises DatasetError.

    A JSON line is `{"question": text, "topics": [label or term], "answers": [label or term]}`, or
    with a query as `/wrong` of the chat keeps it, `{"question", "query", "mentions"}`.
    """
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{file}: cannot be read ({error})") from error
    asked = [_read_line(line, number, file) for number, line in enumerate(lines, 1) if line.strip()]
    if not asked:
        raise DatasetError(f"{file}: holds no questions")
    return asked


def select(
    asked: Sequence[FileQuestion], part: str, limit: int | None, seed: int
) -> list[FileQuestion]:
    """The questions of one part of the split, at most `limit` of them, drawn by seed."""
    chosen = [a for a in asked if part in ("all", part_of(a.text))]
    if limit is not None and limit < len(chosen):
        places = sorted(Random(f"limit {seed}").sample(range(len(chosen)), limit))
        chosen = [chosen[index] for index in places]
    return chosen


def _read_line(line: str, number: int, file: Path) -> FileQuestion:
    if line.lstrip().startswith("{"):
        return _read_json(line, number, file)
    question, tab, answers = line.partition("\t")
    topics = tuple(match[1] for match in _BRACKETS.finditer(question))
    if not tab or not topics:
        raise DatasetError(
            f"{file}:{number}: is neither `question with [topic] TAB answer|answer` nor JSON"
        )
    split = tuple(answer.strip() for answer in answers.split("|") if answer.strip())
    return FileQuestion(question, topics, split, number)


def _read_json(line: str, number: int, file: Path) -> FileQuestion:
    try:
        row = cast("dict[str, Any]", json.loads(line))
        if "query" in row and "answers" not in row:
            query = {name: row[name] for name in ("query", "mentions") if name in row}
            return FileQuestion(_text(row["question"]), (), (), number, query)
        question, topics, answers = row["question"], row["topics"], row["answers"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DatasetError(f"{file}:{number}: is not a question ({error!r})") from error
    texts = [question, *topics, *answers] if isinstance(topics, list) else [None]
    if not isinstance(answers, list) or not all(isinstance(text, str) for text in texts):
        raise DatasetError(f"{file}:{number}: topics and answers must be lists of text")
    return FileQuestion(question, tuple(topics), tuple(answers), number)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
