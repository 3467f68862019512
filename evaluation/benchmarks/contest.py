"""One question, decoded by ours and by the others in turn, with the clock on each."""

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Literal, TypeVar

from ...agent.decoding.search import BeamPlan
from ...agent.decoding.units import Tokens
from .baselines import Published, repaired, unconstrained
from .equality import check
from .ours import Forwards, counted, decode
from .questions import Case, Scene

Rival = Literal["published", "repaired", "unconstrained"]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Round:
    """What one question took: seconds of ours and of each rival, forward passes of all."""

    ours: float
    others: Mapping[Rival, float]
    forwards: Mapping[Rival | Literal["ours"], Forwards]


def timed(run: Callable[[], Result]) -> tuple[float, Result]:
    """The seconds of a call, without pauses for garbage."""
    gc.collect()
    gc.disable()
    try:
        since = perf_counter()
        result = run()
        return perf_counter() - since, result
    finally:
        gc.enable()


def contest(
    scene: Scene,
    case: Case,
    hops: int,
    plan: BeamPlan,
    *,
    published: Published | None = None,
    free: bool = True,
) -> Round:
    """Ours, the rivals, ours again, so that a machine that slows down slows all of them.

    The rivals are R', R where `published` is given, and where `free` Hugging Face without any
    constraint, over as many tokens as the longest of our words. Raises Mismatch where R or R'
    finds something else than ours.
    """
    model = scene.local.model
    words = scene.words(case, hops)
    with counted(model) as own:
        first, (found,) = timed(lambda: decode(scene, [case], hops, plan))
    longest = max(len(h.tokens) for h in found.hypotheses)

    rivals: dict[Rival, Callable[[], list[Tokens] | None]] = {
        "repaired": lambda: repaired(scene, case, words, plan)
    }
    if published:
        rivals["published"] = lambda: published.decode(scene, case, hops, plan)
    if free:
        rivals["unconstrained"] = lambda: unconstrained(scene, case, longest, plan)

    others = dict[Rival, float]()
    forwards: dict[Rival | Literal["ours"], Forwards] = {"ours": own}
    for rival, run in rivals.items():
        with counted(model) as forwards[rival]:
            others[rival], theirs = timed(run)
        if theirs is not None:
            check(scene, case, found, theirs, words, plan)
    last, _ = timed(lambda: decode(scene, [case], hops, plan))
    return Round((first + last) / 2, others, forwards)
