"""Chains that nobody decoded, handed straight to what verifies: near the truth, or far from it.

What is said to be supported rdflib must find in the text that the graph was read from.
"""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple, cast

import pyoxigraph as ox
from groundwalk.agent.kg import OxigraphStore, Path, Step, Store, Term, Triple
from groundwalk.agent.kg.stores.rdflib_graph import RdflibStore
from groundwalk.agent.kg.verification.claims import (
    Claim,
    Inquiry,
    Statement,
    Written,
    judge,
    verify_paths,
)
from groundwalk.agent.nodes.verify import verify
from groundwalk.agent.records import Answer, Entity, Named, StepRecord

from ..agent.nodes.test_verify import Run
from . import strategies
from .oracle import Oracle, read

_CHAINS = 200
"""Chains that are forged of one graph."""


class Judged(NamedTuple):
    """Chains that were judged, those of them that are true, and those wrongly called supported."""

    chains: int = 0
    true: int = 0
    unsupported: int = 0

    def __add__(self, other: object) -> "Judged":
        assert isinstance(other, Judged)
        return Judged(*map(sum, zip(self, other, strict=True)))


def forge(size: int, seed: int = 0) -> Judged:
    """Forge at least `size` chains and have the verifier, its node and `judge` look at each."""
    random, total = Random(seed), Judged()
    while total.chains < size:
        graph = strategies.some_graph(random)
        for store in (oxigraph(graph.text), RdflibStore(read(graph.text))):
            total += _judge(store, graph, random)
    return total


def oxigraph(text: str) -> OxigraphStore:
    """A store in memory that read the text."""
    inner = ox.Store()
    inner.load(text.encode(), ox.RdfFormat.N_TRIPLES)
    return OxigraphStore(inner)


def near(triple: Triple, graph: strategies.Graph, random: Random) -> Triple:
    """A triple that differs from another one as little as somebody could wish, or not at all."""
    place = random.randrange(3)
    terms = list(triple)
    kind = random.randrange(5)
    if kind == 0:
        return Triple(triple.tail, triple.relation, triple.head)
    if kind == 1:
        terms[place] = random.choice([t for row in (*graph.facts, *graph.labels) for t in row])
    elif kind < 4:
        terms[place] = random.choice(_SLIPS)(terms[place], random)
    return Triple(*terms)


def chain(graph: strategies.Graph, random: Random) -> tuple[Term, Path]:
    """A topic and a path or chain that may begin there and hang together."""
    place = topic = random.choice(graph.nodes)
    steps = list[Step]()
    for _ in range(random.randint(1, 3)):
        inverse = random.random() < 0.4
        around = [Triple(*row) for row in graph.facts if row[2 if inverse else 0] == place]
        triple = random.choice(around or [Triple(*random.choice(graph.facts))])
        if random.random() < 0.4:
            triple = near(triple, graph, random)
        steps.append(Step(triple, inverse))
        place = triple.head if inverse else triple.tail
    return topic, Path(topic if random.random() < 0.9 else steps[0].source, tuple(steps))


def _judge(store: Store, graph: strategies.Graph, random: Random) -> Judged:
    oracle = Oracle(graph.text)
    forged = [chain(graph, random) for _ in range(_CHAINS)]
    wrong, true = 0, 0
    for (topic, path), claimed in zip(forged, _claimed(store, forged), strict=True):
        (judged,) = verify_paths(store, [topic], [path])
        held = oracle.proves([topic], path)
        steps = zip(judged.steps, path.steps, strict=True)
        lies = any(v == "supported" and not oracle.holds(step.triple) for v, step in steps)
        lies |= not held and (judged.verdict == "supported" or _passes(store, topic, path))
        lies |= claimed == "supported" and not oracle.carries([topic], path)
        true += held
        wrong += lies
    return Judged(len(forged), true, wrong)


def _claimed(store: Store, forged: Sequence[tuple[Term, Path]]) -> Iterator[str]:
    """What `groundwalk verify` says of each."""
    claims = [
        Claim(
            (Written(topic, topic),),
            (tuple(Statement(*(Written(t, t) for t in step.triple)) for step in path.steps),),
        )
        for topic, path in forged
    ]
    for judged in judge(Inquiry(store), claims):
        yield judged.chains[0].verdict


class _Kg(NamedTuple):
    """The part of a KG that the node asks."""

    store: Store


def _passes(store: Store, topic: Term, path: Path) -> bool:
    """Whether an answer with this chain comes out of the node as answered."""
    steps = [
        StepRecord(
            head=_named(step.triple.head),
            relation=_named(step.triple.relation),
            tail=_named(step.triple.tail),
            inverse=step.inverse,
            verdict="supported",
        )
        for step in path.steps
    ]
    answer = Answer(**_named(path.end), score=1.0, chains=[steps])
    entity = Entity(**_named(topic), kind="", description="", score=1.0)
    node = verify(cast(Any, _Kg(store)))
    state = cast(Any, node({"topics": [entity], "answers": [answer]}, cast(Any, Run())))
    return state["status"] == "answered" and bool(state["answers"])


def _named(term: Term) -> Named:
    return Named(term=term, label=term)


# Slips: each makes another term of a term, which only seems to be the same.


def _homoglyph(term: Term, _: Random) -> Term:
    return term.replace("a", "\u0430", 1) if "a" in term else term + "\u200b"


def _percent(term: Term, random: Random) -> Term:
    place = random.randrange(len(term))
    return f"{term[:place]}%{ord(term[place]) % 256:02X}{term[place + 1 :]}"


def _case(term: Term, _: Random) -> Term:
    return term.swapcase()


def _tag(term: Term, random: Random) -> Term:
    bare = term[: term.rfind('"') + 1] if term.startswith('"') else term
    return bare + random.choice(("@en", "@de", "@en-GB", "@EN", f"^^<{strategies.XSD}string>", ""))


def _label(term: Term, _: Random) -> Term:
    return strategies.quoted(term.strip("<>").rpartition("/")[2])


def _blank(_: Term, random: Random) -> Term:
    return random.choice(("_:b0", "_:b1", "_:", "[]", "_:b0 "))


def _escape(term: Term, random: Random) -> Term:
    place = random.choice([i for i, c in enumerate(term) if c != ":"])  # rdflib wants it plain
    return f"{term[:place]}\\u{ord(term[place]) % 0x10000:04X}{term[place + 1 :]}"


def _splice(term: Term, random: Random) -> Term:
    text = random.choice(strategies.TEXTS)
    return random.choice((term + text, text + term, term[:-1] + text + term[-1:]))


def _text(_: Term, random: Random) -> Term:
    return random.choice((*strategies.TEXTS, "\ud800", "<\ud800>", '"\udfff"@en'))


def _same(term: Term, _: Random) -> Term:
    return term


_SLIPS: tuple[Callable[[Term, Random], Term], ...] = (
    _homoglyph,
    _percent,
    _case,
    _tag,
    _label,
    _blank,
    _escape,
    _splice,
    _text,
    _same,
)
