"""Writes huts.ttl, a graph of mountain huts in a region that does not exist.

Every run gives the same file to the byte. With --check nothing is written, and the exit status says
whether the file on disk is up to date.
"""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path

from groundwalk.data.exams.writing import names, slug, text, turtle, write

OUT = Path(__file__).with_name("huts.ttl")
SEED = 4807
PREFIXES = {
    "h": "https://huts.example/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
CLASSES = {
    "Hut": "mountain hut",
    "Warden": "warden",
    "Guide": "mountain guide",
    "Club": "mountaineering club",
    "Valley": "valley",
    "Route": "route",
    "Tour": "guided tour",
}
LINKS = {
    "standsIn": "stands in",
    "ownedByClub": "owned by club",
    "lookedAfterBy": "looked after by",
    "startsAt": "starts at",
    "endsAt": "ends at",
    "followsRoute": "follows route",
    "ledBy": "led by",
    "overnightStayAt": "overnight stay at",
    "memberOf": "member of",
    "trainedBy": "trained by",
}
VALUES = {
    "numberOfBeds": "number of beds",
    "elevationInMetres": "elevation in metres",
    "walkingTimeInHours": "walking time in hours",
    "pricePerPerson": "price per person",
    "yearBuilt": "year built",
    "departureDate": "departure date",
    "openingStatus": "opening status",
    "difficultyGrade": "difficulty grade",
}
CLUBS = """
Edelweiss Alpine Club|Steinbock Mountaineers|Club Alpin Montorgue|Società Alpina Tolvera
Northern Ridge Society|Mornau Climbing Union
"""
VALLEYS = """
Mornau Valley|Val Pradalune|Tannach Valley|Vallée de Roselle|Val Tolvera|Ilsen Valley
Grimmelbach Valley|Vallon des Aiglons
"""
WARDENS = """
Greta Pallhuber|Nino Salvaterra|Jost Ambühler|Claire Devantoy|Marek Holzleitner|Rosina Tschurtsch
Bruno Fontanive|Anke Riedlsperger|Luc Perrodin|Vroni Gschnall|Tilda Maurach|Pietro Lazzaris
Hannes Obkircher|Solène Bucquet|Walter Niggli|Ida Zanvettor|Corsin Caduff|Mathilde Ferrand
Sepp Unterrainer|Elena Dallaporta
"""
HUTS = """
Falkenried Hut|Ormund Hut|Sella Bianca Refuge|Grauhorn Hut|Krummsee Hut|Rifugio Tolvera
Steinwand Hut|Morlain Refuge|Adlerscharte Hut|Venedra Hut|Lauterkar Hut|Cabane des Aiglons
Hirzboden Hut|Rifugio Pradalune|Nebeltor Hut|Zirmegg Hut|Cabane du Roc Fendu|Schwarzgrat Hut
Talmesch Hut|Refuge de Montorgue|Ilsenalm Hut|Bärenfall Hut|Rifugio Costamara|Wetterloch Hut
"""
GUIDES = """
Andrin Supersax|Lotte Kaserer|Fabio Menardi|Yvonne Chappaz|Ruedi Zurbrunn|Carla Ghedin
Tomas Vinzing|Noémie Balmat|Kilian Strobl|Irma Plattner|Gaspard Tairraz|Selma Innerkofl
Dario Pompanin|Beat Imfeldt|Jana Hrubesch|Otto Rainalter
"""
ROUTES = """
Marmot Trail|Grauhorn Traverse|Sentiero delle Campane|Five Lakes Path|Adlerscharte Crossing
Chamois Ladder|Old Smugglers' Way|Via dei Larici|Nebeltor Ridge|Sentier des Bouquetins
Krummsee Loop|Silver Glacier Route|Shepherds' Path|Roselle High Route|Wetterloch Gully
Pilgrims' Stairs|Sentiero Costamara|Eagle Balcony|Zirmegg Forest Walk|Black Ridge Route
Gentian Path|Couloir du Roc
"""
TOURS = """
Marmot Family Weekend|Grauhorn Summit Days|Bells of Pradalune|Lakes and Lanterns
Eagle's Pass Adventure|Ladder Academy|Smugglers' Night Walk|Larch Gold Tour|Ridge Runner Course
Ibex Watch|Krummsee Photo Tour|Silver Glacier Week|Shepherd's Table|Roselle Grand Tour
Gully School|Pilgrim Sunrise|Costamara Classic|Balcony of the Alps|Black Ridge Challenge
Gentian Bloom Tour|Roc Fendu Expedition
"""
ROUND = "Krummsee Loop"
"""The route that ends where it starts."""
WITHOUT_TOUR = "Zirmegg Forest Walk"
"""The route that no tour follows; the tours follow the others in their order."""
STATES = ("open", "closed for winter", "under renovation")
GRADES = ("easy", "moderate", "hard", "very hard")
FIRST_DAY = date(2025, 5, 30)


def iri(name: str) -> str:
    """Gives what a name is called in the graph."""
    return "h:" + slug(name)


class Graph:
    """Holds the facts, the things of each class, and the source of chance."""

    def __init__(self) -> None:
        """Starts with the things and their labels."""
        self.rng = random.Random(SEED)
        self.facts = defaultdict[str, dict[tuple[str, str], None]](dict)
        for kind, terms in (("Class", CLASSES), ("ObjectProperty", LINKS)):
            self.schema(kind, terms)
        self.schema("DatatypeProperty", VALUES)
        self.clubs = self.make("Club", CLUBS)
        self.valleys = self.make("Valley", VALLEYS)
        self.wardens = self.make("Warden", WARDENS)
        self.huts = self.make("Hut", HUTS)
        self.guides = self.make("Guide", GUIDES)
        self.routes = self.make("Route", ROUTES)
        self.tours = self.make("Tour", TOURS)

    def schema(self, kind: str, terms: dict[str, str]) -> None:
        """Adds classes or relations with their labels."""
        for name, label in terms.items():
            self.head(f"h:{name}", f"owl:{kind}", label)

    def make(self, kind: str, table: str) -> list[str]:
        """Adds the things of a class."""
        labels = names(table)
        for label in labels:
            self.head(iri(label), f"h:{kind}", label)
        return [iri(label) for label in labels]

    def head(self, subject: str, kind: str, label: str) -> None:
        """Adds the class and the label."""
        self.facts[subject] |= {("a", kind): None, ("rdfs:label", text(label)): None}

    def add(self, subject: str, relation: str, value: str) -> None:
        """Adds a fact."""
        self.facts[subject][f"h:{relation}", value] = None

    def get(self, subject: str, relation: str) -> list[str]:
        """Gives the values of a relation."""
        return [value for name, value in self.facts[subject] if name == f"h:{relation}"]


def huts(graph: Graph) -> None:
    """Adds what is known of the huts: two belong to two clubs, four wardens look after two."""
    rng = graph.rng
    beds = rng.sample(range(14, 132, 2), 24)
    heights = rng.sample(range(1390, 3260, 7), 24)
    years = rng.sample(range(1874, 2012), 24)
    more = rng.choices(range(8), weights=[6, 4, 3, 4, 4, 3, 2, 2], k=16)
    valleys = [graph.valleys[number] for number in more] + graph.valleys
    rng.shuffle(valleys)
    wardens = graph.wardens + rng.sample(graph.wardens, 4)
    rng.shuffle(wardens)
    for number, hut in enumerate(graph.huts):
        graph.add(hut, "standsIn", valleys[number])
        graph.add(hut, "lookedAfterBy", wardens[number])
        owner = rng.choices(graph.clubs, weights=[7, 5, 4, 3, 3, 2])[0]
        graph.add(hut, "ownedByClub", owner)
        if number in (4, 15):
            graph.add(hut, "ownedByClub", next(club for club in graph.clubs if club != owner))
        graph.add(hut, "numberOfBeds", str(beds[number]))
        graph.add(hut, "elevationInMetres", str(heights[number]))
        graph.add(hut, "yearBuilt", text(years[number], "gYear"))
        graph.add(hut, "openingStatus", text(rng.choices(STATES, weights=[6, 3, 2])[0]))


def guides(graph: Graph) -> None:
    """Adds the clubs of the guides, and who trained them."""
    rng = graph.rng
    for number, guide in enumerate(graph.guides):
        for _ in range(2 if number in (2, 7, 12) else 1):
            graph.add(guide, "memberOf", rng.choice(graph.clubs))
        if number >= 4:
            graph.add(guide, "trainedBy", graph.guides[rng.randrange(0, min(number, 7))])


def routes(graph: Graph) -> None:
    """Adds what is known of the routes."""
    rng = graph.rng
    hours = rng.sample([half * 0.5 for half in range(3, 26)], 22)
    for number, route in enumerate(graph.routes):
        start, end = rng.sample(graph.huts, 2)
        if route == iri(ROUND):
            start = end = iri("Krummsee Hut")
        graph.add(route, "startsAt", start)
        graph.add(route, "endsAt", end)
        graph.add(route, "walkingTimeInHours", f"{hours[number]:.1f}")
        graph.add(route, "difficultyGrade", text(rng.choices(GRADES, weights=[3, 4, 4, 2])[0]))


def tours(graph: Graph) -> None:
    """Adds what is known of the tours, each of which stays where its route ends."""
    rng = graph.rng
    prices, days = rng.sample(range(85, 980, 15), 21), rng.sample(range(0, 135), 21)
    followed = [route for route in graph.routes if route != iri(WITHOUT_TOUR)]
    for number, (tour, route) in enumerate(zip(graph.tours, followed, strict=True)):
        graph.add(tour, "followsRoute", route)
        graph.add(tour, "ledBy", rng.choice(graph.guides[:13]))
        if number in (3, 11, 13):
            graph.add(tour, "ledBy", rng.choice(graph.guides))
        more = rng.sample(graph.huts, rng.choice([0, 1, 1, 2]))
        for hut in graph.get(route, "endsAt") + more:
            graph.add(tour, "overnightStayAt", hut)
        graph.add(tour, "pricePerPerson", str(prices[number]))
        graph.add(tour, "departureDate", text(FIRST_DAY + timedelta(days[number]), "date"))


def content() -> bytes:
    """Gives the graph as Turtle, the same on every call."""
    graph = Graph()
    for step in (huts, guides, routes, tours):
        step(graph)
    return turtle(PREFIXES, graph.facts)


if __name__ == "__main__":
    write(OUT, content)
