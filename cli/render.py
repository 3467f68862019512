"""What appears in the terminal. Whatever comes from a KG is data: no markup, no control codes."""

import json
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from ..agent.kg import KnowledgeGraph
from ..agent.kg.terms import Triple, is_triple_term, place_of
from ..agent.state import Answer, Entity, Named, State, StepRecord
from .session import Event

_MARKS = {"supported": ("✓", "green"), "unsupported": ("✗", "red"), "unknown": ("?", "yellow")}
_BRANCHES = 20
"""So many branches of a proof are drawn at one entity; the rest is counted."""


def printable(text: str) -> str:
    """A text of foreign origin without anything that could steer a terminal."""
    return "".join(c if c.isprintable() else "·" for c in text)


_REASONERS = {
    "llm": "an LLM over",
    "likelihood": "the likelihood of",
    "ends": "all ends of",
}
"""How the line under an answer says who decided; else the vote did."""


class Changed(Exception):
    """The user typed something else instead of a choice."""

    def __init__(self, line: str) -> None:
        super().__init__(line)
        self.line = line


class Screen:
    """Prints the steps of a question as they happen, and its result. `silent` prints nothing."""

    def __init__(self, *, silent: bool = False) -> None:
        self.console = Console(quiet=silent, highlight=False, soft_wrap=True)

    @contextmanager
    def waiting(self, what: str) -> Generator[None]:
        """A spinner while something loads, on a terminal only."""
        if self.console.is_terminal and not self.console.quiet:
            with self.console.status(f"[dim]{what} ..."):
                yield
        else:
            yield

    def event(self, event: Event) -> None:
        """One step of the state machine, in one line; most steps need none."""
        match event["event"]:
            case "linked":
                for topic in event["topics"]:
                    self.console.print(_step("linked", _entity(topic)))
            case "loaded" if event["view"]["widened"]:
                hops = event["view"]["hops"]
                text = f"nothing stands yet: once more, up to {hops} hops in both directions"
                self.console.print(_step("widened", Text(text)))
            case "decoded":
                walked = f"{_count(event['paths'], 'path')} along the graph"
                self.console.print(_step("walked", Text(walked)))
            case "verified" if event["candidates"]:
                walks = event["candidates"]
                self.console.print(
                    _step("verified", Text(f"{len(walks)} of them at the source, the likeliest:"))
                )
                for walk in walks[:3]:
                    self.console.print(_step("", Text(printable(walk["text"]), style="italic")))
            case _:
                pass

    def result(self, state: State, kg: KnowledgeGraph) -> None:
        """The answers, the tree that proves them, and what it took."""
        answers = state.get("answers", [])
        self.console.print()
        if answers:
            labels = ", ".join(printable(answer["label"]) for answer in answers)
            self.console.print(Text(labels, style="bold"))
            self.console.print()
            for tree in proof(answers, state.get("topics", [])):
                self.console.print(tree)
        else:
            messages = state.get("messages", [])
            self.console.print(Text(messages[-1].text if messages else "", style="bold"))
        for note in state.get("notes", []):
            self.console.print(Text(f"  {printable(note)}", style="dim"))
        if state.get("unsupported"):
            said = ", ".join(printable(text) for text in state.get("unsupported", []))
            self.console.print(
                Text(f"  not in the graph, said by the LLM only: {said}", style="yellow")
            )
        self.console.print()
        self.console.print(Text(_footer(state, kg), style="dim"))

    def choose(self, asked: dict[str, Any]) -> str:
        """Ask the user which entity is meant: a number or a name. Raises Changed for others."""
        self.console.print(Text(printable(asked["ask"]), style="bold"))
        for number, option in enumerate(asked["options"], 1):
            self.console.print(Text(f"  {number}  ").append_text(_entity(option)))
        if asked["hint"]:
            self.console.print(Text(f"  {asked['hint']}", style="yellow"))
        reply = input("> ").strip()
        for option in asked["options"]:
            if reply.casefold() in (option["label"].casefold(), option["term"].casefold()):
                return option["term"]
        if reply.isdigit():
            return reply
        raise Changed(reply)


