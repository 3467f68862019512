"""What a question does in the conversation itself: it asks for proof, or says what was meant.

The words that ask for proof are data of a language, `languages/en.toml`.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..kg.labels.names import normalise, one_line
from ..linking.picking import picked
from ..llm.asking import Asker
from ..prompting import render
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
    words_said = normalise(question)
    if not mentions and _after(words_said, words["openers"]) in words["why"]:
        own = Part(question=question, mentions=[])
        return Act("why", own) if last_about(turns) else None
    meant = _chosen(_after(words_said, words["articles"]), mentions, turns[-1])
    return None if meant is None else Act("choice", meant)


def _after(text: str, before: Collection[str]) -> str:
    """A text without one of some words before it."""
    first, _, rest = text.partition(" ")
    return rest if rest and first in before else text


def _chosen(text: str, mentions: Sequence[MentionRecord], last: Turn) -> Part | None:
    """The question that was asked back, settled by what names one of the options."""
    open_ones = [mention for mention in last["mentions"] if mention["ambiguous"]]
    if last["status"] != "ambiguous" or not open_ones:
        return None
    asked, *_ = open_ones
    chosen = picked(text, asked["candidates"])
    if not chosen and [normalise(mention["text"]) for mention in mentions] == [text]:
        meant = mentions[0]["candidates"][0]["term"]
        chosen = [mention for mention in asked["candidates"] if mention["term"] == meant]
    if len(chosen) != 1:
        return None
    settled: MentionRecord = {**asked, "ambiguous": False, "candidates": chosen}
    others = [settled if mention is asked else mention for mention in last["mentions"]]
    return Part(question=last["asked"], mentions=others)


_MOST_TURNS = 6
_MOST_NAMES = 20
_LONGEST = 500
_LABEL = re.compile(r"^(?:\W|\d+[.)])*(?:(?:\w+ ){0,3}\w+:)?\s*")
"""A mark of a list, and a label of a few words, before the question."""


def rewritten(
    asker: Asker, question: str, turns: Sequence[Turn], prompts: Path | None = None
) -> str | None:
    """The question in full; None where the reply cannot be read, or changes nothing.

    Raises UnansweredError.
    """
    earlier = [
        {
            "asked": one_line(turn["asked"]),
            "answers": [one_line(answer["label"]) for answer in turn["answers"][:_MOST_NAMES]],
        }
        for turn in turns[-_MOST_TURNS:]
    ]
    prompt = render("conversation/rewrite.jinja", prompts, question=question, earlier=earlier)
    full = asker.read(prompt, read_question)
    return None if full is None or full == question else full


def read_question(reply: str) -> str | None:
    """The question in a reply, whatever stands around it; None where there is none."""
    lines = [line.strip() for line in reply.splitlines() if line.strip().strip("`")]
    questions = [line for line in lines if line.rstrip(" \"'”*`").endswith("?")] or lines[:1]
    for line in questions:
        text = _LABEL.sub("", line).strip(" \"'“”*`")
        if text and len(text) <= _LONGEST and re.search(r"\w", text):
            return text
    return None
