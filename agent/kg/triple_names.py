"""The names of triple terms (RDF 1.2), made of those of their parts: `«Ada knows Ben»`."""

from collections.abc import Callable, Iterator, Sequence

from .terms import Term, is_triple_term, triple_of


def with_triples(
    terms: Sequence[Term], names_of: Callable[[Sequence[Term]], Sequence[str]]
) -> list[str]:
    """The name of each term, given what names all others; that is called once."""
    if not any(map(is_triple_term, terms)):
        return list(names_of(terms))
    parts = list(dict.fromkeys(part for term in terms for part in _parts(term)))
    names = dict(zip(parts, names_of(parts), strict=True))
    return [in_words(term, names.__getitem__) for term in terms]


def in_words(term: Term, name: Callable[[Term], str]) -> str:
    """A triple term in the names of its parts; any other has its own."""
    if not is_triple_term(term):
        return name(term)
    return f"«{' '.join(in_words(part, name) for part in triple_of(term))}»"


def _parts(term: Term) -> Iterator[Term]:
    """The terms that are no triples in a term, itself where it is none."""
    if not is_triple_term(term):
        yield term
        return
    for part in triple_of(term):
        yield from _parts(part)