def proof(answers: Sequence[Answer], topics: Sequence[Named]) -> list[Tree]:
    """The chains of all answers as trees, one a topic entity; shared steps are one branch."""
    labels = {topic["term"]: topic["label"] for topic in topics}
    trees: dict[str, Tree] = {}
    branches: dict[tuple[str, ...], Tree] = {}
    hidden: dict[int, tuple[Tree, int]] = {}
    for chain in (chain for answer in answers for chain in answer["chains"]):
        first = chain[0]["tail"] if chain[0]["inverse"] else chain[0]["head"]
        start = place_of(first["term"])
        label = labels.get(start, first["label"])
        place = trees.setdefault(start, Tree(Text(printable(label), style="bold cyan")))
        key: tuple[str, ...] = (start,)
        for step in chain:
            key = (*key, *(step[part]["term"] for part in Triple._fields), str(step["inverse"]))
            if key not in branches:
                if len(place.children) >= _BRANCHES:
                    hidden[id(place)] = (place, hidden.get(id(place), (place, 0))[1] + 1)
                    break
                branches[key] = place.add(_branch(step))
            place = branches[key]
    for place, count in hidden.values():
        place.add(Text(f"... {count} more, as verified as these (--json shows all)", style="dim"))
    return list(trees.values())


def print_kg(kg: KnowledgeGraph, *, as_json: bool) -> None:
    """What a KG holds, for `groundwalk kg info`."""
    relations = kg.labels.relations()
    if as_json:
        counts = dict(zip(kg.counts._fields, kg.counts, strict=True))
        names = [{"term": r.term, "label": r.name, "facts": r.facts} for r in relations]
        record = {"source": kg.source, "digest": kg.digest, **counts, "by_relation": names}
        typer.echo(json.dumps(record, ensure_ascii=False, indent=2))
        return
    console = Console(highlight=False)
    console.print(Text(printable(kg.source), style="bold"))
    console.print(
        f"{kg.counts.triples:,} triples: {kg.counts.facts:,} facts between "
        f"{kg.counts.entities:,} entities by {kg.counts.relations:,} relations"
    )
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column("relation")
    table.add_column("facts", justify="right")
    for relation in relations[:40]:
        table.add_row(Text(printable(relation.name)), f"{relation.facts:,}")
    console.print(table)
    if len(relations) > 40:
        console.print(f"... and {len(relations) - 40:,} more relations", style="dim")


def _step(name: str, text: Text) -> Text:
    return Text(f"{name:>8}  ", style="dim").append_text(text)


def _entity(entity: Entity) -> Text:
    text = Text(printable(entity["label"]), style="cyan")
    about = entity["description"] or entity["kind"]
    return text.append(f"  {printable(about)}" if about else "", style="dim")


def _target(step: StepRecord) -> dict[str, str]:
    named = step["head"] if step["inverse"] else step["tail"]
    return {"term": named["term"], "label": named["label"]}


def _branch(step: StepRecord) -> Text:
    mark, colour = _MARKS[step["verdict"]]
    relation, target = printable(step["relation"]["label"]), printable(_target(step)["label"])
    left, right = ("←", "─") if step["inverse"] else ("─", "→")
    told = step["inverse"] and is_triple_term(step["tail"]["term"])
    start = f" {printable(step['tail']['label'])}" if told else ""
    return Text.assemble(
        (mark, colour), f"{start} {left} ", (relation, "italic"), f" {right} {target}"
    )


def _footer(state: State, kg: KnowledgeGraph) -> str:
    chains = [chain for answer in state.get("answers", []) for chain in answer["chains"]]
    triples = {
        (s["head"]["term"], s["relation"]["term"], s["tail"]["term"]) for c in chains for s in c
    }
    usage = state.get("usage")
    parts = list[str]()
    if triples:
        parts.append(f"{_count(len(triples), 'triple')}, each verified in {printable(kg.source)}")
        by = _REASONERS.get(state.get("reasoner", ""), "a vote of")
        parts.append(f"by {by} {_count(len(state.get('candidates', [])), 'path')}")
        if state.get("reasoner") != "llm":
            parts.append(f"confidence {state.get('confidence', 0.0):.2f}")
    if usage:
        passes = usage["forward_passes"]
        parts.append(f"{passes} forward pass{'' if passes == 1 else 'es'}")
        parts.append(f"{usage['seconds']:.2f} s")
    return " · ".join(parts)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def is_terminal() -> bool:
    """Whether a person reads along and can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()
