"""How the chat shows an answer: with numbers that refer to the chains below it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

from rich.console import Console
from rich.text import Text

from ...agent.evidence.reply import printable
from ...agent.evidence.text import TreeNode, chain_trees
from ...agent.kg.terms import Triple, node_of
from ...agent.records import Answer, Named, StepRecord
from ...agent.state import State
from ..render import Screen, Trail, brackets, proof, step_text
from .talk import Talk

if TYPE_CHECKING:
    from ..session import Choose


@dataclass(frozen=True)
class Citations:
    """The distinct chains of some answers, numbered from 1 in the order in which answers need them.

    `of` has the numbers of each answer, and `ends` says where in the trees chains end.
    """

    chains: tuple[list[StepRecord], ...]
    of: tuple[tuple[int, ...], ...]
    ends: Mapping[Trail, tuple[int, ...]]


def cite(answers: Sequence[Answer], topics: Sequence[Named]) -> Citations:
    """Number the chains of answers."""
    numbers: dict[tuple[tuple[str, ...], ...], int] = {}
    chains = list[list[StepRecord]]()
    of = list[tuple[int, ...]]()
    ends: dict[Trail, tuple[int, ...]] = {}
    for answer in answers:
        cited = list[int]()
        for chain in filter(None, answer["chains"]):
            key = tuple(map(_key, chain))
            if key not in numbers:
                numbers[key] = len(numbers) + 1
                chains.append(chain)
                end = _end(answer, chain, topics)
                ends[end] = (*ends.get(end, ()), numbers[key])
            cited.append(numbers[key])
        of.append(tuple(dict.fromkeys(cited)))
    return Citations(tuple(chains), tuple(of), ends)


def _key(step: StepRecord) -> tuple[str, ...]:
    return (*(step[part]["term"] for part in Triple._fields), str(step["inverse"]))


def _end(answer: Answer, chain: list[StepRecord], topics: Sequence[Named]) -> Trail:
    """Where a chain that is grown alone ends: at the step that it has last."""
    (root,) = chain_trees([{**answer, "chains": [chain]}], topics)[-1:]
    last = _key(chain[-1])[:-1]

    def search(node: TreeNode, trail: Trail) -> Trail | None:
        for key, branch in node.branches.items():
            below: Trail = (*trail, key)
            if end := search(branch, below) or (below if key[:-1] == last else None):
                return end
        return None

    return search(root, (root.term,)) or (root.term,)


Item = TypeVar("Item")

MOST_CHAINS = 50
"""Chains that are shown where it is asked why in words."""
_COMMANDS = "/why shows what proves an answer, /all lists every answer, /help has all commands."
"""What is told of commands to whoever asks for help in plain words."""


class ChatScreen(Screen):
    """Shows results with citations, and waits visibly; `trace` shows steps and chains too."""

    every_answer = every_member = whole_card = "/all lists them"
    by_other_reading = "; /readings to choose"

    def __init__(self, *, console: Console, trace: bool = False) -> None:
        super().__init__(console=console, trace=trace)
        self._spinner = ExitStack()

    @property
    def shows_proof(self) -> bool:
        """Only where all is shown: the answers cite their chains, and `/why` shows them."""
        return self.trace

    def watched(self, items: Iterable[Item], what: str) -> Iterator[Item]:
        """The items as they come, with a spinner for those that take long."""
        rest = iter(items)
        while True:
            with ExitStack() as self._spinner:
                self._spinner.enter_context(self.waiting(what))
                try:
                    item = next(rest)
                except StopIteration:
                    return
            yield item

    def pause(self) -> None:
        """Nothing spins until the next item is waited for."""
        self._spinner.close()

    def answers(self, state: State) -> None:
        """The answers with the numbers of their chains, or why there are none."""
        answers, computed = state.get("answers", []), state.get("result")
        asked, cited = state.get("asked", ""), _cited(state)
        if state.get("operation") is not None and asked and asked != state.get("question", ""):
            self.console.print(Text(f"asked: {printable(asked)}", style="dim"))
        self.not_understood(state)
        if answers and (computed is None or computed["kind"] == "list"):
            self.named(answers, list(map(brackets, cited.of)))
        elif computed and computed["kind"] == "why" and (chains := chains_of(state)):
            self._first_chains(chains)
            self.how(computed)
        elif computed:
            self.computed(computed, state)
            if (state.get("operation") or {}).get("courtesy") in ("greetings", "help"):
                self.console.print(_COMMANDS, style="dim")
        elif not answers:
            self.refusal(state)

    def _first_chains(self, chains: Sequence[Sequence[StepRecord]]) -> None:
        for number, chain in enumerate(chains[:MOST_CHAINS], 1):
            self.console.print(chain_line(number, chain))
        if (more := len(chains) - MOST_CHAINS) > 0:
            self.console.print(f"... and {more:,} more (/why shows all)", style="dim")

    def proof(self, state: State) -> None:
        """The chains that the answers cite, and the triples that a computed one rests on."""
        answers, cited, chains = state.get("answers", []), _cited(state), chains_of(state)
        if answers or chains:
            self.console.print()
        for tree in proof(answers, state.get("topics", []), cited.ends, "/why"):
            self.console.print(tree)
        for number, (step,) in enumerate(chains[len(cited.chains) :], len(cited.chains) + 1):
            line = step_text(step, start=True)
            self.console.print(line.append(f"  {brackets([number])}", style="dim"))


def chains_of(state: State) -> list[list[StepRecord]]:
    """The chains of the answers by their numbers from 1, then the triples of what was computed."""
    computed, cited = state.get("result"), _cited(state).chains
    compared: list[list[StepRecord]] = [
        [{**step, "inverse": False}] for step in (computed["triples"] if computed else [])
    ]
    return [*cited, *(triple for triple in compared if triple not in cited)]


def chain_line(number: int, chain: Sequence[StepRecord]) -> Text:
    """A chain with its number; a step that does not begin where the one before ends says where."""
    line, at = Text(f"[{number}]", style="dim"), ""
    for step in chain:
        ends = node_of(step["head"]["term"]), node_of(step["tail"]["term"])
        start, end = reversed(ends) if step["inverse"] else ends
        line.append(" " if not at else "  ").append_text(step_text(step, start=start != at))
        at = end
    return line


def _cited(state: State) -> Citations:
    return cite(state.get("answers", []), state.get("topics", []))


def answer(
    talk: Talk,
    screen: "ChatScreen",
    question: str,
    choose: "Choose",
    query: object = None,
) -> None:
    """Answer a question, or a query that was given for it, and show the result.

    The readings of the question stay as they were where a query was given. Such an answer has no
    confidence: whoever gives the query says what was asked.
    """
    from ..session import origin_of, run

    session = talk.session()
    origin = origin_of(talk.kg, talk.wanted.model)
    for event in screen.watched(run(session, question, talk.thread, choose, query), "thinking"):
        if "event" in event:
            screen.event(event)
        else:
            state = cast("State", dict(event))
            talk.remember(state, origin, reads=query is None)
            screen.result(state, talk.kg)
