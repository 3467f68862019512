"""Our own decoder, as the agent calls it, and where its time goes."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, cast
from unittest.mock import patch

from transformers import PreTrainedModel

from ...agent.decoding.head import OutputHead
from ...agent.decoding.paths import PathLimits, PathState, ReasoningPaths
from ...agent.decoding.search import BeamPlan, Found, Question, beam_search
from .questions import Case, Scene


def automaton(scene: Scene, case: Case, hops: int) -> ReasoningPaths:
    """The constraint of one question, from its topics' names on."""
    return ReasoningPaths(scene.index, scene.units(case), scene.tags, PathLimits(hops=hops))


def decode(
    scene: Scene, cases: Sequence[Case], hops: int, plan: BeamPlan
) -> list[Found[PathState]]:
    """The best paths of each question, in one batch."""
    questions = [Question(case.prompt, automaton(scene, case, hops), case.shared) for case in cases]
    return beam_search(scene.local.model, questions, plan, relevance=False)


@dataclass
class Forwards:
    """The forward passes of a model, whoever makes them: a token counts in every batch row."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0


@contextmanager
def counted(model: PreTrainedModel) -> Generator[Forwards]:
    """Count what happens below the output head of a model."""
    forwards, since = Forwards(), list[float]()

    def before(_: Any, args: tuple[Any, ...], inputs: dict[str, Any]) -> None:
        ids = inputs["input_ids"] if "input_ids" in inputs else args[0]
        forwards.calls += 1
        forwards.tokens += ids.numel()
        since.append(perf_counter())

    def after(*_: Any) -> None:
        forwards.seconds += perf_counter() - since.pop()

    base = cast(Any, model.base_model)
    hooks = [
        base.register_forward_pre_hook(before, with_kwargs=True),
        base.register_forward_hook(after),
    ]
    try:
        yield forwards
    finally:
        for hook in hooks:
            hook.remove()


@dataclass(frozen=True)
class Shares:
    """Seconds of one search: in all, in the model's layers, in its head, in the constraint."""

    whole: float
    layers: float
    head: float
    constraint: float


@dataclass
class _Timed:
    """A constraint that adds up the seconds spent in it."""

    inner: ReasoningPaths
    seconds: float = field(default=0.0)

    def start(self) -> PathState:
        return self.inner.start()

    def allowed(self, state: PathState) -> Sequence[int]:
        since = perf_counter()
        tokens = self.inner.allowed(state)
        self.seconds += perf_counter() - since
        return tokens

    def advance(self, state: PathState, token: int) -> PathState:
        since = perf_counter()
        after = self.inner.advance(state, token)
        self.seconds += perf_counter() - since
        return after

    def done(self, state: PathState) -> bool:
        since = perf_counter()
        done = self.inner.done(state)
        self.seconds += perf_counter() - since
        return done

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def shares(scene: Scene, case: Case, hops: int, plan: BeamPlan) -> Shares:
    """Decode one question with a clock in each part; the clocks count as constraint work."""
    head = list[float]()
    with counted(scene.local.model) as forwards, _clock_head(head):
        since = perf_counter()
        timed = _Timed(automaton(scene, case, hops))
        timed.seconds = perf_counter() - since
        question = Question(case.prompt, cast(ReasoningPaths, timed), case.shared)
        beam_search(scene.local.model, [question], plan, relevance=False)
        whole = perf_counter() - since
    return Shares(whole, forwards.seconds, sum(head), timed.seconds)


@contextmanager
def _clock_head(seconds: list[float]) -> Generator[None]:
    def clocked(method: Any) -> Any:
        def call(*args: Any) -> Any:
            since = perf_counter()
            result = method(*args)
            seconds.append(perf_counter() - since)
            return result

        return call

    with (
        patch.object(OutputHead, "whole", clocked(OutputHead.whole)),
        patch.object(OutputHead, "of", clocked(OutputHead.of)),
    ):
        yield
