"""What the words of questions tell by themselves, fitted on the questions of a training.

The scope is a second opinion on whether the graph has an answer. The baselines guess a relation
path by words, or by looking a question up; they keep a trained model honest.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count, islice
from random import Random

from ...agent.kg.terms import RelationPath
from ...agent.llm.bag_of_words import Baselines, Scope, count_words, features_of, words_of
from ...agent.llm.prompt import mask
from ..asked.lesson_stream import draw
from ..material import Material
from ..questions.graph import Graph, Moves
from ..questions.questioner import Sample
from ..trainer.watched import Watcher, counted

_MOST_GENERATED = 100_000
_OF_ENTITY = 100
_MOST_ASKED = 20_000
"""Samples that it is fitted on, of generated questions or of a file's.

Of a small graph they are few: the same wordings again and again would make it sure that the graph
has no answer to a question in other words.
"""
_UNANSWERABLE = 0.35
_MIN_SAMPLES = 2
"""Samples that a word or pair is in at least."""
_SMALL = 0.05
"""Weights below are left out."""
_ROUNDS = 100


def scope_of(material: Material, watcher: Watcher) -> Scope:
    """Fit the scope of a training's material."""
    most = _MOST_ASKED if material.lessons else _MOST_GENERATED
    wanted = min(most, _OF_ENTITY * len(material.graph.terms))
    drawn = material.with_unanswerable(_UNANSWERABLE, material.seed + 4)
    return fit_scope(counted(drawn, wanted, "making questions", watcher), watcher)


def fit_scope(samples: Iterable[Sample], watcher: Watcher | None = None) -> Scope:
    """Logistic regression of whether a sample has an answer; each weight has a unit prior."""
    features, answered = list[list[str]](), list[bool]()
    for sample in samples:
        features.append(features_of(mask(sample.question, sample.mentions)[0]))
        answered.append(sample.moves is not None)
    return regressed(
        features,
        answered,
        least=_MIN_SAMPLES,
        small=_SMALL,
        on_round=lambda done: (watcher or Watcher()).part("weighing their words", done, _ROUNDS),
    )


def regressed(
    features: Sequence[Sequence[str]],
    answered: Sequence[bool],
    *,
    least: int,
    small: float,
    on_round: Callable[[int], None] = lambda done: None,
) -> Scope:
    """Logistic regression over the features that `least` samples have; each has a unit prior.

    Weights below `small` are left out.
    """
    counts = Counter(chain.from_iterable(features))
    names = sorted(name for name, count in counts.items() if count >= least)
    if not names or len({*answered}) < 2:
        return Scope(30.0, {})
    rows = {name: at for at, name in enumerate(names)}
    bias, weights = _regress(features, answered, rows, on_round)
    by_name = zip(names, weights, strict=True)
    large = {name: round(weight, 2) for name, weight in by_name if abs(weight) >= small}
    return Scope(round(bias, 3), large)


def _regress(
    features: Sequence[Sequence[str]],
    answered: Sequence[bool],
    rows_of: dict[str, int],
    on_round: Callable[[int], None],
) -> tuple[float, list[float]]:
    import torch

    bags = [[rows_of[name] for name in names if name in rows_of] for names in features]
    flat = torch.tensor([row for bag in bags for row in bag])
    starts = torch.tensor([0, *(len(bag) for bag in bags[:-1])]).cumsum(0)
    wanted = torch.tensor(answered, dtype=torch.float32)
    weights = torch.zeros(len(rows_of), 1, requires_grad=True)
    bias = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [weights, bias], max_iter=_ROUNDS, history_size=10, line_search_fn="strong_wolfe"
    )
    rounds = count(1)

    def closure() -> torch.Tensor:
        on_round(min(next(rounds), _ROUNDS))
        optimizer.zero_grad()
        sums = torch.nn.functional.embedding_bag(flat, weights, starts, mode="sum")
        logits = sums.squeeze(1) + bias
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, wanted, reduction="sum")
        loss = loss + 0.5 * weights.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return bias.item(), weights.detach().squeeze(1).tolist()


_DISTURBED = 12_000
"""Samples, noise and all, whose words are counted."""
_TEMPLATES = 4_000
"""Generated questions that are looked up; of questions of a file, all are."""
_MIN_QUESTIONS = 2.0
"""Questions that a word or pair of words is in at least."""


def fit_baselines(graph: Graph, disturbed: Iterable[Sample], clean: Iterable[Sample]) -> Baselines:
    """Count the words of `disturbed` samples and the templates of `clean` ones.

    A question without an answer stands for an empty relation path, as the model learns `<NONE>`.
    """
    numbers: dict[Moves, int] = {}

    def number(sample: Sample) -> int:
        return numbers.setdefault(sample.moves or (), len(numbers))

    words = count_words(
        ((features_of(_masked(sample)), {number(sample): 1.0}) for sample in disturbed),
        _MIN_QUESTIONS,
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
