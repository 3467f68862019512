"""Asking a chat model for JSON: held to a schema where its server can, read tolerantly anyway."""

from collections.abc import Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel

from .asking import Asker, UntakenError
from .loose_json import first_json

FORM = "response_format"
"""The field of a request that says what form the reply has."""


class StructuredReplies:
    """Asks for replies in JSON; remembers of a server that it takes no schema.

    Clients other than OpenAI's are not given any: the prompt must say what is wanted.
    """

    def __init__(self, llm: BaseChatModel) -> None:
        self._takes_schema = any(own.__name__ == "BaseChatOpenAI" for own in type(llm).__mro__)
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
    found = first_json(reply)
    if not isinstance(found, dict):
        asker.unread += 1
        return None
    return found
