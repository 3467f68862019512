"""The scorer behind RoG's and GNN-RAG's numbers.

A text is split on newlines, and every line counts, blank and repeated ones too; of several texts
each is kept once, the most frequent first. A gold answer is found if it is a substring of the
lines, joined.
"""

from collections.abc import Sequence

from .matching import by_frequency, found_in, simplify


def rog(prediction: str | Sequence[str], gold: Sequence[str], /) -> dict[str, float]:
    """Accuracy (which is the recall), any-hit, hit in the first line, F1, precision and recall.

    Precision is the number of gold answers found over that of lines, so it may exceed 1, and F1
    with it. What the papers call Hits@1 is `Hit`.
    """
    lines = prediction.split("\n") if isinstance(prediction, str) else by_frequency(prediction)
    wanted = [simplify(answer) for answer in gold]
    found = found_in(" ".join(lines), wanted)
    accuracy = sum(found) / len(found)
    precision = recall = 0.0
    if lines:
        precision, recall = sum(found) / len(lines), accuracy
    return {
        "Accuracy": accuracy,
        "Hit": float(any(found)),
        "Hit1": float(bool(lines) and any(found_in(lines[0], wanted))),
        "F1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "Precision": precision,
        "Recall": recall,
    }
