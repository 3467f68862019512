"""How sure the reader has to be, fitted on graphs over schemas that it learnt nothing of."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from ...agent.errors import GroundwalkError
from ...agent.kg import KnowledgeGraph
from ...agent.query.account import names_of
from ...agent.reader.account import LabelAccount
from ...agent.reader.reader import LabelReader
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
from .sources import SchemaLabels

_ANSWERABLE, _UNANSWERABLE = 24, 12
"""Questions of each graph."""
_GRAPHS = 20


def fit_thresholds(
    reader: ReaderWeights,
    apart: Mapping[str, SchemaLabels],
    told: Callable[[str], None],
    seed: int = 0,
) -> ReaderWeights:
    """The reader with one threshold for all graphs, and one for words that it leaves out.

    `apart` are schemas by name, over which graphs are made. Raises ValueError where none of them
    can be asked about.
    """
    asked, answered, shares = list[Asked](), list[Answered](), list[float]()
    for place, (name, schema) in enumerate(islice(apart.items(), _GRAPHS)):
        told(f"asking over {name}, which is kept apart")
        with TemporaryDirectory() as folder:
            try:
                kg, material = made_graph(schema, Path(folder), seed + place)
            except GroundwalkError:
                continue
            with closing(kg):
                samples = _samples(material, seed)
                judge = query_judge(kg, reader=_as_given(reader))
                asked += samples
                answered += [judge(own) for own in samples]
                shares += _shares(kg, reader, samples)
    if not asked:
        raise ValueError("no schema that is kept apart can be asked about")
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
    account = LabelAccount(reader, names_of(kg))
    return unread_shares(kg, LabelReader(kg, lambda: reader), account, whole)
