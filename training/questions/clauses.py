"""Parts of sentences: verb phrases of clauses, genitives that fit, words that refer back."""

from random import Random

from ..wording.english import Texts
from ..wording.template import Phrase, mentions_slot, with_article

TOPIC = "\ufffc"
"""Stands for the topic entity in a composed text."""
OTHER = "\ufffb"
"""Stands for a second topic entity."""
MET = "\ufffa"
"""Stands for a noun phrase that is put in later."""
HOLE = Phrase("\ufff9")
"""Stands for what a question refers back to."""

CLAUSES = frozenset(
    (
        "whose",
        "where",
        "which",
        "who",
        "that",
        "to",
        "for",
        "of",
        "from",
        "you",
        "one",
        "i",
        "people",
        "by",
        "with",
        "in",
        "on",
        "into",
        "through",
        "along",
        "across",
        "at",
        "I",
    )
)


def suited(templates: Texts, inner: Phrase, rng: Random) -> str:
    """A template; no genitive of a phrase that ends in a clause."""
    template = rng.choice(templates)
    if inner.heavy:
        for _ in range(4):
            if not mentions_slot(template, "x's"):
                break
            template = rng.choice(templates)
    return template


def predicate(clause: str) -> str:
    """The verb phrase of `that ...`; empty when the clause has a subject of its own."""
    if not clause.startswith("that "):
        return ""
    rest = clause.removeprefix("that ")
    first = rest.split(" ", 1)[0]
    subjects = (
        "people",
        "they",
        "i",
        "you",
        "one",
        "we",
        "shops",
        "citizens",
        "locals",
        "the",
        "tourists",
        "inhabitants",
    )
    return "" if first in subjects or rest.startswith((TOPIC, OTHER, MET)) else rest


def stated(clause: str, many: bool, noun: str, *, named: bool, rng: Random) -> str:
    """A clause as a sentence of its own: `where people speak X` as `people speak X there`.

    What it says is said of `noun`, or of what is known already where it is not `named`; empty for
    clauses of other forms.
    """
    one = (with_article(f"a {noun}"), f"one {noun}")
    some = rng.choice((f"several {noun}", f"some {noun}") if many else one)
    first, _, rest = clause.partition(" ")
    if verb := predicate(clause):
        subject = some if named else ("they" if many else "it")
        return f"{subject} {verb}"
    if first == "where":
        return rest + (rng.choice((f" in {some}", " somewhere")) if named else " there")
    if first == "whose":
        owner = f"{some}'s" if named and not many else "their" if many else "its"
        return f"{owner} {rest}"
    if first == "that" and rest.startswith((TOPIC, OTHER, MET)) and named:
        return f"{rest} {some}"
    return ""


def refer_back(text: str, many: bool, noun: str, rng: Random) -> str:
    """A question with a pronoun, or the class noun again, in the place of `HOLE`."""
    hole = HOLE.text
    own = "their" if many else "its"
    text = text.replace(f"{hole}'s", own).replace(f"{hole}'", own)
    named = rng.choice(
        (f"those {noun}", f"these {noun}", f"the {noun}", "all of them")
        if many
        else (f"that {noun}", f"this {noun}", f"the {noun}", "that one")
    )
    if rng.random() < 0.35:
        return text.replace(hole, named)
    if rng.random() < 0.6:
        for preposition in ("in", "to", "of", "from"):
            place = "from there" if preposition == "from" else "there"
            text = text.replace(f" {preposition} {hole}", f" {place}")
    before = text.partition(hole)[0].split()
    is_object = bool(before) and (text.endswith(hole) or before[-1] in _PREPOSITIONS)
    pronoun = ("them" if is_object else "they") if many else "it"
    return text.replace(hole, pronoun)


_PREPOSITIONS = frozenset(
    (
        "in",
        "of",
        "to",
        "from",
        "with",
        "at",
        "by",
        "for",
        "on",
        "around",
        "along",
        "through",
        "into",
        "near",
        "visiting",
        "crossing",
        "leave",
        "reach",
        "leaving",
    )
)
