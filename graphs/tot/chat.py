"""tot by a chat LLM, as in the paper (sections 3.2 to 3.4)."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from langchain_core.language_models import BaseChatModel

from ...agent.llm.actions import read_actions
from ...agent.llm.asking import Asker
from ...agent.llm.reading import read_answers, read_choices, read_sets, read_value
from ...agent.prompting import render
from ...agent.state import Named
from ..prompted.walks import Way, entity_names, fact_lines, spelled_names, spelled_ways
from .policy import Act, Branch, Move, Selected, Selection
from .traversal import gathered


class ChatPolicy:
    """Implements `Policy`: one call for the alternatives of an expansion, one for each value."""

    reasoner = "llm"

    def __init__(self, llm: BaseChatModel, question: str, prompts: Path | None) -> None:
        self._asker = Asker(llm)
        self._question = question
        self._prompts = prompts

    @property
    def cost(self) -> dict[str, int]:
        """What its decisions have cost so far."""
        return self._asker.cost

    @property
    def shortened(self) -> int:
        """How many replies were not whole."""
        return self._asker.shortened

    def act(self, branch: Branch, allowed: Sequence[Act], width: int) -> list[Move]:
        """The actions of the reply, an answer only where it names one."""
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
        return Selection([Selected(own) for own in read[:width]])

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
        """One call for each; what cannot be read is worth 0."""
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
