"""What is learnt of questions by counting their words: naive Bayes, and what is made of it.

The baselines of `plan` are a bag of words and a look-up of templates, as they were fitted in
training. Both rank the relation paths of the training questions by the question's text, topic
entities masked.

The scope says whether a question is about what the graph has: a second opinion on the model's. A
small model is too sure where one word makes a question another: the time zone, and not the
currency, of Jamaica. Logistic regression over words and pairs of them sees that word, but not what
is asked; together they tell unanswerable questions better than each alone.

Both lie in files beside the weights, so that `--model DIR` has them too.
"""

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from ..errors import ModelError
from ..kg.terms import RelationPath
from .model_folder import model_folder, read_model_json

Weights = Mapping[int, float]
"""How much of a question stands for each class, by its number."""

_WORD = re.compile(r"\[[^\]]*\]|\w+|\ufffc|\ufffb")
_SMOOTHING = 0.1


def words_of(masked: str) -> tuple[str, ...]:
    """The words of a question whose topic entities are masked; a mask is one word."""
    return tuple(_WORD.findall(masked.lower()))


def features_of(masked: str) -> list[str]:
    """The distinct words of a masked question, and its pairs of neighbours, ends included."""
    words = ("^", *words_of(masked), "$")
    pairs = (f"{first} {second}" for first, second in zip(words, words[1:], strict=False))
    return sorted({*words, *pairs})


@dataclass(frozen=True)
class WordCounts:
    """How many questions of each class have a feature."""

    classes: Weights
    features: Mapping[str, Weights]

    def log_joint(self, features: Sequence[str]) -> dict[int, float]:
        """The log-probability of each class together with the features, up to a constant.

        Features that no question had say nothing.
        """
        weights_of_features = [
            self.features[feature] for feature in features if feature in self.features
        ]
        joint = {
            number: math.log(mass) - len(weights_of_features) * self._log_total[number]
            for number, mass in self.classes.items()
        }
        for weights in weights_of_features:
            for number, weight in weights.items():
                joint[number] += math.log1p(weight / _SMOOTHING)
        return joint

    @cached_property
    def _log_total(self) -> dict[int, float]:
        """For each class, by what a count is divided (by the smoothing too, as nothing else)."""
        totals = dict.fromkeys(self.classes, len(self.features) * _SMOOTHING)
        for weights in self.features.values():
            for number, weight in weights.items():
                totals[number] += weight
        return {number: math.log(total / _SMOOTHING) for number, total in totals.items()}


def count_words(
    questions: Iterable[tuple[Sequence[str], Weights]], least: float = 0.0
) -> WordCounts:
    """Count questions, each with its features; those of less than `least` mass are left out."""
    classes: dict[int, float] = defaultdict(float)
    counts: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for features, weights in questions:
        for number, weight in weights.items():
            classes[number] += weight
            for feature in features:
                counts[feature][number] += weight
    frequent = {
        name: dict(weights) for name, weights in counts.items() if sum(weights.values()) >= least
    }
    return WordCounts(dict(classes), frequent)


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
    return _read_scope(file, known.st_mtime_ns, known.st_size)


@lru_cache(maxsize=2)
def _read_scope(file: Path, *_: int) -> Scope:
    """The scope in a file, as it is at a time and in a size: model and graph both ask for it."""
    return read_model_json(file, _parsed_scope)


def write_scope(folder: Path, scope: Scope) -> None:
    """Write `scope.json` into a model folder."""
    content = {"bias": scope.bias, "weights": scope.weights}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    (folder / SCOPE_FILE).write_text(text + "\n", encoding="utf-8")


def _parsed_scope(content: Any) -> Scope:
    weights = {str(text): float(weight) for text, weight in content["weights"].items()}
    return Scope(float(content["bias"]), weights)


BASELINES_FILE = "baselines.json"
NAMES = ("words", "lookup")
"""The methods that use them."""


