"""Which triples matter to a question: rankers, a hub's relevant steps, DoG's connected triples."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from ..labels.names import normalise
from ..store import Labels
from ..terms import Term, Triple

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

DIGITS = 6
"""Scores are compared after rounding to so many decimals, so that batches and machines agree."""


_UNSPACED = "".join(
    (
        "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff",  # Thai, Lao, Burmese, Khmer
        "\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff",  # kana and ideographs
        "\uac00-\ud7a3",  # Hangul, which has spaces but puts particles behind its nouns
    )
)
_RUN = re.compile(f"([{_UNSPACED}]+)|[^{_UNSPACED}]+")


class Ranker(Protocol):
    """Tells how similar texts are to a question."""

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A score for each text, comparable within the call: the higher, the more similar."""
        ...


class BM25Ranker:
    """Implements `Ranker` by the words that a text shares with the question; 0 where none.

    A word that few of the texts have counts more. Words are compared as `normalise` writes them,
    with neither stemming nor synonyms. The English articles, prepositions and the like that bm25s
    lists count for nothing. Keeps no state.
    """

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """The BM25 score of each text, at least 0, with the texts as the whole corpus."""
        import bm25s
        from bm25s.stopwords import STOPWORDS_EN

        ignored = frozenset(STOPWORDS_EN)
        asked = [word for word in dict.fromkeys(words(question)) if word not in ignored]
        corpus = [[word for word in words(text) if word not in ignored] for text in texts]
        if not any(corpus) or not asked:
            return [0.0] * len(texts)
        index = bm25s.BM25(dtype="float64")
        index.index(corpus, show_progress=False)
        return index.get_scores(asked).tolist()


class Embeddings(Protocol):
    """A model of sentence embeddings, as LangChain's classes are."""

    def embed_query(self, text: str) -> Sequence[float]:
        """The vector of one text that is asked for."""
        ...

    def embed_documents(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """The vector of each of the texts that are searched."""
        ...


class EmbeddingRanker:
    """Implements `Ranker` by the cosine of embeddings, such as `HuggingFaceEmbeddings` make.

    Errors of the embedding model are passed on as they are.
    """

    def __init__(self, embeddings: Embeddings, *, most: int = 10_000, batch: int = 256) -> None:
        """Embed at most `batch` texts at once, and remember the vectors of the last `most`."""
        from ...caching import Recent

        self._embeddings = embeddings
        self._batch = batch
        self._texts: Recent[str, NDArray[float32]] = Recent(most)
        self._questions: Recent[str, NDArray[float32]] = Recent(most)

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """The cosine of the angle between each text and the question, from -1 to 1."""
        if not texts:
            return []
        asked = self._questions.take([question], self._embed_questions)[question]
        vectors = self._texts.take(texts, self._embed_texts)
        return [float(vectors[text] @ asked) for text in texts]

    def _embed_questions(self, questions: list[str]) -> "dict[str, NDArray[float32]]":
        return {text: _direction(self._embeddings.embed_query(text)) for text in questions}

    def _embed_texts(self, texts: list[str]) -> "dict[str, NDArray[float32]]":
        vectors: dict[str, NDArray[float32]] = {}
        for start in range(0, len(texts), self._batch):
            some = texts[start : start + self._batch]
            made = self._embeddings.embed_documents(some)
            vectors.update((t, _direction(v)) for t, v in zip(some, made, strict=True))
        return vectors


def words(text: str) -> list[str]:
    """The words of a text in any script, normalised, in their order.

    Scripts without spaces between words give overlapping pairs of characters.
    """
    parts = normalise(text).split()
    return parts if text.isascii() else [word for part in parts for word in _split(part)]


def triple_texts(triples: Sequence[Triple], labels: Labels) -> list[str]:
    """Each triple as `(head, relation, tail)` in names, which is what DoG embeds (appendix B)."""
    terms = list(dict.fromkeys(term for triple in triples for term in triple))
    names = dict(zip(terms, labels.names(terms), strict=True))
    return [f"({', '.join(names[term] for term in triple)})" for triple in triples]


def top_connected(
    triples: Sequence[Triple], topics: Collection[Term], scores: Sequence[float], k: int = 120
) -> list[Triple]:
    """At most `k` triples of the best scores, all connected to a topic entity; best first.

    DoG, appendix B: triples are taken from the best score down, each together with the triples
    that connect it. What the paper leaves open is settled so:

    - The way back to a topic entity is a shortest one, whatever the directions of its triples,
      from the nearer end of the triple (the head, where both are as near). Of several, it takes
      at each hop the best triple that leads nearer.
    - A triple that does not fit with its way into the rest of `k` is passed over; later ones may.
    - A triple without a way to a topic entity is left out.
    - Ties go to the smaller triple; of a triple with several scores the best one counts.
    """
    best: dict[Triple, float] = {}
    for triple, score in zip(triples, scores, strict=True):
        best[triple] = max(best.get(triple, score), score)
    ranked = sorted(best, key=lambda triple: (-round(best[triple], DIGITS), triple))
    ways = _ways_back(ranked, topics)
    chosen: set[Triple] = set()
    for triple in ranked:
        ends = [end for end in (triple.head, triple.tail) if end in ways]
        if not ends:
            continue
        way = min((ways[end] for end in ends), key=len)
        added = {triple, *way} - chosen
        if len(chosen) + len(added) <= k:
            chosen |= added
    return [triple for triple in ranked if triple in chosen]


def _ways_back(
    ranked: Sequence[Triple], topics: Collection[Term]
) -> dict[Term, tuple[Triple, ...]]:
    """The way of `top_connected` from every entity that has one."""
    around: dict[Term, list[Triple]] = {}
    for triple in ranked:
        for end in {triple.head, triple.tail}:
            around.setdefault(end, []).append(triple)
    rank = {triple: i for i, triple in enumerate(ranked)}
    ways: dict[Term, tuple[Triple, ...]] = {topic: () for topic in topics}
    level = list(ways)
    while level:
        nearer: dict[Term, tuple[Triple, Term]] = {}
        for node in level:
            for triple in around.get(node, ()):
                other_end = triple.tail if triple.head == node else triple.head
                if other_end not in ways and (
                    other_end not in nearer or rank[triple] < rank[nearer[other_end][0]]
                ):
                    nearer[other_end] = triple, node
        ways.update(
            (other_end, (triple, *ways[node])) for other_end, (triple, node) in nearer.items()
        )
        level = list(nearer)
    return ways


def _split(text: str) -> Iterator[str]:
    for run in _RUN.finditer(unicodedata.normalize("NFC", text)):
        if run[1] and len(run[1]) > 1:
            yield from (run[1][i : i + 2] for i in range(len(run[1]) - 1))
        else:
            yield run[0]


def _direction(vector: Sequence[float]) -> "NDArray[float32]":
    """The vector at length 1; one without a length stays as it is."""
    import numpy as np

    array = np.asarray(vector, np.float32)
    length = float(np.linalg.norm(array))
    return array / length if length else array
