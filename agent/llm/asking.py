"""Asking a chat model, and counting what it costs and what could not be read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from langchain_core.language_models import BaseChatModel

from .reading import read_answers, says_nothing, spoken

Read = TypeVar("Read")

_LONGEST = 20_000
"""Characters of a reply that are read."""


class UnansweredError(Exception):
    """The chat model's client failed; the message names the kind of its error."""


@dataclass
class Asker:
    """Asks one chat model, and adds up. For one node of one question."""

    llm: BaseChatModel
    calls: int = 0
    failed: int = 0
    """Calls that got no answer."""
    prompt_tokens: int = 0
    tokens: int = 0
    """Those of the replies, thoughts included."""
    uncounted: int = 0
    """Replies whose tokens the model's client does not tell."""
    unread: int = 0
    """Replies that could not be read as what was asked for."""

    @property
    def cost(self) -> dict[str, int]:
        """What it has cost so far, as `Usage` names it."""
        return {
            "llm_calls": self.calls,
            "llm_failed": self.failed,
            "llm_uncounted": self.uncounted,
            "unread": self.unread,
            "prompt_tokens": self.prompt_tokens,
            "tokens": self.tokens,
        }

    def ask(self, prompt: str) -> str:
        """The text of the reply, without thoughts. Raises UnansweredError whatever is raised."""
        self.calls += 1
        try:
            reply = self.llm.invoke(prompt)
            usage = reply.usage_metadata
            text = spoken(str(reply.text))[:_LONGEST]
        except Exception as error:  # every client has errors of its own
            self.failed += 1
            raise UnansweredError(type(error).__name__) from error
        if usage and usage["input_tokens"]:
            self.prompt_tokens += usage["input_tokens"]
            self.tokens += usage["output_tokens"]
        else:
            self.uncounted += 1
        return text

    def read(self, prompt: str, reader: Callable[[str], Read | None]) -> Read | None:
        """The reply as `reader` reads it; None is counted. Raises UnansweredError."""
        found = reader(self.ask(prompt))
        self.unread += found is None
        return found

    def names(self, prompt: str, known: Sequence[str] = ()) -> list[str]:
        """The names that the reply answers with; one that says nothing is counted.

        `known` are names that a line may be although it looks numbered.
        """
        read = self.read(prompt, lambda r: None if says_nothing(r) else read_answers(r, known))
        return read or []


def unread_note(unread: int) -> list[str]:
    """A note on the replies that could not be read, where there are any."""
    return [f"{unread} {'reply' if unread == 1 else 'replies'} could not be read"] if unread else []
