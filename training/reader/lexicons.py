"""The lexicon of the general reader and the meanings of its words.

Words that stand in the same entries get vectors that are near each other. An entry is what a
public lexicon says together: a property with its aliases, or with its description; a word with its
synonyms, or with what is derived from it; two words that begin alike. Our own thesaurus says by
which words people ask for what a label says. Words are counted by entry, and the positive
pointwise mutual information of two words is brought down to few dimensions (Levy and Goldberg
2014).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...agent.errors import InputError
from ...agent.reader.lexicon import (
    FORM_LETTERS,
    Lexicon,
    both_ways,
    form_share,
    label_words,
    make_lexicon,
)
from ..wording.english import thesaurus_files, words_apart
from .sources import table_rows

_WORD = re.compile(r"[^\W_]+")
_NO_MEANING = "external-id"
"""Identifiers in other catalogues: nobody asks for them by another name."""
_NOUN = "n"
"""As WordNet has it."""
_SMOOTHING = 0.75
MEANINGS = 24_000
"""The most words that a reader knows the meaning of."""
_OFTEN, _AN_ENTRY = 50, 0.1
"""The most questions, and labels, with a word that count for it; what an entry with it counts."""
_OURS, _WORDNET = 3.0, 0.3
"""What a line of our thesaurus weighs, and one of WordNet, which has rare senses, too."""
_EXTRA, _ROUNDS = 16, 4
"""Of the randomised decomposition."""


class Meanings(NamedTuple):
    """Words, and their vectors `(words, dimensions)` of length 1."""

    words: Sequence[str]
    vectors: npt.NDArray[np.float32]


class _Entry(NamedTuple):
    words: Sequence[str]
    weight: float


class NearWords(NamedTuple):
    """The words of a label, or one word, and by which words people ask for it."""

    heads: Sequence[str]
    near: Sequence[str]


def thesaurus() -> list[NearWords]:
    """Our own thesaurus, of all languages. Raises InputError for a line that says nothing."""
    return list(chain.from_iterable(map(_near_words, thesaurus_files())))


def _near_words(file: Path) -> Iterator[NearWords]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        head, _, near = line.partition(":")
        words = NearWords(_words(head), _words(near))
        if not (words.heads and words.near):
            raise InputError(f"{file.name}:{number} names no near words", "write `word: near ...`")
        yield words


def meanings_of(
    data: Path,
    questions: Iterable[str],
    labels: Iterable[str],
    near: Sequence[NearWords],
    dimensions: int,
    most: int = MEANINGS,
) -> Meanings:
    """The meanings of at most so many words: of a thesaurus, of questions and labels, of lexicons.

    `data` is the folder of public data. Raises OSError where a file is missing.
    """
    entries = list(_entries(data / "lexicon"))
    listed = Counter(word for entry in entries for word in set(entry.words))
    asked = Counter(word for text in questions for word in set(_words(text)))
    named = Counter(word for label in labels for word in set(label_words(label)))
    ours = {word for heads, others in near for word in (*heads, *others)}

    def order(word: str) -> tuple[bool, float, str]:
        often = min(asked[word], _OFTEN) + min(named[word], _OFTEN)
        often += _AN_ENTRY * min(listed[word], 2 * _OFTEN)
        return word not in ours, -often, word

    words = sorted(sorted({*listed, *asked, *named, *ours}, key=order)[:most])
    entries += _alike(words)
    for heads, others in near:  # near words mean alike, and each most what its line is about
        entries.append(_Entry((*heads, *others), _OURS))
        entries += (_Entry(pair, _OURS / len(heads)) for pair in product(heads, others))
    vectors = _vectors({word: row for row, word in enumerate(words)}, entries, dimensions)
    return Meanings(words, vectors)


def _vectors(
    rows: Mapping[str, int], entries: Sequence[_Entry], dimensions: int
) -> npt.NDArray[np.float32]:
    import torch

    together = defaultdict[tuple[int, int], float](float)
    for entry in entries:
        numbers = list(dict.fromkeys(rows[word] for word in entry.words if word in rows))
        for one in numbers:
            for other in numbers:
                if one != other:
                    together[one, other] += entry.weight / (len(numbers) - 1)
    pairs = np.array(list(together))
    counts = np.array(list(together.values()))
    total = np.bincount(pairs[:, 0], counts, len(rows))
    context = total**_SMOOTHING / (total**_SMOOTHING).sum()
    chance = np.maximum(total[pairs[:, 0]] * context[pairs[:, 1]], 1e-12)
    informative = np.log(counts / chance)
    pairs, informative = pairs[informative > 0], informative[informative > 0]
    diagonal = np.arange(len(rows))
    places = np.concatenate([pairs.T, np.stack([diagonal, diagonal])], 1)
    values = np.concatenate([informative, np.full(len(rows), np.median(informative))])
    matrix = torch.sparse_coo_tensor(
        torch.from_numpy(places),
        torch.from_numpy(values.astype(np.float32)),
        (len(rows), len(rows)),
        check_invariants=True,
    )
    torch.manual_seed(0)
    most = min(dimensions + _EXTRA, len(rows))
    left, _, _ = torch.svd_lowrank(matrix.coalesce(), q=most, niter=_ROUNDS)
    vectors = left[:, :dimensions].numpy()
    length = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return (vectors / length).astype(np.float32)


def _entries(lexicon: Path) -> Iterator[_Entry]:
    for _, label, kind, _, names, description in table_rows(lexicon / "wikidata-properties.tsv.gz"):
        if kind != _NO_MEANING:
            yield _Entry(_words(f"{label} {names}"), 1.0)
            yield _Entry(_words(f"{label} {description}"), 0.7)
    for _, _, label, _, other in table_rows(lexicon / "wikidata-property-pairs.tsv.gz"):
        yield _Entry(_words(f"{label} {other}"), 0.5)
    for _, label, comment, *_ in table_rows(lexicon / "schemaorg-properties.tsv.gz"):
        yield _Entry(_words(f"{label} {comment}")[:25], 0.7)
    for _, label, head, tail in table_rows(lexicon / "freebase-relations.tsv.gz"):
        ends = (own.rpartition(".")[2] for own in (head, tail))
        yield _Entry(_words(" ".join([label, *ends])), 0.4)
    for lemma, _, *others in table_rows(lexicon / "wordnet.tsv.gz"):
        for own in filter(None, others):
            yield _Entry(_words(f"{lemma} {own}"), _WORDNET)
    for one, other in table_rows(lexicon / "ppdb-synonyms.tsv.gz"):
        yield _Entry(_words(f"{one} {other}"), 1.0)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _alike(words: Iterable[str]) -> list[_Entry]:
    """Pairs of words that are likely forms of one word, in any language that puts endings on."""
    near = defaultdict[str, list[str]](list)
    for word in words:
        near[word[:FORM_LETTERS]].append(word)
    return [
        _Entry((one, other), 1.0)
        for several in near.values()
        for place, one in enumerate(several)
        for other in several[place + 1 :]
        if form_share(one, other)
    ]


def nouns_of(data: Path) -> frozenset[str]:
    """The nouns of WordNet, in lower case. Raises OSError where the file is missing."""
    rows = table_rows(data / "lexicon" / "wordnet.tsv.gz")
    return frozenset(lemma.lower() for lemma, kind, *_ in rows if kind == _NOUN)


def lexicon_of(data: Path, questions: Iterable[str], near: Iterable[NearWords]) -> Lexicon:
    """Aliases of Wikidata's properties; pairs of PPDB, of WordNet and of our own thesaurus; our own
    words that are never said for another.

    Of public pairs those are kept whose words occur in at least two of the `questions`, or in an
    alias. `data` is the folder of public data. Raises OSError where a file is missing.
    """
    lexicon = data / "lexicon"
    aliases = [
        (label, names.split(" | "))
        for _, label, kind, _, names, *_ in table_rows(lexicon / "wikidata-properties.tsv.gz")
        if names and kind != _NO_MEANING
    ]
    seen = Counter(word for text in questions for word in set(_WORD.findall(text.lower())))
    known = {word for word, count in seen.items() if count > 1}
    for label, names in aliases:
        known.update(word for name in (label, *names) for word in _WORD.findall(name.lower()))
    pairs = {
        (word, other)
        for word, other in (*_ppdb(lexicon), *_wordnet(lexicon))
        if word < other and word in known and other in known
    }
    made = make_lexicon(aliases, sorted({*pairs, *_of_words(near)}))
    return replace(made, apart=both_ways(_apart()))


def _apart() -> Iterator[tuple[str, str]]:
    """The pairs of words of which neither is said for the other."""
    for parts in words_apart():
        for one, other in combinations(parts, 2):
            yield from product(one, other)


def _of_words(near: Iterable[NearWords]) -> Iterator[tuple[str, str]]:
    """The pairs of a thesaurus that are related whatever label they stand in."""
    for heads, others in near:
        if len(heads) == 1:
            yield from (pair for pair in product(heads, others) if len(set(pair)) > 1)


def _ppdb(folder: Path) -> Iterator[tuple[str, str]]:
    for row in table_rows(folder / "ppdb-synonyms.tsv.gz"):
        first, second = sorted(word.lower() for word in row[:2])
        yield first, second


def _wordnet(folder: Path) -> Iterator[tuple[str, str]]:
    for lemma, _, synonyms, *derived in table_rows(folder / "wordnet.tsv.gz"):
        others = [*synonyms.split(" | "), *(word for part in derived for word in part.split(" | "))]
        for other in others:
            first, second = sorted((lemma.lower(), other.strip().lower()))
            if first and " " not in first and " " not in second:
                yield first, second
