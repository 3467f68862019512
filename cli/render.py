"""What appears in the terminal. Whatever comes from a KG is data: no markup, no control codes."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import TypeAlias

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from ..agent.answers.computed import cell_text, row_texts
from ..agent.answers.judging import misspelt, other_notes, unread_line
from ..agent.answers.texts import value_text, with_unit
from ..agent.conversation.introduction import EXAMPLES, MOST_TYPES, class_sizes
from ..agent.evidence.reply import printable, step_of
from ..agent.evidence.text import MARKS, TreeNode, chain_trees, step_parts
from ..agent.kg import KnowledgeGraph
from ..agent.kg.terms import Triple, is_literal
from ..agent.query.values import unit_in_name
from ..agent.records import Answer, Entity, Kind, Named, Reading, Result, StepRecord
from ..agent.state import State
from .session import Event, graph_notes
from .tables import belongings, column_names
from .terminal import count, waiting


def brackets(numbers: Iterable[int]) -> str:
    """Numbers as a reference: `[1]`, `[2, 5]`, `[1-4]`; nothing for none."""
    runs = list[list[int]]()
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    spans = [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return f"[{', '.join(spans)}]" if spans else ""


Trail: TypeAlias = tuple[object, ...]
"""A place in a tree: the term of its root, then the key of every branch to there."""

_COLOURS = {"supported": "green", "unsupported": "red", "unknown": "yellow"}
_BRANCHES = 20
"""So many branches of a proof are drawn at one entity; the rest is counted."""

_SELF_EVIDENT: frozenset[Kind] = frozenset(("card", "introduction"))
"""Kinds of results that need no word on how they came about."""

_REASONERS = {
    "llm": "an LLM over",
    "likelihood": "the likelihood of",
    "ends": "all ends of",
}
"""How the line under an answer says who decided; else the vote did."""


_MOST_ROWS = 20
"""Rows of a table that are shown; the rest is counted."""
_FOLDED = 30
"""Answers that are named in the terminal; the rest is counted."""
_MOST_CLASSES = 20
"""Classes that are listed of a graph."""
_LIKELY_OTHER = 0.2
"""The least probability of another reading that is named below an answer."""
_ROUNDED = 0.001
_MOST_OWNERS = 3
"""So many of the things that an answer belongs to stand beside it; the rest is counted."""
_CUT_SHORT = re.compile(r"; and [\d,]+ more\)?$")
"""How the text of a result ends that does not name all that it was computed of."""
_COMPUTED = "computed over"
"""How a result begins to say where it comes from, which is the same for most of them."""


class Screen:
    """Prints the result of a question; with `trace` its steps too, as they happen.

    `silent` prints nothing.
    """

    every_answer = "--quiet lists all"
    """How the answers are had that are folded away."""
    every_member = "--csv lists all"
    """How those are had of which a number was computed."""
    by_other_reading = ""
    """How the answer by another likely reading is had."""
    whole_card = "`tell me more` in groundwalk chat lists them"
    """How the values of a card are had that are folded away."""

    def __init__(
        self, *, silent: bool = False, trace: bool = False, console: Console | None = None
    ) -> None:
        self.console = console or Console(quiet=silent, highlight=False, soft_wrap=True)
        self.trace = trace

    @property
    def shows_proof(self) -> bool:
        """Whether the chains stand below the answers, and are not only counted."""
        return True

    def waiting(self, what: str) -> AbstractContextManager[None]:
        """A spinner while something takes long, on a terminal only."""
        return waiting(self.console, what)

    def event(self, event: Event) -> None:
        """One step of the state machine, in one line; most steps need none."""
        if not self.trace:
            return
        match event["event"]:
            case "understood" if event["operation"] is None:
                self.console.print(_step("asked", Text(printable(event["asked"]))))
            case "linked":
                for topic in event["topics"]:
                    self.console.print(_step("linked", entity_text(topic)))
            case "loaded" if event["view"]["widened"]:
                hops = event["view"]["hops"]
                text = f"nothing stands yet: once more, up to {hops} hops in both directions"
                self.console.print(_step("widened", Text(text)))
            case "decoded":
                walked = f"{count(event['paths'], 'path')} along the graph"
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
        """The answers, what they rest on in a line, what proves them, and what else is to be known.

        With `trace` also what it took.
        """
        self.console.print()
        self.answers(state)
        if line := summary_line(state, kg):
            self.console.print(Text(f"  {line}", style="dim"))
        if line and (other := other_reading(state)):
            words, likely = printable(other["words"]), f"probability {other['probability']:.2f}"
            line = f"  or was it: {words}? ({likely}{self.by_other_reading})"
            self.console.print(Text(line, style="dim"))
        if self.shows_proof:
            self.proof(state)
        above = misspelt(state)
        for note in (note for note in other_notes(state) if note not in above):
            self.console.print(Text(f"  {printable(note)}", style="dim"))
        if unsupported := state.get("unsupported"):
            names = ", ".join(map(printable, unsupported))
            line = f"  not in the graph, said by the LLM only: {names}"
            self.console.print(Text(line, style="yellow"))
        if self.trace and (usage := state.get("usage")):
            passes = count(usage["forward_passes"], "forward pass", "forward passes")
            self.console.print(Text(f"  {passes} · {usage['seconds']:.2f} s", style="dim"))

    def answers(self, state: State) -> None:
        """The answers, or why there are none."""
        answers, computed = state.get("answers", []), state.get("result")
        self.not_understood(state)
        if computed:
            self.computed(computed, state)
        elif answers:
            self.named(answers, [""] * len(answers))
        else:
            self.refusal(state)

    def named(self, answers: Sequence[Answer], marks: Sequence[str]) -> None:
        """The answers with what they belong to and their marks; those that are too many, counted.

        They stand in one line, and values of several things as a table, by the names of these.
        """
        of, names = belongings(answers), list[Text]()
        if answers and all(of) and all(is_literal(answer["term"]) for answer in answers):
            self._table_of_values(answers, of, marks)
            return
        shown = few(len(answers), _FOLDED)
        for answer, owners, mark in zip(answers[:shown], of, marks, strict=False):
            name = Text(answer_text(answer), style="bold")
            name.append(f" ({_names(owners)})" if owners else "", style="not bold")
            names.append(name.append(f" {mark}" if mark else "", style="not bold dim"))
        line = Text(", ", style="bold").join(names)
        if more := len(answers) - shown:
            line.append(f" and {more:,} more ({self.every_answer})", style="not bold dim")
        self.console.print(line)

    def _table_of_values(
        self, answers: Sequence[Answer], of: Sequence[Sequence[Named]], marks: Sequence[str]
    ) -> None:
        """Values beside the things whose values they are, by their marks or these names."""
        lasts = [chain[-1] for answer in answers for chain in answer["chains"][:1] if chain]
        relations = {step["relation"]["term"]: step["relation"]["label"] for step in lasts}
        is_one, heading = len(relations) == 1, " ".join(relations.values())
        table = _headed(["", *relations.values()] if is_one else [])
        rows = list[tuple[str, Text]]()
        for answer, owners, mark in zip(answers, of, marks, strict=True):
            is_said = answer.get("unit", "") in {*heading.split(), unit_in_name(heading)}
            named_value = value_text(answer) if is_said else with_unit(answer)
            name = printable(named_value) if is_one else answer_text(answer)
            value = Text(name, style="bold").append(f" {mark}" if mark else "", "not bold dim")
            rows += [(printable(named["label"]), value) for named in owners]
        shown = few(len(rows), _MOST_ROWS)
        if not any(marks):
            rows.sort(key=lambda row: row[0])
        for owner, value in rows[:shown]:
            table.add_row(Text(owner), value)
        self.console.print(table)
        self._more(len(rows) - shown, self.every_answer)

    def _more(self, rows: int, hint: str) -> None:
        """How many rows are folded away, and how they are had."""
        if rows > 0:
            self.console.print(Text(f"and {rows:,} more ({hint})", style="dim"))

    def computed(self, result: Result, state: State) -> None:
        """What was computed, as a card, a table or a line; and how, where that is to be known."""
        if result["kind"] == "card":
            title, *_ = result["text"].partition(". ")
            self.console.print(Text(printable(title), style="bold"))
            self.console.print(card_table(result, self.whole_card))
        elif result["kind"] == "introduction":
            text, _, examples = result["text"].partition(EXAMPLES)
            self.console.print(Text(printable(text)))
            if examples:
                self.console.print(Text(f"{EXAMPLES.strip()}"))
            for (question,) in result.get("rows", []):
                self.console.print(Text(f"  {printable(cell_text(question))}", style="cyan"))
        elif rows := result.get("rows"):
            names = column_names(state.get("query_tree"), len(rows[0]))
            shown = few(len(rows), _MOST_ROWS)
            self.console.print(rows_table(rows[:shown], names, result.get("units", [])))
            self._more(len(rows) - shown, self.every_member)
        else:
            line = Text(printable(result["text"]), style="bold")
            if _CUT_SHORT.search(result["text"]):
                line.append(f" ({self.every_member})", style="not bold dim")
            self.console.print(line)
        self.how(result)

    def how(self, result: Result) -> None:
        """How a result came about, where that is to be known."""
        is_plain = result["kind"] in _SELF_EVIDENT or result["how"].startswith(_COMPUTED)
        if self.trace or not is_plain:
            self.console.print(Text(f"  computed: {printable(result['how'])}", style="dim"))

    def proof(self, state: State) -> None:
        """The trees that prove the answers, and the triples of what was computed beside them."""
        answers, beside = state.get("answers", []), _beside(state)
        if answers or beside:
            self.console.print()
        for tree in proof(answers, state.get("topics", [])):
            self.console.print(tree)
        for step in beside[:_BRANCHES]:
            self.console.print(step_text({**step, "inverse": False}, start=True))
        if (more := len(beside) - _BRANCHES) > 0:
            rest = f"... {more:,} more, as verified as these (--json shows all)"
            self.console.print(Text(rest, style="dim"))

    def refusal(self, state: State) -> None:
        """What is said where there is no answer."""
        messages = state.get("messages", [])
        self.console.print(Text(messages[-1].text if messages else "", style="bold"))

    def not_understood(self, state: State) -> None:
        """What stands above the answer: names that are spelt otherwise, and words left out."""
        for line in filter(None, (*misspelt(state), unread_line(state))):
            self.console.print(Text(printable(line), style="yellow"))


def few(size: int, most: int) -> int:
    """How many of some things are named: all, where only one more would be counted."""
    return size if size == most + 1 else min(size, most)


def answer_text(answer: Answer) -> str:
    """An answer's name; beside a bare number stands what it is, as its relation says."""
    label = printable(with_unit(answer))
    steps = [step for chain in answer["chains"][:1] for step in chain[-1:]]
    if not (steps and is_literal(answer["term"]) and label[:1].isdecimal()):
        return label
    return f"{label} ({printable(steps[0]['relation']['label'])})"


