"""The scorer behind GCR's numbers.

A prediction is split on newlines and each line kept once, the most frequent first; blank lines are
kept too. A gold answer is found if it is a substring of the lines, joined: also across their ends.
"""

from collections.abc import Sequence

from .matching import by_frequency, found_in, simplify


def gcr(prediction: str | Sequence[str], gold: Sequence[str], /) -> dict[str, float]:
    """Accuracy (which is the recall), any-hit, F1, precision and recall, between 0 and 1.

    Precision is the share of lines that hold any gold answer.
    """
    said = prediction.split("\n") if isinstance(prediction, str) else prediction
    lines = by_frequency(said)
    wanted = [simplify(answer) for answer in gold]
    found = found_in(" ".join(lines), wanted)
    accuracy = sum(found) / len(found)
    precision = recall = 0.0
    if lines:
        precision = sum(any(found_in(line, wanted)) for line in lines) / len(lines)
        recall = accuracy
    return {
        "Accuracy": accuracy,
        "Hit": float(any(found)),
        "F1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "Precision": precision,
        "Recall": recall,
    }
