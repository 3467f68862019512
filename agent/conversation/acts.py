"""What a question does in the conversation itself: it asks for proof, or says what was meant.

The words that ask for proof are data of a language, `query/languages/en.toml`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..kg.names import normalise
from ..linking.picking import picked
from ..query.language import language_words
from ..state import MentionRecord, Part, Turn
from .turns import last_about


@dataclass(frozen=True)
class Act:
    """The act, and the question in full that it is about."""

    kind: Literal["why", "choice"]
    question: Part


def act_of(question: str, mentions: Sequence[MentionRecord], turns: Sequence[Turn]) -> Act | None:
    """What a question does; None where it asks the graph something."""
    if not turns:
        return None
    words: Mapping[str, Any] = language_words()["conversation"]
    said = normalise(question)
    if not mentions and _after(said, words["openers"]) in words["why"]:
        own = Part(question=question, mentions=[])
        return Act("why", own) if last_about(turns) else None
    meant = _chosen(_after(said, words["articles"]), mentions, turns[-1])
    return None if meant is None else Act("choice", meant)


def _after(said: str, before: Collection[str]) -> str:
    """A text without one of some words before it."""
    first, _, rest = said.partition(" ")
    return rest if rest and first in before else said


def _chosen(said: str, mentions: Sequence[MentionRecord], last: Turn) -> Part | None:
    """The question that was asked back, settled by what names one of the options."""
    open_ones = [mention for mention in last["mentions"] if mention["ambiguous"]]
    if last["status"] != "ambiguous" or not open_ones:
        return None
    asked, *_ = open_ones
    chosen = picked(said, asked["candidates"])
    if not chosen and [normalise(own["text"]) for own in mentions] == [said]:
        meant = mentions[0]["candidates"][0]["term"]
        chosen = [own for own in asked["candidates"] if own["term"] == meant]
    if len(chosen) != 1:
        return None
    settled: MentionRecord = {**asked, "ambiguous": False, "candidates": chosen}
    others = [settled if own is asked else own for own in last["mentions"]]
    return Part(question=last["asked"], mentions=others)
