"""What the label of a relation says in a sentence: `directed_by` leads to who directed."""

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PART = re.compile(r"[^\W\d_]\w+")
_OR_MORE = re.compile(r"(?<=[a-z]{4})_s$")
"""How Freebase writes `(s)`."""
_LEADING = re.compile(r"^(?:has|have|had|is|are|was|were|in|of|on|at|from|the) (?=\w)")
_BY = re.compile(r"(?:.* )?(\w+) by")
_AT = re.compile(r"(?:is |was )?(\w+ed|born|built|buried|found|held|made|set) (in|at|on|near)")
_DOES = re.compile(r"(\w+[^\Ws])s (in|at|on|for|with|to|from|near)")
_QUALIFIED = re.compile(r"\w+ed (?=\w+$)")
_IRREGULAR = {
    "built": ("built", "builder"),
    "drawn": ("drew", "illustrator"),
    "given": ("gave", "giver"),
    "held": ("held", "holder"),
    "led": ("led", "leader"),
    "made": ("made", "maker"),
    "run": ("ran", "operator"),
    "sung": ("sang", "singer"),
    "spoken": ("spoke", "speaker"),
    "taught": ("taught", "teacher"),
    "won": ("won", "winner"),
    "written": ("wrote", "writer"),
}
"""Participles, with their past tense and who does it."""
_SINGULAR = re.compile(r"(?:ss|us|is|ies|news)$")


class Verb(NamedTuple):
    """The verb of a label, and a second word for sentences with it.

    With `by` a participle and its past tense (written, wrote), with `at` a participle and where
    (based, in), with `does` a verb and its preposition (work, for).
    """

    form: Literal["by", "at", "does"]
    first: str
    second: str


@dataclass(frozen=True)
class LabelWords:
    """Nouns for what a relation leads to, and the verb of its label where it has one.

    What may be a plural or a verb (`borders`) stands beside its singular.
    """

    nouns: tuple[str, ...]
    verb: Verb | None = None


def label_words(label: str) -> LabelWords:
    """Read a label by its form; what has none of the forms is a noun as it stands.

    Of `music.recording.tracks` only the property is read.
    """
    words = plain_label(property_of(label))
    if passive := _BY.fullmatch(words):
        participle = passive[1]
        past, doer = _IRREGULAR.get(participle) or (participle, _doer(participle))
        return LabelWords((doer or words,), Verb("by", participle, past))
    if placed := _AT.fullmatch(words):
        return LabelWords((words,), Verb("at", placed[1], placed[2]))
    if does := _DOES.fullmatch(words):
        return LabelWords((words,), Verb("does", does[1], does[2]))
    owned = _LEADING.sub("", words, count=1)
    noun = singular(owned)
    bare = _QUALIFIED.sub("", noun)
    verb = words if bare == noun and owned == words else noun
    return LabelWords(tuple(dict.fromkeys((noun, bare, verb))))


def property_of(label: str) -> str:
    """The property in a name that has its domain and type before it; any other name as it is.

    Such are `/music/recording/tracks`, `music.recording.tracks` and `__music__recording__tracks`.
    """
    for start, between in (("/", "/"), ("__", "__"), ("", ".")):
        parts = label.removeprefix(start).split(between)
        if label.startswith(start) and len(parts) > 2 and all(map(_PART.fullmatch, parts)):
            return parts[-1]
    return label


def plain_label(label: str) -> str:
    """A label as words: of camelCase, snake_case or kebab-case."""
    spaced = _CAMEL.sub(" ", _OR_MORE.sub("s", label)).replace("_", " ").replace("-", " ")
    return " ".join(spaced.lower().split())


def singular(noun: str) -> str:
    """The regular singular of the last word; what is no regular plural stays as it is."""
    if noun.endswith("ies") and len(noun) > 5 and noun[-6:] != "series" and noun[-7:] != "species":
        return noun[:-3] + "y"
    if not noun.endswith("s") or _SINGULAR.search(noun) or len(noun) < 4:
        return noun
    if noun.endswith(("ches", "shes", "xes", "sses")):
        return noun[:-2]
    return noun[:-1]


def _doer(participle: str) -> str:
    """Who does it: a director has directed, a producer produced. Empty where it is no such verb."""
    if not participle.endswith("ed"):
        return ""
    stem = participle[:-2]
    return stem + ("or" if stem.endswith(("ct", "at", "it", "vent")) else "er")