class Guess(NamedTuple):
    """A relation path, and how likely it is to be what was asked."""

    relations: RelationPath
    probability: float


@dataclass(frozen=True)
class Baselines:
    """What both know; classes are places in `paths`, where an empty path stands for no answer."""

    paths: tuple[RelationPath, ...]
    words: WordCounts
    templates: Mapping[str, Mapping[int, int]]
    """How often each masked question, as its words, meant each class."""
    confidences: Mapping[str, float] = field(default_factory=dict[str, float])
    """The least confidence of an answer that is shown, by method."""

    def rank_by_words(self, masked: str) -> Iterator[Guess]:
        """Every relation path, by naive Bayes."""
        joint = self.words.log_joint(features_of(masked))
        most = max(joint.values(), default=0.0)
        total = sum(math.exp(value - most) for value in joint.values())
        for number, value in sorted(joint.items(), key=lambda pair: (-pair[1], pair[0])):
            yield Guess(self.paths[number], math.exp(value - most) / total)

    def rank_by_template(self, masked: str) -> Iterator[Guess]:
        """The relation paths of this template, else of others, by the words that they share."""
        words = words_of(masked)
        known = self.templates.get(" ".join(words))
        if known is not None:
            yield from self._shares(known, 1.0)
            return
        asked = frozenset(words)
        overlaps = (
            (len(asked & other) / max(len(asked | other), 1), text)
            for text, other in self._template_words.items()
        )
        for overlap, text in sorted(overlaps, key=lambda pair: (-pair[0], pair[1])):
            yield from self._shares(self.templates[text], overlap)

    def _shares(self, classes: Mapping[int, int], overlap: float) -> Iterator[Guess]:
        total = sum(classes.values())
        for number, count in sorted(classes.items(), key=lambda pair: (-pair[1], pair[0])):
            yield Guess(self.paths[number], overlap * count / total)

    @cached_property
    def _template_words(self) -> dict[str, frozenset[str]]:
        return {text: frozenset(text.split(" ")) for text in self.templates}


def no_baselines() -> Baselines:
    """Raises ModelError."""
    raise ModelError(f"without a model folder there is no {BASELINES_FILE}", "name a --model")


def read_baselines(source: str) -> Baselines:
    """The baselines of what `--model` takes. Raises ModelError where it has none."""
    folder = model_folder(source)
    file = folder and folder / BASELINES_FILE
    if file is None or not file.is_file():
        raise ModelError(
            f"{source}: the model has no {BASELINES_FILE}, which words and lookup need",
            "train it again: `groundwalk train` writes the file beside the weights",
        )
    return read_model_json(file, _parsed)


def write_baselines(folder: Path, baselines: Baselines) -> None:
    """Write `baselines.json` into a model folder."""
    content = {
        "format": 1,
        "paths": baselines.paths,
        "classes": baselines.words.classes,
        "features": baselines.words.features,
        "templates": baselines.templates,
        "confidences": baselines.confidences,
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    (folder / BASELINES_FILE).write_text(text + "\n", encoding="utf-8")


def _parsed(content: Any) -> Baselines:
    if content["format"] != 1:
        raise ValueError("is not of format 1")
    paths = tuple(
        tuple((str(term), bool(inverse)) for term, inverse in path) for path in content["paths"]
    )
    features = {str(name): _weights(record, paths) for name, record in content["features"].items()}
    return Baselines(
        paths,
        WordCounts(_weights(content["classes"], paths), features),
        {
            str(text): {number: int(count) for number, count in _weights(record, paths).items()}
            for text, record in content["templates"].items()
        },
        {str(name): float(least) for name, least in content["confidences"].items()},
    )


def _weights(content: Any, paths: Sequence[RelationPath]) -> dict[int, float]:
    weights = {int(number): float(w) for number, w in cast("dict[str, Any]", content).items()}
    if not all(0 <= number < len(paths) and w > 0 for number, w in weights.items()):
        raise ValueError("counts a relation path that it does not hold")
    return weights
