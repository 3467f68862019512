"""The groups of measures: which model decodes which questions against whom."""

import resource
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from statistics import median

from ...agent.decoding.plan import BeamPlan, Scores
from ...agent.kg import open_kg
from ..datasets.jsonl import read_world
from .decoding_contest import (
    HOPS,
    Breakdown,
    Contest,
    Figure,
    Rival,
    automaton,
    check,
    compared,
    contest,
    decode,
    figure,
    repaired_by_parts,
    spelled,
    timed,
    total,
    where_ours_goes,
)
from .decoding_rivals import Published, unconstrained
from .decoding_scenes import (
    Case,
    Scene,
    bundled,
    fitting,
    graph_tokenizer,
    hub_samples,
    metaqa_samples,
    qwen_25m,
    qwen_half_b,
    scene_of,
    small_llama,
    spread,
)
from .harness import metaqa_graph

BEAMS = 10
BATCH = 32
POOL = 60
"""Of so many questions a few are taken."""
SCORES: tuple[Scores, ...] = ("full", "allowed")

Figures = Iterator[tuple[str, Figure]]

_PROCESS = Path("/proc/self")
_NAMES: dict[Rival, str] = {"published": "R", "repaired": "R'", "unconstrained": "unconstrained"}


@dataclass(frozen=True)
class Sizes:
    """How many questions each group asks; 0 leaves it out."""

    small: int = 16
    far: int = 5
    hubs: int = 3
    world: int = 12
    vocabulary: int = 4
    large: int = 2
    hops: int = 10
    paths: int = 15
    state: int = 60
    batch: int = 96


QUICK = Sizes(
    small=2, far=0, hubs=0, world=1, vocabulary=0, large=0, hops=1, paths=1, state=5, batch=2
)
"""Every kind of group that needs no big model, with hardly a question each."""


@dataclass
class Stage:
    """What the groups share: graphs, tokenizer, models; each is made when it is first needed."""

    sizes: Sizes = Sizes()
    notes: list[str] = field(default_factory=list[str])
    reasons: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """For each ratio, in lines, where the time of both sides goes."""
    checked: int = 0
    """How many searches were found equal to those of Hugging Face."""
    _pools: dict[int, list[Case]] = field(default_factory=dict[int, list[Case]])

    @cached_property
    def small(self) -> Scene:
        """MetaQA under the small random model."""
        kg = metaqa_graph()
        return scene_of(kg, small_llama(graph_tokenizer([kg])))

    @cached_property
    def published(self) -> Published:
        """R over MetaQA."""
        return Published(self.small.kg)

    @cached_property
    def world(self) -> Scene:
        """The world graph under the bundled model, or a small random one where there is none."""
        kg = open_kg("world")
        local = bundled()
        if local is None:
            self.notes.append("there is no bundled model: a small random one stands in for it")
            local = small_llama(graph_tokenizer([kg], 1_200))
        return scene_of(kg, local)

    def metaqa(self, count: int, hops: int) -> list[Case]:
        """Questions of the reporting part, spread evenly over the numbers of paths."""
        if hops not in self._pools:
            self._pools[hops] = fitting(self.small, metaqa_samples(hops), hops, POOL)
        pool = self._pools[hops]
        return [pool[index] for index in spread(len(pool), count)]

    @cached_property
    def world_cases(self) -> list[Case]:
        """Every question over the world graph that has a topic and a path."""
        return fitting(self.world, read_world(), 2, 1_000)

    def rounds(
        self,
        scene: Scene,
        cases: Sequence[Case],
        hops: int,
        scores: Scores,
        *,
        published: Published | None = None,
        free: bool = True,
    ) -> list[Contest]:
        """Every question against its rivals, after a start that does not count."""
        plan = BeamPlan(BEAMS, scores)
        counts = [scene.count(case, hops) for case in cases]
        note = f"{len(cases)} questions of {min(counts)} to {max(counts)} paths, median "
        self.notes.append(f"{scene.local.source}, {hops} hops, {scores}: {note}{median(counts):g}")
        for case in cases[:1]:
            decode(scene, [case], hops, plan)
            unconstrained(scene, case, 2, plan)
        rounds = [
            contest(scene, case, hops, plan, published=published, free=free) for case in cases
        ]
        self.checked += len(rounds) * (2 if published else 1)
        return rounds


def small(stage: Stage) -> Figures:
    """Two hops on MetaQA."""
    yield from _near_or_far(stage, stage.sizes.small, 2)


def far(stage: Stage) -> Figures:
    """Three hops on MetaQA."""
    yield from _near_or_far(stage, stage.sizes.far, 3)


