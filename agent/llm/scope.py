"""Whether a question is about what the graph has, by its words: a second opinion on the model's.

A small model is too sure where one word makes a question another: the time zone, and not the
currency, of Jamaica. Logistic regression over words and pairs of them sees that word, but not what
is asked; together they tell unanswerable questions better than each alone.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from .bag_of_words import features_of
from .model_folder import read_model_json

SCOPE_FILE = "scope.json"
_LEAST = 1e-6
"""No opinion is surer."""


@dataclass(frozen=True)
class Scope:
    """What each word, or pair of neighbours, of a masked question says for an answer."""

    bias: float
    weights: Mapping[str, float]

    def within(self, masked: str) -> float:
        """The probability that the graph has an answer to questions of such words."""
        total = sum(self.weights.get(feature, 0.0) for feature in features_of(masked))
        return _sigmoid(max(-30.0, min(30.0, self.bias + total)))


def tempered(confidence: float, within: float) -> float:
    """How sure the agent is, of what the model and the words of the question say.

    Both as log odds, the words with half a say: they know what is asked about, not what is asked.
    """
    return _sigmoid(_log_odds(confidence) + _log_odds(within) / 2)


def _log_odds(share: float) -> float:
    share = min(max(share, _LEAST), 1 - _LEAST)
    return math.log(share / (1 - share))


def _sigmoid(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-log_odds))


def read_scope(folder: Path | None) -> Scope | None:
    """The scope of the model in a folder, or None where it has none. Raises ModelError."""
    file = folder and folder / SCOPE_FILE
    if file is None or not file.is_file():
        return None
    known = file.stat()
    return _read(file, known.st_mtime_ns, known.st_size)


@lru_cache(maxsize=2)
def _read(file: Path, *_: int) -> Scope:
    """The scope in a file, as it is at a time and in a size: model and graph both ask for it."""
    return read_model_json(file, _parsed)


def write_scope(folder: Path, scope: Scope) -> None:
    """Write `scope.json` into a model folder."""
    content = {"bias": scope.bias, "weights": scope.weights}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    (folder / SCOPE_FILE).write_text(text + "\n", encoding="utf-8")


def _parsed(content: Any) -> Scope:
    weights = {str(text): float(weight) for text, weight in content["weights"].items()}
    return Scope(float(content["bias"]), weights)
