"""What an endpoint says of triples that it was asked about (`queries.holding`)."""

from collections.abc import Sequence

from ..nodes import to_any_node, to_term
from ..terms import Term, Triple
from .results import Row


def read_verdicts(batch: Sequence[Triple], rows: Sequence[Row]) -> dict[Triple, bool | None]:
    """What is said of each triple in the very terms of the question, and not gainsaid."""
    words = {'"yes"': True, '"no"': False}
    said: dict[Triple, set[bool | None]] = {}
    asked = {f'"{place}"': _normal(triple) for place, triple in enumerate(batch)}
    for place, held, *terms in rows:
        if place is not None and asked.get(place) == tuple(terms):
            said.setdefault(batch[int(place[1:-1])], set()).add(words.get(held or ""))
    return {triple: next(iter(s)) for triple, s in said.items() if len(s) == 1}


def _normal(triple: Triple) -> tuple[Term, ...]:
    """The triple in the spelling that answers have."""
    return tuple(to_term(to_any_node(term)) for term in triple)