def _near_or_far(stage: Stage, count: int, hops: int) -> Figures:
    cases = stage.metaqa(count, hops)
    rounds = stage.rounds(stage.small, cases, hops, "full", published=stage.published)
    yield from _ratios(stage, rounds, f"small/{hops}")
    pairs = [(r.breakdowns["ours"], r.breakdowns["published"]) for r in rounds]
    for counted in ("calls", "tokens"):
        stage.reasons[f"{counted}/small/{hops}"] = compared("R", pairs)
    yield f"calls/small/{hops}", figure([a.passes / b.passes for a, b in pairs])
    yield f"tokens/small/{hops}", figure([a.tokens / b.tokens for a, b in pairs])
    rounds = stage.rounds(stage.small, cases, hops, "allowed")
    yield from _ratios(stage, rounds, f"small/{hops}", "allowed")


def hubs(stage: Stage) -> Figures:
    """Topics with 10,000 paths and more."""
    samples = hub_samples(stage.small, stage.sizes.hubs)
    cases = fitting(stage.small, samples, 2, len(samples))
    yield "state/hubs", _builds(stage.small, cases, 2)
    published = stage.published
    rounds = stage.rounds(stage.small, cases, 2, "full", published=published, free=False)
    yield from _ratios(stage, rounds, "hubs/2")
    rounds = stage.rounds(stage.small, cases, 2, "allowed", free=False)
    yield from _ratios(stage, rounds, "hubs/2", "allowed")


def world(stage: Stage) -> Figures:
    """Two hops on the world graph, by the model that comes with it."""
    every = stage.world_cases
    cases = [every[index] for index in spread(len(every), stage.sizes.world)]
    published = Published(stage.world.kg)
    rounds = stage.rounds(stage.world, cases, 2, "full", published=published)
    yield from _ratios(stage, rounds, "world/2")
    yield from _ratios(stage, stage.rounds(stage.world, cases, 2, "allowed"), "world/2", "allowed")


def vocabulary(stage: Stage) -> Figures:
    """A vocabulary of 150k tokens over few parameters."""
    scene = stage.small.with_model(qwen_25m(stage.small.local.tokenizer))
    cases = stage.metaqa(stage.sizes.vocabulary, 2)
    for scores in SCORES:
        yield from _ratios(stage, stage.rounds(scene, cases, 2, scores), "vocabulary/2", scores)


def large(stage: Stage) -> Figures:
    """Half a billion parameters, and the share of the work that is not the model's."""
    scene = stage.small.with_model(qwen_half_b(stage.small.local.tokenizer))
    cases = stage.metaqa(stage.sizes.large, 2)
    for scores in SCORES:
        yield from _ratios(stage, stage.rounds(scene, cases, 2, scores), "large/2", scores)
        runs = [where_ours_goes(scene, [case], 2, BeamPlan(BEAMS, scores)) for case in cases]
        shares = [{name: 100 * s / run.whole for name, s in run.every.items()} for run in runs]
        constraint = [share["state"] + share["constraint"] for share in shares]
        outside = [100 - share["layers"] - share["head"] for share in shares]
        yield f"{_prefix(scores)}constraint/large", figure(constraint)
        yield f"{_prefix(scores)}outside/large", figure(outside)


def hops(stage: Stage) -> Figures:
    """Ours alone from one hop to four: seconds and memory."""
    cases = stage.metaqa(stage.sizes.hops, 3)
    decode(stage.small, cases[:1], 1, BeamPlan(BEAMS))
    for scores in SCORES:
        yield from _over_hops(stage, cases, scores)


def _over_hops(stage: Stage, cases: Sequence[Case], scores: Scores) -> Figures:
    start, plan = _prefix(scores), BeamPlan(BEAMS, scores)
    runs = [[_search(stage.small, case, n, plan) for n in HOPS] for case in cases]
    times = [[timed(run)[0] for run in row] for row in runs]
    stage.reasons[f"{start}hops/time"] = [
        spelled(f"{n} hops", [where_ours_goes(stage.small, [c], n, plan) for c in cases])
        for n in HOPS
    ]
    yield f"{start}hops/time", figure([row[-1] / row[0] for row in times])
    for n, seconds in zip(HOPS, zip(*times, strict=True), strict=True):
        yield f"{start}hops/time/{n}", figure([1_000 * s for s in seconds])
    resident = [[resident_peak(row[0]), resident_peak(row[-1])] for row in runs]
    yield f"{start}hops/resident", figure([last / first for first, last in resident])
    peaks = [[python_peak(run) for run in row] for row in runs]
    for n, megabytes in zip(HOPS, zip(*peaks, strict=True), strict=True):
        yield f"{start}hops/memory/{n}", figure(megabytes)


