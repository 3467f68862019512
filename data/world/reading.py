"""Read the tables of the world graph; what is wrong in the form of one is an error here."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from .checks import CHECKS
from .schema import (
    BORDER_COLUMNS,
    BORDER_FILE,
    CLASS_TABLE,
    ENTITY_TABLES,
    RELATION_TABLE,
    Link,
    Measure,
    Node,
    Row,
    Table,
    World,
)
from .terms import Name, Number, WorldError

TABLES = Path(__file__).resolve().parent / "tables"
ENTITY_KEY = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
VOCABULARY_KEY = re.compile(r"[A-Za-z]+")
WHOLE_NUMBER = re.compile(r"[1-9][0-9]*")


def load(folder: Path = TABLES) -> World:
    """Read all the tables and check them against each other."""
    classes = read_nodes(folder, CLASS_TABLE)
    relations = read_nodes(folder, RELATION_TABLE)
    entities = tuple(node for table in ENTITY_TABLES for node in read_nodes(folder, table))
    countries = frozenset(node.name for node in entities if node.class_key == "Country")
    world = World(classes, relations, entities, read_borders(folder, countries))
    for check in CHECKS:
        check(world)
    return world


def read_rows(folder: Path, file: str, columns: frozenset[str]) -> list[Row]:
    """Read a table and check its form: header, number of cells, clean text."""
    path = folder / file
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise WorldError(f"{file}:1: the table cannot be read: {error.strerror}") from error
    if lines[-1] != "":
        raise WorldError(f"{file}:{len(lines)}: the last line must end with a line break")
    header = lines[0].split("\t")
    if len(set(header)) != len(header) or frozenset(header) != columns:
        raise WorldError(f"{file}:1: the columns must be {', '.join(sorted(columns))}")
    return [read_row(file, number, header, line) for number, line in enumerate(lines[1:-1], 2)]


def read_row(file: str, number: int, header: list[str], line: str) -> Row:
    """Read one line of a table."""
    cells = line.split("\t")
    row = Row(file, number, dict(zip(header, cells, strict=False)))
    if len(cells) != len(header):
        raise row.fail(f"{len(cells)} cells where the header has {len(header)}")
    for column, cell in row.cells.items():
        if cell != " ".join(cell.split()) or not cell.isprintable():
            raise row.fail(f"stray white space or an unprintable character in '{column}'")
        if cell != unicodedata.normalize("NFC", cell):
            raise row.fail(f"column '{column}' is not in Unicode normal form C")
    return row


def read_nodes(folder: Path, table: Table) -> tuple[Node, ...]:
    """Read a table of things, sorted by key; keys of other tables are not yet looked up."""
    nodes: dict[Name, Node] = {}
    for row in read_rows(folder, table.file, table.columns):
        node = read_node(table, row)
        if node.name in nodes:
            first = nodes[node.name].row.line
            raise row.fail(f"the key '{node.name.local}' is already on line {first}")
        nodes[node.name] = node
    return tuple(nodes[name] for name in sorted(nodes))


def read_node(table: Table, row: Row) -> Node:
    """Make a thing of one line."""
    key, label, description = (row.cells[column] for column in ("key", "label", "description"))
    pattern = VOCABULARY_KEY if table.prefix == "v" else ENTITY_KEY
    if not pattern.fullmatch(key):
        raise row.fail(f"'{key}' cannot be a key: it must match {pattern.pattern}")
    if not label or not description:
        raise row.fail(f"'{key}' needs a label and a description")
    alternatives = row.values(table.alternatives)
    if label in alternatives:
        raise row.fail(f"the label '{label}' is repeated among the alternatives")
    return Node(
        name=Name(table.prefix, key),
        class_key=table.class_key,
        label=label,
        alternatives=alternatives,
        adjectives=row.values(table.adjectives) if table.adjectives else (),
        description=description,
        links={link.column: read_link(row, link) for link in table.links},
        measures={
            measure.column: read_number(row, measure)
            for measure in table.measures
            if row.cells[measure.column]
        },
        row=row,
    )


def read_link(row: Row, link: Link) -> tuple[Name, ...]:
    """Read the keys in a column that points to other things."""
    keys = row.values(link.column)
    if not keys and not link.optional:
        raise row.fail(f"column '{link.column}' is empty")
    if len(keys) > 1 and not link.many:
        raise row.fail(f"column '{link.column}' takes one key, not {len(keys)}")
    return tuple(read_key(row, link, key) for key in keys)


def read_key(row: Row, link: Link, text: str) -> Name:
    """Read a key, which is of the first kind of its column unless it says another one."""
    prefix, _, key = text.rpartition(":")
    if prefix and prefix not in link.targets[1:]:
        raise row.fail(f"column '{link.column}' takes no key of the kind '{prefix}'")
    return Name(prefix or link.targets[0], key)


def read_number(row: Row, measure: Measure) -> Number:
    """Read the number in a column of numbers."""
    cell = row.cells[measure.column]
    if not WHOLE_NUMBER.fullmatch(cell):
        raise row.fail(f"'{cell}' in column '{measure.column}' is not a whole number")
    return Number(int(cell))


def read_borders(folder: Path, countries: frozenset[Name]) -> frozenset[tuple[Name, Name]]:
    """Read the land borders, each on one line, and give them in both directions."""
    borders: dict[tuple[Name, Name], int] = {}
    for row in read_rows(folder, BORDER_FILE, BORDER_COLUMNS):
        one, other = (Name("country", row.cells[column]) for column in ("country", "neighbour"))
        for name in (one, other):
            if name not in countries:
                raise row.fail(f"there is no country with the key '{name.local}'")
        if one == other:
            raise row.fail(f"'{one.local}' cannot border itself")
        if (one, other) in borders:
            raise row.fail(f"this border is already on line {borders[one, other]}")
        borders[one, other] = borders[other, one] = row.line
    return frozenset(borders)
