"""How sets of answers came about, kept small: of answers that are reached alike, one is kept."""

from collections.abc import Sequence

from ..kg.terms import Term, is_triple_term, triple_of
from ..state import Answer, Entity, Source, SourceKind, StepRecord


def walks(topics: Sequence[Entity], answers: Sequence[Answer]) -> Source:
    """What the chains of answers reach, from the topics of their question."""
    starts = {topic["term"] for topic in topics}
    kept: dict[object, Answer] = {}
    for answer in answers:
        chains: dict[object, list[StepRecord]] = {}
        for chain in filter(None, answer["chains"]):
            chains.setdefault(_shape(answer, chain), chain)
        back = answer["term"] in starts or any(
            _comes_back(chain, starts) for chain in chains.values()
        )
        kept.setdefault((frozenset(chains), back), {**answer, "chains": list(chains.values())})
    return _source("walks", topics=list(topics), answers=list(kept.values()))


def joined(kind: SourceKind, sources: Sequence[Source | None]) -> Source | None:
    """What sources have in common (`both`) or together (`either`); None where one is not known."""
    known = [source for source in sources if source is not None]
    return _source(kind, of=known) if len(known) == len(sources) else None


def less(
    first: Source | None, others: Sequence[Source | None], without: Sequence[Term] = ()
) -> Source | None:
    """A source without others and some terms; None where one is not known."""
    found = joined("except", [first, *others])
    return None if found is None else {**found, "without": list(without)}


def _source(
    kind: SourceKind,
    *,
    topics: list[Entity] | None = None,
    answers: list[Answer] | None = None,
    of: list[Source] | None = None,
) -> Source:
    return Source(kind=kind, topics=topics or [], answers=answers or [], of=of or [], without=[])


def _shape(answer: Answer, chain: Sequence[StepRecord]) -> object:
    """What chains have in common that lead by the same relations from the same start."""
    if answer.get("form") == "chain":
        return tuple((*_terms(step), step["inverse"]) for step in chain)
    first = chain[0]
    start = first["tail"] if first["inverse"] else first["head"]
    return (start["term"], *((_relation(step), step["inverse"]) for step in chain))


def _relation(step: StepRecord) -> tuple[Term, ...]:
    tail = step["tail"]["term"]
    told = (triple_of(tail).relation,) if is_triple_term(tail) else ()
    return (step["relation"]["term"], *told)


def _terms(step: StepRecord) -> tuple[Term, Term, Term]:
    return step["head"]["term"], step["relation"]["term"], step["tail"]["term"]


def _comes_back(chain: Sequence[StepRecord], starts: set[Term]) -> bool:
    """Whether a step leads to a topic."""
    ends = (step["head"] if step["inverse"] else step["tail"] for step in chain)
    return any(end["term"] in starts for end in ends)