def paths(stage: Stage) -> Figures:
    """Questions with the most paths against those with the fewest."""
    count = min(stage.sizes.paths, POOL // 2)
    pool = stage.metaqa(POOL, 3)
    few, many = pool[:count], pool[-count:]
    for cases in (few, many):
        counts = [stage.small.count(case, 3) for case in cases]
        stage.notes.append(
            f"{len(cases)} questions of {min(counts)} to {max(counts)} paths, 3 hops"
        )
    decode(stage.small, pool[:1], 3, BeamPlan(BEAMS))
    for scores in SCORES:
        plan, times = BeamPlan(BEAMS, scores), list[tuple[float, float]]()
        for pair in zip(few, many, strict=True):
            one, other = (timed(_search(stage.small, case, 3, plan))[0] for case in pair)
            times.append((one, other))
        fewest, most = zip(*times, strict=True)
        name = f"{_prefix(scores)}paths/time"
        stage.reasons[name] = [
            spelled(words, [where_ours_goes(stage.small, [c], 3, plan) for c in cases])
            for words, cases in (("fewest paths", few), ("most paths", many))
        ]
        yield name, replace(figure([median(most) / median(fewest)], most, fewest), questions=count)


def state(stage: Stage) -> Figures:
    """The constraint of a question, before any token of it."""
    for count in (2, 3):
        cases = stage.metaqa(stage.sizes.state, count)
        yield f"state/{count}", _builds(stage.small, cases, count)


def batch(stage: Stage) -> Figures:
    """Questions over the world graph in batches, against R' with one after the other."""
    plan = BeamPlan(BEAMS, "allowed")
    every = stage.world_cases
    cases = [every[index] for index in spread(len(every), stage.sizes.batch)]
    decode(stage.world, cases[:1], 2, plan)
    ours, theirs = list[float](), list[float]()
    pairs = list[tuple[Breakdown, Breakdown]]()
    for start in range(0, len(cases), BATCH):
        group = cases[start : start + BATCH]
        first, results = timed(lambda group=group: decode(stage.world, group, 2, plan))
        alone = list[Breakdown]()
        for case, one in zip(group, results, strict=True):
            words = stage.world.words(case, 2)
            best, took = repaired_by_parts(stage.world, case, words, plan)
            check(stage.world, case, one, best, words, plan)
            alone.append(took)
        pairs.append((where_ours_goes(stage.world, group, 2, plan), total(alone)))
        last, _ = timed(lambda group=group: decode(stage.world, group, 2, plan))
        ours.append((first + last) / 2)
        theirs.append(pairs[-1][1].whole)
    stage.checked += len(cases)
    stage.reasons["batch"] = compared("R'", pairs)
    yield "batch", figure([b / a for a, b in zip(ours, theirs, strict=True)], ours, theirs)


GROUPS: dict[str, Callable[[Stage], Figures]] = {
    "small": small,
    "far": far,
    "hubs": hubs,
    "world": world,
    "state": state,
    "hops": hops,
    "paths": paths,
    "batch": batch,
    "vocabulary": vocabulary,
    "large": large,
}


def _prefix(scores: Scores) -> str:
    return "allowed/" if scores == "allowed" else ""


def _ratios(stage: Stage, rounds: Sequence[Contest], name: str, scores: Scores = "full") -> Figures:
    for rival in rounds[0].others if rounds else ():
        kind = "" if scores == "allowed" and rival == "repaired" else f"{rival}/"
        ours, other = [r.ours for r in rounds], [r.others[rival] for r in rounds]
        ratios = [b / a for a, b in zip(ours, other, strict=True)]
        measure = f"{_prefix(scores)}{kind}{name}"
        pairs = [(r.breakdowns["ours"], r.breakdowns[rival]) for r in rounds]
        stage.reasons[measure] = compared(_NAMES[rival], pairs)
        yield measure, figure(ratios, ours, other)


def _search(scene: Scene, case: Case, hops: int, plan: BeamPlan) -> Callable[[], object]:
    return lambda: decode(scene, [case], hops, plan)


def _builds(scene: Scene, cases: Sequence[Case], hops: int) -> Figure:
    times = [timed(lambda case=case: automaton(scene, case, hops))[0] for case in cases]
    return figure([1_000 * seconds for seconds in times])


def python_peak(run: Callable[[], object]) -> float:
    """What Python and numpy allocate for a call; tensors are not in it."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def resident_peak(run: Callable[[], object]) -> float:
    """The most that the whole process holds during a call, model and tensors included.

    Where the system cannot forget an earlier peak, it is the highest peak so far.
    """
    try:
        (_PROCESS / "clear_refs").write_text("5")
        run()
        status = (_PROCESS / "status").read_text().splitlines()
        return next(int(line.split()[1]) / 1e3 for line in status if line.startswith("VmHWM"))
    except OSError:
        run()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
