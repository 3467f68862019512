"""From the names in somebody's triples to the terms of the KG, and whether the KG holds them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, product
from typing import NamedTuple

from ...agent.answers.candidates import name_terms
from ...agent.decoding.wire import escape
from ...agent.errors import ServiceError
from ...agent.kg import KnowledgeGraph, local_name, normalise
from ...agent.kg.labels.meanings import Meanings
from ...agent.kg.store import metered
from ...agent.kg.terms import Term, Triple, is_unknown, unknown_term
from ...agent.kg.verification.claims import read_written
from ...agent.llm.written_triples import WrittenTriple
from ...agent.records import Named, StepRecord
from ..ground import Shared

_MOST_READINGS = 64
"""Readings of a triple, whose names several terms may have, that are looked up."""
_BEFORE = (": ", ", ")
_AFTER = (". ", "; ", ", ", " (")


class Understood(NamedTuple):
    """The steps that were written, not yet verified; which of them the KG holds; the requests.

    `held` is None where the source did not say.
    """

    steps: list[StepRecord]
    held: list[bool | None]
    requests: int


Understand = Callable[[Sequence[WrittenTriple], Sequence[StepRecord], Sequence[Named]], Understood]


def claim_reader(shared: Shared) -> Understand:
    """The function of `understanding` for the KG of a compiled graph."""
    return understanding(shared.parts.kg)


def understanding(kg: KnowledgeGraph) -> Understand:
    """A function that finds out which triples are meant by written ones.

    It is given what was shown to who wrote them, and the topic entities, whose names come first. A
    text may be a term in N-Triples syntax. Of several readings one that the KG holds is taken. A
    name that nothing in the KG has stands for itself. Raises ServiceError.
    """
    meanings = Meanings(kg.labels)

    def understand(
        written: Sequence[WrittenTriple], shown: Sequence[StepRecord], topics: Sequence[Named]
    ) -> Understood:
        with metered() as meter:
            near = _Near([*topics, *(step[end] for step in shown for end in ("head", "tail"))])
            entities = _entities(meanings, near, written)
            relations = _relations(kg, meanings, _Near([s["relation"] for s in shown]), written)
            readings = [
                [
                    Triple(*terms)
                    for terms in islice(
                        product(
                            entities[triple.head] or (unknown_term(triple.head),),
                            relations[triple.relation] or (unknown_term(triple.relation),),
                            entities[triple.tail] or (unknown_term(triple.tail),),
                        ),
                        _MOST_READINGS,
                    )
                ]
                for triple in written
            ]
            holds = _holds(kg, [reading for of_triple in readings for reading in of_triple])
            chosen = _chosen(written, readings, holds)
            terms = [term for triple in chosen for term in triple]
            named = name_terms(kg.labels, [term for term in terms if not is_unknown(term)])
        named |= {term: Named(term=term, label=term[1:]) for term in terms if is_unknown(term)}
        steps = [
            StepRecord(
                head=named[triple.head],
                relation=named[triple.relation],
                tail=named[triple.tail],
                inverse=claim.inverse,
                verdict="unknown",
            )
            for claim, triple in zip(written, chosen, strict=True)
        ]
        return Understood(steps, [holds[triple] for triple in chosen], meter.requests or 1)

    return understand


def _chosen(
    written: Sequence[WrittenTriple],
    readings: Sequence[Sequence[Triple]],
    holds: Mapping[Triple, bool | None],
) -> list[Triple]:
    """For each triple the reading that the KG holds and whose names mean what they meant before."""
    meant: dict[str, Term] = {}
    chosen = list[Triple]()
    for triple, candidates in zip(written, readings, strict=True):
        agreed = [
            (not holds[t], sum(meant.get(*pair) != pair[1] for pair in _ends(triple, t)))
            for t in candidates
        ]
        chosen.append(candidates[agreed.index(min(agreed))])
        meant.update(_ends(triple, chosen[-1]))
    return chosen


def _ends(written: WrittenTriple, triple: Triple) -> tuple[tuple[str, Term], tuple[str, Term]]:
    return (written.head, triple.head), (written.tail, triple.tail)


class _Near:
    """Names that were shown: as they were spelled, else without case and punctuation."""

    def __init__(self, named: Iterable[Named]) -> None:
        self._exact: dict[str, dict[Term, None]] = {}
        self._alike: dict[str, dict[Term, None]] = {}
        for entity in named:
            for text in {entity["label"], escape(entity["label"])}:
                self._exact.setdefault(text, {})[entity["term"]] = None
            self._alike.setdefault(normalise(entity["label"]), {})[entity["term"]] = None

    def find(self, text: str) -> Sequence[Term]:
        return tuple(self._exact.get(text) or self._alike.get(normalise(text)) or ())


def _entities(
    meanings: Meanings, near: _Near, written: Sequence[WrittenTriple]
) -> Mapping[str, Sequence[Term]]:
    """What each head and tail may mean; where nothing is called so, what is without the prose that
    may stand before a head or after a tail.
    """
    heads, tails = {triple.head for triple in written}, {triple.tail for triple in written}
    meant = {text: _term(text) or near.find(text) for text in sorted(heads | tails)}
    far = meanings.find(text for text, terms in meant.items() if not terms)
    for text, terms in far.items():
        shorter = [
            *(_cuts(text, _BEFORE, last=False) if text in heads else ()),
            *(_cuts(text, _AFTER, last=True) if text in tails else ()),
        ]
        meant[text] = terms or next(filter(None, map(near.find, shorter)), ())
    return meant


def _relations(
    kg: KnowledgeGraph, meanings: Meanings, near: _Near, written: Sequence[WrittenTriple]
) -> Mapping[str, Sequence[Term]]:
    """What each relation may mean; where none is called exactly so, those that differ in case and
    punctuation, or whose IRI ends so.
    """
    texts = sorted({triple.relation for triple in written})
    meant = {text: _term(text) or near.find(text) for text in texts}
    far = meanings.find((text for text, terms in meant.items() if not terms), relation=True)
    alike: dict[str, list[Term]] = {}
    if not all(far.values()):
        for known in kg.labels.relations():
            for name in {normalise(known.name), normalise(local_name(known.term))}:
                alike.setdefault(name, []).append(known.term)
    return {
        **meant,
        **{text: triple or alike.get(normalise(text), ()) for text, triple in far.items()},
    }


def _term(text: str) -> Sequence[Term]:
    term = read_written(text).term
    return (term,) if term else ()


def _cuts(text: str, marks: Sequence[str], *, last: bool) -> list[str]:
    """What is left of a text without its last, or its first, parts; the longest of each first."""
    pieces = list[str]()
    for mark in marks:
        parts = text.split(mark)[:10]
        pieces += [
            mark.join(parts[:i] if last else parts[-i:]) for i in range(len(parts) - 1, 0, -1)
        ]
    return pieces


def _holds(kg: KnowledgeGraph, triples: Iterable[Triple]) -> dict[Triple, bool | None]:
    verdicts: dict[Triple, bool | None] = dict.fromkeys(triples, False)
    asked = [triple for triple in verdicts if not any(map(is_unknown, triple))]
    try:
        verdicts.update(zip(asked, kg.store.holds(asked), strict=True))
    except ServiceError:
        verdicts.update(dict.fromkeys(asked))
    return verdicts
