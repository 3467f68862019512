"""Where all topics of a question meet: a relation path from each, to entities in common.

The model says of each topic how likely its relation paths are, whatever the others take part in;
that paths from all of them lead to the same entities says that they belong together.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod

from ..kg.execution import Junction, Reached
from ..kg.terms import Term
from .parties import SHARE, Party

_CHANCE = 0.05
"""How likely a topic's likeliest relation path is beside that of another one, at least."""
_TRIES = 32


@dataclass(frozen=True)
class Ends:
    """What relation paths reach, and how likely these are."""

    reached: tuple[Reached, ...]
    votes: float
    relevance: float


def meeting(
    junction: Junction,
    parties: Sequence[Party],
    linked: Sequence[Term],
    offered: Callable[[Sequence[Term]], Collection[Term]] | None,
    *,
    common: bool,
) -> Ends | None:
    """The likeliest way to walk from every topic to the same entities; None where there is none.

    `common` and `offered` are those of the vote.
    """
    found = list[Ends]()
    for chosen in islice(_choices(parties, linked, common=common), _TRIES):
        if reached := junction.reached([(t, p.relations) for t, p in chosen]):
            own = {party.relations: party for _, party in chosen}.values()
            votes, relevance = sum(p.votes for p in own), sum(p.relevance for p in own)
            found.append(Ends(reached, votes, relevance))
            kept = offered([own.end for own in reached]) if offered else ()
            if not offered or kept:
                among = tuple(own for own in reached if not offered or own.end in kept)
                return Ends(among, votes, relevance)
    return next(iter(found), None)


def _choices(
    parties: Sequence[Party], linked: Sequence[Term], *, common: bool
) -> Iterator[Sequence[tuple[Term, Party]]]:
    """A relation path for each topic, the likeliest first.

    Only with `common` may all topics have the same one, and one without any have that of another.
    """
    searched = frozenset[Term]().union(*(party.walked for party in parties))
    most = max(party.weight for party in parties)
    options = list[Sequence[Party]]()
    for topic in linked:
        joins = common and topic not in searched
        own = [party for party in parties if topic in party.walked or joins]
        best = max((party.weight for party in own), default=0.0)
        least = max(SHARE * best, _CHANCE * most)
        options.append([party for party in own if party.weight >= least])
    ways = sorted(product(*options), key=lambda way: -prod(party.weight for party in way))
    for way in ways:
        if common or len({party.relations for party in way}) > 1:
            yield list(zip(linked, way, strict=True))
