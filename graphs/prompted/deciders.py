"""Who decides where a walk goes on: a chat LLM, or the likelihoods of the local model."""

from pathlib import Path
from typing import Protocol

from langchain_core.language_models import BaseChatModel

from ...agent.decoding.plan import usage_fields
from ...agent.llm.asking import Asker
from ...agent.llm.walk_choices import WalkChoices


class Decider(Protocol):
    """Decides for one question."""

    @property
    def reasoner(self) -> str:
        """Who it is, as `State.reasoner` has it."""
        ...

    @property
    def cost(self) -> dict[str, int]:
        """What its decisions have cost so far, by the fields of `Usage`."""
        ...

    @property
    def shortened(self) -> int:
        """How many replies were not whole."""
        ...


class ChatDecider:
    """Implements `Decider` for a chat LLM."""

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


class LikelyDecider:
    """Implements `Decider` for the likelihoods of the local model."""

    reasoner = "likelihood"
    shortened = 0

    def __init__(self, choices: WalkChoices) -> None:
        self._choices = choices

    @property
    def cost(self) -> dict[str, int]:
        """What its decisions have cost so far."""
        return usage_fields(self._choices.cost)
