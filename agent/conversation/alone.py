"""Whether a question stands alone, or follows on from the turns before it: by its words.

A model that reads questions with the one before them takes conditions of it into questions that are
complete. *Which of them use the euro?* and *Which countries use the euro?* differ in small words,
which are learnt here from questions of both kinds about many things; names are masked, so that
nothing is learnt of any graph. Logistic regression over words and pairs of neighbours.
"""

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import get_args

from .. import languages
from ..llm.bag_of_words import Scope
from ..query.prompt import Numbered
from ..query.spelling import ValueKind

FILE = "en.alone.json"
"""The weights of English, in the folder of languages; `training/fitting/alone.py` makes them."""
_VALUES = get_args(ValueKind)
SURE = 0.98
"""The least probability with which a question is read by itself."""
FOLLOWS = 0.05
"""The probability below which a question needs what came before it, and says nothing without."""
_POINTING = -1.4
"""The weight of a word that points at what came before."""


def stands_alone(question: str, mentions: Sequence[Numbered]) -> float:
    """The probability that a question needs nothing of what came before it."""
    return _weights().within(without_names(question, mentions))


def pointing_word(question: str, mentions: Sequence[Numbered]) -> str:
    """The word of a question that points most at what came before, as it is; empty for none."""
    weights = _weights().weights
    words = filter(str.isalpha, re.findall(r"\[\w+\]|\w+", without_names(question, mentions)))
    weight_of = {word: weights.get(word.lower(), 0.0) for word in words}
    word = min(weight_of, key=weight_of.__getitem__, default="")
    return word if word and weight_of[word] <= _POINTING else ""


def points_at_one(word: str) -> bool:
    """Whether a word that points at what came before points at one thing."""
    return word.lower() in languages.language_words()["conversation"]["singular"]


def without_names(question: str, mentions: Sequence[Numbered]) -> str:
    """A question with a mark for each thing and for each value that it names."""
    text, end = "", 0
    for mention in sorted(mentions, key=lambda mention: mention.start):
        if mention.start >= end:
            mark = "[number]" if mention.kind in _VALUES else "[name]"
            text += f"{question[end : mention.start]} {mark} "
            end = mention.end
    return text + question[end:]


@cache
def _weights() -> Scope:
    file = resources.files(languages).joinpath(FILE)
    learnt = json.loads(file.read_text(encoding="utf-8"))
    return Scope(learnt["bias"], learnt["weights"])
