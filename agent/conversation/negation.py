"""`not` in a plain question: it asks for what no walk leads to, so no answer to the rest is one."""

import re
from collections.abc import Collection

from .masking import MARK, Masked
from .phrases import NOT
from .wording import stems

_NOT = re.compile(NOT, re.I)
_LEAVE_OUT = (
    r"(?:\bdo\s+not|\bdon['\u2019]?t|\bnot)\s+"
    r"(?:list|nam|count|includ|mention|repeat)(?:e|ing)?\s+(?:the\s+)?"
)
_HARMLESS = re.compile(
    r"n['\u2019]?t (?:it|he|she|they|there|that)\s*(?:[?,;.]|$)"
    r"|\b(?:do(?:n['\u2019]?t| not)|can(?:['\u2019]?t| ?not)) (?:know|remember|recall)\b"
    r"|(?:\bI(?:['\u2019]?m| am)|^|[,.;:?!(]) ?not (?:sure|certain|good at)\b"
    r"|\bif (?:it|that)(?:['\u2019]?s| is) not too much\b",
    re.I,
)
"""What negates nothing that is asked: `..., isn't it?`, and what askers say of themselves."""


def unread_not(question: Masked, relations: Collection[str]) -> str:
    """The first `not` of a question that negates what it asks, as it is typed; empty without one.

    Names have none, and names of `relations` such as `not compatible with` neither.
    """
    text = _HARMLESS.sub(" ", _left_out(question).sub(" ", question.text))
    for name in relations:
        if "not" in name.split() and stems(name):
            words = r"\W+".join(map(re.escape, name.split()))
            text = re.sub(rf"\b{words}\b", " ", text, flags=re.I)
    found = _NOT.search(text)
    return found[0] if found else ""


def has_not(text: str) -> bool:
    """Whether a masked text has any `not`."""
    return _NOT.search(text) is not None


def leaves_out(question: Masked) -> bool:
    """Whether a name of the question is to be left out of the answers."""
    return _left_out(question).search(question.text) is not None


def _left_out(question: Masked) -> re.Pattern[str]:
    """Before a name, be it that of nothing in the graph, or named again: `not counting France`."""
    again = (re.escape(mention["text"]) for mention in question.mentions if mention["text"])
    return re.compile(rf"{_LEAVE_OUT}(?:{'|'.join([MARK, '(?-i:[A-Z])', *again])})", re.I)
