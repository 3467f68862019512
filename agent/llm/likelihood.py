"""How likely a local model holds each of some continuations: decisions without a written reply.

All that is asked about at once hangs on the token trees of one session and is computed in one
forward pass.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..decoding.model import CausalModel, Tokenizer
from ..decoding.plan import Cost
from ..decoding.session import Session
from ..decoding.tree import ROOT
from ..decoding.units import Tokens, tokenize


@dataclass(frozen=True)
class Alternatives:
    """Options that may follow the tokens `after` the prompt of a row; none of them is empty."""

    options: Sequence[Tokens]
    after: Tokens = ()
    row: int = 0


class Likelihoods:
    """Log-probabilities of continuations of some prompts. Not safe to share between threads."""

    def __init__(
        self, model: CausalModel, prompts: Sequence[Sequence[int]], shared: int = 0
    ) -> None:
        """Begin after each prompt; the first `shared` tokens are kept with the model.

        Raises ConstraintError for a prompt without tokens.
        """
        self._session = Session(model, prompts, shared)
        self._rows = len(prompts)

    @property
    def cost(self) -> Cost:
        """What it took so far."""
        return self._session.cost_of(range(self._rows))

    def logprobs(self, questions: Sequence[Alternatives]) -> list[list[float]]:
        """For each question the log-probability of each option, over the whole vocabulary.

        It is that of all tokens of the option together. Raises ConstraintError where the model
        cannot hold prompt and continuation.
        """
        lines = [
            [self._line(question.row, question.after, option) for option in question.options]
            for question in questions
        ]
        logprobs_at: dict[tuple[int, int], dict[int, float]] = {}
        for question, options in zip(questions, lines, strict=True):
            for line in options:
                for node, token in line:
                    logprobs_at.setdefault((question.row, node), {})[token] = 0.0
        if logprobs_at:
            rows: dict[int, list[int]] = {}
            for row, node in logprobs_at:
                rows.setdefault(row, []).append(node)
            self._session.forward.evaluate(rows)
            tokens = [list(values) for values in logprobs_at.values()]
            logprobs = self._session.forward.logprobs(list(logprobs_at), tokens, full=True)
            for values, row_logprobs in zip(logprobs_at.values(), logprobs, strict=True):
                values.update(zip(values, map(float, row_logprobs), strict=True))
        return [
            [
                sum(logprobs_at[question.row, node][token] for node, token in line)
                for line in options
            ]
            for question, options in zip(questions, lines, strict=True)
        ]

    def _line(self, row: int, after: Tokens, option: Tokens) -> list[tuple[int, int]]:
        """Each token of an option with the node that it follows."""
        tree, node = self._session.trees[row], ROOT
        for token in after:
            node = tree.child(node, token)
        line = list[tuple[int, int]]()
        for token in option:
            line.append((node, token))
            node = tree.child(node, token)
        return line


def shares(logprobs: Sequence[float]) -> list[float]:
    """The probability of each option, given that it is one of them."""
    if not logprobs:
        return []
    top = max(logprobs)
    weights = [math.exp(value - top) for value in logprobs]
    return [weight / sum(weights) for weight in weights]


def prompt_tokens(tokenizer: Tokenizer, text: str) -> list[int]:
    """Token ids of a prompt in the model's chat template, or as it is where there is none."""
    return chat_tokens(tokenizer, [{"role": "user", "content": text}])


def chat_tokens(tokenizer: Tokenizer, messages: Sequence[dict[str, Any]]) -> list[int]:
    """Token ids of `{"role", "content"}` messages in the model's chat template, or in a row."""
    if tokenizer.chat_template:
        filled = str(
            cast(Any, tokenizer).apply_chat_template(
                list(messages), tokenize=False, add_generation_prompt=True
            )
        )
        return list(tokenizer(filled, add_special_tokens=False)["input_ids"])
    text = "\n\n".join(str(message["content"]) for message in messages)
    return list(tokenizer(text)["input_ids"])


def line_tokens(tokenizer: Tokenizer, lines: Sequence[str]) -> list[Tokens]:
    """Token ids of each line and its end, so that none is the beginning of another."""
    return tokenize(tokenizer, [f"{line}\n" for line in lines])
