"""Reads whole sets of rows from an endpoint that may keep some back without a word."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TypeVar

from ....errors import ServiceError
from ...nodes import lexical_form
from ...terms import REIFIES, Term, Triple, is_triple_term
from . import queries
from .beside import side_by_side
from .client import Answer, Row, SparqlClient
from .queries import Pattern, Query, Scope

T = TypeVar("T")

_PAGE = 10_000
_MOST_AT_ONCE = 100_000


def in_batches(
    client: SparqlClient,
    items: Sequence[T],
    query: Callable[[Sequence[T]], Query],
    *,
    most: int,
    spoilt: Callable[[Sequence[T], Answer], bool] = lambda _, answer: answer.cut,
    timeout: float | None = None,
) -> Iterator[tuple[Sequence[T], Answer]]:
    """Ask about up to `most` items at a time, and about half as many where the query is too long.

    So too where an answer is `spoilt`, as one that may be cut: only that about a single item can
    still be. Batches are asked side by side. `timeout` is in seconds, for each answer. Raises
    ServiceError.
    """

    def batch(first: int) -> list[tuple[Sequence[T], Answer]]:
        return list(_halving(client, items[first : first + most], query, spoilt, timeout))

    batches = side_by_side(*(partial(batch, first) for first in range(0, len(items), most)))
    yield from chain.from_iterable(batches)


def _halving(
    client: SparqlClient,
    items: Sequence[T],
    query: Callable[[Sequence[T]], Query],
    spoilt: Callable[[Sequence[T], Answer], bool],
    timeout: float | None,
) -> Iterator[tuple[Sequence[T], Answer]]:
    asked = query(items)
    if len(items) == 1 or len(asked.text) <= client.longest:
        answer = client.select(asked, timeout=timeout)
        if len(items) == 1 or not spoilt(items, answer):
            yield items, answer
            return
    middle = len(items) // 2
    yield from _halving(client, items[:middle], query, spoilt, timeout)
    yield from _halving(client, items[middle:], query, spoilt, timeout)


def read_some(client: SparqlClient, pattern: Pattern, scope: Scope, limit: int) -> list[Triple]:
    """At most `limit` triples that match; where they are fewer, surely all.

    An answer that looks cut is checked against a count, and read on in pages if it was. Raises
    ServiceError where even those do not bring what the count promises.
    """
    answer = client.select(queries.matches(pattern, scope, limit + 1))
    rows = answer.rows
    if len(rows) <= limit and answer.cut:
        total = number(client, queries.count(pattern, scope))
        if len(rows) < total:
            rows = list(islice(_pages(client, pattern, scope, total), limit))
    return [t for row in rows[:limit] if (t := _filled(pattern, row)) is not None]


def read_all(client: SparqlClient, pattern: Pattern, scope: Scope) -> Iterator[Triple]:
    """Every triple that matches, each once. Raises ServiceError where they cannot all be had.

    Pages are read only where there is too much for one answer: an endpoint sorts for each of them.
    """
    total = number(client, queries.count(pattern, scope))
    at_once: list[Row] = []
    if total <= _MOST_AT_ONCE:
        at_once = client.select(queries.matches(pattern, scope, total + 1)).rows
    whole = len(at_once) == total
    for row in at_once if whole else _pages(client, pattern, scope, total):
        triple = _filled(pattern, row)
        if triple is not None:
            yield triple


def relation_counts(
    client: SparqlClient, scope: Scope, *, timeout: float | None = None
) -> dict[Term, int]:
    """Every relation of the scope and how many triples have it.

    Raises ServiceError, also where the list is incomplete.
    """
    answer = client.select(queries.relation_counts(scope), timeout=timeout)
    counts = {p: _integer(client, n) for p, n in answer.rows if p is not None}
    if answer.cut and sum(counts.values()) != number(client, queries.count_triples(scope)):
        raise incomplete(client)
    return counts


def number(client: SparqlClient, query: Query) -> int:
    """The one number that a query asks for."""
    answer = client.select(query)
    if len(answer.rows) != 1:
        raise incomplete(client)
    return _integer(client, answer.rows[0][0])


def _pages(client: SparqlClient, pattern: Pattern, scope: Scope, total: int) -> Iterator[Row]:
    """The rows in pages by key; a page starts with what the one before ended with."""
    width = len(pattern.open)
    after: list[Term] = []
    before: set[Row] = set()
    while total > 0:
        rows = client.select(queries.page(pattern, scope, after, _PAGE)).rows
        fresh = [row for row in rows if row not in before]
        if not fresh:
            raise incomplete(client)
        yield from fresh
        total -= len(fresh)
        before = set(rows)
        after = [key for key in rows[-1][width:] if key is not None]
        if len(after) != width:
            raise incomplete(client)


def _filled(pattern: Pattern, row: Row) -> Triple | None:
    bound = iter(row)
    terms = [term or next(bound) for term in pattern]
    head, relation, tail = terms
    if head is None or relation is None or tail is None:
        return None
    if is_triple_term(tail) and relation != REIFIES:
        return None
    return Triple(head, relation, tail)


def _integer(client: SparqlClient, term: Term | None) -> int:
    text = lexical_form(term or "")
    if not (text.isascii() and text.isdigit()):
        raise incomplete(client)
    return int(text[:18])


def incomplete(client: SparqlClient) -> ServiceError:
    """The error where an answer is known to lack rows."""
    return ServiceError(
        f"{client.source} keeps a part of its answer back",
        "raise the limit on the rows of an answer at the service",
    )
