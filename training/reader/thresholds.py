"""How sure the reader has to be, fitted on graphs over domains that it learnt nothing of."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ...agent.errors import GroundwalkError
from ...agent.kg import KnowledgeGraph
from ...agent.reader.account import LabelAccount
from ...agent.reader.reader import LabelReader
from ...agent.reader.tools import reading_tools
from ...agent.reader.values import WithValues
from ...agent.reader.weights import GeneralReader, ReaderWeights
from ..account import FLAGGED
from ..answers import Answered
from ..data import Material
from ..query_encode import Asked
from ..query_fitting import (
    query_judge,
    query_samples,
    query_threshold,
    share_above,
    unread_shares,
)
from .lessons import made_graph
from .worded import Domain

_ANSWERABLE, _UNANSWERABLE = 24, 12
"""Questions of each graph."""
_GRAPHS = 4
"""Graphs over each domain."""
_OTHERS = 1_000
"""Added to the seed, so that labels are drawn which nothing was watched by."""


def fit_thresholds(
    reader: ReaderWeights,
    apart: Sequence[Domain],
    told: Callable[[str], None],
    seed: int = 0,
) -> ReaderWeights:
    """The reader with one threshold for all graphs, and one for words that it leaves out.

    `apart` are the domains over which graphs are made. Raises ValueError where none of them can be
    asked about.
    """
    asked, answered, shares = list[Asked](), list[Answered](), list[float]()
    for place, domain in enumerate(own for own in apart for _ in range(_GRAPHS)):
        told(f"asking over {domain.name}, which is kept apart")
        with TemporaryDirectory() as folder:
            try:
                kg, _, material = made_graph(domain, Path(folder), seed + _OTHERS + place)
            except GroundwalkError:
                continue
            with closing(kg):
                samples = _samples(material, seed + place)
                judge = query_judge(kg, reader=_as_given(reader))
                asked += samples
                answered += [judge(own) for own in samples]
                shares += _shares(kg, reader, samples)
    if not asked:
        raise ValueError("no domain that is kept apart can be asked about")
    threshold = query_threshold([own.actions is not None for own in asked], answered)
    unread = share_above(shares, FLAGGED)
    settings = replace(reader.settings, threshold=threshold, unread=unread)
    return replace(reader, settings=settings)


def _as_given(reader: ReaderWeights) -> GeneralReader:
    return GeneralReader(reader.settings, lambda: reader)


def _samples(material: Material, seed: int) -> list[Asked]:
    drawn = query_samples(material.queries, seed) if material.queries else []
    whole = [own for own in drawn if own.actions is not None]
    return [*whole[:_ANSWERABLE], *[own for own in drawn if own.actions is None][:_UNANSWERABLE]]


def _shares(kg: KnowledgeGraph, reader: ReaderWeights, samples: list[Asked]) -> list[float]:
    whole = [own.question for own in samples if own.actions is not None]
    tools = reading_tools(kg, lambda: reader)
    return unread_shares(kg, LabelReader(tools), LabelAccount(tools), whole, WithValues(kg))
