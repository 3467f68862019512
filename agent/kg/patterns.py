"""Facts that a KG says by a node of their own: which patterns of triples say one, and its relation.

OWL says that every heart is part of a body as `Heart subClassOf r; r onProperty partOf;
r someValuesFrom Body`. A `FactPattern` reads that as `Heart -> part of (some) -> Body`. The
relation of such a fact is in no triple: its IRI is made of the pattern, the property and, where the
pattern has one, a number.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, unquote

from .terms import Term, is_iri

HeadWay: TypeAlias = tuple[Term, bool]
"""A predicate between the head of a fact and its node; True where the node is its subject."""

_PREFIX = "<urn:groundwalk:pattern:"


@dataclass(frozen=True)
class FactPattern:
    """A form in which a KG says a fact by a node.

    `heads` lead from the head to the node, `relations` from the node to what the relation is,
    `tails` to the tail. `numbers` lead to a literal that is part of the relation, as the 4 of
    `has part (exactly 4)`. `called` is the name of the relation, made of `{relation}` and
    `{number}`; `asked` is what questions call it, the same where it is empty.

    Where the pattern `opens` conjunctions, each member of one that is a tail is a tail. With
    `member_by`, which takes the place of `relations` and `tails`, a named member of a conjunction
    that is the node is the tail, by that relation.
    """

    name: str
    heads: tuple[HeadWay, ...]
    relations: tuple[Term, ...] = ()
    tails: tuple[Term, ...] = ()
    numbers: tuple[Term, ...] = ()
    called: str = "{relation}"
    asked: str = ""
    opens: bool = False
    member_by: Term = ""


class PatternRelation(NamedTuple):
    """What the relation of a fact that a pattern says is made of; `number` is a text, or empty."""

    pattern: str
    predicate: Term
    number: str = ""

    @property
    def term(self) -> Term:
        """Its IRI, as `<urn:groundwalk:pattern:PATTERN:PROPERTY:NUMBER>`, percent-encoded."""
        return _spelled(self)


@lru_cache(maxsize=10_000)
def _spelled(relation: PatternRelation) -> Term:
    pattern, prop, number = (quote(part, safe="") for part in relation)
    return f"{_PREFIX}{pattern}:{prop}:{number}>"


@lru_cache(maxsize=10_000)
def pattern_relation(relation: Term) -> PatternRelation | None:
    """What a relation is made of that a pattern says; None for any other relation."""
    if not relation.startswith(_PREFIX):
        return None
    pieces = relation.removeprefix(_PREFIX).removesuffix(">").split(":")
    if len(pieces) != 3:
        return None
    made = PatternRelation(*map(unquote, pieces))
    return made if is_iri(made.predicate) and made.term == relation else None


def relation_name(pattern: FactPattern, label: str, number: str) -> str:
    """The name of a relation by the label of its property and its number."""
    return _filled(pattern.called, label, number)


def asked(pattern: FactPattern, label: str, number: str) -> str:
    """What questions call a relation by the label of its property and its number."""
    return _filled(pattern.asked or pattern.called, label, number)


def _filled(text: str, label: str, number: str) -> str:
    return text.replace("{number}", number).replace("{relation}", label)


def is_blank(term: Term) -> bool:
    """Whether the term is a blank node."""
    return term.startswith("_:")
