"""Where all topics of a question meet: a relation path from each, to entities in common.

The model says of each topic how likely its relation paths are, whatever the others take part in;
that paths from all of them lead to the same entities says that they belong together.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import islice
from math import prod

from ..kg.execution import Execution, Junction
from ..kg.terms import Term
from .parties import SHARE, Party

_LEAST = 0.05
"""How likely a topic's likeliest relation path is beside that of another one, at least."""
_TRIES = 16

Way = Sequence[Party]
"""A relation path for each topic."""


@dataclass(frozen=True)
class Ends:
    """What the relation paths that won reach, their votes, and how likely they are meant."""

    run: Execution
    votes: float
    relevance: float


def meeting(
    junction: Junction,
    parties: Sequence[Party],
    linked: Sequence[Term],
    offered: Callable[[Sequence[Term]], Collection[Term]] | None,
    *,
    common: bool,
    apart: bool,
) -> Ends | None:
    """The likeliest way to walk from every topic to the same entities; None where there is none.

    `common`, `apart` and `offered` are those of the vote; an end that is not offered does not
    count. The way is as likely as the least likely of its relation paths where the model weighed
    those of each topic apart, else as all of them together.
    """
    for way in islice(_ways(parties, linked, common=common), _TRIES):
        run = junction.reached([(t, p.relations) for t, p in zip(linked, way, strict=True)])
        kept = offered([own.end for own in run.reached]) if offered else None
        ends = tuple(own for own in run.reached if kept is None or own.end in kept)
        if ends:
            own = {party.relations: party for party in way}.values()
            weights = [p.relevance_from(t) for t, p in zip(linked, way, strict=True)]
            likely = min(weights) if apart else sum(party.relevance for party in own)
            return Ends(replace(run, reached=ends), sum(party.votes for party in own), likely)
    return None


def _ways(parties: Sequence[Party], linked: Sequence[Term], *, common: bool) -> Iterator[Way]:
    """A relation path for each topic, the likeliest first.

    Only with `common` may all topics have the same one, and one without any have that of another.
    """
    searched = frozenset[Term]().union(*(party.relevances for party in parties))
    most = max(party.weight_from(topic) for party in parties for topic in party.relevances)
    options = list[Sequence[Party]]()
    for topic in linked:
        joins = common and topic not in searched
        own = [party for party in parties if topic in party.relevances or joins]
        best = max((party.weight_from(topic) for party in own), default=0.0)
        least = max(SHARE * best, _LEAST * most)
        likely = [party for party in own if party.weight_from(topic) >= least]
        options.append(sorted(likely, key=lambda party: -party.weight_from(topic)))
    for way in _likeliest(options, linked):
        if common or len({party.relations for party in way}) > 1:
            yield way


def _likeliest(options: Sequence[Sequence[Party]], linked: Sequence[Term]) -> Iterator[Way]:
    """The choices of one of each, by the product of their weights, without making them all."""

    def chosen(places: Sequence[int]) -> Way:
        return [own[place] for own, place in zip(options, places, strict=True)]

    def cost(places: Sequence[int]) -> float:
        return -prod(p.weight_from(t) for t, p in zip(linked, chosen(places), strict=True))

    first = tuple(0 for _ in options)
    waiting = [(cost(first), first)] if all(options) else []
    seen = {first}
    while waiting:
        _, places = heappop(waiting)
        yield chosen(places)
        for at, own in enumerate(options):
            after = (*places[:at], places[at] + 1, *places[at + 1 :])
            if after[at] < len(own) and after not in seen:
                seen.add(after)
                heappush(waiting, (cost(after), after))
