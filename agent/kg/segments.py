"""Where words begin and end in a text of any script."""

import re
import unicodedata
from collections.abc import Iterator

_UNSPACED = re.compile(
    "["
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u1100-\u11ff\uac00-\ud7ff"  # Korean, whose particles follow a name without a space
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uffdc"
    "\U00020000-\U0003ffff"  # Chinese, Japanese
    "]"
)


def is_unspaced(character: str) -> bool:
    """Whether a letter is of a script in which a name may stand within a run of letters."""
    return _UNSPACED.match(character) is not None


def words(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every run of letters, digits and the marks on them.

    A run is cut where `names.normalise` would cut, and at every letter of an unspaced script. A
    spacing mark on nothing begins one, as it is kept there, too.
    """
    start = None
    for place, character in enumerate(text):
        if _is_wordy(character):
            if start is not None and (is_unspaced(character) or is_unspaced(text[start])):
                yield start, place
                start = place
            start = place if start is None else start
        elif start is None:
            start = place if unicodedata.category(character) == "Mc" else None
        elif unicodedata.category(character) not in ("Mn", "Mc", "Me", "Cf"):
            yield start, place
            start = None
    if start is not None:
        yield start, len(text)


def most_words(text: str, norm: str) -> int:
    """At least how many words a text has, whose normalised form is given."""
    spaces = norm.count(" ")
    return spaces + 1 + (0 if text.isascii() else len(_UNSPACED.findall(text)))


def _is_wordy(character: str) -> bool:
    """Whether normalisation makes letters or digits of it, as of the sign for `number`."""
    if character.isascii():
        return character.isalnum()
    return any(map(str.isalnum, unicodedata.normalize("NFKD", character).casefold()))
