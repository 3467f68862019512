"""Questions that a graph has no relation for, so that a model learns to say so."""

from dataclasses import dataclass
from functools import cached_property
from random import Random

from ..wording.english import Texts
from ..wording.phrasebook import Lack, Noun, plural
from ..wording.template import Filling, Phrase, fill
from .clauses import HOLE, OTHER, TOPIC
from .compose import Composer, Route
from .near_misses import near_miss

_ONSETS = (
    "b",
    "br",
    "d",
    "dr",
    "f",
    "fl",
    "g",
    "gl",
    "k",
    "kr",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "qu",
    "r",
    "s",
    "sk",
    "st",
    "t",
    "tr",
    "v",
    "w",
    "z",
    "zw",
    "th",
    "ch",
)
_NUCLEI = ("a", "e", "i", "o", "u", "ou", "ee", "ai", "oo", "ia")
_CODAS = ("", "n", "r", "l", "m", "nd", "st", "rt", "sk", "x", "b", "g", "ng", "ft")
_ENDINGS = ("", "", "age", "ity", "ness", "er", "ing", "ment", "ium", "oid", "le", "ation")

_OWN = 0.45
"""How many of the questions are about what the phrasebook says entities of a class lack."""
_NEAR = 0.25
"""How many are like one with an answer, where the phrasebook says how."""


@dataclass(frozen=True)
class Refuser:
    """Writes questions without an answer, about an entity or about what a route reaches."""

    composer: Composer
    known: frozenset[str]
    """Words of the phrasebook, which no attribute may be."""
    walks_only: bool = True
    """Whether counts and extremes of what the graph holds have no answer, as for walks."""

    def question(self, route: Route, rng: Random) -> str:
        """One question about what all moves of a route but the last reach, or about its topic."""
        near = self.composer.book.near
        if near and rng.random() < _NEAR and (text := near_miss(self.composer, near, route, rng)):
            return self.composer.decorate(text, rng) if rng.random() < 0.22 else text
        sections = self.composer.english.unanswerable
        end = 0 if rng.random() < 0.78 else rng.randrange(len(route.key))
        subject = self.composer.phrase(route, end, rng)
        lack = self.composer.book.lacks.get(route.kinds[end], Lack())
        own = rng.random() < _OWN
        style = rng.random()
        if (
            self.walks_only
            and style < 0.22
            and route.kinds[end + 1] not in self.composer.book.names.values
        ):
            text = self._real_relation(route, end, subject, rng)
        elif style < 0.52:
            asks = own and lack.ask or sections["ask"]
            text = fill(rng.choice(asks), Filling(subject, subject.many), rng)
        elif style < 0.58:
            text = fill(rng.choice(sections["pair"]).replace("{y}", OTHER), Filling(subject), rng)
        else:
            attribute = (
                rng.choice(lack.attribute) if own and lack.attribute else self._attribute(rng)
            )
            frame = rng.choice(sections["frame"]).replace("{n}", attribute)
            text = fill(frame, Filling(subject, subject.many), rng)
        if rng.random() < 0.08 and TOPIC in text:
            text = self.composer.refer(
                subject, route.kinds[end], text.replace(subject.text, HOLE.text), rng
            )
        return self.composer.decorate(text, rng) if rng.random() < 0.22 else text

    @cached_property
    def attributes(self) -> Texts:
        """The attributes that no word of the phrasebook names."""
        attributes = self.composer.english.unanswerable["attribute"]
        return tuple(attribute for attribute in attributes if attribute not in self.known)

    def _real_relation(self, route: Route, end: int, subject: Phrase, rng: Random) -> str:
        """Counts and superlatives over a relation that the graph does have."""
        sections = self.composer.english.unanswerable
        word = self.composer.wording(route, end, end + 1).word
        nouns = self.composer.book.nouns(route.kinds[end + 1])
        if word and rng.random() < 0.75:
            template = rng.choice(word)
            filled = [
                fill(template, Filling(subject, m, nouns[0].many), rng) for m in (False, True)
            ]
            noun = Noun(*filled)
        else:
            noun = rng.choice(nouns)
        section = "count" if rng.random() < 0.45 else "superlative"
        frame = rng.choice(sections[section]).replace("{w}", noun.many).replace("{s}", noun.one)
        grades = [
            grade
            for grade in sections["grade"]
            if not any(f"{grade} {name.one}" in self.known for name in (*nouns, noun))
        ]
        frame = frame.replace("{g}", rng.choice(grades))
        return fill(frame, Filling(subject, subject.many), rng)

    def _attribute(self, rng: Random) -> str:
        if rng.random() < 0.06:
            return pseudo_word(rng)
        attributes = self.attributes
        attribute = rng.choice(attributes)
        if rng.random() < 0.12 and not attribute.endswith("s"):
            attribute = plural(attribute)
        if rng.random() < 0.08:
            grade = rng.choice(self.composer.english.unanswerable["grade"])
            attribute = f"{grade} {attribute}"
        if rng.random() < 0.06:
            attribute += f" and {rng.choice(attributes)}"
        return attribute


def pseudo_word(rng: Random) -> str:
    """A word that no language has."""
    syllables = "".join(
        rng.choice(_ONSETS) + rng.choice(_NUCLEI) + rng.choice(_CODAS)
        for _ in range(rng.randint(1, 3))
    )
    return syllables + rng.choice(_ENDINGS)
