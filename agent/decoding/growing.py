"""An index that grows where a walk goes, for an endpoint or a store that is too large to be read.

It belongs to one question. Nodes are looked up in batches when the walk gets to them; a look-up
brings their runs, in the order that `build_index` puts them in, and the names of what they lead to.
Behind a hub only those names are asked for that the walk goes on to read.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ..kg.terms import Step, Term
from .arrays import EMPTY, Array, distinct, positions, spans
from .graph_index import runs_of
from .model import Tokenizer
from .units import Branch, DistinctUnits, Tokens, UnitStyle, UnitTable, always, tokenize, unit_style
from .wire import escape, spell_relation


class GrowingArray:
    """A flat array whose appending takes amortised constant time for each value."""

    def __init__(self, values: ArrayLike, dtype: DTypeLike = np.int64) -> None:
        self._buffer = np.array(values, dtype)
        self._size = len(self._buffer)

    def __len__(self) -> int:
        return self._size

    def extend(self, values: ArrayLike) -> None:
        """Append some values."""
        new = np.asarray(values, self._buffer.dtype)
        size = self._size + len(new)
        if size > len(self._buffer):
            self._buffer = np.resize(self._buffer, max(size, 2 * len(self._buffer)))
        self._buffer[self._size : size] = new
        self._size = size

    @property
    def array(self) -> Array:
        """All values so far; what is appended later may be in another array."""
        return self._buffer[: self._size]


class GrowingTerms:
    """Terms by number, in the order in which they were met, and back."""

    def __init__(self) -> None:
        self._terms: list[Term] = []
        self._numbers: dict[Term, int] = {}

    def __len__(self) -> int:
        return len(self._terms)

    def __getitem__(self, index: int) -> Term:
        return self._terms[index]

    def find(self, text: str) -> int | None:
        """The number of a term, or None."""
        return self._numbers.get(text)

    def numbers(self, terms: Iterable[Term]) -> Array:
        """The numbers of terms that were met."""
        return np.array([self._numbers[term] for term in terms], np.int64)

    def meet(self, terms: Iterable[Term]) -> int:
        """Append, in their order, those of the terms that are new; how many those are."""
        new = sorted({term for term in terms if term not in self._numbers})
        self._numbers.update((term, number) for number, term in enumerate(new, len(self._terms)))
        self._terms += new
        return len(new)


_MOST = 500_000
"""Names whose tokens are kept at most."""


class NameTokens:
    """The style of a tokenizer, and the tokens of the names that it was asked for before.

    One serves all questions: which names it has seen changes the time that it takes, and nothing
    else.
    """

    def __init__(self, tokenizer: Tokenizer, style: UnitStyle | None = None) -> None:
        """Without a `style`, it is the one in which the tokenizer spells plain names."""
        self.style = style or unit_style(tokenizer, [])
        self._tokenizer = tokenizer
        self._known: dict[str, Tokens] = {}

    def __call__(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text."""
        tokens_of = {text: unit for text in texts if (unit := self._known.get(text)) is not None}
        new = list(dict.fromkeys(text for text in texts if text not in tokens_of))
        made = dict(zip(new, tokenize(self._tokenizer, new), strict=True))
        if len(self._known) + len(made) > _MOST:
            self._known.clear()
        self._known.update(made)
        tokens_of.update(made)
        return [tokens_of[text] for text in texts]


class GrowingUnits:
    """`Units` of what is asked for; they stay pairwise different.

    Units are made, and colliding ones numbered, in the order in which they are asked for; those
    that are asked for together in the order of their numbers.
    """

    def __init__(
        self, tokens: NameTokens, lead: str, spell: Callable[[Sequence[int]], list[str]]
    ) -> None:
        """The unit of a number is `lead` and what `spell` says, an escaped name."""
        self._spell = spell
        self._distinct = DistinctUnits(tokens, lead)
        self._arrow = tokens.style.arrow
        self._rows = GrowingArray([])
        """The row of each name in the table; -1 where it has none."""
        self._tokens, self._starts = GrowingArray([], np.int32), GrowingArray([0])
        self._table = UnitTable(self._tokens.array, self._starts.array, self._arrow)

    def unit(self, name: int) -> Tokens:
        """The tokens of one name."""
        row = self._rows_of(np.array([name])).item()
        return self._table.unit(row)

    def read(self, names: Array, depth: int) -> Array:
        """For each of the names, whether it has no more than `depth` tokens."""
        rows = self._rows_of(names)
        return self._table.read(rows, depth)

    def fork(
        self, names: Array, depth: int, goes_on: Callable[[int], bool] = always
    ) -> tuple[list[Branch], int | None]:
        """How names that share `depth` tokens go on, as in `UnitTable`."""
        rows = self._rows_of(names)
        return self._table.fork(rows, depth, goes_on)

    def ordered(self, names: Array) -> Array:
        """Some names in the order of their units."""
        keys = [self._table.unit(row) + self._arrow for row in self._rows_of(names).tolist()]
        return names[sorted(range(len(keys)), key=keys.__getitem__)]

    def _rows_of(self, names: Array) -> Array:
        """Where the units of the names are in the table, made if they were not."""
        more = int(names.max(initial=-1)) + 1 - len(self._rows)
        self._rows.extend([-1] * more)
        new = np.unique(names[self._rows.array[names] < 0])
        if len(new):
            units = self._distinct.make(self._spell(new.tolist()))
            self._rows.array[new] = np.arange(len(units)) + len(self._table)
            self._tokens.extend([token for unit in units for token in unit])
            self._starts.extend(np.cumsum([len(unit) for unit in units]) + self._starts.array[-1])
            self._table = UnitTable(self._tokens.array, self._starts.array, self._arrow)
        return self._rows.array[names]


