"""Words that mean alike: aliases of labels, and words related by meaning or by derivation.

It is data that comes with the reader, made from public lexicons; it says nothing of any graph.
"""

import gzip
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .encoder import Encoder
from .words import label_words

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
    several = defaultdict[tuple[str, ...], dict[tuple[str, ...], None]](dict)
    for label, others in aliases:
        names = [label_words(own) for own in (label, *others)]
        several[names[0]].update(dict.fromkeys(own for own in names[1:] if own and own != names[0]))
    related = defaultdict[str, set[str]](set)
    for word, other in pairs:
        related[word].add(other)
        related[other].add(word)
    return Lexicon(
        {label: tuple(own) for label, own in several.items()},
        {word: frozenset(own) for word, own in related.items()},
    )


def write_lexicon(folder: Path, lexicon: Lexicon) -> None:
    """Write a lexicon beside the weights of a reader; the same one gives the same bytes."""
    lines = [
        "\t".join(["alias", " ".join(label), *(" ".join(own) for own in others)])
        for label, others in sorted(lexicon.aliases.items())
    ]
    for word, others in sorted(lexicon.related.items()):
        if later := sorted(own for own in others if own > word):
            lines.append("\t".join(["related", word, *later]))
    rows = sorted((row, word) for word, row in lexicon.meanings.items())
    lines += [f"meaning\t{word}" for _, word in rows]
    text = "".join(f"{line}\n" for line in lines)
    (folder / LEXICON_FILE).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def read_lexicon(folder: Path) -> Lexicon:
    """The lexicon beside the weights of a reader. Raises OSError and ValueError."""
    text = gzip.decompress((folder / LEXICON_FILE).read_bytes()).decode()
    aliases = dict[tuple[str, ...], tuple[tuple[str, ...], ...]]()
    related, meanings = defaultdict[str, set[str]](set), dict[str, int]()
    for line in text.splitlines():
        kind, word, *others = line.split("\t")
        if kind == "alias":
            aliases[tuple(word.split(" "))] = tuple(tuple(own.split(" ")) for own in others)
        elif kind == "meaning":
            meanings[word] = len(meanings) + 1
        else:
            for other in others:
                related[word].add(other)
                related[other].add(word)
    several = {word: frozenset(own) for word, own in related.items()}
    return Lexicon(aliases, several, meanings)
