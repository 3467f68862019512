"""Replies as `groundwalk ask --json` prints them, that nobody had to ask for."""

from collections.abc import Iterable, Sequence
from typing import Any

from groundwalk.agent.evidence import Reply
from groundwalk.agent.kg import Path, RelationPath, Store, Term, execute
from groundwalk.agent.records import (
    Answer,
    Entity,
    Named,
    Reading,
    Result,
    StepRecord,
    no_usage,
)

E = "http://example.org/"

HOSTILE = (
    "</script><script>alert(1)</script>",
    "\"'><svg onload=alert(1)>",
    "<!-- <style> --> ]]>&lt;b&gt;{{ 7 * 7 }}",
    '"] --> n9["x"]; click n0 "javascript:alert(1)"',
    '%%{init: {"securityLevel": "loose"}}%% style n0: #fff; #quot; `*_',
    "back\\u000ASELECT * WHERE { ?s ?p ?o } #\\",
    "'''\"\"\" } UNION { ?s ?p ?o } # ' \\\" . <http://evil> <http://evil> <http://evil> .",
    "\u202eabc\u2066\u200f\u0085\u2028x\x0b",
    "\x1b[2J\x1b]0;owned\x07",
    "line\nbreak\r\nand\ttab",
    "long " * 2_000,
)


def iri(name: str) -> Term:
    return f"<{E}{name.replace(' ', '_')}>"


def named(label: str, term: Term | None = None) -> Named:
    return Named(term=iri(label) if term is None else term, label=label)


def step(
    head: Named, relation: Named, tail: Named, *, inverse: bool = False, verdict: str = "supported"
) -> StepRecord:
    return StepRecord(head=head, relation=relation, tail=tail, inverse=inverse, verdict=verdict)


def answer(who: Named, *chains: Sequence[StepRecord], **more: Any) -> Answer:
    made = Answer(**who, score=0.5, chains=[list(chain) for chain in chains])
    made.update(more)  # pyright: ignore[reportArgumentType, reportCallIssue]
    return made


def reply(answers: Iterable[Answer], *topics: Named, **more: Any) -> Reply:
    given = list(answers)
    entities = [Entity(**topic, kind="", description="", score=1.0) for topic in topics]
    made = Reply(
        question="Who is it?",
        status="answered" if given else "abstained",
        answers=given,
        unsupported=[],
        topics=entities,
        method="gcr",
        usage={**no_usage(), "forward_passes": 7, "seconds": 0.5},
        notes=[],
    )
    made.update(more)  # pyright: ignore[reportArgumentType, reportCallIssue]
    return made


def border(label: str = "borders", neighbour: str = "Spain") -> Reply:
    """Two steps, one of them backwards."""
    lisbon, portugal, spain = named("Lisbon"), named("Portugal"), named(neighbour, iri("Spain"))
    chain = [
        step(portugal, named("capital"), lisbon, inverse=True),
        step(portugal, named(label, iri("borders")), spain),
    ]
    return reply([answer(spain, chain)], lisbon)


def unread() -> Reply:
    """An answer to a question that was read without one of its words."""
    told = border()
    told["question"], told["status"] = "Which neighbours hate it?", "partial"
    told["reading"], told["confidence"] = "borders of Portugal", 0.7412
    told["readings"] = [Reading(query={}, words="borders of Portugal", probability=0.7)]
    told["notes"] = ['not understood: "hate"']
    return told


def hub(size: int = 50) -> Reply:
    """One entity with many answers."""
    union, has = named("European Union"), named("has member")
    members = [named(f"Member number {n}", iri(f"m{n}")) for n in range(size)]
    return reply([answer(m, [step(union, has, m)]) for m in members], union)


def found(store: Store, topics: Sequence[Term], relations: RelationPath) -> Reply:
    """What a relation path reaches, as the vote answers with it; terms are their own labels."""
    reached = execute(store, topics, relations, banned=topics).reached
    answers = [
        answer(named(own.end, own.end), *(records(path) for path in own.paths)) for own in reached
    ]
    return reply(answers, *(named(topic, topic) for topic in topics))


def records(path: Path) -> list[StepRecord]:
    return [
        step(*(named(term, term) for term in own.triple), inverse=own.inverse) for own in path.steps
    ]


def counted() -> Reply:
    """Two neighbours are more than one, as is known from something else."""
    spain, borders = named("Spain"), named("borders")
    ends = [named("France"), named("Portugal")]
    answers = [answer(end, [step(spain, borders, end)]) for end in ends]
    one = step(named("Portugal"), borders, spain)
    result = Result(kind="count", value=2, text="Yes, 2.", how="counted them", triples=[one])
    return reply(answers, spain, result=result)
