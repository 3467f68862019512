"""Writes aquarium.ttl, a graph of a public aquarium that does not exist.

Every run gives the same file to the byte. With --check nothing is written, and the exit status says
whether the file on disk is up to date.
"""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path

from groundwalk.data.exams.writing import names, slug, text, turtle, write

OUT = Path(__file__).with_name("aquarium.ttl")
SEED = 2093
PREFIXES = {
    "q": "https://aquarium.example/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
CLASSES = """
Animal|animal|
Fish|fish|Animal
Shark|shark|Fish
Ray|ray|Fish
BonyFish|bony fish|Fish
Seahorse|seahorse|BonyFish
Eel|eel|BonyFish
ReefFish|reef fish|BonyFish
Invertebrate|invertebrate|Animal
Octopus|octopus|Invertebrate
Crab|crab|Invertebrate
Mammal|mammal|Animal
Seal|seal|Mammal
Otter|otter|Mammal
Penguin|penguin|Animal
SeaTurtle|sea turtle|Animal
StaffMember|staff member|
Keeper|keeper|StaffMember
Veterinarian|veterinarian|StaffMember
Tank|tank|
DisplayTank|display tank|Tank
TouchPool|touch pool|Tank
OutdoorPool|outdoor pool|Tank
Donor|donor|
PrivateDonor|private donor|Donor
CompanyDonor|company donor|Donor
Aquarium|aquarium|
Species|species|
FeedingPlan|feeding plan|
Transfer|transfer|
HealthCheck|health check|
Hall|hall|
Sea|sea|
"""
"""The classes with their labels and the class above."""
LINKS = {
    "houses": "houses",
    "hasKeeper": "has keeper",
    "isFedBy": "isFedBy",
    "belongsToSpecies": "belongs to species",
    "isParentOf": "is parent of",
    "standsInHall": "stands in hall",
    "sponsors": "sponsors",
    "hasTrained": "has trained",
    "isNativeTo": "isNativeTo",
    "appliesTo": "applies to",
    "movedAnimal": "moved animal",
    "cameFrom": "came from",
    "examinedAnimal": "examined animal",
    "wasCarriedOutBy": "was carried out by",
}
VALUES = {
    "hasOpeningYear": "has opening year",
    "waterTemperature": "water temperature in °C",
    "volumeInLitres": "volume in litres",
    "isSaltwater": "is saltwater",
    "dateOfBirth": "date of birth",
    "scientificName": "scientific name",
    "conservationStatus": "conservation status",
    "maximumLength": "maximum length in cm",
    "employedSince": "employed since",
    "yearlyGift": "yearly gift in euros",
    "foundedIn": "founded in",
    "mainFood": "main food",
    "mealsPerDay": "meals per day",
    "isHandFed": "is hand-fed",
    "transferDate": "transfer date",
    "transportHours": "transport time in hours",
    "checkDate": "check date",
    "weightInKilograms": "weight in kg",
    "needsFollowUp": "needs follow-up",
}
SEAS = "Orlan Sea|Gulf of Tessaly|Marrow Strait|Cinder Ocean|Bay of Pellam"
HALLS = "Harbour Hall|Coral Hall|Polar Hall|Twilight Hall"
KEEPERS = """
Imke Verhoeven|2009-04-01
Dawit Tesfaye|2012-09-15
Rosalie Quint|2015-02-01
Marius Lindqvist|2016-06-20
Oonagh Brady|2018-03-05
Teodor Banu|2019-10-01
Yuki Harada|2020-01-13
Solveig Aune|2021-08-02
Pascal Moreau|2023-05-15
Nadia Ferhat|
"""
"""The keepers with the day when they began, which of one is not known."""
TRAINED = """
Imke Verhoeven>Dawit Tesfaye|Imke Verhoeven>Rosalie Quint|Dawit Tesfaye>Oonagh Brady
Rosalie Quint>Teodor Banu|Rosalie Quint>Yuki Harada|Oonagh Brady>Solveig Aune
Teodor Banu>Pascal Moreau|Imke Verhoeven>Marius Lindqvist
"""
VETS = "Henrik Solberg|Amara Nwosu|Lidia Kowalczyk"
DONORS = """
Ottoline Farrow|PrivateDonor|12000|Moonlight Basin
Casper Wynne|PrivateDonor|4500|Pebble Shore Pool
Brightwater Shipping|CompanyDonor|60000|The Deep|Harbour Reef
Fennel & Rook Bakery|CompanyDonor|3800|Otter Creek
Lumen Glassworks|CompanyDonor|25000|Lantern Grotto|Kelp Garden
Eudora Pinkney|PrivateDonor|7200|Penguin Cliff
Stanhope Ferries|CompanyDonor|25000|Seal Bay
"""
"""The donors with their class, their yearly gift and the tanks that they sponsor."""
AQUARIA = """
Aquarium of Port Ellery|1968
Vestmar Ocean House|1991
Corvane Sea Centre|2004
Lagoon World Almira|
Old Pier Aquarium|1932
"""
"""The other aquaria with the year of their foundation."""
TANKS = """
The Deep|DisplayTank|Harbour Hall|Imke Verhoeven|2008|22.5|950000|true
Harbour Reef|DisplayTank|Harbour Hall|Dawit Tesfaye|2008|24.0|310000|true
Moonlight Basin|DisplayTank|Twilight Hall|Rosalie Quint|2014|18.5|120000|true
Lantern Grotto|DisplayTank|Twilight Hall|Rosalie Quint|2016|14.0|38000|true
Kelp Garden|DisplayTank|Coral Hall|Marius Lindqvist|2011|16.5|85000|true
Seahorse Meadow|DisplayTank|Coral Hall|Yuki Harada|2019|25.5|9500|true
Coral Window|DisplayTank|Coral Hall|Dawit Tesfaye|2008|26.0|54000|true
Pebble Shore Pool|TouchPool|Harbour Hall|Oonagh Brady|2013|17.0|6400|true
Ray Bay|TouchPool|Harbour Hall|Oonagh Brady|2021|23.0|21000|true
Penguin Cliff|OutdoorPool|Polar Hall|Solveig Aune|2017|8.0|140000|true
Seal Bay|OutdoorPool|Polar Hall|Teodor Banu|1998|11.5|420000|true
Otter Creek|OutdoorPool||Teodor Banu|2022|13.0|64000|false
Turtle Lagoon|DisplayTank|Coral Hall|Imke Verhoeven|2005|27.5|230000|true
River Mouth|DisplayTank||Nadia Ferhat||19.5|47000|false
"""
"""The tanks: class, hall, keeper, opening year, temperature, volume, and whether in salt water."""
SPECIES = """
Duskfin Shark|Umbrasqualus pinnatus|vulnerable|320|Cinder Ocean|Orlan Sea
Ember Reef Shark|Pyrosqualus minor|endangered|165|Gulf of Tessaly
Silverback Ray|Argyrobatis dorsalis|least concern|140|Orlan Sea
Moonspot Ray|Lunabatis maculata|vulnerable|95|Gulf of Tessaly|Bay of Pellam
Pebble Seahorse|Lithocampus parvus|endangered|14|Bay of Pellam
Tasselback Eel|Fimbriophis longus|least concern|180|Marrow Strait
Harlequin Bream|Arlechinus varius|least concern|42|Gulf of Tessaly
Copper Wrasselet|Cuprilabrus nitens|near threatened|23|Bay of Pellam
Lantern Octopus|Lychnopus gracilis|near threatened|88|Marrow Strait
Saddle Crab|Ephippiocarcinus ater|least concern|19|Orlan Sea
Whisker Seal|Vibrissophoca grisea|vulnerable|210|Cinder Ocean
Tidewater Otter|Aestulutra brevis|endangered|115|
Stonecrest Penguin|Petrolophus altus|near threatened|62|Cinder Ocean
Greyshell Turtle|Griseochelys magna|endangered|135|Gulf of Tessaly|Cinder Ocean
"""
"""The species with their scientific name, status, greatest length in cm, and seas."""
ANIMALS = """
Bruno|Shark|Duskfin Shark|The Deep|Imke Verhoeven|2006-05-14
Grimalda|Shark|Duskfin Shark|The Deep|Imke Verhoeven|2010-11-02|Old Grim
Cinder|Shark|Ember Reef Shark|The Deep|Marius Lindqvist|2017-07-23
Sparky|Shark|Ember Reef Shark|Harbour Reef|Dawit Tesfaye|2021-03-09
Tooth|Shark|Ember Reef Shark|Harbour Reef|Dawit Tesfaye|
Flapjack|Ray|Silverback Ray|Ray Bay|Oonagh Brady|2019-04-30
Pancake|Ray|Silverback Ray|Ray Bay|Oonagh Brady|2020-08-17
Manta Mia|Ray|Silverback Ray|The Deep|Imke Verhoeven|2013-02-11|Mia
Polka|Ray|Moonspot Ray|Ray Bay|Pascal Moreau|2022-06-05
Domino|Ray|Moonspot Ray|Moonlight Basin|Rosalie Quint|2018-09-26
Pip|Seahorse|Pebble Seahorse|Seahorse Meadow|Yuki Harada|2023-01-19
Squeak|Seahorse|Pebble Seahorse|Seahorse Meadow|Yuki Harada|2023-01-19
Sir Gallop|Seahorse|Pebble Seahorse|Seahorse Meadow|Yuki Harada|2021-10-03|Gallop
Noodle|Eel|Tasselback Eel|Kelp Garden|Marius Lindqvist|2012-12-12
Shoelace|Eel|Tasselback Eel|Moonlight Basin|Rosalie Quint|
Carnival|ReefFish|Harlequin Bream|Coral Window|Dawit Tesfaye|2020-05-21
Pierrot|ReefFish|Harlequin Bream|Coral Window|Dawit Tesfaye|2020-05-21
Columbine|ReefFish|Harlequin Bream|Harbour Reef|Yuki Harada|2018-03-15
Penny|ReefFish|Copper Wrasselet|Coral Window|Yuki Harada|2022-02-22
Ha'penny|ReefFish|Copper Wrasselet|Coral Window|Yuki Harada|2024-04-01
Octavia|Octopus|Lantern Octopus|Lantern Grotto|Rosalie Quint|2022-09-08
Professor Ink|Octopus|Lantern Octopus|Lantern Grotto|Pascal Moreau|2023-11-30|The Professor
Saddlebag|Crab|Saddle Crab|Pebble Shore Pool|Oonagh Brady|
Clawdia|Crab|Saddle Crab|Pebble Shore Pool|Pascal Moreau|2021-06-18
Nipper|Crab|Saddle Crab|Kelp Garden|Marius Lindqvist|2020-07-07
Admiral|Seal|Whisker Seal|Seal Bay|Teodor Banu|2001-06-12|The Admiral
Biscuit|Seal|Whisker Seal|Seal Bay|Teodor Banu|2011-06-28
Tallulah|Seal|Whisker Seal|Seal Bay|Solveig Aune|2016-07-04
Buoy|Seal|Whisker Seal|Seal Bay|Solveig Aune|2023-06-15
Hazel|Otter|Tidewater Otter|Otter Creek|Teodor Banu|2019-03-28
Bramble|Otter|Tidewater Otter|Otter Creek|Teodor Banu|2018-05-09
Twig|Otter|Tidewater Otter|Otter Creek|Pascal Moreau|2024-02-14
Napoleon|Penguin|Stonecrest Penguin|Penguin Cliff|Solveig Aune|2014-11-11|Boney
Josephine|Penguin|Stonecrest Penguin|Penguin Cliff|Solveig Aune|2015-12-03
Waddles|Penguin|Stonecrest Penguin|Penguin Cliff|Solveig Aune|2022-12-20
Methuselah|SeaTurtle|Greyshell Turtle|Turtle Lagoon|Imke Verhoeven|1964-08-01
Pearl|SeaTurtle|Greyshell Turtle|Turtle Lagoon|Imke Verhoeven|1997-09-17
Scoot|SeaTurtle|Greyshell Turtle|Turtle Lagoon|Marius Lindqvist|
"""
"""The animals with class, species, tank, who feeds them, birthday, and another name of some."""
PARENTS = """
Bruno>Cinder|Sir Gallop>Pip|Sir Gallop>Squeak|Admiral>Biscuit|Biscuit>Buoy|Tallulah>Buoy
Hazel>Twig|Bramble>Twig|Napoleon>Waddles|Josephine>Waddles|Methuselah>Pearl
"""
PLANS = """
Big Bite Plan|mackerel|1|false|Bruno,Grimalda,Cinder,Sparky,Tooth
Glider Plan|mussels|2|true|Flapjack,Pancake,Manta Mia,Polka,Domino
Fine Sieve Plan|brine shrimp|5|false|Pip,Squeak,Sir Gallop
Reef Mix Plan|krill|3|false|Carnival,Pierrot,Columbine,Penny,Ha'penny
Eight Arms Plan|crab meat|1|true|Octavia,Professor Ink,Noodle
Fish Bucket Plan|herring|4|true|Admiral,Biscuit,Tallulah,Buoy,Napoleon,Josephine,Waddles
Riverbank Plan|mussels|6|true|Hazel,Bramble,Twig
Salad Plan|sea lettuce|2|false|Methuselah,Pearl,Scoot
"""
"""The feeding plans with food, meals per day, whether from the hand, and the animals."""
TRANSFERS = (
    "Grimalda|Tooth|Manta Mia|Domino|Noodle|Octavia|Tallulah|Admiral"
    "|Bramble|Josephine|Methuselah|Scoot"
)
CHECKED = """
Bruno|Grimalda|Flapjack|Noodle|Octavia|Admiral|Tallulah|Twig|Napoleon|Methuselah|Pearl|Admiral|Twig|Waddles
"""
WEIGHTS = "184.0|152.5|11.2|7.4|2.9|171.0|96.5|4.1|5.6|128.0|103.5|165.5|4.8|4.3"
"""What the animals weighed at their checks, in the order of the checks."""
FIRST_CHECK = date(2024, 1, 9)


def rows(table: str) -> list[list[str]]:
    """Gives the rows of a table."""
    return [line.split("|") for line in table.strip().split("\n")]


def iri(name: str) -> str:
    """Gives what a name is called in the graph."""
    return "q:" + slug(name)


class Graph:
    """Holds the facts and the source of chance."""

    def __init__(self) -> None:
        """Starts with the classes and relations."""
        self.rng = random.Random(SEED)
        self.facts = defaultdict[str, dict[tuple[str, str], None]](dict)
        for name, label, above in rows(CLASSES):
            self.head(f"q:{name}", "owl:Class", label)
            if above:
                self.facts[f"q:{name}"]["rdfs:subClassOf", f"q:{above}"] = None
        for kind, terms in (("owl:ObjectProperty", LINKS), ("owl:DatatypeProperty", VALUES)):
            for name, label in terms.items():
                self.head(f"q:{name}", kind, label)

    def head(self, subject: str, kind: str, label: str) -> None:
        """Adds the class and the label."""
        self.facts[subject] |= {("a", kind): None, ("rdfs:label", text(label)): None}

    def make(self, kind: str, label: str) -> str:
        """Adds a thing of a class."""
        self.head(iri(label), f"q:{kind}", label)
        return iri(label)

    def add(self, subject: str, relation: str, value: str) -> None:
        """Adds a fact."""
        self.facts[subject][f"q:{relation}", value] = None

    def value(self, subject: str, relation: str, value: str, kind: str = "") -> None:
        """Adds a fact with a value, unless it is empty."""
        if value:
            self.add(subject, relation, text(value, kind) if kind != "number" else value)


def people(graph: Graph) -> None:
    """Adds the staff, the donors and the other aquaria."""
    for name, day in rows(KEEPERS):
        graph.value(graph.make("Keeper", name), "employedSince", day, "date")
    for pair in names(TRAINED):
        teacher, pupil = pair.split(">")
        graph.add(iri(teacher), "hasTrained", iri(pupil))
    for name in names(VETS):
        graph.make("Veterinarian", name)
    for name, kind, gift, *tanks in rows(DONORS):
        donor = graph.make(kind, name)
        graph.value(donor, "yearlyGift", gift, "number")
        for tank in tanks:
            graph.add(donor, "sponsors", iri(tank))
    for name, year in rows(AQUARIA):
        graph.value(graph.make("Aquarium", name), "foundedIn", year, "gYear")


def places(graph: Graph) -> None:
    """Adds the seas, halls and tanks."""
    for kind, table in (("Sea", SEAS), ("Hall", HALLS)):
        for name in names(table):
            graph.make(kind, name)
    for name, kind, hall, keeper, year, degrees, litres, salt in rows(TANKS):
        tank = graph.make(kind, name)
        if hall:
            graph.add(tank, "standsInHall", iri(hall))
        graph.add(tank, "hasKeeper", iri(keeper))
        graph.value(tank, "hasOpeningYear", year, "gYear")
        graph.value(tank, "waterTemperature", degrees, "number")
        graph.value(tank, "volumeInLitres", litres, "number")
        graph.value(tank, "isSaltwater", salt, "boolean")


def animals(graph: Graph) -> None:
    """Adds the species, the animals and what they eat."""
    for name, latin, status, length, *seas in rows(SPECIES):
        species = graph.make("Species", name)
        graph.value(species, "scientificName", latin)
        graph.value(species, "conservationStatus", status)
        graph.value(species, "maximumLength", length, "number")
        for sea in filter(None, seas):
            graph.add(species, "isNativeTo", iri(sea))
    for name, kind, species, tank, feeder, born, *other in rows(ANIMALS):
        animal = graph.make(kind, name)
        for label in other:
            graph.facts[animal]["skos:altLabel", text(label)] = None
        graph.add(animal, "belongsToSpecies", iri(species))
        graph.add(animal, "isFedBy", iri(feeder))
        graph.value(animal, "dateOfBirth", born, "date")
        graph.add(iri(tank), "houses", animal)
    for pair in names(PARENTS):
        parent, child = pair.split(">")
        graph.add(iri(parent), "isParentOf", iri(child))
    for name, food, meals, hand, eaters in rows(PLANS):
        plan = graph.make("FeedingPlan", name)
        graph.value(plan, "mainFood", food)
        graph.value(plan, "mealsPerDay", meals, "number")
        graph.value(plan, "isHandFed", hand, "boolean")
        for eater in eaters.split(","):
            graph.add(plan, "appliesTo", iri(eater))


def events(graph: Graph) -> None:
    """Adds the transfers, each after the birth of its animal, and the checks."""
    rng = graph.rng
    others = [iri(name) for name, _ in rows(AQUARIA)]
    vets = [iri(name) for name in names(VETS)]
    for number, name in enumerate(names(TRANSFERS)):
        transfer = graph.make("Transfer", f"Transfer T-{number + 11}")
        graph.add(transfer, "movedAnimal", iri(name))
        graph.add(transfer, "cameFrom", rng.choices(others, weights=[4, 3, 3, 2, 1])[0])
        start = date(2023, 1, 16) if name == "Octavia" else date(2019, 2, 4)
        day = start + timedelta(rng.randrange(60 if name == "Octavia" else 900))
        graph.add(transfer, "transferDate", text(day, "date"))
        if name != "Tallulah":
            graph.add(transfer, "transportHours", f"{rng.randrange(4, 40) * 0.5:.1f}")
    days = sorted(rng.sample(range(480), len(names(CHECKED))))
    for number, (name, kilos) in enumerate(zip(names(CHECKED), names(WEIGHTS), strict=True)):
        check = graph.make("HealthCheck", f"Check V-{number + 301}")
        graph.add(check, "examinedAnimal", iri(name))
        graph.add(check, "wasCarriedOutBy", rng.choices(vets, weights=[3, 4, 2])[0])
        graph.add(check, "checkDate", text(FIRST_CHECK + timedelta(days[number]), "date"))
        graph.add(check, "weightInKilograms", kilos)
        graph.add(
            check, "needsFollowUp", text("true" if rng.random() < 0.35 else "false", "boolean")
        )


def content() -> bytes:
    """Gives the graph as Turtle, the same on every call."""
    graph = Graph()
    for step in (people, places, animals, events):
        step(graph)
    return turtle(PREFIXES, graph.facts)


if __name__ == "__main__":
    write(OUT, content)
