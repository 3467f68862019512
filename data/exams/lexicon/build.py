"""Writes lexicon.ttl, a graph of an office that makes dictionaries of languages that do not exist.

Every run gives the same file to the byte. With --check nothing is written, and the exit status says
whether the file on disk is up to date.
"""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path

from groundwalk.data.exams.writing import names, text, turtle, write

OUT = Path(__file__).with_name("lexicon.ttl")
SEED = 1755
PREFIXES = {
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "w": "https://lexicon.example/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
CLASSES = {
    "Dictionary": "dictionary",
    "Volume": "volume",
    "Edition": "edition",
    "PrintRun": "print run",
    "PrintingHouse": "printing house",
    "EntryEditor": "entry editor",
    "LanguageAdviser": "language adviser",
    "Language": "language",
    "SourceCorpus": "source corpus",
    "EditorialMeeting": "editorial meeting",
    "Proof": "proof",
}
LANGUAGES = "Norrish|Velmish|Tarric|Ostovan|Old Lunnish|Hadrish|Merovian|Kessel Creole|Sillaic"
HOUSES = {
    "Gannet Press": "Port Kessel",
    "Holm & Daughters": "Wendover",
    "Blackletter Works": "Ambry",
    "Two Bridges Printers": "Tarrow",
    "Imprimerie Vasseline": "Port Kessel",
}
EDITORS = """
Hester Quillfeather|Ambrose Tindall|Ottoline Marsh|Piers Wexcombe|Dorrit Lanyon|Ivo Sandegren
Philippa Ruddock|Casimir Bole|Ngaire Thistlewood|Lambert Osgood|Yevgenia Prast|Tobias Fennimore
Rosalind Acheampong|Henk Dorrestein|Mabli Cadwalader|Silvan Oberholt
"""
ADVISERS = {
    "Taavi Merrinen": ("Velmish", "Wendover", "31.50"),
    "Oona Brackish": ("Old Lunnish", "Ambry", "48.00"),
    "Karim Solveigh": ("Tarric", "Tarrow", "27.00"),
    "Leopoldine Hask": ("Ostovan", "Wendover", "36.25"),
    "Gideon Parramore": ("Kessel Creole", "Port Kessel", "29.75"),
    "Seraphine Dot": ("Kessel Creole", "Port Kessel", "33.00"),
    "Wystan Ellerby": ("Hadrish", "Ambry", "55.00"),
    "Magda Tulliver": ("Merovian", "", "22.50"),
    "Ruadhan Crosse": ("Old Lunnish", "Saltmere", "41.00"),
    "Bettina Valk": ("Sillaic", "", "39.00"),
}
CORPORA = {
    "Harbour Letters": ("private letters", "3.2", True, "Norrish|Kessel Creole"),
    "Wendover Gazette Archive": ("newspapers", "118.5", True, "Norrish"),
    "Tarrow Court Rolls": ("court records", "14.8", False, "Hadrish"),
    "Nursery Rhyme Collection": ("songs and rhymes", "0.9", True, "Norrish|Velmish"),
    "Fishwives' Recordings": ("spoken language", "6.4", False, "Kessel Creole"),
    "Monastery Codices": ("manuscripts", "2.1", False, "Old Lunnish"),
    "Ostovan Newswire": ("newspapers", "240.0", True, "Ostovan"),
    "Velm Radio Transcripts": ("spoken language", "37.6", True, "Velmish"),
    "Grammar School Essays": ("essays", "8.3", False, "Norrish|Tarric|Merovian"),
}
DICTIONARIES = {
    "Great Norrish Dictionary": ("Norrish", "", "scholars", 1958),
    "Pocket Norrish Dictionary": ("Norrish", "", "general readers", 1979),
    "Acorn School Dictionary": ("Norrish", "", "schoolchildren", 1986),
    "Velmish and Norrish Dictionary": ("Velmish", "Norrish", "translators", 1971),
    "Tarric Desk Dictionary": ("Tarric", "Norrish", "translators", 1990),
    "Ostovan Traveller's Dictionary": ("Ostovan", "Norrish", "travellers", 1998),
    "Lunnish Etymological Dictionary": ("Old Lunnish", "", "scholars", 1964),
    "Hadrish Law Lexicon": ("Hadrish", "Merovian", "lawyers", 1983),
    "Dictionary of Sailors' Cant": ("Kessel Creole", "", "general readers", 1994),
    "Thornbury Rhyming Dictionary": ("Norrish", "", "poets", 2003),
    "Merovian Picture Dictionary": ("Merovian", "Velmish", "schoolchildren", 2009),
    "Book of Kessel Proverbs": ("Kessel Creole", "Norrish", "general readers", 2012),
}
VOLUMES = {
    "Great Norrish Dictionary": "Great Norrish A to C|Great Norrish D to H|Great Norrish I to M"
    "|Great Norrish N to R|Great Norrish S to Z",
    "Lunnish Etymological Dictionary": "Lunnish Roots A to K|Lunnish Roots L to Z"
    "|Lunnish Name Index",
    "Velmish and Norrish Dictionary": "Velmish into Norrish|Norrish into Velmish",
    "Hadrish Law Lexicon": "Crimes and Courts|Land and Inheritance|Trade and Shipping",
    "Dictionary of Sailors' Cant": "Words of the Deck|Words of the Quay",
}
EDITIONS = {
    "Great Norrish Dictionary": ("Great Norrish", 3, 185),
    "Pocket Norrish Dictionary": ("Pocket Norrish", 3, 12),
    "Acorn School Dictionary": ("Acorn", 4, 16),
    "Velmish and Norrish Dictionary": ("Velmish and Norrish", 2, 44),
    "Tarric Desk Dictionary": ("Tarric Desk", 2, 38),
    "Ostovan Traveller's Dictionary": ("Ostovan Traveller's", 2, 14),
    "Lunnish Etymological Dictionary": ("Lunnish Etymological", 1, 120),
    "Hadrish Law Lexicon": ("Law Lexicon", 2, 96),
    "Dictionary of Sailors' Cant": ("Sailors' Cant", 1, 29),
    "Thornbury Rhyming Dictionary": ("Thornbury Rhyming", 2, 22),
}
"""Short name, number of editions and rough price; two dictionaries were never published."""
ORDINALS = ("First", "Second", "Third", "Fourth")
PROOFS = {
    "Acorn Galley": "Acorn, Fourth Edition",
    "Acorn Page Proof": "Acorn, Fourth Edition",
    "Acorn Picture Proof": "Acorn, Third Edition",
    "Great Norrish Galley": "Great Norrish, Third Edition",
    "Great Norrish Press Proof": "Great Norrish, Third Edition",
    "Pocket Galley": "Pocket Norrish, Third Edition",
    "Pocket Cover Proof": "Pocket Norrish, Third Edition",
    "Velmish Page Proof": "Velmish and Norrish, Second Edition",
    "Tarric Galley": "Tarric Desk, Second Edition",
    "Traveller's Map Proof": "Ostovan Traveller's, Second Edition",
    "Law Lexicon Galley": "Law Lexicon, Second Edition",
    "Law Lexicon Press Proof": "Law Lexicon, Second Edition",
    "Cant Glossary Proof": "Sailors' Cant, First Edition",
    "Thornbury Galley": "Thornbury Rhyming, Second Edition",
    "Thornbury Page Proof": "Thornbury Rhyming, Second Edition",
}
MEETINGS = """
Spelling Council|Slang Round Table|Large Headword Conference|Small Headword Conference
Meeting of the Hundred Verbs|Swearwords Session|Loanword Hearing|Illustration Meeting
Etymology Evening|Proverb Selection Day|Price Committee|Pronunciation Workshop|Hyphen Summit
"""
FIRST_RUN = 118
"""The first number of a print run."""


def flag(value: bool) -> str:
    """Gives a Turtle truth value."""
    return "true" if value else "false"


class Graph:
    """Holds the facts, the number of each name, and the source of chance."""

    def __init__(self) -> None:
        """Starts with the things and their labels."""
        self.rng = random.Random(SEED)
        self.facts = defaultdict[str, dict[tuple[str, str], None]](dict)
        self.known: dict[str, str] = {}
        self.number = 1000
        self.published: dict[str, date] = {}
        for name, label in CLASSES.items():
            self.facts[f"w:{name}"] = {("a", "owl:Class"): None, ("rdfs:label", text(label)): None}
        self.languages = self.make("Language", names(LANGUAGES))
        self.houses = self.make("PrintingHouse", list(HOUSES))
        self.editors = self.make("EntryEditor", names(EDITORS))
        self.advisers = self.make("LanguageAdviser", list(ADVISERS))
        self.corpora = self.make("SourceCorpus", list(CORPORA))
        self.dictionaries = self.make("Dictionary", list(DICTIONARIES))
        self.volumes = self.make("Volume", [v for row in VOLUMES.values() for v in names(row)])
        self.editions = self.make(
            "Edition",
            [
                f"{row[0]}, {ORDINALS[n]} Edition"
                for row in EDITIONS.values()
                for n in range(row[1])
            ],
        )
        self.meetings = self.make("EditorialMeeting", names(MEETINGS))
        self.proofs = self.make("Proof", list(PROOFS))
        self.runs = self.make("PrintRun", [f"Run {FIRST_RUN + number}" for number in range(18)])

    def make(self, kind: str, labels: list[str]) -> list[str]:
        """Adds the things of a class, each with the next number or one soon after it."""
        for label in labels:
            self.number += self.rng.choice([1, 1, 1, 2, 3])
            self.known[label] = f"w:i{self.number}"
            self.facts[self.known[label]] = {
                ("a", f"w:{kind}"): None,
                ("rdfs:label", text(label)): None,
            }
        return labels

    def add(self, subject: str, relation: str, value: str) -> None:
        """Adds a fact, of which the subject, and the value where it is a thing, is said by name."""
        self.facts[self.known[subject]][f"w:{relation}", self.known.get(value, value)] = None


def people(graph: Graph) -> None:
    """Adds what is known of editors, advisers and printing houses; nobody trained three editors."""
    rng = graph.rng
    start = date(1984, 3, 1)
    for number, editor in enumerate(graph.editors):
        start += timedelta(rng.randrange(200, 1300))
        graph.add(editor, "joined_office_on", text(start, "date"))
        graph.add(editor, "works_part_time", flag(rng.random() < 0.35))
        for language in rng.sample(graph.languages, rng.choice([1, 2, 2])):
            graph.add(editor, "works_on_language", language)
        if number >= 3:
            graph.add(editor, "trained_by", graph.editors[rng.randrange(0, min(number, 7))])
    for number, (adviser, (language, town, fee)) in enumerate(ADVISERS.items()):
        graph.add(adviser, "advises_on", language)
        graph.add(adviser, "fee_per_hour", fee)
        if town:
            graph.add(adviser, "lives_in_town", text(town))
        if number not in (2, 7):
            graph.add(adviser, "recommended_by", rng.choice(graph.editors[:12]))
    for house, town in HOUSES.items():
        graph.add(house, "located_in_town", text(town))


def sources(graph: Graph) -> None:
    """Adds what is known of the corpora: one was compiled by nobody in the graph."""
    for corpus, (kind, size, public, languages) in CORPORA.items():
        for language in names(languages):
            graph.add(corpus, "collected_in_language", language)
        graph.add(corpus, "consists_of", text(kind))
        graph.add(corpus, "size_in_million_words", size)
        graph.add(corpus, "open_to_public", flag(public))
        if corpus != "Monastery Codices":
            graph.add(corpus, "compiled_by", graph.rng.choice(graph.editors))


def books(graph: Graph) -> None:
    """Adds what is known of dictionaries and volumes: most draw on corpora of their language."""
    rng = graph.rng
    for name, (language, other, readers, year) in DICTIONARIES.items():
        graph.add(name, "describes_language", language)
        if other:
            graph.add(name, "translates_into", other)
        graph.add(name, "intended_for", text(readers))
        begun = date(year, rng.randrange(1, 13), rng.randrange(1, 29))
        graph.add(name, "work_began_on", text(begun, "date"))
        graph.add(name, "overseen_by", rng.choice(graph.editors[:9]))
        fitting = [corpus for corpus, row in CORPORA.items() if language in names(row[3])]
        for corpus in rng.sample(fitting, min(len(fitting), rng.choice([1, 2, 3]))):
            graph.add(name, "draws_on_corpus", corpus)
    for name, row in VOLUMES.items():
        for number, volume in enumerate(names(row), 1):
            graph.add(volume, "belongs_to_dictionary", name)
            graph.add(volume, "volume_number", str(number))
            graph.add(volume, "headword_count", str(rng.randrange(2100, 39000, 10)))
            for editor in rng.sample(graph.editors, rng.choice([1, 1, 2])):
                graph.add(volume, "edited_by", editor)


def editions(graph: Graph) -> None:
    """Adds what is known of editions; each replaces the one before, only late ones are in print."""
    rng = graph.rng
    for name, (short, count, price) in EDITIONS.items():
        day = date(max(DICTIONARIES[name][3] + 3, 1976), 1, 1)
        pages = rng.randrange(180, 1400, 4)
        for number in range(count):
            day += timedelta(rng.randrange(500, 3600))
            label = f"{short}, {ORDINALS[number]} Edition"
            graph.published[label] = day
            graph.add(label, "edition_of", name)
            graph.add(label, "edition_number", str(number + 1))
            graph.add(label, "first_published_on", text(day, "date"))
            cost = price * (0.6 + 0.25 * number) + rng.choice([0, 0.5, 0.95])
            graph.add(label, "retail_price", f"{cost:.2f}")
            graph.add(label, "page_count", str(pages + number * rng.randrange(8, 60, 2)))
            graph.add(
                label,
                "still_in_print",
                flag(number == count - 1 and name != "Tarric Desk Dictionary"),
            )
            if number:
                graph.add(label, "replaces_edition", f"{short}, {ORDINALS[number - 1]} Edition")


def production(graph: Graph) -> None:
    """Adds what is known of proofs and print runs; three and two of them are not back."""
    rng = graph.rng
    errors = rng.sample(range(0, 210), len(PROOFS))
    for number, (proof, edition) in enumerate(PROOFS.items()):
        graph.add(proof, "proof_of_edition", edition)
        graph.add(proof, "corrected_by", rng.choice(graph.editors))
        graph.add(proof, "errors_found", str(errors[number]))
        if number not in (6, 9, 12):
            day = graph.published[edition] - timedelta(rng.randrange(40, 300))
            graph.add(proof, "returned_on", text(day, "date"))
    printed = rng.sample(graph.editions, 14) + ["Acorn, Fourth Edition", "Acorn, Third Edition"]
    printed = sorted(
        printed + rng.sample(graph.editions, 2), key=lambda edition: graph.published[edition]
    )
    copies = rng.sample(range(800, 60000, 100), len(printed))
    for number, (run, edition) in enumerate(zip(graph.runs, printed, strict=True)):
        graph.add(run, "prints_edition", edition)
        graph.add(run, "carried_out_by", rng.choices(graph.houses, weights=[5, 4, 3, 2, 2])[0])
        graph.add(run, "copies_printed", str(copies[number]))
        if number < len(printed) - 2:
            day = graph.published[edition] + timedelta(rng.randrange(-25, 400))
            graph.add(run, "delivered_on", text(day, "date"))


def meetings(graph: Graph) -> None:
    """Adds what is known of meetings; three have no minutes, and one discussed no dictionary."""
    rng = graph.rng
    days = rng.sample(range(0, 700), len(graph.meetings))
    lengths = rng.sample(range(35, 260, 5), len(graph.meetings))
    for number, meeting in enumerate(graph.meetings):
        graph.add(meeting, "held_on", text(date(2023, 1, 9) + timedelta(days[number]), "date"))
        graph.add(meeting, "lasted_minutes", str(lengths[number]))
        chair, *others = rng.sample(graph.editors, rng.choice([3, 4]))
        graph.add(meeting, "chaired_by", chair)
        for person in [*others, *rng.sample(graph.advisers, rng.choice([0, 1, 1]))]:
            graph.add(meeting, "attended_by", person)
        if number not in (1, 6, 10):
            graph.add(meeting, "minutes_taken_by", rng.choice(others))
        if meeting != "Hyphen Summit":
            for name in rng.sample(graph.dictionaries, rng.choice([1, 1, 2])):
                graph.add(meeting, "discussed_dictionary", name)


def content() -> bytes:
    """Gives the graph as Turtle, the same on every call."""
    graph = Graph()
    for step in (people, sources, books, editions, production, meetings):
        step(graph)
    return turtle(PREFIXES, graph.facts)


if __name__ == "__main__":
    write(OUT, content)