def _names(owners: Sequence[Named]) -> str:
    """What an answer belongs to, in words."""
    shown = few(len(owners), _MOST_OWNERS)
    names = [printable(named["label"]) for named in owners[:shown]]
    more = [f"{len(owners) - shown:,} more"] if owners[shown:] else []
    return ", ".join(names + more)


def card_table(card: Result, whole: str) -> Table:
    """The rows of a card: a relation, its values, and how many more it has.

    The first of those says how the `whole` card is had.
    """
    table = Table(box=None, padding=(0, 2), show_header=False)
    table.add_column(style="italic", no_wrap=True)
    table.add_column()
    rows = card.get("rows", [])
    hint = f" ({whole})"
    for (relation, *values), more in zip(rows, card.get("more", [0] * len(rows)), strict=True):
        shown = Text(", ".join(printable(cell_text(value)) for value in values))
        if more:
            shown.append(f" … and {more:,} more{hint}", style="dim")
            hint = ""
        table.add_row(Text(printable(cell_text(relation))), shown)
    return table


def rows_table(
    rows: Sequence[Sequence[Named | int | float | None]],
    names: Sequence[str],
    units: Sequence[str],
) -> Table:
    """The rows of a computed table under the names of its columns, numbers with their units."""
    table = _headed(names)
    for row in rows:
        table.add_row(*(Text(printable(text)) for text in row_texts(row, units)))
    return table


