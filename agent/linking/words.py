"""English words that by themselves name no entity, and their singular forms."""

from collections.abc import Iterable

FUNCTION_WORDS: frozenset[str] = frozenset(
    """
    a about above across after again all along also am among an and any are around as at away back
    be because been before being belong belongs below beside besides between both but by can cannot
    could did do does doing down during each either else ever every few for from get give go goes
    had has have having he her here hers him his how i if in inside into is it its itself just know
    let lie lies like list many may me might mine more most much must my near need next no nor not
    now of off on once one ones only or other others our out outside over own part per place please
    put quite rather same say see shall she should show since so some such take tell than that the
    their them then there these they thing things this those through to too toward towards under
    until up upon us use used uses using very via was we were what when where whether which while
    who whom whose why will with within without won would yes yet you your s t re ve ll d m
    """.split()
)
"""Function words and the verbs that questions are made of."""

PREPOSITIONS: frozenset[str] = frozenset(
    "about around at between by for from in into near of on outside to with".split()
)
"""Words after which a name follows, however it is typed."""

COMMON_WORDS: frozenset[str] = frozenset(
    """
    act acted acting actor actors actress actresses award awards between book books car city country
    date day direct directed directing director directors film films find first genre genres good
    home kind language languages last live lives lived main make makes male man mean month movie
    movies name named names nice number people person question real release released song star
    starred stars states thank thanks time title topic type types work works world write writer
    writers writing written wrote year years
    """.split()
)
"""Nouns and verbs of everyday questions: in lower case they are more likely words than names."""


_IRREGULAR = {"children": "child", "men": "man", "people": "person", "women": "woman"}


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
    """Whether all words, or their singulars, are everyday words."""
    return all(word in everyday or singular(word) in everyday for word in words)
