"""Words that by themselves name no entity, and singular forms; `agent.languages` has the words."""

from collections.abc import Iterable, Mapping

from ..languages import language_words, languages

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

_IRREGULAR: Mapping[str, str] = language_words()["linking"]["plurals"]


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
