"""Fitting the baselines that keep a trained model honest, on the questions that it learnt from."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random

from ...agent.kg.terms import RelationPath
from ...agent.llm.bag_of_words import count_words, features_of, words_of
from ...agent.llm.baselines import Baselines
from ...agent.llm.prompt import mask
from ..asked.supervision import draw
from ..data import Material
from ..questions.graph import Graph, Moves
from ..questions.questioner import Sample
from ..trainer.watched import Watcher, counted

_DISTURBED = 12_000
"""Samples, noise and all, whose words are counted."""
_TEMPLATES = 4_000
"""Generated questions that are looked up; of questions of a file, all are."""
_LEAST = 2.0
"""Questions that a word or pair of words is in at least."""


def fit_baselines(graph: Graph, disturbed: Iterable[Sample], clean: Iterable[Sample]) -> Baselines:
    """Count the words of `disturbed` samples and the templates of `clean` ones.

    A question without an answer stands for an empty relation path, as the model learns `<NONE>`.
    """
    numbers: dict[Moves, int] = {}

    def number(sample: Sample) -> int:
        return numbers.setdefault(sample.moves or (), len(numbers))

    words = count_words(
        ((features_of(_masked(sample)), {number(sample): 1.0}) for sample in disturbed), _LEAST
    )
    templates: dict[str, Counter[int]] = defaultdict(Counter)
    for sample in clean:
        templates[" ".join(words_of(_masked(sample)))][number(sample)] += 1
    return Baselines(tuple(_relations(graph, moves) for moves in numbers), words, templates)


def baselines_of(material: Material, watcher: Watcher) -> Baselines:
    """Fit the baselines on a training's questions; they have no thresholds yet."""
    disturbed = counted(
        material.samples(material.seed), _DISTURBED, "counting words for the baselines", watcher
    )
    return fit_baselines(material.graph, disturbed, _clean(material))


def _clean(material: Material) -> Iterator[Sample]:
    """Samples without noise: one for each relation path of each question of a file."""
    questioner = material.questioner.undisturbed().refusing(0.0)
    if not material.lessons:
        yield from islice(questioner.stream(material.seed), _TEMPLATES)
    rng = Random(f"templates {material.seed}")
    for lesson in material.lessons:
        for path in lesson.paths:
            if sample := draw(questioner, lesson._replace(paths=(path,)), rng, 0.0):
                yield sample


def _masked(sample: Sample) -> str:
    return mask(sample.question, sample.mentions)[0]


def _relations(graph: Graph, moves: Moves) -> RelationPath:
    return tuple((graph.relations[move.relation], move.inverse) for move in moves)
