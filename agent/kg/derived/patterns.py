"""The layer of facts that the KG says by a node of their own, as the profile's patterns read them.

`Heart subClassOf r; r onProperty partOf; r someValuesFrom Body` is a fact from Heart to Body. The
node may be a member of a conjunction, an RDF list: who is a heart and beats, is a heart. A fact
connects IRIs, or an IRI and a literal; what leads to a node without a name is no fact by itself.

Facts are found from their heads, downwards, and from their tails, upwards. The triples behind a
fact are always those that are found downwards.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, islice, product
from typing import NamedTuple

from ...errors import ServiceError
from ..nodes import lexical_form
from ..patterns import FactPattern, PatternRelation, is_blank, pattern_relation
from ..profile import Profile
from ..store import Store, Way
from ..terms import Step, Term, Triple, is_iri, is_literal
from .conjunctions import FIRST, Conjunctions, along
from .layer import CheckedLayer, Derived, NodeSource, Plain, Run, first_steps, read_enough
from .merged import turned_back

_CHUNK = 1_000
_MOST_SAMPLED = 1_000
"""Steps by which the relations of a hub are looked for."""


class _Node(NamedTuple):
    """A node to which a head leads, along real triples; `member` where it is one of a list."""

    head: Term
    run: Run
    member: bool

    @property
    def term(self) -> Term:
        return self.run[-1].target


class _NodeTail(NamedTuple):
    """A pattern's node with a tail; `is_member` where the tail is one of a conjunction."""

    node: Term
    predicate: Term
    tail: Term
    is_member: bool = False


Proved = tuple[Triple, Run]
"""A fact and the real steps from its head to its tail."""


