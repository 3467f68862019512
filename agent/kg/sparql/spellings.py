"""How a name may be written in a graph that can only be asked for exact literals."""

import re

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_SMALL = frozenset(
    "a an and as at but by de for from in la le of on or the to und von with".split()
)
_LONGEST_ACRONYM = 4


def spellings(norm: str, written: str = "") -> tuple[str, ...]:
    """The spellings to try for a normalised text, and for how it was written: each once.

    As it is, with a capital, with a capital at every word, the same without small words inside, and
    a short word in capitals.
    """
    found: dict[str, None] = {}
    for text in filter(None, (written, norm)):
        titled = _WORD.sub(lambda match: _capital(match[0]), text)
        inside = _WORD.sub(lambda match: _title(match[0], match.start()), text)
        found |= dict.fromkeys((text, _capital(text), titled, inside))
        if len(text) <= _LONGEST_ACRONYM:
            found[text.upper()] = None
    return tuple(found)


def _title(word: str, start: int) -> str:
    return word.lower() if start and word.lower() in _SMALL else _capital(word)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
