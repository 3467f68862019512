"""Baselines of `plan`: a bag of words and a look-up of templates, as they were fitted in training.

Both rank the relation paths of the training questions by the question's text, topic entities
masked. They lie in one file beside the weights, so that `--model DIR` has them too.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

from ..errors import ModelError
from ..kg.terms import RelationPath
from .bag_of_words import WordCounts, features_of, words_of
from .model_folder import model_folder, read_model_json

BASELINES_FILE = "baselines.json"
NAMES = ("words", "lookup")
"""The methods that use them."""


class Guess(NamedTuple):
    """A relation path, and how likely it is to be what was asked."""

    relations: RelationPath
    probability: float


Rank = Callable[[str], Iterator[Guess]]
"""From a masked question to relation paths, the likeliest first."""


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
    features = {str(name): _weights(some, paths) for name, some in content["features"].items()}
    return Baselines(
        paths,
        WordCounts(_weights(content["classes"], paths), features),
        {
            str(text): {number: int(count) for number, count in _weights(some, paths).items()}
            for text, some in content["templates"].items()
        },
        {str(name): float(least) for name, least in content["confidences"].items()},
    )


def _weights(content: Any, paths: Sequence[RelationPath]) -> dict[int, float]:
    weights = {int(number): float(w) for number, w in cast("dict[str, Any]", content).items()}
    if not all(0 <= number < len(paths) and w > 0 for number, w in weights.items()):
        raise ValueError("counts a relation path that it does not hold")
    return weights
