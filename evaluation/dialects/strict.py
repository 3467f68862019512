"""Our own measure, for predictions that are texts: `evaluation.metrics` over labels."""

from collections.abc import Sequence

from ..metrics import METRICS, Metric, Predicted
from ..metrics import strict as score
from ..samples import Gold

NAMES: dict[Metric, str] = {
    "hits_at_1": "Hits@1",
    "hit": "Hit",
    "f1": "F1",
    "precision": "Precision",
    "recall": "Recall",
}


def strict(prediction: str | Sequence[str], gold: Sequence[str], /) -> dict[str, float]:
    """The strict metrics of a prediction, of which each line that is not blank is an answer."""
    texts = [prediction] if isinstance(prediction, str) else prediction
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    scores = score(
        [Gold(label=answer) for answer in gold], [Predicted("", (line,)) for line in lines]
    )
    assert scores is not None  # there is a gold answer
    return {NAMES[metric]: scores[metric] for metric in METRICS}
