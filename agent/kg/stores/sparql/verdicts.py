"""What an endpoint says of triples that it is asked about.

Engines treat literals with a datatype differently: some take equal numbers for one term whatever
their datatypes, write literals otherwise than they were written, or refuse those that they cannot
read. So a triple with one is not matched by the engine. The literals that the endpoint has in its
place are read instead, and compared as Oxigraph compares them: a literal of the same datatype and
value is the same, and all kinds of whole numbers are one datatype. Text that the engine does not
find is looked for in this way too, because some engines keep xsd:string apart.
"""

from collections import deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation

import pyoxigraph as ox

from ....errors import RefusedError, ServiceError
from ...nodes import lexical_form, literal_tag, to_any_node, to_node, to_term
from ...terms import XSD, Term, Triple, is_literal, is_triple_term
from ..oxigraph import OxigraphStore
from . import queries
from .client import Answer, Row, SparqlClient
from .queries import Query, Scope
from .scan import in_batches

_MOST_TRIPLES = 200
_MOST_LITERALS = 10_000
_MOST_ROUNDS = 3
_MOST_MORE = 20
"""Requests about parts of refused batches, and as many about single triples."""

_MOST_REFUSALS = 3
"""Refusals in a row after which the queries are not what is wrong."""

_INTEGER, _DECIMAL = (f"{XSD}{kind}" for kind in ("integer", "decimal"))

_Side = tuple[Term, Term]
"""A head and a relation."""


class Verdicts:
    """Asks an endpoint which triples it holds, and keeps in `held` its clear answers."""

    def __init__(self, client: SparqlClient, scope: Scope) -> None:
        self.held: dict[Triple, bool] = {}
        self._client = client
        self._scope = scope
        self._refusal: RefusedError | None = None
        self._refusals = 0
        self._rewritten: set[Triple] = set()
        """Those whose literals the endpoint writes otherwise than they were asked about."""

    def ask(self, triples: Sequence[Triple]) -> None:
        """Ask about triples whose terms a query can name.

        One request for 200 of them, one more where these have literals with a datatype or texts
        that are not there, and some about what was not answered clearly. Raises ServiceError where
        the endpoint does not answer, or says of some triples neither that it holds them nor that it
        does not.
        """
        typed = [triple for triple in triples if _is_typed(triple.tail)]
        plain = [triple for triple in triples if not _is_typed(triple.tail)]
        self._match(plain)
        doubtful = [t for t in plain if is_literal(t.tail) and not self.held.get(t)]
        self._compare([*typed, *doubtful])
        if left := sum(triple not in self.held for triple in triples):
            if self._refusal is not None:
                raise self._refusal
            raise ServiceError(
                f"{self._client.source} does not say clearly whether it holds {left} of "
                f"{len(triples)} triples"
            )

    def _match(self, triples: Sequence[Triple]) -> None:
        """Have the engine find triples: many at a time, what that leaves out again, then singly.

        It ends early where the endpoint refuses three queries in a row.
        """
        self._refusals = 0
        left = list(triples)
        for _ in range(_MOST_ROUNDS):
            before = len(left)
            self._match_batches(left)
            left = [triple for triple in left if triple not in self.held]
            if len(left) == before:
                break
        for triple in left[:_MOST_MORE]:
            if self._refusals < _MOST_REFUSALS:
                self._match_alone(triple)

    def _match_batches(self, triples: Sequence[Triple]) -> None:
        """Ask about batches, and about the halves of those that are refused."""
        waiting = deque(
            triples[first : first + _MOST_TRIPLES]
            for first in range(0, len(triples), _MOST_TRIPLES)
        )
        most = len(waiting) + _MOST_MORE
        while waiting and most and self._refusals < _MOST_REFUSALS:
            most -= 1
            batch = waiting.popleft()
            with self._refusable():
                for part, answer in in_batches(
                    self._client, batch, self._holding, most=_MOST_TRIPLES, spoilt=_never
                ):
                    self._remember(part, answer.rows)
                continue
            middle = len(batch) // 2
            if middle and not is_triple_term(batch[0].tail):
                waiting.extend((batch[:middle], batch[middle:]))

    def _match_alone(self, triple: Triple) -> None:
        with self._refusable():
            rows = self._client.select(queries.occurrences(triple, self._scope)).rows
            count = lexical_form(rows[0][0] or "") if len(rows) == 1 else ""
            if count.isascii() and count.isdigit():
                self._remember(
                    [triple], [('"0"', '"yes"' if int(count[:9]) else None, *rows[0][1:])]
                )

    def _remember(self, batch: Sequence[Triple], rows: Sequence[Row]) -> None:
        """Keep each answer that is in the terms of the question and not contradicted.

        An engine may write a literal with a datatype in another way.
        """
        answers: dict[Triple, set[bool | None]] = {}
        asked = {f'"{number}"': triple for number, triple in enumerate(batch)}
        for number, held, *row in rows:
            if triple := asked.get(number or ""):
                terms = _respelled(triple)
                verdict = {'"yes"': True, None: False}.get(held)
                if row[2] != terms[2] and _is_typed(triple.tail):
                    self._rewritten.add(triple)
                elif row[2] != terms[2]:
                    verdict = None
                answers.setdefault(triple, set()).add(
                    verdict if tuple(row[:2]) == terms[:2] else None
                )
        for triple, verdicts in answers.items():
            if verdicts in ({True}, {False}):
                self.held[triple] = verdicts == {True}

    @contextmanager
    def _refusable(self) -> Generator[None]:
        """End the block where the endpoint refuses the query."""
        try:
            yield
        except RefusedError as refusal:
            self._refusal = refusal
            self._refusals += 1
        else:
            self._refusals = 0

    def _compare(self, triples: Sequence[Triple]) -> None:
        """Find the triples among the literals that the endpoint has in their places.

        Where one like it is there, the engine is asked too. If it finds the triple, it means
        another one (`_is_mistaken`), or it keeps the literal in another form: nothing is said.
        """
        literals = self._literals(dict.fromkeys(map(_side_of, triples)))
        known = [triple for triple in triples if _side_of(triple) in literals]
        missing: list[Triple] = []
        for triple, held in zip(known, _are_among(literals, known), strict=True):
            others = literals[_side_of(triple)]
            if held or not any(_is_like(triple.tail, literal) for literal in others):
                self.held[triple] = held
            else:
                missing.append(triple)
        engine = Verdicts(self._client, self._scope)
        engine._match(missing)
        self._refusal = engine._refusal or self._refusal
        for triple, is_held in engine.held.items():
            if not is_held or engine._is_mistaken(triple, literals[_side_of(triple)]):
                self.held[triple] = False

    def _is_mistaken(self, triple: Triple, literals: Iterable[Term]) -> bool:
        """Whether an engine that finds a triple means another one, which has one of the literals.

        Some take equal numbers of different datatypes for the same. A decimal may well be the whole
        number that is asked about: Virtuoso keeps large ones so.
        """
        equal = {
            literal_tag(literal) for literal in literals if _is_equal_number(literal, triple.tail)
        }
        if _DECIMAL in equal and literal_tag(triple.tail) == _INTEGER:
            return False
        return bool(equal) or triple not in self._rewritten

    def _literals(self, sides: Iterable[_Side]) -> dict[_Side, set[Term]]:
        """The literals of each side, but of those with too many or that are not told whole."""
        literals: dict[_Side, set[Term]] = {}
        with self._refusable():
            for batch, answer in in_batches(
                self._client,
                list(sides),
                lambda batch: queries.literals(batch, self._scope, _MOST_LITERALS),
                most=_MOST_TRIPLES,
                spoilt=lambda batch, answer: not _is_whole(batch, answer),
            ):
                if _is_whole(batch, answer):
                    literals.update((side, set()) for side in batch)
                    for _, _, head, relation, literal in answer.rows:
                        if head is not None and relation is not None and literal is not None:
                            literals[head, relation].add(literal)
        return literals

    def _holding(self, batch: Sequence[Triple]) -> Query:
        return queries.holding(batch, self._scope)


