"""Writes rental.ttl, a graph of a firm that does not exist and hires out film equipment.

Every run gives the same file to the byte. With --check nothing is written, and the exit status says
whether the file on disk is up to date.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from groundwalk.data.exams.writing import slug, text, turtle, write

OUT = Path(__file__).with_name("rental.ttl")
SEED = 7031
BASE = "https://rental.example/"
FOLDERS = ("gear", "maker", "order", "person", "production", "rel", "shop")
PREFIXES = {
    **{folder: f"{BASE}{folder}/" for folder in FOLDERS},
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "https://schema.org/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
MAKERS = {
    "Halvorsen Optik": 1931,
    "Brandau & Krohn": 1954,
    "Kestrel Cine": 1988,
    "Ostrin Lumen": 1967,
    "Fratelli Mirelli": 1922,
    "Tanuma Works": 1949,
    "Pellworth": 2006,
    "Vesper Audio": 1979,
}
SHOPS = {
    "Mill Lane Bench": "Agnes Torvald",
    "North Gate Workshop": "Ilse Brandt",
    "The Glass Room": "Corin Ashby",
    "Hangar Nine": "Dagny Holm",
    "Canal Yard": "Emeka Odili",
    "Old Foundry": "Mirela Popa",
}
"""The workshops, and who heads each."""


class Technician(NamedTuple):
    """A technician, where they work and whose apprentice they were, if anybody's."""

    name: str
    shop: str
    master: str = ""


TECHNICIANS = (
    Technician("Agnes Torvald", "Mill Lane Bench"),
    Technician("Bela Rusk", "North Gate Workshop", "Agnes Torvald"),
    Technician("Corin Ashby", "The Glass Room", "Agnes Torvald"),
    Technician("Dagny Holm", "Hangar Nine", "Bela Rusk"),
    Technician("Emeka Odili", "Canal Yard"),
    Technician("Farida Nasser", "Old Foundry"),
    Technician("Gustav Wren", "Mill Lane Bench", "Agnes Torvald"),
    Technician("Hana Mori", "The Glass Room", "Corin Ashby"),
    Technician("Ilse Brandt", "North Gate Workshop", "Bela Rusk"),
    Technician("Jonas Peel", "Hangar Nine", "Dagny Holm"),
    Technician("Katya Lund", "The Glass Room", "Corin Ashby"),
    Technician("Lorcan Tighe", "Canal Yard", "Emeka Odili"),
    Technician("Mirela Popa", "Old Foundry", "Farida Nasser"),
    Technician("Nuno Sarmento", "Mill Lane Bench", "Gustav Wren"),
)
OVERSEERS = 11
"""How many of the technicians oversee orders, from the first on."""
PRODUCTIONS = {
    "The Salt Ferry": "Orla Finnegan",
    "Winter Orchard": "Pavel Strand",
    "Paper Lanterns": "Quentin Abara",
    "Nine Bells": "Rosalind Vey",
    "A Coat for Ivo": "Stellan Moberg",
    "Red Harbour": "Tamsin Okoro",
    "The Beekeeper's Son": "Umberto Galli",
    "Platform Zero": "Orla Finnegan",
    "Quiet Engines": "Pavel Strand",
    "Moth Season": "Rosalind Vey",
    "The Last Cartographer": "Orla Finnegan",
    "Hotel Meridian": "Tamsin Okoro",
}
"""The films, and who directed each."""


class Sort(NamedTuple):
    """The gear of a kind: names, makers to draw from, and the ranges of weights and fees."""

    kind: str
    names: str
    makers: str
    weights: tuple[float, float]
    fees: tuple[int, int]


GEAR = (
    Sort(
        "camera",
        "Falcon 8K|Nocturne 65|Sable Mini|Orbit Reflex|Drover S16|Lynx Pro|Marlin 4|Calder XL|"
        "Tern Compact|Aurora Six",
        "Kestrel Cine|Brandau & Krohn|Tanuma Works|Kestrel Cine|Pellworth",
        (1.2, 14),
        (90, 640),
    ),
    Sort(
        "lens",
        "Iris 35|Iris 85|Velour 50|Velour 100 Macro|Grand Zoom 24-290|Opaline 18|Opaline 40|"
        "Cobalt Anamorphic|Pearl 135|Dusk 28",
        "Halvorsen Optik|Brandau & Krohn|Fratelli Mirelli",
        (0.4, 9),
        (25, 260),
    ),
    Sort(
        "lamp",
        "Sunbank 1200|Glow Panel|Helios Fresnel|Blue Hour Tube|Ember Spot|Mistral Softbox",
        "Ostrin Lumen|Ostrin Lumen|Pellworth",
        (1, 30),
        (20, 180),
    ),
    Sort(
        "microphone",
        "Whisper Boom|Echo Lav|Thrush Shotgun|Cantor Ribbon",
        "Vesper Audio|Vesper Audio|Tanuma Works",
        (0.1, 2),
        (12, 70),
    ),
    Sort(
        "tripod",
        "Heron Legs|Anvil Head|Stork Carbon|Tortoise Dolly",
        "Fratelli Mirelli|Pellworth|Brandau & Krohn",
        (2, 40),
        (15, 110),
    ),
)
STATES = ("ready", "in repair", "worn", "retired")


