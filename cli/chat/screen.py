"""How the chat shows an answer: with numbers that refer to the chains below it."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from ...agent.evidence.text import printable
from ...agent.kg import KnowledgeGraph
from ...agent.state import Answer, Result, State
from ...graphs.unread import other_notes
from ..brackets import brackets
from ..render import Screen, footer, proof, rows_table, step_text
from .citations import Citations, cite

Item = TypeVar("Item")


class ChatScreen(Screen):
    """Shows results with citations, and waits visibly."""

    def __init__(self, *, console: Console) -> None:
        super().__init__(console=console)
        self._spinner = ExitStack()

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

    def result(self, state: State, kg: KnowledgeGraph) -> None:
        """The answers with their citations, the chains that they cite, notes, and what it took."""
        answers, computed = state.get("answers", []), state.get("result")
        cited = cite(answers, state.get("topics", []))
        self.console.print()
        asked, told = state.get("asked", ""), state.get("operation") is None
        if not told and asked and asked != state.get("question", ""):
            self.console.print(Text(f"asked: {printable(asked)}", style="dim"))
        self.not_understood(state)
        if answers and (computed is None or computed["kind"] == "list"):
            self.console.print(Text(", ").join(map(_named, answers, cited.of)))
        if computed and (rows := computed.get("rows")):
            self.console.print(rows_table(rows))
        elif computed:
            self.console.print(_computed(computed, cited, said=not answers))
        elif not answers:
            messages = state.get("messages", [])
            self.console.print(Text(messages[-1].text if messages else "", style="bold"))
        self.read_as(state)
        if answers or (computed and computed["triples"]):
            self.console.print()
        for tree in proof(answers, state.get("topics", []), cited.ends, "/why"):
            self.console.print(tree)
        for number, step in enumerate(computed["triples"] if computed else [], 1):
            line = step_text({**step, "inverse": False}, start=True)
            self.console.print(line.append(f"  {_resting(number, cited)}", style="dim"))
        for note in other_notes(state):
            self.console.print(Text(f"  {printable(note)}", style="dim"))
        if state.get("unsupported"):
            said = ", ".join(printable(text) for text in state.get("unsupported", []))
            told = f"  not in the graph, said by the LLM only: {said}"
            self.console.print(Text(told, style="yellow"))
        self.console.print()
        self.console.print(Text(footer(state, kg), style="dim"))


def _named(answer: Answer, numbers: tuple[int, ...]) -> Text:
    name = Text(printable(answer["label"]), style="bold")
    return name.append(f" {brackets(numbers)}", style="not bold dim")


def _computed(result: Result, cited: Citations, *, said: bool) -> Text:
    """What was computed, and how; it rests on all chains and triples.

    A list is its answers, and only `said` where there are none.
    """
    most = len(cited.chains) + len(result["triples"])
    rests = f", from {brackets(range(1, most + 1))}" if most else ""
    text = Text(style="dim")
    if said or result["kind"] != "list":
        text.append(f"{printable(result['text'])}\n", style="bold not dim")
    return text.append(f"  computed: {printable(result['how'])}{rests}")


def _resting(number: int, cited: Citations) -> str:
    """The reference to a triple that a result rests on beside the chains, which come first."""
    return brackets([len(cited.chains) + number])
