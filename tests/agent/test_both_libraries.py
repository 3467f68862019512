"""What is shipped reads every question alike with NumPy and with torch: queries, order, scores."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from groundwalk.agent.answers.topics import linked
from groundwalk.agent.errors import NoPathError
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.linking.linker import LabelLinker
from groundwalk.agent.llm.local import load_generator, load_model
from groundwalk.agent.nodes.read import plan_of
from groundwalk.agent.options import Options
from groundwalk.agent.query.question import Asked, mentions_of
from groundwalk.agent.query.reader import QueryReader, Reader
from groundwalk.agent.query.tree import write_query
from groundwalk.agent.reader.graph import reading_tools
from groundwalk.agent.reader.network import Network
from groundwalk.agent.reader.search import LabelReader
from groundwalk.agent.reader.weights import open_reader
from groundwalk.evaluation.datasets.jsonl import read_world
from groundwalk.training.reader.module import ReaderModule, as_tensors, module_of

PLAN = plan_of(Options())
ROUNDING = 1e-4

pytestmark = pytest.mark.slow


def test_the_bundled_model(kg: KnowledgeGraph) -> None:
    models = load_generator(), load_model()
    readers = [QueryReader(kg, lambda model=model: model) for model in models]
    assert _differences(kg, *readers) == []


def test_the_bundled_reader(kg: KnowledgeGraph) -> None:
    weights = open_reader().load()
    network: Any = ByTorch(module_of(weights.network).eval())
    both = weights, replace(weights, network=network)
    readers = [LabelReader(reading_tools(kg, lambda own=own: own)) for own in both]
    assert _differences(kg, *readers) == []


class ByTorch:
    """A reader's network over tensors."""

    def __init__(self, module: ReaderModule) -> None:
        self._network = Network(module.size, dict(module.named_parameters()))

    def read(self, batch: Any) -> Any:
        with torch.inference_mode():
            return self._network.read(as_tensors(batch))

    def scored(self, batch: Any, read: Any, *, last: bool) -> Any:
        with torch.inference_mode():
            scores = self._network.scored(as_tensors(batch), read, last=last)
        return type(scores)(*(own.numpy() for own in scores))


def _differences(kg: KnowledgeGraph, one: Reader, other: Reader) -> list[str]:
    """The questions that two readers read as other queries, in another order or less alike."""
    linker, differ = LabelLinker(kg.labels), list[str]()
    for sample in read_world():
        question = sample.question
        mentions = mentions_of(question, linked(linker, kg, question).mentions)
        ours, theirs = (_read(reader, Asked(question, mentions)) for reader in (one, other))
        same = [query for query, _ in ours] == [query for query, _ in theirs]
        apart = (abs(a - b) for (_, a), (_, b) in zip(ours, theirs, strict=False))
        if not same or max(apart, default=0.0) > ROUNDING:
            differ.append(question)
    return differ


def _read(reader: Reader, asked: Asked) -> list[tuple[Any, float]]:
    """The queries that have a say, with their probabilities; none where none can begin."""
    try:
        queries = reader.read(asked, PLAN).queries
    except NoPathError:
        return []
    likely = (own for own in queries if own.probability > 10 * ROUNDING)
    return [(write_query(own.bound.query), own.probability) for own in likely]
