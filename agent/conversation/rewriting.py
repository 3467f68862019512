"""A follow-up question put in full by a chat LLM, which then proposes the query of it.

The LLM rewrites the question and nothing else: what it says is linked, decoded and verified like
any question, and is never a fact.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from ..kg.names import one_line
from ..llm.asking import Asker
from ..prompting import render
from ..state import Turn

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
