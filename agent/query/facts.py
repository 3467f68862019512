"""The facts of a graph as arrays of numbers, read when a query first needs them.

A term is a number. A relation that a few nodes are followed along is looked up for these nodes. One
that a large set is followed along is read whole, once, and kept sorted both ways, so that a step of
a million members is a few operations on arrays.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from time import monotonic
from typing import NamedTuple, TypeAlias

import numpy as np
import pyoxigraph as ox
from numpy.typing import NDArray

from ..decoding.arrays import spans
from ..errors import ShortageError
from ..kg import KnowledgeGraph
from ..kg.labels.literals import readable
from ..kg.labels.names import local_name, without_number
from ..kg.nodes import lexical_form, literal_tag, to_term
from ..kg.patterns import is_blank
from ..kg.store import Store, Way
from ..kg.stores.sparql.store import SparqlStore
from ..kg.terms import XSD, Step, Term, is_literal, node_of
from ..stopping import look_up
from .values import is_amount, is_duration, unit_of_datatype, unit_of_term, value_of

Ids = NDArray[np.int64]
"""Numbers of terms. A set is sorted, and has each once."""
NO_ONE: Ids = np.zeros(0, np.int64)

MOST_PAIRS = 20_000_000
"""Steps that one hop of a set may come to."""
_FEW = 1_000
"""Nodes that are followed one by one, before a relation is read whole."""
_DEGREE = 100_000
_MOST_CACHED = 2_000_000
"""Steps of single nodes that are kept for the next query."""

PLAIN_NUMBERS = frozenset(
    f"<{XSD}{name}>" for name in ("integer", "decimal", "double", "float", "int", "long")
)

_UNREAD, _TEXT, NUMBER, DATE = -1, 0, 1, 2


class Pairs(NamedTuple):
    """Steps as two arrays of the same length: where each leaves, and what it reaches."""

    sources: Ids
    targets: Ids


class Measured(NamedTuple):
    """Values of some terms: their kind (`NUMBER`, `DATE` or 0), size and number of their unit."""

    kinds: NDArray[np.int8]
    sizes: NDArray[np.float64]
    units: NDArray[np.int32]


class Facts:
    """The facts of `kg.walks`, and its classes and names, for sets of terms.

    Not safe to share between threads while a query runs. Every method raises ServiceError where the
    graph does not answer, and ShortageError where a set is larger than can be held, or the time of
    the query is over.
    """

    def __init__(self, kg: KnowledgeGraph) -> None:
        self.kg = kg
        self.cut: set[str] = set()
        """What of the graph could not be read whole, in words."""
        self._terms: list[Term] = []
        self._ids: dict[Term, int] = {}
        self._whole: dict[Term, tuple[Pairs, Pairs]] = {}
        self._numeric: dict[Term, bool] = {}
        self._written: dict[Term, Collection[Term]] = {}
        self._read_here: dict[Term, bool] = {}
        self._near: dict[tuple[Term, bool], dict[int, Ids]] = {}
        self._cached = 0
        self._by_relation: dict[Term, list[tuple[int, int]]] | None = None
        self._units: list[str] = [""]
        self._unit_stated: dict[Term, str] = {}
        self._kinds = np.zeros(0, np.int8)
        self._sizes = np.zeros(0, np.float64)
        self._unit_of = np.zeros(0, np.int32)
        self._until = float("inf")

    def limit(self, seconds: float) -> None:
        """From now on a query may take so long."""
        self._until = monotonic() + seconds

    def ids(self, terms: Iterable[Term]) -> Ids:
        """The set of some terms."""
        return np.unique(np.fromiter(map(self._id, terms), np.int64))

    def terms(self, ids: Ids) -> list[Term]:
        """The terms of some numbers."""
        return [self._terms[number] for number in ids.tolist()]

    def term(self, number: int) -> Term:
        """The term of a number."""
        return self._terms[number]

    def step(self, nodes: Ids, relation: Term, inverse: bool) -> Pairs:
        """All steps that leave a set along a relation."""
        self._check_time()
        if relation not in self._whole and (len(nodes) <= _FEW or not self.kg.pinned):
            return self._around(nodes, relation, inverse)
        pairs = self._read(relation)[inverse]
        first = np.searchsorted(pairs.sources, nodes, "left")
        last = np.searchsorted(pairs.sources, nodes, "right")
        self.check_size(int((last - first).sum()), relation)
        return Pairs(np.repeat(nodes, last - first), pairs.targets[spans(first, last)])

    def are_near(self, nodes: Ids, relation: Term, inverse: bool) -> bool:
        """Whether the steps of all nodes of a set are known already."""
        known = self._near.get((relation, inverse), {})
        return relation in self._whole or all(node in known for node in nodes.tolist())

    def having(self, relation: Term) -> Ids:
        """Everything that has the relation."""
        return distinct(self._read(relation)[0].sources)

    def reached(self, relation: Term) -> Ids:
        """Everything that the relation leads to."""
        return distinct(self._read(relation)[1].sources)

    def members(self, class_: Term) -> Ids:
        """Every member of a class."""
        classes = self.under(class_)
        members = [self.step(classes, kind, inverse=True).targets for kind in self.kg.profile.types]
        return distinct(np.concatenate([NO_ONE, *members]))

    def under(self, class_: Term) -> Ids:
        """A class and those below it, whose members are its members."""
        return self.ids([class_, *self.kg.membership.below(class_)])

    def types_of(self, node: int) -> Iterator[tuple[Term, int]]:
        """The classes of a thing, each with the predicate that says so."""
        for kind in self.kg.profile.types:
            for target in self.step(np.array([node]), kind, inverse=False).targets.tolist():
                yield kind, target

    def every_thing(self) -> Ids:
        """Every entity that a fact has."""
        relations = self.kg.walk_relations if self.kg.reading.plain else self._facts()
        ends = (pairs.sources for relation in relations for pairs in self._read(relation))
        ids = np.unique(np.concatenate([NO_ONE, *ends]))
        return ids[[not is_literal(term) for term in self.terms(ids)]]

    def is_numeric(self, relation: Term) -> bool:
        """Whether all values of a relation are numbers of XSD; not known of one that is remote."""
        if not self.kg.pinned or self.kg.profile.skips(relation):
            return False
        if relation not in self._numeric:
            values = distinct(np.sort(self._read(relation)[0].targets))
            numbers = len(values) > 0 and bool((self.measured(values).kinds == NUMBER).all())
            tags = {literal_tag(term) for term in self.terms(values)} if numbers else {""}
            self._numeric[relation] = {f"<{tag}>" for tag in tags} <= PLAIN_NUMBERS
        return self._numeric[relation]

    def is_single(self, relation: Term, inverse: bool) -> bool:
        """Whether a relation leads from each node to one alone, in a direction; reads it whole."""
        return bool(starts_run(self._read(relation)[inverse].sources).all())

    def must_read(self, relation: Term) -> bool:
        """Whether SPARQL cannot compare values of a relation: durations, and texts with a unit."""
        if self.kg.profile.skips(relation):
            return False
        if relation not in self._read_here:
            literals = self.written(relation)
            self._read_here[relation] = any(is_duration(v) or is_amount(v) for v in literals)
        return self._read_here[relation]

    def written(self, relation: Term) -> Iterable[Term]:
        """The literals of a relation; of one that is remote, some of each datatype and unit."""
        if isinstance(store := self.kg.store, SparqlStore):
            if relation not in self._written:
                self._written[relation] = store.written(relation)
            return self._written[relation]
        return filter(is_literal, self.terms(distinct(np.sort(self._read(relation)[0].targets))))

    def measured(self, ids: Ids) -> Measured:
        """What values the terms are."""
        self._grow()
        unread = ids[self._kinds[ids] == _UNREAD].tolist()
        amounts = self._amounts([self._terms[number] for number in unread])
        for number in unread:
            term = self._terms[number]
            self._measure(number, amounts[term] if term in amounts else term)
        return Measured(self._kinds[ids], self._sizes[ids], self._unit_of[ids])

    def unit(self, number: int) -> str:
        """The unit of a number of units; empty for none."""
        return self._units[number]

    def unit_of(self, relation: Term) -> str:
        """The one unit that the graph states of a relation's values; empty for none or several."""
        if relation not in self._unit_stated:
            profile = self.kg.profile
            ways = [Way(relation, predicate, False) for predicate in profile.relation_units]
            steps = chain.from_iterable(self.kg.store.follow_each(ways, limit=2))
            units = {unit for step in steps if (unit := unit_of_term(step.target, profile))}
            self._unit_stated[relation] = units.pop() if len(units) == 1 else ""
        return self._unit_stated[relation]

    def texts(self, ids: Ids) -> Pairs:
        """What each term is called: the characters of a literal, every name of a thing."""
        entities = ids[[not is_literal(term) for term in self.terms(ids)]]
        literals = np.setdiff1d(ids, entities, assume_unique=True)
        names = [Pairs(literals, literals)]
        for predicate in (*self.kg.profile.labels, *self.kg.profile.titles):
            named = self.step(entities, predicate, inverse=False)
            tags = [literal_tag(term) for term in self.terms(named.targets)]
            wanted = np.array([self._is_wanted(tag) for tag in tags], bool)
            names.append(Pairs(named.sources[wanted], named.targets[wanted]))
        nameless = np.setdiff1d(entities, np.concatenate([pairs.sources for pairs in names]))
        names.append(Pairs(nameless, nameless))
        return Pairs(*(np.concatenate(column) for column in zip(*names, strict=True)))

    def neighbours(self, nodes: Sequence[Term]) -> list[list[Step]]:
        """The steps around each node, in both directions."""
        self._check_time()
        return self.kg.walks.neighbours(nodes)

    def text(self, number: int) -> str:
        """The characters of a literal, or the local name of an IRI."""
        term = self._terms[number]
        return lexical_form(term) if is_literal(term) else local_name(term)

    def check_size(self, pairs: int, relation: Term) -> None:
        """Raise ShortageError where a hop comes to more steps than can be held, or time is over."""
        self._check_time()
        if pairs > MOST_PAIRS:
            (name,) = self.kg.walk_labels.names([relation])
            raise ShortageError(
                f"a hop along {name} comes to more than {MOST_PAIRS:,} steps", "ask for less"
            )

    def _is_wanted(self, tag: str) -> bool:
        tag = "" if ":" in tag else tag.lower()
        return self.kg.profile.language_rank(tag) is not None

    def _id(self, term: Term) -> int:
        number = self._ids.get(term)
        if number is None:
            number = self._ids[term] = len(self._terms)
            self._terms.append(term)
        return number

    def _around(self, nodes: Ids, relation: Term, inverse: bool) -> Pairs:
        """The steps of a few nodes, from the cache where a node was followed before."""
        targets_of = self._near.setdefault((relation, inverse), {})
        missing = nodes[[node not in targets_of for node in nodes.tolist()]]
        if len(missing):
            pairs = self._followed(missing, relation, inverse)
            self._cached += len(pairs.targets) + len(missing)
            if self._cached > _MOST_CACHED:
                self._near, self._cached = {}, 0
                targets_of = self._near.setdefault((relation, inverse), {})
                missing = nodes
                pairs = self._followed(nodes, relation, inverse)
            first = np.searchsorted(pairs.sources, missing, "left")
            last = np.searchsorted(pairs.sources, missing, "right")
            for node, start, end in zip(missing.tolist(), first, last, strict=True):
                targets_of[node] = pairs.targets[start:end]
        around = [targets_of[node] for node in nodes.tolist()]
        sizes = [len(targets) for targets in around]
        return Pairs(np.repeat(nodes, sizes), np.concatenate([nodes[:0], *around]))

    def _followed(self, nodes: Ids, relation: Term, inverse: bool) -> Pairs:
        sources, targets = list[int](), list[int]()
        store = self._store(relation)
        around = store.follow(self.terms(nodes), relation, inverse, limit=_DEGREE + 1)
        for node, steps in zip(nodes.tolist(), around, strict=True):
            if len(steps) > _DEGREE:
                if self.kg.pinned:
                    self._read(relation)
                    return self.step(nodes, relation, inverse)
                self.cut.add(f"only {_DEGREE:,} of the steps from {self.term(node)} were read")
            sources += [node] * len(steps)
            targets += [self._id(step.target) for step in steps]
        self.check_size(len(sources), relation)
        pairs = np.array([sources, targets], np.int64).reshape(2, -1)
        return Pairs(*np.unique(pairs, axis=1)) if len(sources) else Pairs(pairs[0], pairs[1])

    def _store(self, relation: Term) -> Store:
        return self.kg.store if self.kg.profile.skips(relation) else self.kg.walks

    def _read(self, relation: Term) -> tuple[Pairs, Pairs]:
        if relation not in self._whole:
            self._check_time()
            heads, tails = np.array(self._statements(relation), np.int64).reshape(-1, 2).T
            self._whole[relation] = (sorted_pairs(heads, tails), sorted_pairs(tails, heads))
        return self._whole[relation]

    def _statements(self, relation: Term) -> list[tuple[int, int]]:
        if not self.kg.reading.plain and not self.kg.profile.skips(relation):
            return self._facts().get(relation, [])
        pairs = list[tuple[int, int]]()
        for triple in self.kg.store.statements(relation):
            pairs.append((self._id(triple.head), self._id(node_of(triple.tail))))
            if len(pairs) % 100_000 == 0:
                self._check_time()
                self.check_size(len(pairs), relation)
        return pairs

    def _facts(self) -> dict[Term, list[tuple[int, int]]]:
        """Every fact by its relation."""
        if self._by_relation is None:
            by_relation: dict[Term, list[tuple[int, int]]] = {}
            for count, (head, relation, tail) in enumerate(self.kg.walks.facts()):
                by_relation.setdefault(relation, []).append(
                    (self._id(head), self._id(node_of(tail)))
                )
                if count % 100_000 == 0:
                    self._check_time()
                    self.check_size(count, relation)
            self._by_relation = by_relation
        return self._by_relation

    def _amounts(self, terms: Iterable[Term]) -> dict[Term, Term]:
        """Of the blank nodes that have one number and are shown as that with its unit, the text."""
        blank = [term for term in terms if is_blank(term)] if self.kg.pinned else []
        amounts = dict[Term, Term]()
        if not blank:
            return amounts
        names = self.kg.walk_labels.names(blank)
        for node, name, steps in zip(blank, names, self.neighbours(blank), strict=True):
            ends = [step.target for step in steps if not step.inverse and is_literal(step.target)]
            numbers = [end for end in ends if (value := value_of(end)) and not value.unit]
            shown = [readable(number, self.kg.profile) for number in numbers]
            if len(numbers) == 1 and name.startswith(f"{shown[0]} "):
                unit = without_number(name.removeprefix(f"{shown[0]} "))
                amounts[node] = to_term(ox.Literal(f"{lexical_form(numbers[0])} {unit}"))
        return amounts

    def _grow(self) -> None:
        """Make room for the values of new terms."""
        more = len(self._terms) - len(self._kinds)
        if more > 0:
            self._kinds = np.concatenate([self._kinds, np.full(more, _UNREAD, np.int8)])
            self._sizes = np.concatenate([self._sizes, np.full(more, np.nan)])
            self._unit_of = np.concatenate([self._unit_of, np.zeros(more, np.int32)])

    def _measure(self, number: int, term: Term) -> None:
        value = value_of(term)
        if value is None:
            self._kinds[number] = _TEXT
            return
        self._kinds[number] = DATE if value.unit == "date" else NUMBER
        self._sizes[number] = value.number
        unit = "" if value.unit == "date" else unit_of_datatype(value.unit, self.kg.profile)
        if unit not in self._units:
            self._units.append(unit)
        self._unit_of[number] = self._units.index(unit)

    def _check_time(self) -> None:
        look_up()
        if monotonic() > self._until:
            raise ShortageError("the query takes too long", "ask for less")


FactsLender: TypeAlias = Callable[[], AbstractContextManager[Facts]]
"""Lends facts that no other thread uses until they are given back."""


def distinct(numbers: Ids) -> Ids:
    """The set of some numbers; sorted ones are not sorted again."""
    steps = numbers[1:] - numbers[:-1]
    if len(numbers) < 2 or steps.min() > 0:
        return numbers
    if steps.min() < 0:
        numbers = np.sort(numbers)
        steps = numbers[1:] - numbers[:-1]
    return numbers[np.concatenate([[True], steps > 0])]


def sorted_pairs(sources: Ids, targets: Ids) -> Pairs:
    """The pairs by source, then target, each once.

    Each is sorted as one number, since there are fewer than 2**31 terms.
    """
    if not len(targets):
        return Pairs(sources, targets)
    width = int(targets.max()) + 1
    return Pairs(*np.divmod(distinct(np.sort(sources * width + targets)), width))


def starts_run(numbers: Ids) -> NDArray[np.bool_]:
    """Which of some numbers differ from the one before."""
    new = np.ones(len(numbers), bool)
    new[1:] = numbers[1:] != numbers[:-1]
    return new
