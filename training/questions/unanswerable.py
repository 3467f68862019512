"""Questions that a graph has no answer to, so that a model learns to say so.

Some ask for what no relation of the graph says. Others are near misses: questions that the graph
answers, with a part put in that makes them have no answer.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from ..wording.english import HOLE, OTHER, TOPIC, Texts, predicate
from ..wording.phrasebook import Near, Noun, plural
from ..wording.template import Filling, Phrase, fill, with_article
from .compose import Composer, Route

_SWAPPED = Noun("\ufff8", "\ufff7")
_NOUN = rf"[{_SWAPPED.one}{_SWAPPED.many}]"
_ASKED = re.compile(rf"\b(?:which|what) (?:other |of the )?{_NOUN}")


def near_miss(composer: Composer, near: Near, route: Route, rng: Random) -> str:
    """A question like those for what a route reaches; empty where none can be made of it."""
    if route.kinds[-1] in composer.book.names.values:
        return ""
    way = rng.choices(WAYS, _SHARES)[0]
    if way is other_era and not near.era:
        return ""
    return way(composer, near, route, rng)


def other_class(composer: Composer, near: Near, route: Route, rng: Random) -> str:
    """Of another class, or of a kind that nothing is known to be: which airlines border it?"""
    kind = route.kinds[-1]
    noun = rng.choice(near.thing)
    if near.modifier and rng.random() < 0.4:
        modifier, plain = rng.choice(near.modifier), rng.choice(composer.book.nouns(kind))
        noun = Noun(f"{modifier} {plain.one}", f"{modifier} {plain.many}")
    classes = {**composer.book.classes, kind: (_SWAPPED,)}
    text = replace(composer, book=replace(composer.book, classes=classes)).plain(route, rng)
    if not re.search(_ASKED if kind in route.kinds[:-1] else _NOUN, text):
        return ""
    return with_article(text.replace(_SWAPPED.one, noun.one).replace(_SWAPPED.many, noun.many))


def not_so(composer: Composer, near: Near, route: Route, rng: Random) -> str:
    """What is wished, gone or denied: which countries want to border it?"""
    that = composer.wording(route, len(route.key) - 1, len(route.key)).that
    if not that:
        return ""
    inner = composer.phrase(route, len(route.key) - 1, rng)
    template, state = rng.choice(that), rng.getstate()
    one = predicate(fill(template, Filling(inner, False), rng))
    rng.setstate(state)
    verb = predicate(fill(template, Filling(inner, True), rng))
    if not verb or verb.split(" ", 1)[0] == one.split(" ", 1)[0]:
        return ""
    verb = re.sub("^are ", "be ", verb)
    intent = fill(rng.choice(near.intent), Filling(Phrase("")), rng)
    return _done(composer, route, f"{intent} {verb}", rng)


def other_verb(composer: Composer, near: Near, route: Route, rng: Random) -> str:
    """Something else that is done: which countries supply it with gas?"""
    inner = composer.phrase(route, len(route.key) - 1, rng)
    return _done(composer, route, fill(rng.choice(near.verb), Filling(inner), rng), rng)


def other_era(composer: Composer, near: Near, route: Route, rng: Random) -> str:
    """At another time: what was its capital in 1920?"""
    era = fill(rng.choice(near.era), Filling(Phrase("")), rng)
    text = composer.plain(route, rng)
    if rng.random() < 0.3:
        return f"{era}, {text}"
    for now, then in _PAST.items():
        if now in text:
            return f"{text.replace(now, then, 1)} {era}"
    return f"{text} {era}"


def of_foreign(composer: Composer, route: Route, kind: str, rng: Random) -> str:
    """What nobody asks of the class of the topic: which countries border the yen?"""
    names = composer.book.names
    topic = f"the {TOPIC}" if kind in names.article and rng.random() < 0.7 else TOPIC
    names = replace(names, values=names.values | {route.kinds[0]})
    composer = replace(composer, book=replace(composer.book, names=names))
    if len(route.key) > 1 and _may_leave_out(composer, route):
        route = Route(route.key[:1], route.kinds[:2])
    return composer.plain(route, rng, topic)


def _may_leave_out(composer: Composer, route: Route) -> bool:
    """Whether a wording may pass over the first move, so that another is what is asked of {x}."""
    first, pair = composer.wording(route, 0, 1), route.key[:2]
    return pair in composer.book.wordings or pair[1] in first.through | first.carries


def _done(composer: Composer, route: Route, verb: str, rng: Random) -> str:
    noun = rng.choice(composer.book.nouns(route.kinds[-1])).many
    frame = rng.choice(composer.english.frames["verb"])
    return fill(frame, Filling(Phrase(verb, True), True, noun), rng)


_PAST = {" is ": " was ", " are ": " were ", " does ": " did ", " do ": " did "}
WAYS: tuple[Callable[[Composer, Near, Route, Random], str], ...] = (
    other_class,
    not_so,
    other_verb,
    other_era,
)
"""How a near miss is made; each is empty where it cannot be."""
_SHARES = (5, 3, 3, 2)


_ONSETS = "b br d dr f fl g gl k kr l m n p pl qu r s sk st t tr v w z zw th ch".split()
_NUCLEI = "a e i o u ou ee ai oo ia".split()
_CODAS = ("", *"n r l m nd st rt sk x b g ng ft".split())
_ENDINGS = ("", "", *"age ity ness er ing ment ium oid le ation".split())

_OF_CLASS = 0.45
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
        text = self._near_miss(route, rng) or self._unheard_of(route, rng)
        return self.composer.decorate(text, rng) if rng.random() < 0.22 else text

    def _near_miss(self, route: Route, rng: Random) -> str:
        near = self.composer.book.near
        return near_miss(self.composer, near, route, rng) if near and rng.random() < _NEAR else ""

    def _unheard_of(self, route: Route, rng: Random) -> str:
        """What no relation of the graph says, asked of what some moves of a route reach."""
        book, sections = self.composer.book, self.composer.english.unanswerable
        end = 0 if rng.random() < 0.78 else rng.randrange(len(route.key))
        subject = self.composer.phrase(route, end, rng)
        of_class = book.unanswerable.get(route.kinds[end]) if rng.random() < _OF_CLASS else None
        asks, attributes = (of_class.ask, of_class.attribute) if of_class else ((), ())
        style = rng.random()
        counts = self.walks_only and style < 0.22
        if counts and route.kinds[end + 1] not in book.names.values:
            text = self._computed(route, end, subject, rng)
        elif style < 0.52:
            text = fill(rng.choice(asks or sections["ask"]), Filling(subject, subject.many), rng)
        elif style < 0.58:
            text = fill(rng.choice(sections["pair"]).replace("{y}", OTHER), Filling(subject), rng)
        else:
            attribute = rng.choice(attributes) if attributes else self._attribute(rng)
            frame = rng.choice(sections["frame"]).replace("{n}", attribute)
            text = fill(frame, Filling(subject, subject.many), rng)
        if rng.random() < 0.08 and TOPIC in text:
            back = text.replace(subject.text, HOLE.text)
            return self.composer.refer(subject, route.kinds[end], back, rng)
        return text

    @cached_property
    def attributes(self) -> Texts:
        """The attributes that no word of the phrasebook names."""
        attributes = self.composer.english.unanswerable["attribute"]
        return tuple(attribute for attribute in attributes if attribute not in self.known)

    def _computed(self, route: Route, end: int, subject: Phrase, rng: Random) -> str:
        """Counts and superlatives over a relation that the graph does have."""
        sections = self.composer.english.unanswerable
        word = self.composer.wording(route, end, end + 1).word
        nouns = self.composer.book.nouns(route.kinds[end + 1])
        if word and rng.random() < 0.75:
            template = rng.choice(word)
            noun = Noun(
                *(fill(template, Filling(subject, m, nouns[0].many), rng) for m in (False, True))
            )
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