def _headed(names: Sequence[str]) -> Table:
    """A table with names above its columns, where there are any."""
    table = Table(box=None, padding=(0, 2), show_header=bool(names), header_style="dim")
    for name in names:
        table.add_column(Text(printable(name)))
    return table


def proof(
    answers: Sequence[Answer],
    topics: Sequence[Named],
    cited: Mapping[Trail, Sequence[int]] | None = None,
    all_of_them: str = "--json",
) -> list[Tree]:
    """The chains of all answers as trees, one a topic entity; shared steps are one branch.

    `cited` has the numbers of the chains that end at a place; `all_of_them` shows those that the
    trees leave out.
    """
    trees: list[Tree] = []
    for root in chain_trees(answers, topics, _BRANCHES):
        trees.append(Tree(Text(printable(root.label), style="bold cyan")))
        _add_branches(trees[-1], root, (root.term,), cited or {}, all_of_them)
    return trees


def step_text(step: StepRecord, *, start: bool = False) -> Text:
    """A step with the mark of its verdict; with the name where it starts, if that is wanted."""
    before, relation, target = step_parts(step)
    first = (step["tail"] if step["inverse"] else step["head"])["label"]
    mark = (MARKS[step["verdict"]], _COLOURS[step["verdict"]])
    name = f" {printable(first)}" if start and before.startswith(("─", "←")) else ""
    return Text.assemble(mark, f"{name} {before}", (relation, "italic"), target)