def _never(_part: Sequence[Triple], _answer: Answer) -> bool:
    """A batch is not asked about in halves where rows are left out, but those triples again."""
    return False


def _is_typed(term: Term) -> bool:
    """Whether it is a literal with a datatype other than that of text."""
    return is_literal(term) and ":" in literal_tag(to_term(to_node(term)))


def _is_like(term: Term, other: Term) -> bool:
    """Whether a literal may be kept as another: with its datatype, or as an equal number."""
    same = literal_tag(to_term(to_node(term))) == literal_tag(other)
    return _is_typed(term) and (same or _is_equal_number(term, other))


def _is_equal_number(term: Term, other: Term) -> bool:
    number = _number(term)
    return number is not None and number == _number(other)


def _number(term: Term) -> Decimal | None:
    """The number that a literal with a datatype is, whichever that is; true is 1."""
    if not _is_typed(term):
        return None
    text = lexical_form(term)
    try:
        number = Decimal({"true": "1", "false": "0"}.get(text, text))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _side_of(triple: Triple) -> _Side:
    head, relation, _ = _respelled(triple)
    return head, relation


def _is_whole(batch: Sequence[_Side], answer: Answer) -> bool:
    """Whether an answer has all literals of each side, by its own count of them."""
    asked = {f'"{number}"': side for number, side in enumerate(batch)}
    counts = [lexical_form(count) for count, *_ in answer.rows if count is not None]
    numbered = [
        (number, (head, relation)) for _, number, head, relation, _ in answer.rows if number
    ]
    return (
        counts == [str(len(answer.rows) - 1)]
        and {number for number, _ in numbered} == asked.keys()
        and all(asked[number] == side for number, side in numbered)
    )


def _are_among(literals: Mapping[_Side, Iterable[Term]], triples: Sequence[Triple]) -> list[bool]:
    """Whether each triple is among the literals of its side."""
    store = ox.Store()
    for (head, relation), terms in literals.items():
        for term in terms:
            nodes = to_node(head), to_node(relation), to_node(term)
            store.add(ox.Quad(*nodes, ox.DefaultGraph()))  # pyright: ignore[reportArgumentType]
    return OxigraphStore(store).holds(triples)


def _respelled(triple: Triple) -> tuple[Term, ...]:
    """The triple in the spelling that answers have."""
    return tuple(to_term(to_any_node(term)) for term in triple)
