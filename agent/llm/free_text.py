"""What a local model writes without any constraint: the best texts, or samples."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, cast

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, convert_to_openai_messages
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

from ..decoding.model import Tokenizer
from ..decoding.plan import Cost
from ..errors import ConstraintError, InputError
from .likelihood import chat_tokens
from .local import LocalModel, writer
from .replies import THINKING, THOUGHT, without_thoughts

_SAMPLING = Lock()
"""Samples are drawn by one thread at a time, so that a seed gives the same ones."""
_LAST = 16
"""Tokens of a prompt that are looked at for the mark that begins a thought."""


@dataclass(frozen=True)
class FreeTexts:
    """Texts without thoughts and without the tokens that ended them, the best first; their cost.

    `scores` are the log-probabilities of what a search found; 0 where there was none. The prompt
    counts once for every beam or sample, each of which takes it in; the tokens of a search are
    those of all its beams at every step, those of samples end with the token that ends the text.
    """

    texts: tuple[str, ...]
    scores: tuple[float, ...] = ()
    cost: Cost = Cost()


@dataclass(frozen=True)
class Writing:
    """How to write: by a search of `beams`, or as `samples` drawn at `temperature`.

    `longest` is in tokens. `closing` tokens end a text too and stay in it, as do all other special
    tokens where it is not empty.
    """

    longest: int
    beams: int = 1
    samples: int = 0
    temperature: float = 0.7
    seed: int = 0
    closing: frozenset[int] = frozenset()


def room_after(local: LocalModel, prompt: Sequence[int]) -> int | None:
    """How many tokens the model can hold after a prompt; None where it does not say."""
    room = getattr(local.model.config, "max_position_embeddings", None)
    return None if room is None else room - len(prompt)


def write_freely(local: LocalModel, prompt: Sequence[int], writing: Writing) -> FreeTexts:
    """Continue a prompt. Raises ConstraintError where the model cannot hold prompt and text."""
    model = cast(Any, writer(local))
    import torch

    room = room_after(local, prompt)
    if room is not None and writing.longest > room:
        raise ConstraintError(
            f"the prompt of {len(prompt)} tokens is too long for the model", "try --set shown=20"
        )
    ends, steps = ends_of(local), _Steps()
    ids = torch.tensor([list(prompt)], device=model.device)
    settings: dict[str, Any] = {
        "attention_mask": torch.ones_like(ids),
        "max_new_tokens": writing.longest,
        "eos_token_id": sorted({*ends, *writing.closing}) or None,
        "pad_token_id": min(ends, default=0),
        "logits_processor": [steps],
    }
    scores = (0.0,) * (writing.samples or writing.beams)
    if writing.samples:
        drawn = {
            "do_sample": True,
            "temperature": writing.temperature,
            "num_return_sequences": writing.samples,
        }
        with _SAMPLING, torch.random.fork_rng(), torch.inference_mode():
            torch.manual_seed(writing.seed)
            rows = model.generate(input_ids=ids, **settings, **drawn)
    else:
        search: dict[str, Any] = {"num_beams": writing.beams, "num_return_sequences": writing.beams}
        if writing.beams > 1:
            search |= {"length_penalty": 0.0, "output_scores": True}
        with torch.inference_mode():
            generated = model.generate(
                input_ids=ids, **settings, **search, do_sample=False, return_dict_in_generate=True
            )
        rows = generated.sequences
        if writing.beams > 1:
            scores = tuple(generated.sequences_scores.tolist())
    token_rows = [row[len(prompt) :] for row in rows.tolist()]
    begun = THINKING if _is_thinking(local.tokenizer, prompt) else ""
    texts = (begun + _text(local.tokenizer, row, ends, writing.closing) for row in token_rows)
    tokens = (
        sum(_length(row, {*ends, *writing.closing}) for row in token_rows)
        if writing.samples
        else steps.taken * writing.beams
    )
    cost = Cost(steps.taken, len(prompt) * len(token_rows), tokens)
    return FreeTexts(tuple(map(without_thoughts, texts)), scores, cost)


class _Steps:
    """Counts forward passes: after each of them `generate` hands over the scores."""

    def __init__(self) -> None:
        self.taken = 0

    def __call__(self, ids: Any, scores: Any) -> Any:
        self.taken += 1
        return scores


def _length(row: Sequence[int], ends: Collection[int]) -> int:
    """The tokens of a row up to the one that ended it; padding follows."""
    return next((i for i, token in enumerate(row, 1) if token in ends), len(row))


def _text(
    tokenizer: Tokenizer,
    row: Sequence[int],
    ends: Collection[int],
    closing: Collection[int],
) -> str:
    tokens = list[int]()
    for token in row:
        if token in ends:
            break
        tokens.append(token)
        if token in closing:
            break
    hidden = () if closing else _unshown_tokens(tokenizer)
    return str(tokenizer.decode([token for token in tokens if token not in hidden]))


def _unshown_tokens(tokenizer: Tokenizer) -> set[int]:
    """The special tokens, which are no part of a text, less the marks of thoughts."""
    added = cast("dict[int, Any]", cast(Any, tokenizer).added_tokens_decoder)
    marks = {i for i, token in added.items() if token.content in (THINKING, THOUGHT)}
    special = {i for i, token in added.items() if token.special}
    return {*tokenizer.all_special_ids, *special} - marks


def _is_thinking(tokenizer: Tokenizer, prompt: Sequence[int]) -> bool:
    """Whether a chat template has begun the reply with a thought."""
    return str(tokenizer.decode(list(prompt[-_LAST:]))).rstrip().endswith(THINKING)


def ends_of(local: LocalModel) -> frozenset[int]:
    """The tokens that end a text."""
    configured: Any = getattr(local.model, "generation_config", None)
    known = [local.tokenizer.eos_token_id, getattr(configured, "eos_token_id", None)]
    flat = [i for ids in known for i in (ids if isinstance(ids, list) else [ids])]
    return frozenset(i for i in cast("list[Any]", flat) if isinstance(i, int))


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
        template: Any = convert_to_openai_messages(messages)
        prompt = chat_tokens(self._local.tokenizer, template)
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
