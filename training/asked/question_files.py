"""The questions with answers that a recipe names: to train on, and to fit the confidence."""

from ...agent.errors import InputError
from ...agent.kg.opening import WORLD
from ...evaluation.readers import read_samples
from ...evaluation.readers.bundled import read_world
from ...evaluation.readers.jsonl import read_jsonl
from ...evaluation.samples import Sample
from ..recipe import Recipe
from .lessons import Asked
from .supervision import read_questions, select


def asked_questions(recipe: Recipe) -> list[Asked]:
    """Those of one part, at most `limit` a file or split. Raises DatasetError and InputError."""
    if recipe.questions:
        files = [read_questions(recipe.questions)]
    elif recipe.dataset:
        files = [
            [_asked(sample, number) for number, sample in enumerate(samples, 1) if sample.answers]
            for split in recipe.split.split(",")
            for samples in [read_samples(recipe.dataset, recipe.data, split.strip())]
        ]
    else:
        return []
    asked = [one for own in files for one in select(own, recipe.part, recipe.limit, recipe.seed)]
    given = next((one for one in asked if one.given is not None), None)
    if given is not None and "query" not in recipe.formats:
        raise InputError(
            f"{recipe.questions}:{given.line}: a query is learnt with the format query",
            "add it to the formats: --formats path,query",
        )
    return asked


def tuning_questions(kg_source: str, recipe: Recipe) -> list[Sample]:
    """Those that fit the confidence and are not trained on; the bundled graph has some.

    Raises DatasetError.
    """
    if recipe.tuning:
        return list(read_jsonl(recipe.tuning))
    bundled = kg_source == WORLD and not recipe.supervised
    return list(read_world("tuning")) if bundled else []


def _asked(sample: Sample, number: int) -> Asked:
    answers = tuple(gold.term or gold.label for gold in sample.answers)
    return Asked(sample.question, sample.topics, answers, number)