class PatternStore(Derived):
    """Implements `CheckedLayer`. Patterns that the source has no node of cost nothing."""

    def __init__(
        self,
        inner: CheckedLayer,
        store: Store,
        profile: Profile,
        written_facts: Callable[[Term], Iterable[Triple] | None] = lambda _: None,
        nodes: NodeSource | None = None,
    ) -> None:
        """`store` is the source, `written_facts` what patterns say of a relation, where written.

        Without the name of a relation it is of all. `nodes` has the triples of pattern's nodes
        where the source does not name them, and is not asked first whether there are any.
        """
        super().__init__(inner)
        self._inner = inner
        self._source = nodes or Plain(store)
        self._store = store
        self._profile = profile
        self._through = profile.through
        self._written_facts = written_facts
        self._is_asked_first = nodes is None

    @cached_property
    def _patterns(self) -> tuple[FactPattern, ...]:
        """Those that the source may have nodes of."""
        needed = {p: p.tails or self._profile.conjunctions for p in self._profile.patterns}
        return tuple(p for p, predicates in needed.items() if any(map(self._has_any, predicates)))

    @cached_property
    def _opening_predicates(self) -> set[Term]:
        """Those to tails of which the members are tails too."""
        return {tail for pattern in self._patterns if pattern.opens for tail in pattern.tails}

    @cached_property
    def _conjunctions(self) -> Conjunctions:
        predicates = filter(self._has_any, self._profile.conjunctions)
        return Conjunctions(self._source, tuple(predicates))

    def neighbours(
        self, nodes: Sequence[Term], *, inverse: bool = True, limit: int = 100_000
    ) -> list[list[Step]]:
        """The facts that leave each node, and with `inverse` those that reach it."""

        def read(some: Sequence[Term], most: int) -> list[list[Step]]:
            return self._inner.neighbours(some, inverse=inverse, limit=most)

        sources = [
            read_enough(nodes, limit, read, self._without_node_links),
            self._steps_from_heads(nodes, limit),
        ]
        if inverse:
            sources.append(self._steps_from_tails(nodes, limit))
        return [first_steps(chain(*steps), limit) for steps in zip(*sources, strict=True)]

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way, sorted by target."""

        def read(some: Sequence[Way], most: int) -> list[list[Step]]:
            return self._inner.follow_each(some, limit=most)

        plain = [way for way in ways if not pattern_relation(way.relation)]
        steps_of = dict(
            zip(plain, read_enough(plain, limit, read, self._without_node_links), strict=True)
        )
        ours = [way for way in ways if self._has_pattern_for(way.relation)]
        for inverse, find in ((False, self._steps_from_heads), (True, self._steps_from_tails)):
            asked = [way for way in ours if way.inverse == inverse]
            step_lists = find([way.node for way in asked], limit) if asked else []
            for way, steps in zip(asked, step_lists, strict=True):
                derived = (step for step in steps if step.triple.relation == way.relation)
                steps_of[way] = first_steps((*steps_of.get(way, ()), *derived), limit)
        return [list(steps_of.get(way, ())) for way in ways]

    def relations_at(self, nodes: Sequence[Term], inverse: bool) -> list[list[Term]]:
        """The relations of the facts that leave each node, or with `inverse` reach it; sorted."""
        relation_lists = self._inner.relations_at(nodes, inverse)
        doubtful = [
            Way(node, relation, inverse)
            for node, relations in zip(nodes, relation_lists, strict=True)
            for relation in self._through.intersection(relations)
        ]
        around = self._inner.follow_each(doubtful, limit=_MOST_SAMPLED) if doubtful else []
        named = {
            w
            for w, steps in zip(doubtful, self._without_node_links(doubtful, around), strict=True)
            if steps
        }
        derived = (self._steps_from_tails if inverse else self._steps_from_heads)(
            nodes, _MOST_SAMPLED
        )
        return [
            sorted(
                {r for r in known if r not in self._through or Way(node, r, inverse) in named}
                | {step.triple.relation for step in steps}
            )
            for node, known, steps in zip(nodes, relation_lists, derived, strict=True)
        ]

    def facts(self) -> Iterator[Triple]:
        """Every fact, each once. Those that patterns say are kept in memory, if not written."""
        written = self._written_facts("")
        unwritten = set(self.pattern_facts()) if written is None else set[Triple]()
        for fact in self._inner.facts():
            if fact not in unwritten and not self._leads_to_node(fact):
                yield fact
        yield from unwritten if written is None else written

    def of_relation(self, relation: Term) -> Iterator[Triple]:
        """The facts of one relation, each once; where they are not written, all are looked at."""
        plain = (t for t in self._store.statements(relation) if not self._leads_to_node(t))
        said_facts = self._written_facts(relation)
        if said_facts is None:
            said_facts = (fact for fact in set(self.pattern_facts()) if fact.relation == relation)
        yield from dict.fromkeys(chain(plain, said_facts))

    def pattern_facts(self) -> Iterator[Triple]:
        """Every fact that a pattern says; one may come several times. Reads the source once."""
        yield from self._facts_by_tails()
        if any(pattern.member_by for pattern in self._patterns):
            yield from self._facts_by_members()

    def _facts_by_tails(self) -> Iterator[Triple]:
        """The facts of all nodes with tails."""
        opening = self._opening_predicates
        for predicate in {tail: None for pattern in self._patterns for tail in pattern.tails}:
            for chunk in self._chunks(predicate):
                node_tails = [_NodeTail(*triple) for triple in chunk if not is_blank(triple.tail)]
                if predicate in opening:
                    apart = {triple.tail for triple in chunk} - {one.tail for one in node_tails}
                    members = self._conjunctions.members(sorted(apart))
                    node_tails.extend(
                        _NodeTail(head, predicate, run[-1].target, is_member=True)
                        for head, _, tail in chunk
                        for run in members.get(tail, ())
                    )
                for facts in self._heads_of(node_tails).values():
                    yield from facts

    def _facts_by_members(self) -> Iterator[Triple]:
        """The facts of all named members of conjunctions."""
        for predicate in self._conjunctions.predicates:
            for chunk in self._chunks(predicate):
                runs_of = self._conjunctions.members(sorted({t.head for t in chunk}), deepest=1)
                members = [(n, run[-1].target) for n, runs in runs_of.items() for run in runs]
                for facts in self._members_of(members).values():
                    yield from facts

    def is_one_way(self, triple: Triple) -> bool:
        """As in the layer below."""
        return not pattern_relation(triple.relation) and self._inner.is_one_way(triple)

    def has(self, triples: Sequence[Triple]) -> list[bool | None]:
        """Whether each triple is a fact."""
        plain = [triple for triple in triples if not pattern_relation(triple.relation)]
        held: dict[Triple, bool | None] = dict(zip(plain, self._inner.has(plain), strict=True))
        left = [t for t in triples if not held.get(t) and self._has_pattern_for(t.relation)]
        held.update(dict.fromkeys(self._runs(left), True))
        return [held.get(triple, False) for triple in triples]

    def expand(self, steps: Sequence[Step]) -> list[Run | None]:
        """The triple itself where the KG holds it, else those by which the node says it."""
        doubtful = list(
            dict.fromkeys(s.triple for s in steps if self._has_pattern_for(s.triple.relation))
        )
        real = [t for t in doubtful if not pattern_relation(t.relation)]
        stored = (
            {t for t, is_held in zip(real, self._inner.has(real), strict=True) if is_held}
            if real
            else set[Triple]()
        )
        ours = [triple for triple in doubtful if triple not in stored]
        runs, derived = self._runs(ours), set(ours)
        others = iter(self._inner.expand([step for step in steps if step.triple not in derived]))
        return [
            next(others)
            if step.triple not in derived
            else _walked(runs.get(step.triple), step.inverse)
            for step in steps
        ]

    # What the source has of patterns

    def _has_any(self, predicate: Term) -> bool:
        if not self._is_asked_first:
            return True
        try:
            return next(iter(self._store.statements(predicate)), None) is not None
        except ServiceError:
            return True

    def _chunks(self, predicate: Term) -> Iterator[list[Triple]]:
        statements = iter(self._source.statements(predicate))
        while chunk := list(islice(statements, _CHUNK)):
            yield chunk

    def _has_pattern_for(self, relation: Term) -> bool:
        """Whether patterns say facts of a relation."""
        made = pattern_relation(relation)
        if made:
            return any(pattern.name == made.pattern for pattern in self._patterns)
        return any(pattern.member_by == relation for pattern in self._patterns)

    def _leads_to_node(self, triple: Triple) -> bool:
        """Whether the triple is only part of what says a fact, or says nothing that is read."""
        return triple.relation in self._through and (is_blank(triple.tail) or is_blank(triple.head))

    def _without_node_links(
        self, _: Sequence[object], around: list[list[Step]]
    ) -> list[list[Step]]:
        return [[s for s in steps if not self._leads_to_node(s.triple)] for steps in around]

    def _along(
        self, ways: Sequence[tuple[Term, bool]], nodes: Sequence[Term], most: int
    ) -> list[list[Step]]:
        """The steps from each node by any of the ways, of the source."""
        around = along(self._source, nodes, ways, most)
        return [around.get(node, []) for node in nodes]

    # Downwards

    def _steps_from_heads(self, nodes: Sequence[Term], limit: int) -> list[list[Step]]:
        """The steps of the facts of each head."""
        ways = [way for pattern in self._patterns for way in pattern.heads]

        def derive(some: Sequence[Term], around: list[list[Step]]) -> list[list[Step]]:
            steps_of: defaultdict[Term, list[Step]] = defaultdict(list)
            for fact, _ in self._proved(chain.from_iterable(around)):
                steps_of[fact.head].append(Step(fact))
            return [steps_of[node] for node in some]

        wanted = [node for node in dict.fromkeys(nodes) if is_iri(node)] if ways else []
        by_node = dict(
            zip(wanted, read_enough(wanted, limit, partial(self._along, ways), derive), strict=True)
        )
        return [by_node.get(node, []) for node in nodes]

    def _proved(self, steps: Iterable[Step]) -> Iterator[Proved]:
        """The facts of heads, given the steps from them to nodes; one may come several times."""
        nodes = self._opened([_Node(step.source, (step,), False) for step in steps])
        steps_of = self._steps_of_patterns(nodes)
        for node, pattern in product(nodes, self._patterns):
            if _way_of(node.run[0]) not in pattern.heads:
                continue
            if pattern.member_by:
                if node.member and is_iri(node.term):
                    yield Triple(node.head, pattern.member_by, node.term), node.run
                continue
            around = steps_of[node.term]
            for relation, aside in _relations(pattern, around):
                yield from self._tails(
                    node, relation, aside, _steps_by(around, pattern.tails), pattern
                )

    def _steps_of_patterns(self, nodes: Sequence[_Node]) -> dict[Term, list[Step]]:
        """The steps from each node to relations, and where there are any to tails and numbers."""
        relations = {term for pattern in self._patterns for term in pattern.relations}
        steps_of = along(
            self._source, (node.term for node in nodes), ((term, False) for term in relations)
        )
        used = [term for term, around in steps_of.items() if around]
        predicates = {t for pattern in self._patterns for t in (*pattern.tails, *pattern.numbers)}
        parts = along(self._source, used, ((term, False) for term in predicates))
        return {n.term: [*steps_of.get(n.term, ()), *parts.get(n.term, ())] for n in nodes}

    def _tails(
        self, node: _Node, relation: Term, aside: Run, steps: Sequence[Step], pattern: FactPattern
    ) -> Iterator[Proved]:
        """The facts of one node by one relation."""
        for step in steps:
            run = (*node.run, *aside, step)
            if not is_blank(step.target):
                yield Triple(node.head, relation, step.target), run
            elif pattern.opens:
                for members in self._conjunctions.members([step.target]).values():
                    for on in members:
                        if is_iri(on[-1].target):
                            yield Triple(node.head, relation, on[-1].target), (*run, *on)

    def _opened(self, nodes: Sequence[_Node]) -> list[_Node]:
        """Nodes with the members of those that are conjunctions."""
        members = self._conjunctions.members(
            sorted({n.term for n in nodes if is_blank(n.term)}), with_blank=True
        )
        opened = [
            _Node(node.head, (*node.run, *run), True)
            for node in nodes
            for run in members.get(node.term, ())
        ]
        return [*nodes, *opened]

    def _runs(self, triples: Sequence[Triple]) -> dict[Triple, Run]:
        """The real steps from head to tail of facts; of several runs the shortest, then first."""
        distinct = set(triples)
        ways = [way for pattern in self._patterns for way in pattern.heads]
        around = (
            along(self._source, (t.head for t in triples if is_iri(t.head)), ways) if ways else {}
        )
        runs: dict[Triple, Run] = {}
        for fact, run in self._proved(chain.from_iterable(around.values())):
            if fact in distinct and (
                fact not in runs or (len(run), run) < (len(runs[fact]), runs[fact])
            ):
                runs[fact] = run
        return runs

    # Upwards

    def _steps_from_tails(self, nodes: Sequence[Term], limit: int) -> list[list[Step]]:
        """The steps of the facts that reach each tail, from the tail."""
        ways = [(tail, True) for pattern in self._patterns for tail in pattern.tails]
        if self._conjunctions.predicates and self._patterns:
            ways.append((FIRST, True))

        def derive(some: Sequence[Term], around: list[list[Step]]) -> list[list[Step]]:
            steps_of: defaultdict[Term, list[Step]] = defaultdict(list)
            for fact in self._facts_with_tails([step for steps in around for step in steps]):
                steps_of[fact.tail].append(Step(fact, True))
            return [steps_of[node] for node in some]

        wanted = [n for n in dict.fromkeys(nodes) if not is_blank(n)] if ways else []
        by_node = dict(
            zip(wanted, read_enough(wanted, limit, partial(self._along, ways), derive), strict=True)
        )
        return [by_node.get(node, []) for node in nodes]

    def _facts_with_tails(self, steps: Sequence[Step]) -> Iterator[Triple]:
        """The facts of tails, given the steps to them from nodes and lists."""
        triples = [step.triple for step in steps]
        node_tails = [_NodeTail(*triple) for triple in triples if triple.relation != FIRST]
        members = self._listed_members([t for t in triples if t.relation == FIRST])
        node_tails.extend(self._nodes_with_members(members))
        for facts in chain(self._heads_of(node_tails).values(), self._members_of(members).values()):
            yield from facts

    def _listed_members(self, cells: Sequence[Triple]) -> list[tuple[Term, Term]]:
        """The conjunctions of lists with their named members, given what the cells hold."""
        listed = [triple for triple in cells if is_iri(triple.tail)]
        conjunctions = self._conjunctions.of_cells(sorted({triple.head for triple in listed}))
        return [(owner, t.tail) for t in listed for owner in conjunctions.get(t.head, ())]

    def _nodes_with_members(self, members: Sequence[tuple[Term, Term]]) -> list[_NodeTail]:
        """The nodes of which a conjunction is the tail, given its members, each with a member."""
        owners = self._conjunctions.owners(sorted({owner for owner, _ in members}))
        above = along(
            self._source,
            {above for every in owners.values() for above in every},
            ((tail, True) for tail in self._opening_predicates),
        )
        return [
            _NodeTail(step.target, step.triple.relation, tail, is_member=True)
            for owner, tail in members
            for node in owners[owner]
            for step in above.get(node, ())
        ]

    def _heads_of(self, node_tails: Sequence[_NodeTail]) -> dict[_NodeTail, list[Triple]]:
        """The facts of nodes with tails."""
        if not node_tails:
            return {}
        nodes = sorted({node_tail.node for node_tail in node_tails})
        predicates = {t for p in self._patterns for t in (*p.relations, *p.numbers)}
        around = along(self._source, nodes, ((predicate, False) for predicate in predicates))
        heads = self._heads(nodes)
        facts: defaultdict[_NodeTail, list[Triple]] = defaultdict(list)
        for node_tail, pattern in product(node_tails, self._patterns):
            if node_tail.predicate not in pattern.tails:
                continue
            if node_tail.is_member and not pattern.opens:
                continue
            for relation, _ in _relations(pattern, around.get(node_tail.node, ())):
                facts[node_tail].extend(
                    Triple(head, relation, node_tail.tail)
                    for head, way in heads.get(node_tail.node, ())
                    if way in pattern.heads
                )
        return facts

    def _members_of(self, members: Sequence[tuple[Term, Term]]) -> dict[Term, list[Triple]]:
        """The facts of named members of conjunctions, given each with its conjunction."""
        heads = self._heads(sorted({owner for owner, _ in members}))
        facts: defaultdict[Term, list[Triple]] = defaultdict(list)
        for (owner, tail), pattern in product(members, self._patterns):
            if pattern.member_by and is_iri(tail):
                facts[tail].extend(
                    Triple(head, pattern.member_by, tail)
                    for head, way in heads.get(owner, ())
                    if way in pattern.heads
                )
        return facts

    def _heads(self, nodes: Sequence[Term]) -> Mapping[Term, list[tuple[Term, tuple[Term, bool]]]]:
        """The heads that lead to each node, or to a conjunction that it is in; with their ways."""
        owners = self._conjunctions.owners(nodes)
        ways = {way for pattern in self._patterns for way in pattern.heads}
        around = along(
            self._source,
            {owner for owners_of_node in owners.values() for owner in owners_of_node},
            ((predicate, not inverse) for predicate, inverse in ways),
        )
        return {
            node: [
                (step.target, (step.triple.relation, not step.inverse))
                for owner in owners_of_node
                for step in around.get(owner, ())
                if is_iri(step.target)
            ]
            for node, owners_of_node in owners.items()
        }


def _way_of(step: Step) -> tuple[Term, bool]:
    """The predicate of a step, and whether it is walked from tail to head."""
    return step.triple.relation, step.inverse


def _steps_by(steps: Iterable[Step], predicates: Sequence[Term]) -> list[Step]:
    return [step for step in steps if step.triple.relation in predicates]


def _relations(pattern: FactPattern, around: Sequence[Step]) -> Iterator[tuple[Term, Run]]:
    """The relations that a node names, each with the steps to what it is made of and back."""
    numbers: list[Step | None] = [
        step for step in _steps_by(around, pattern.numbers) if is_literal(step.target)
    ]
    for step in _steps_by(around, pattern.relations):
        if is_iri(step.target):
            for number in numbers or ([] if pattern.numbers else [None]):
                aside = (step,) if number is None else (step, number)
                text = lexical_form(number.target) if number else ""
                made = PatternRelation(pattern.name, step.target, text)
                yield made.term, tuple(chain(*((s, Step(s.triple, True)) for s in aside)))


def _walked(run: Run | None, inverse: bool) -> Run | None:
    return turned_back(run) if run and inverse else run
