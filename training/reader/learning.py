"""The training of the general reader: what is right at each place, among all that is legal."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from ...agent.operations import Array
from ...agent.reader.inputs import Batch, Size
from ...agent.reader.network import CLASS_KIND, Logs, logs_of
from .batches import Batcher, Targets
from .examples import Example

if TYPE_CHECKING:
    from torch import Tensor

    from .module import ReaderModule


KEPT_EVERY = 500
"""Steps after which a checkpoint is written."""


@dataclass(frozen=True)
class Plan:
    """How a reader is trained."""

    steps: int = 20_000
    batch: int = 64
    rate: float = 2e-3
    seed: int = 0
    account: float = 1.0
    """The weight of the account of words beside that of actions."""
    size: Size = Size()
    frozen: tuple[str, ...] = ()
    """Parameters that stay as they are."""
    heard: int = 50
    """Steps after which it is reported how the training goes."""
    until: int | None = None
    """The step after which it ends before its schedule does."""
    averaged: int = 0
    """Of the last weights so many are averaged, those of every tenth step; 0 for the last alone."""
    makers: int = 0
    """Other processes that make the batches; each draws its own."""
    device: str = "cpu"
    """Where it is trained: as torch names it."""


def blended(
    first: Mapping[str, Array], last: Mapping[str, Array], share: float
) -> dict[str, Array]:
    """The weights on the way from some to others: at a share of it."""
    return {name: weight + share * (last[name] - weight) for name, weight in first.items()}


def account_loss(scores: "Tensor", targets: "Tensor") -> "Tensor":
    """The mean cross-entropy of words that are known to be left out, or not."""
    from torch.nn.functional import binary_cross_entropy_with_logits

    known = targets >= 0
    losses = binary_cross_entropy_with_logits(scores, (targets > 0).float(), reduction="none")
    return (losses * known).sum() / known.sum().clamp(min=1)


def likelihoods(logs: Logs, targets: Targets) -> "Tensor":
    """The log-probability of what is right at each place `(B, T + 1)`; 0 where nothing is asked."""
    import torch

    asked = targets.kinds >= 0
    total = _of(logs.kinds, targets.kinds)
    is_class = targets.kinds == CLASS_KIND
    label = torch.where(is_class, _of(logs.classes, targets.labels), _of(logs.hops, targets.labels))
    total = total + label * (targets.labels >= 0)
    total = total + _of(logs.words, targets.words) * (targets.words >= 0)
    total = total + _of(logs.literals, targets.literals) * (targets.literals >= 0)
    return total * asked


def _of(logs: "Tensor", numbers: "Tensor") -> "Tensor":
    return logs.gather(-1, numbers.clamp(min=0)[..., None])[..., 0]


def train(
    batcher: Batcher,
    stream: Callable[[int], Iterator[Example]],
    plan: Plan,
    report: Callable[[int, float, "ReaderModule"], None],
    checkpoint: Path | None = None,
    meanings: "Tensor | None" = None,
    start: "Mapping[str, Tensor] | None" = None,
) -> "ReaderModule":
    """A trained network; `report` hears the loss every few steps.

    `stream` gives examples from a step on. With a `checkpoint` that is there training goes on from
    it; it is written every `KEPT_EVERY` steps. `meanings` are the vectors of the lexicon's words,
    `start` the weights of a reader to begin with.
    """
    import torch
    from torch.optim.swa_utils import AveragedModel

    from .module import ReaderModule, as_tensors

    torch.manual_seed(plan.seed)
    network = ReaderModule(plan.size).to(plan.device)
    if start is not None:
        network.load_state_dict(start)
    if meanings is not None:
        nothing = torch.zeros(1, meanings.shape[1])
        network.load_state_dict({"meanings.weight": torch.cat([nothing, meanings])}, strict=False)
    for name in plan.frozen:
        network.get_parameter(name).requires_grad_(False)
    optimizer = torch.optim.AdamW(
        [weights for weights in network.parameters() if weights.requires_grad],
        lr=plan.rate,
        weight_decay=0.01,
        fused=True,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, plan.rate, total_steps=plan.steps, pct_start=0.05
    )

    def nearer(mean: "Tensor", last: "Tensor", count: "Tensor | int") -> "Tensor":
        return torch.lerp(mean, last, 1 / (1 + min(int(count), plan.averaged)))

    averaged = AveragedModel(network, avg_fn=nearer)
    first, mean = 0, 0.0
    if checkpoint is not None and checkpoint.is_file():
        state = torch.load(checkpoint, weights_only=True, map_location=plan.device)
        first, mean = state["step"], state["mean"]
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        averaged.load_state_dict(state["averaged"])

    def made(maker: int) -> Iterator[tuple[Batch, Targets]]:
        rng = Random(f"reader {plan.seed} {first + maker}")
        for examples in _alike(stream(first + maker), plan.batch, rng):
            yield batcher.batch(examples, rng)

    network.train()
    for step, (batch, targets) in enumerate(_batches(made, plan, first), start=first):
        batch = as_tensors(batch, plan.device)
        targets = Targets(*(target.to(plan.device) for target in targets))
        scores = network(batch)
        logs = logs_of(scores, batch.ways, targets.legal, targets.is_literal, targets.offered)
        chances = likelihoods(logs, targets)
        loss = -chances.clamp(min=-15).sum() / (targets.kinds >= 0).sum()
        loss = loss + plan.account * account_loss(scores.unread, targets.unread)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if plan.averaged and step % 10 == 9:
            averaged.update_parameters(network)
        mean = 0.98 * mean + 0.02 * loss.item() if step else loss.item()
        if (step + 1) % plan.heard == 0:
            report(step + 1, mean, network)
        if checkpoint is not None and (step + 1) % KEPT_EVERY == 0:
            state = {"step": step + 1, "mean": mean, "network": network.state_dict()}
            state |= {"optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}
            state |= {"averaged": averaged.state_dict()}
            torch.save(state, checkpoint.with_suffix(".new"))
            checkpoint.with_suffix(".new").replace(checkpoint)
    if plan.averaged:
        network.load_state_dict(averaged.module.state_dict())
    return network.eval()


def _batches(
    made: "Callable[[int], Iterator[tuple[Batch, Targets]]]", plan: Plan, first: int
) -> "Iterator[tuple[Batch, Targets]]":
    """The batches of the steps that are left, of the makers in turn; `made` gives those of one."""
    count = max(0, (plan.steps if plan.until is None else plan.until) - first)
    if not plan.makers:
        return islice(made(0), count)
    from torch.utils.data import DataLoader, IterableDataset, get_worker_info

    class Batches(IterableDataset[tuple[Batch, Targets]]):
        def __iter__(self) -> "Iterator[tuple[Batch, Targets]]":
            worker = get_worker_info()
            maker = worker.id if worker is not None else 0
            return islice(made(maker), len(range(maker, count, plan.makers)))

    loader = DataLoader(
        Batches(),
        batch_size=None,
        num_workers=plan.makers,
        prefetch_factor=8,
        multiprocessing_context="fork",
    )
    return iter(loader)


_WINDOW = 8
"""Batches that are sorted together, so that questions of alike length are side by side."""


def _alike(examples: Iterator[Example], size: int, rng: Random) -> Iterator[list[Example]]:
    """Batches of examples with about as many actions, in random order."""
    while True:
        drawn = [next(examples) for _ in range(_WINDOW * size)]
        drawn.sort(key=lambda example: (len(example.actions), len(example.words)))
        batches = [drawn[first : first + size] for first in range(0, len(drawn), size)]
        rng.shuffle(batches)
        yield from batches


class Right(NamedTuple):
    """How much is right where the actions before are."""

    actions: float
    whole: float
    """Of the examples, those in which every action is the likeliest."""


def measured(
    network: "ReaderModule", batcher: Batcher, examples: Sequence[Example], seed: int = 0
) -> Right:
    """How often the likeliest action is the right one."""
    import torch

    from .module import as_tensors

    rng, actions, asked, whole = Random(seed), 0, 0, 0
    device = network.bias.device
    for first in range(0, len(examples), 64):
        with torch.inference_mode():
            made, targets = batcher.batch(examples[first : first + 64], rng)
            batch = as_tensors(made, device)
            targets = Targets(*(target.to(device) for target in targets))
            scores = network(batch)
            logs = logs_of(scores, batch.ways, targets.legal, targets.is_literal, targets.offered)
        right = _likeliest(logs, targets)
        there = targets.kinds >= 0
        actions += int((right & there).sum())
        asked += int(there.sum())
        whole += int((right | ~there).all(-1).sum())
    return Right(actions / max(asked, 1), whole / max(len(examples), 1))


def _likeliest(logs: Logs, targets: Targets) -> "Tensor":
    right = logs.kinds.argmax(-1) == targets.kinds
    is_class = targets.kinds == CLASS_KIND
    hop = (logs.hops.argmax(-1) == targets.labels) | (targets.labels < 0) | is_class
    kind = (logs.classes.argmax(-1) == targets.labels) | ~is_class
    word = (logs.words.argmax(-1) == targets.words) | (targets.words < 0)
    number = (logs.literals.argmax(-1) == targets.literals) | (targets.literals < 0)
    return right & hop & kind & word & number


_MOST_OFTEN = 4.0
"""How much more often an example of the rarest kind is drawn at most."""


def stream_of(
    sources: Mapping[str, Sequence[Example]],
    weights: Mapping[str, float],
    seed: int,
    rarity: float = 0.0,
) -> Iterator[Example]:
    """Examples without end; a source is drawn by its weight, times the root of its size.

    Within a source an example is drawn the more often the rarer its kinds of action are, to this
    power; without `rarity` each is as often.
    """
    rng = Random(f"stream {seed}")
    names = [name for name, examples in sources.items() if examples]
    chances = [weights.get(name, 1.0) * len(sources[name]) ** 0.5 for name in names]
    within = {name: list(accumulate(_by_rarity(sources[name], rarity))) for name in names}
    while True:
        (name,) = rng.choices(names, chances)
        yield rng.choices(sources[name], cum_weights=within[name])[0]


def _by_rarity(examples: Sequence[Example], rarity: float) -> list[float]:
    """How often each example is drawn beside the others."""
    counts = Counter(
        kind for example in examples for kind in {action.kind for action in example.actions}
    )
    often = max(counts.values(), default=1)
    shares = {kind: min((often / count) ** rarity, _MOST_OFTEN) for kind, count in counts.items()}
    return [
        max((shares[action.kind] for action in example.actions), default=1.0)
        for example in examples
    ]
