"""Chat models whose replies are written beforehand, and that keep what they were asked."""

from collections.abc import Callable
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

Reply = Callable[[str], str]
"""From a prompt to a reply; may raise."""

TOG = {
    "# Relations:": "relations",
    "# Scores:": "entities",
    "# Enough:": "enough",
    "# Answers:": "answer",
    "Think step by step": "think",
}
TOT = {
    "# Next:": "act",
    "# Entities:": "select",
    "# Relations:": "relate",
    "# Answer:": "value answer",
    "# Likelihood:": "value",
}


def kind(prompt: str) -> str:
    """Which of the prompts of tog and tot this is."""
    marks = TOT if "# What was done so far:" in prompt else TOG
    return next(name for mark, name in marks.items() if mark in prompt)


class Scripted(BaseChatModel):
    """Replies as told; `asked` are the prompts so far."""

    asked: list[str] = []
    _reply: Reply = PrivateAttr()

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self._reply = reply

    @property
    def kinds(self) -> list[str]:
        """Which prompts it was asked, in order."""
        return [kind(prompt) for prompt in self.asked]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        prompt = str(messages[-1].text)
        self.asked.append(prompt)
        text = self._reply(prompt)
        usage: Any = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
        message = AIMessage(text, usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])


def in_order(*replies: str) -> Scripted:
    """One reply after the other; then the client fails."""
    waiting = iter(replies)

    def reply(prompt: str) -> str:
        return next(waiting, None) or _fail()

    return Scripted(reply)


def _fail() -> str:
    raise ConnectionError("nobody there")


def offered(prompt: str, heading: str) -> list[str]:
    """The options that a prompt lists under a heading."""
    lines = prompt.split(f"# {heading}:\n", 1)[1].splitlines()
    return lines[: lines.index("")]
