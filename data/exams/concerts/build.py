"""Writes concerts.ttl, a graph of the concert life of a region that does not exist.

The names come from tables.txt. Every run gives the same file to the byte. With --check nothing is
written, and the exit status says whether the file on disk is up to date.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from groundwalk.data.exams.writing import text, turtle, write

T = TypeVar("T")
Values = str | list[str]
OUT = Path(__file__).with_name("concerts.ttl")
SEED = 70413
RNG = random.Random(SEED)
PARTS = OUT.with_name("tables.txt").read_text(encoding="utf-8").strip().split("\n\n[")[1:]
ROWS = {part.split("]")[0]: part.split("\n")[1:] for part in PARTS}
TABLES = {name: [row.split("|") for row in rows] for name, rows in ROWS.items()}


def column(table: str) -> list[str]:
    """Gives the first cells of a table."""
    return [row[0] for row in TABLES[table]]


def upto(low: int, high: int) -> int:
    """Draws a whole number between two bounds, both within reach."""
    return low + int(RNG.random() * (high - low + 1))


def chance(share: float) -> bool:
    """Says yes in a share of the cases."""
    return RNG.random() < share


def draw(items: Sequence[T], count: int = 1) -> list[T]:
    """Draws several different items, or all where there are too few."""
    left = list(items)
    return [left.pop(upto(0, len(left) - 1)) for _ in range(min(count, len(left)))]


def day(year: int, first: int = 1, last: int = 12) -> str:
    """Draws a day of a year, as a literal."""
    return text(f"{year}-{upto(first, last):02d}-{upto(1, 28):02d}", "date")


class Graph:
    """Holds the facts, and what the drawing of later facts needs to know of each entity."""

    def __init__(self) -> None:
        """Starts with no facts."""
        self.facts = defaultdict[str, dict[tuple[str, str], None]](dict)
        self.of = defaultdict[str, list[str]](list)
        self.year, self.end = dict[str, int](), dict[str, int]()

    def add(self, subject: str, relation: str, *values: str) -> None:
        """Adds a fact for each value that is not empty."""
        self.facts[subject] |= {(relation, value): None for value in values if value}

    def head(self, subject: str, kind: str, label: str, other: str = "") -> None:
        """Adds the class and the labels, in English."""
        self.add(subject, "a", kind)
        self.add(subject, "rdfs:label", label and f'"{label}"@en')
        self.add(subject, "skos:altLabel", other and f'"{other}"@en')

    def put(self, subject: str, **values: Values) -> None:
        """Adds facts with relations of the schema."""
        for relation, value in values.items():
            self.add(subject, f"s:{relation}", *([value] if isinstance(value, str) else value))

    def get(self, subject: str, relation: str) -> str:
        """Gives the first value of a relation, a string without its quotation marks."""
        return next(v.split('"')[v[0] == '"'] for r, v in self.facts[subject] if r == relation)

    def make(self, kind: str, label: str, year: int, other: str = "", **values: Values) -> str:
        """Makes an entity of a class, with its labels and its facts."""
        name = f":{kind}_{len(self.of[kind]) + 1:03d}"
        self.of[kind].append(name)
        self.head(name, f"s:{kind}", label, other)
        self.put(name, **values)
        self.year[name] = year
        return name


def schema(graph: Graph) -> None:
    """Adds the classes and the relations."""
    for name, parent, label, other in TABLES["CLASSES"]:
        graph.head(f"s:{name}", "owl:Class", label, other)
        graph.add(f"s:{name}", "rdfs:subClassOf", parent and f"s:{parent}")
    for name, label, source, target, unit in TABLES["RELATIONS"]:
        literal = target.startswith("xsd:")
        graph.head(f"s:{name}", f"owl:{'Datatype' if literal else 'Object'}Property", label)
        graph.add(f"s:{name}", "rdfs:domain", source and f"s:{source}")
        graph.add(f"s:{name}", "rdfs:range", target if literal else f"s:{target}")
        graph.add(f"s:{name}", "qudt:unit" if ":" in unit else "schema:unitText", unit)


def institutions(graph: Graph) -> None:
    """Adds kinds of instrument, genres, music schools, halls and record labels."""
    for label, family, _, other in TABLES["KINDS"]:
        graph.make("InstrumentKind", label, 0, other, family=text(family))
    for label in column("GENRES"):
        graph.make("Genre", label, 0)
    for label, town in TABLES["SCHOOLS"]:
        year = upto(1811, 1974)
        graph.make("MusicSchool", label, year, basedIn=text(town), founded=text(year, "gYear"))
    for label, town, other in TABLES["HALLS"]:
        year, seats = upto(1768, 2003), upto(9, 119) * 10 + draw([0, 0, 5, 8])[0]
        hall = graph.make("Hall", label, year, other, city=text(town), seats=str(seats))
        graph.put(hall, openedIn=text(year, "gYear"), stepFree=str(chance(0.6)).lower())
        graph.put(hall, ceilingHeight=[f"{upto(48, 214) / 10}"] * chance(0.8))
        graph.put(hall, reverbTime=[f"{upto(9, 31) / 10}"] * chance(0.7))
    for label in column("LABELS"):
        year = upto(1951, 1988)
        graph.make("RecordLabel", label, year, founded=text(year, "gYear"))


def people(graph: Graph) -> None:
    """Adds the people, two of whom have the name of another."""
    rows = TABLES["NAMES"]
    names = draw([(n, f"{a} {b}") for n, g, f in rows for a in g.split() for b in f.split()], 999)
    plan = {"Composer": (42, 1684, 1979), "Conductor": (20, 1938, 1988)}
    plan |= {"InstrumentMaker": (18, 1641, 1968), "Musician": (150, 1944, 2001)}
    namesakes = {("Musician", 77): "Musician", ("Musician", 131): "Composer"}
    for kind, number in ((k, n) for k, row in plan.items() for n in range(row[0])):
        nation, label = names.pop()
        if twin_kind := namesakes.get((kind, number)):
            twin = graph.of[twin_kind][12]
            nation, label = graph.get(twin, "s:nationality"), graph.get(twin, "rdfs:label")
        year = upto(*plan[kind][1:])
        name = graph.make(kind, label, year, birthDate=day(year), nationality=text(nation))
        graph.end[name] = min(2021, year + upto(41, 88)) if year < 1932 else 2021
        graph.put(name, deathDate=day(graph.end[name]) if year < 1932 else "")


def professions(graph: Graph) -> None:
    """Adds which maker learnt from which, and the musicians who compose or conduct, too."""
    makers = sorted(graph.of["InstrumentMaker"], key=lambda m: graph.year[m])
    for master, maker in pairwise(makers):
        years = graph.year[maker] - graph.year[master]
        graph.put(maker, apprenticeOf=master if 14 <= years <= 50 else "")
    for kind, step in (("Composer", 23), ("Conductor", 29)):
        for name in graph.of["Musician"][step // 6 :: step]:
            graph.add(name, "a", f"s:{kind}")
            graph.of[kind].append(name)


def musicians(graph: Graph) -> None:
    """Adds what musicians play, where they live and studied, and who taught whom."""
    for name in graph.of["Musician"]:
        graph.of[name] = draw(graph.of["InstrumentKind"], 1 + chance(0.26) + chance(0.08))
        town = text(draw(column("TOWNS"))[0]) if chance(0.88) else ""
        graph.put(name, plays=graph.of[name], livesIn=town)
        graph.put(name, studiedAt=draw(graph.of["MusicSchool"], chance(0.7) + chance(0.15)))
    for name in graph.of["Musician"]:
        shared = [m for m in graph.of["Musician"] if set(graph.of[m]) & set(graph.of[name])]
        older = [m for m in shared if 17 <= graph.year[name] - graph.year[m] <= 45]
        for teacher in draw(older, chance(0.6) + chance(0.1)):
            graph.put(teacher, teacherOf=name)


def couples(graph: Graph) -> None:
    """Adds who is married to whom."""
    pairs = draw(graph.of["Musician"] + graph.of["Conductor"][:20], 60)
    for one, other in zip(pairs[::2], pairs[1::2], strict=True):
        graph.put(one, spouse=other if abs(graph.year[one] - graph.year[other]) < 16 else "")


def ensembles(graph: Graph) -> None:
    """Adds the ensembles with their players."""
    chiefs, homes = draw(graph.of["Conductor"], 20), draw(graph.of["Hall"], 24)
    for kind, small in (("Orchestra", False), ("ChamberGroup", True), ("Choir", False)):
        for label, town in TABLES[kind]:
            year = upto(1978, 2003) if small else upto(1841, 1996)
            name = graph.make(kind, label, year, founded=text(year, "gYear"), basedIn=text(town))
            local = [h for h in homes if graph.get(h, "s:city") == town][: chance(0.8)]
            homes = [h for h in homes if h not in local]
            old = [m for m in graph.of["Musician"] if graph.year[m] < year - 20]
            founders = draw(old, small * (chance(0.8) + chance(0.3)))
            graph.put(name, residentAt=local, foundedBy=founders)
            graph.put(name, principalConductor=chiefs.pop() if not small and chance(0.85) else "")
    for name in graph.of["Musician"]:
        joined = draw(graph.of["Orchestra"], chance(0.7) + chance(0.08))
        graph.put(name, memberOf=joined + draw(graph.of["ChamberGroup"], int(chance(0.35))))


def festivals(graph: Graph) -> None:
    """Adds the festivals."""
    directors = draw(graph.of["Musician"], 10)
    for label, town in TABLES["FESTIVALS"]:
        year = upto(1948, 2003)
        name = graph.make("Festival", label, year, founded=text(year, "gYear"), basedIn=text(town))
        graph.of[name] = [h for h in graph.of["Hall"] if graph.get(h, "s:city") == town]
        graph.put(name, artisticDirector=directors.pop(), mainVenue=draw(graph.of[name]))
        graph.put(name, annualBudget=[str(upto(16, 190) * 5000)] * chance(0.8))
        graph.put(name, sponsor=draw(graph.of["RecordLabel"], draw([0, 1, 1, 2])[0]))


class Titles:
    """Draws the titles of works, with numbers for those of one composer that would share one."""

    def __init__(self) -> None:
        """Draws the order in which titles and nicknames are given."""
        self.titles, self.nicknames = draw(column("TITLES"), 99), draw(column("NICKNAMES"), 99)
        self.seen = {""}

    def next(self, composer: str, genre: str, solo: str) -> tuple[str, str, str]:
        """Gives the title of a work, its other name and its key; empty where it has none."""
        named = genre in ("tone poem", "overture", "song cycle", "oratorio") and self.titles
        base = f"{solo} {genre}".strip().capitalize()
        number = next(n for n in range(1, 99) if f"{composer} {base} {n}" not in self.seen)
        self.seen.add(f"{composer} {base} {number}")
        key = draw(column("KEYS"))[0] if chance(0.2 if named else 0.8) else ""
        numbered = f"{base} No. {number}" + (f" in {key}" if key else "")
        label = self.titles.pop() if named else numbered
        has_nickname = self.nicknames and genre in ("symphony", "mass")
        return label, self.nicknames.pop() if has_nickname else "", key


def works(graph: Graph) -> None:
    """Adds the works."""
    titles = Titles()
    kinds = dict(zip(column("KINDS"), graph.of["InstrumentKind"], strict=True))
    genres = dict(zip(column("GENRES"), graph.of["Genre"], strict=True))
    for composer in [c for c in graph.of["Composer"] for _ in range(upto(1, 6))]:
        genre, group, minutes, parts = draw(TABLES["GENRES"])[0]
        solo = draw(column("KINDS"))[0] if genre in ("concerto", "sonata") else ""
        label, other, key = titles.next(composer, genre, solo)
        year = upto(graph.year[composer] + 19, graph.end[composer])
        work = graph.make("Work", label, year, other, composedBy=composer, genre=genres[genre])
        graph.of[f"for {group}"].append(work)
        graph.of[work] = [kinds[solo]] if solo else []
        graph.put(work, soloInstrument=graph.of[work], keySignature=key and text(key))
        graph.put(work, composedIn=text(year, "gYear"), movements=str(int(parts) + chance(0.3)))
        graph.put(work, duration=str(int(int(minutes) * (0.6 + 0.9 * RNG.random()))))
        known = [m for m in graph.of["Musician"] if graph.year[m] <= year - 18]
        graph.put(work, dedicatedTo=draw(known, int(chance(0.5))))
        same = [w for w in graph.of["Work"][:-1] if graph.get(w, "s:composedBy") == composer]
        graph.put(work, arrangementOf=[w for w in same if graph.year[w] < year and chance(0.1)][:1])


def crafts(graph: Graph) -> None:
    """Adds the instruments that makers built, some of them on loan to a player."""
    kinds, free = graph.of["InstrumentKind"], list(graph.of["Musician"])
    weights = {kind: float(row[2]) for kind, row in zip(kinds, TABLES["KINDS"], strict=True)}
    for label in draw([f"{a} {b}" for a in column("COATS") for b in column("BEASTS")], 80):
        maker, kind = draw(graph.of["InstrumentMaker"])[0], draw(kinds)[0]
        year = upto(graph.year[maker] + 22, min(2015, graph.end[maker]))
        loan = [m for m in free if kind in graph.of[m] and chance(0.3)][:1]
        free = [m for m in free if m not in loan]
        name = graph.make("Instrument", label, year, instrumentKind=kind, onLoanTo=loan)
        value = [str(int(10 ** (3.3 + 2.4 * RNG.random())) // 100 * 100)] * chance(0.8)
        graph.put(name, insuredValue=value, yearBuilt=text(year, "gYear"))
        graph.put(name, weight=f"{weights[kind] * (0.85 + 0.3 * RNG.random()):.2f}")
        graph.put(maker, built=name)


def recordings(graph: Graph) -> None:
    """Adds the recordings, some of which have the title of the work on them."""
    titles = draw([f"{a} {b}" for a in column("ALBUMS") for b in column("THINGS")], 99)
    for group in [g for k in ("Orchestra", "ChamberGroup", "Choir") for g in graph.of[k] * 3]:
        year = upto(max(1975, graph.year[group] + 1), 2024)
        known = [w for w in graph.of[f"for {group[1:-4]}"] if graph.year[w] < year]
        played = draw(known, draw([1, 1, 2, 3])[0])
        title = graph.get(played[0], "rdfs:label")
        minutes = upto(-2, 3) + sum(int(graph.get(work, "s:duration")) for work in played)
        label = titles.pop() if " No. " in title or chance(0.3) else title
        house = draw([h for h in graph.of["RecordLabel"] if graph.year[h] <= year])[0]
        number = text(f"{graph.get(house, 'rdfs:label')[:2].upper()} {upto(1000, 9999)}")
        name = graph.make("Recording", label, year, recordingOf=played, recordedBy=group)
        graph.put(name, recordedIn=draw(graph.of["Hall"], int(chance(0.6))), releaseDate=day(year))
        graph.put(name, catalogueNumber=number if chance(0.85) else "", playingTime=str(minutes))
        graph.put(house, released=[name] * chance(0.93))


def concerts(graph: Graph) -> None:
    """Adds the concerts, in the order of their dates within each series."""
    for number in range(220):
        year, hall = 2005 + number // 10 * 19 // 21, draw(graph.of["Hall"])[0]
        kind = draw(["Orchestra", "ChamberGroup", "ChamberGroup", "Choir"])[0]
        played = draw([w for w in graph.of[f"for {kind}"] if graph.year[w] < year], upto(2, 4))
        label = f"{column('SERIES')[number % 10]} Concert No. {number // 10 + 1}"
        summer = [f for f in graph.of["Festival"] if hall in graph.of[f] and chance(0.45)]
        date = day(year, 6, 10) if summer else day(year)
        name = graph.make("Concert", label, year, date=date, venue=hall, programme=played)
        graph.put(name, performedBy=draw(graph.of[kind], 1 + chance(0.15)))
        graph.put(name, soloist=soloists(graph, played, year))
        full, seats = chance(0.3), int(graph.get(hall, "s:seats"))
        guests = str(seats if full else int(seats * (0.3 + 0.65 * RNG.random())))
        graph.put(name, partOfFestival=summer, soldOut=str(full).lower())
        graph.put(name, attendance=guests if chance(0.85) else "")
        graph.put(name, ticketPrice=f"{upto(16, 150) / 2}" if chance(0.85) else "")


def soloists(graph: Graph, played: Sequence[str], year: int) -> list[str]:
    """Draws who plays the solos of some works in a year, and sometimes one more."""
    adults = [m for m in graph.of["Musician"] if graph.year[m] <= year - 17]
    players = [[m for m in adults if k in graph.of[m]] for w in played for k in graph.of[w]]
    return [s for p in players for s in draw(p)] + draw(adults, chance(0.2))


STEPS = (
    *(schema, institutions, people, professions, musicians, couples),
    *(ensembles, festivals, works, crafts, recordings, concerts),
)
"""Each adds a part of the graph, and draws on from where the one before ended."""


def content() -> bytes:
    """Gives the graph as Turtle, the same on every call."""
    RNG.seed(SEED)
    graph = Graph()
    for step in STEPS:
        step(graph)
    return turtle(dict(TABLES["PREFIXES"]), graph.facts)


if __name__ == "__main__":
    write(OUT, content)
