"""Free text between constrained words: the model writes on until a token that ends it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .head import Vector, log_softmax
from .session import Session


@dataclass(frozen=True)
class WritingPlan:
    """How free text is written, and where it stops.

    `stops` end it and are not part of it; `banned` tokens are never written.
    """

    stops: frozenset[int]
    limit: int = 128
    """Tokens at most."""
    banned: frozenset[int] = frozenset()
    temperature: float = 0.0
    """0 takes the likeliest token, the smallest of those that tie; else tokens are drawn."""
    seed: int = 0
    """Each text is drawn from it by itself, whatever else is written in the same batch."""


@dataclass(frozen=True)
class Written:
    """A text: its last node, its tokens, and the token that ended it; None at the limit."""

    node: int
    tokens: tuple[int, ...]
    stop: int | None


@dataclass(frozen=True)
class Reply:
    """What comes after a finished word: a heading, and under it the model's own words."""

    heading: tuple[int, ...]
    writing: WritingPlan


@dataclass
class _Text:
    row: int
    node: int
    draw: np.random.Generator
    tokens: list[int]


def write(session: Session, places: Sequence[tuple[int, int]], plan: WritingPlan) -> list[Written]:
    """Go on from (row, node)s in the trees of a session, all in one batch.

    Raises ConstraintError where the model cannot hold prompt and text.
    """
    texts = [_Text(*place, np.random.default_rng(plan.seed), []) for place in places]
    stops: dict[int, int] = {}
    live = dict(enumerate(texts))
    for _ in range(plan.limit + 1):
        if not live:
            break
        logits = session.logits([(text.row, text.node) for text in live.values()])
        for (i, text), values in zip(list(live.items()), logits, strict=True):
            token = _choose(values, text.draw, plan)
            if token in plan.stops:
                stops[i] = token
                del live[i]
            elif len(text.tokens) == plan.limit:
                del live[i]
            else:
                text.tokens.append(token)
                text.node = session.trees[text.row].child(text.node, token)
    return [Written(text.node, tuple(text.tokens), stops.get(i)) for i, text in enumerate(texts)]


def write_replies(
    session: Session, places: Sequence[tuple[int, int]], reply: Reply
) -> list[tuple[int, ...]]:
    """The tokens that the model writes under the heading after each (row, node)."""
    headed = list[tuple[int, int]]()
    for row, node in places:
        for token in reply.heading:
            node = session.trees[row].child(node, token)
        headed.append((row, node))
    return [text.tokens for text in write(session, headed, reply.writing)]


def _choose(logits: Vector, draw: np.random.Generator, plan: WritingPlan) -> int:
    logits[list(plan.banned)] = -np.inf
    if plan.temperature <= 0:
        return int(logits.argmax())
    chances = np.exp(log_softmax(logits / plan.temperature)).cumsum()
    return int(np.searchsorted(chances, draw.random() * chances[-1], side="right"))
