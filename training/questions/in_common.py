"""Questions about what two topics have in common."""

import re
from collections.abc import Iterable
from random import Random

from ..wording.english import HOLE, MET, OTHER, TOPIC, predicate, stated, suited
from ..wording.template import Filling, Phrase, fill
from .compose import Composer, Route

_PAIR = "\ufff6"
"""Stands for two topics that are put in later."""
_BACK = re.compile(r"\b(?:all of )?(?:they|them)\b")


def in_common(composer: Composer, route: Route, other: Route, after: Route, rng: Random) -> str:
    """A question for what two routes of one step both reach, from `TOPIC` and from `OTHER`.

    Where `after` has a move, for what that leads to from there.
    """
    if (
        after.key
        and rng.random() < 0.3
        and (text := _in_sentences(composer, route, other, after, rng))
    ):
        return text
    if route == other and not after.key and rng.random() < 0.15:
        return _both(composer, route, rng)
    met = _met(composer, route, other, rng)
    if not met:
        return ""
    if after.key:
        text = composer.question(after, rng, MET)
        return re.sub(f"(the )?{MET}(?!')", met.text, text) if f"{MET}'" not in text else ""
    many, noun = met.many, composer.noun(route.kinds[-1], met.many, rng)
    clauses = [_clause(composer, one, mark, many, rng) for one, mark in _marked(route, other)]
    first, second = (predicate(clause) for clause in clauses)
    if first and second and rng.random() < 0.4:
        frame = rng.choice(composer.english.frames["verb"])
        return fill(frame, Filling(Phrase(first + _and(rng) + second), many, noun), rng)
    frame = rng.choice(composer.english.frames["noun"])
    return fill(frame, Filling(met, many, noun), rng)


def _met(composer: Composer, route: Route, other: Route, rng: Random) -> Phrase | None:
    """A noun phrase for what two routes of one step both reach."""
    many = rng.random() < 0.6
    style = rng.random()
    if route == other and style < 0.5:
        pair = _pair(rng)
        phrase = composer.phrase(route, 1, rng, MET)
        fits = f"{MET}'" not in phrase.text and "the " + MET not in phrase.text
        return phrase._replace(text=phrase.text.replace(MET, pair)) if fits else None
    clauses = [_clause(composer, one, mark, many, rng) for one, mark in _marked(route, other)]
    if not all(clauses):
        return None
    noun = composer.noun(route.kinds[-1], many, rng)
    word = composer.wording(route, 0, 1).noun
    if word and style > 0.7:
        inner = composer.named(route.kinds[0], rng, TOPIC)
        noun = fill(suited(word, inner, rng), Filling(inner, many, noun), rng)
        return composer.determined(clauses[1], noun.removeprefix("the "), many, rng)
    return composer.determined(_and(rng).join(clauses), noun, many, rng)


def _in_sentences(composer: Composer, route: Route, other: Route, after: Route, rng: Random) -> str:
    """Two sentences of what both routes reach, and a question that refers back to it."""
    many, named, alike = rng.random() < 0.3, rng.random() < 0.5, route == other
    noun = composer.noun(route.kinds[-1], many, rng)
    clause = _clause(composer, route, MET if alike else TOPIC, many, rng, plural=alike)
    opening = stated(clause, many, noun, named=named, rng=rng)
    clause = _clause(composer, other, OTHER, many, rng)
    rest = stated(clause, many, noun, named=False, rng=rng)
    fits = (f"{MET}'" not in opening and f"the {MET}" not in opening) if alike else rest
    if not composer.wording(after, 0, 1).ask or not opening or not fits:
        return ""
    pair = _pair(rng)
    opening = opening.replace(MET, pair) if alike else f"{opening}{_and(rng)}{rest}"
    return _asked_back(composer, after, Phrase(MET, many), opening, rng)


def _both(composer: Composer, route: Route, rng: Random) -> str:
    """Two topics, and then what one route reaches from both of them."""
    pair = fill(rng.choice(("{x}", *composer.english.frames["intro"])), Filling(Phrase(_PAIR)), rng)
    text = _asked_back(composer, route, Phrase(MET, many=True), pair, rng)
    both = rng.choice(("both of them", "both", "the two of them", "both of those"))
    text, count = _BACK.subn(both, text)
    return text.replace(_PAIR, f"{TOPIC} and {OTHER}") if count == 1 else ""


def _asked_back(composer: Composer, route: Route, inner: Phrase, opening: str, rng: Random) -> str:
    """An opening, and what the last move of a route reaches from it asked with a pronoun."""
    many = composer.plural(route.key[-1], inner.many, rng)
    noun = composer.noun(route.kinds[-1], many, rng)
    template = suited(composer.wording(route, len(route.key) - 1, len(route.key)).ask, HOLE, rng)
    text = fill(template, Filling(Phrase(HOLE.text, inner.many), many, noun), rng)
    return composer.refer(inner, route.kinds[-2], text, rng, opening)


def _clause(
    composer: Composer,
    route: Route,
    mark: str,
    many: bool,
    rng: Random,
    *,
    plural: bool = False,
) -> str:
    """What follows a class noun; `plural` where the mark stands for more than one name."""
    that = composer.wording(route, 0, 1).that
    named = composer.named(route.kinds[0], rng, mark)
    named = named._replace(many=named.many or plural)
    return fill(rng.choice(that), Filling(named, many, ""), rng) if that else ""


def _marked(route: Route, other: Route) -> Iterable[tuple[Route, str]]:
    return (route, TOPIC), (other, OTHER)


def _pair(rng: Random) -> str:
    return rng.choice((f"{TOPIC} and {OTHER}", f"both {TOPIC} and {OTHER}"))


def _and(rng: Random) -> str:
    return rng.choice((" and ", " and also ", " and ", ", ", " but also ", " as well as "))
