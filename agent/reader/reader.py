"""The general reader over one graph: the likeliest queries that its schema allows."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from math import exp, inf, log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..decoding.plan import BeamPlan, Cost
from ..errors import NoPathError
from ..pool import Pool
from ..query.actions import LITERAL, Action
from ..query.automaton import Partial
from ..query.facts import Facts
from ..query.reader import Asked, ReadQueries, distinct_queries
from ..query.schema import GraphSchema
from .inputs import KIND_NUMBERS, Label, Posed, acted, way_of
from .likelihood import logs_of
from .network import KINDS, LITERALS, MOST_STEPS, NONE, kind_of
from .overlap import may_overlap
from .tools import ReadingTools
from .words import words_of

_OTHER_GRAPH = "the reader was tuned to another graph: its confidence says less here"


class LabelReader:
    """Reads questions over one graph by its labels."""

    def __init__(self, tools: Pool[ReadingTools]) -> None:
        self._tools = tools

    def read(self, asked: Asked, plan: BeamPlan) -> ReadQueries:
        """The queries that the beams of a search end in.

        Raises NoPathError where no query can begin, ServiceError and ShortageError.
        """
        pointed = asked.pointed
        with self._tools.lent() as tools:
            tools.begin()
            schema = GraphSchema(
                tools.tables, pointed.bound, values=pointed.values, earlier=asked.before.terms()
            )
            search = _Search(tools, schema, asked)
            found = search.run(plan)
            if not found.queries:
                raise NoPathError("no query can begin at what the question names")
            actions = [own.actions for own in found.queries]
            chances = [exp(own.chance) for own in found.queries]
            kg = tools.facts.kg
            queries = distinct_queries(kg, tools.naming, actions, chances, pointed)
            notes = [_OTHER_GRAPH] if tools.is_foreign else []
        return ReadQueries(queries, Cost(forward_passes=found.passes), notes)

    @contextmanager
    def facts(self) -> Generator[Facts]:
        """The facts of the graph, for executing what was read."""
        with self._tools.lent() as tools:
            yield tools.facts


class _Begun(NamedTuple):
    """A partial query, and the logarithm of how likely it is."""

    partial: Partial
    chance: float


class _Ended(NamedTuple):
    actions: tuple[Action, ...]
    chance: float


class _Found(NamedTuple):
    queries: list[_Ended]
    passes: int


class _Search:
    """A beam search over actions, for one question."""

    def __init__(self, tools: ReadingTools, schema: GraphSchema, asked: Asked) -> None:
        self._tools = tools
        self._schema = schema
        self._words = words_of(asked.question, asked.mentions.numbered, asked.before.asked)
        self._word_of = {own.mention: place for place, own in enumerate(self._words)}
        self._labels: dict[tuple[str, int], int] = {}
        self._several = list[Label]()
        self._met: npt.NDArray[np.float32] | None = None
        self._know(tools.labels.near(self._words, tools.inputs))

    def run(self, plan: BeamPlan) -> _Found:
        """The likeliest whole queries, the likeliest first."""
        live, ended, passes = [_Begun(Partial(), 0.0)], list[_Ended](), 0
        least = log(plan.least) if plan.least else -inf
        enough = plan.enough or plan.beams
        while live and passes < MOST_STEPS:
            following = [own.partial.following(self._schema) for own in live]
            chances = self._chances(live, [own.actions for own in following])
            passes += 1
            steps = [
                (own.chance + chance, row, action)
                for row, (own, several) in enumerate(zip(live, chances, strict=True))
                for action, chance in several
                if action.kind != "end" or self._may_end(own.partial)
            ]
            steps.sort(key=lambda step: -step[0])
            begun = list[_Begun]()
            for chance, row, action in steps[: plan.beams]:
                partial = live[row].partial
                if chance < least and len(ended) >= enough:
                    break
                if action.kind == "end" and following[row].may_end:
                    ended.append(_Ended((*partial.actions, action), chance))
                else:
                    begun.append(_Begun(partial.after(action), chance))
            ended.sort(key=lambda own: -own.chance)
            live = begun
            if live and len(ended) >= enough and live[0].chance < ended[enough - 1].chance:
                break
        return _Found(ended[: plan.beams], passes)

    def _may_end(self, partial: Partial) -> bool:
        """Whether the set that would end there can meet the one that it is joined to.

        At an endpoint only a few members are looked at, which shows no relation to be absent.
        """
        is_known = self._tools.facts.kg.pinned
        return not is_known or may_overlap(partial.actions, self._schema)

    def _chances(
        self, live: Sequence[_Begun], following: Sequence[Sequence[Action]]
    ) -> list[list[tuple[Action, float]]]:
        """Each action that may come, with the logarithm of how likely it is."""
        import torch

        known = [action for own in live for action in own.partial.actions]
        several = [*known, *(action for actions in following for action in actions)]
        self._know([(own.name, way_of(own)) for own in several if own.name])
        batch = self._tools.inputs.batch(
            [
                Posed(
                    self._words,
                    self._several,
                    acted(own.partial.actions, self._words, self._several),
                    met=self._met,
                )
                for own in live
            ]
        )
        rows, places = len(live), batch.kinds.shape[1] + 1
        legal = torch.zeros(rows, places, len(KINDS), dtype=torch.bool)
        offered = torch.zeros(rows, places, len(self._several) or 1, dtype=torch.bool)
        pointable = torch.zeros(rows, places, len(self._words), dtype=torch.bool)
        is_literal = torch.zeros(rows, places, dtype=torch.bool)
        for row, (own, actions) in enumerate(zip(live, following, strict=True)):
            place = len(own.partial.actions)
            is_number = bool(place) and own.partial.actions[-1].kind in LITERAL
            is_literal[row, place] = is_number
            legal[row, place, KIND_NUMBERS[NONE]] = True
            for action in actions:
                legal[row, place, KIND_NUMBERS[kind_of(action)]] = True
                if action.name:
                    offered[row, place, self._labels[action.name, way_of(action)]] = True
                elif action.number in self._word_of and not is_number:
                    pointable[row, place, self._word_of[action.number]] = True
        with torch.inference_mode():
            scores = self._tools.network(batch)
            logs = logs_of(scores, batch.ways, legal, is_literal, offered, pointable)
        chances = list[list[tuple[Action, float]]]()
        for row, (own, actions) in enumerate(zip(live, following, strict=True)):
            place = len(own.partial.actions)
            kinds, hops, classes, words, literals = (part[row, place].tolist() for part in logs)
            is_number = bool(place) and own.partial.actions[-1].kind in LITERAL
            several = list[tuple[Action, float]]()
            for action in actions:
                chance = kinds[KIND_NUMBERS[kind_of(action)]]
                if action.name:
                    number = self._labels[action.name, way_of(action)]
                    chance += (classes if action.kind == "class" else hops)[number]
                elif action.number is not None:
                    number = min(action.number, LITERALS - 1)
                    at = self._word_of.get(action.number)
                    if is_number:
                        chance += literals[number]
                    elif at is None:
                        continue
                    else:
                        chance += words[at]
                several.append((action, chance))
            chances.append(several)
        return chances

    def _know(self, names: Sequence[tuple[str, int]]) -> None:
        """Learn the labels that are new, each given by its name and its way."""
        new = list[Label]()
        for name, way in names:
            if (name, way) not in self._labels:
                label = self._tools.labels.label(name, way)
                self._labels[label.key] = len(self._several)
                self._several.append(label)
                new.append(label)
        if new or self._met is None:
            met = self._tools.inputs.matches(self._words, new)
            self._met = met if self._met is None else np.concatenate([self._met, met], 1)
