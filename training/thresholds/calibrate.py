"""The confidence below which an answer is not shown, fitted on questions of known answer."""

from collections.abc import Callable, Sequence
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from ...agent.kg import KnowledgeGraph
from ...agent.llm.local import LocalModel
from ...agent.options import Options
from ..questions.graph import Graph, execute
from ..questions.questioner import Questioner, Sample

FALSE_COST = 2
"""What an answer costs where there is none, beside 1 for any other wrong answer, and for a right
one that is withheld."""


class Judged(NamedTuple):
    """A question, how sure the agent was of what it found, and whether that is right."""

    sample: Sample
    confidence: float
    right: bool


def fit_threshold(
    scores: Sequence[float], labels: Sequence[bool], *, false_cost: float = 1.0
) -> float:
    """The threshold of least cost: answers that score at least as much are shown.

    `labels` say which answers are right. Between equally good thresholds the one in the middle of
    the widest gap is taken. 0 when there is nothing to tell apart.
    """
    if len(set(labels)) < 2:
        return 0.0
    ranked = sorted(zip(scores, labels, strict=True))
    cost = false_cost * sum(not right for _, right in ranked)
    best, threshold, gap = cost, 0.0, 0.0
    for place, (score, right) in enumerate(ranked):
        cost += 1.0 if right else -false_cost
        following = ranked[place + 1][0] if place + 1 < len(ranked) else 1.0
        if following <= score:
            continue
        if cost < best - 1e-9 or (cost < best + 1e-9 and following - score > gap):
            best, threshold, gap = min(best, cost), (score + following) / 2, following - score
    return threshold


def lenient_threshold(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """The lowest threshold that costs no more than the least cost and its standard error.

    Between such thresholds a sample does not decide, and the lowest answers most. `labels` say
    which answers are right; 0 when there is nothing to tell apart.
    """
    if len(set(labels)) < 2:
        return 0.0
    ranked = sorted(zip(scores, labels, strict=True))
    cost = sum(not right for _, right in ranked)
    costs = list[tuple[float, int]]()
    for place, (score, right) in enumerate(ranked):
        if not place or score > ranked[place - 1][0]:
            costs.append((score, cost))
        cost += 1 if right else -1
    if ranked[-1][0] < 1.0:
        costs.append((1.0, cost))
    least = min(cost for _, cost in costs)
    return next(score for score, cost in costs if cost <= least + least**0.5)


def silence_threshold(scores: Sequence[float], *, share: float = 0.02) -> float:
    """The threshold that leaves at most a share of unanswerable questions answered, no higher.

    `scores` are the confidences of what was found for them, 0 where nothing was.
    """
    ranked = sorted((*scores, 0.0), reverse=True)
    answered = int(share * len(scores))
    above = ranked[answered - 1] if answered else 1.0
    return (above + ranked[answered]) / 2


def judge(
    kg: KnowledgeGraph, local: LocalModel, graph: Graph, method: str
) -> Callable[[Sample], Judged]:
    """What lets the whole agent answer a sample by a method, however unsure it is.

    It is right where it finds what the sample's relation path reaches, and nothing else. The
    question is not read as a query first.
    """
    from ...graphs.build import build_graph

    agent = build_graph(method, kg=kg, generator=local)
    options = Options(
        on_ambiguous="best",
        confidence=0.0,
        queries=False,
        max_answers=1_000_000,
        max_chains=1,
        revisits="walk" if graph.returns else "no-topic",
    )

    def judged(sample: Sample) -> Judged:
        state: Any = agent.invoke({"question": sample.question}, context=options)
        found = {answer["term"] for answer in state["answers"]}
        wanted = execute(graph, sample.walk[0], sample.moves) if sample.moves else ()
        right = bool(found) and found == {graph.terms[node] for node in wanted}
        return Judged(sample, state["confidence"] if found else 0.0, right)

    return judged


def calibration_samples(questioner: Questioner, count: int, seed: int) -> list[Sample]:
    """Questions of the generator, and a tenth more whose topics lack what they ask.

    There is no noise on those without an answer: a lost word may be the one that the graph lacks.
    """
    clear = questioner.undisturbed()
    answered = [sample for sample in islice(questioner.stream(seed), count) if sample.moves]
    refused = [sample for sample in islice(clear.stream(seed), count) if not sample.moves]
    rng = Random(f"absent {seed}")
    absent = (clear.absent(rng) for _ in range(count))
    return answered + refused + list(islice((sample for sample in absent if sample), count // 10))


def confidence_of(judged: Sequence[Judged]) -> float:
    """The threshold for what was judged; an unanswerable question counts as FALSE_COST of them."""
    counted = [one for one in judged for _ in range(1 if one.sample.moves else FALSE_COST)]
    return fit_threshold([one.confidence for one in counted], [one.right for one in counted])
