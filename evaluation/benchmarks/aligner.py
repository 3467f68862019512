"""Readers that nothing was trained for, to be beaten: they align words with the labels of walks.

Each hop of a walk takes the word of the question that is most like its label, a word is taken once,
and a hop costs something. The walk with the best sum is the query. `bag` compares words alone,
`aligner` has the lexicon of the reader, and `random` draws.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...agent.decoding.plan import BeamPlan, Cost
from ...agent.errors import NoPathError
from ...agent.kg import KnowledgeGraph
from ...agent.nodes import Node
from ...agent.nodes.read import ReadWith, read
from ...agent.query.account import NoAccount
from ...agent.query.actions import Action
from ...agent.query.asked import Asked
from ...agent.query.automaton import Partial
from ...agent.query.binding import Naming
from ...agent.query.facts import Facts
from ...agent.query.reader import ReadQueries, distinct_queries
from ...agent.query.schema import GraphSchema
from ...agent.query.schema_tables import GraphTables
from ...agent.reader.inputs import Inputs
from ...agent.reader.lexicon import Lexicon
from ...agent.reader.matching import FEATURES, matches
from ...agent.reader.weights import open_reader
from ...agent.reader.words import words_of
from ...graphs.ground import Parts
from ...graphs.method import Method
from ...graphs.query import QUERY

ALIGNERS = ("aligner", "bag", "random")
_HOPS = 3
_BREADTH = 40
"""Walks of each length that are gone on with."""
_COST = 1.0
"""What a hop costs; a word of its label alone is worth more, a related one less."""
_WORTH = {"exact": 1.0, "alias": 0.8, "related": 0.5, "begins": 0.8, "rare": 0.5, "covered": 0.5}
_BAG = ("exact", "begins", "rare", "covered")


def worth_of_features(known: Sequence[str] = tuple(_WORTH)) -> npt.NDArray[np.float64]:
    """What each of `FEATURES` is worth; nothing those that are not `known`."""
    return np.array([_WORTH[name] if name in known else 0.0 for name in FEATURES])


def aligning(name: str, reader: str) -> Method:
    """One of `ALIGNERS` as a method; the lexicon is that of a reader."""

    def whole(parts: Parts, _: Callable[[], Facts]) -> Node:
        lexicon = open_reader(reader).load().lexicon if name == "aligner" else Lexicon()
        aligner = _Aligner(parts.kg, lexicon, name)
        return read(ReadWith(parts.kg, parts.linker, aligner, NoAccount, 0.0), name)

    return replace(QUERY, whole=whole)


class _Walk(NamedTuple):
    partial: Partial
    worth: float
    taken: frozenset[int]
    """The words that its hops took."""


class _Aligner:
    def __init__(self, kg: KnowledgeGraph, lexicon: Lexicon, name: str) -> None:
        self._facts = Facts(kg)
        self._tables = GraphTables(self._facts)
        self._naming = Naming(kg)
        self._inputs = Inputs(lexicon)
        self._random = Random(0) if name == "random" else None
        self._weights = worth_of_features(_BAG if name == "bag" else tuple(_WORTH))

    @contextmanager
    def facts(self) -> Generator[Facts]:
        yield self._facts

    def read(self, asked: Asked, plan: BeamPlan) -> ReadQueries:
        """The best walks. Raises NoPathError where none begins at what the question names."""
        schema = GraphSchema(self._tables, asked.pointed.bound, values=asked.pointed.values)
        words = words_of(asked.question, asked.mentions.numbered)
        parts = [word.parts for word in words]
        live, ended = [_Walk(Partial(), 0.0, frozenset())], list[_Walk]()
        for length in range(_HOPS + 1):
            begun = list[_Walk]()
            for walk in live:
                for action in walk.partial.following(schema).actions:
                    if action.kind == "pointer" and not length:
                        begun.append(_Walk(walk.partial.after(action), 0.0, frozenset()))
                    elif action.kind == "step" and length and action.name:
                        begun.append(self._after(walk, action, parts))
            begun.sort(key=lambda walk: -walk.worth)
            live = begun[:_BREADTH]
            ended += live if length else []
        if not ended:
            raise NoPathError("no walk begins at what the question names")
        ended.sort(key=lambda walk: -walk.worth)
        best = ended[: plan.beams]
        actions = [(*walk.partial.actions, Action("end")) for walk in best]
        shares = np.exp([walk.worth for walk in best])
        chances = (shares / shares.sum()).tolist()
        queries = distinct_queries(self._facts.kg, self._naming, actions, chances, asked.pointed)
        return ReadQueries(queries, Cost())

    def _after(self, walk: _Walk, action: Action, parts: Sequence[tuple[str, ...]]) -> _Walk:
        partial = walk.partial.after(action)
        if self._random is not None:
            return _Walk(partial, self._random.random(), walk.taken)
        worth = self._alike(action.name, parts)
        free = set(range(len(parts))) - walk.taken
        best = max(sorted(free), key=lambda word: worth[word], default=None)
        if best is None or not worth[best]:
            return _Walk(partial, walk.worth - _COST, walk.taken)
        return _Walk(partial, walk.worth + float(worth[best]) - _COST, walk.taken | {best})

    def _alike(self, relation: str, parts: Sequence[tuple[str, ...]]) -> npt.NDArray[np.float64]:
        """How much each word is like the label of a relation."""
        (name,) = self._facts.kg.walk_labels.names([relation])
        label = self._inputs.entry(name)
        return (matches(parts, [label], [None])[:, 0] * self._weights).sum(-1)
