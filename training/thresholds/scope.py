"""Fitting the second opinion on whether the graph has an answer, on the questions of a training."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, count

from ...agent.llm.bag_of_words import features_of
from ...agent.llm.prompt import mask
from ...agent.llm.scope import Scope
from ..data import Material
from ..questions.questioner import Sample
from ..trainer.watched import Unwatched, Watcher, counted

_GENERATED = 100_000
_OF_ENTITY = 100
_ASKED = 20_000
"""Samples that it is fitted on, of generated questions or of a file's.

Of a small graph they are few: the same wordings again and again would make it sure that the graph
has no answer to a question in other words.
"""
_UNANSWERABLE = 0.35
_LEAST = 2
"""Samples that a word or pair is in at least."""
_SMALL = 0.05
"""Weights below are left out."""
_ROUNDS = 100


def scope_of(material: Material, watcher: Watcher) -> Scope:
    """Fit the scope of a training's material."""
    most = _ASKED if material.lessons else _GENERATED
    wanted = min(most, _OF_ENTITY * len(material.graph.terms))
    drawn = material.with_unanswerable(_UNANSWERABLE, material.seed + 4)
    return fit_scope(counted(drawn, wanted, "making questions", watcher), watcher)


def fit_scope(samples: Iterable[Sample], watcher: Watcher | None = None) -> Scope:
    """Logistic regression of whether a sample has an answer; each weight has a unit prior."""
    features, answered = list[list[str]](), list[bool]()
    for sample in samples:
        features.append(features_of(mask(sample.question, sample.mentions)[0]))
        answered.append(sample.moves is not None)
    counts = Counter(chain.from_iterable(features))
    names = sorted(name for name, count in counts.items() if count >= _LEAST)
    if not names or len({*answered}) < 2:
        return Scope(30.0, {})
    bias, weights = _regress(
        features,
        answered,
        {name: at for at, name in enumerate(names)},
        lambda done: (watcher or Unwatched()).part("weighing their words", done, _ROUNDS),
    )
    kept = zip(names, weights, strict=True)
    return Scope(round(bias, 3), {name: round(own, 2) for name, own in kept if abs(own) >= _SMALL})


def _regress(
    features: Sequence[Sequence[str]],
    answered: Sequence[bool],
    places: dict[str, int],
    on_round: Callable[[int], None],
) -> tuple[float, list[float]]:
    import torch

    rows = [[places[name] for name in own if name in places] for own in features]
    flat = torch.tensor([place for row in rows for place in row])
    starts = torch.tensor([0, *(len(row) for row in rows[:-1])]).cumsum(0)
    wanted = torch.tensor(answered, dtype=torch.float32)
    weights = torch.zeros(len(places), 1, requires_grad=True)
    bias = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [weights, bias], max_iter=_ROUNDS, history_size=10, line_search_fn="strong_wolfe"
    )
    rounds = count(1)

    def closure() -> torch.Tensor:
        on_round(min(next(rounds), _ROUNDS))
        optimizer.zero_grad()
        bags = torch.nn.functional.embedding_bag(flat, weights, starts, mode="sum")
        logits = bags.squeeze(1) + bias
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, wanted, reduction="sum")
        loss = loss + 0.5 * weights.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return bias.item(), weights.detach().squeeze(1).tolist()
