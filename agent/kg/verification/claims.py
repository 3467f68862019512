"""Paths of a walk, and chains that any system claims, judged at their source: the user's store.

A chain is a sequence of triples from topic entities on. It is supported where it has triples and is
well-formed (DoG section 2.2): every triple is in the store as it is written, and its head or its
tail is a topic entity or occurs in a triple before it; a triple term (RDF 1.2) stands for its
subject there. Supported means true, not relevant to a question.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias, get_args

from ..nodes import is_triple, to_any_node, to_term
from ..store import Store, metered, unanswered
from ..terms import (
    Path,
    Step,
    Term,
    Triple,
    is_connected,
    is_literal,
    is_triple_term,
    is_unknown,
    is_well_formed,
    node_of,
)

Verdict: TypeAlias = Literal["supported", "unsupported", "unknown"]

_VERDICTS: Mapping[bool | None, Verdict] = {
    True: "supported",
    False: "unsupported",
    None: "unknown",
}


class PathVerdict(NamedTuple):
    """What the source says of a path, or of a chain.

    `steps` has one verdict for each triple. `connected` tells whether they hang together from a
    topic entity on. `verdict` is that of the whole; supported means true, not relevant.
    """

    path: Path
    verdict: Verdict
    steps: tuple[Verdict, ...]
    connected: bool


def verify_paths(
    store: Store, topics: Iterable[Term], paths: Sequence[Path], *, chains: Collection[Path] = ()
) -> list[PathVerdict]:
    """Judge paths by one batched question to the store about all their triples.

    A path that is not connected, does not start at a topic or has no step is unsupported whatever
    its triples; of those that are in `chains`, each triple must only touch a topic or one before it
    (DoG section 2.2). A triple with an unknown term is unsupported. Steps are unknown where the
    store did not answer, and so are the paths of them: a triple is supported only where the store
    said so. A `metered` block is told why it did not.
    """
    starts = frozenset(topics)
    triples = list(dict.fromkeys(step.triple for path in paths for step in path.steps))
    verdicts: dict[object, Verdict] = dict.fromkeys(triples, "unsupported")
    known = [triple for triple in triples if not any(map(is_unknown, triple))]
    verdicts.update(dict.fromkeys(known, "unknown"))
    with unanswered():
        for triple, held in zip(known, store.holds(known), strict=True):
            verdicts[triple] = _VERDICTS[held]
    judged = list[PathVerdict]()
    for path in paths:
        connected = (is_well_formed if path in chains else is_connected)(starts, path)
        steps: tuple[Verdict, ...] = tuple(verdicts[step.triple] for step in path.steps)
        whole = worst(steps) if connected and steps else "unsupported"
        judged.append(PathVerdict(path, whole, steps, connected))
    return judged


MOST_TRIPLES = 200
"""Triples in one request to a store."""

Flag: TypeAlias = Literal[
    "empty",
    "unknown topic",
    "unknown name",
    "not from a topic",
    "not connected",
    "reversed",
    "repeated triple",
    "repeated entity",
]
"""A remark on a chain or a triple; it explains a verdict and is none.

