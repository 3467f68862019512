"""Scoring predictions in a dialect: lines of any system, or those of a run directory."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from typing_extensions import TypedDict

from ...agent.errors import InputError
from ...agent.kg.labels.names import local_name
from ..analysis.bootstrap import Estimate, mean_intervals
from ..record_lines import LINES_FILE, checked, numbered_lines, read_records
from ..records import GoldRecord, Record
from .dialects import DIALECTS, Prediction, Scorer
from .metrics import METRIC_TITLES, METRICS

_SHAPE = 'a line is {"id": "...", "prediction": "...", "ground_truth": ["..."]}'


@dataclass(frozen=True)
class Score:
    """What the predictions of one system are worth in a dialect; `metrics` are between 0 and 1.

    `without_gold` lines have no gold answer, which no dialect scores; `repeated` lines have the id
    of an earlier one, and count. `metrics` is empty where nothing could be scored.
    """

    dialect: str
    method: str
    questions: int
    without_gold: int
    repeated: int
    metrics: dict[str, Estimate]


class _Line(NamedTuple):
    """A prediction with its gold answers; `record` where it comes from a run of ours."""

    method: str
    key: tuple[str, ...]
    prediction: Prediction
    gold: list[str]
    record: Record | None = None


def score_file(path: Path, dialect: str, seed: int = 0) -> list[Score]:
    """The score of each method in a file of predictions, in `samples.jsonl` or a run directory.

    In a run of ours `strict` gives the metrics of its records; the other dialects get the labels
    of its answers as several texts. Raises InputError for a dialect that there is none of, and,
    with its number, for a line that is broken.
    """
    if dialect not in DIALECTS:
        raise InputError(f"there is no dialect {dialect!r}", f"dialects: {', '.join(DIALECTS)}")
    methods: dict[str, list[_Line]] = {}
    for line in _lines(path):
        methods.setdefault(line.method, []).append(line)
    if not methods:
        raise InputError(f"{path} holds no predictions", _SHAPE)
    return [_score(dialect, method, lines, seed) for method, lines in methods.items()]


def _score(dialect: str, method: str, lines: list[_Line], seed: int) -> Score:
    scored = [_metrics(DIALECTS[dialect], line) for line in lines if line.gold]
    rows = [list(metrics.values()) for metrics in scored]
    names = list(scored[0]) if scored else []
    return Score(
        dialect=dialect,
        method=method,
        questions=len(lines),
        without_gold=len(lines) - len(scored),
        repeated=len(lines) - len({line.key for line in lines}),
        metrics=dict(zip(names, mean_intervals(rows, seed), strict=True)) if rows else {},
    )


def _metrics(scorer: Scorer, line: _Line) -> dict[str, float]:
    if line.record is not None and scorer is DIALECTS["strict"] and line.record["metrics"]:
        known = line.record["metrics"]
        return {METRIC_TITLES[metric]: known[metric] for metric in METRICS}
    return dict(scorer(line.prediction, line.gold))


def _lines(path: Path) -> Iterator[_Line]:
    if path.is_dir() or path.name == LINES_FILE:
        for record in read_records(path):
            key = record["dataset"], record["split"], record["id"]
            labels = [answer["label"] for answer in record["answers"]]
            gold = [_label(answer) for answer in record["gold"]]
            yield _Line(record["method"], key, labels, gold, record)
        return
    for number, line in numbered_lines(path):
        yield _prediction(line, f"{path}, line {number}")


def _label(gold: GoldRecord) -> str:
    return gold["label"] or local_name(gold["term"])


class _Given(TypedDict):
    """A line of predictions; what else it has is nobody's business."""

    id: str | int
    prediction: str | list[str]
    ground_truth: list[str]


def _prediction(line: bytes, place: str) -> _Line:
    given = checked(_Given, line, f"{place}: is not a prediction", _SHAPE)
    return _Line("", (str(given["id"]),), given["prediction"], given["ground_truth"])
