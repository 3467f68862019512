"""Who decides in tot: a chat LLM as in the paper (sections 3.2 to 3.4), or likelihoods.

The likelihoods of the local model have the paper's search without its prompts. The LLM's actions
are read from its reply: a word in capitals, and what it is to do.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from ...agent.kg.terms import Term
from ...agent.llm.replies import read_answers, read_choices, read_sets, read_value
from ...agent.llm.walk_choices import Crossing, Weight
from ...agent.records import Named
from ...prompts import render
from ..prompted.deciders import ChatDecider, LikelyDecider
from ..prompted.walks import (
    Walk,
    Way,
    entity_names,
    fact_lines,
    spelled_names,
    spelled_ways,
    target,
    walk_names,
)
from .traversal import Act, Branch, Move, Selected, Selection, gathered


class ChatPolicy(ChatDecider):
    """One call for the alternatives of an expansion, one for each value."""

    def act(self, branch: Branch, allowed: Sequence[Act], width: int) -> list[Move]:
        """The allowed actions in the reply, an answer only where it names one."""
        prompt = self._prompt("act", branch, allowed=allowed, width=width)
        read = self._asker.read(prompt, lambda reply: read_actions(reply, allowed)) or []
        moves, entities = list[Move](), entity_names(gathered(branch.line))
        for name, text in read:
            parts = text.split(";")
            answers = tuple(name for part in parts for name in read_answers(part, entities))
            if name != "ANSWER" or answers:
                moves.append(Move(cast(Act, name), text, answers if name == "ANSWER" else ()))
        return moves[:width]

    def select(self, branch: Branch, known: Sequence[Named], width: int) -> Selection:
        """Each line of the reply is a set of entities."""
        names = spelled_names(known)
        prompt = self._prompt("select", branch, options=names, width=width)
        read = self._asker.read(prompt, lambda reply: read_sets(reply, names)) or []
        return Selection([Selected(entities) for entities in read[:width]])

    def relate(self, branch: Branch, ways: Sequence[Way], width: int) -> Selection:
        """Each line of the reply is a relation."""
        names = spelled_ways(ways)
        selected = spelled_names(branch.line[-1]["selected"])
        prompt = self._prompt("relate", branch, options=names, selected=selected, width=width)
        read = self._asker.read(prompt, lambda reply: read_choices(reply, names))
        if read is None:
            return Selection([])
        best = sorted(read.scores, key=lambda i: -read.scores[i])
        return Selection([Selected((i,)) for i in best[:width]], read.invented)

    def values(self, branches: Sequence[Branch]) -> list[float]:
        """How promising each is from 0 to 1, a call each; what cannot be read is worth 0."""
        values = list[float]()
        for branch in branches:
            answers = branch.line[-1]["answers"]
            name = "value_answer" if answers else "value"
            prompt = self._prompt(name, branch, answers=answers)
            values.append(self._asker.read(prompt, read_value) or 0.0)
        return values

    def _prompt(self, name: str, branch: Branch, **values: object) -> str:
        return render(
            f"tot/{name}.jinja",
            self._prompts,
            question=self._question,
            topics=spelled_names(branch.topics),
            facts=fact_lines(gathered(branch.line)),
            story=[node["story"] for node in branch.line if node["story"]],
            **values,
        )


class LikelyPolicy(LikelyDecider):
    """A traversal is worth the probability of its choices.

    To answer is to stop there, to expand to go on; there are no thoughts. Entities are weighed
    against the most likely one that was reached with them.
    """

    def act(self, branch: Branch, allowed: Sequence[Act], width: int) -> list[Move]:
        """To answer with all entities that were reached last, or to expand."""
        reached = _reached(branch)
        if not reached:
            return [Move("EXPAND")] if "EXPAND" in allowed else []
        walks = [_walk(branch, entity["term"]) for entity in reached[:width]]
        stops = self._choices.stops([walk_names(walk) for walk in walks])
        share = sum(stop.share for stop in stops) / len(stops)
        relevance = sum(stop.relevance for stop in stops) / len(stops)
        answers = tuple(entity["label"] for entity in reached)
        moves = [Move("ANSWER", "; ".join(answers), answers, Weight(share, relevance))]
        if "EXPAND" in allowed:
            moves.append(Move("EXPAND", weight=Weight(1 - share, 1.0)))
        return moves

    def select(self, branch: Branch, known: Sequence[Named], width: int) -> Selection:
        """The likeliest of the entities that were reached last, or each topic."""
        positions = {entity["term"]: i for i, entity in enumerate(known)}
        reached = [entity for entity in _reached(branch) if entity["term"] in positions]
        if not gathered(branch.line):
            return Selection([Selected((i,)) for i in range(len(known))][:width])
        if not reached:
            return Selection([])
        before = walk_names(_walk(branch, reached[0]["term"]))[:-1]
        (weights,) = self._choices.next([Crossing(before, spelled_names(reached))])
        top = max(weight.share for weight in weights)
        best = sorted(range(len(reached)), key=lambda i: (-round(weights[i].share, 9), i))
        return Selection(
            [
                Selected((positions[reached[i]["term"]],), Weight(weights[i].share / top, 1.0))
                for i in best[:width]
            ]
        )

    def relate(self, branch: Branch, ways: Sequence[Way], width: int) -> Selection:
        """The likeliest ways out of the selected entity."""
        (selected,) = branch.line[-1]["selected"]
        walk = walk_names(_walk(branch, selected["term"]))
        (weights,) = self._choices.next([Crossing(walk, spelled_ways(ways))])
        best = sorted(range(len(ways)), key=lambda i: (-round(weights[i].share, 9), i))
        return Selection([Selected((i,), weights[i]) for i in best[:width]])

    def values(self, branches: Sequence[Branch]) -> list[float]:
        """The probability of the choices so far, which was summed up as they were made."""
        return [branch.line[-1]["value"] for branch in branches]


Policy = ChatPolicy | LikelyPolicy
"""Who decides; each of its methods may raise UnansweredError."""


def _reached(branch: Branch) -> list[Named]:
    """The entities that the last expansion reached."""
    for node in reversed(branch.line):
        if node["steps"]:
            return list({target(s)["term"]: target(s) for s in node["steps"]}.values())
    return []


def _walk(branch: Branch, entity: Term) -> Walk:
    """The walk that a traversal took, on to an entity that it reached last or selected."""
    expansions = [i for i, node in enumerate(branch.line) if node["steps"]]
    if not expansions:
        topic = next(topic for topic in branch.topics if topic["term"] == entity)
        return Walk(topic=topic, steps=[], score=1.0, relevance=1.0)
    sources = [branch.line[i - 1]["selected"][0] for i in expansions]
    goals = [*(source["term"] for source in sources[1:]), entity]
    steps = [
        next(step for step in branch.line[i]["steps"] if target(step)["term"] == goal)
        for i, goal in zip(expansions, goals, strict=True)
    ]
    return Walk(topic=sources[0], steps=steps, score=1.0, relevance=1.0)


_LEAD = r"^[\s\-*•>#_`\"'\d.)(\[{]*(?:(?:next\s+)?action\s*\d*\s*[:.\-]\s*)?[*_`\"'\[(]*"
_TAIL = "*_`\"'[]{}() \t"

_LONGEST = 1_000
"""Characters of a line that are read."""


class Action(NamedTuple):
    """One action of a reply, and its argument, which may be empty."""

    name: str
    text: str


def read_actions(reply: str, allowed: Sequence[str]) -> list[Action] | None:
    """The actions that a reply names, each once, in its order; None where it names none allowed.

    One a line or as JSON. In a reply of prose the first name in capitals counts.
    """
    names = "|".join(map(re.escape, allowed))
    start = re.compile(rf"{_LEAD}({names})\b[*_`\"'\])]*\s*[:\-–—]*\s*(.*)$", re.I)
    actions = list[Action]()
    for line in _lines(reply):
        match = start.match(line[:_LONGEST])
        if match:
            actions.append(Action(match[1].upper(), _text(match[2])))
    if not actions:
        inside = re.search(rf"\b({names})\b[ \t]*:?[ \t]*(.*)", reply)
        if inside:
            actions.append(Action(inside[1], _text(inside[2])))
    return list(dict.fromkeys(actions)) or None


def _text(argument: str) -> str:
    return argument[:_LONGEST].strip(_TAIL)


def _lines(reply: str) -> Iterator[str]:
    text = re.sub(r"```\w*", "", reply).strip()
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        yield from text.splitlines()
        return
    yield from _flat(data)


def _flat(data: Any) -> Iterator[str]:
    """Each action of JSON data as a line: a list of texts, or records of an action and the rest."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, list):
        for item in cast("list[Any]", data):
            yield from _flat(item)
    elif isinstance(data, dict):
        record = cast("dict[str, Any]", data)
        texts = [value for value in record.values() if isinstance(value, str)]
        if len(texts) == len(record) and "action" in {key.lower() for key in record}:
            yield ": ".join(texts)
            return
        for key, value in record.items():
            if isinstance(value, str):
                yield f"{key}: {value}"
                yield value
            else:
                yield from _flat(value)
