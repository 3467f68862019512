"""The names of a KG together with those of the relations that exist in a reading only."""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, count

from ..labels import TermInfo
from ..labels_over import LabelsOver
from ..terms import Term
from .relations import parts_of, predicate_of

_ONCE = "{} (statement)"
"""The name of a joined relation whose two have the same label, which a third may have too."""


class ReadingLabels(LabelsOver):
    """Implements `Labels`. A joined relation has both labels with a hyphen between them.

    So does DoG (appendix B). A label that both have, as Wikidata's do for a statement and its
    value, stands once. Where that does not tell relations of one call apart, their names stand in
    the place of the labels, and then numbers.
    """

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
