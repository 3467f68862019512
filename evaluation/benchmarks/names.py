"""Names that nobody has, to fill a label index with, and slips in typing them."""

import random
from collections.abc import Iterator
from pathlib import Path
from string import ascii_lowercase

_ONSETS = "b c d f g h j k l m n p r s t v w z br dr gr kl pl st tr".split()
_VOWELS = "a e i o u ai ea io ou".split()
_CODAS = ["", "", "l", "m", "n", "r", "s", "nd", "rt"]
_ENDS = 2
"""The letters at each end of a name in which nobody slips here."""


def names(count: int, seed: int = 0) -> Iterator[str]:
    """So many different names of two or three pronounceable words, the same for a seed."""
    dice = random.Random(seed)
    seen: set[str] = set()
    while len(seen) < count:
        name = " ".join(_word(dice) for _ in range(dice.randint(2, 3)))
        if name not in seen:
            seen.add(name)
            yield name


def write_graph(file: Path, count: int, seed: int = 0) -> None:
    """Write `head|relation|tail` lines in which so many names, an even number, occur once each."""
    found = names(count, seed)
    with file.open("w", encoding="utf-8") as lines:
        for head, tail in zip(found, found, strict=True):
            lines.write(f"{head}|is next to|{tail}\n")


def mistyped(name: str, dice: random.Random) -> str:
    """The name with a letter dropped, added, changed, or swapped with the one after it."""
    place = dice.randrange(_ENDS, len(name) - _ENDS)
    before, here, after = name[:place], name[place], name[place + 1 :]
    letter = dice.choice(ascii_lowercase.replace(here.lower(), ""))
    slips = [before + after, before + letter + here + after, before + letter + after]
    if after[0] != here:
        slips.append(before + after[0] + here + after[1:])
    return dice.choice(slips)


def _word(dice: random.Random) -> str:
    syllables = (dice.choice(_ONSETS) + dice.choice(_VOWELS) for _ in range(dice.randint(2, 3)))
    return ("".join(syllables) + dice.choice(_CODAS)).capitalize()
