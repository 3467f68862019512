"""The questions that the general reader learns from: public sources, and what each may be used for.

They are read in place from a folder of public data, and never copied into the project.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from ...agent.errors import QuestionError
from ...agent.query.actions import Action
from ...agent.query.automaton import actions_of
from ...agent.query.tree import read_query


@dataclass(frozen=True)
class Source:
    """A file of questions.

    `splits` are those that may train the bundled weights, all where none are named; `schemas_apart`
    are schemas that thresholds are fitted on. `weight` is how often it is drawn for its size.
    """

    name: str
    licence: str
    public_name: str
    splits: frozenset[str] = frozenset()
    schemas_apart: frozenset[str] = frozenset()
    weight: float = 1.0
    is_twin: bool = False
    """Whether its wordings are those of test questions, around other topics."""


SOURCES = (
    Source(
        "simplequestions",
        "CC BY 3.0",
        "SimpleQuestions v2, valid and test, of askplatypus/wikidata-simplequestions",
        splits=frozenset({"valid", "test"}),
    ),
    Source(
        "simplequestions-twins",
        "CC BY 3.0",
        "SimpleQuestions v2, valid and test, of askplatypus/wikidata-simplequestions",
        splits=frozenset({"valid", "test"}),
        is_twin=True,
    ),
    Source(
        "simplequestions-wikidata",
        "CC BY 3.0",
        "SimpleQuestions in Wikidata, of askplatypus/wikidata-simplequestions",
    ),
    Source(
        "simplequestions-wikidata-twins",
        "CC BY 3.0",
        "SimpleQuestions in Wikidata, of askplatypus/wikidata-simplequestions",
        is_twin=True,
    ),
    Source("wikisql", "BSD-3", "WikiSQL, of jkkummerfeld/text2sql-data"),
    Source("spider", "MIT", "Spider and Spider-Syn, of ygan/Spider-Syn", frozenset({"train"})),
    Source("text2sql-advising", "CC BY 4.0", "Advising, of jkkummerfeld/text2sql-data"),
    Source(
        "qald",
        "MIT; Apache-2.0",
        "QALD 5 to 10, of ag-sc/QALD, KGQA/QALD-10, stanford-oval/spinach",
    ),
    Source("flexkbqa", "MIT", "FlexKBQA, worded by a language model, of leezythu/FlexKBQA"),
    Source(
        "flexkbqa-kqapro",
        "MIT",
        "FlexKBQA, worded by a language model, of leezythu/FlexKBQA",
        weight=0.3,
    ),
    Source(
        "text2cypher",
        "CC0",
        "text2cypher, worded by language models, of neo4j-labs/text2cypher",
        schemas_apart=frozenset({"neo4j-gameofthrones", "neo4j-northwind"}),
    ),
)


@dataclass(frozen=True)
class WordSource:
    """A file of words or of schemas, by its path in the folder of public data."""

    path: str
    licence: str
    public_name: str


WORD_SOURCES = (
    WordSource(
        "lexicon/wikidata-properties.tsv.gz",
        "CC0",
        "Wikidata's properties, of usc-isi-i2/wikidata-property-finder",
    ),
    WordSource(
        "lexicon/wikidata-property-pairs.tsv.gz",
        "CC0",
        "Wikidata's related properties, of usc-isi-i2/wikidata-property-finder",
    ),
    WordSource(
        "lexicon/wordnet.tsv.gz",
        "CC BY 4.0; WordNet licence",
        "Open English WordNet, of globalwordnet/english-wordnet",
    ),
    WordSource(
        "lexicon/ppdb-synonyms.tsv.gz", "Apache-2.0", "PPDB word pairs, of nmrksic/counter-fitting"
    ),
    WordSource(
        "lexicon/schemaorg-properties.tsv.gz", "Apache-2.0", "schema.org 30.0, of schemaorg"
    ),
    WordSource(
        "lexicon/freebase-relations.tsv.gz", "BSD-3", "Freebase's relations, of HXX97/GMT-KBQA"
    ),
    WordSource("schemas/spider.jsonl.gz", "MIT", "Spider's tables, of ygan/Spider-Syn"),
    WordSource(
        "schemas/text2cypher.jsonl.gz", "CC0", "text2cypher's graphs, of neo4j-labs/text2cypher"
    ),
)


@dataclass(frozen=True)
class Mention:
    """A mention of a question: its characters, and its class where that is known."""

    start: int
    end: int
    text: str
    kind: str = ""


@dataclass(frozen=True)
class SourceQuestion:
    """A question with the actions of its query, whose names are labels.

    `candidates` are labels that compete with those of the query, where the source has such.
    `unread` are the stretches that the query leaves out; None where that is not known.
    """

    source: str
    split: str
    schema: str
    question: str
    mentions: tuple[Mention, ...]
    actions: tuple[Action, ...]
    candidates: tuple[str, ...] = ()
    unread: tuple[tuple[int, int], ...] | None = None


def read_source(file: Path) -> Iterator[SourceQuestion]:
    """The questions of a file that actions can say. Raises OSError and ValueError."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            if (question := _question(json.loads(line))) is not None:
                yield question


_POOLS_UNLICENSED = frozenset({"simplequestions"})
"""Sources whose questions may be used, but not the competing labels beside them."""
_PRESENTATION = ("order", "limit")
"""How answers are shown; the set of them is the same."""


