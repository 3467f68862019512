"""The blank nodes of an endpoint by which facts are said, as OWL's restrictions are.

Such a node has no name outside one answer, so no query can ask about it. But a query can ask for
all that an IRI says by such nodes: one answer has the nodes with what is said of them, and each is
called after that. To check triples of such nodes is to ask whether any node has all of them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import chain
from time import monotonic
from typing import NamedTuple

from ....caching import Recent, once
from ...derived.conjunctions import FIRST, REST
from ...nodes import lexical_form, literal_tag
from ...patterns import PatternRelation, is_blank
from ...profile import Profile
from ...store import Way
from ...terms import Step, Term, Triple, is_iri, is_literal
from .beside import side_by_side
from .client import Answer, SparqlClient
from .queries import Pattern, Query, Scope, can_ask, counting, in_graphs, spell, values
from .scan import in_batches, incomplete, number, read_all

_PREFIX = "_:said"
_MOST_HEADS = 47
_MOST_TAILS = 23
_MOST_ROWS = 10_000
_MOST_CHECKED = 40
"""Groups of triples that are checked by one request."""
_SECONDS = 10.0
"""How long what was read holds."""
_MOST_REMEMBERED = 2_000
_MOST_NODES = 200_000
_CHUNK = 470

_Around = Mapping[Term, Sequence[Step]]
"""The steps that lead to blank nodes, or from them, by what they leave."""


def is_described(term: Term) -> bool:
    """Whether the term is a blank node that is called after what an endpoint says of it."""
    return term.startswith(_PREFIX)


class _Said(NamedTuple):
    """What an IRI says by blank nodes, and until when that holds."""

    until: float
    around: _Around


class _Heads(NamedTuple):
    """The IRIs from which blank nodes lead to a term; `limit` of them, or all."""

    until: float
    limit: int
    terms: Sequence[Term]


class UnnamedNodes:
    """Reads the blank nodes that the patterns of a profile go through, from IRIs on both sides.

    Every method raises ServiceError. Safe to share between threads.
    """

    def __init__(
        self,
        client: SparqlClient,
        profile: Profile,
        follow_each: Callable[..., list[list[Step]]],
    ) -> None:
        """`follow_each` is that of the store, for nodes that have names."""
        patterns = profile.patterns
        self._client = client
        self._follow_named = follow_each
        self._scope = Scope(client.settings.graphs)
        self._patterns = patterns
        self._head_ways = tuple(dict.fromkeys(way for p in patterns for way in p.heads))
        self._conjunctions = profile.conjunctions
        lists = (*profile.conjunctions, FIRST, REST) if profile.conjunctions else ()
        parts = (term for p in patterns for term in (*p.relations, *p.tails, *p.numbers))
        self._inside = tuple(dict.fromkeys((*parts, *lists)))
        """The predicates of what is said of nodes."""
        tail_predicates = tuple(dict.fromkeys(tail for p in patterns for tail in p.tails))
        listed = f"{_either(lists)}*" if lists else "(<urn:none>?)"
        self._through = f"{listed}/({_either(tail_predicates)}/{listed})?" if lists else listed
        """The path from the first nodes to others: through lists, and a tail that is one."""
        self._to_tails = tuple(dict.fromkeys((*tail_predicates, *lists[-2:-1])))
        self.predicates = frozenset((*self._inside, *(term for term, _ in self._head_ways)))
        """Those of the triples of such nodes that are read."""
        self._said: Recent[Term, _Said] = Recent(_MOST_REMEMBERED)
        self._heads_of: Recent[Term, _Heads] = Recent(_MOST_REMEMBERED)
        self._head_of: Recent[Term, Term] = Recent(_MOST_NODES)
        self._named_too = once(self._has_named)

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way to or from a node, sorted by target: `limit`, or all.

        A request for 47 nodes from which patterns lead, two after one another for 23 tails; more
        where nodes have names.
        """
        unnamed, named = side_by_side(
            partial(self._follow_unnamed, ways, limit),
            partial(self._follow_named, ways, limit=limit) if self._named_too() else list,
        )
        steps_of = {way: steps for way, steps in zip(ways, named, strict=False)}
        return [
            sorted((*steps_of.get(way, ()), *unnamed.get(way, ())), key=lambda step: step.target)[
                :limit
            ]
            for way in ways
        ]

    def _has_named(self) -> bool:
        """Whether any node of a pattern has a name."""
        said = {term for p in self._patterns for term in p.relations}
        there = in_graphs(self._scope, f"?n {_either(sorted(said))} ?p .")
        text = f"SELECT ?n WHERE {{ {there} FILTER(isIRI(?n)) }} LIMIT 1"
        return bool(said) and bool(self._client.select(Query(text, ("n",))).rows)

    def _follow_unnamed(self, ways: Sequence[Way], limit: int) -> dict[Way, list[Step]]:
        """The steps of each way that leave a blank node or lead to one."""
        asked = [way for way in dict.fromkeys(ways) if way.relation in self.predicates]
        tails = [way.node for way in asked if way.inverse and way.relation in self._to_tails]
        heads_of = self._heads(dict.fromkeys(filter(_is_named, tails)), limit)
        starts = {w.node for w in asked if is_iri(w.node) and (w[1], w[2]) in self._head_ways}
        owners = {way.node: self._head_of.get(way.node) for way in asked if is_blank(way.node)}
        wanted = {*starts, *chain.from_iterable(heads_of.values()), *filter(None, owners.values())}
        around = self._read(sorted(wanted))
        steps_of: dict[Way, list[Step]] = {}
        for way in asked:
            owner = owners.get(way.node)
            sources = [owner] if owner else [*heads_of.get(way.node, ())]
            sources += [way.node] if way.node in starts else []
            steps = dict.fromkeys(
                step
                for source in dict.fromkeys(sources)
                for step in around[source].get(way.node, ())
                if (step.triple.relation, step.inverse) == way[1:]
            )
            steps_of[way] = [*steps]
        return steps_of

    def statements(self, predicate: Term) -> Iterator[Triple]:
        """Every triple of one predicate to or from a node."""
        if self._named_too():
            yield from read_all(self._client, Pattern(relation=predicate), self._scope)
        heads = self._every_head()
        for first in range(0, len(heads), _CHUNK):
            for around in self._read(heads[first : first + _CHUNK]).values():
                yield from dict.fromkeys(
                    step.triple
                    for steps in around.values()
                    for step in steps
                    if step.triple.relation == predicate
                )

    def relations(self) -> dict[Term, int]:
        """The relations of facts that nodes say, each with how many nodes say one."""
        patterns: list[str] = []
        for pattern in self._patterns:
            if pattern.relations and pattern.tails:
                tails = _either(pattern.tails)
                if pattern.opens and self._conjunctions:
                    tails += f"/({_either(self._conjunctions)}/{REST}*/{FIRST})*"
                said = f"?n {_either(pattern.relations)} ?p . ?n {tails} ?t ."
                counted = f"?n {_either(pattern.numbers)} ?m ." if pattern.numbers else ""
                name = spell(f'"{pattern.name}"')
                there = in_graphs(self._scope, f"{said} {counted}")
                named = "FILTER(isIRI(?p)) FILTER(!isBlank(?t))"
                patterns.append(f"{{ {there} {named} BIND({name} AS ?k) }}")
        if not patterns:
            return {}
        text = (
            f"SELECT ?k ?p ?m (COUNT(*) AS ?count) WHERE {{ {' UNION '.join(patterns)} }} "
            "GROUP BY ?k ?p ?m"
        )
        counts: dict[Term, int] = {}
        for kind, prop, size, count in self._client.select(
            Query(text, ("k", "p", "m", "count"))
        ).rows:
            if kind and prop and count:
                made = PatternRelation(lexical_form(kind), prop, lexical_form(size or ""))
                counts[made.term] = int(lexical_form(count))
        return counts

    def _every_head(self) -> list[Term]:
        """All IRIs that lead to blank nodes."""
        there = in_graphs(self._scope, f"?h {self._path_from_head()} ?n .")
        inner = f"SELECT DISTINCT ?h WHERE {{ {there} FILTER(isIRI(?h)) FILTER(isBlank(?n)) }}"
        asked = Query(inner, ("h",))
        heads = [head for (head,) in self._client.select(asked).rows if head]
        if len(heads) != number(self._client, counting(asked)):
            raise incomplete(self._client)
        return sorted(heads)

    def _heads(self, tails: Iterable[Term], limit: int) -> dict[Term, Sequence[Term]]:
        """The IRIs that lead to each tail through blank nodes: `limit`, or all."""
        now = monotonic()
        cached_heads = {tail: self._heads_of.get(tail) for tail in tails}
        heads = {
            tail: cached.terms
            for tail, cached in cached_heads.items()
            if cached and cached.until > now and (limit <= cached.limit or _is_all(cached))
        }
        asked = [tail for tail in cached_heads if tail not in heads and can_ask(tail)]

        def query(batch: Sequence[Term]) -> Query:
            patterns: list[str] = []
            path = f"{self._path_from_head()}/{self._through}/{_either(self._to_tails)}"
            for tail in map(spell, batch):
                inner = in_graphs(self._scope, f"?h {path} {tail} .")
                some = f"SELECT DISTINCT ?h WHERE {{ {inner} FILTER(isIRI(?h)) }} LIMIT {limit}"
                patterns.append(f"{{ {{ {some} }} BIND({tail} AS ?t) }}")
            return Query(f"SELECT ?t ?h WHERE {{ {' UNION '.join(patterns)} }}", ("t", "h"))

        def spoilt(batch: Sequence[Term], answer: Answer) -> bool:
            return answer.cut and len(answer.rows) < limit * len(batch)

        most = max(1, min(_MOST_TAILS, _MOST_ROWS // limit))
        for batch, answer in in_batches(self._client, asked, query, most=most, spoilt=spoilt):
            if spoilt(batch, answer):
                raise incomplete(self._client)
            of_batch: dict[Term, list[Term]] = {tail: [] for tail in batch}
            for tail, head in answer.rows:
                if head is not None and tail in of_batch:
                    of_batch[tail].append(head)
            heads |= of_batch
        until = now + _SECONDS
        self._heads_of.put({tail: _Heads(until, limit, heads[tail]) for tail in asked})
        return heads

    def _read(self, heads: Sequence[Term]) -> dict[Term, _Around]:
        """What each IRI says by blank nodes."""
        now = monotonic()
        known = {head: self._said.get(head) for head in heads}
        around = {head: said.around for head, said in known.items() if said and said.until > now}
        asked = [head for head in heads if head not in around and can_ask(head)]
        for batch, answer in in_batches(self._client, asked, self._saying, most=_MOST_HEADS):
            if answer.cut and len(answer.rows) != number(
                self._client, counting(self._saying(batch))
            ):
                raise incomplete(self._client)
            said_by: dict[Term, list[tuple[Term, ...]]] = {head: [] for head in batch}
            for head, *said in answer.rows:
                terms = [term for term in said if term is not None]
                if head in said_by and len(terms) == len(said):
                    said_by[head].append((*terms,))
            for head, rows in said_by.items():
                around[head] = self._steps_with_names(head, rows)
        self._said.put({head: _Said(now + _SECONDS, around[head]) for head in asked})
        nodes = ((node, head) for head in asked for node in around[head] if is_blank(node))
        self._head_of.put(dict(nodes))
        return {head: around.get(head, {}) for head in heads}

    def _saying(self, heads: Sequence[Term]) -> Query:
        """What nodes say that heads lead to, in rows of one triple each.

        They are the head, the number of the way to the first node, that node, and the triple.
        """
        ways: list[str] = []
        for index, (predicate, inverse) in enumerate(self._head_ways):
            link = f"?n {spell(predicate)} ?h ." if inverse else f"?h {spell(predicate)} ?n ."
            inside = f"{link} FILTER(isBlank(?n)) ?n {self._through} ?s . ?s ?p ?o ."
            there = in_graphs(self._scope, f"{inside} FILTER(isBlank(?s))")
            ways.append(f'{{ {values("?h", zip(heads))} {there} BIND("{index}" AS ?w) }}')
        said = f"FILTER(?p IN ({', '.join(map(spell, self._inside))}))"
        text = f"SELECT DISTINCT ?h ?w ?n ?s ?p ?o WHERE {{ {' UNION '.join(ways)} {said} }}"
        return Query(text, ("h", "w", "n", "s", "p", "o"), with_blanks=True)

    def _steps_with_names(self, head: Term, rows: Iterable[tuple[Term, ...]]) -> _Around:
        """The steps that a head says, with names for the nodes; those of one answer are forgotten.

        What is said alike is one node.
        """
        pairs_of: defaultdict[Term, dict[tuple[Term, Term], None]] = defaultdict(dict)
        starts: dict[tuple[int, Term], None] = {}
        for way, first, node, predicate, term in rows:
            starts[int(lexical_form(way)), first] = None
            pairs_of[node][predicate, term] = None
        marks = _marks(pairs_of)
        around: defaultdict[Term, dict[Step, None]] = defaultdict(dict)

        def add(triple: Triple) -> None:
            around[triple.head][Step(triple)] = None
            around[triple.tail][Step(triple, True)] = None

        for way, first in starts:
            predicate, inverse = self._head_ways[way]
            root = _digest(head, predicate, str(inverse), marks[first])

            def name(term: Term, root: str = root) -> Term:
                return f"{_PREFIX}{_digest(root, marks[term])}" if is_blank(term) else term

            ends = (name(first), head) if inverse else (head, name(first))
            add(Triple(ends[0], predicate, ends[1]))
            left, seen_nodes = [first], {first}
            while left:
                node = left.pop()
                for inner, term in pairs_of.get(node, ()):
                    add(Triple(name(node), inner, name(term)))
                    if is_blank(term) and term not in seen_nodes:
                        seen_nodes.add(term)
                        left.append(term)
        return {term: [*steps] for term, steps in around.items()}

    def _path_from_head(self) -> str:
        """The path from heads to the first nodes."""
        return _either([f"^{spell(p)}" if inverse else spell(p) for p, inverse in self._head_ways])


def holds_described(
    client: SparqlClient, scope: Scope, triples: Sequence[Triple]
) -> dict[Triple, bool | None]:
    """Whether there are nodes of which all triples hold that have one such node in common.

    None where the endpoint did not say, or may write a number otherwise. Raises ServiceError.
    """
    verdict_of: dict[Triple, bool | None] = dict.fromkeys(triples)
    for batch, answer in in_batches(
        client, _groups(triples), lambda batch: holding(batch, scope), most=_MOST_CHECKED
    ):
        verdicts = {lexical_form(index or ""): value for index, value in answer.rows}
        for index, group in enumerate(batch):
            verdict = verdicts.get(str(index), "")
            is_typed = any(is_literal(t.tail) and ":" in literal_tag(t.tail) for t in group)
            absent = False if verdict is None and not is_typed else None
            verdict_of |= dict.fromkeys(group, True if verdict == '"yes"' else absent)
    return verdict_of


def holding(groups: Sequence[Sequence[Triple]], scope: Scope) -> Query:
    """Whether all triples of each group hold of some nodes: rows of its number and "yes"."""
    patterns: list[str] = []
    for index, group in enumerate(groups):
        nodes = sorted({end for t in group for end in (t.head, t.tail) if is_described(end)})
        names = {node: f"?b{number}" for number, node in enumerate(nodes)}
        spelled = (" ".join(names.get(term) or spell(term) for term in t) for t in group)
        there = in_graphs(scope, "".join(f"{triple} . " for triple in spelled))
        blank = " ".join(f"FILTER(isBlank({name}))" for name in names.values())
        one = f'SELECT ("yes" AS ?held) WHERE {{ {there} {blank} }} LIMIT 1'
        patterns.append(f'{{ BIND("{index}" AS ?i) OPTIONAL {{ {{ {one} }} }} }}')
    return Query(f"SELECT ?i ?held WHERE {{ {' UNION '.join(patterns)} }}", ("i", "held"))


def _groups(triples: Sequence[Triple]) -> list[list[Triple]]:
    """Triples with those that they have a described node in common with, directly or not."""
    group_of: dict[Term, list[Triple]] = {}
    for triple in dict.fromkeys(triples):
        ends = [end for end in (triple.head, triple.tail) if is_described(end)]
        groups = {id(group_of[end]): group_of[end] for end in ends if end in group_of}
        joined = [triple, *chain.from_iterable(groups.values())]
        for other in joined:
            group_of |= {end: joined for end in (other.head, other.tail) if is_described(end)}
    return [*{id(group): group for group in group_of.values()}.values()]


def _marks(pairs_of: Mapping[Term, Iterable[tuple[Term, Term]]]) -> dict[Term, str]:
    """What tells each node from those of which other things are said.

    In a circle the name of a node in this answer stands for what is said of it.
    """
    marks: dict[Term, str] = {}
    below = {node: [t for _, t in pairs if is_blank(t)] for node, pairs in pairs_of.items()}
    for start in chain(pairs_of, *below.values()):
        stack, opened = [start], set[Term]()
        while stack:
            node = stack[-1]
            left = [t for t in below.get(node, ()) if t not in marks and t not in opened]
            if node not in marks and node not in opened and left:
                opened.add(node)
                stack.extend(left)
                continue
            stack.pop()
            pairs = sorted(
                f"{predicate} {marks.get(t, t)}" for predicate, t in pairs_of.get(node, ())
            )
            marks.setdefault(node, _digest(*pairs))
    return marks


def _digest(*texts: str) -> str:
    return sha256("\n".join(texts).encode()).hexdigest()[:20]


def _either(predicates: Iterable[str]) -> str:
    """A path by any of some predicates, or of paths."""
    return f"({'|'.join(p if p.startswith('^') else spell(p) for p in predicates)})"


def _is_named(term: Term) -> bool:
    return not is_blank(term)


def _is_all(heads: _Heads) -> bool:
    return len(heads.terms) < heads.limit
