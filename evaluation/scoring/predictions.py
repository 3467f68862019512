"""Scoring predictions in a dialect: lines of any system, or those of a run directory.

`strict` is ours, over labels. `gcr` and `rog` reproduce the scorers of those papers (`rog` is also
that of GNN-RAG), which are more generous, so that numbers compare. Both take a gold answer for
found where it is a substring of all lines joined, also across their ends.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import punctuation
from typing import NamedTuple, TypeAlias

from typing_extensions import TypedDict

from ...agent.errors import InputError
from ...agent.kg.labels.names import local_name
from ..analysis.bootstrap import Estimate, mean_intervals
from ..record_lines import LINES_FILE, checked, numbered_lines, read_records
from ..records import GoldRecord, Record
from ..samples import Gold
from .metrics import METRIC_TITLES, METRICS, Predicted
from .metrics import strict as strict_scores

Prediction: TypeAlias = str | Sequence[str]
"""What a system said: a text with an answer a line, or several texts."""

_NO_PUNCTUATION = str.maketrans("", "", punctuation)
_ARTICLE = re.compile(r"\b(?:an?|the)\b")


Scorer: TypeAlias = Callable[[Prediction, Sequence[str]], dict[str, float]]
"""One dialect: the metrics of a prediction with at least one gold answer.

Their names and their order never change.
"""


def strict(prediction: Prediction, gold: Sequence[str]) -> dict[str, float]:
    """The strict metrics of a prediction, of which each line that is not blank is an answer."""
    texts = [prediction] if isinstance(prediction, str) else prediction
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    scores = strict_scores(
        [Gold(label=answer) for answer in gold], [Predicted("", (line,)) for line in lines]
    )
    assert scores is not None  # there is a gold answer
    return {METRIC_TITLES[metric]: scores[metric] for metric in METRICS}


def gcr(prediction: Prediction, gold: Sequence[str]) -> dict[str, float]:
    """Accuracy (which is the recall), any-hit, F1, precision and recall, between 0 and 1.

    A text is split on newlines. Each line is kept once, the most frequent first, blank ones too.
    Precision is the share of lines that hold any gold answer.
    """
    lines = by_frequency(prediction.split("\n") if isinstance(prediction, str) else prediction)
    wanted = [simplify(answer) for answer in gold]
    hits = contained(" ".join(lines), wanted)
    precision = sum(any(contained(line, wanted)) for line in lines) / len(lines) if lines else 0.0
    accuracy, measures = _measures(hits, lines, precision)
    return {"Accuracy": accuracy, "Hit": float(any(hits)), **measures}


def rog(prediction: Prediction, gold: Sequence[str]) -> dict[str, float]:
    """Accuracy (which is the recall), any-hit, hit in the first line, F1, precision and recall.

    A text is split on newlines, and every line counts, blank and repeated ones too. Of several
    texts each is kept once, the most frequent first. Precision is the number of gold answers found
    over that of lines, so it may exceed 1, and F1 with it. What the papers call Hits@1 is `Hit`.
    """
    lines = prediction.split("\n") if isinstance(prediction, str) else by_frequency(prediction)
    wanted = [simplify(answer) for answer in gold]
    hits = contained(" ".join(lines), wanted)
    accuracy, measures = _measures(hits, lines, sum(hits) / len(lines) if lines else 0.0)
    first = float(bool(lines) and any(contained(lines[0], wanted)))
    return {"Accuracy": accuracy, "Hit": float(any(hits)), "Hit1": first, **measures}


DIALECTS: Mapping[str, Scorer] = {"strict": strict, "gcr": gcr, "rog": rog}
"""The dialects by name, our own first."""


def simplify(text: str) -> str:
    """Lower case without ASCII punctuation, then without articles and double spaces.

    Punctuation leaves no space behind, so that `face/off` is `faceoff`.
    """
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def contained(text: str, simplified: Iterable[str]) -> list[bool]:
    """Of each simplified gold answer, whether it is a substring of the text.

    It may be part of a word. One that simplification leaves nothing of (`The`) is in every text.
    """
    within = simplify(text)
    return [answer in within for answer in simplified]


def by_frequency(texts: Iterable[str]) -> list[str]:
    """Each text once, the most frequent first; of equally frequent ones the earliest."""
    return [text for text, _ in Counter(texts).most_common()]


def _measures(
    hits: Sequence[bool], lines: Sequence[str], precision: float
) -> tuple[float, dict[str, float]]:
    """The accuracy, and F1, precision and recall. Without any line the recall is 0."""
    accuracy = sum(hits) / len(hits)
    recall = accuracy if lines else 0.0
    total = precision + recall
    f1 = 2 * precision * recall / total if total else 0.0
    return accuracy, {"F1": f1, "Precision": precision, "Recall": recall}


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


def score_file(path: Path, dialect: str) -> list[Score]:
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
    return [_score(dialect, method, lines) for method, lines in methods.items()]


def _score(dialect: str, method: str, lines: list[_Line]) -> Score:
    scored = [_metrics(DIALECTS[dialect], line) for line in lines if line.gold]
    rows = [list(metrics.values()) for metrics in scored]
    names = list(scored[0]) if scored else []
    return Score(
        dialect=dialect,
        method=method,
        questions=len(lines),
        without_gold=len(lines) - len(scored),
        repeated=len(lines) - len({line.key for line in lines}),
        metrics=dict(zip(names, mean_intervals(rows), strict=True)) if rows else {},
    )


def _metrics(scorer: Scorer, line: _Line) -> dict[str, float]:
    if line.record is not None and scorer is DIALECTS["strict"] and line.record["metrics"]:
        known = line.record["metrics"]
        return {METRIC_TITLES[metric]: known[metric] for metric in METRICS}
    return scorer(line.prediction, line.gold)


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


def _prediction(line: bytes, location: str) -> _Line:
    given = checked(_Given, line, f"{location}: is not a prediction", _SHAPE)
    return _Line("", (str(given["id"]),), given["prediction"], given["ground_truth"])