def iri(folder: str, name: str) -> str:
    """Gives what a name is called in a folder of the graph."""
    return f"{folder}:" + slug(name.replace("'", ""), "_")


class Graph:
    """Holds the facts, the gear of each kind, and the source of chance."""

    def __init__(self) -> None:
        """Starts with no facts."""
        self.rng = random.Random(SEED)
        self.facts = defaultdict[str, dict[tuple[str, str], None]](dict)
        self.gear = defaultdict[str, list[str]](list)
        self.seen = set[str]()

    def name(self, folder: str, name: str) -> str:
        """Adds a thing with its name; people and workshops have it as their label."""
        subject = iri(folder, name)
        relation = "rdfs:label" if folder in ("person", "shop") else "schema:name"
        self.facts[subject][relation, text(name)] = None
        return subject

    def add(self, subject: str, relation: str, *values: str) -> None:
        """Adds facts."""
        self.facts[subject] |= {(f"rel:{relation}", value): None for value in values}

    def fresh(self, draw: Callable[[], str]) -> str:
        """Draws a value that nothing has yet."""
        while (value := draw()) in self.seen:
            pass
        self.seen.add(value)
        return value


def people(graph: Graph) -> None:
    """Adds the makers, the workshops, the technicians and the films with their directors."""
    for name, year in MAKERS.items():
        graph.add(graph.name("maker", name), "founded_year", text(year, "gYear"))
    for name, head in SHOPS.items():
        graph.add(graph.name("shop", name), "headed_by", iri("person", head))
    for technician in TECHNICIANS:
        person = graph.name("person", technician.name)
        graph.add(person, "employed_at", iri("shop", technician.shop))
        if technician.master:
            graph.add(person, "apprenticed_under", iri("person", technician.master))
    for name, director in PRODUCTIONS.items():
        graph.add(graph.name("production", name), "directed_by", graph.name("person", director))


def gear(graph: Graph) -> None:
    """Adds the gear: no two pieces have the same weight, fee or day of purchase."""
    rng = graph.rng
    shops = [iri("shop", name) for name in SHOPS]
    technicians = [iri("person", technician.name) for technician in TECHNICIANS]
    for sort in GEAR:
        makers = sort.makers.split("|")
        for name in sort.names.split("|"):
            piece = graph.name("gear", name)
            graph.gear[sort.kind].append(piece)
            weight = graph.fresh(lambda sort=sort: str(round(rng.uniform(*sort.weights), 1)))
            fee = graph.fresh(lambda sort=sort: str(rng.randint(*sort.fees)))
            bought = graph.fresh(lambda: day(rng))
            graph.add(piece, "made_by", iri("maker", rng.choice(makers)))
            graph.add(piece, "kept_at", rng.choice(shops))
            graph.add(piece, "daily_fee", fee)
            graph.add(piece, "weight_kg", weight)
            graph.add(piece, "acquired_on", text(bought, "date"))
            graph.add(piece, "gear_kind", text(sort.kind))
            state = rng.choices(STATES, [9, 4, 3, 2])[0]
            graph.add(piece, "condition_state", text(state))
            repairs = rng.choice([0, 1, 1, 1, 2, 2, 3])
            graph.add(piece, "repaired_by", *rng.sample(technicians, repairs))
    for lens in graph.gear["lens"]:
        cameras = rng.randint(1, 4)
        graph.add(lens, "fits_on", *rng.sample(graph.gear["camera"], cameras))


def day(rng: random.Random) -> str:
    """Draws a day."""
    year, month = rng.randint(2009, 2024), rng.randint(1, 12)
    return f"{year}-{month:02d}-{rng.randint(1, 28):02d}"


def orders(graph: Graph) -> None:
    """Adds the orders, at least one for each film, all of different lengths."""
    rng = graph.rng
    days = rng.sample(range(1, 61), 26)
    films = [iri("production", name) for name in PRODUCTIONS]
    films += rng.choices(films, k=14)
    overseers = [iri("person", technician.name) for technician in TECHNICIANS[:OVERSEERS]]
    pieces = [piece for sort in GEAR for piece in graph.gear[sort.kind]]
    for number, film in enumerate(films):
        order = graph.name("order", f"RJ-{201 + number * 3}")
        graph.add(order, "booked_for", film)
        graph.add(order, "overseen_by", rng.choice(overseers))
        graph.add(order, "duration_days", str(days[number]))
        graph.add(order, "hands_out", *rng.sample(pieces, rng.randint(2, 5)))


def content() -> bytes:
    """Gives the graph as Turtle, the same on every call."""
    graph = Graph()
    for step in (people, gear, orders):
        step(graph)
    return turtle(PREFIXES, graph.facts)


if __name__ == "__main__":
    write(OUT, content)
