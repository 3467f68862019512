"""Which tables there are, what their columns mean, and what is read from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .terms import Name, Number, WorldError

LIST_SEPARATOR = "; "
BORDERS = "borders"


@dataclass(frozen=True)
class Link:
    """A column of keys: the relation it states and the kinds of entity the keys name.

    A bare key is of the first kind; a key of another kind is written with it, ``ocean:key``.
    An inverse link leads from what the keys name to the thing on the line.
    """

    column: str
    relation: str
    targets: tuple[str, ...]
    many: bool = False
    optional: bool = False
    inverse: bool = False


@dataclass(frozen=True)
class Measure:
    """A column of whole numbers, which may be empty, and the relation it states."""

    column: str
    relation: str


@dataclass(frozen=True)
class Table:
    """A table with one thing per line: an entity, a class or a relation."""

    file: str
    prefix: str
    class_key: str
    links: tuple[Link, ...] = ()
    measures: tuple[Measure, ...] = ()
    alternatives: str = "alternative names"
    adjectives: str = ""
    """The column of what is named after the thing: `Dutch`. Names to search by, not to show."""

    @property
    def columns(self) -> frozenset[str]:
        """The names its header line must have, in any order."""
        common = ("key", "label", self.alternatives, "description")
        adjectives = (self.adjectives,) if self.adjectives else ()
        values = (column.column for column in (*self.links, *self.measures))
        return frozenset((*common, *adjectives, *values))


IN_COUNTRY = Link("country", "country", ("country",))
ENTITY_TABLES = (
    Table(
        "cities.tsv",
        "city",
        "City",
        (IN_COUNTRY, Link("rivers", "onRiver", ("river",), many=True, optional=True)),
    ),
    Table("continents.tsv", "continent", "Continent", adjectives="adjectives"),
    Table(
        "countries.tsv",
        "country",
        "Country",
        (
            Link("capitals", "capital", ("city",), many=True),
            Link("largest city", "largestCity", ("city",), optional=True),
            Link("continents", "continent", ("continent",), many=True),
            Link("subregion", "subregion", ("subregion",)),
            Link("official languages", "officialLanguage", ("language",), many=True),
            Link("currencies", "currency", ("currency",), many=True),
            Link("coasts", "coast", ("sea", "ocean"), many=True, optional=True),
        ),
        adjectives="adjectives",
    ),
    Table("currencies.tsv", "currency", "Currency"),
    Table("lakes.tsv", "lake", "Lake", (Link("countries", "lakeIn", ("country",), many=True),)),
    Table("languages.tsv", "language", "Language"),
    Table(
        "mountains.tsv",
        "mountain",
        "Mountain",
        (
            Link("countries", "mountainIn", ("country",), many=True),
            Link("range", "range", ("range",), optional=True),
        ),
        (Measure("height", "height"),),
    ),
    Table("oceans.tsv", "ocean", "Ocean"),
    Table(
        "organisations.tsv",
        "organisation",
        "Organisation",
        (Link("members", "memberOf", ("country",), many=True, inverse=True),),
    ),
    Table(
        "ranges.tsv",
        "range",
        "MountainRange",
        (Link("countries", "rangeIn", ("country",), many=True),),
        adjectives="adjectives",
    ),
    Table("regions.tsv", "region", "Region", (IN_COUNTRY,)),
    Table(
        "rivers.tsv",
        "river",
        "River",
        (
            Link("countries", "flowsThrough", ("country",), many=True),
            Link("mouth", "mouth", ("river", "lake", "sea", "ocean")),
        ),
        (Measure("length", "length"),),
    ),
    Table("seas.tsv", "sea", "Sea", (Link("ocean", "partOf", ("ocean",), optional=True),)),
    Table(
        "subregions.tsv",
        "subregion",
        "Subregion",
        (Link("continent", "partOf", ("continent",)),),
        adjectives="adjectives",
    ),
)
CLASS_TABLE = Table("classes.tsv", "v", "Class", alternatives="alternative labels")
RELATION_TABLE = Table(
    "relations.tsv",
    "v",
    "Property",
    (
        Link("domain", "domain", ("v",), many=True),
        Link("range", "range", ("v", "xsd"), many=True),
    ),
    alternatives="alternative labels",
)
BORDER_FILE = "borders.tsv"
BORDER_COLUMNS = frozenset(("country", "neighbour", "note"))


@dataclass(frozen=True)
class Row:
    """One line of a table, to name when something in it is wrong."""

    file: str
    line: int
    cells: dict[str, str]

    def fail(self, problem: str) -> WorldError:
        """The error to raise about this line."""
        return WorldError(f"{self.file}:{self.line}: {problem}")

    def values(self, column: str) -> tuple[str, ...]:
        """The values of a cell that may hold several."""
        cell = self.cells[column]
        values = tuple(cell.split(LIST_SEPARATOR)) if cell else ()
        if len(set(values)) != len(values):
            raise self.fail(f"a value appears twice in column '{column}'")
        if not all(values) or any(value != value.strip(" ;") for value in values):
            raise self.fail(f"values in column '{column}' must be joined by '{LIST_SEPARATOR}'")
        return values


@dataclass(frozen=True)
class Node:
    """A thing of the graph as its table describes it; links and measures by their column."""

    name: Name
    class_key: str
    label: str
    alternatives: tuple[str, ...]
    adjectives: tuple[str, ...]
    description: str
    links: dict[str, tuple[Name, ...]]
    measures: dict[str, Number]
    row: Row


@dataclass(frozen=True)
class World:
    """Everything the tables say."""

    classes: tuple[Node, ...]
    relations: tuple[Node, ...]
    entities: tuple[Node, ...]
    borders: frozenset[tuple[Name, Name]]

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Every thing of the graph, vocabulary first."""
        return (*self.classes, *self.relations, *self.entities)

    @cached_property
    def links(self) -> dict[Name, dict[str, frozenset[Name]]]:
        """What each entity is linked to by each relation, inverse columns turned round."""
        linked: dict[Name, dict[str, set[Name]]] = {node.name: {} for node in self.entities}
        for node in self.entities:
            for link in LINKS[node.class_key]:
                for target in node.links[link.column]:
                    head, tail = (target, node.name) if link.inverse else (node.name, target)
                    linked.setdefault(head, {}).setdefault(link.relation, set()).add(tail)
        for one, other in self.borders:
            linked[one].setdefault(BORDERS, set()).add(other)
        return {
            head: {relation: frozenset(tails) for relation, tails in relations.items()}
            for head, relations in linked.items()
        }

    def targets(self, head: Name, relation: str) -> frozenset[Name]:
        """What an entity is linked to by a relation."""
        return self.links[head].get(relation, frozenset())


LINKS = {table.class_key: table.links for table in ENTITY_TABLES}
MEASURES = {table.class_key: table.measures for table in ENTITY_TABLES}