def _question(record: dict[str, Any]) -> SourceQuestion | None:
    query = {key: part for key, part in record["query"].items() if key not in _PRESENTATION}
    try:
        actions = actions_of(read_query(_without_ids(query)))
    except QuestionError:
        return None
    return SourceQuestion(
        record["source"],
        record["split"],
        record["schema"],
        record["question"],
        tuple(
            Mention(m["start"], m["end"], m["text"], m.get("class", "")) for m in record["mentions"]
        ),
        actions,
        ()
        if record["source"] in _POOLS_UNLICENSED
        else tuple(dict.fromkeys(other["label"] for other in record.get("candidates", ()))),
    )


def _without_ids(part: Any) -> Any:
    """A part of a query whose relations are known by their labels alone."""
    if isinstance(part, list):
        return [_without_ids(member) for member in cast("list[Any]", part)]
    if isinstance(part, dict):
        members = cast("dict[str, Any]", part).items()
        return {key: _without_ids(member) for key, member in members if key != "id"}
    return part


def file_digest(file: Path) -> str:
    """The SHA-256 of a file. Raises OSError."""
    return sha256(file.read_bytes()).hexdigest()


@dataclass(frozen=True)
class Hop:
    """A relation of a schema: its label, and the classes of its head and tail where known."""

    label: str
    head: str = ""
    tail: str = ""


@dataclass(frozen=True)
class SchemaLabels:
    """What a schema offers beside what a question is about."""

    hops: Sequence[Hop] = ()
    classes: Sequence[str] = ()


def read_schemas(data: Path) -> dict[str, SchemaLabels]:
    """Schemas that are known whole. Raises OSError where a file is missing."""
    schemas = {
        "freebase": SchemaLabels(tuple(hop for _, hop in freebase_hops(data))),
        "wikidata": SchemaLabels(tuple(_wikidata(data))),
    }
    for row in _lines(data / "schemas" / "spider.jsonl.gz"):
        hops = [
            Hop(column["name"], table["name"], column["type"])
            for table in row["tables"]
            for column in table["columns"]
        ]
        schemas[row["schema"]] = SchemaLabels(hops, [table["name"] for table in row["tables"]])
    for row in _lines(data / "schemas" / "text2cypher.jsonl.gz"):
        hops = [Hop(r["name"], r["from"], r["to"]) for r in row["relations"]]
        hops += [
            Hop(p["name"], c["name"], p["type"].lower())
            for c in row["classes"]
            for p in c["properties"]
        ]
        schemas[row["schema"]] = SchemaLabels(hops, [c["name"] for c in row["classes"]])
    return schemas


def freebase_hops(data: Path) -> Iterator[tuple[str, Hop]]:
    """The relations of Freebase with their ids. Raises OSError where the file is missing."""
    for id_, label, head, tail in table_rows(data / "lexicon" / "freebase-relations.tsv.gz"):
        if not id_.startswith(("base.", "user.", "m.")):
            yield id_, Hop(label.lower(), _type(head), _type(tail))


def schema_org(data: Path) -> dict[str, SchemaLabels]:
    """The properties of schema.org by the class that has them. Raises OSError."""
    by_class = defaultdict[str, list[Hop]](list)
    for name, _, _, heads, tails, *_ in table_rows(
        data / "lexicon" / "schemaorg-properties.tsv.gz"
    ):
        for head in filter(None, heads.split(" | ")):
            tail = tails.partition(" | ")[0].lower()
            by_class[head].append(Hop(name, head.lower(), tail))
    return {name: SchemaLabels(tuple(hops)) for name, hops in by_class.items() if len(hops) >= 8}


def wikidata_parts(data: Path, size: int) -> dict[str, SchemaLabels]:
    """Wikidata's properties that have aliases, so many at a time, between classes of no name.

    Raises OSError.
    """
    rows = table_rows(data / "lexicon" / "wikidata-properties.tsv.gz")
    hops = [
        Hop(label, "", _WIKIDATA_ENDS.get(kind, ""))
        for _, label, kind, _, aliases, _ in rows
        if aliases and kind in _WIKIDATA_ENDS
    ]
    parts = defaultdict[str, list[Hop]](list)
    for hop in hops:
        number = int(sha256(hop.label.encode()).hexdigest(), 16)
        part, ends = str(number % (len(hops) // size)), ("kavo", "melu", "tiran")
        tail = hop.tail or ends[number // 7 % 3]
        parts[part].append(Hop(hop.label, ends[number // 3 % 3], tail))
    return {name: SchemaLabels(tuple(members)) for name, members in sorted(parts.items())}


_WIKIDATA_ENDS = {"wikibase-item": "", "time": "date", "quantity": "number", "string": "text"}
"""What a property of a datatype leads to."""


def tuning_databases(data: Path) -> frozenset[str]:
    """Spider's databases that no question of may train. Raises OSError."""
    lines = _lines(data / "schemas" / "spider.jsonl.gz")
    return frozenset(row["schema"] for row in lines if row["split"] != "train")


def _type(name: str) -> str:
    return name.rpartition(".")[2].replace("_", " ")


def _wikidata(data: Path) -> Iterator[Hop]:
    for _, label, kind, *_ in table_rows(data / "lexicon" / "wikidata-properties.tsv.gz"):
        if kind != "external-id":
            yield Hop(label)


def table_rows(file: Path) -> Iterator[list[str]]:
    """The rows of a table below its heading. Raises OSError."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            yield line.rstrip("\n").split("\t")


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
