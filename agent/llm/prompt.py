"""The prompt of the wire formats (GCR, figure 7): question and topics in, a walk out.

The three formats share all of it but the heading under which the walk is written; what is read
before a query is in `agent/query/prompt.py`.

A small model trained here reads the question with each topic entity masked by its class
(`what is the capital of [country]`), so that what it learns is about relations, not names.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from os.path import commonprefix
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...prompts import render
from ..decoding.model import Tokenizer
from ..decoding.wire import PATH, PLAN, QUERY, TRIPLE, Wire

if TYPE_CHECKING:
    from .local import LocalModel

HEADINGS = {
    PATH: "gcr/path_prefix.jinja",
    PLAN: "plan/prefix.jinja",
    QUERY: "query/prefix.jinja",
    TRIPLE: "dog/prefix.jinja",
}
"""The template of the heading of each wire format."""


@dataclass(frozen=True)
class Mention:
    """A topic entity where the question names it: character offsets, name and class label."""

    start: int
    end: int
    name: str
    kind: str = ""


def mask(question: str, mentions: Sequence[Mention]) -> tuple[str, list[str]]:
    """The question with every mention replaced by `[class]`, and the masked topics in order.

    Brackets that the user put around a name go with it.
    """
    text, after, topics = "", 0, list[str]()
    for mention in sorted(mentions, key=lambda m: m.start):
        slot = f"[{mention.kind or 'entity'}]"
        start, end = mention.start, mention.end
        if question[:start].endswith("[") and question[end:].startswith("]"):
            start, end = start - 1, end + 1
        text += question[after:start] + slot
        after = end
        topics.append(slot)
    return text + question[after:], topics


def path_prompt(
    question: str,
    mentions: Sequence[Mention],
    *,
    masked: bool,
    instruct: bool,
    prompts: Path | None = None,
    examples: int = 0,
) -> str:
    """The user's part of the prompt; `instruct` puts an instruction above it, with `examples`."""
    if masked:
        question, topics = mask(question, mentions)
        question = " ".join(question.lower().split()).rstrip(" ?!.")
    else:
        question = question if question.rstrip().endswith("?") else question.rstrip() + "?"
        topics = list(dict.fromkeys(m.name for m in mentions))
    return render(
        "gcr/path.jinja",
        prompts,
        question=question,
        topics=topics,
        instruct=instruct,
        examples=examples,
    )


def path_tokens(
    tokenizer: Tokenizer,
    prompt: str,
    prompts: Path | None = None,
    *,
    wire: Wire = PATH,
) -> list[int]:
    """Token ids up to where the opening tag comes: chat template and heading."""
    text = prompt + "\n"
    if tokenizer.chat_template:
        text = cast(Any, tokenizer).apply_chat_template(
            [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
        )
    text = f"{text}{render(HEADINGS[wire], prompts)}"
    return list(tokenizer(text, add_special_tokens=not tokenizer.chat_template)["input_ids"])


def wire_prompt(
    local: "LocalModel",
    question: str,
    mentions: Sequence[Mention],
    wire: Wire = PATH,
    prompts: Path | None = None,
    examples: int = 0,
) -> tuple[list[int], int]:
    """The tokens of a model's prompt for a format, and how many of them all its prompts share.

    The `examples`, where the model follows instructions, are ones of the format PATH.
    """
    masked, instruct = local.settings.masked, local.settings.instruct
    prompt = path_prompt(
        question, mentions, masked=masked, instruct=instruct, prompts=prompts, examples=examples
    )
    tokens = path_tokens(local.tokenizer, prompt, prompts, wire=wire)
    shared = shared_tokens(
        local.tokenizer,
        tokens,
        masked=masked,
        instruct=instruct,
        prompts=prompts,
        examples=examples,
    )
    return tokens, shared


def answer_tokens(tokenizer: Tokenizer, prompts: Path | None = None) -> list[int]:
    """Token ids of the heading between a path and the answer that the model names freely."""
    text = render("gcr/answer_prefix.jinja", prompts)
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def shared_tokens(
    tokenizer: Tokenizer,
    tokens: Sequence[int],
    *,
    masked: bool,
    instruct: bool,
    prompts: Path | None = None,
    examples: int = 0,
) -> int:
    """How many of a prompt's first tokens are those of the instruction, as in all of its kind."""
    beginning = _beginning(tokenizer, masked, instruct, prompts, examples)
    return len(commonprefix([beginning, list(tokens)]))


@lru_cache(maxsize=8)
def _beginning(
    tokenizer: Tokenizer,
    masked: bool,
    instruct: bool,
    prompts: Path | None,
    examples: int,
) -> list[int]:
    two = [
        path_tokens(
            tokenizer,
            path_prompt(
                question, [], masked=masked, instruct=instruct, prompts=prompts, examples=examples
            ),
            prompts,
        )
        for question in ("a", "?")
    ]
    return list(commonprefix(two))
