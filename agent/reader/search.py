"""The general reader over one graph: the likeliest queries that its schema allows."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from math import exp, inf, log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..caching import Pool
from ..decoding.plan import BeamPlan, Cost
from ..errors import NoPathError, QuestionError
from ..query.actions import LITERAL, Action
from ..query.automaton import Following, Partial, query_of
from ..query.facts import Facts
from ..query.question import Asked
from ..query.reader import ReadQueries, distinct_queries
from ..query.schema import GraphSchema, Schema
from .graph import ReadingTools
from .inputs import (
    KIND_NUMBERS,
    KINDS,
    LITERALS,
    MOST_STEPS,
    NONE,
    Label,
    kind_of,
    label_way,
    number_actions,
)
from .lexicon import words_of
from .matching import FEATURES
from .network import logs_of

_OTHER_GRAPH = "the reader was tuned to another graph: its confidence says less here"
_PLAIN = frozenset(("pointer", "class", "step"))


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
            tools.start_clock()
            schema = GraphSchema(
                tools.tables, pointed.bound, values=pointed.values, earlier=asked.before.terms()
            )
            search = _Search(tools, schema, asked)
            ended = search.run(plan)
            if not ended:
                raise NoPathError("no query can begin at what the question names")
            actions = [actions for _, actions in ended]
            chances = [exp(chance) for chance, _ in ended]
            kg = tools.facts.kg
            earlier = asked.before.terms()
            queries = distinct_queries(kg, tools.naming, actions, chances, pointed, earlier)
            notes = [_OTHER_GRAPH] if tools.is_foreign else []
        return ReadQueries(queries, Cost(forward_passes=search.passes), notes)

    @contextmanager
    def facts(self) -> Generator[Facts]:
        """The facts of the graph, for executing what was read."""
        with self._tools.lent() as tools:
            yield tools.facts


class _Offer(NamedTuple):
    """An action that may come, and the field of `Logs` with what it names."""

    action: Action
    kind: int
    field: str = ""
    """Empty where it names nothing."""
    at: int = 0
    """The index of what it names there; -1 for a mention that is no word of the question."""


class _Search:
    """A beam search over actions, for one question."""

    def __init__(self, tools: ReadingTools, schema: GraphSchema, asked: Asked) -> None:
        self.passes = 0
        self._tools = tools
        self._schema = schema
        self._words = words_of(asked.question, asked.mentions.numbered, asked.before.asked)
        self._word_of = {word.mention: index for index, word in enumerate(self._words)}
        self._labels: dict[tuple[str, int], Label] = {}
        self._label_index: dict[tuple[str, int], int] = {}
        self._matches = np.zeros((len(self._words), 0, len(FEATURES)), np.float32)
        self._know(tools.labels.near(self._words, tools.inputs))

    def run(self, plan: BeamPlan) -> list[tuple[float, tuple[Action, ...]]]:
        """The likeliest whole queries with the logarithms of how likely, the likeliest first."""
        live, ended = [(0.0, Partial())], list[tuple[float, tuple[Action, ...]]]()
        least = log(plan.least) if plan.least else -inf
        enough = plan.enough or plan.beams
        while live and self.passes < MOST_STEPS:
            following = [partial.following(self._schema) for _, partial in live]
            steps = self._steps(live, following)
            self.passes += 1
            continued = list[tuple[float, Partial]]()
            for chance, row, action in steps[: plan.beams]:
                if chance < least and len(ended) >= enough:
                    break
                _, partial = live[row]
                if action.kind == "end" and following[row].may_end:
                    ended.append((chance, (*partial.actions, action)))
                else:
                    continued.append((chance, partial.after(action)))
            ended.sort(key=lambda query: -query[0])
            live = continued
            if live and len(ended) >= enough and live[0][0] < ended[enough - 1][0]:
                break
        return ended[: plan.beams]

    def _steps(
        self, live: Sequence[tuple[float, Partial]], following: Sequence[Following]
    ) -> list[tuple[float, int, Action]]:
        """The actions that may come, each with its row of `live`, the likeliest query first."""
        chances = self._chances([partial for _, partial in live], following)
        steps = [
            (before + chance, row, action)
            for row, ((before, partial), actions) in enumerate(zip(live, chances, strict=True))
            for action, chance in actions
            if action.kind != "end" or self._may_end(partial)
        ]
        return sorted(steps, key=lambda step: -step[0])

    def _may_end(self, partial: Partial) -> bool:
        """Whether the set that would end there can meet the one that it is joined to.

        Where only a few members are looked at, that shows no relation to be absent.
        """
        is_known = self._tools.tables.is_whole
        return not is_known or may_overlap(partial.actions, self._schema)

    def _chances(
        self, live: Sequence[Partial], following: Sequence[Following]
    ) -> list[list[tuple[Action, float]]]:
        """Each action that may come, with the logarithm of how likely it is."""
        known = [action for partial in live for action in partial.actions]
        known += [action for coming in following for action in coming.actions]
        self._know([(action.name, label_way(action)) for action in known if action.name])
        offers = [
            self._offers(coming.actions, is_literal=_is_literal(partial))
            for partial, coming in zip(live, following, strict=True)
        ]
        words, labels = self._words, list(self._labels.values())
        batch, read = self._tools.read(words, labels, self._matches)
        numbers = [number_actions(partial.actions, words, labels) for partial in live]
        scores = self._tools.network.scored(batch.of_actions(numbers), read, last=True)
        logs = logs_of(scores, batch.ways, *self._masks(live, offers))
        chances = list[list[tuple[Action, float]]]()
        for row in range(len(live)):
            values = [part[row, 0].tolist() for part in logs]
            kinds, within = values[0], dict(zip(logs._fields, values, strict=True))
            chances.append(
                [
                    (action, kinds[kind] + (within[field][index] if field else 0.0))
                    for action, kind, field, index in offers[row]
                    if index >= 0
                ]
            )
        return chances

    def _offers(self, actions: Sequence[Action], *, is_literal: bool) -> list[_Offer]:
        offers = list[_Offer]()
        for action in actions:
            kind = KIND_NUMBERS[kind_of(action)]
            if action.name:
                index = self._label_index[action.name, label_way(action)]
                field = "classes" if action.kind == "class" else "hops"
                offers.append(_Offer(action, kind, field, index))
            elif action.number is None:
                offers.append(_Offer(action, kind))
            elif is_literal:
                offers.append(_Offer(action, kind, "literals", min(action.number, LITERALS - 1)))
            else:
                offers.append(_Offer(action, kind, "words", self._word_of.get(action.number, -1)))
        return offers

    def _masks(
        self, live: Sequence[Partial], offers: Sequence[Sequence[_Offer]]
    ) -> Sequence[npt.NDArray[np.bool_]]:
        """What may come where each query ends, as `logs_of` has it."""
        rows = len(live)
        legal = np.zeros((rows, 1, len(KINDS)), bool)
        is_literal = np.zeros((rows, 1), bool)
        offered = np.zeros((rows, 1, len(self._labels) or 1), bool)
        pointable = np.zeros((rows, 1, len(self._words)), bool)
        for row, partial in enumerate(live):
            is_literal[row] = _is_literal(partial)
            legal[row, 0, KIND_NUMBERS[NONE]] = True
            for _, kind, field, index in offers[row]:
                legal[row, 0, kind] = True
                if field in ("hops", "classes"):
                    offered[row, 0, index] = True
                elif field == "words" and index >= 0:
                    pointable[row, 0, index] = True
        return legal, is_literal, offered, pointable

    def _know(self, names: Sequence[tuple[str, int]]) -> None:
        """Learn the labels that are new, each of a name and its way."""
        new = [key for key in dict.fromkeys(names) if key not in self._labels]
        if new:
            labels = [self._tools.labels.label(*key) for key in new]
            self._label_index |= {key: len(self._labels) + n for n, key in enumerate(new)}
            self._labels |= zip(new, labels, strict=True)
            matches = self._tools.inputs.matches(self._words, labels)
            self._matches = np.concatenate([self._matches, matches], 1)


def _is_literal(partial: Partial) -> bool:
    """Whether a pointer that comes next is a number itself."""
    return bool(partial.actions) and partial.actions[-1].kind in LITERAL


def may_overlap(actions: Sequence[Action], schema: Schema) -> bool:
    """Whether the set that would end after these actions can meet the one that it is joined to.

    It cannot where neither a member of that one, nor any other thing of its class, has the relation
    that the added set is reached by: no club has a position, so no club is among those who play
    one. What is not joined to another set, or is more than a walk, may be anything.
    """
    joined = [index for index, action in enumerate(actions) if action.kind in ("and", "not")]
    if not joined or actions[-1].kind != "step":
        return True
    before, added = actions[: joined[-1]], actions[joined[-1] + 1 :]
    if any(action.kind not in _PLAIN for action in added):
        return True
    try:
        members = query_of((*before, Action("end")))
    except QuestionError:
        return True
    last = added[-1]
    return (last.name, not last.inverse) in schema.hops(members)
