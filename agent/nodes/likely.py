"""The likelihood form of methods that prompt: a model that writes paths weighs walks.

The paper's method asks a general LLM. Where there is none, and the local model only knows to write
reasoning paths, the probability that it gives to a walk's relations decides, and a note says so.
"""

from collections.abc import Sequence
from math import prod
from pathlib import Path as Folder

from ..decoding.plan import Cost
from ..decoding.units import wire_tokens
from ..decoding.wire import PATH
from ..errors import ConstraintError
from ..llm.local import LocalModel
from ..llm.walk_choices import Crossing, walk_choices
from ..state import State
from .explore import Walk, walk_names
from .records import question_mentions

LIKELIHOOD = "likelihood form: not the paper's method"
"""The note of an answer that was found so."""


def writes_paths(local: LocalModel) -> bool:
    """Whether a model was trained to write reasoning paths, and not to follow instructions."""
    try:
        wire_tokens(local.tokenizer, PATH)
    except ConstraintError:
        return False
    return True


def weighed(
    local: LocalModel, state: State, walks: Sequence[Walk], prompts: Folder | None
) -> tuple[list[Walk], Cost]:
    """The walks with their relevance, which is their score too, and what it took.

    It is the probability, over the whole vocabulary, that the model begins a path, takes these
    relations and stops. Raises ConstraintError where the model cannot hold prompt and walk.
    """
    choices = walk_choices(local, state.get("question", ""), question_mentions(state), prompts)
    names = [walk_names(walk) for walk in walks]
    places = [(i, end) for i, own in enumerate(names) for end in range(1, len(own), 2)]
    taken = choices.next([Crossing(names[i][:end], [names[i][end]]) for i, end in places])
    chances: list[list[float]] = [[weight.relevance] for weight in choices.stops(names)]
    for (i, _), (weight,) in zip(places, taken, strict=True):
        chances[i].append(weight.relevance)
    found: list[Walk] = [
        {**walk, "score": prod(own), "relevance": prod(own)}
        for walk, own in zip(walks, chances, strict=True)
    ]
    return found, choices.cost
