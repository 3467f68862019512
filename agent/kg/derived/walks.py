"""A reading opened over a KG: what walks are taken over, and the real triples behind them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ..labels.index import LabelIndex
from ..patterns import pattern_relation
from ..profile import Profile
from ..store import Labels, Store
from ..terms import Path, Step, Term, Triple
from . import Reading
from .collapsed import CollapsedStore, Mediators
from .entailed import EntailedStore, read_schema
from .layer import Layer, NodeSource, Plain
from .merged import MergedStore, SameAs
from .patterns import PatternStore
from .relations import ReadingLabels, Walked, parts_of, predicate_of
from .statements import StatementStore


class Walks:
    """The facts that a reading presents, the names of their relations, and what they stand for."""

    def __init__(
        self,
        store: Store,
        labels: Labels,
        profile: Profile,
        reading: Reading,
        nodes: NodeSource | None = None,
    ) -> None:
        """Look nothing up yet. `reading` says of every part whether it is on.

        `nodes` has the triples of the nodes that patterns read, where the store does not name them.
        """
        self._profile = profile
        self._reading = reading
        self._labels = labels
        self._same = SameAs(store, labels, profile.same_as) if reading.same_as else None
        self._patterns: PatternStore | None = None
        lower = plain = Plain(store)
        if reading.inverse_of or reading.sub_property_of:
            lower = EntailedStore(plain, lambda: read_schema(store, profile, reading))
        collapse = reading.mediators == "collapse"
        if collapse and profile.patterns:
            written = labels.pattern_facts if isinstance(labels, LabelIndex) else _nothing
            lower = self._patterns = PatternStore(lower, store, profile, written, nodes)
        statements = StatementStore(lower, store, profile.skips)
        middle = statements if collapse else lower
        upper: Layer = MergedStore(middle, self._same) if self._same else middle
        if collapse:
            upper = CollapsedStore(upper, Mediators(store, profile, statements))
        self.store: Layer = upper
        self.labels: Labels = ReadingLabels(labels) if collapse else labels

    def prove(self, paths: Sequence[Path]) -> list[Path | None]:
        """Each path along real triples, from the same topic to the same end.

        None where the KG no longer holds one. Raises ServiceError.
        """
        steps = list(dict.fromkeys(step for path in paths for step in path.steps))
        runs = dict(zip(steps, self.store.expand(steps), strict=True))
        proofs: list[Path | None] = []
        for path in paths:
            real: list[Step] = []
            is_lost = False
            for step in path.steps:
                run = runs[step]
                is_lost |= run is None
                for part in run or ():
                    self._append(real, part)
            proofs.append(None if is_lost else Path(path.topic, tuple(real)))
        return proofs

    def of_relation(self, relation: Term) -> Iterator[Triple] | None:
        """The facts of one relation that triples or patterns say; None without patterns."""
        return self._patterns and self._patterns.of_relation(relation)

    def representatives(self, terms: Iterable[Term]) -> dict[Term, Term]:
        """What stands for each term in the facts: for most, the term itself."""
        return self._same.representatives(terms) if self._same else {t: t for t in terms}

    def used(self, path: Path, proof: Path) -> list[str]:
        """What of the reading a path rests on, in words, given its proof along real triples."""
        walked = [(step.triple.relation, step.inverse) for step in path.steps]
        parts = [part for walked_relation in walked for part in _walked_parts(*walked_relation)]
        real = Counter((step.triple.relation, step.inverse) for step in proof.steps)
        real_relations = {relation for relation, _ in real}
        collapsed = len(parts) > len(walked) or any(predicate_of(part[0]) for part in parts)
        inferences = ["statement nodes passed through"] if collapsed else []
        if not real_relations.isdisjoint(self._profile.same_as):
            inferences.append("owl:sameAs")
        opened = not real_relations.isdisjoint(self._profile.conjunctions)
        if opened or any(pattern_relation(part[0]) for part in parts):
            inferences.append(f"the patterns of the profile {self._profile.name}")
        if self._rests_on_schema(parts, real, opened):
            inferences.extend(self._schema_axioms())
        return inferences

    def _rests_on_schema(
        self, parts: Sequence[Walked], real: Counter[Walked], opened: bool
    ) -> bool:
        """Whether a walked relation is none that the proof has, or that a conjunction gives."""
        plain = Counter(p for p in parts if not (predicate_of(p[0]) or pattern_relation(p[0])))
        by_member = {pattern.member_by for pattern in self._profile.patterns}
        return bool({relation for relation, _ in plain - real} - (by_member if opened else set()))

    def _schema_axioms(self) -> list[str]:
        """The axioms of the schema by which the reading infers facts."""
        on = self._reading.inverse_of, self._reading.sub_property_of
        schema = zip(("owl:inverseOf", "rdfs:subPropertyOf"), on, strict=True)
        return [name for name, given in schema if given]

    def _append(self, steps: list[Step], step: Step) -> None:
        """Add a step, unless it turns back along `owl:sameAs`, which leads nowhere."""
        back = Step(step.triple, not step.inverse)
        if steps and steps[-1] == back and step.triple.relation in self._profile.same_as:
            steps.pop()
        else:
            steps.append(step)


def _nothing(_: Term) -> None:
    """What is written of the facts that patterns say, where nothing is."""


def _walked_parts(relation: Term, inverse: bool) -> tuple[Walked, ...]:
    """The relations that one is walked by, in order."""
    joined = parts_of(relation)
    if joined is None:
        return ((relation, inverse),)
    return joined.turned if inverse else joined
