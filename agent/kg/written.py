"""From what people write, terms or labels, to the terms of a KG."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from .claims import Written
from .names import normalise, one_line
from .nodes import to_any_node, to_term
from .store import Labels
from .terms import Term

_MOST_REMEMBERED = 50_000


def read_written(text: str) -> Written:
    """A text as it is written: with its term where it is one in N-Triples syntax, else without.

    Terms are in the spelling of this package (`nodes.to_term`).
    """
    if not text.startswith(("<", '"', "_:")):
        return Written(text)
    try:
        return Written(text, to_term(to_any_node(text)))
    except ValueError:
        return Written(text)


class Meanings:
    """The terms that a label may mean in a KG; remembers what was looked up."""

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        self._known: dict[tuple[str, bool], tuple[Term, ...]] = {}
        self._vocabulary: Mapping[tuple[str, bool], Sequence[Term]] | None = None

    def find(self, texts: Iterable[str], *, relation: bool = False) -> dict[str, tuple[Term, ...]]:
        """The entities and values, or the relations, that are named or labelled exactly so; sorted.

        More than one where several share the label, even if it is the name of only one of them.
        Raises ServiceError where the labels cannot be asked for.
        """
        distinct = dict.fromkeys(texts)
        found = {t: self._known[t, relation] for t in distinct if (t, relation) in self._known}
        if missing := [text for text in distinct if text not in found]:
            new = self._look_up(missing, relation)
            if len(self._known) + len(new) > _MOST_REMEMBERED:
                self._known.clear()
            self._known.update({(text, relation): terms for text, terms in new.items()})
            found.update(new)
        return found

    def _look_up(self, texts: Sequence[str], relation: bool) -> dict[str, tuple[Term, ...]]:
        spelled = {text: one_line(text) for text in texts}
        labels = list(dict.fromkeys(filter(None, spelled.values())))
        alike = {label: {*self._words(label, relation)} for label in labels}
        if not relation:
            known = self._labels.known({normalise(label): label for label in labels})
            for label in labels:
                if (norm := normalise(label)) in known:
                    alike[label].update(hit.term for hit in self._labels.lookup(norm))
        infos = self._labels.describe(list({term for terms in alike.values() for term in terms}))
        label_of = {info.term: info.label for info in infos}
        found = {
            label: (
                *self._labels.named(label, relation=relation),
                *self._labels.labelled(label, relation=relation),
                *(term for term in alike[label] if label_of[term] == label),
            )
            for label in labels
        }
        return {text: tuple(sorted({*found.get(spelled[text], ())})) for text in texts}

    def _words(self, label: str, relation: bool) -> Sequence[Term]:
        """The relations, or the classes, that may be labelled so."""
        if self._vocabulary is None:
            words: defaultdict[tuple[str, bool], list[Term]] = defaultdict(list)
            for word in self._labels.vocabulary():
                words[word.text, word.relation].append(word.term)
            self._vocabulary = dict(words)
        return self._vocabulary.get((label, relation), ())
