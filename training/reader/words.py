"""The lexicon of the general reader, from public lexicons."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...agent.reader.lexicon import Lexicon, make_lexicon
from .sources import table_rows

_WORD = re.compile(r"[^\W_]+")
_NO_MEANING = "external-id"
"""Identifiers in other catalogues: nobody asks for them by another name."""


def lexicon_of(data: Path, questions: Iterable[str]) -> Lexicon:
    """Aliases of Wikidata's properties; synonyms and derivations of PPDB and WordNet.

    Kept are words that occur in at least two of the `questions`, or in an alias. `data` is the
    folder of public data. Raises OSError where a file is missing.
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
    return make_lexicon(aliases, sorted(pairs))


def _ppdb(folder: Path) -> Iterator[tuple[str, str]]:
    for row in table_rows(folder / "ppdb-synonyms.tsv.gz"):
        first, second = sorted(word.lower() for word in row[:2])
        yield first, second


def _wordnet(folder: Path) -> Iterator[tuple[str, str]]:
    for lemma, _, synonyms, *derived in table_rows(folder / "wordnet.tsv.gz"):
        others = [*synonyms.split(" | "), *(own for part in derived for own in part.split(" | "))]
        for other in others:
            first, second = sorted((lemma.lower(), other.strip().lower()))
            if first and " " not in first and " " not in second:
                yield first, second