`empty`: a chain without a triple. `unknown topic`, `unknown name`: the KG has no such name.
`not from a topic`: the first triple touches no topic entity. `not connected`: a later one touches
nothing visited. `reversed`: the store holds the triple with head and tail exchanged. `repeated
triple`: it came before. `repeated entity`: the triple reaches no entity that is new to its chain.
"""

_FLAGS: tuple[Flag, ...] = get_args(Flag)


class Written(NamedTuple):
    """An entity or relation as it was written; without a `term` where the KG has no such name."""

    text: str
    term: Term | None = None

    @property
    def identity(self) -> str:
        """The term, else the text in a form that no term has."""
        return self.term or f"?{self.text}"

    @property
    def node(self) -> str:
        """Its node in a walk: the subject of a triple term, the identity of any other."""
        return node_of(self.identity)


class Statement(NamedTuple):
    """A triple as somebody wrote it, whatever the direction in which it is walked."""

    head: Written
    relation: Written
    tail: Written

    @property
    def triple(self) -> Triple | None:
        """The triple of the KG that is meant, if all three are known."""
        head, relation, tail = (written.term for written in self)
        if head is None or relation is None or tail is None:
            return None
        return Triple(head, relation, tail)


Chain: TypeAlias = tuple[Statement, ...]


class Claim(NamedTuple):
    """Chains that start at topic entities, and the answers that they are said to prove."""

    topics: tuple[Written, ...]
    chains: tuple[Chain, ...]
    answers: tuple[Written, ...] = ()


class StatementVerdict(NamedTuple):
    """What the source says of one triple of a chain."""

    verdict: Verdict
    flags: tuple[Flag, ...]


class ChainVerdict(NamedTuple):
    """What the source says of a chain; its flags are its own and those of its triples, each once.

    `well_formed` is that of DoG section 2.2, and None where the source did not answer.
    """

    verdict: Verdict
    statements: tuple[StatementVerdict, ...]
    well_formed: bool | None
    flags: tuple[Flag, ...]


class ClaimVerdict(NamedTuple):
    """A verdict for each chain and each answer of a claim, in their order."""

    chains: tuple[ChainVerdict, ...]
    answers: tuple[Verdict, ...]


Prove: TypeAlias = Callable[[Sequence[Path]], Sequence[Path | None]]
"""Turns walks of a reading into walks along triples of the store; None where there is none."""


class Inquiry:
    """Asks a store which triples it holds, and counts the triples and the requests."""

    def __init__(self, store: Store, prove: Prove | None = None) -> None:
        """`prove` turns steps of a reading into the triples of the store behind them.

        So a triple that a reading makes, as of a restriction of OWL, is supported where the store
        holds all of these.
        """
        self.triples = 0
        self.requests = 0
        self.failure = ""
        """Why the store last gave no answer."""
        self._store = store
        self._prove = prove

    def verdicts(self, triples: Iterable[Triple]) -> dict[Triple, Verdict]:
        """A verdict for each distinct triple; unknown where the store did not answer."""
        verdicts: dict[Triple, Verdict] = {}
        distinct = iter(dict.fromkeys(triples))
        while batch := list(islice(distinct, MOST_TRIPLES)):
            self.triples += len(batch)
            with metered() as meter:
                asked = self._ask(batch)
            self.requests += meter.requests or 1
            self.failure = meter.failure or self.failure
            verdicts.update(zip(batch, asked, strict=True))
        return verdicts

    def _ask(self, batch: Sequence[Triple]) -> list[Verdict]:
        verdicts: Sequence[bool | None] = [None] * len(batch)
        with unanswered():
            stored = self._store.holds(batch)
            verdicts = [verdict or (None if self._prove else verdict) for verdict in stored]
            verdicts = self._with_proved(batch, stored)
        return [_VERDICTS[verdict] for verdict in verdicts]

    def _with_proved(
        self, batch: Sequence[Triple], stored: Sequence[bool | None]
    ) -> Sequence[bool | None]:
        """What is held, with the triples of a reading that others prove."""
        left = [t for t, one in zip(batch, stored, strict=True) if not one and is_triple(t)]
        if self._prove is None or not left:
            return stored
        paths = [Path(triple.head, (Step(triple),)) for triple in left]
        proofs = {
            path.steps[0].triple: [step.triple for step in proof.steps]
            for path, proof in zip(paths, self._prove(paths), strict=True)
            if proof and proof != path
        }
        behind = list(dict.fromkeys(triple for real in proofs.values() for triple in real))
        self.triples += len(behind)
        known = dict(zip(behind, self._store.holds(behind), strict=True)) if behind else {}
        proved = {triple: _all_true([known[t] for t in real]) for triple, real in proofs.items()}
        return [proved.get(t, one) for t, one in zip(batch, stored, strict=True)]


def judge(
    inquiry: Inquiry, claims: Sequence[Claim], *, unnamed: Verdict = "unsupported"
) -> list[ClaimVerdict]:
    """Judge claims by what the store says of all their triples at once.

    Where it does not hold a triple it is asked for the reverse too, which only makes a flag. An
    answer is supported by a supported chain that introduces it: that brings it in as a new entity,
    or ends there as a walk from a topic entity. One that no chain introduces is unsupported.
    `unnamed` is the verdict on a name that the KG does not seem to have.
    """
    statements = (s for claim in claims for chain in claim.chains for s in chain)
    verdicts = inquiry.verdicts(t for s in statements if (t := s.triple) is not None)
    reverses = {t: _reversed(t) for t, verdict in verdicts.items() if verdict == "unsupported"}
    unasked = (t for t in reverses.values() if t is not None and t not in verdicts)
    with_reverses = {**verdicts, **inquiry.verdicts(unasked)}
    held_reversed = {t for t, r in reverses.items() if r and with_reverses[r] == "supported"}
    return [_judge_claim(claim, verdicts, held_reversed, unnamed) for claim in claims]


def _all_true(verdicts: Sequence[bool | None]) -> bool | None:
    return False if False in verdicts else None if None in verdicts else True


def worst(verdicts: Collection[Verdict]) -> Verdict:
    """Unsupported where any is, else unknown where any is."""
    if "unsupported" in verdicts:
        return "unsupported"
    return "unknown" if "unknown" in verdicts else "supported"


def _reversed(triple: Triple) -> Triple | None:
    """The triple with head and tail exchanged, if that is another one."""
    if is_literal(triple.tail) or is_triple_term(triple.tail) or triple.head == triple.tail:
        return None
    return Triple(triple.tail, triple.relation, triple.head)


def _judge_claim(
    claim: Claim,
    verdicts: Mapping[Triple, Verdict],
    held_reversed: AbstractSet[Triple],
    unnamed: Verdict,
) -> ClaimVerdict:
    chains = tuple(
        _judge_chain(claim, chain, verdicts, held_reversed, unnamed) for chain in claim.chains
    )
    topics = {topic.identity for topic in claim.topics}
    carried: dict[Verdict, set[str]] = {"supported": set(), "unknown": set(), "unsupported": set()}
    for chain, judged in zip(claim.chains, chains, strict=True):
        carried[judged.verdict] |= _introduced(topics, chain)

    def of(answer: Written) -> Verdict:
        for verdict in ("supported", "unknown"):
            if answer.term in carried[verdict]:
                return verdict
        return unnamed if answer.term is None else "unsupported"

    return ClaimVerdict(chains, tuple(of(answer) for answer in claim.answers))


def _judge_chain(
    claim: Claim,
    chain: Chain,
    verdicts: Mapping[Triple, Verdict],
    held_reversed: AbstractSet[Triple],
    unnamed: Verdict,
) -> ChainVerdict:
    connections = list(_connections({topic.identity for topic in claim.topics}, chain))
    statements = tuple(
        _judge_statement(statement.triple, flags, verdicts, held_reversed, unnamed)
        for statement, flags in zip(chain, connections, strict=True)
    )
    connected = not any({"not from a topic", "not connected"} & set(f) for f in connections)
    verdict = worst([statement.verdict for statement in statements])
    if not connected:
        verdict = "unsupported"
    raised = {flag for statement in statements for flag in statement.flags}
    if not chain:
        raised.add("empty")
    if any(topic.term is None for topic in claim.topics):
        raised.add("unknown topic")
    return ChainVerdict(
        verdict if chain else "unsupported",
        statements,
        None if verdict == "unknown" else verdict == "supported",
        tuple(flag for flag in _FLAGS if flag in raised),
    )


def _judge_statement(
    triple: Triple | None,
    flags: tuple[Flag, ...],
    verdicts: Mapping[Triple, Verdict],
    held_reversed: AbstractSet[Triple],
    unnamed: Verdict,
) -> StatementVerdict:
    if triple is None:
        return StatementVerdict(unnamed, ("unknown name", *flags))
    if triple in held_reversed:
        flags = ("reversed", *flags)
    return StatementVerdict(verdicts[triple], flags)


def _connections(topics: AbstractSet[str], chain: Chain) -> Iterator[tuple[Flag, ...]]:
    """The flags that tell how each triple follows on those before it."""
    statements: set[tuple[str, ...]] = set()
    entities: set[str] = set()
    for index, statement in enumerate(chain):
        names = tuple(written.identity for written in statement)
        ends = {statement.head.node, statement.tail.node}
        flags: list[Flag] = []
        if ends.isdisjoint(topics) and ends.isdisjoint(entities):
            flags.append("not connected" if index else "not from a topic")
        if names in statements:
            flags.append("repeated triple")
        elif len(ends) == 1 or ends <= entities:
            flags.append("repeated entity")
        statements.add(names)
        entities |= ends
        yield tuple(flags)


def _introduced(topics: AbstractSet[str], chain: Chain) -> set[str]:
    """The entities of a chain that are no topics, and a topic in which it ends as a walk.

    The walk may pass each triple in either direction.
    """
    walk_ends = set(topics)
    entities: set[str] = set()
    for statement in chain:
        head, tail = statement.head.node, statement.tail.node
        entities |= {head, tail}
        walk_ends = {there for here, there in ((head, tail), (tail, head)) if here in walk_ends}
    return (entities - topics) | (walk_ends if chain else set())


def read_written(text: str) -> Written:
    """A text as it is written: with its term where it is one in N-Triples syntax, else without.

    Terms are in the spelling of this package (`nodes.to_term`).
    """
    if not text.startswith(("<", '"', "_:")):
        return Written(text)
    try:
        return Written(text, to_term(to_any_node(text)))
    except ValueError:
        return Written(text)
