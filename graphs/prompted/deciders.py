"""Who decides where a walk goes on: a chat LLM, or the likelihoods of the local model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self, TypeVar

from langchain_core.language_models import BaseChatModel

from ...agent.answers.question import Outcome, Question
from ...agent.decoding.plan import usage_fields
from ...agent.llm.asking import Asker
from ...agent.llm.walk_choices import WalkChoices, walk_choices
from ...agent.records import Candidate, summed
from ..ground import Ground


class ChatDecider:
    """A chat LLM that decides for one question; its decisions may raise UnansweredError."""

    reasoner = "llm"

    def __init__(self, llm: BaseChatModel, question: str, prompts: Path | None) -> None:
        self._asker = Asker(llm)
        self._question = question
        self._prompts = prompts

    @property
    def cost(self) -> dict[str, int]:
        """What its decisions have cost so far, by the fields of `Usage`."""
        return self._asker.cost

    @property
    def shortened(self) -> int:
        """How many replies were not whole."""
        return self._asker.shortened


class LikelyDecider:
    """The likelihoods of the local model, which decide for one question."""

    reasoner = "likelihood"
    shortened = 0

    def __init__(self, choices: WalkChoices) -> None:
        self._choices = choices

    @property
    def cost(self) -> dict[str, int]:
        """What its decisions have cost so far, by the fields of `Usage`."""
        return usage_fields(self._choices.cost)


_Chat = TypeVar("_Chat", bound=ChatDecider)
_Likely = TypeVar("_Likely", bound=LikelyDecider)


@dataclass(frozen=True, kw_only=True)
class DecidedSearch:
    """How far a search has come whose steps somebody decides, and what it took."""

    question: Question
    ground: Ground
    claims: Sequence[Candidate] = ()
    """What replies named without its being offered."""
    requests: int = 0
    cuts: Sequence[str] = ()
    """What walks could not use."""
    failure: str = ""
    """The error of a chat LLM that stopped answering."""
    cost: Mapping[str, int] = field(default_factory=dict[str, int])
    shortened: int = 0
    """Replies that were not whole."""
    outcome: Outcome = Outcome()

    def decider(self, chat: type[_Chat], likely: type[_Likely]) -> _Chat | _Likely:
        """Who decides in one step; each step has one of its own, which forgets what it read."""
        question, ground = self.question, self.ground
        if ground.llm is not None:
            return chat(ground.llm, question.text, ground.prompts)
        return likely(walk_choices(ground.local, question.text, question.mentions, ground.prompts))

    def charged(self, decider: ChatDecider | LikelyDecider) -> Self:
        """The search with what the decisions of a step cost."""
        cost, shortened = summed(self.cost, decider.cost), self.shortened + decider.shortened
        return replace(self, cost=cost, shortened=shortened)
