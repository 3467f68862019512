"""Reading a rating from 1 to 5 out of what a chat model wrote."""

import re

from ..agent.llm.reading import spoken

_SCALE = re.compile(
    r"(?:from|between|of)?\s*\b1\s*(?:-|–|to|and|through)\s*5\b|(?:/|\bout of\b|\bof\b)\s*5\b",
    re.IGNORECASE,
)
_NUMBER = r"(?<![\d.,/])([1-5])(?:\.0+)?(?![\d/]|[.,]\d)"
_LABELLED = re.compile(
    rf"(?:rating|rate|score|grade|coherence)\W*(?:\w+\W+){{0,4}}?{_NUMBER}", re.IGNORECASE
)
_ALONE = re.compile(_NUMBER)
_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}


def read_rating(reply: str) -> int | None:
    """The rating that a reply gives, or None where it gives none, or several.

    What a reasoning model thinks aloud and mentions of the scale (`4/5`, `from 1 to 5`) do not
    count. A number behind a word such as `Rating` or `score` is it, the last such; else the only
    number is, or the only number word of a reply that is one word.
    """
    text = _SCALE.sub(" ", spoken(reply))
    labelled = _LABELLED.findall(text)
    if labelled:
        return int(labelled[-1])
    alone = set(_ALONE.findall(text))
    if len(alone) == 1:
        return int(alone.pop())
    return _WORDS.get(text.strip(" \n\t*_.#").lower())
