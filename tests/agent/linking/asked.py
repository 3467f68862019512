"""Names of a KG that remember what they were asked for."""

from collections.abc import Iterable, Mapping, Sequence

from groundwalk.agent.kg import Hit, RelationInfo, Similar, Term, TermInfo, Word
from groundwalk.agent.kg.store import Labels


class AskedLabels:
    """Implements `Labels`: hands every call on and remembers it, and the texts given to `known`."""

    def __init__(self, index: Labels) -> None:
        self._index = index
        self.calls: list[str] = []
        self.written: dict[str, str] = {}

    @property
    def exhaustive(self) -> bool:
        return self._index.exhaustive

    def names(self, terms: Sequence[Term]) -> list[str]:
        self.calls.append("names")
        return self._index.names(terms)

    def describe(self, terms: Sequence[Term]) -> list[TermInfo]:
        self.calls.append("describe")
        return self._index.describe(terms)

    def named(self, text: str, *, relation: bool = False) -> list[Term]:
        self.calls.append("named")
        return self._index.named(text, relation=relation)

    def labelled(self, text: str, *, relation: bool = False) -> list[Term]:
        self.calls.append("labelled")
        return self._index.labelled(text, relation=relation)

    def lookup(self, norm: str) -> list[Hit]:
        self.calls.append("lookup")
        return self._index.lookup(norm)

    def known(self, norms: Iterable[str]) -> set[str]:
        self.calls.append("known")
        assert isinstance(norms, Mapping)
        self.written.update(norms)
        return self._index.known(norms)

    def similar(self, norm: str, limit: int = 10, *, distance: int = 2) -> list[Similar]:
        self.calls.append("similar")
        return self._index.similar(norm, limit, distance=distance)

    def containing(self, words: Sequence[str], limit: int = 200) -> list[Hit]:
        self.calls.append("containing")
        return self._index.containing(words, limit)

    def with_local_name(self, name: str) -> list[Hit]:
        self.calls.append("with_local_name")
        return self._index.with_local_name(name)

    def relations(self) -> list[RelationInfo]:
        self.calls.append("relations")
        return self._index.relations()

    def vocabulary(self) -> list[Word]:
        return self._index.vocabulary()

    def longest(self) -> int:
        return self._index.longest()

    def close(self) -> None:
        self._index.close()
