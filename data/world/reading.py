"""Read the tables of the world graph, and refuse what is wrong in one or does not agree."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

from .schema import (
    BORDER_COLUMNS,
    BORDER_FILE,
    BORDERS,
    CLASS_TABLE,
    ENTITY_TABLES,
    MEASURES,
    RELATION_TABLE,
    Link,
    Measure,
    Node,
    Row,
    Table,
    World,
)
from .terms import INTEGER, Name, Number, WorldError

TABLES = Path(__file__).resolve().parent / "tables"
ENTITY_KEY = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
VOCABULARY_KEY = re.compile(r"[A-Za-z]+")
WHOLE_NUMBER = re.compile(r"[1-9][0-9]*")
CLASS_OF = {table.prefix: Name("v", table.class_key) for table in ENTITY_TABLES}


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


def check_keys(world: World) -> None:
    """Every key in a column of keys is the key of something."""
    known = {INTEGER, *(node.name for node in (*world.classes, *world.entities))}
    for node in (*world.relations, *world.entities):
        for target in (target for targets in node.links.values() for target in targets):
            if target not in known:
                kind = "class" if target.prefix == "v" else target.prefix
                raise node.row.fail(f"there is no {kind} with the key '{target.local}'")


def check_vocabulary(world: World) -> None:
    """Every class and relation that the tables use is described, and used as described."""
    classes = {node.name for node in world.classes}
    relations = {node.name.local: node for node in world.relations}
    for domain, relation, target in uses(world):
        if domain not in classes:
            raise WorldError(f"{CLASS_TABLE.file}:1: the class '{domain.local}' is missing")
        if relation not in relations:
            raise WorldError(f"{RELATION_TABLE.file}:1: the relation '{relation}' is missing")
        node = relations[relation]
        if domain not in node.links["domain"]:
            raise node.row.fail(
                f"'{relation}' is used on '{domain.local}', which is not in its domain"
            )
        if target not in node.links["range"]:
            raise node.row.fail(f"'{relation}' points to '{target.local}', not to its range")


def uses(world: World) -> Iterator[tuple[Name, str, Name]]:
    """The class, relation and class or datatype of everything the tables state."""
    yield Name("v", "Country"), BORDERS, Name("v", "Country")
    for node in world.entities:
        for relation, targets in world.links[node.name].items():
            for target in targets:
                yield CLASS_OF[node.name.prefix], relation, CLASS_OF[target.prefix]
        for measure in MEASURES[node.class_key]:
            yield CLASS_OF[node.name.prefix], measure.relation, INTEGER


def check_labels(world: World) -> None:
    """Things may share a label only where their descriptions tell them apart."""
    seen: dict[tuple[str, str], Node] = {}
    for node in world.nodes:
        first = seen.setdefault((node.label.casefold(), node.description.casefold()), node)
        if first is not node:
            location = f"{first.row.file}:{first.row.line}"
            raise node.row.fail(f"label and description of '{node.label}' are those of {location}")


def check_cities(world: World) -> None:
    """A capital and a largest city lie in their own country."""
    for node in world.entities:
        for column, kind in (("capitals", "capital"), ("largest city", "largest city")):
            for city in node.links.get(column, ()):
                (country,) = world.targets(city, "country")
                if country != node.name:
                    raise node.row.fail(
                        f"the {kind} '{city.local}' is a city of '{country.local}', "
                        "not of this country"
                    )


def check_continents(world: World) -> None:
    """A country lies on the continent of its subregion, and perhaps on others."""
    for node in world.entities:
        for subregion in node.links.get("subregion", ()):
            (continent,) = world.targets(subregion, "partOf")
            if continent not in node.links["continents"]:
                raise node.row.fail(
                    f"'{subregion.local}' is part of '{continent.local}', "
                    "which is not a continent of this country"
                )


def check_rivers(world: World) -> None:
    """A city on a river is in a country that the river flows through, and no river ends in itself.

    What a river flows into lies in one of its countries, or on the coast of one.
    """
    for node in world.entities:
        for river in node.links.get("rivers", ()):
            if world.targets(node.name, "country").isdisjoint(countries(world, river)):
                raise node.row.fail(f"'{river.local}' does not flow through the city's country")
        for mouth in node.links.get("mouth", ()):
            if countries(world, node.name).isdisjoint(countries(world, mouth)):
                raise node.row.fail(f"'{mouth.local}' does not touch a country of this river")
            if node.name in downstream(world, mouth):
                raise node.row.fail(f"'{node.name.local}' flows into itself")


IN_COUNTRIES = {
    "river": "flowsThrough",
    "lake": "lakeIn",
    "mountain": "mountainIn",
    "range": "rangeIn",
}


def countries(world: World, feature: Name) -> frozenset[Name]:
    """The countries of a river, lake, mountain or range, or with a coast on a sea or an ocean."""
    if feature.prefix in ("sea", "ocean"):
        return frozenset(head for head in world.links if feature in world.targets(head, "coast"))
    return world.targets(feature, IN_COUNTRIES[feature.prefix])


def downstream(world: World, water: Name) -> set[Name]:
    """A water and all that it flows into, one after the other."""
    seen: set[Name] = set()
    waters = {water}
    while waters - seen:
        seen |= waters
        waters = {mouth for water in waters for mouth in world.targets(water, "mouth")}
    return seen


def check_mountains(world: World) -> None:
    """A mountain lies in countries of its range."""
    for node in world.entities:
        if node.class_key == "Mountain":
            for mountain_range in node.links["range"]:
                outside = countries(world, node.name) - countries(world, mountain_range)
                for country in sorted(outside):
                    raise node.row.fail(
                        f"'{mountain_range.local}' does not reach into '{country.local}'"
                    )


CHECKS: tuple[Callable[[World], None], ...] = (
    check_keys,
    check_vocabulary,
    check_labels,
    check_cities,
    check_continents,
    check_rivers,
    check_mountains,
)
