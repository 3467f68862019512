"""Questions that were asked one by one over small graphs of our own, each with its query.

Templates repeat themselves; these do not. A file holds the schema of one graph in its first line
and a question with its query in each of the others, as `training/wordings/README.md` says.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain, dropwhile
from pathlib import Path
from random import Random
from typing import Any, cast

from ...agent.errors import InputError, QuestionError
from ...agent.query.actions import Action
from ...agent.query.automaton import actions_of
from ...agent.query.named_values import values_in
from ...agent.query.tree import (
    ANYTHING,
    AnyOf,
    Domain,
    Measure,
    OfClass,
    Query,
    Step,
    compared_mentions,
    read_query,
    starting_mentions,
)
from ..wording.english import asked_files
from .examples import Example, examples_of
from .made_graphs import VALUES, is_value, write_graph
from .sources import Hop, Mention, SchemaLabels, SourceQuestion

ASKED, RESEMBLING = "asked", "resembling"
_APART = 12
"""Of so many graphs and domains one is kept apart."""
_UNLINKED = 0.05
"""How many of the questions are also asked of a graph that lacks a thing which they name."""
_MARKED = re.compile(r"\[([^\[\]{}]+)\]|\{([^\[\]{}]+)\}")
"""A mention in brackets, or in braces words that the query leaves out."""


@dataclass(frozen=True)
class AskedGraph:
    """A small graph by its schema, and what is asked of it.

    Its `kind` is `RESEMBLING` where that resembles what the graph has, else `ASKED`.
    """

    kind: str
    name: str
    schema: SchemaLabels
    questions: Sequence[SourceQuestion]


def asked_graphs(
    *, apart: bool | None = None, most: int | None = None, seed: int = 0
) -> Iterator[AskedGraph]:
    """Those of all languages; only those that are kept apart, or only the others.

    Where there are more than `most`, so many are drawn by `seed`. Raises InputError as `read_asked`
    does.
    """
    files = [f for f in asked_files() if apart in (None, is_apart(_name_of(f)))]
    if most is not None and most < len(files):
        files = Random(f"graphs {seed}").sample(files, most)
    return map(read_asked, files)


def is_apart(name: str) -> bool:
    """Whether nothing is learnt of the graph or domain of a name, which alone decides."""
    return number_of(name) % _APART == 0


def number_of(name: str) -> int:
    """A number that is always the same for a name."""
    return int(sha256(name.encode()).hexdigest()[:8], 16)


def _name_of(file: Path) -> str:
    return f"{ASKED}:{file.stem}"


def read_asked(file: Path) -> AskedGraph:
    """Read the graph of a file.

    Raises InputError for a class that is called like a kind of value, and with the lines of all
    questions that its schema does not allow.
    """
    first, *others = file.read_text(encoding="utf-8").splitlines()
    record = json.loads(first)
    if values := sorted(filter(is_value, record["classes"])):
        raise InputError(f"{file.name} has the class {values[0]!r}, a kind of value", "rename it")
    name = _name_of(file)
    hops = [Hop(label, head, tail) for label, head, tail in record["relations"]]
    schema = SchemaLabels(hops, tuple(record["classes"]))
    questions, faults = list[SourceQuestion](), list[str]()
    for number, line in enumerate(others, 2):
        try:
            questions.append(_question(json.loads(line), name, schema))
        except (ValueError, KeyError, TypeError, QuestionError) as error:
            faults.append(f"{number}: {error}")
    if faults:
        listed = "; ".join(faults)
        raise InputError(f"{file.name} has questions that do not fit: {listed}", "mend them")
    kind = RESEMBLING if file.parent.name == RESEMBLING else ASKED
    return AskedGraph(kind, name, schema, questions)


def asked_examples(graph: AskedGraph) -> list[Example]:
    """The questions of a graph as they are learnt.

    Some are learnt also as those about a thing that the graph does not have: no query is right.
    """
    rng = Random(f"unlinked {graph.name}")
    named = (question for question in graph.questions if rng.random() < _UNLINKED)
    return examples_of(chain(graph.questions, filter(None, (_unlinked(q, rng) for q in named))))


def _unlinked(question: SourceQuestion, rng: Random) -> SourceQuestion | None:
    """The question with the name of a thing as mere words; None where it names no thing."""
    things = [mention for mention in question.mentions if mention.kind not in ("", *VALUES)]
    if not things:
        return None
    unknown = rng.choice(things)
    others = tuple(mention for mention in question.mentions if mention != unknown)
    return replace(question, mentions=others, actions=(), unread=None)


def write_asked(graph: AskedGraph, file: Path, rng: Random) -> None:
    """Write a made graph over the schema of some questions that has what they name, as Turtle."""
    named, texts = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for question in graph.questions:
        for number, mention in enumerate(question.mentions):
            if mention.kind in graph.schema.classes:
                named[mention.kind].append(mention.text)
            elif not mention.kind and (relation := _first_hop(question.actions, number)):
                texts[relation].append(mention.text)
    for names in named.values():
        names[:] = dict.fromkeys(names)
    write_graph(graph.schema, file, rng, texts, named)


def _first_hop(actions: Sequence[Action], mention: int) -> str:
    """The relation that is followed from a mention; empty for none."""
    from_there = dropwhile(lambda a: (a.kind, a.number) != ("pointer", mention), actions)
    return next((action.name for action in from_there if action.kind == "step"), "")


def _question(record: Mapping[str, Any], name: str, schema: SchemaLabels) -> SourceQuestion:
    """Raises ValueError and QuestionError for a question that does not fit."""
    if record["query"] is None:
        text, mentions, unread = _marked(record["q"], dict(enumerate(record["classes"])))
        if unread:
            raise ValueError("there are braces, and no query that leaves words out")
        if len(mentions) != len(record["classes"]):
            raise ValueError(f"{len(mentions)} mentions, and {len(record['classes'])} classes")
        return SourceQuestion(ASKED, "", name, text, mentions, ())
    query = read_query(_with_steps(record["query"]))
    types = _Types(schema)
    types.follow(query)
    text, mentions, unread = _marked(record["q"], types.mentions)
    used = starting_mentions(query) | compared_mentions(query)
    if used != frozenset(range(len(mentions))):
        raise ValueError(f"{len(mentions)} mentions, and the query uses {sorted(used)}")
    return SourceQuestion(ASKED, "", name, text, mentions, actions_of(query), unread=unread)


def _marked(
    written: str, types: Mapping[int, str]
) -> tuple[str, tuple[Mention, ...], tuple[tuple[int, int], ...]]:
    """A question without its brackets and braces, its mentions, and what its query leaves out.

    Raises ValueError for brackets and braces that do not match, or stand inside of others.
    """
    text, mentions, unread = "", list[tuple[int, int]](), list[tuple[int, int]]()
    last = 0
    for match in _MARKED.finditer(written):
        text += written[last : match.start()]
        stretch = (len(text), len(text) + len(match[0]) - 2)
        (mentions if match[1] else unread).append(stretch)
        text, last = text + match[0][1:-1], match.end()
    text += written[last:]
    if not set("[]{}").isdisjoint(text):
        raise ValueError("brackets and braces do not match, or stand inside of others")
    values = {(value.start, value.end): value.kind for value in values_in(text)}
    named = (
        Mention(*stretch, text[slice(*stretch)], values.get(stretch, "") or types.get(number, ""))
        for number, stretch in enumerate(mentions)
    )
    return text, tuple(named), tuple(unread)


def _with_steps(part: Any, key: str = "") -> Any:
    """A part of a query with its hops as objects; `^` is before a relation from tail to head."""
    if isinstance(part, list):
        return [_with_steps(member, key) for member in cast("list[Any]", part)]
    if isinstance(part, dict):
        members = cast("dict[str, Any]", part)
        whole = {
            name: member if (name, member) == ("of", "year") else _with_steps(member, name)
            for name, member in members.items()
        }
        if str(relation := whole.get("relation", "")).startswith("^"):
            whole |= _step(relation)
        return whole
    if isinstance(part, str) and key in ("steps", "via", "group", "of"):
        return _step(part)
    return part


def _step(written: str) -> dict[str, Any]:
    return {"relation": written.removeprefix("^"), "inverse": written.startswith("^")}


class _Types:
    """Follows a query through a schema, and sees of what class its mentions are.

    `follow` raises ValueError for a class that is not there and a hop that leads nowhere.
    """

    def __init__(self, schema: SchemaLabels) -> None:
        self._schema = schema
        self.mentions = dict[int, str]()

    def follow(self, query: Query) -> frozenset[str]:
        """The classes that members of a query may be of."""
        types = self._start(query)
        for step in query.steps:
            types = self._hop(types, step)
        if query.of_class:
            types = self._narrowed(types, query.of_class)
        measures = (*query.filters, *filter(None, [query.extreme]))
        for measure in measures:
            self._measure(types, measure)
        hops = (*query.steps, *chain.from_iterable(measure.steps for measure in measures))
        if isinstance(query.start, tuple) and hops:
            ends = {
                hop.tail if hops[0].inverse else hop.head for hop in self._hops(hops[0].relation)
            }
            self._note(query.start, ends)
        for others in (*query.also, *query.without, *query.every):
            if not (self.follow(others) & types):
                raise ValueError("a set is joined with one of another class")
            if isinstance(others.start, tuple) and others == Query(start=others.start):
                self._note(others.start, types)
        for steps in (query.group, *(c.steps or c.of for c in query.columns if not query.group)):
            reached = types
            for step in steps:
                reached = self._hop(reached, step)
        return types

    def _start(self, query: Query) -> frozenset[str]:
        match query.start:
            case OfClass(name=name):
                return self._narrowed(self._every(), name)
            case Query() as inner:
                return self.follow(inner)
            case AnyOf(any=queries):
                return frozenset[str]().union(*map(self.follow, queries))
            case Domain(domain=relation):
                return frozenset(hop.head for hop in self._hops(relation))
            case _:
                return self._every()

    def _note(self, numbers: Sequence[int], types: Set[str]) -> None:
        """Keep the class of mentions, where it can only be one."""
        if len(types) == 1 and not is_value(only := next(iter(types))):
            self.mentions.update(dict.fromkeys(numbers, only))

    def _measure(self, types: frozenset[str], measure: Measure) -> None:
        for step in measure.steps:
            types = self._hop(types, step)
        if isinstance(value := getattr(measure, "value", None), Query):
            self.follow(value)

    def _hop(self, types: frozenset[str], step: Step) -> frozenset[str]:
        hops = self._hops(step.relation)
        reached = {
            hop.head if step.inverse else hop.tail
            for hop in hops
            if (hop.tail if step.inverse else hop.head) in types
        }
        if not reached:
            way = "leads to" if step.inverse else "leads from"
            raise ValueError(f"{step.relation!r} never {way} {', '.join(sorted(types))}")
        return frozenset(reached)

    def _hops(self, relation: str) -> Sequence[Hop]:
        hops = [hop for hop in self._schema.hops if hop.label == relation]
        if not hops:
            raise ValueError(f"there is no relation {relation!r}")
        return hops

    def _narrowed(self, types: frozenset[str], name: str) -> frozenset[str]:
        if name == ANYTHING:
            return types
        if name not in self._schema.classes:
            raise ValueError(f"there is no class {name!r}")
        if name not in types:
            raise ValueError(f"none of these is of the class {name!r}")
        return frozenset((name,))

    def _every(self) -> frozenset[str]:
        ends = {end for hop in self._schema.hops for end in (hop.head, hop.tail)}
        return frozenset(ends | set(self._schema.classes))