def print_kg(kg: KnowledgeGraph, *, as_json: bool) -> None:
    """What a KG holds, for `groundwalk kg info`."""
    relations, classes = kg.walk_labels.relations(), class_sizes(kg) if kg.pinned else ()
    notes = [*graph_notes(kg), *_classes_cut(kg)]
    if as_json:
        counts = dict(zip(kg.counts._fields, kg.counts, strict=True))
        names = [{"term": r.term, "label": r.name, "facts": r.facts} for r in relations]
        about = {"source": kg.source, "digest": kg.digest, "profile": kg.profile.name}
        record = {**about, **counts, "by_relation": names}
        record |= {
            "by_class": [{"term": c.term, "label": c.name, "members": c.members} for c in classes]
        }
        record |= {"left_out": kg.left_out.statements, "notes": notes}
        typer.echo(json.dumps(record, ensure_ascii=False, indent=2))
        return
    console = Console(highlight=False)
    console.print(Text(printable(kg.source), style="bold"))
    console.print(
        f"{kg.counts.triples:,} triples: {kg.counts.facts:,} facts between "
        f"{kg.counts.entities:,} entities by {kg.counts.relations:,} relations"
    )
    if line := profile_line(kg.profile.name):
        console.print(line, soft_wrap=True)
    for note in notes:
        console.print(Text(printable(note)), soft_wrap=True)
    if classes:
        shown = few(len(classes), _MOST_CLASSES)
        names = ", ".join(f"{printable(c.name)} {c.members:,}" for c in classes[:shown])
        more = f" and {len(classes) - shown:,} more" if len(classes) > shown else ""
        console.print(Text(f"classes with their members: {names}{more}"), soft_wrap=True)
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column("relation")
    table.add_column("facts", justify="right")
    for relation in relations[:40]:
        table.add_row(Text(printable(relation.name)), f"{relation.facts:,}")
    console.print(table)
    if len(relations) > 40:
        console.print(f"... and {len(relations) - 40:,} more relations", style="dim")


def _classes_cut(kg: KnowledgeGraph) -> list[str]:
    """A note where a graph has more statements of classes than are counted."""
    if not kg.pinned or kg.counts.triples <= MOST_TYPES:
        return []
    statements = (statement for kind in kg.profile.types for statement in kg.stated(kind))
    if next(islice(statements, MOST_TYPES, None), None) is None:
        return []
    return [f"members of classes are counted of the first {MOST_TYPES:,} statements of classes"]


