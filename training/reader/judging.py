"""The judge of whole readings, fitted on what a reader makes of questions that people asked.

A search ends in several readings of a question. Where none of them is right, or the graph lacks
what is asked, the judge is to say so. The reader learnt the same questions, and reads them hardly
better than others. How sure an answer has to be is fitted over graphs that it learnt nothing of.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ...agent.answers.outcomes import weighed_and_narrowed
from ...agent.answers.queries import executed
from ...agent.answers.readings import ReadWith, has_nothing
from ...agent.errors import GroundwalkError
from ...agent.operations import Array
from ...agent.query.actions import Action
from ...agent.query.reader import explained
from ...agent.reader.account import LabelAccount
from ...agent.reader.judge import FEATURES, HIDDEN
from ...agent.reader.weights import ReaderWeights
from ..fitting.exams import read_as_found
from .asked import AskedGraph
from .made_graphs import relation_iri
from .sources import SourceQuestion
from .sureness import (
    answer_of,
    answer_to,
    by_relation,
    comes_to_the_same,
    opened,
    reading_with,
)

_OF_EACH = 36
"""Questions over each graph."""
_LACKING = 12
"""About so many are asked of it without the relation that they follow."""
_OF_RELATION = 3
"""Questions that are asked without the same relation."""
_FEWEST = 200
"""The fewest questions that a judge is fitted on."""
_ROUNDS, _BATCH, _RATE, _DECAY, _DROPPED = 25, 256, 3e-3, 1e-2, 0.1
_JUDGES = 3
"""Networks that are one in the end, each from other random weights."""
_LEAST_SPREAD = 0.1
"""The least standard deviation of a feature: rare actions have hardly any."""


class JudgedReadings(NamedTuple):
    """The readings of a question: what is known of each, and whether it is right."""

    features: npt.NDArray[np.float32]
    right: tuple[bool, ...]


def with_judge(
    reader: ReaderWeights,
    graphs: Iterable[AskedGraph],
    report: Callable[[str], None],
    seed: int = 0,
) -> ReaderWeights:
    """The reader with a judge that is fitted on its readings; as it is where these are too few."""
    bare = replace(reader, judge=None)
    judged = list[JudgedReadings]()
    for number, graph in enumerate(graphs):
        if number % 20 == 0:
            report(f"reading over {graph.name}, {len(judged):,} questions so far")
        judged += judged_over(graph, bare, seed)
    return reader if len(judged) < _FEWEST else replace(reader, judge=judge_of(judged, seed))


def judged_over(
    graph: AskedGraph, reader: ReaderWeights, seed: int = 0
) -> Iterator[JudgedReadings]:
    """What a reader makes of some questions over a graph.

    Others, or the same, are asked without the relation that they follow.
    """
    questions, rng = list(graph.questions), Random(f"judged {seed} {graph.name}")
    rng.shuffle(questions)
    with opened(graph) as kg:
        read = reading_with(kg, reader)
        for question in questions[:_OF_EACH]:
            yield from _judged(read, question, is_said=True)
        left = _LACKING
        for relations, several in by_relation(questions[_OF_EACH // 2 :]).items():
            if not relations or left <= 0:
                continue
            read = reading_with(kg, reader, relations)
            for question in several[:_OF_RELATION]:
                yield from _judged(read, question, is_said=False)
                left -= 1


def _judged(read: ReadWith, question: SourceQuestion, *, is_said: bool) -> list[JudgedReadings]:
    """The readings of a question; none where it has none, or nobody can tell if one is right.

    The right one comes to what the question asks for. One that comes to nothing, as many do, has
    the actions of the question, too. Where the graph lacks what is asked and a reading comes to it
    all the same, that tells nothing.
    """
    account = cast(LabelAccount, read.account())
    asked, queries = read_as_found(read.kg, read.linker, read.reader, question.question)
    readings = [query.actions for query in queries]
    features = account.features(asked, readings, [query.probability for query in queries])
    if features is None:
        return []
    right = set[tuple[Action, ...]]()
    if question.actions and not question.unread:
        wanted = answer_to(read, question)
        if wanted is None:
            return []
        with read.reader.facts() as facts:
            for query in weighed_and_narrowed(facts, explained(asked, queries, account), asked):
                try:
                    computed = executed(read.kg, facts, query.bound).computed
                except GroundwalkError:
                    continue
                if not is_said:
                    if not has_nothing(computed) and comes_to_the_same(read, question, computed):
                        return []
                elif answer_of(computed) == wanted and (
                    not has_nothing(computed) or _is_of(query.actions, question)
                ):
                    right.add(query.actions)
    if not right <= {*readings}:  # it was narrowed to one that the search did not find
        return []
    return [JudgedReadings(features, tuple(actions in right for actions in readings))]


def _is_of(actions: Sequence[Action], question: SourceQuestion) -> bool:
    """Whether actions are those of a question, whatever they point at."""
    names = [action.name if action.kind != "class" else "" for action in actions]
    asked = [
        relation_iri(action.name) if action.name and action.kind != "class" else ""
        for action in question.actions
    ]
    kinds = [action.kind for action in actions]
    return names == asked and kinds == [action.kind for action in question.actions]


def judge_of(judged: Sequence[JudgedReadings], seed: int = 0) -> Mapping[str, Array]:
    """The weights of a judge, by the names of `agent/reader/judge.py`.

    What is learnt is the probability of the right readings of each question, together, or that
    there is none.
    """
    most = max(len(one.right) for one in judged)
    features = torch.zeros(len(judged), most, FEATURES)
    exist = torch.zeros(len(judged), most, dtype=torch.bool)
    right = torch.zeros(len(judged), most + 1, dtype=torch.bool)
    for row, one in enumerate(judged):
        features[row, : len(one.right)] = torch.from_numpy(one.features)
        exist[row, : len(one.right)] = True
        right[row, : len(one.right)] = torch.tensor(one.right)
        right[row, -1] = not any(one.right)
    mean, spread = features[exist].mean(0), features[exist].std(0).clamp(min=_LEAST_SPREAD)
    judges = [
        _fitted((features - mean) / spread, exist, right, f"judge {seed} {number}")
        for number in range(_JUDGES)
    ]
    inner = torch.cat([judge.inner.weight for judge in judges]) / spread
    plain = torch.stack([judge.plain.weight for judge in judges]).mean(0) / spread
    bias = torch.stack([judge.plain.bias for judge in judges]).mean(0)
    weights = {
        "judge.inner.weight": inner,
        "judge.inner.bias": torch.cat([judge.inner.bias for judge in judges]) - inner @ mean,
        "judge.outer.weight": torch.cat([judge.outer.weight for judge in judges], 1) / _JUDGES,
        "judge.plain.weight": plain,
        "judge.plain.bias": bias - plain @ mean,
    }
    return {name: weight.detach().numpy() for name, weight in weights.items()}


class _Judge(nn.Module):
    """One of the networks that make a judge."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(FEATURES, HIDDEN // _JUDGES)
        self.outer = nn.Linear(HIDDEN // _JUDGES, 1, bias=False)
        self.plain = nn.Linear(FEATURES, 1)
        nn.init.zeros_(self.plain.weight)
        self.some, self.more = nn.Dropout(_DROPPED / 2), nn.Dropout(_DROPPED)

    def forward(self, features: Tensor, exist: Tensor) -> Tensor:
        """The log-probability of each reading, and last that of none: `(B, R + 1)`."""
        inner = self.more(nn.functional.gelu(self.inner(self.some(features))))
        scores = (self.plain(features) + self.outer(inner))[..., 0].masked_fill(~exist, -1e4)
        return torch.cat([scores, torch.zeros(len(scores), 1)], 1).log_softmax(-1)


def _fitted(features: Tensor, exist: Tensor, right: Tensor, seed: str) -> _Judge:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(Random(seed).getrandbits(32))
        judge, count = _Judge(), len(features)
        steps = _ROUNDS * -(-count // _BATCH)
        optimiser = torch.optim.AdamW(judge.parameters(), lr=_RATE, weight_decay=_DECAY)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, total_steps=steps)
        for _ in range(_ROUNDS):
            for rows in torch.randperm(count).split(_BATCH):
                logs = judge(features[rows], exist[rows])
                loss = -logs.masked_fill(~right[rows], -1e4).logsumexp(1).mean()
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                schedule.step()
    return judge.eval()
