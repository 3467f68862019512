"""Links by meaning: stretches of a question and names of entities compared as vectors."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..kg.store import Labels
from ..kg.terms import Term
from .linker import Linker
from .mention import Candidate, Mention
from .mentions import MentionFinder

_MOST_CANDIDATES = 10
_SCORE = 0.7
"""The score of a cosine of 1: less than that of a name with a typo."""

_Vectors: TypeAlias = NDArray[np.float32]


class Embeddings(Protocol):
    """Turns texts into vectors of one length, as every `Embeddings` of LangChain does."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """A vector for each text."""
        ...


class DenseLinker:
    """Adds to what another linker finds the entities that are nearest by cosine."""

    def __init__(
        self,
        first: Linker,
        labels: Labels,
        terms: Sequence[Term],
        embeddings: Embeddings,
        *,
        finder: MentionFinder | None = None,
        least: float = 0.6,
    ) -> None:
        """Embed the labels of `terms`, which are all that can be found: 4 bytes a dimension each.

        A `finder` says what to compare beside the mentions of `first`; without one it is the whole
        question, where `first` finds nothing. An entity is taken from a cosine of `least` on.
        """
        self._first = first
        self._infos = labels.describe(sorted(set(terms)))
        self._embeddings = embeddings
        self._finder = finder
        self._least = least
        self._names = self._embedded([info.label for info in self._infos])

    def link(self, question: str) -> list[Mention]:
        """The mentions in order of appearance, each with its candidates, best first."""
        linked = self._first.link(question)
        free = self._free(question, linked)
        if not free or not self._infos:
            return linked
        cosines = self._embedded([question[start:end] for start, end in free]) @ self._names.T
        known = {mention.candidates[0].term for mention in linked}
        for (start, end), row in zip(free, cosines, strict=True):
            nearest = self._nearest(row)
            if nearest and nearest[0].term not in known:
                known.add(nearest[0].term)
                linked.append(Mention(question[start:end], start, end, nearest))
        return sorted(linked, key=lambda mention: mention.start)

    def _free(self, question: str, linked: Sequence[Mention]) -> list[tuple[int, int]]:
        """What to compare, without overlaps."""
        taken = [(mention.start, mention.end) for mention in linked]
        free: list[tuple[int, int]] = []
        given = self._finder(question) if self._finder else [(0, len(question))]
        for start, end in sorted(given):
            if question[start:end].strip() and all(end <= a or b <= start for a, b in taken):
                free.append((start, end))
                taken.append((start, end))
        return free

    def _embedded(self, texts: list[str]) -> _Vectors:
        """One row a text, of length 1; or of zeros, like nothing, where the model gives zeros."""
        vectors = np.asarray(self._embeddings.embed_documents(texts) or [[]], dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)

    def _nearest(self, cosines: _Vectors) -> tuple[Candidate, ...]:
        most = min(_MOST_CANDIDATES, len(cosines))
        best = np.argpartition(cosines, -most)[-most:]
        found = [
            Candidate(
                *(info.term, info.name, info.label, info.description, info.kind),
                score=_SCORE * cosine,
                matched="dense",
            )
            for place in best.tolist()
            for info in [self._infos[place]]
            if (cosine := min(float(cosines[place]), 1.0)) >= self._least
        ]
        return tuple(sorted(found, key=lambda one: (-round(one.score, 6), one.term)))