class Neighbourhood(Protocol):
    """All that a growing index asks of a KG. After an error the index may be asked again."""

    def neighbours(self, nodes: Sequence[Term]) -> list[list[Step]]:
        """The steps that leave each node, in both directions and in any order.

        What it leaves out, such as steps beyond a limit, no walk will take.
        """
        ...

    def names(self, terms: Sequence[Term]) -> list[str]:
        """A name for each term."""
        ...


class GrowingIndex:
    """A `GraphIndex` of what was looked up so far; it has no walk that the whole index has not.

    That is, where a name is a term's own, as in a label index. An endpoint tells homonyms apart
    only within one look-up; those of different ones are numbered like names that tokenise alike.

    A walk has the same tokens as in the whole index, but for names that tokenise alike: those are
    numbered among the names that were asked for, so that one of them may go without a number, and
    which one depends on the way of the walk; within a look-up it is the order of their terms.
    """

    whole = False

    def __init__(
        self, neighbourhood: Neighbourhood, tokens: NameTokens, *, small_run: int = 100
    ) -> None:
        """Begin with nothing; `tokens` may be shared with other indexes.

        Runs of up to `small_run` edges are put in order together with the look-up of their node.
        Names behind longer ones are asked for when a walk takes one. For relation paths 0 is best.
        """
        self.requests = 0
        """Look-ups: each asks the graph once for steps, or once for names, or once for both."""
        self.style = tokens.style
        self.entities = GrowingTerms()
        self.relations = GrowingTerms()
        self.entity_table = GrowingUnits(tokens, self.style.lead, self._spell_entities)
        self.relation_table = GrowingUnits(tokens, self.style.lead, self._spell_relations)
        self.entity_openings = GrowingUnits(tokens, "", self._spell_entities)
        """How the entities are spelled right after an opening tag."""
        self.relation_openings = GrowingUnits(tokens, "", self._spell_relations)
        """How the relations are spelled there, in both directions."""
        self._neighbourhood = neighbourhood
        self._small_run = small_run
        self._names: dict[Term, str] = {}
        self._absent: set[Term] = set()
        """Terms that were looked up, and that no fact holds."""
        self._first, self._last = GrowingArray([]), GrowingArray([])
        """The first run of each node and the end of its last; -1 where it was not looked up."""
        self._run_relation, self._run_edges = GrowingArray([]), GrowingArray([0])
        self._run_order = GrowingArray([], bool)
        """Whether the edges of each run are in order."""
        self._edge_target = GrowingArray([])

    @property
    def run_relation(self) -> Array:
        """The relation of each run."""
        return self._run_relation.array

    @property
    def run_edges(self) -> Array:
        """The first edge of each run, and the end of the last."""
        return self._run_edges.array

    @property
    def edge_target(self) -> Array:
        """The node that each edge reaches."""
        return self._edge_target.array

    def find(self, terms: Sequence[Term]) -> list[int | None]:
        """The node of each term, None where no fact holds it; looked up if they were not before."""
        nodes = [self.entities.find(term) for term in terms]
        new = {
            term
            for term, node in zip(terms, nodes, strict=True)
            if (term not in self._absent if node is None else self._first.array[node] < 0)
        }
        if new:
            self._look_up(new, EMPTY, with_names=True)
        return [self.entities.find(term) for term in terms]

    def missing(self, nodes: Array) -> Array:
        """Those of the nodes that were not looked up."""
        return nodes[self._first.array[nodes] < 0]

    def disordered(self, runs: Array) -> Array:
        """Those of the runs whose edges are not in order."""
        return runs[~self._run_order.array[runs]]

    def fetch(self, nodes: Array = EMPTY, runs: Array = EMPTY) -> None:
        """Look up, at once, what leaves the nodes and how the targets of the runs are called."""
        nodes, runs = self.missing(nodes), self.disordered(runs)
        if len(nodes) or len(runs):
            self._look_up({self.entities[node] for node in nodes.tolist()}, runs)

    def leaving(self, node: int) -> tuple[int, int]:
        """The first run of a node and the end of its last; looked up where it is missing."""
        if self._first.array[node] < 0:
            self.fetch(np.array([node]))
        return self._first.array.item(node), self._last.array.item(node)

    def runs(self, nodes: Array) -> Array:
        """Every run that leaves one of the nodes, in the order of the nodes; looked up likewise."""
        self.fetch(nodes)
        return spans(self._first.array[nodes], self._last.array[nodes])

    def edges(self, runs: Array) -> Array:
        """Every edge of the runs, in their order."""
        return spans(self.run_edges[runs], self.run_edges[runs + 1])

    # Look-ups.

    def _look_up(self, terms: Collection[Term], runs: Array, *, with_names: bool = False) -> None:
        """Learn what leaves `terms`, if `with_names` their own names, and put `runs` in order."""
        unknown_terms = sorted(terms)
        answers = self._neighbourhood.neighbours(unknown_terms) if unknown_terms else []
        leaving = {
            term: list(dict.fromkeys(steps))
            for term, steps in zip(unknown_terms, answers, strict=True)
            if steps
        }
        new = self._name(self._unnamed(leaving, runs) | (leaving.keys() if with_names else set()))
        self.requests += bool(unknown_terms) or new
        every = [step for steps in leaving.values() for step in steps]
        met = self.entities.meet({*leaving, *(step.target for step in every)})
        self.relations.meet({step.triple.relation for step in every})
        self._first.extend([-1] * met)
        self._last.extend([-1] * met)
        self._absent.update(term for term in unknown_terms if self.entities.find(term) is None)
        known = [term for term in unknown_terms if self.entities.find(term) is not None]
        added = self._add(self.entities.numbers(known), [leaving.get(term, []) for term in known])
        sizes = self.run_edges[added + 1] - self.run_edges[added]
        self._sort(np.concatenate([runs, added[sizes <= self._small_run]]))

    def _unnamed(self, leaving: Mapping[Term, Sequence[Step]], runs: Array) -> set[Term]:
        """What needs a name: relations, and the targets of the runs that will be in order."""
        targets = defaultdict[tuple[Term, Term, bool], list[Term]](list)
        for source, steps in leaving.items():
            for step in steps:
                targets[source, step.triple.relation, step.inverse].append(step.target)
        terms = {relation for _, relation, _ in targets}
        terms.update(
            term for few in targets.values() if len(few) <= self._small_run for term in few
        )
        terms.update(self.entities[node] for node in self.edge_target[self.edges(runs)].tolist())
        return terms

    def _name(self, terms: Iterable[Term]) -> bool:
        """Whether any of the names had to be asked for."""
        new = sorted({term for term in terms if term not in self._names})
        if new:
            names = self._neighbourhood.names(new)
            self._names.update(zip(new, map(escape, names), strict=True))
        return bool(new)

    def _spell_entities(self, nodes: Sequence[int]) -> list[str]:
        terms = [self.entities[node] for node in nodes]
        self.requests += self._name(terms)
        return [self._names[term] for term in terms]

    def _spell_relations(self, relations: Sequence[int]) -> list[str]:
        return [
            spell_relation(self._names[self.relations[walked // 2]], bool(walked % 2))
            for walked in relations
        ]

    # Arrays.

    def _add(self, nodes: Array, leaving: Sequence[Sequence[Step]]) -> Array:
        """Append what leaves some nodes; the numbers of its runs, which are in no order yet."""
        every = [step for steps in leaving for step in steps]
        source = np.repeat(np.arange(len(leaving)), [len(steps) for steps in leaving])
        inverse = np.array([step.inverse for step in every], np.int64)
        walked = 2 * self.relations.numbers(step.triple.relation for step in every) + inverse
        target = self.entities.numbers(step.target for step in every)
        ranks = positions(walked, self.relation_table.ordered(distinct(walked)))
        steps = runs_of(source, walked, target, ranks, target)
        runs = np.searchsorted(steps.source, np.arange(len(nodes) + 1)) + len(self._run_relation)
        self._first.array[nodes], self._last.array[nodes] = runs[:-1], runs[1:]
        self._run_relation.extend(steps.relation)
        self._run_order.extend(np.zeros(len(steps.relation)))
        self._run_edges.extend(steps.edges[1:] + len(self._edge_target))
        self._edge_target.extend(steps.target)
        return np.arange(runs[0], runs[-1])

    def _sort(self, runs: Array) -> None:
        """Put the edges of some runs in the order of their targets, all of which have names."""
        edges = self.edges(runs)
        targets = self.edge_target[edges]
        owners = np.repeat(np.arange(len(runs)), self.run_edges[runs + 1] - self.run_edges[runs])
        ranks = positions(targets, self.entity_table.ordered(distinct(targets)))
        self._edge_target.array[edges] = targets[np.lexsort((ranks, owners))]
        self._run_order.array[runs] = True
