"""Writes recycling.ttl, a graph of the waste and recycling service of a town that does not exist.

Every run gives the same file to the byte. With --check nothing is written, and the exit status says
whether the file on disk is up to date.
"""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path

from groundwalk.data.exams.writing import names, slug, text, turtle, write

OUT = Path(__file__).with_name("recycling.ttl")
SEED = 2617
PREFIXES = {
    "r": "https://recycling.example/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
CLASSES = {
    "Depot": "depot",
    "Lorry": "lorry",
    "Crew": "crew",
    "Worker": "worker",
    "Round": "collection round",
    "District": "district",
    "DropOffPoint": "drop-off point",
    "ContainerKind": "container kind",
    "Material": "material",
    "Household": "household",
    "Complaint": "complaint",
    "Fee": "fee",
}
LINKS = {
    "basedAt": "based at",
    "usesLorry": "uses lorry",
    "ledBy": "led by",
    "belongsToCrew": "belongs to crew",
    "trainedBy": "trained by",
    "servedByCrew": "served by crew",
    "coversDistrict": "covers district",
    "emptiesContainer": "empties container",
    "takesMaterial": "takes material",
    "liesInDistrict": "lies in district",
    "acceptsMaterial": "accepts material",
    "lookedAfterBy": "looked after by",
    "livesInDistrict": "lives in district",
    "hasContainer": "has container",
    "madeBy": "made by",
    "concernsRound": "concerns round",
    "chargedFor": "charged for",
}
VALUES = {
    "numberOfBays": "number of bays",
    "openingDate": "opening date",
    "payloadInTonnes": "payload in tonnes",
    "purchaseDate": "purchase date",
    "runsOnElectricity": "runs on electricity",
    "hiringDate": "hiring date",
    "collectionDay": "collection day",
    "numberOfStops": "number of stops",
    "lengthInKilometres": "length in kilometres",
    "population": "population",
    "isStaffed": "is staffed",
    "numberOfSkips": "number of skips",
    "volumeInLitres": "volume in litres",
    "numberOfPersons": "number of persons",
    "receivedOn": "received on",
    "settledOn": "settled on",
    "cause": "cause",
    "wasUpheld": "was upheld",
    "amountInCrowns": "amount in crowns",
    "paymentFrequency": "payment frequency",
}
DEPOTS = "Hollin Wharf|Gorse Hill Depot|Lowmoor Yard|Tanpit Lane Depot"
LORRIES = """
Big Bertha|Mucky Duck|Grumbling Gus|Iron Nellie|Sir Scoops|Rusty Rosie|Bin Diesel|Captain Clank
Lady Litter|Trundle|Old Faithful|Snapdragon
"""
CREWS = "Magpies|Badgers|Night Owls|Foxes|Hedgehogs|Otters|Jackdaws"
WORKERS = """
Agnes Thorley|Desmond Pike|Farah Qadir|Ivo Lindqvist|Maureen Stott|Tobias Wren|Jolanta Mazurek
Clive Entwistle|Rhona Baxendale|Samir Haddad|Winnie Okoro|Gareth Prosser|Bettina Kohl
Lenny Fairclough|Oona Kelleher|Percival Dunne|Zofia Brandys|Hamish Gillan|Nadia Ferreira
Stanley Mould
"""
DISTRICTS = """
Wexley Old Town|Canal Quarter|Rookwood|Millstone Green|Upper Fennel|Saltersgate|Larch Park
"""
ROUNDS = """
Cobble Round|Towpath Round|Rookery Round|Windmill Round|Fennel Hill Round|Salters Round
Parkside Round|Market Round|Lock Keepers Round|Orchard Round|Chapel Round|Brewery Round
Station Round|Pond Lane Round
"""
POINTS = {
    "Rookwood Recycling Yard": ("Rookwood", "Garden Waste|Scrap Metal|Batteries|Waste Oil"),
    "Bottle Corner": ("Canal Quarter", "Glass"),
    "The Swap Shed": ("Saltersgate", "Textiles|Scrap Metal"),
    "Saltersgate Tip": ("Saltersgate", "Scrap Metal|Garden Waste|Waste Oil|Cardboard"),
    "Fennel Green Point": ("Upper Fennel", "Paper|Glass|Tins and Cans"),
    "Quayside Banks": ("Canal Quarter", "Glass|Textiles|Paper"),
    "Larch Park Gate": ("Larch Park", "Glass|Plastic Packaging"),
    "Old Laundry Point": ("Saltersgate", "Textiles|Batteries"),
    "Millstone Compost Site": ("Millstone Green", "Garden Waste|Food Scraps"),
    "Library Steps": ("Wexley Old Town", "Paper|Batteries"),
    "Ferry Lane Centre": ("Canal Quarter", "Cardboard|Scrap Metal|Batteries|Plastic Packaging"),
    "Tithe Barn Point": ("Millstone Green", "Glass|Cardboard"),
}
"""The drop-off points: where they lie, and what they accept."""
KINDS = {
    "Grey Wheelie Bin": (240, "General Waste"),
    "Blue Box": (55, "Paper|Cardboard"),
    "Green Barrow": (140, "Garden Waste"),
    "Kitchen Caddy": (23, "Food Scraps"),
    "Yellow Sack": (90, "Plastic Packaging|Tins and Cans"),
    "Glass Igloo": (1500, "Glass"),
    "Clothes Bank": (1100, "Textiles"),
    "Communal Hopper": (660, "General Waste|Cardboard"),
}
"""The kinds of containers: how many litres they hold, and what may be put in."""
MATERIALS = """
General Waste|Paper|Cardboard|Garden Waste|Food Scraps|Plastic Packaging|Tins and Cans|Glass
Textiles|Batteries|Scrap Metal|Waste Oil
"""
HOUSEHOLDS = """
Pettigrew Household|Achterberg Household|Singh Household|O'Rourke Household|Bellweather Household
Nakamura Household|Crabtree Household|Delacroix Household|Hussain Household|Trumble Household
Vasquez Household|Wetherby Household
"""
COMPLAINTS = {
    "Bin Left in the Road": "careless handling",
    "Missed Twice Running": "missed collection",
    "Broken Bottles by the Gate": "spillage",
    "Clatter before Dawn": "noise",
    "Three Weeks of Nappies": "missed collection",
    "Lid Torn Off": "damaged container",
    "Caddy Gone Missing": "lost container",
    "Maggots under the Lid": "smell",
    "Shouting Crew": "rudeness",
    "Paper All over the Lane": "spillage",
    "Blocked Driveway": "careless handling",
    "Wheel Broken": "damaged container",
    "Charged Twice": "wrong bill",
    "Nobody Came Again": "missed collection",
    "Reversing Beeps": "noise",
    "Stench from the Hopper": "smell",
    "Scratched Car": "careless handling",
    "Sack Never Replaced": "lost container",
}
"""The complaints and their causes."""
FEES = {
    "Garden Waste Fee": (64, "yearly", "Green Barrow"),
    "Extra Bin Fee": (85, "yearly", "Grey Wheelie Bin"),
    "Hopper Hire": (210, "yearly", "Communal Hopper"),
    "Caddy Replacement Fee": (12, "once", "Kitchen Caddy"),
    "Box Replacement Fee": (9, "once", "Blue Box"),
    "Sack Roll Fee": (15, "quarterly", "Yellow Sack"),
    "Bulky Goods Fee": (38, "once", ""),
    "Fridge Removal Fee": (27, "once", ""),
    "Trade Waste Licence": (340, "yearly", ""),
    "Bin Cleaning Fee": (18, "quarterly", "Grey Wheelie Bin"),
}
"""The fees: crowns, how often paid, and the kind of container, if any, they are for."""
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
FIRST_COMPLAINT = date(2025, 1, 6)
ELECTRIC = ("Trundle", "Snapdragon", "Lady Litter", "Captain Clank")


def iri(name: str) -> str:
    """Gives what a name is called in the graph."""
    return "r:" + slug(name)


def truth(value: object) -> str:
    """Gives a Turtle literal of a truth value."""
    return text(str(bool(value)).lower(), "boolean")


class Graph:
    """Holds the facts, the things of each class, and the source of chance."""

    def __init__(self) -> None:
        """Starts with the things and their labels."""
        self.rng = random.Random(SEED)
        self.facts = defaultdict[str, dict[tuple[str, str], None]](dict)
        for kind, terms in (("Class", CLASSES), ("ObjectProperty", LINKS)):
            self.schema(kind, terms)
        self.schema("DatatypeProperty", VALUES)
        self.depots = self.make("Depot", names(DEPOTS))
        self.districts = self.make("District", names(DISTRICTS))
        self.materials = self.make("Material", names(MATERIALS))
        self.kinds = self.make("ContainerKind", list(KINDS))
        self.lorries = self.make("Lorry", names(LORRIES))
        self.workers = self.make("Worker", names(WORKERS))
        self.crews = self.make("Crew", names(CREWS))
        self.rounds = self.make("Round", names(ROUNDS))
        self.points = self.make("DropOffPoint", list(POINTS))
        self.households = self.make("Household", names(HOUSEHOLDS))
        self.complaints = self.make("Complaint", list(COMPLAINTS))
        self.fees = self.make("Fee", list(FEES))

    def schema(self, kind: str, terms: dict[str, str]) -> None:
        """Adds classes or relations with their labels."""
        for name, label in terms.items():
            self.head(f"r:{name}", f"owl:{kind}", label)

    def make(self, kind: str, labels: list[str]) -> list[str]:
        """Adds the things of a class."""
        for label in labels:
            self.head(iri(label), f"r:{kind}", label)
        return [iri(label) for label in labels]

    def head(self, subject: str, kind: str, label: str) -> None:
        """Adds the class and the label."""
        self.facts[subject] |= {("a", kind): None, ("rdfs:label", text(label)): None}

    def add(self, subject: str, relation: str, value: str) -> None:
        """Adds a fact."""
        self.facts[subject][f"r:{relation}", value] = None

    def get(self, subject: str, relation: str) -> list[str]:
        """Gives the values of a relation."""
        return [value for name, value in self.facts[subject] if name == f"r:{relation}"]

    def day(self, first: date, span: int) -> str:
        """Gives a date of the days that follow the first."""
        return text(first + timedelta(self.rng.randrange(span)), "date")


def places(graph: Graph) -> None:
    """Adds what is known of depots and districts: the newest depot has no opening date."""
    rng = graph.rng
    bays = rng.sample(range(4, 21), 4)
    for number, depot in enumerate(graph.depots):
        graph.add(depot, "numberOfBays", str(bays[number]))
        if number < 3:
            graph.add(depot, "openingDate", graph.day(date(1958 + 17 * number, 3, 1), 4000))
    people = rng.sample(range(1900, 14200, 35), 7)
    for number, district in enumerate(graph.districts):
        graph.add(district, "population", str(people[number]))


def vehicles(graph: Graph) -> None:
    """Adds what is known of lorries and of crews: some lorries stand idle, one crew has two."""
    rng = graph.rng
    loads = rng.sample([half * 0.5 for half in range(6, 26)], 12)
    electric = [iri(name) for name in ELECTRIC]
    for number, lorry in enumerate(graph.lorries):
        graph.add(lorry, "basedAt", graph.depots[rng.choices(range(4), weights=[5, 3, 3, 2])[0]])
        graph.add(lorry, "payloadInTonnes", f"{loads[number]:.1f}")
        graph.add(lorry, "purchaseDate", graph.day(date(2009, 2, 1), 5600))
        graph.add(lorry, "runsOnElectricity", truth(lorry in electric))
    used = rng.sample(graph.lorries, 8)
    for number, crew in enumerate(graph.crews):
        graph.add(crew, "usesLorry", used[number])
        if number == 2:
            graph.add(crew, "usesLorry", used[7])


def workers(graph: Graph) -> None:
    """Adds what is known of the workers: two have no crew, and six were trained by nobody here."""
    rng = graph.rng
    for number, worker in enumerate(graph.workers):
        if number < 18:
            crew = graph.crews[number % 7 if number < 14 else rng.randrange(7)]
            graph.add(worker, "belongsToCrew", crew)
            if number < 7:
                graph.add(crew, "ledBy", worker)
        if number >= 6:
            graph.add(worker, "trainedBy", graph.workers[rng.randrange(min(number, 9))])
        graph.add(worker, "hiringDate", graph.day(date(1994 + number * 3 // 2, 1, 10), 1500))


def rounds(graph: Graph) -> None:
    """Adds what is known of the rounds: three cover two districts, two have no length."""
    rng = graph.rng
    lengths = rng.sample([fifth / 5 for fifth in range(40, 190)], 14)
    stops = rng.sample(range(120, 980, 10), 14)
    crews = graph.crews + rng.choices(graph.crews[:6], k=7)
    for number, tour in enumerate(graph.rounds):
        graph.add(tour, "servedByCrew", crews[number])
        graph.add(tour, "coversDistrict", graph.districts[number % 7])
        if number in (3, 8, 11):
            graph.add(tour, "coversDistrict", graph.districts[(number + 2) % 7])
        for kind in rng.sample(graph.kinds, rng.choice([1, 2, 2, 3])):
            graph.add(tour, "emptiesContainer", kind)
        graph.add(tour, "collectionDay", text(DAYS[rng.randrange(5)]))
        graph.add(tour, "numberOfStops", str(stops[number]))
        if number not in (5, 12):
            graph.add(tour, "lengthInKilometres", f"{lengths[number]:.1f}")


def points(graph: Graph) -> None:
    """Adds what is known of the drop-off points: four are looked after by nobody in the graph."""
    rng = graph.rng
    skips = rng.sample(range(1, 16), 12)
    for number, (name, (district, materials)) in enumerate(POINTS.items()):
        point = iri(name)
        graph.add(point, "liesInDistrict", iri(district))
        for material in materials.split("|"):
            graph.add(point, "acceptsMaterial", iri(material))
        if number % 3:
            graph.add(point, "lookedAfterBy", rng.choice(graph.workers[10:]))
        graph.add(point, "isStaffed", truth(number % 3 and rng.random() < 0.7))
        graph.add(point, "numberOfSkips", str(skips[number]))


def containers(graph: Graph) -> None:
    """Adds what is known of the kinds of containers and of the fees."""
    for name, (litres, materials) in KINDS.items():
        graph.add(iri(name), "volumeInLitres", str(litres))
        for material in materials.split("|"):
            graph.add(iri(name), "takesMaterial", iri(material))
    for name, (crowns, often, kind) in FEES.items():
        graph.add(iri(name), "amountInCrowns", str(crowns))
        graph.add(iri(name), "paymentFrequency", text(often))
        if kind:
            graph.add(iri(name), "chargedFor", iri(kind))


def households(graph: Graph) -> None:
    """Adds what is known of the households and their complaints: five are not settled."""
    rng = graph.rng
    for number, household in enumerate(graph.households):
        graph.add(household, "livesInDistrict", rng.choice(graph.districts))
        for kind in rng.sample(graph.kinds[:5], rng.choice([1, 2, 3])):
            graph.add(household, "hasContainer", kind)
        if number != 6:
            graph.add(household, "numberOfPersons", str(rng.choice([1, 2, 2, 3, 4, 5, 6])))
    days, waits = rng.sample(range(300), 18), rng.sample(range(2, 60), 18)
    for number, (name, cause) in enumerate(COMPLAINTS.items()):
        complaint, day = iri(name), FIRST_COMPLAINT + timedelta(days[number])
        household = rng.choice(graph.households[:10])
        home = graph.get(household, "livesInDistrict")[0]
        near = [tour for tour in graph.rounds if home in graph.get(tour, "coversDistrict")]
        graph.add(complaint, "madeBy", household)
        if cause != "wrong bill":
            graph.add(complaint, "concernsRound", rng.choice(near))
        graph.add(complaint, "cause", text(cause))
        graph.add(complaint, "receivedOn", text(day, "date"))
        if number not in (4, 8, 11, 15, 16):
            graph.add(complaint, "settledOn", text(day + timedelta(waits[number]), "date"))
            graph.add(complaint, "wasUpheld", truth(rng.random() < 0.6))


def content() -> bytes:
    """Gives the graph as Turtle, the same on every call."""
    graph = Graph()
    for step in (places, vehicles, workers, rounds, points, containers, households):
        step(graph)
    return turtle(PREFIXES, graph.facts)


if __name__ == "__main__":
    write(OUT, content)
