"""Labels made over others: what a subclass does not say itself, those say."""

from collections.abc import Iterable, Sequence

from .labels import Hit, RelationInfo, Similar, TermInfo, Word
from .store import Labels
from .terms import Term


class LabelsOver:
    """Implements `Labels` by those that it is made over."""

    def __init__(self, labels: Labels) -> None:
        self._labels = labels

    @property
    def exhaustive(self) -> bool:
        """Whether a text that it does not know is the name of nothing in the KG."""
        return self._labels.exhaustive

    def names(self, terms: Sequence[Term]) -> list[str]:
        """The display name of each term, no two of one call alike."""
        return self._labels.names(terms)

    def describe(self, terms: Sequence[Term]) -> list[TermInfo]:
        """What each term is; an unknown one has its local name and no facts."""
        return self._labels.describe(terms)

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
