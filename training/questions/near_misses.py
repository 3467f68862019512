"""Questions like one that the graph answers, with a part put in that makes it have no answer."""

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from ..wording.phrasebook import Near, Noun
from ..wording.template import Filling, Phrase, fill, with_article
from .clauses import TOPIC, predicate
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
        modifier, own = rng.choice(near.modifier), rng.choice(composer.book.nouns(kind))
        noun = Noun(f"{modifier} {own.one}", f"{modifier} {own.many}")
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


def other_deed(composer: Composer, near: Near, route: Route, rng: Random) -> str:
    """Something else that is done: which countries supply it with gas?"""
    inner = composer.phrase(route, len(route.key) - 1, rng)
    return _done(composer, route, fill(rng.choice(near.deed), Filling(inner), rng), rng)


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
    other_deed,
    other_era,
)
"""How a near miss is made; each is empty where it cannot be."""
_SHARES = (5, 3, 3, 2)
