"""A KG behind a SPARQL 1.1 endpoint."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from ....errors import KGError, ServiceError
from ...nodes import is_triple
from ...profile import GENERIC, Profile
from ...store import Counts, Way, record_failure, unanswered
from ...terms import REIFIES, Step, Term, Triple, is_iri, is_literal, is_triple_term, triple_term
from . import queries
from .about import Terms
from .around import Surroundings
from .client import Answer, Row, SparqlClient
from .queries import Pattern, Query, Scope, can_ask, can_spell
from .scan import in_batches, number, read_all, read_some, relation_counts
from .unnamed import holds_described, is_described
from .verdicts import Verdicts

_MOST_NODES = 97
"""A prime number, so that the same number of rows for each node is not a round one."""

_MOST_CLASSES = 23
_MOST_ROWS = 10_000
_MOST_WAYS = 47
_ROWS_TO_CHECK = 1_031
_SECONDS_FOR_RELATIONS = 10.0
_VALUES_READ = 1_000
"""Values of a relation of which the datatypes are asked."""

_Side = tuple[bool, Term]
"""A direction, True for what reaches the node, and the node."""


class OfMembers(NamedTuple):
    """What some members of a class have: relations that leave and reach them, and their classes."""

    leaving: Sequence[Term]
    reaching: Sequence[Term]
    classes: Sequence[Term]


class End(NamedTuple):
    """A class of things, or a datatype of values, that a relation leads to."""

    term: Term
    is_value: bool


class SparqlStore:
    """Implements `Store`. Every method raises ServiceError where the endpoint does not answer.

    Blank nodes have no name outside one answer of an endpoint. So they have no neighbours here,
    are left out of steps and facts, and whether they have a triple is unknown, unless they are
    called after what is said of them (`unnamed.py`).
    """

    def __init__(
        self, client: SparqlClient, *, profile: Profile = GENERIC, terms: Terms | None = None
    ) -> None:
        """`terms` are those of the labels, which what is read around entities is told."""
        self.source = client.source
        self._around = Surroundings(client, profile, terms or Terms(client, profile))
        self._client = client
        graphs = client.settings.graphs
        self._skips = profile.skips
        self._whole = Scope(graphs)
        self._facts = Scope.of_facts(graphs, profile)

    @property
    def requests(self) -> int:
        """How many requests the endpoint was sent, those about labels included."""
        return self._client.requests

    @property
    def graphs(self) -> tuple[Term, ...]:
        """The named graphs that are read; none where it is the default graph."""
        return self._whole.graphs

    def select(self, query: Query) -> Answer:
        """The rows of a query that was made by term serialisation. Raises ServiceError."""
        return self._client.select(query)

    def check(self) -> None:
        """See that the endpoint answers, and how many rows at least it gives in one answer.

        Raises ServiceError, and KGError when it is empty.
        """
        if not self._client.select(queries.some_heads(self._whole, _ROWS_TO_CHECK)).rows:
            if self._whole.graphs:
                raise KGError(
                    f"the named graphs of {self.source} that --graph names are empty",
                    "check their IRIs",
                )
            raise KGError(
                f"the default graph of {self.source} is empty", "name a graph of it with --graph"
            )

    def neighbours(
        self, nodes: Sequence[Term], *, inverse: bool = True, limit: int = 100_000
    ) -> list[list[Step]]:
        """The facts that leave each node, and with `inverse` those that reach it.

        About one request for 50 nodes. A node with more than `limit` facts in a direction keeps the
        first that the endpoint gives.
        """
        distinct = [node for node in dict.fromkeys(nodes) if can_ask(node)]
        sides = [(False, node) for node in distinct if is_iri(node)]
        if inverse:
            sides.extend((True, node) for node in distinct)
        steps_of = self._steps(sides, None, limit)
        around = {node: steps_of.get((False, node), []) for node in distinct}
        if inverse:
            around = {
                node: steps + steps_of.get((True, node), []) for node, steps in around.items()
            }
        for steps in around.values():
            steps.sort(key=lambda step: (step.triple.relation, step.target, step.inverse))
        return [list(around.get(node, ())) for node in nodes]

    def follow(
        self, nodes: Sequence[Term], relation: Term, inverse: bool, *, limit: int = 100_000
    ) -> list[list[Step]]:
        """The steps that leave each node by one relation in one direction, sorted by target."""
        if not (is_iri(relation) and can_ask(relation)):
            return [[] for _ in nodes]
        sides = [
            (inverse, node)
            for node in dict.fromkeys(nodes)
            if can_ask(node) and (inverse or is_iri(node))
        ]
        if inverse and relation == REIFIES:
            steps_of = self._reifying([node for _, node in sides if is_iri(node)], limit)
        else:
            steps_of = self._steps(sides, relation, limit)
        for steps in steps_of.values():
            steps.sort(key=lambda step: step.target)
        return [list(steps_of.get((inverse, node), ())) for node in nodes]

    def relations_at(self, nodes: Sequence[Term], inverse: bool) -> list[list[Term]]:
        """The relations of the facts that leave each node, or with `inverse` reach it; sorted.

        The endpoint has ten seconds for each answer. Of more than 10,000 relations of one node it
        is so many, and fewer where the endpoint keeps some back.
        """
        relations: dict[Term, set[Term]] = {node: set() for node in nodes}
        asked = list[Term]()
        for node in relations:
            if (steps := self._around.steps(node, inverse)) is not None:
                relations[node].update(step.triple.relation for step in steps)
            elif can_ask(node) and (inverse or is_iri(node)):
                asked.append(node)
        for batch, answer in in_batches(
            self._client,
            asked,
            lambda batch: queries.relations_at(batch, inverse, self._facts, _MOST_ROWS),
            most=_MOST_NODES,
            timeout=_SECONDS_FOR_RELATIONS,
        ):
            sides = frozenset((inverse, node) for node in batch)
            for node, relation in answer.rows:
                if (
                    node is not None
                    and relation is not None
                    and self._is_asked(node, sides, inverse)
                ):
                    relations[node].add(relation)
        return [sorted(relations[node]) for node in nodes]

    def about_members(
        self, classes: Sequence[Term], types: Sequence[Term], *, most: int
    ) -> dict[Term, OfMembers]:
        """What some members of each class have. About one request for 23 classes.

        The endpoint has ten seconds for each answer. Raises ServiceError.
        """
        terms_of: dict[tuple[Term, str], set[Term]] = {
            (class_, role): set() for class_ in classes for role in ('"out"', '"in"', '"is"')
        }
        for numbered, answer in self._answers_about(
            classes, lambda batch: queries.about_members(batch, types, self._whole, most)
        ):
            for index, role, term in answer.rows:
                side = numbered.get(index or "", ""), role or ""
                if term and side in terms_of and not (role != '"is"' and self._skips(term)):
                    terms_of[side].add(term)
        return {
            class_: OfMembers(
                *(sorted(terms_of[class_, role]) for role in ('"out"', '"in"', '"is"'))
            )
            for class_ in classes
        }

    def ends_of_members(
        self, classes: Sequence[Term], types: Sequence[Term], *, most: int
    ) -> dict[tuple[Term, Term, bool], set[End]]:
        """Where relations of some members of each class lead, by class, relation and direction.

        Requests and errors are those of `about_members`.
        """
        ends: dict[tuple[Term, Term, bool], set[End]] = {}
        for numbered, answer in self._answers_about(
            classes, lambda batch: queries.ends_of_members(batch, types, self._whole, most)
        ):
            for index, way, relation, class_, datatype in answer.rows:
                of_class, end = numbered.get(index or ""), class_ or datatype
                if of_class and relation and end and not self._skips(relation):
                    key = of_class, relation, way == '"in"'
                    ends.setdefault(key, set()).add(End(end, class_ is None))
        return ends

    def written(self, relation: Term) -> set[Term]:
        """How the first values of a relation are written: a literal of each datatype.

        Of texts with one number there is one for all that have the same around it. One request;
        raises ServiceError.
        """
        if not (is_iri(relation) and can_ask(relation)):
            return set()
        answer = self._client.select(queries.written(relation, self._whole, _VALUES_READ))
        return {
            f'""^^{datatype}' if text in (None, '""') else text
            for datatype, text in answer.rows
            if datatype is not None
        }

    def _answers_about(
        self, classes: Sequence[Term], query: Callable[[Sequence[Term]], Query]
    ) -> Iterator[tuple[Mapping[str, Term], Answer]]:
        """What is answered about classes, in batches; rows name each by its number there."""
        distinct = [
            class_ for class_ in dict.fromkeys(classes) if is_iri(class_) and can_ask(class_)
        ]
        seconds = _SECONDS_FOR_RELATIONS
        for batch, answer in in_batches(
            self._client, distinct, query, most=_MOST_CLASSES, timeout=seconds
        ):
            yield {f'"{index}"': class_ for index, class_ in enumerate(batch)}, answer

    def look_around(self, nodes: Sequence[Term]) -> None:
        """Read what is around a few entities before it is asked for; raises nothing."""
        self._around.read(nodes)

    def look_ahead(self, nodes: Sequence[Term]) -> list[Term]:
        """Read what is around entities to which a walk may go, and tell the terms that are there.

        Nothing where it is much; raises nothing.
        """
        return self._around.read_ahead(nodes)

    def near(self, nodes: Sequence[Term]) -> list[Term]:
        """The IRIs around nodes that were looked around lately."""
        return self._around.near(nodes)

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        """The steps of each way, sorted by target. About one request for 47 ways, or 10,000 steps.

        Raises ServiceError, also where the endpoint keeps steps back that a way must have.
        """
        asked = [
            way
            for way in dict.fromkeys(ways)
            if can_ask(way.node)
            and (way.inverse or is_iri(way.node))
            and is_iri(way.relation)
            and can_ask(way.relation)
        ]
        steps_of: dict[Way, list[Step]] = {way: [] for way in ways}

        def spoilt(batch: Sequence[Way], answer: Answer) -> bool:
            rows = Counter((row[1], row[2], row[0] == '"in"') for row in answer.rows)
            return answer.cut and any(rows[way] < limit for way in batch)

        for batch, answer in in_batches(
            self._client,
            asked,
            lambda batch: queries.first_edges(batch, self._facts, limit),
            most=max(1, min(_MOST_WAYS, _MOST_ROWS // max(1, limit))),
            spoilt=spoilt,
        ):
            if len(batch) == 1 and spoilt(batch, answer):
                (way,) = batch
                steps_of[way] = self._steps_of_hub((way.inverse, way.node), way.relation, limit)
                continue
            sides = [(way.inverse, way.node) for way in batch]
            for (inverse, node), step in self._read(sides, answer.rows):
                if (way := Way(node, step.triple.relation, inverse)) not in steps_of:
                    raise self._misread()
                steps_of[way].append(step)
        return [sorted(steps_of[way], key=lambda step: step.target) for way in ways]

    def holds(self, triples: Sequence[Triple]) -> list[bool | None]:
        """Whether each triple is there, as `Verdicts` finds out: literals compare by value.

        One request for 200 triples of entities and texts, and some more about others. None where
        the endpoint did not say clearly: it did not answer, left the triple out, or answered about
        another spelling of a term; a `metered` block is told why. Text that is not a triple is not
        held. Triples of nodes named after what is said of them are held where there are such
        nodes. Triples with triple terms are asked apart, as an endpoint may not read SPARQL 1.2.
        """
        verdicts: dict[Triple, bool | None] = dict.fromkeys(triples)
        verdicts.update((t, False) for t in verdicts if not is_triple(t))
        open_ones = [triple for triple, held in verdicts.items() if held is None]
        described = list(filter(_is_of_described, open_ones))
        asked = [triple for triple in open_ones if all(map(can_spell, triple))]
        if len(asked) + len(described) < len(open_ones):
            record_failure("no query can name a blank node, or text with a direction")
        with unanswered():
            verdicts |= holds_described(self._client, self._whole, described)
        for nested in (False, True):
            answers = Verdicts(self._client, self._whole)
            with unanswered():
                answers.ask([triple for triple in asked if is_triple_term(triple.tail) == nested])
            verdicts.update(answers.held)
        return [verdicts[triple] for triple in triples]

    def facts(self) -> Iterator[Triple]:
        """Every fact, each once, relation by relation."""
        relations = relation_counts(self._client, self._facts)
        return chain.from_iterable(map(self.statements, sorted(relations)))

    def statements(self, predicate: Term) -> Iterator[Triple]:
        """Every triple of one predicate, fact or not."""
        return read_all(self._client, Pattern(relation=predicate), self._whole)

    def counts(self) -> Counts:
        """The size of the KG, blank nodes included. On a large endpoint this may time out."""
        relations = relation_counts(self._client, self._facts)
        return Counts(
            triples=number(self._client, queries.count_triples(self._whole)),
            facts=sum(relations.values()),
            entities=number(self._client, queries.count_entities(self._facts)),
            relations=len(relations),
        )

    def _steps(
        self, sides: Sequence[_Side], relation: Term | None, limit: int
    ) -> dict[_Side, list[Step]]:
        """The steps of each side; of a hub that spoils a batch by itself, asked alone."""

        def query(batch: Sequence[_Side]) -> Query:
            heads = [node for inverse, node in batch if not inverse]
            tails = [node for inverse, node in batch if inverse]
            most = min(_MOST_ROWS, len(batch) * limit) + 1
            return queries.edges(heads, tails, relation, self._facts, most)

        steps_of = {
            side: steps
            for side in sides
            if (steps := self._around.steps(side[1], side[0], relation)) is not None
        }
        asked = [side for side in sides if side not in steps_of]
        for batch, answer in in_batches(self._client, asked, query, most=_MOST_NODES):
            if len(batch) == 1 and answer.cut:
                steps_of[batch[0]] = self._steps_of_hub(batch[0], relation, limit)
            else:
                for side, step in self._read(batch, answer.rows):
                    steps_of.setdefault(side, []).append(step)
        return {side: steps[:limit] for side, steps in steps_of.items()}

    def _reifying(self, subjects: Sequence[Term], limit: int) -> dict[_Side, list[Step]]:
        """What reifies triples of each subject; an answer about one is taken even if it is cut."""
        steps_of: dict[_Side, list[Step]] = {}
        for _, answer in in_batches(
            self._client,
            subjects,
            lambda batch: queries.reifying(batch, self._whole, _MOST_ROWS),
            most=_MOST_NODES,
        ):
            for subject, predicate, other, reifier in answer.rows:
                if subject and predicate and other and reifier:
                    tail = triple_term(Triple(subject, predicate, other))
                    step = Step(Triple(reifier, REIFIES, tail), True)
                    steps_of.setdefault((True, subject), []).append(step)
        return {side: steps[:limit] for side, steps in steps_of.items()}

    def _steps_of_hub(self, side: _Side, relation: Term | None, limit: int) -> list[Step]:
        inverse, node = side
        pattern = Pattern(None, relation, node) if inverse else Pattern(node, relation, None)
        triples = read_some(self._client, pattern, self._facts, limit)
        return [Step(triple, inverse) for triple in triples]

    def _read(self, batch: Sequence[_Side], rows: Sequence[Row]) -> Iterator[tuple[_Side, Step]]:
        """The steps in an answer.

        What is said of a literal that was not asked for is dropped: some engines find `01` where
        `1` was asked for. An IRI that was not asked for means that the endpoint misreads terms.
        """
        asked = frozenset(batch)
        for way, node, relation, other in rows:
            if node is None or relation is None or other is None:
                continue
            if is_triple_term(other) and relation != REIFIES:
                continue
            inverse = way == '"in"'
            if self._is_asked(node, asked, inverse):
                triple = (other, relation, node) if inverse else (node, relation, other)
                yield (inverse, node), Step(Triple(*triple), inverse)

    def _is_asked(self, node: Term, asked: Collection[_Side], inverse: bool) -> bool:
        """Raises ServiceError where the answer is about an IRI that was not asked for."""
        if (inverse, node) in asked:
            return True
        if is_literal(node):
            return False
        raise self._misread()

    def _misread(self) -> ServiceError:
        return ServiceError(
            f"{self.source} answers about other terms than it was asked about",
            "set GROUNDWALK_SPARQL_METHOD to `direct`: its forms may be decoded twice",
        )


def _is_of_described(triple: Triple) -> bool:
    """Whether a triple has a node that is named after what is said of it, and no other unnamed."""
    others = [end for end in triple if not is_described(end)]
    return len(others) < len(triple) and all(map(can_spell, others))
