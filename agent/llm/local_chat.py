"""A LangChain chat model around a local one: it tells its tokens, and draws replies by a seed."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, convert_to_openai_messages
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

from ..errors import InputError
from .free_text import Writing, room_after, write_freely
from .likelihood import chat_tokens
from .local import LocalModel

_LONGEST = 512
"""Tokens of a reply."""


class LocalChat(BaseChatModel):
    """Replies with the likeliest tokens, or as it draws them, in the model's own chat template.

    `usage_metadata` counts the tokens of prompt and reply, thoughts included; the text is without
    thoughts. Every call raises ConstraintError where the model cannot hold the prompt, and
    InputError for stop texts.
    """

    temperature: float = 0.0
    """At which replies are drawn; 0 takes the likeliest token."""
    seed: int = 0
    _local: LocalModel = PrivateAttr()

    def __init__(self, local: LocalModel, **options: Any) -> None:
        """Close over a model; `options` are fields of this class and LangChain's own."""
        super().__init__(**options)
        self._local = local

    @property
    def _llm_type(self) -> str:
        return "groundwalk-local"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {
            "model_name": self._local.source,
            "temperature": self.temperature,
            "seed": self.seed,
        }

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if stop:
            raise InputError("replies cannot be stopped at a text", "leave out the stop texts")
        said: Any = convert_to_openai_messages(messages)
        prompt = chat_tokens(self._local.tokenizer, said)
        room = room_after(self._local, prompt)
        longest = _LONGEST if room is None else max(1, min(_LONGEST, room))
        how = Writing(longest, seed=self.seed)
        if self.temperature > 0:
            how = Writing(longest, samples=1, temperature=self.temperature, seed=self.seed)
        written = write_freely(self._local, prompt, how)
        read, wrote = written.cost.prompt_tokens, written.cost.tokens
        message = AIMessage(
            written.texts[0],
            response_metadata={"model_name": self._local.source},
            usage_metadata=UsageMetadata(
                input_tokens=read, output_tokens=wrote, total_tokens=read + wrote
            ),
        )
        return ChatResult(generations=[ChatGeneration(message=message)])
