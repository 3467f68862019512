"""What the likely readings of a question come to: the same, or nothing."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

from ..errors import GroundwalkError
from ..query.execute import execute
from ..query.facts import Facts
from ..query.question import Before
from ..query.reader import ReadQuery

_LEAST = 0.02
"""The least probability of a reading that is executed to compare it with others."""
_SECONDS = 2.0
"""How long that may take."""
_NOTHING = 0.3
"""How likely a question is right to come to nothing, beside how likely a misread one does."""


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
    """The queries, likeliest first, where what comes to nothing counts less than what does not.

    People ask for what there is. Where the graph is not at hand, they are as they were.
    """
    likely = [query for query in queries if query.probability >= _LEAST]
    if len(likely) < 2 or not facts.kg.pinned:
        return list(queries)
    empty = [_comes_to_nothing(facts, query, before) for query in likely]
    if not any(empty) or all(empty):
        return list(queries)
    weights = [_NOTHING if nothing else 1.0 for nothing in empty]
    total = sum(query.probability for query in likely)
    weighted = sum(w * query.probability for w, query in zip(weights, likely, strict=True))
    again = [
        replace(query, probability=query.probability * weight * total / weighted)
        for query, weight in zip(likely, weights, strict=True)
    ]
    again += [query for query in queries if query.probability < _LEAST]
    return sorted(again, key=lambda query: -query.probability)


def _comes_to_nothing(facts: Facts, query: ReadQuery, before: Before) -> bool:
    """Whether a query for things comes to none; one that cannot be executed soon may not."""
    if query.bound.query.answer != "list":
        return False
    result = _result(facts, query, before)
    return result is not None and result[-1] == frozenset()


def _result(facts: Facts, query: ReadQuery, before: Before) -> tuple[Hashable, ...] | None:
    """What a query comes to; None where it cannot be executed soon."""
    try:
        outcome = execute(facts, query.bound, earlier=before.answered, seconds=_SECONDS)
    except GroundwalkError:
        return None
    value = outcome.form, outcome.value, outcome.unit, outcome.size, outcome.rows
    return (*value, frozenset(outcome.members))
