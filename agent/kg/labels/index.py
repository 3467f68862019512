"""The label index of a KG: what its terms are called, and which terms a text may mean.

Texts with typos are found by index too. Every text is cut into thirds. Two edits cannot damage all
three, so one third of a label stands in the misspelt text, moved by no more letters than there are
edits (the partition scheme of Pass-Join, Li et al., VLDB 2011). A swap of neighbours can damage two
thirds at once: so a third is also looked for with its last letter swapped back across the cut.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple, TypeAlias

from ...caching import once
from ...errors import KGError, ServiceError
from ..terms import Term, Triple
from .names import local_name, normalise, with_triple_terms

MOST_TYPOS = 2
"""The edits for which three parts suffice."""

PARTS = (
    "substr(norm, 1, length(norm) / 3)",
    "substr(norm, 1 + length(norm) / 3, length(norm) * 2 / 3 - length(norm) / 3)",
    "substr(norm, 1 + length(norm) * 2 / 3)",
)
"""The parts of a normalised text in SQL, each under an index with the text's length before it."""


class Part(NamedTuple):
    """What a text of a length may hold in one of its thirds."""

    third: int
    length: int
    text: str


def parts_within(norm: str, typos: int) -> set[Part]:
    """The parts of which a text within so many typos of `norm` has at least one."""
    return {
        Part(third, length, text)
        for length in range(max(len(norm) - typos, 0), len(norm) + typos + 1)
        for third in range(len(PARTS))
        for text in _intact_thirds(norm, typos, length, third)
    }


def _intact_thirds(norm: str, typos: int, length: int, third: int) -> Iterator[str]:
    """What a third of a text may be, if it is the first that nothing but a swap damages.

    Then each third before it takes an edit of its own. A swap across the cut before it need not be
    undone: with the edit of that third it is the second, and the last part is whole.
    """
    first, last = length * third // 3, length * (third + 1) // 3
    for shift in range(-typos, typos + 1):
        spare = typos - max(third, abs(shift)) - abs(len(norm) - length - shift)
        start, end = first + shift, last + shift
        if spare < 0 or start < 0 or end > len(norm):
            continue
        part = norm[start:end]
        yield part
        if spare > 0 and part and third < len(PARTS) - 1 and end < len(norm):
            yield part[:-1] + norm[end]


SurfaceKind: TypeAlias = Literal["label", "alias", "hidden", "local"]

SCHEMA = """
CREATE TABLE terms (
    term TEXT PRIMARY KEY, name TEXT NOT NULL, label TEXT NOT NULL, description TEXT NOT NULL,
    kind TEXT NOT NULL, degree INTEGER NOT NULL, relation INTEGER NOT NULL, class INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE surface (
    norm TEXT NOT NULL, text TEXT NOT NULL, term TEXT NOT NULL, kind TEXT NOT NULL
);
CREATE TABLE vocabulary (text TEXT NOT NULL, term TEXT NOT NULL, relation INTEGER NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (
    norm, content = '', columnsize = 0, detail = none, tokenize = 'ascii'
);
CREATE TABLE summary (longest INTEGER NOT NULL, surfaces INTEGER NOT NULL);
"""
INDEXES = (
    "".join(
        f"CREATE INDEX surface_part_{third} ON surface (length(norm), {part}, norm);\n"
        for third, part in enumerate(PARTS)
    )
    + """
CREATE INDEX surface_norm ON surface (norm);
CREATE INDEX terms_label ON terms (label);
CREATE INDEX terms_name ON terms (name);
CREATE INDEX terms_relation ON terms (relation) WHERE relation = 1;
INSERT INTO words (rowid, norm) SELECT rowid, norm FROM surface;
INSERT INTO words (words) VALUES ('optimize');
"""
)

_LOCAL = re.compile(r"[^/#:]*>\Z")
"""The local name at the end of a term."""
_SAMPLED = 1_000
_MOST_NAMESPACES = 20
_CHUNK = 500
_AT_ONCE = 10_000
_MOST_BEGINNING = 5_000
"""Names with the same beginning that are looked at."""
_MOST_BEST_KNOWN = 20_000
"""Entities of which the labels are looked at, where there are more such names."""
_MAX_HITS = 200
_MAX_NEAR = 100_000
"""Surfaces with the same third of the text that are compared letter by letter, at most."""


