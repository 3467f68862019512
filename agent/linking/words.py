"""Words that by themselves name no entity; `agent.languages` has the lists."""

from collections.abc import Iterable, Mapping

from ..languages import language_words, languages, ordinary_words

_ENGLISH: Mapping[str, str] = language_words()["linking"]

FUNCTION_WORDS = frozenset(_ENGLISH["function_words"].split())
"""Function words and the verbs that questions are made of."""

OF_LANGUAGES = frozenset(_ENGLISH["of_languages"].split())
"""Words that tell that an adjective beside them is meant as the name of a language."""

PREPOSITIONS = frozenset(_ENGLISH["prepositions"].split())
"""Words after which a name follows, however it is typed."""

COMMON_WORDS = frozenset(_ENGLISH["common_words"].split())
"""Nouns and verbs of everyday questions: in lower case they are more likely words than names."""

THE_ONE = frozenset(_ENGLISH["the_one"])
"""What stands before a description of one of several that have the same name."""

OTHER_FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    tag: frozenset(language_words(tag)["linking"]["function_words"].split())
    for tag in languages()
    if tag != "en"
}
"""Small words of questions in other languages, normalised, by the tag of the language."""

TITLES = frozenset(
    title for tag in languages() for title in language_words(tag)["linking"]["titles"].split()
)
"""Forms of address before the name of a person, in all languages, normalised."""

MONTHS = frozenset(language_words()["months"])
"""The names of months, and what is left of them in writing."""

OF_DATES_AND_MONEY = frozenset(
    word.lower()
    for words in (
        language_words()["months"],
        language_words()["days"]["names"].split(),
        language_words()["spelling"]["eras"],
        language_words()["currencies"]["codes"].split(),
        language_words()["currencies"]["names"],
    )
    for word in words
    if word.isalpha()
)
"""Words that have capitals in questions, or may have, and are hardly anybody's name."""

_IRREGULAR: Mapping[str, str] = language_words()["linking"]["plurals"]
_SHORTEST_STEM = 3


def singular(word: str) -> str:
    """The singular of an English plural; the word itself where it is none."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")) or (word[-3:] == "oes" and word[5:]):
        return word[:-2]
    return word[:-1]


def is_everyday(words: Iterable[str], everyday: frozenset[str]) -> bool:
    """Whether all words, or their singulars, are everyday words; `don't` is one too."""
    return all(
        word in everyday or singular(word) in everyday or word.endswith("n t") for word in words
    )


def is_ordinary(word: str) -> bool:
    """Whether a normalised word, or what an ending was put to, is an ordinary English word.

    Typed in lower case it is more likely a word than part of a name.
    """
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
