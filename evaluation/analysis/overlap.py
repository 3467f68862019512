"""How much of a question set could be known from training questions: word n-grams in common."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ...agent.records import MentionRecord

SIZES = (3, 4, 5)
_CLOSEST = 10
_Words: TypeAlias = tuple[str, ...]
_WORD = re.compile(r"\[+([^\[\]]*)\]+|\w+(?:['’]\w+)*")


@dataclass(frozen=True)
class Close:
    """A test question and the share of its n-grams, of all sizes, that training has."""

    question: str
    share: float
    whole: bool
    """Whether its whole text is a training question."""


@dataclass(frozen=True)
class Overlap:
    """What test questions share with training questions; shares are None where nothing counts."""

    questions: int
    training: int
    seen: dict[int, float | None]
    """By n, the share of all n-grams of the test questions that occur in training."""
    whole: float | None
    """The share of test questions whose whole text occurs in training."""
    closest: tuple[Close, ...]


def masked(question: str, mentions: Sequence[MentionRecord]) -> str:
    """The question with every linked mention replaced by its class label in brackets."""
    from ...agent.llm.prompt import Mention, mask

    masks = [
        Mention(m["start"], m["end"], m["text"], m["candidates"][0]["kind"])
        for m in mentions
        if m["candidates"]
    ]
    return mask(question, masks)[0]


def words(text: str) -> _Words:
    """The lower-cased words of a text, without punctuation; `[class]` is one word."""
    return tuple(
        match[0] if match[1] is None else f"[{match[1].strip()}]"
        for match in _WORD.finditer(text.lower())
    )


def ngrams(sequence: _Words, size: int) -> Iterator[_Words]:
    """Every run of `size` words."""
    return (sequence[i : i + size] for i in range(len(sequence) - size + 1))


def overlap(questions: Iterable[str], training: Iterable[str]) -> Overlap:
    """Compare test questions with training questions, both masked where topics are known.

    Training questions are read once and not kept. The closest questions are those that training
    has whole, then those with the highest share, longer ones first.
    """
    texts = list(questions)
    asked = [words(text) for text in texts]
    whole, grams, count = _seen(asked, training)
    compared = [_close(*pair, whole, grams) for pair in zip(texts, asked, strict=True)]
    order = sorted(
        range(len(texts)),
        key=lambda i: (not compared[i].whole, -compared[i].share, -len(asked[i]), texts[i]),
    )
    return Overlap(
        questions=len(texts),
        training=count,
        seen={n: _share(g in grams for text in asked for g in ngrams(text, n)) for n in SIZES},
        whole=_share(close.whole for close in compared),
        closest=tuple(compared[i] for i in order[:_CLOSEST]),
    )


def _seen(asked: Sequence[_Words], training: Iterable[str]) -> tuple[set[_Words], set[_Words], int]:
    """The whole texts and the n-grams of the test questions that training has, and its length."""
    wanted_whole = set(asked)
    wanted = {gram for text in asked for gram in _all_ngrams(text)}
    whole, grams, count = set[_Words](), set[_Words](), 0
    for text in training:
        count += 1
        sequence = words(text)
        if sequence in wanted_whole:
            whole.add(sequence)
        grams.update(wanted.intersection(_all_ngrams(sequence)))
    return whole, grams, count


def _close(question: str, sequence: _Words, whole: set[_Words], grams: set[_Words]) -> Close:
    share = _share(gram in grams for gram in _all_ngrams(sequence))
    is_whole = bool(sequence) and sequence in whole
    return Close(question, float(is_whole) if share is None else share, is_whole)


def _all_ngrams(sequence: _Words) -> Iterator[_Words]:
    return (gram for size in SIZES for gram in ngrams(sequence, size))


def _share(hits: Iterable[bool]) -> float | None:
    counted = list(hits)
    return sum(counted) / len(counted) if counted else None