class TermInfo(NamedTuple):
    """What the KG says a term is; `kind` is the label of its class, `degree` its facts."""

    term: Term
    name: str
    label: str
    description: str
    kind: str
    degree: int


class Hit(NamedTuple):
    """A term that a text may mean, and the spelling in the KG by which it was found."""

    term: Term
    text: str
    kind: SurfaceKind
    degree: int


class RelationInfo(NamedTuple):
    """A relation of the KG, its unique name and the number of facts that use it."""

    term: Term
    name: str
    facts: int


class Word(NamedTuple):
    """A label or alias of a relation, or else of a class."""

    text: str
    term: Term
    relation: bool


class Similar(NamedTuple):
    """A normalised surface of the KG and its edit distance to what was asked for."""

    norm: str
    distance: int


class LabelIndex:
    """Names and surfaces of a built KG. Read only; safe to share between threads."""

    @property
    def exhaustive(self) -> bool:
        """Everything that has a name is in it."""
        return True

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Take over a connection that was opened with `check_same_thread=False`."""
        self._connection = connection
        self._is_closed = False
        self._lock = Lock()
        self._best_known = once(self._read_best_known)
        self._namespaces = once(self._read_namespaces)
        self._longest: int = self._rows("SELECT longest FROM summary")[0][0]

    @classmethod
    def open(cls, path: Path) -> "LabelIndex":
        """Open a built index. Raises KGError when it is missing or not one."""
        try:
            return cls(
                sqlite3.connect(
                    f"{path.absolute().as_uri()}?mode=ro&immutable=1",
                    uri=True,
                    check_same_thread=False,
                )
            )
        except (sqlite3.Error, ServiceError, IndexError) as error:
            raise KGError(f"{path} is not a label index: {error}", "build the KG again") from error

    def close(self) -> None:
        """Close the file; the index cannot be used after that."""
        with self._lock:
            self._is_closed = True
            self._connection.close()

    def names(self, terms: Sequence[Term]) -> list[str]:
        """The unique display name of each term; an unknown one gets its local name."""
        return with_triple_terms(terms, self._names)

    def describe(self, terms: Sequence[Term]) -> list[TermInfo]:
        """What each term is; an unknown one has its local name and no facts."""
        columns = "term, name, label, description, kind, degree"
        infos = {row[0]: TermInfo(*row) for row in self._select(columns, terms)}
        return [
            infos.get(term) or TermInfo(term, local_name(term), local_name(term), "", "", 0)
            for term in terms
        ]

    def named(self, text: str, *, relation: bool = False) -> list[Term]:
        """The entities and values, or the relations, of exactly this name; else of this label."""
        for column in ("name", "label"):
            rows = self._rows(
                f"SELECT term FROM terms WHERE {column} = ? AND relation = ? ORDER BY term LIMIT ?",
                (text, int(relation), _MAX_HITS),
            )
            if rows:
                return [row[0] for row in rows]
        return []

    def labelled(self, text: str, *, relation: bool = False) -> list[Term]:
        """The entities and values, or the relations, of exactly this label."""
        rows = self._rows(
            "SELECT term FROM terms WHERE label = ? AND relation = ? ORDER BY term LIMIT ?",
            (text, int(relation), _MAX_HITS),
        )
        return [row[0] for row in rows]

    def starting(self, norm: str, limit: int) -> list[Term]:
        """The entities with most facts of those with a name that begins with a normalised text.

        Of very many such names the first 5,000 are looked at, and the labels of the 20,000 entities
        with most facts of all, so that it is quick in any graph.
        """
        rows = self._rows(
            """
            SELECT DISTINCT terms.term, terms.degree, near.norm
            FROM (
                SELECT term, norm FROM surface WHERE norm >= ? AND norm < ? ORDER BY norm LIMIT ?
            ) AS near JOIN terms ON terms.term = near.term
            """,
            (norm, f"{norm}\U0010ffff", _MOST_BEGINNING),
        )
        degrees: dict[Term, int] = {term: degree for term, degree, _ in rows}
        if len(rows) >= _MOST_BEGINNING:
            known = self._best_known()
            degrees |= {t: degree for t, degree, label in known if label.startswith(norm)}
        return sorted(degrees, key=lambda term: (-degrees[term], term))[:limit]

    def _read_best_known(self) -> list[tuple[Term, int, str]]:
        """The entities with most facts of all, each with its facts and its normalised label."""
        rows = self._rows(
            """
            SELECT term, degree, label FROM terms
            WHERE NOT relation AND degree AND term LIKE '<%' ORDER BY degree DESC LIMIT ?
            """,
            (_MOST_BEST_KNOWN,),
        )
        return [(term, degree, normalise(label)) for term, degree, label in rows]

    def lookup(self, norm: str) -> list[Hit]:
        """The entities that a normalised text may mean: labels first, then by degree."""
        rows = self._rows(
            """
            SELECT surface.term, surface.text, surface.kind, terms.degree
            FROM surface JOIN terms ON terms.term = surface.term WHERE surface.norm = ?
            ORDER BY CASE surface.kind
                WHEN 'label' THEN 0 WHEN 'alias' THEN 1 WHEN 'hidden' THEN 2 ELSE 3 END,
                terms.degree DESC, surface.term
            LIMIT ?
            """,
            (norm, _MAX_HITS),
        )
        return [Hit(*row) for row in rows]

    def known(self, norms: Iterable[str]) -> set[str]:
        """Which of many normalised texts some entity may be meant by."""
        query = "SELECT DISTINCT norm FROM surface WHERE norm IN ({marks})"
        return {row[0] for row in self._rows_among(query, norms)}

    def similar(self, norm: str, limit: int = 10, *, distance: int = 2) -> list[Similar]:
        """Surfaces within an edit distance (a swap counts once), nearest first.

        `distance` is at most 2. The time follows the surfaces that share a third of the text.
        """
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        near: set[str] = set()
        parts = sorted(parts_within(norm, min(distance, MOST_TYPOS)))
        for third, group in groupby(parts, key=lambda part: part.third):
            near.update(self._similar_surfaces(third, [(part.length, part.text) for part in group]))
        matches = process.extract(
            norm, list(near), scorer=OSA.distance, score_cutoff=distance, limit=None
        )
        ranked = sorted(Similar(text, int(edits)) for text, edits, _ in matches)
        return sorted(ranked, key=lambda similar: similar.distance)[:limit]

    def containing(self, words: Sequence[str], limit: int = 200) -> list[Hit]:
        """The entities with all of these normalised words in one of their names, by degree.

        None where more than `limit` names have them: such words are nobody's name.
        """
        if not words or not all(map(_is_indexed, words)):
            return []
        rows = self._rows(
            """
            SELECT surface.term, surface.text, surface.kind, terms.degree
            FROM (SELECT rowid AS place FROM words WHERE words MATCH ? LIMIT ?)
            CROSS JOIN surface ON surface.rowid = place
            JOIN terms ON terms.term = surface.term
            ORDER BY terms.degree DESC, surface.term, surface.text
            """,
            (" ".join(f'"{word}"' for word in words), limit + 1),
        )
        return [Hit(*row) for row in rows] if len(rows) <= limit else []

    def with_local_name(self, name: str) -> list[Hit]:
        """The entities whose IRIs end with exactly this name, by degree.

        They are looked for in the namespaces that many entities have.
        """
        rows = self._rows_among(
            """
            SELECT term, degree FROM terms
            WHERE term IN ({marks}) AND degree AND NOT relation AND NOT class
            """,
            [f"{namespace}{name}>" for namespace in self._namespaces()],
        )
        hits = [Hit(term, name, "local", degree) for term, degree in rows]
        return sorted(hits, key=lambda hit: (-hit.degree, hit.term))

    def _read_namespaces(self) -> list[str]:
        """The namespaces of entities, as beginnings of terms, of a sample in the order of terms."""
        ((surfaces,),) = self._rows("SELECT surfaces FROM summary")
        places = range(1, surfaces + 1, max(surfaces // _SAMPLED, 1))
        query = "SELECT term FROM surface WHERE rowid IN ({marks}) AND term LIKE '<%'"
        terms = (row[0] for row in self._rows_among(query, list(map(str, places))))
        namespaces = Counter(_LOCAL.sub("", term) for term in terms)
        return [namespace for namespace, _ in namespaces.most_common(_MOST_NAMESPACES)]

    def relations(self) -> list[RelationInfo]:
        """Every relation that facts use, the most used first."""
        rows = self._rows(
            "SELECT term, name, degree FROM terms WHERE relation = 1 ORDER BY degree DESC, term"
        )
        return [RelationInfo(*row) for row in rows]

    def vocabulary(self) -> list[Word]:
        """Labels and aliases of all relations and classes: words that name no entity."""
        rows = self._rows("SELECT text, term, relation FROM vocabulary ORDER BY term, text")
        return [Word(text, term, bool(relation)) for text, term, relation in rows]

    def pattern_facts(self, relation: Term = "") -> Iterator[Triple] | None:
        """The facts that patterns of the profile say, of one relation or all, each once.

        None where the profile has no patterns.
        """
        if not self._rows("SELECT 1 FROM sqlite_schema WHERE name = 'said'"):
            return None
        return self._read_pattern_facts(relation)

    def _read_pattern_facts(self, relation: Term) -> Iterator[Triple]:
        last: tuple[str, ...] = ("", "", "")
        condition = (
            "relation = ? AND (head, tail) > (?, ?)"
            if relation
            else "(head, relation, tail) > (?, ?, ?)"
        )
        order = "head, tail" if relation else "head, relation, tail"
        query = f"SELECT head, relation, tail FROM said WHERE {condition} ORDER BY {order}"
        while True:
            after = (relation, last[0], last[2]) if relation else last
            rows = self._rows(f"{query} LIMIT {_AT_ONCE}", after)
            if not rows:
                return
            yield from (Triple(*row) for row in rows)
            last = rows[-1]

    def longest(self) -> int:
        """The number of words of the longest surface."""
        return self._longest

    def _names(self, terms: Sequence[Term]) -> list[str]:
        names = dict(self._select("term, name", terms))
        return [names.get(term) or local_name(term) for term in terms]

    def _similar_surfaces(
        self, third: int, length_and_third: Sequence[tuple[int, str]]
    ) -> Iterator[str]:
        """Surfaces of which a third is one of the texts, each given with the surface's length."""
        marks = ", ".join("(?, ?)" for _ in length_and_third)
        query = (
            f"WITH wanted (size, part) AS (VALUES {marks}) SELECT norm FROM wanted "
            f"CROSS JOIN surface ON length(norm) = size AND {PARTS[third]} = part LIMIT ?"
        )
        values = [value for pair in length_and_third for value in pair]
        return (row[0] for row in self._rows(query, [*values, _MAX_NEAR]))

    def _select(self, columns: str, terms: Iterable[Term]) -> Iterator[tuple[Any, ...]]:
        return self._rows_among(f"SELECT {columns} FROM terms WHERE term IN ({{marks}})", terms)

    def _rows_among(self, query: str, values: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        distinct = iter(dict.fromkeys(values))
        while chunk := list(islice(distinct, _CHUNK)):
            yield from self._rows(query.format(marks=",".join("?" * len(chunk))), chunk)

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            if self._is_closed:
                raise ServiceError("the graph is closed", "open it again") from error
            raise ServiceError(
                f"the label index cannot be read: {error}", "build the KG again"
            ) from error


def _is_indexed(word: str) -> bool:
    """Whether a word is one word to the index too, which splits texts at ASCII punctuation."""
    return bool(word) and all(letter.isalnum() or not letter.isascii() for letter in word)
