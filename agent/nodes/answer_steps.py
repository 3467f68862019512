"""The steps of the chains that prove answers."""

from collections.abc import Sequence

from ..kg.terms import Step
from ..state import Answer, StepRecord
from .checked import start_of
from .records import path_of


def steps_of(answer: Answer) -> tuple[Step, ...]:
    """The steps of all chains of an answer, one chain after the other."""
    paths = [path_of(start_of(chain), chain) for chain in answer["chains"] if chain]
    return tuple(step for path in paths for step in path.steps)


def verified_steps(answers: Sequence[Answer]) -> dict[Step, StepRecord]:
    """The steps of the chains of verified answers, with their records."""
    steps: dict[Step, StepRecord] = {}
    for answer in answers:
        for chain in filter(None, answer["chains"]):
            steps |= zip(path_of(start_of(chain), chain).steps, chain, strict=True)
    return steps
