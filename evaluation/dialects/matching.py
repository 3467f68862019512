"""When published scorers take a gold answer for found."""

import re
from collections import Counter
from collections.abc import Iterable
from string import punctuation

_NO_PUNCTUATION = str.maketrans("", "", punctuation)
_ARTICLE = re.compile(r"\b(?:an?|the)\b")


def simplify(text: str) -> str:
    """Lower case without ASCII punctuation, then without articles and double spaces.

    Punctuation leaves no space behind, so that `face/off` is `faceoff`.
    """
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def found_in(text: str, simplified: Iterable[str]) -> list[bool]:
    """Of each simplified gold answer, whether it is a substring of the text.

    It may be part of a word. One that simplification leaves nothing of (`The`) is in every text.
    """
    within = simplify(text)
    return [answer in within for answer in simplified]


def by_frequency(texts: Iterable[str]) -> list[str]:
    """Each text once, the most frequent first; of equally frequent ones the earliest."""
    return [text for text, _ in Counter(texts).most_common()]
