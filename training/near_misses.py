"""Questions that are one word away from one that the graph answers, and have no answer."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from .clauses import predicate
from .compose import Composer, Route
from .phrasebook import Noun, singular_and_plural
from .template import Filling, Phrase, fill

_BE = ("are ", "is ")


def near_miss(composer: Composer, route: Route, rng: Random) -> str:
    """A question for what a route reaches with a word changed; empty where none can be changed."""
    return rng.choices(_WAYS, _SHARES)[0](composer, route, rng)


def _other_class(composer: Composer, route: Route, rng: Random) -> str:
    """Another class noun, or one of a kind that nothing is known to be: which airlines border it?

    Only for classes that the phrasebook names: of others the words that people use are not known.
    """
    kind = route.kinds[-1]
    if kind not in composer.book.classes or kind in composer.book.names.values:
        return ""
    sections = composer.english.unanswerable
    own = composer.book.nouns(kind)
    if rng.random() < 0.6:
        noun = singular_and_plural(rng.choice(sections["thing"]))
        if any(noun in nouns for nouns in composer.book.classes.values()):
            return ""
    else:
        modifier, of = rng.choice(sections["modifier"]), rng.choice(own)
        noun = Noun(f"{modifier} {of.one}", f"{modifier} {of.many}")
    classes = {**composer.book.classes, kind: (noun,)}
    text = replace(composer, book=replace(composer.book, classes=classes)).question(route, rng)
    return text if noun.one in text or noun.many in text else ""


def _not_so(composer: Composer, route: Route, rng: Random) -> str:
    """What is wished, gone or denied: which countries want to border it?"""
    that = composer.wording(route, len(route.key) - 1, len(route.key)).that
    if not that:
        return ""
    inner = composer.phrase(route, len(route.key) - 1, rng)
    verb = predicate(fill(rng.choice(that), Filling(inner, True), rng))
    if not verb or verb.startswith(inner.text) or verb.split(" ", 1)[0] in _WITHOUT_BASE:
        return ""
    if verb.startswith(_BE):
        verb = f"be {verb.split(' ', 1)[1]}"
    intent = fill(rng.choice(composer.english.unanswerable["intent"]), Filling(inner), rng)
    return _done(composer, route, f"{intent} {verb}", rng)


def _other_deed(composer: Composer, route: Route, rng: Random) -> str:
    """Something else that is done: which countries supply it with gas?"""
    inner = composer.phrase(route, len(route.key) - 1, rng)
    deed = fill(rng.choice(composer.english.unanswerable["deed"]), Filling(inner), rng)
    return _done(composer, route, deed, rng)


def _other_era(composer: Composer, route: Route, rng: Random) -> str:
    """At another time: what was its capital in 1920?"""
    era = fill(rng.choice(composer.english.unanswerable["era"]), Filling(Phrase("")), rng)
    text = composer.question(route, rng)
    if rng.random() < 0.3:
        return f"{era}, {text}"
    for now, then in _PAST.items():
        if now in text:
            return f"{text.replace(now, then, 1)} {era}"
    return f"{text} {era}"


def _done(composer: Composer, route: Route, verb: str, rng: Random) -> str:
    noun = rng.choice(composer.book.nouns(route.kinds[-1])).many
    frame = rng.choice(composer.english.frames["verb"])
    return fill(frame, Filling(Phrase(verb, True), True, noun), rng)


_PAST = {" is ": " was ", " are ": " were ", " does ": " did ", " do ": " did "}
_WITHOUT_BASE = frozenset(("can", "could", "may", "might", "was", "were", "would", "must"))
_WAYS: tuple[Callable[[Composer, Route, Random], str], ...] = (
    _other_class,
    _not_so,
    _other_deed,
    _other_era,
)
_SHARES = (5, 3, 3, 2)
