"""The oracle: what a dataset's gold relation paths are worth over a KG, walked as by `plan`.

Where a KG lacks facts, or the gold path does not lead to the gold answers, a planner that reads
every question right misses them too. This says how many.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import cache

from ...agent.answers.topics import find_entity
from ...agent.answers.vote import MOST_ANSWERS
from ...agent.kg import KnowledgeGraph
from ...agent.kg.terms import RelationPath, Term
from ...agent.kg.walking.execution import execute
from ...agent.options import Options
from ..samples import Sample
from ..scoring.metrics import Predicted, no_scores, strict
from .summary import Accuracy, accuracy_of


def gold_accuracy(
    kg: KnowledgeGraph, samples: Sequence[Sample], options: Options, seed: int = 0
) -> Accuracy | None:
    """The strict metrics of what gold relation paths reach; None where no question has one.

    Over the answerable questions with a gold path, which is followed under the `revisits` and
    `max_answers` of the options; the best supported answers come first. A topic or relation that
    the KG does not have is a miss. `seed` is that of the intervals. Raises ServiceError.
    """
    asked = [sample for sample in samples if sample.answers and sample.path]
    reached = _reached(kg, asked, options)
    named = _named(kg, {end for ends in reached for end in ends})
    scores = [
        strict(sample.answers, [named[end] for end in ends], sample.choices) or no_scores()
        for sample, ends in zip(asked, reached, strict=True)
    ]
    return accuracy_of(scores, seed)


def _reached(
    kg: KnowledgeGraph, samples: Iterable[Sample], options: Options
) -> list[tuple[Term, ...]]:
    """The answers that the gold path of each question gives, best first."""

    @cache
    def topic(name: str) -> Term | None:
        entity = find_entity(kg, name)
        return entity and kg.representatives([entity.term])[entity.term]

    @cache
    def relation(name: str) -> Term | None:
        return next(iter(kg.walk_labels.named(name, relation=True)), None)

    @cache
    def ends(topics: Sequence[Term], path: RelationPath) -> tuple[Term, ...]:
        banned = () if options.revisits == "walk" else topics
        reached = execute(kg.walks, topics, path, banned=banned, keep=0).reached
        return tuple(answer.end for answer in reached[: options.max_answers or MOST_ANSWERS])

    answers = list[tuple[Term, ...]]()
    for sample in samples:
        topics = tuple(term for name in sample.topics if (term := topic(name)))
        path = tuple((term, inverse) for name, inverse in sample.path if (term := relation(name)))
        answers.append(ends(topics, path) if len(path) == len(sample.path) else ())
    return answers


def _named(kg: KnowledgeGraph, terms: Collection[Term]) -> dict[Term, Predicted]:
    """Each term as an answer: by its name in the KG, and by its own label."""
    ordered = sorted(terms)
    infos = kg.labels.describe(ordered)
    return {
        info.term: Predicted(info.term, tuple(dict.fromkeys((info.name, info.label))))
        for info in infos
    }
