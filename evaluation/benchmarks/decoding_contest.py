"""One question, decoded by ours and by its rivals in turn, with a clock on each.

What they find must be equal: without that a ratio of their times says nothing.
"""

import gc
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter
from typing import Any, Literal, TypeVar, cast
from unittest.mock import patch

import torch
from transformers import PreTrainedModel

from ...agent.decoding.forward import TreeForward
from ...agent.decoding.paths import PathLimits, PathState, ReasoningPaths
from ...agent.decoding.plan import BeamPlan, Question, SearchResult
from ...agent.decoding.search import beam_search
from ...agent.decoding.torch_network import OutputHead
from ...agent.decoding.units import Tokens
from .decoding_rivals import PathTrie, Published, repaired, unconstrained
from .decoding_scenes import Case, Scene


@dataclass(frozen=True)
class Breakdown:
    """Where the seconds of a search went; `the rest` is what is in none of the `parts`.

    Of ours the rest is the beam update that is replayed over the tree, and the tree itself; of the
    rivals it is the loop of `generate`, with the head of the model and its copies of the cache.
    """

    whole: float
    parts: Mapping[str, float]
    passes: int
    tokens: int

    @property
    def every(self) -> dict[str, float]:
        """The seconds of each part, and of the rest."""
        return {**self.parts, "the rest": self.whole - sum(self.parts.values())}


def total(searches: Sequence[Breakdown]) -> Breakdown:
    """Searches one after the other, as one; there is one at least."""
    return Breakdown(
        sum(search.whole for search in searches),
        {part: sum(search.parts[part] for search in searches) for part in searches[0].parts},
        sum(search.passes for search in searches),
        sum(search.tokens for search in searches),
    )


def spelled(name: str, searches: Sequence[Breakdown]) -> str:
    """Medians of some searches in a line: milliseconds of each part, the longest first."""
    means = {part: 1e3 * median(s.every[part] for s in searches) for part in searches[0].every}
    parts = sorted(means.items(), key=lambda part: -part[1])
    passes, tokens = median(s.passes for s in searches), median(s.tokens for s in searches)
    whole = 1e3 * median(search.whole for search in searches)
    return (
        f"{name}: {whole:.0f} ms, of which {', '.join(f'{part} {ms:.1f}' for part, ms in parts)} "
        f"({passes:g} passes over {tokens:g} tokens)"
    )


def compared(name: str, pairs: Sequence[tuple[Breakdown, Breakdown]]) -> list[str]:
    """Where ours and another's time goes, in pairs; and what is left if the rest took no time."""
    ours, others = [our for our, _ in pairs], [other for _, other in pairs]
    most = median(other.whole / our.parts["layers"] for our, other in pairs)
    each = median(
        (other.parts["layers"] / other.tokens) / (our.parts["layers"] / our.tokens)
        for our, other in pairs
    )
    return [
        spelled("ours", ours),
        spelled(name, others),
        f"if ours took nothing but its layers: {most:.3g} x; a token in its layers takes the other "
        f"{each:.2g} times as long",
    ]


HOPS = (1, 2, 3, 4)
TOLERANCE = 1e-3
"""How far scores may lie apart in float32, and still be the same."""

Rival = Literal["published", "repaired", "unconstrained"]
Player = Rival | Literal["ours"]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Figure:
    """What was found: median and quartiles over the questions, each a ratio of paired times.

    `ours` and `other` are the median seconds behind a ratio.
    """

    median: float
    low: float
    high: float
    questions: int
    ours: float | None = None
    other: float | None = None


def figure(
    values: Sequence[float],
    ours: Sequence[float] | None = None,
    other: Sequence[float] | None = None,
) -> Figure:
    """Median and quartiles of what each question gave."""
    low, middle, high = quantiles(values, method="inclusive") if len(values) > 1 else [*values] * 3
    return Figure(
        middle,
        low,
        high,
        len(values),
        median(ours) if ours else None,
        median(other) if other else None,
    )


