"""The words of questions and labels, and what they mean: aliases, related words, and vectors.

A mention is one word of its question. The lexicon comes with the reader and is made from public
lexicons; it says nothing of any graph. Vectors come from a table or an encoder.
"""

import gzip
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import itemgetter
from os.path import commonprefix
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..caching import Recent
from ..llm.embeddings import load_embeddings
from ..query.named_values import unit_after
from ..query.prompt import EarlierQuestion, Numbered
from ..query.values import is_currency

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings


BUCKETS = 24_576
"""Rows of the table of words and pieces of words."""
MOST_WORDS = 48
"""Words of a question that are read."""
MOST_LABEL_WORDS = 8
_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W\d_A-Z])")
_WORD = re.compile(r"\w+(?:['’.-]\w+)*['’]?|[^\w\s]+")
_PART = re.compile(r"[^\W_]+")
_PLAIN_UNIT = re.compile(r"%|[A-Za-z]{2,}[23²³]?(?: .+)?")
"""A unit that is read as a word; others are signs, of which a letter says nothing by itself."""
FORM_LETTERS = 4
"""The letters that the forms of one word begin with alike, at least."""
_LEAST_SHARE = 0.7
"""Of the longer of two words that are forms of one, what must be their common beginning."""
_ENDING = 2
"""The letters that the shorter of them may have after it."""


WHATS = ("word", "thing", "number", "date", "text", "topics", "answer", "answers")
"""What a word of a question may be; the last three stand for what came before it."""
READ = frozenset(("word", "number"))
"""Of these the text is read."""
_VALUES = frozenset(("number", "date", "text"))


@dataclass(frozen=True)
class QuestionWord:
    """A word of a question, or of the one before it: its characters, and what it is.

    A mention has its number, and a thing its class; what came before has its class alone.
    """

    start: int
    end: int
    text: str = ""
    mention: int | None = None
    what: str = "word"
    kind: str = ""
    is_earlier: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the word that labels are compared with; none of a mention."""
        return tuple(_PART.findall(self.text)) if self.what == "word" else ()


def words_of(
    question: str, mentions: Sequence[Numbered], earlier: EarlierQuestion | None = None
) -> tuple[QuestionWord, ...]:
    """The words of a question in its order, then those of the one before it, and what it came to.

    Punctuation that ends a question is left out: some sources of training questions have none, and
    it says nothing of what is asked. Mentions of the question before are numbered on.
    """
    words = _words(question, mentions, 0, False)[:MOST_WORDS]
    if earlier is None:
        return tuple(words)
    words += _words(earlier.question, earlier.mentions, len(mentions), True)
    words = words[: 2 * MOST_WORDS - 2]
    if earlier.topics:
        words.append(QuestionWord(0, 0, what="topics", kind=earlier.topics, is_earlier=True))
    if earlier.answers:
        what = "answers" if earlier.many else "answer"
        words.append(QuestionWord(0, 0, what=what, kind=earlier.answers, is_earlier=True))
    return tuple(words)


def _words(
    question: str, mentions: Sequence[Numbered], first: int, is_earlier: bool
) -> list[QuestionWord]:
    order = sorted(range(len(mentions)), key=lambda number: mentions[number].start)
    words, end = list[QuestionWord](), 0
    for number in order:
        mention = mentions[number]
        if mention.start < end:
            continue
        words += _words_between(question, end, mention.start, is_earlier)
        is_value = mention.kind in _VALUES
        what, kind = (mention.kind, "") if is_value else ("thing", mention.kind)
        start, end = mention.start, mention.end
        text = question[start:end].lower()
        words.append(QuestionWord(start, end, text, first + number, what, kind, is_earlier))
        if what == "number":
            end = _end_of_sign(question, end)
    words += _words_between(question, end, len(question), is_earlier)
    while words and words[-1].mention is None and not words[-1].parts:
        words.pop()
    return words


def _end_of_sign(question: str, start: int) -> int:
    """The end of the unit after a number where that is a sign, as `g` or `g/mol`; else `start`."""
    unit = unit_after(question, start)
    if not unit or is_currency(unit) or _PLAIN_UNIT.fullmatch(unit):
        return start
    return question.index(unit, start) + len(unit)


def _words_between(question: str, start: int, end: int, is_earlier: bool) -> list[QuestionWord]:
    return [
        QuestionWord(*match.span(), _lower_with_parts(match[0]), is_earlier=is_earlier)
        for match in _WORD.finditer(question, start, end)
    ]


def _lower_with_parts(word: str) -> str:
    """A word in lower case; one of camel case also as its parts, as labels have either."""
    spaced = _CAMEL.sub(" ", word)
    return word.lower() if spaced == word else f"{spaced} {word}".lower()


@lru_cache(maxsize=100_000)
def label_words(label: str) -> tuple[str, ...]:
    """The words of a label in lower case, the first `MOST_LABEL_WORDS` of them.

    It is read however it is written: `directedBy`, `directed_by`, `dbo:directed by`. Of a name with
    its domain and type before it, `film.film.directed_by`, the property is read.
    """
    if "." in label and " " not in label:
        label = label.rstrip(".").rpartition(".")[2]
    apart = _CAMEL.sub(" ", label)
    return tuple(word.lower() for word in _PART.findall(apart))[:MOST_LABEL_WORDS]


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
    """Aliases by the words of a label, the related words of a word, and those that it is never."""

    aliases: Mapping[tuple[str, ...], Sequence[tuple[str, ...]]] = field(
        default_factory=dict[tuple[str, ...], Sequence[tuple[str, ...]]]
    )
    related: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    meanings: Mapping[str, int] = field(default_factory=dict[str, int])
    """The row of a word in the network's table of meanings, from 1."""
    encoder: Encoder | None = None
    """What says in the table's place what any word means."""
    apart: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """The words that name something else beside a word, as *death* beside *birth*."""

    def meaning(self, word: str) -> int:
        """The row of a word in the table of meanings; 0 for none.

        A word that is not there means what the word means that is most alike. Of one with signs in
        it, as *teacher's*, that is told by its longest part.
        """
        if word in self.meanings:
            return self.meanings[word]
        parts = _PART.findall(word)
        if len(parts) > 1:
            longest = max(parts, key=len)
            is_long = longest.isalpha() and len(longest) >= FORM_LETTERS
            return self.meaning(longest) if is_long else 0
        forms = self._words_by_start.get(word[:FORM_LETTERS], ())
        share, form = max(((form_share(word, form), form) for form in forms), default=(0.0, ""))
        return self.meanings[form] if share else 0

    @cached_property
    def _words_by_start(self) -> Mapping[str, Sequence[str]]:
        """The words of the table by their first letters."""
        known = defaultdict[str, list[str]](list)
        for word in self.meanings:
            known[word[:FORM_LETTERS]].append(word)
        return known


