"""What must agree between the tables of the world graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .schema import (
    BORDERS,
    CLASS_TABLE,
    ENTITY_TABLES,
    MEASURES,
    RELATION_TABLE,
    Node,
    World,
)
from .terms import INTEGER, Name, WorldError

CLASS_OF = {table.prefix: Name("v", table.class_key) for table in ENTITY_TABLES}


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
            place = f"{first.row.file}:{first.row.line}"
            raise node.row.fail(f"label and description of '{node.label}' are those of {place}")


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
