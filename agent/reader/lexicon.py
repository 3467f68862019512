"""What words mean: aliases of labels, related words, and vectors, by a table or an encoder.

The lexicon comes with the reader and is made from public lexicons; it says nothing of any graph.
"""

import gzip
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..caching import Recent
from ..llm.embeddings import load_embeddings
from .words import label_words

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings


_AT_ONCE = 1_000
"""Words that are given to the encoder in one call."""


class Encoder:
    """A sentence encoder as what says what words mean, in the place of a table of known words.

    It gives any word a vector of length 1, and keeps those of the `most` words used last.
    """

    def __init__(self, embeddings: "Embeddings", most: int) -> None:
        self.embeddings = embeddings
        self._vectors = Recent[str, npt.NDArray[np.float32]](most)
        self._lock = Lock()
        self.width = len(embeddings.embed_documents(["word"])[0])

    def vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """The vector of each word, `(words, width)`; zeros for the empty word."""
        known = self._vectors.take(filter(None, words), self._encoded)
        nothing = np.zeros(self.width, np.float32)
        return np.stack([known[word] if word else nothing for word in words])

    def _encoded(self, words: Sequence[str]) -> Mapping[str, npt.NDArray[np.float32]]:
        """The vectors of new words; what is like nothing stays zeros."""
        encoded = dict[str, npt.NDArray[np.float32]]()
        for first in range(0, len(words), _AT_ONCE):
            some = list(words[first : first + _AT_ONCE])
            with self._lock:  # tokenizers are not safe to share
                vectors = np.asarray(self.embeddings.embed_documents(some), np.float32)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            encoded |= zip(some, map(np.copy, vectors / np.maximum(lengths, 1e-9)), strict=True)
        return encoded


def open_encoder(name: str, *, asks_hub: bool = False, most: int = 50_000) -> Encoder:
    """The encoder of that name, which keeps the vectors of so many words.

    The hub is asked only where the user named the encoder. Raises InputError (ModelError).
    """
    return Encoder(load_embeddings(name, asks_hub=asks_hub, device="cpu"), most)


LEXICON_FILE = "lexicon.tsv.gz"


@dataclass(frozen=True)
class Lexicon:
    """Aliases by the words of a label, and the related words of a word."""

    aliases: Mapping[tuple[str, ...], Sequence[tuple[str, ...]]] = field(
        default_factory=dict[tuple[str, ...], Sequence[tuple[str, ...]]]
    )
    related: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    meanings: Mapping[str, int] = field(default_factory=dict[str, int])
    """The row of a word in the network's table of meanings, from 1."""
    encoder: Encoder | None = None
    """What says in the table's place what any word means."""


def make_lexicon(
    aliases: Iterable[tuple[str, Sequence[str]]], pairs: Iterable[tuple[str, str]]
) -> Lexicon:
    """A lexicon of labels with their aliases, and of pairs of related words in lower case."""
    by_label = defaultdict[tuple[str, ...], dict[tuple[str, ...], None]](dict)
    for label, others in aliases:
        words = label_words(label)
        names = map(label_words, others)
        by_label[words].update(dict.fromkeys(name for name in names if name and name != words))
    return Lexicon({label: tuple(names) for label, names in by_label.items()}, _both_ways(pairs))


def _both_ways(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    related = defaultdict[str, set[str]](set)
    for word, other in pairs:
        related[word].add(other)
        related[other].add(word)
    return {word: frozenset(others) for word, others in related.items()}


def write_lexicon(folder: Path, lexicon: Lexicon) -> None:
    """Write a lexicon beside the weights of a reader; the same one gives the same bytes."""
    lines = [
        "\t".join(["alias", " ".join(label), *map(" ".join, names)])
        for label, names in sorted(lexicon.aliases.items())
    ]
    for word, others in sorted(lexicon.related.items()):
        if later := sorted(other for other in others if other > word):
            lines.append("\t".join(["related", word, *later]))
    meanings = sorted(lexicon.meanings.items(), key=itemgetter(1))
    lines += [f"meaning\t{word}" for word, _ in meanings]
    text = "".join(f"{line}\n" for line in lines)
    (folder / LEXICON_FILE).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def read_lexicon(folder: Path) -> Lexicon:
    """The lexicon beside the weights of a reader. Raises OSError and ValueError."""
    text = gzip.decompress((folder / LEXICON_FILE).read_bytes()).decode()
    aliases = dict[tuple[str, ...], tuple[tuple[str, ...], ...]]()
    pairs, meanings = list[tuple[str, str]](), dict[str, int]()
    for line in text.splitlines():
        kind, word, *others = line.split("\t")
        if kind == "alias":
            aliases[tuple(word.split(" "))] = tuple(tuple(other.split(" ")) for other in others)
        elif kind == "meaning":
            meanings[word] = len(meanings) + 1
        else:
            pairs += ((word, other) for other in others)
    return Lexicon(aliases, _both_ways(pairs), meanings)