@dataclass
class Forwards:
    """The forward passes of a model, whoever makes them: a token counts in every batch row."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Contest:
    """What one question took: seconds of ours and of each rival, and where they went."""

    ours: float
    others: Mapping[Rival, float]
    breakdowns: Mapping[Player, Breakdown]


def timed(run: Callable[[], Result]) -> tuple[float, Result]:
    """The seconds of a call, without pauses for garbage."""
    gc.collect()
    gc.disable()
    try:
        since = perf_counter()
        result = run()
        return perf_counter() - since, result
    finally:
        gc.enable()


def contest(
    scene: Scene,
    case: Case,
    hops: int,
    plan: BeamPlan,
    *,
    published: Published | None = None,
    free: bool = True,
) -> Contest:
    """Ours, the rivals, ours again, so that a machine that slows down slows all of them.

    The rivals are R', R where `published` is given, and where `free` Hugging Face without any
    constraint, over as many tokens as the longest of our words. Raises Mismatch where R or R'
    finds something else than ours.
    """
    words = scene.words(case, hops)
    first, (best,) = timed(lambda: decode(scene, [case], hops, plan))
    longest = max(len(h.tokens) for h in best.hypotheses)

    rivals: dict[Rival, Callable[[], list[Tokens] | None]] = {
        "repaired": lambda: repaired(scene, case, words, plan)
    }
    if published:
        rivals["published"] = lambda: published.decode(scene, case, hops, plan)
    if free:
        rivals["unconstrained"] = lambda: unconstrained(scene, case, longest, plan)

    others, breakdowns = dict[Rival, float](), dict[Player, Breakdown]()
    for rival, run in rivals.items():
        theirs, breakdowns[rival] = broken_down(scene, _parts_of(scene, rival), run)
        others[rival] = breakdowns[rival].whole
        if theirs is not None:
            check(scene, case, best, theirs, words, plan)
    breakdowns["ours"] = where_ours_goes(scene, [case], hops, plan)
    last, _ = timed(lambda: decode(scene, [case], hops, plan))
    return Contest((first + last) / 2, others, breakdowns)


def automaton(scene: Scene, case: Case, hops: int) -> ReasoningPaths:
    """The constraint of one question, from its topics' names on."""
    return ReasoningPaths(scene.index, scene.units(case), scene.tags, PathLimits(hops=hops))


def decode(
    scene: Scene, cases: Sequence[Case], hops: int, plan: BeamPlan
) -> list[SearchResult[PathState]]:
    """The best paths of each question, in one batch."""
    questions = [Question(case.prompt, automaton(scene, case, hops), case.shared) for case in cases]
    return beam_search(scene.local.model, questions, plan, relevance=False)


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


Parts = Mapping[str, tuple[type[Any], Sequence[str]]]
"""The classes and methods in which each part of a search is."""

OURS: Parts = {
    "state": (ReasoningPaths, ("__init__",)),
    "constraint": (ReasoningPaths, ("allowed", "advance", "done")),
    "head": (OutputHead, ("all_logits", "logits_of")),
    "masks": (TreeForward, ("_mask",)),
}
_REPAIRED: Parts = {"trie": (PathTrie, ("__init__",)), "look-ups": (PathTrie, ("followers",))}
_PUBLISHED: Parts = {"paths": (Published, ("path_texts",)), **_REPAIRED}


def _parts_of(scene: Scene, rival: Rival) -> Parts:
    match rival:
        case "published":
            return {**_PUBLISHED, "tokens": (type(scene.local.tokenizer), ("__call__",))}
        case "repaired":
            return _REPAIRED
        case "unconstrained":
            return {}


def where_ours_goes(scene: Scene, cases: Sequence[Case], hops: int, plan: BeamPlan) -> Breakdown:
    """Decode one batch with a clock in each part, which takes a little longer than without."""
    return broken_down(scene, OURS, lambda: decode(scene, cases, hops, plan))[1]


