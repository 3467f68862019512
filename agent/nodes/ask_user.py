"""ask_user: interrupts the run where a mention may mean several entities, and takes the choice.

A node of its own, because an interrupted node starts again from its top when it is resumed. What
it asks is told before it, by `offer`.
"""

from collections.abc import Mapping
from typing import Any, cast

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ..answers.topics import best_topics
from ..linking.mention import asking, picked
from ..options import Options
from ..records import MentionRecord
from ..state import Choice, State
from . import Node


def offer() -> Node:
    """Say that the question is ambiguous, while the run waits for the choice."""

    def run(state: State, runtime: Runtime[Options]) -> State:
        mentions = [mention for mention in state.get("mentions", []) if mention["ambiguous"]]
        runtime.stream_writer({"event": "ambiguous", "mentions": mentions})
        return {"status": "ambiguous"}

    return run


def ask_user() -> Node:
    """Ask about each ambiguous mention.

    The reply is an option, its number from 1, its term, its name in full, what it is listed as, or
    a text that only one option's name or description has.
    """

    def run(state: State, runtime: Runtime[Options]) -> State:
        mentions = [
            _settle(mention) if mention["ambiguous"] else mention
            for mention in state.get("mentions", [])
        ]
        topics = best_topics(mentions)
        runtime.stream_writer({"event": "linked", "topics": topics})
        return {"mentions": mentions, "topics": topics, "status": "abstained"}

    return run


def _settle(mention: MentionRecord) -> MentionRecord:
    options, ask = mention["candidates"], asking(mention["text"])
    hint = ""
    while True:
        reply = interrupt(Choice(ask=ask, options=options, hint=hint))
        text = (
            cast("Mapping[str, Any]", reply).get("term", "")
            if isinstance(reply, Mapping)
            else reply
        )
        chosen = picked(str(text), options, ask)
        if len(chosen) == 1:
            rest = [option for option in options if option != chosen[0]]
            return {**mention, "ambiguous": False, "candidates": [*chosen, *rest]}
        hint = (
            f"answer with a number from 1 to {len(options)}, a term, "
            "or a part of one name or description only"
        )
