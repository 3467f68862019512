"""Ordinary English words, which typed in lower case are more likely words than parts of names."""

from ..languages import language_words, ordinary_words

_SHORTEST_STEM = 3


def is_ordinary(word: str) -> bool:
    """Whether a normalised word, or what an ending was put to, is an ordinary English word."""
    endings = language_words()["linking"]["endings"]
    return word in ordinary_words() or any(
        _is_stem(word.removesuffix(ending)) for ending in endings if word.endswith(ending)
    )


def _is_stem(stem: str) -> bool:
    """Whether an ending may follow: as in `walk-ed`, `lov-ing`, `stud-ies` and `stopp-ed`."""
    if len(stem) < _SHORTEST_STEM:
        return False
    words = ordinary_words()
    doubled = stem[-1] == stem[-2] and stem[:-1] in words
    changed = stem[-1] == "i" and f"{stem[:-1]}y" in words
    return stem in words or f"{stem}e" in words or doubled or changed
