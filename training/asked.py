"""The questions with answers that a recipe names: a file of them, or splits of a dataset."""

from ..evaluation.readers import read_samples
from ..evaluation.samples import Sample
from .lessons import Asked
from .recipe import Recipe
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
    return [one for file in files for one in select(file, recipe.part, recipe.limit, recipe.seed)]


def _asked(sample: Sample, number: int) -> Asked:
    answers = tuple(gold.term or gold.label for gold in sample.answers)
    return Asked(sample.question, sample.topics, answers, number)
