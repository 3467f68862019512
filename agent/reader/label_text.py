"""The words of a label, however it is written: `directedBy`, `directed_by`, `dbo:directed by`."""

import re
from functools import lru_cache

_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W\d_A-Z])")
_WORD = re.compile(r"[^\W_]+")
MOST_WORDS = 8
"""Words of a label that are read."""


@lru_cache(maxsize=100_000)
def label_words(label: str) -> tuple[str, ...]:
    """The words of a label in lower case, the first `MOST_WORDS` of them.

    Of a name with its domain and type before it, `film.film.directed_by`, the property is read.
    """
    if "." in label and " " not in label:
        label = label.rstrip(".").rpartition(".")[2]
    apart = _CAMEL.sub(" ", label)
    return tuple(word.lower() for word in _WORD.findall(apart))[:MOST_WORDS]
