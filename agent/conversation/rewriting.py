"""A follow-up question put in full by a chat LLM, where no rule is certain what it means.

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
_DEPENDENT = re.compile(
    r"^(?:and|but|or|so|then|what about|how about)\b"
    r"|\b(?:it|its|he|him|his|she|her|they|them|their|theirs|those|these|ones?|there|that|this)\b"
    r"|\b(?:the )?(?:same|other|others|former|latter|first|second|last|previous|earlier)\b",
    re.I,
)
_LABEL = re.compile(
    r"^(?:[-*>#\d.)\s]*)(?:(?:the\s+)?(?:standalone|rewritten|full)?\s*question\s*(?:is)?\s*:)?\s*",
    re.I,
)


def may_depend(question: str) -> bool:
    """Whether the words of a question may refer to something before it."""
    return _DEPENDENT.search(question.strip()) is not None


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
