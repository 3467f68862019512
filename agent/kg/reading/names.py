"""The names of a KG together with those of the relations that exist in a reading only."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, count

from ..labels import Hit, RelationInfo, Similar, TermInfo, Word
from ..store import Labels
from ..terms import Term
from .relations import parts_of, predicate_of

_ONCE = "{} (statement)"
"""The name of a joined relation whose two have the same label, which a third may have too."""


class ReadingLabels:
    """Implements `Labels`. A joined relation has both labels with a hyphen between them.

    So does DoG (appendix B). A label that both have, as Wikidata's do for a statement and its
    value, stands once. Where that does not tell relations of one call apart, their names stand in
    the place of the labels, and then numbers.
    """

    def __init__(self, labels: Labels) -> None:
        self._labels = labels

    @property
    def exhaustive(self) -> bool:
        """As of the KG's own names."""
        return self._labels.exhaustive

    def names(self, terms: Sequence[Term]) -> list[str]:
        """The display name of each term, no two of one call alike."""
        own = {term: _parts(term) for term in dict.fromkeys(terms)}
        virtual = sorted(term for term, parts in own.items() if parts)
        if not virtual:
            return self._labels.names(terms)
        real = list(dict.fromkeys(part for term, parts in own.items() for part in parts or (term,)))
        names = dict(zip(real, self._labels.names(real), strict=True))
        infos = self._labels.describe(list(dict.fromkeys(p for t in virtual for p in own[t] or ())))
        labels = {info.term: info.label for info in infos}
        found = {term: names[term] for term, parts in own.items() if not parts}
        used = set(found.values())
        for term in virtual:
            parts = own[term] or ()
            several = (_joined(parts, labels), "-".join(names[part] for part in parts))
            found[term] = _free(several, used)
            used.add(found[term])
        return [found[term] for term in terms]

    def describe(self, terms: Sequence[Term]) -> list[TermInfo]:
        """What each term is; a relation of the reading has its name and no facts."""
        virtual = [term for term in terms if _parts(term)]
        names = dict(zip(virtual, self.names(virtual), strict=True))
        known = iter(self._labels.describe([term for term in terms if term not in names]))
        return [
            TermInfo(term, names[term], names[term], "", "", 0) if term in names else next(known)
            for term in terms
        ]

    def named(self, text: str, *, relation: bool = False) -> list[Term]:
        """The terms of the KG itself of exactly this name; else of this label."""
        return self._labels.named(text, relation=relation)

    def labelled(self, text: str, *, relation: bool = False) -> list[Term]:
        """The terms of the KG itself of exactly this label."""
        return self._labels.labelled(text, relation=relation)

    def lookup(self, norm: str) -> list[Hit]:
        """The entities that a normalised text may mean."""
        return self._labels.lookup(norm)

    def known(self, norms: Iterable[str]) -> set[str]:
        """Which of many normalised texts some entity may be meant by."""
        return self._labels.known(norms)

    def similar(self, norm: str, limit: int = 10, *, distance: int = 2) -> list[Similar]:
        """Normalised names within an edit distance, nearest first."""
        return self._labels.similar(norm, limit, distance=distance)

    def containing(self, words: Sequence[str], limit: int = 200) -> list[Hit]:
        """The entities with all of these normalised words in one of their names, by degree."""
        return self._labels.containing(words, limit)

    def relations(self) -> list[RelationInfo]:
        """Every relation that facts of the KG itself use, the most used first."""
        return self._labels.relations()

    def vocabulary(self) -> list[Word]:
        """Labels and aliases of relations and classes."""
        return self._labels.vocabulary()

    def longest(self) -> int:
        """The number of words of the longest name that is worth looking up."""
        return self._labels.longest()

    def close(self) -> None:
        """Let go of files and connections."""
        self._labels.close()


def _parts(relation: Term) -> tuple[Term, ...] | None:
    """The relations of the KG that a relation of the reading is named after."""
    if joined := parts_of(relation):
        return tuple(predicate_of(part) or part for part, _ in joined)
    predicate = predicate_of(relation)
    return (predicate,) if predicate else None


def _joined(parts: Sequence[Term], labels: Mapping[Term, str]) -> str:
    distinct = list(dict.fromkeys(labels[part] for part in parts))
    once = len(distinct) < len(parts)
    return _ONCE.format(distinct[0]) if once else "-".join(distinct)


def _free(names: Sequence[str], used: Collection[str]) -> str:
    numbered = (f"{names[-1]} ({number})" for number in count(2))
    return next(name for name in chain(names, numbered) if name not in used)
