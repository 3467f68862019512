"""The prompt of queries: what a model reads of a question before it writes `<QUERY>...</QUERY>`.

    which rivers of <0>[country] are longer than <1>[number] km

Each mention has its number before it, by which the query points at it. A model that is masked reads
the class of a linked entity in its place, and of a value `[number]`, `[date]` or `[text]`; a number
that may be a place or how many, below 32, stays as it is: `the <0>3 largest`, `the <0>three
largest`. One that is not masked reads the mentions as the question has them, and a list of them.

What came before is written first, as far as there is any:

    what is the capital of <1>[country]? <TOPICS>[country]<ANSWERS>[city] and of <0>[country]
    <TOPICS>[country]<ANSWERS><MANY>[river] which of them is the longest

That is the question before, with its mentions numbered on from those of the new one; then the class
of its topics, and that of its answers, with `<MANY>` where there are several. No text of a user can
write a marker: its angle brackets are replaced.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from os.path import commonprefix
from pathlib import Path
from typing import TYPE_CHECKING

from ...prompts import render
from ..decoding.model import Tokenizer
from ..decoding.wire import POINTERS, QUERY, escape
from ..llm.prompt import path_tokens

if TYPE_CHECKING:
    from ..llm.local import LocalModel

_MARKS = str.maketrans({"<": "‹", ">": "›"})
_END = " ?!."


@dataclass(frozen=True)
class Numbered:
    """A mention of a question: its characters, and its class or kind of value.

    The brackets that a user puts around a name are a part of it, which no model reads.
    `shown` is what a masked model reads in its place where that is not the kind.
    """

    start: int
    end: int
    kind: str
    shown: str = ""


@dataclass(frozen=True)
class EarlierQuestion:
    """What came before a question: the question before, and the classes of what it came to.

    An empty class says that there were no topics, or no answers; `many`, that there were several
    answers.
    """

    topics: str = ""
    answers: str = ""
    many: bool = False
    question: str = ""
    mentions: tuple[Numbered, ...] = ()


def unbracketed(text: str) -> str:
    """A name without the brackets that a user put around it."""
    is_marked = text.startswith("[") and text.endswith("]")
    return text[1:-1].strip() if is_marked else text


def query_prompt(
    question: str,
    mentions: Sequence[Numbered],
    *,
    masked: bool,
    instruct: bool,
    earlier: EarlierQuestion | None = None,
    prompts: Path | None = None,
) -> str:
    """The user's part of the prompt; `instruct` puts an instruction above it.

    A mention has the number of its place in `mentions`, which come in any order; those after the
    32nd have none and are text.
    """
    text = _numbered(question, mentions, 0, masked) + ("" if masked else "?")
    listed = [] if masked else _listed(question, mentions, 0)
    if earlier is not None:
        text = _earlier_context(earlier, len(mentions), masked) + text
        listed += [] if masked else _listed(earlier.question, earlier.mentions, len(mentions))
    return render("query/ask.jinja", prompts, question=text, mentions=listed, instruct=instruct)


def query_tokens(tokenizer: Tokenizer, prompt: str, prompts: Path | None = None) -> list[int]:
    """Token ids up to the place where the opening tag comes: chat template and heading."""
    return path_tokens(tokenizer, prompt, prompts, wire=QUERY)


def asked_tokens(
    local: "LocalModel",
    question: str,
    mentions: Sequence[Numbered],
    earlier: EarlierQuestion | None = None,
    prompts: Path | None = None,
) -> tuple[list[int], int]:
    """The tokens of a model's prompt, and how many of them all its prompts share."""
    masked, instruct = local.settings.masked, local.settings.instruct
    prompt = query_prompt(
        question, mentions, masked=masked, instruct=instruct, earlier=earlier, prompts=prompts
    )
    tokens = query_tokens(local.tokenizer, prompt, prompts)
    beginning = _beginning(local.tokenizer, masked, instruct, prompts)
    return tokens, len(commonprefix([beginning, tokens]))


def _earlier_context(earlier: EarlierQuestion, first: int, masked: bool) -> str:
    """What came before a question, up to where the question begins."""
    question = _numbered(earlier.question, earlier.mentions, first, masked)
    many = "<MANY>" if earlier.many else ""
    topics = f"<TOPICS>{_slot(earlier.topics)}" if earlier.topics else ""
    answers = f"<ANSWERS>{many}{_slot(earlier.answers)}" if earlier.answers else ""
    parts = (f"{question}?" if question else "", topics + answers)
    return "".join(f"{part} " for part in parts if part)


def _numbered(question: str, mentions: Sequence[Numbered], first: int, masked: bool) -> str:
    """A question in one line with its mentions numbered, without the mark at its end."""
    text, position = "", 0
    pointed = enumerate(mentions[: max(len(POINTERS) - first, 0)], first)
    for number, mention in sorted(pointed, key=lambda numbered: numbered[1].start):
        start, end = mention.start, mention.end
        inside = _without_markers(unbracketed(question[start:end]), masked)
        if question[:start].endswith("[") and question[end:].startswith("]"):
            start, end = start - 1, end + 1
        if masked:
            inside = _without_markers(mention.shown, masked) or _slot(mention.kind)
        text += _without_markers(question[position:start], masked) + POINTERS[number] + inside
        position = end
    text += _without_markers(question[position:], masked)
    return " ".join(text.split()).rstrip(_END)


def _listed(question: str, mentions: Sequence[Numbered], first: int) -> list[str]:
    return [
        f"{POINTERS[number]}{escape(unbracketed(question[m.start : m.end]))} {_slot(m.kind)}"
        for number, m in enumerate(mentions[: len(POINTERS) - first], first)
    ]


def _slot(kind: str) -> str:
    return f"[{escape(kind or 'entity').lower()}]"


def _without_markers(text: str, masked: bool) -> str:
    """A user's text without what could be read as a marker."""
    text = text.translate(_MARKS)
    return text.lower() if masked else text


@lru_cache(maxsize=8)
def _beginning(
    tokenizer: Tokenizer, masked: bool, instruct: bool, prompts: Path | None
) -> list[int]:
    """The tokens of the instruction, with which all prompts of a kind begin."""
    two = [
        query_tokens(
            tokenizer,
            query_prompt(question, [], masked=masked, instruct=instruct, prompts=prompts),
            prompts,
        )
        for question in ("a", "b")
    ]
    return list(commonprefix(two))