def repaired_by_parts(
    scene: Scene, case: Case, words: Sequence[Tokens], plan: BeamPlan
) -> tuple[list[Tokens], Breakdown]:
    """What R' finds, and where its time goes."""
    return broken_down(scene, _REPAIRED, lambda: repaired(scene, case, words, plan))


def broken_down(scene: Scene, parts: Parts, run: Callable[[], Result]) -> tuple[Result, Breakdown]:
    """What a search finds, and where its time goes: in the model's layers, and in each part."""
    seconds: dict[str, list[float]] = {name: [] for name in parts}
    with counted(scene.local.model) as forwards, ExitStack() as clocks:
        for part, (owner, names) in parts.items():
            for name in names:
                method = _clocked(getattr(owner, name), seconds[part])
                clocks.enter_context(patch.object(owner, name, method))
        whole, result = timed(run)
    spent = {part: sum(times) for part, times in seconds.items()}
    layers = {"layers": forwards.seconds, **spent}
    return result, Breakdown(whole, layers, forwards.calls, forwards.tokens)


def _clocked(method: Any, seconds: list[float]) -> Any:
    def call(*args: Any, **options: Any) -> Any:
        since = perf_counter()
        result = method(*args, **options)
        seconds.append(perf_counter() - since)
        return result

    return call


class Mismatch(Exception):
    """Two searches over the same paths did not find the same."""


def check(
    scene: Scene,
    case: Case,
    best: SearchResult[PathState],
    theirs: Sequence[Tokens],
    words: Sequence[Tokens],
    plan: BeamPlan,
) -> None:
    """Compare the top K, ties allowed. Raises Mismatch.

    The other side's words are scored here, each by one forward pass under the mask of all legal
    `words`, so our scores are held against the model itself.
    """
    ours = [(h.tokens, h.score) for h in best.hypotheses]
    scores = word_scores(scene, case, theirs, words, plan)
    other = dict(zip(theirs, scores, strict=True))
    if len(ours) != len(other):
        raise Mismatch(f"{case.question}: {len(ours)} words against {len(other)}")
    if not ours:
        return
    ranked = sorted(other.values(), reverse=True)
    for rank, ((word, score), same) in enumerate(zip(ours, ranked, strict=True), 1):
        if abs(score - same) > TOLERANCE:
            raise Mismatch(f"{case.question}: word {rank} scores {score:.6f}, not {same:.6f}")
        if abs(other.get(word, ranked[-1]) - score) > 2 * TOLERANCE:
            raise Mismatch(f"{case.question}: word {rank} is not among the other side's words")


def word_scores(
    scene: Scene,
    case: Case,
    theirs: Sequence[Tokens],
    words: Sequence[Tokens],
    plan: BeamPlan,
) -> list[float]:
    """The log-probability of each word after the prompt: one forward pass a word, no tree."""
    model = cast(Any, scene.local.model)
    with torch.inference_mode():
        prompt = model(input_ids=torch.tensor([case.prompt]), use_cache=True, logits_to_keep=1)
    scores = list[float]()
    for word in theirs:
        with torch.inference_mode():
            cache = deepcopy(prompt.past_key_values)
            rest = model(input_ids=torch.tensor([word[:-1]]), past_key_values=cache)
        logits = torch.cat([prompt.logits[0], rest.logits[0]]).double()
        scores.append(_word_score(logits, word, words, plan))
    return scores


def _word_score(
    logits: torch.Tensor, word: Tokens, words: Sequence[Tokens], plan: BeamPlan
) -> float:
    if plan.scores == "full":
        logprobs = logits.log_softmax(-1)
        return sum(float(logprobs[i, token]) for i, token in enumerate(word))
    score, alive = 0.0, list(words)
    for i, token in enumerate(word):
        legal = sorted({other[i] for other in alive})
        score += float(logits[i, token] - logits[i, legal].logsumexp(0))
        alive = [other for other in alive if other[i] == token]
    return score
