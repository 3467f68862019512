"""Asking a chat model, and counting what it costs and what could not be read."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel

from ..errors import GroundwalkError, InputError, ServiceError, is_shortage
from .replies import first_json, read_answers, says_nothing, without_thoughts

Read = TypeVar("Read")

_LONGEST = 20_000
"""Characters of a reply that are read."""
_ENDS = ("finish_reason", "stop_reason", "done_reason")
"""Where clients say why a reply ended."""
_REFUSALS = (400, 415, 422, 500, 501)
"""The HTTP statuses with which servers answer to what they do not know of a request."""
_LIMITS = ("length", "max_tokens")
_UNREAD, _SHORTENED = "could not be read", "ended early, at a limit of length"


class UnansweredError(Exception):
    """The chat model's client failed; the message says what came, or the kind of its error."""


class UntakenError(UnansweredError):
    """The chat model's server does not take how it was asked, and may take the plain prompt."""


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
    shortened: int = 0
    """Replies that are not whole: their server ended them, or they are longer than is read."""
    failure: str = ""
    """Why the last call that failed got no answer."""

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

    def ask(self, prompt: str, **options: Any) -> str:
        """The text of the reply, without thoughts. Raises UnansweredError whatever is raised.

        `options` are arguments of the client beside the prompt; UntakenError is raised where the
        server refuses a request with any.
        """
        self.calls += 1
        try:
            reply = self.llm.invoke(prompt, **options)
            usage = reply.usage_metadata
            text = without_thoughts(str(reply.text))
            shortened = len(text) > _LONGEST or _was_ended(reply.response_metadata)
        except Exception as error:  # every client has errors of its own
            self.failed += 1
            if options and _is_refusal(error):
                raise UntakenError(_error_text(error)) from error
            self.failure = _error_text(error)
            raise UnansweredError(self.failure) from error
        self.shortened += shortened
        if usage and usage["input_tokens"]:
            self.prompt_tokens += usage["input_tokens"]
            self.tokens += usage["output_tokens"]
        else:
            self.uncounted += 1
        return text[:_LONGEST]

    def read(self, prompt: str, reader: Callable[[str], Read | None]) -> Read | None:
        """The reply as `reader` reads it; None is counted. Raises UnansweredError."""
        read = reader(self.ask(prompt))
        self.unread += read is None
        return read

    def tried(self, prompt: str, reader: Callable[[str], Read | None]) -> Read | None:
        """As `read`, but None where the chat model does not answer, or did not before."""
        try:
            return None if self.failure else self.read(prompt, reader)
        except UnansweredError:
            return None

    def names(self, prompt: str, labels: Sequence[str] = ()) -> list[str]:
        """The names that the reply answers with; one that says nothing is counted.

        `labels` are names that a line may be although it looks numbered.
        """
        read = self.read(prompt, lambda r: None if says_nothing(r) else read_answers(r, labels))
        return read or []

    @property
    def silence(self) -> list[str]:
        """A note that the chat model did not answer, if its last call failed."""
        return [f"{self.failure}: the LLM did not answer"] if self.failure else []

    def add_notes(self, notes: Sequence[str]) -> list[str]:
        """The notes, with what went wrong with the replies."""
        return with_reply_notes(
            [*notes, *self.silence], unread=self.unread, shortened=self.shortened
        )


def needed(llm: BaseChatModel | None, method: str) -> BaseChatModel:
    """The chat LLM of a method that does nothing without; raises InputError where there is none."""
    if llm is None:
        raise InputError(f"{method} needs a chat LLM", "name one with --llm, or give it as `llm`")
    return llm


def with_reply_notes(notes: Sequence[str], *, unread: int, shortened: int = 0) -> list[str]:
    """The notes with how many replies could not be read or are not whole, added to those noted."""
    noted = list(notes)
    for count, fault in ((unread, _UNREAD), (shortened, _SHORTENED)):
        if count:
            earlier = re.compile(rf"(\d+) repl(?:y|ies) {fault}")
            total = count + sum(int(m[1]) for note in noted if (m := earlier.fullmatch(note)))
            noted = [note for note in noted if not earlier.fullmatch(note)]
            noted.append(f"{total} {'reply' if total == 1 else 'replies'} {fault}")
    return noted


def _was_ended(metadata: Mapping[str, Any]) -> bool:
    return any(str(metadata.get(key)).lower() in _LIMITS for key in _ENDS)


def _is_refusal(error: Exception) -> bool:
    """Whether a server answered that it does not take a request; else it may be down."""
    answer = error.__cause__ if isinstance(error, ServiceError) else error
    return getattr(answer, "status_code", None) in _REFUSALS


def _error_text(error: Exception) -> str:
    """What an error says, or is called; one of reading what came is none that a user could know."""
    if isinstance(error, GroundwalkError):
        return error.message
    if is_shortage(error):
        return "out of memory"
    if isinstance(error, (LookupError, TypeError, AttributeError, ValueError)):
        return "what came is no chat reply"
    return type(error).__name__


FORM = "response_format"
"""The field of a request that says what form the reply has."""


class StructuredReplies:
    """Asks for replies in JSON; remembers of a server that it takes no schema.

    Clients other than OpenAI's are not given any: the prompt must say what is wanted.
    """

    def __init__(self, llm: BaseChatModel) -> None:
        self._takes_schema = any(kind.__name__ == "BaseChatOpenAI" for kind in type(llm).__mro__)
        self._body: dict[str, Any] = getattr(llm, "extra_body", None) or {}

    def ask(self, asker: Asker, prompt: str, name: str, schema: Mapping[str, Any]) -> str:
        """The reply. Raises UnansweredError."""
        if not self._takes_schema:
            return asker.ask(prompt)
        wanted = {"name": name, "schema": dict(schema), "strict": False}
        form = {FORM: {"type": "json_schema", "json_schema": wanted}}
        try:
            # Not as an argument of its own: the client would refuse a reply that ended early.
            return asker.ask(prompt, extra_body={**self._body, **form})
        except UntakenError:
            reply = asker.ask(prompt)
        self._takes_schema = False
        return reply


def read_object(asker: Asker, reply: str) -> dict[str, Any] | None:
    """The JSON object that a reply is or holds; None is counted as unread."""
    value = first_json(reply)
    if not isinstance(value, dict):
        asker.unread += 1
        return None
    return value
