"""How the label of a relation stands in a phrase: `capital of Peru`, `what Peru is member of`.

Labels are read by their form alone, with the prepositions of English. What has no such form is a
noun.
"""

import re
from typing import Literal, NamedTuple, TypeAlias

from ..linking.words import PREPOSITIONS

Form: TypeAlias = Literal["noun", "verb", "done", "has", "at"]
"""`verb` (flows through, borders), `done` (written by, owned by club), `has` (has genre), `at` (on
river)."""

IT = "it"
"""What a phrase is about where that is each member of a set."""
_VERB = re.compile(r"[a-z]*[^\Wsu]s", re.IGNORECASE)
_DOERS = re.compile(r"\w+[eo]rs", re.IGNORECASE)
"""What has the ending of those who do something: `members`, `borders`."""
_DONE_BY = re.compile(r"(\w+(?:ed|en|wn) by) (.+)", re.IGNORECASE)
"""What is done by a kind of thing: `owned by club`."""
_HAS = "has "
_QUALIFIER = re.compile(r"\s*\([^()]*\)$")
"""What stands in brackets after a label: `part of (some)`."""
_PLURAL_ENDINGS = {"y": "ies", "s": "s", "x": "xes", "z": "zes", "ch": "ches", "sh": "shes"}


class Label(NamedTuple):
    """A label of a relation; `before_name` where it ends in a preposition."""

    text: str
    form: Form
    before_name: bool

    @property
    def is_lone_verb(self) -> bool:
        """Whether it may be a verb and nothing else, or a noun in the plural: `plays`, `seats`."""
        is_lone = self.form == "verb" and not self.before_name
        return is_lone and _DOERS.fullmatch(self.text) is None

    @property
    def is_noun(self) -> bool:
        """Whether a noun comes of it, as its form shows: `born in city` may be none."""
        if self.form == "noun":
            return PREPOSITIONS.isdisjoint(self.text.lower().split())
        return not (self.before_name or self.form == "done" or self.is_lone_verb)

    def tail_phrase(self, subject: str) -> str:
        """What a step along the relation leads to, from its head."""
        if self.form in ("has", "at"):
            first, rest = self.text.split(maxsplit=1)
            is_ = "is " if self.form == "at" else ""
            return f"{rest} that {_enclosed(subject)} {is_}{first}"
        if self.before_name:
            is_ = "" if self.form == "verb" else "is "
            return f"what {_enclosed(subject)} {is_}{self.text}"
        if subject == IT:
            return self.text
        if self.form == "done" and (match := _DONE_BY.fullmatch(self.text)):
            return f"{match[2]} that {_enclosed(subject)} is {match[1]}"
        return f"{self.text} of {subject}"

    def noun_phrase(self, noun: str, value: str) -> str:
        """The things of some kind that have the relation with a value."""
        kind = noun.partition(" ")[2]
        match self.form:
            case "noun":
                return f"{noun} whose {self.text} is {value}"
            case "done" if kind and self.text.startswith(f"{kind} "):
                return f"{noun}{self.text.removeprefix(kind)} {value}"
            case "done" | "at":
                return f"{noun} that is {self.text} {value}"
            case _:
                return f"{noun} that {self.text} {value}"

    def anything_with(self) -> str:
        """Everything that has the relation."""
        if self.form == "noun" or (self.form == "done" and not self.before_name):
            return f"everything with {self.text}"
        return self.noun_phrase("everything", "anything")

    def head_phrase(self, value: str) -> str:
        """What has the relation with a value, where its kind is not told."""
        is_odd = self.form in ("has", "at") or (self.form == "done" and not self.before_name)
        if value == IT and is_odd:
            return f'what {IT} is the "{self.text}" of'
        if self.form == "noun":
            return f"what {_enclosed(value)} is {self.text} of"
        return self.noun_phrase("what", value).replace("what that ", "what ", 1)


def label_of(text: str) -> Label:
    """A label, read by its form."""
    words = _QUALIFIER.sub("", text).split()
    if len(words) > 1 and words[0].lower() in PREPOSITIONS:
        return Label(text, "at", before_name=False)
    before_name = bool(words) and words[-1].lower() in PREPOSITIONS
    if text.startswith(_HAS) and not before_name:
        return Label(text, "has", before_name=False)
    is_verb = bool(words) and _VERB.fullmatch(words[0]) is not None
    if before_name:
        return Label(text, "verb" if is_verb and len(words) > 1 else "done", before_name=True)
    if _DONE_BY.fullmatch(text):
        return Label(text, "done", before_name=False)
    is_known = is_verb and len(words) == 1 and len(text) > 4
    return Label(text, "verb" if is_known else "noun", before_name=False)


def as_noun(label: str) -> str:
    """A label as what something has; in quotes where that is surely no noun."""
    form = label_of(label)
    may_be_noun = form.form in ("noun", "verb") and not form.before_name
    return label if may_be_noun else f'"{label}"'


def plural(noun: str) -> str:
    """The regular plural of an English noun, or of the noun before what is said of it."""
    words, ends = noun.split(), PREPOSITIONS | {"that"}
    at = next((n for n, word in enumerate(words) if n and word.lower() in ends), len(words))
    if not words or not words[at - 1].isalpha():
        return noun
    words[at - 1] = _plural(words[at - 1])
    return " ".join(words)


def _plural(word: str) -> str:
    if re.search(r"[aeiou]y$", word):
        return f"{word}s"
    for ending, instead in _PLURAL_ENDINGS.items():
        if word.endswith(ending):
            return word.removesuffix(ending) + instead
    return f"{word}s"


def is_clause(phrase: str) -> bool:
    """Whether a phrase of `Label` is a clause, and no noun."""
    return phrase.startswith("what ")


def _enclosed(subject: str) -> str:
    """A subject that stands inside a clause; of several words it is in brackets.

    Names of several words are told from phrases by their beginning in a capital letter.
    """
    is_whole = " " not in subject or subject.startswith("(") or subject[0].isupper()
    return subject if is_whole else f"({subject})"
