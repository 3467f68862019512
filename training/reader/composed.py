"""Questions of several hops out of questions of one: what is asked about stands for the mention.

"Who wrote [A]?" and "What is the sequel of [B]?" make "Who wrote the sequel of [B]?". Nothing but
the words tells which relation comes first, and whether one is enough: the labels of both are
offered at each hop.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from ...agent.query.actions import Action
from ...agent.reader.words import MOST_WORDS, QuestionWord, label_words
from .examples import Example, with_words

COMPOSED = "composed"
_BEGINNING = 2
"""Words with which a question begins that are no part of what it asks about."""
_OFTEN = 0.015
"""The share of all questions that begin alike, where that is only a beginning."""
_LONGER = 0.3
"""How many have a third hop."""
_IN_LABELS = 0.5
"""How many hops inside are said by their label."""


def composed(examples: Iterable[Example], count: int, seed: int) -> list[Example]:
    """So many questions of two and three hops, each out of questions over one schema.

    Of `examples` those count that follow one relation from one thing.
    """
    rng = Random(f"composed {seed}")
    forms = _forms()
    single = [own for own in examples if _is_single(own)]
    by_schema = {
        schema: [own for own in single if own.schema == schema]
        for schema in sorted({own.schema for own in single})
    }
    inside = {schema: list(_inside(several)) for schema, several in by_schema.items()}
    made = list[Example]()
    while single and len(made) < count:
        outer = rng.choice(single)
        for _ in range(2 if rng.random() < _LONGER else 1):
            of_schema = by_schema[outer.schema], inside[outer.schema]
            outer = _joined(outer, *_inner(*of_schema, forms, rng))
        if len(outer.words) < MOST_WORDS:
            made.append(outer)
    return made


def _forms() -> list[list[str]]:
    """How a thing is said by a label, in all languages."""
    text = (Path(__file__).parents[1] / "wordings" / "inside.toml").read_text(encoding="utf-8")
    return [form.split() for several in tomllib.loads(text).values() for form in several]


def _is_single(own: Example) -> bool:
    kinds = [action.kind for action in own.actions]
    mentions = [word.what for word in own.words if word.mention is not None]
    return kinds == ["pointer", "step", "end"] and mentions == ["thing"]


_Inner = tuple[Sequence[QuestionWord], Action]


def _inside(several: Sequence[Example]) -> Iterator[_Inner]:
    """What questions ask about, without their beginning, where that begins or ends in a mention."""
    begun = Counter(_beginning(own) for own in several)
    for own in several:
        words = [word for word in own.words if any(map(str.isalnum, word.text))]
        rest = words[_BEGINNING:]
        if not rest or begun[_beginning(own)] < _OFTEN * len(several):
            continue
        if sum(word.mention is not None for word in rest) == 1 and (
            rest[0].mention is not None or rest[-1].mention is not None
        ):
            yield rest, own.actions[1]


def _beginning(own: Example) -> tuple[str, ...]:
    return tuple(word.text for word in own.words[:_BEGINNING])


def _inner(
    several: Sequence[Example],
    inside: Sequence[_Inner],
    forms: Sequence[Sequence[str]],
    rng: Random,
) -> _Inner:
    """Words for a thing, and the hop that leads to it."""
    own = rng.choice(several)
    if inside and (own.actions[1].inverse or rng.random() >= _IN_LABELS):
        return rng.choice(inside)
    parts = {
        "{thing}": [word for word in own.words if word.mention is not None],
        "{label}": [QuestionWord(0, 0, text) for text in label_words(own.actions[1].name)],
    }
    form = rng.choice(forms)
    return [
        word for part in form for word in parts.get(part, [QuestionWord(0, 0, part)])
    ], own.actions[1]


def _joined(outer: Example, inner: Sequence[QuestionWord], hop: Action) -> Example:
    """The question with the words of another thing in the place of its mention."""
    words = [
        replace(other, mention=word.mention) if other.mention is not None else other
        for word in outer.words
        for other in (inner if word.mention is not None else (word,))
    ]
    pointer, *rest = outer.actions
    return with_words(outer, COMPOSED, words, (pointer, hop, *rest))
