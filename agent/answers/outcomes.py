"""What the likely readings of a question come to: the same, or nothing."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..errors import GroundwalkError
from ..kg.terms import Term
from ..query.execute import execute
from ..query.facts import Facts
from ..query.question import Before
from ..query.reader import ReadQuery

_LEAST = 0.02
"""The least probability of a reading that is executed to compare it with others."""
_BESIDE = 0.1
"""The same beside that of the likeliest, where all are unlikely."""
_SECONDS = 2.0
"""How long that may take."""
_NOTHING = 0.3
"""How likely a question is right to come to nothing, beside how likely a misread one does."""
_NAMED = 0.05
"""The same for a question that comes to what it names."""


def alike(
    facts: Facts, chosen: ReadQuery, queries: Sequence[ReadQuery], before: Before
) -> list[ReadQuery]:
    """The other likely queries that come to the same; where the graph is at hand."""
    others = [query for query in queries if query is not chosen and query.probability >= _LEAST]
    if not others or not facts.kg.pinned:
        return []
    result = _result(facts, chosen, before)
    return [query for query in others if result and _result(facts, query, before) == result]


def weighed(facts: Facts, queries: Sequence[ReadQuery], before: Before) -> list[ReadQuery]:
    """The queries, likeliest first, where what comes to no news counts less than what does not.

    People ask for what there is, and not for what they name. Where the graph is not at hand, they
    are as they were.
    """
    least = min(_LEAST, _BESIDE * max((query.probability for query in queries), default=0.0))
    likely = [query for query in queries if query.probability >= least]
    if len(likely) < 2 or not facts.kg.pinned:
        return list(queries)
    weights = [_weight(facts, query, before) for query in likely]
    if len(set(weights)) == 1:
        return list(queries)
    total = sum(query.probability for query in likely)
    weighted = sum(w * query.probability for w, query in zip(weights, likely, strict=True))
    again = [
        replace(query, probability=query.probability * weight * total / weighted)
        for query, weight in zip(likely, weights, strict=True)
    ]
    again += [query for query in queries if query.probability < least]
    return sorted(again, key=lambda query: -query.probability)


def _weight(facts: Facts, query: ReadQuery, before: Before) -> float:
    """How likely a query for things comes to what it does if it is meant, beside if it is not."""
    bound = query.bound
    result = _result(facts, query, before) if bound.query.answer == "list" else None
    if result is None:
        return 1.0
    if not result.members:
        return _NOTHING
    return _NAMED if result.members <= {mention.term for mention in bound.mentions} else 1.0


class _Result(NamedTuple):
    value: tuple[Hashable, ...]
    members: frozenset[Term]


def _result(facts: Facts, query: ReadQuery, before: Before) -> _Result | None:
    """What a query comes to; None where it cannot be executed soon."""
    try:
        outcome = execute(facts, query.bound, earlier=before.answered, seconds=_SECONDS)
    except GroundwalkError:
        return None
    value = outcome.form, outcome.value, outcome.unit, outcome.size, outcome.rows
    return _Result(value, frozenset(outcome.members))