def profile_line(name: str) -> str:
    """How a graph is read that was found to be an ontology or a thesaurus; else empty."""
    what = {"owl": "an OWL ontology", "skos": "a SKOS thesaurus"}.get(name)
    if what is None:
        return ""
    return f"read as {what} (--profile {name}; --profile generic takes every triple as it is)"


def _step(name: str, text: Text) -> Text:
    return Text(f"{name:>8}  ", style="dim").append_text(text)


def entity_text(entity: Entity) -> Text:
    """An entity's name, and what it is."""
    text = Text(printable(entity["label"]), style="cyan")
    about = entity["description"] or entity["kind"]
    return text.append(f"  {printable(about)}" if about else "", style="dim")


def _add_branches(
    tree: Tree, node: TreeNode, trail: Trail, cited: Mapping[Trail, Sequence[int]], all_of_them: str
) -> None:
    for key, branch in node.branches.items():
        assert branch.step is not None
        below = (*trail, key)
        text = step_text(branch.step)
        if numbers := cited.get(below):
            text.append(f"  {brackets(numbers)}", style="dim")
        _add_branches(tree.add(text), branch, below, cited, all_of_them)
    if node.hidden:
        rest = f"... {node.hidden} more, as verified as these ({all_of_them} shows all)"
        tree.add(Text(rest, style="dim"))


def summary_line(state: State, kg: KnowledgeGraph) -> str:
    """How the question was read and what its answers rest on; empty where there are none."""
    return " · ".join([*_reading(state), *_support(state, kg)])


def _reading(state: State) -> list[str]:
    """The query that gave the answer, in words; one that is only a plain question is none."""
    is_answered = bool(state.get("answers") or state.get("result"))
    is_plain = state.get("query_tree") == {"start": {"part": 0}}
    reading = "" if is_plain or not is_answered else state.get("reading", "")
    return [f"read as: {printable(reading)}"] if reading else []


def other_reading(state: State) -> Reading | None:
    """The second likeliest reading, where it is likely too and may come to something else.

    The confidence has the share of all readings that come to the same.
    """
    left = 1.0 - state.get("confidence", 0.0) + _ROUNDED
    others = [
        reading
        for reading in state.get("readings", [])[1:]
        if reading["words"] != state.get("reading")
    ]
    likely = (reading for reading in others if _LIKELY_OTHER <= reading["probability"] <= left)
    return max(likely, key=lambda reading: reading["probability"], default=None)


def _triples(state: State) -> set[tuple[str, ...]]:
    """The triples that the answers rest on, each once."""
    chains = [chain for answer in state.get("answers", []) for chain in answer["chains"]]
    if computed := state.get("result"):
        chains.append(computed["triples"])
    return {tuple(step[part]["term"] for part in Triple._fields) for c in chains for step in c}


def _beside(state: State) -> list[StepRecord]:
    """The triples of what was computed that no chain has; a card shows its own."""
    result = state.get("result")
    if result is None or result["kind"] == "card":
        return []
    chains = (chain for answer in state.get("answers", []) for chain in answer["chains"])
    proved = {step_of(step).triple for chain in chains for step in chain}
    return [step for step in result["triples"] if step_of(step).triple not in proved]


def _support(state: State, kg: KnowledgeGraph) -> list[str]:
    """How many triples the answers rest on, who decided, and how surely."""
    computed, reasoner = state.get("result"), state.get("reasoner", "")
    triples = _triples(state)
    if not triples:
        return []
    parts = [f"verified: {count(len(triples), 'triple')} in {printable(kg.source)}"]
    is_query = state.get("query_tree") is not None and state.get("operation") is None
    walks = len(state.get("candidates", []))
    if walks and not (computed or is_query):
        parts.append(f"by {_REASONERS.get(reasoner, 'a vote of')} {count(walks, 'path')}")
    confidence = state.get("confidence", 0.0)
    is_card = computed is not None and computed["kind"] == "card"
    is_certain = reasoner == "llm" or is_card or (is_query and not state.get("readings"))
    if not is_certain and confidence:
        parts.append(f"confidence {confidence:.2f}")
    return parts
