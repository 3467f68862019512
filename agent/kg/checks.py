"""Records of claims checked against a KG as they are read: labels to terms, then verdicts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..errors import InputError, ServiceError
from .claim_lines import Record
from .claims import MOST_TRIPLES, Claim, ClaimVerdict, Inquiry, Statement, Written, judge
from .names import local_name
from .store import Labels
from .terms import Term
from .written import Meanings

_MOST_RECORDS = 200
_MOST_SHOWN = 5

_Known = Mapping[tuple[str, bool], Term | None]


class Checked(NamedTuple):
    """A record with terms for its labels, a verdict for each claim, and names for the terms."""

    record: Record
    verdicts: tuple[ClaimVerdict, ...]
    names: Mapping[Term, str]


def check_records(records: Iterable[Record], inquiry: Inquiry, labels: Labels) -> Iterator[Checked]:
    """Check records in their order, so many at a time as one request has triples.

    A label that no term has is left without a term; it is unsupported, or unknown where `labels`
    are not all of the KG's. What comes before an error is checked first. Raises InputError for a
    label that several terms have, and ServiceError where one cannot be looked up.
    """
    meanings = Meanings(labels)
    for batch in _batches(records):
        try:
            known = _resolve(batch, meanings)
        except InputError:
            for record in batch:  # what comes before the wrong one is checked all the same
                yield from _checked([record], _resolve([record], meanings), inquiry, labels)
            raise
        yield from _checked(batch, known, inquiry, labels)


def _checked(
    batch: Sequence[Record], known: _Known, inquiry: Inquiry, labels: Labels
) -> Iterator[Checked]:
    resolved = [
        record._replace(claims=tuple(_known_claim(claim, known) for claim in record.claims))
        for record in batch
    ]
    claims = [claim for record in resolved for claim in record.claims]
    unnamed = "unsupported" if labels.exhaustive else "unknown"
    verdicts = iter(judge(inquiry, claims, unnamed=unnamed))
    names = _names(resolved, labels)
    for record in resolved:
        yield Checked(record, tuple(next(verdicts) for _ in record.claims), names)


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    batch: list[Record] = []
    size = 0
    try:
        for record in records:
            own = sum(len(chain) for claim in record.claims for chain in claim.chains)
            if batch and (size + own > MOST_TRIPLES or len(batch) == _MOST_RECORDS):
                yield batch
                batch, size = [], 0
            batch.append(record)
            size += own
    except InputError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _places(record: Record) -> Iterator[tuple[Written, bool]]:
    """Everything that is written in the claims of a record, and whether it is a relation."""
    for claim in record.claims:
        for written in (*claim.topics, *claim.answers):
            yield written, False
        for chain in claim.chains:
            for head, relation, tail in chain:
                yield from ((head, False), (relation, True), (tail, False))


def _resolve(batch: Sequence[Record], meanings: Meanings) -> _Known:
    """The term of each label in a batch, None where there is none."""
    places: defaultdict[tuple[str, bool], list[str]] = defaultdict(list)
    for record in batch:
        for written, relation in _places(record):
            if written.term is None:
                places[written.text, relation].append(record.where)
    known: dict[tuple[str, bool], Term | None] = {}
    for relation in (False, True):
        texts = [text for text, is_relation in places if is_relation == relation]
        for text, terms in meanings.find(texts, relation=relation).items():
            if len(terms) > 1:
                raise _ambiguous(places[text, relation][0], text, terms)
            known[text, relation] = terms[0] if terms else None
    return known


def _ambiguous(where: str, text: str, terms: Sequence[Term]) -> InputError:
    shown = ", ".join(term if term.isprintable() else ascii(term) for term in terms[:_MOST_SHOWN])
    more = f" and {len(terms) - _MOST_SHOWN} more" if len(terms) > _MOST_SHOWN else ""
    return InputError(f"{where}: {text!r} may mean {shown}{more}", "Write the term that is meant.")


def _known_claim(claim: Claim, known: _Known) -> Claim:
    def term_of(written: Written, relation: bool = False) -> Written:
        if written.term is not None:
            return written
        return written._replace(term=known[written.text, relation])

    return Claim(
        tuple(map(term_of, claim.topics)),
        tuple(
            tuple(Statement(term_of(h), term_of(r, True), term_of(t)) for h, r, t in chain)
            for chain in claim.chains
        ),
        tuple(map(term_of, claim.answers)),
    )


def _names(batch: Sequence[Record], labels: Labels) -> dict[Term, str]:
    """The names of all terms; their local names where the source does not tell others."""
    terms = list(dict.fromkeys(w.term for r in batch for w, _ in _places(r) if w.term is not None))
    try:
        return dict(zip(terms, labels.names(terms), strict=True))
    except ServiceError:
        return {term: local_name(term) for term in terms}
