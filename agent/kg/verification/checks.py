"""Records of claims checked against a KG as they are read: labels to terms, then verdicts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ...errors import InputError, ServiceError
from ..labels.meanings import Meanings
from ..labels.names import local_name
from ..store import Labels
from ..terms import Term, is_literal
from .claim_lines import Record
from .claims import MOST_TRIPLES, Claim, ClaimVerdict, Inquiry, Statement, Written, judge

_MOST_RECORDS = 200
_MOST_SHOWN = 5

_Role: TypeAlias = Literal["entity", "relation", "end"]
"""What may stand in a place: an entity, as topic or head; a relation; an entity or a value."""

_Known = Mapping[tuple[str, bool], Sequence[Term]]


class Checked(NamedTuple):
    """A record with terms for its labels, a verdict for each claim, and names for the terms."""

    record: Record
    verdicts: tuple[ClaimVerdict, ...]
    names: Mapping[Term, str]


class Unclear(NamedTuple):
    """A record that cannot be checked, because several terms have one of its labels."""

    record: Record
    error: InputError


def check_records(
    records: Iterable[Record],
    inquiry: Inquiry,
    labels: Labels,
    predicates: Iterable[Term] = (),
) -> Iterator[Checked | Unclear]:
    """Check records in their order, so many at a time as one request has triples.

    A label that no term has is left without a term; it is unsupported, or unknown where `labels`
    are not all of the KG's. `predicates` make no facts and may be named all the same, as `type`. A
    record with a label that several terms have is `Unclear`. Raises ServiceError where a label
    cannot be looked up, and what `records` raises, after what came before it is checked.
    """
    meanings = Meanings(labels, predicates)
    for batch in _batches(records):
        known = _look_up(batch, meanings)
        read = [_resolved(record, known) for record in batch]
        clear = [record for record in read if isinstance(record, Record)]
        checked = iter(_checked(clear, inquiry, labels))
        yield from (item if isinstance(item, Unclear) else next(checked) for item in read)


def _checked(batch: Sequence[Record], inquiry: Inquiry, labels: Labels) -> list[Checked]:
    claims = [claim for record in batch for claim in record.claims]
    unnamed = "unsupported" if labels.exhaustive else "unknown"
    verdicts = iter(judge(inquiry, claims, unnamed=unnamed))
    names = _names(batch, labels)
    return [
        Checked(record, tuple(next(verdicts) for _ in record.claims), names) for record in batch
    ]


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    batch: list[Record] = []
    size = 0
    try:
        for record in records:
            triples = sum(len(chain) for claim in record.claims for chain in claim.chains)
            if batch and (size + triples > MOST_TRIPLES or len(batch) == _MOST_RECORDS):
                yield batch
                batch, size = [], 0
            batch.append(record)
            size += triples
    except InputError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _mentions(record: Record) -> Iterator[tuple[Written, _Role]]:
    """Everything that is written in the claims of a record, and what may stand there."""
    for claim in record.claims:
        for topic in claim.topics:
            yield topic, "entity"
        for answer in claim.answers:
            yield answer, "end"
        for chain in claim.chains:
            for head, relation, tail in chain:
                yield head, "entity"
                yield relation, "relation"
                yield tail, "end"


def _look_up(batch: Sequence[Record], meanings: Meanings) -> _Known:
    """The terms of each label in a batch, among relations or among all others."""
    written = {mention for record in batch for mention in _mentions(record)}
    known: dict[tuple[str, bool], Sequence[Term]] = {}
    for relation in (False, True):
        texts = {w.text for w, role in written if not w.term and (role == "relation") == relation}
        meant = meanings.find(sorted(texts), relation=relation)
        known.update(((text, relation), terms) for text, terms in meant.items())
    return known


def _terms_of(written: Written, role: _Role, known: _Known) -> Sequence[Term]:
    if written.term is not None:
        return [written.term]
    terms = known[written.text, role == "relation"]
    entities = [term for term in terms if not is_literal(term)]
    return entities if role == "entity" and entities else terms


def _resolved(record: Record, known: _Known) -> Record | Unclear:
    """The record with a term for each label that has one."""
    for written, role in _mentions(record):
        if len(terms := _terms_of(written, role, known)) > 1:
            return Unclear(record, _ambiguous(record.where, written.text, terms))
    return record._replace(claims=tuple(_known_claim(claim, known) for claim in record.claims))


def _ambiguous(where: str, text: str, terms: Sequence[Term]) -> InputError:
    shown = ", ".join(term if term.isprintable() else ascii(term) for term in terms[:_MOST_SHOWN])
    more = f" and {len(terms) - _MOST_SHOWN} more" if len(terms) > _MOST_SHOWN else ""
    return InputError(f"{where}: {text!r} may mean {shown}{more}", "write the term that is meant")


def _known_claim(claim: Claim, known: _Known) -> Claim:
    def term_of(written: Written, role: _Role) -> Written:
        return written._replace(term=next(iter(_terms_of(written, role, known)), None))

    return Claim(
        tuple(term_of(topic, "entity") for topic in claim.topics),
        tuple(
            tuple(
                Statement(term_of(h, "entity"), term_of(r, "relation"), term_of(t, "end"))
                for h, r, t in chain
            )
            for chain in claim.chains
        ),
        tuple(term_of(answer, "end") for answer in claim.answers),
    )


def _names(batch: Sequence[Record], labels: Labels) -> dict[Term, str]:
    """The names of all terms; their local names where the source does not tell others."""
    terms = list(
        dict.fromkeys(w.term for r in batch for w, _ in _mentions(r) if w.term is not None)
    )
    try:
        return dict(zip(terms, labels.names(terms), strict=True))
    except ServiceError:
        return {term: local_name(term) for term in terms}
