"""The IRIs of relations that exist in a reading only; they say what they stand for."""

from functools import lru_cache
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, unquote

from ..terms import Term, is_iri

Walked: TypeAlias = tuple[Term, bool]
"""A relation and the direction in which it is walked, True from tail to head."""

_JOINED = "<urn:groundwalk:joined:"
_ABOUT = "<urn:groundwalk:about:"
_SIGNS = {False: "+", True: "-"}
_WAYS = {sign: inverse for inverse, sign in _SIGNS.items()}


class Joined(NamedTuple):
    """Two relations as they are walked through a mediator, one to it and one on from it."""

    first: Walked
    second: Walked

    @property
    def turned(self) -> "Joined":
        """The same way backwards."""
        return Joined(turned(self.second), turned(self.first))

    @property
    def term(self) -> Term:
        """Its IRI, as `<urn:groundwalk:joined:+RELATION:-RELATION>`, percent-encoded."""
        return _spelled(self)


@lru_cache(maxsize=10_000)
def _spelled(joined: Joined) -> Term:
    (one, back), (other, off) = joined
    return f"{_JOINED}{_SIGNS[back]}{quote(one, safe='')}:{_SIGNS[off]}{quote(other, safe='')}>"


def turned(walked: Walked) -> Walked:
    """The same relation, walked the other way."""
    return walked[0], not walked[1]


@lru_cache(maxsize=10_000)
def parts_of(relation: Term) -> Joined | None:
    """The two relations that a joined one stands for; None for any other relation."""
    if not relation.startswith(_JOINED):
        return None
    pieces = relation.removeprefix(_JOINED).removesuffix(">").split(":")
    if len(pieces) != 2 or not all(piece[:1] in _WAYS for piece in pieces):
        return None
    first, second = ((unquote(piece[1:]), _WAYS[piece[0]]) for piece in pieces)
    joined = Joined(first, second)
    return joined if joined.term == relation else None


def about(predicate: Term) -> Term:
    """The relation from a statement of this predicate to its subject."""
    return f"{_ABOUT}{quote(predicate, safe='')}>"


@lru_cache(maxsize=10_000)
def predicate_of(relation: Term) -> Term | None:
    """The predicate of the statements that a relation leads from; None for any other relation."""
    if not relation.startswith(_ABOUT):
        return None
    predicate = unquote(relation.removeprefix(_ABOUT).removesuffix(">"))
    return predicate if is_iri(predicate) and about(predicate) == relation else None
