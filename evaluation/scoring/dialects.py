"""The dialects: our own scorer and those behind published numbers, for texts as predictions.

`strict` is ours, over labels. `gcr` and `rog` reproduce the scorers of those papers (`rog` is also
that of GNN-RAG), which are more generous, so that numbers compare. Both take a gold answer for
found where it is a substring of all lines joined, also across their ends.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from string import punctuation
from typing import Protocol, TypeAlias

from ..samples import Gold
from .metrics import METRIC_TITLES, METRICS, Predicted
from .metrics import strict as strict_scores

Prediction: TypeAlias = str | Sequence[str]
"""What a system said: a text with an answer a line, or several texts."""

_NO_PUNCTUATION = str.maketrans("", "", punctuation)
_ARTICLE = re.compile(r"\b(?:an?|the)\b")


class Scorer(Protocol):
    """One dialect; the names of its metrics, and their order, never change."""

    def __call__(self, prediction: Prediction, gold: Sequence[str], /) -> Mapping[str, float]:
        """The metrics of a prediction with at least one gold answer."""
        ...


def strict(prediction: Prediction, gold: Sequence[str], /) -> dict[str, float]:
    """The strict metrics of a prediction, of which each line that is not blank is an answer."""
    texts = [prediction] if isinstance(prediction, str) else prediction
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    scores = strict_scores(
        [Gold(label=answer) for answer in gold], [Predicted("", (line,)) for line in lines]
    )
    assert scores is not None  # there is a gold answer
    return {METRIC_TITLES[metric]: scores[metric] for metric in METRICS}


def gcr(prediction: Prediction, gold: Sequence[str], /) -> dict[str, float]:
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


def rog(prediction: Prediction, gold: Sequence[str], /) -> dict[str, float]:
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