def form_share(word: str, other: str) -> float:
    """How much of two words is alike, where they are likely forms of one word; else 0.

    They begin alike, in any language that puts endings on.
    """
    if not (word.isalpha() and other.isalpha()):
        return 0.0
    shared = len(commonprefix((word, other)))
    longer, shorter = max(len(word), len(other)), min(len(word), len(other))
    are_forms = shared >= max(FORM_LETTERS, _LEAST_SHARE * longer, shorter - _ENDING)
    return shared / longer if are_forms else 0.0


def make_lexicon(
    aliases: Iterable[tuple[str, Sequence[str]]], pairs: Iterable[tuple[str, str]]
) -> Lexicon:
    """A lexicon of labels with their aliases, and of pairs of related words in lower case."""
    names_of = defaultdict[tuple[str, ...], dict[tuple[str, ...], None]](dict)
    for label, others in aliases:
        words = label_words(label)
        names = map(label_words, others)
        names_of[words].update(dict.fromkeys(name for name in names if name and name != words))
    return Lexicon({label: tuple(names) for label, names in names_of.items()}, both_ways(pairs))


def both_ways(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """The words that each word is in a pair with."""
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
    for kind, words in (("related", lexicon.related), ("apart", lexicon.apart)):
        for word, others in sorted(words.items()):
            if later := sorted(other for other in others if other > word):
                lines.append("\t".join([kind, word, *later]))
    meanings = sorted(lexicon.meanings.items(), key=itemgetter(1))
    lines += [f"meaning\t{word}" for word, _ in meanings]
    text = "".join(f"{line}\n" for line in lines)
    (folder / LEXICON_FILE).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def read_lexicon(folder: Path) -> Lexicon:
    """The lexicon beside the weights of a reader. Raises OSError and ValueError."""
    text = gzip.decompress((folder / LEXICON_FILE).read_bytes()).decode()
    aliases = dict[tuple[str, ...], tuple[tuple[str, ...], ...]]()
    pairs = defaultdict[str, list[tuple[str, str]]](list)
    meanings = dict[str, int]()
    for line in text.splitlines():
        kind, word, *fields = line.split("\t")
        if kind == "alias":
            aliases[tuple(word.split(" "))] = tuple(tuple(other.split(" ")) for other in fields)
        elif kind == "meaning":
            meanings[word] = len(meanings) + 1
        else:
            pairs[kind] += ((word, other) for other in fields)
    related, apart = (both_ways(pairs[kind]) for kind in ("related", "apart"))
    return Lexicon(aliases, related, meanings, apart=apart)
