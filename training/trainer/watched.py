"""Hits@1 on a few held-out questions while a model is trained, and when to stop for it."""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from ...agent.kg import KnowledgeGraph
from ...agent.llm.local import LocalModel, few_threads
from ...agent.options import Options
from ...evaluation.report.terminal import duration
from ..questions.graph import Graph, execute
from ..questions.questioner import Sample

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedModel


LOOKS = 10
"""How often a run looks at them, where nothing else is said."""

OFTEN, PATIENCE = 40, 8
"""The looks and the patience of a run that stops by itself."""


class Watched:
    """Held-out questions that the agent answers greedily, with the weights as they are.

    The general reader is not asked before the model.
    """

    def __init__(
        self, kg: KnowledgeGraph, local: LocalModel, graph: Graph, samples: Sequence[Sample]
    ) -> None:
        self._kg = kg
        self._local = local
        self._graph = graph
        self._samples = samples

    @cached_property
    def _agent(self) -> Any:
        from ...graphs.build import build_graph

        return build_graph("gcr", kg=self._kg, generator=self._local)

    def hits(self) -> float | None:
        """The share of questions whose first answer is right; None where there are none."""
        if not self._samples:
            return None
        from ...agent.decoding.torch_network import forget

        model = self._local.model
        forget(model)
        training = model.training
        model.eval()
        options = Options(on_ambiguous="best", confidence=0.0, queries=False, beams=1, max_chains=1)
        right = 0
        with few_threads(model.parameters()):
            for sample in self._samples:
                state = self._agent.invoke({"question": sample.question}, context=options)
                first = state["answers"][0]["term"] if state["answers"] else None
                wanted = execute(self._graph, sample.walk[0], sample.moves or ())
                right += first in {self._graph.terms[node] for node in wanted}
        model.train(training)
        return right / len(self._samples)


class Looks:
    """What a run saw of its held-out questions, and the weights with which it saw the best.

    With `patience` a run ends after so many looks without a better score. Of equally good weights
    the later are the best.
    """

    def __init__(
        self, watched: Watched | None, steps: int, patience: int | None, looks: int = LOOKS
    ) -> None:
        self._watched = watched
        self._every = max(1, steps // looks)
        self._patience = patience
        self.seen = dict[int, float]()
        """Hits@1 by step."""
        self.weights: dict[str, Tensor] = {}
        """The best weights, where there is patience."""

    @property
    def last(self) -> float | None:
        """What was seen last."""
        return next(reversed(self.seen.values()), None)

    @property
    def is_over(self) -> bool:
        """Whether patience is at its end."""
        if self._patience is None or not self.seen:
            return False
        scores = list(self.seen.values())
        return len(scores) - 1 - scores.index(max(scores)) >= self._patience

    def is_due(self, step: int) -> bool:
        """Whether it is time to look."""
        return self._watched is not None and step % self._every == 0

    def look(self, step: int, model: "PreTrainedModel") -> None:
        """Look, and keep the weights if they are the best."""
        hits = self._watched.hits() if self._watched else None
        if hits is None:
            return
        self.seen[step] = round(hits, 4)
        if self._patience is not None and self.seen[step] == max(self.seen.values()):
            self.weights = {
                name: parameter.detach().to("cpu", copy=True) for name, parameter in _trained(model)
            }

    def resume(self, seen: Mapping[int, float], weights: "Mapping[str, Tensor]") -> None:
        """Take over what an earlier process saw."""
        self.seen, self.weights = dict(seen), dict(weights)

    def restore(self, model: "PreTrainedModel") -> None:
        """Give the model its best weights, where they were kept."""
        import torch

        if self.weights:
            with torch.no_grad():
                for name, parameter in _trained(model):
                    parameter.copy_(self.weights[name])


def _trained(model: "PreTrainedModel") -> "list[tuple[str, Tensor]]":
    return [
        (name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad
    ]


_Item = TypeVar("_Item")


class Watcher:
    """Hears how far a run has come; this one does nothing with it."""

    def step(self, done: int, steps: int, loss: float, hits: float | None) -> None:
        """Steps done and in all, the loss of late, the last Hits@1 on held-out questions."""

    def part(self, name: str, done: int, total: int) -> None:
        """How far a part of what follows the last step is; `name` says what is done."""

    def say(self, line: str) -> None:
        """Something that the user should know, once."""


def counted(
    items: Iterable[_Item], total: int, name: str, watcher: Watcher, *, before: int = 0
) -> Iterator[_Item]:
    """The first `total` items, of which a watcher is told; `before` went before them."""
    for done, item in enumerate(islice(items, total - before), before + 1):
        yield item
        watcher.part(name, done, total)


_EVERY = 10.0
"""Seconds between plain lines."""
_THEN = "then the confidence is fitted"
"""What follows the steps, said with the time that is left of them."""


@contextmanager
def show_progress(console: Console) -> Generator[Watcher]:
    """A watcher that shows a run on a console."""
    if not console.is_terminal:
        yield Lines(lambda line: console.print(line, highlight=False, markup=False, soft_wrap=True))
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[more]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[then]}"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bar(progress)


class _Bar(Watcher):
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None
        self._name = ""

    def step(self, done: int, steps: int, loss: float, hits: float | None) -> None:
        self._show("training", done, steps, f"loss {loss:.3f}{_hits(hits)}", _THEN)

    def part(self, name: str, done: int, total: int) -> None:
        self._show(name, done, total)

    def _show(self, name: str, done: int, total: int, more: str = "", then: str = "") -> None:
        if self._task is None or name != self._name:
            if self._task is not None:
                self._progress.remove_task(self._task)
            self._name = name  # begun now: the time left is reckoned from this process's pace
            self._task = self._progress.add_task(
                name, total=total, completed=done, more=more, then=then
            )
        self._progress.update(self._task, completed=done, total=total, more=more)

    def say(self, line: str) -> None:
        self._progress.console.print(line, markup=False)


class Lines(Watcher):
    """A line now and then, with the time that is left by the pace of this process so far."""

    def __init__(
        self, show: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._show = show
        self._clock = clock
        self._name = ""
        self._first: tuple[int, float] | None = None
        self._last = clock()

    def step(self, done: int, steps: int, loss: float, hits: float | None) -> None:
        """Show how far the run is, unless that was done a moment ago."""
        left = self._left("", done, steps)
        if left is not None:
            text = f"step {done} of {steps}, loss {loss:.3f}{_hits(hits)}"
            self._show(f"{text}{left}, {_THEN}" if left else text)

    def part(self, name: str, done: int, total: int) -> None:
        """Show how far a part is, unless that was done a moment ago."""
        left = self._left(name, done, total)
        if left is not None:
            self._show(f"{name}: {done:,} of {total:,}{left}")

    def _left(self, name: str, done: int, total: int) -> str | None:
        """The time left as text, empty where it is not known; None where it is no time to show."""
        now = self._clock()
        if self._first is None or name != self._name:
            self._name, self._first = name, (done, now)
        if done < total and now - self._last < _EVERY:
            return None
        self._last = now
        first, began = self._first
        if not first < done < total:
            return ""
        return f", {duration((now - began) / (done - first) * (total - done))} left"

    def say(self, line: str) -> None:
        """Show a line."""
        self._show(line)


def _hits(hits: float | None) -> str:
    return "" if hits is None else f", held-out Hits@1 {hits:.1%}"
