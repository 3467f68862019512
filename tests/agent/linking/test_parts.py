"""Names said in part are linked where nothing better covers the words, and asked about."""

from pathlib import Path

import pytest
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.linking import LabelLinker, is_ambiguous
from groundwalk.agent.linking.parts import name_parts
from groundwalk.agent.linking.plausible import casing_of, everyday_words
from groundwalk.agent.linking.spans import tokenise
from groundwalk.agent.linking.words import is_ordinary
from groundwalk.agent.reader.values import LabelsWithValues
from hypothesis import given
from hypothesis import strategies as st

FILMS = """
The Hobbit: An Unexpected Journey|directed by|Peter Jackson
The Hobbit: The Desolation of Smaug|directed by|Peter Jackson
The Hobbit: The Battle of the Five Armies|directed by|Peter Jackson
The Lord of the Rings: The Return of the King|directed by|Peter Jackson
The Lord of the Rings: The Two Towers|directed by|Peter Jackson
The Shining|directed by|Stanley Kubrick
Stanley Kubrick: A Life in Pictures|directed by|Jan Harlan
Barry Lyndon|directed by|Stanley Kubrick
Citizen Kane|directed by|Orson Welles
Sing Street|directed by|John Carney
Paths of Glory|directed by|Stanley Kubrick
Paths of Glory|has tags|world war tactics
Michael|directed by|Nora Ephron
Jane Smith|knows|Michael
Duel|directed by|Steven Spielberg
Jo Spielberg|knows|Michael
King's Speech Club|in|Sweden
Ministry of Prime Time|in|Sweden
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("parts")
    more = "".join(f"Film {i}|directed by|Steven Spielberg\n" for i in range(40))
    (folder / "kb.txt").write_text(FILMS.lstrip() + more, encoding="utf-8")
    return open_kg(str(folder / "kb.txt"), cache=folder / "cache")


@pytest.fixture(scope="module")
def linker(kg: KnowledgeGraph) -> LabelLinker:
    return LabelLinker(kg.labels)


def linked(linker: LabelLinker, question: str) -> list[tuple[str, str]]:
    return [(m.text, m.candidates[0].label) for m in linker.link(question)]


@pytest.mark.parametrize(
    "question",
    [
        "Which films did Kubrick direct?",
        "which films did kubrick direct",
        "Kubrick films",
        "Kubrick's films",
        "WHICH FILMS DID KUBRICK DIRECT",
        "who is [Kubrick]",
    ],
)
def test_a_surname_names_its_bearer(linker: LabelLinker, question: str) -> None:
    (mention,) = linker.link(question)
    assert mention.text.casefold() == "kubrick"
    assert mention.candidates[0].label == "Stanley Kubrick"
    assert mention.candidates[0].matched == "part"
    assert [c.label for c in mention.candidates[1:]] == ["Stanley Kubrick: A Life in Pictures"]
    assert 0 < mention.candidates[0].score < 0.75 * 0.8


@pytest.mark.parametrize(
    ("question", "text", "name"),
    [
        ("Which films did Mr Kubrick direct?", "Mr Kubrick", "Stanley Kubrick"),
        ("Which films did Mr. Kubrick direct?", "Mr. Kubrick", "Stanley Kubrick"),
        ("which films did mr. kubrick direct", "mr. kubrick", "Stanley Kubrick"),
        ("Which films did Prof. Dr. Kubrick direct?", "Prof. Dr. Kubrick", "Stanley Kubrick"),
        ("Which films did Mr Stanley Kubrick direct?", "Mr Stanley Kubrick", "Stanley Kubrick"),
        ("Welche Filme hat Herr Kubrick gedreht?", "Herr Kubrick", "Stanley Kubrick"),
        ("Which films did S. Kubrick direct?", "S. Kubrick", "Stanley Kubrick"),
        ("Which films did Mr. S. Kubrick direct?", "Mr. S. Kubrick", "Stanley Kubrick"),
        ("Which films did Ms. Ephron's friend direct?", "Ms. Ephron", "Nora Ephron"),
    ],
)
def test_titles_and_initials_belong_to_a_name(
    linker: LabelLinker, question: str, text: str, name: str
) -> None:
    assert linked(linker, question) == [(text, name)]


def test_the_initial_of_somebody_else_names_nobody(linker: LabelLinker) -> None:
    assert linked(linker, "Which films did A. Kubrick direct?") == []


def test_a_title_that_is_a_class_of_the_graph_stays_a_word(tmp_path: Path) -> None:
    (tmp_path / "ward.ttl").write_text(
        """@prefix : <https://x.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :d a :Doctor ; rdfs:label "Wystan Ellerby" . :Doctor rdfs:label "doctor" .
        :n a :Nurse ; rdfs:label "Ann Marsh" ; :worksWith :d ."""
    )
    linker = LabelLinker(open_kg(str(tmp_path / "ward.ttl"), cache=tmp_path / "cache").labels)
    assert linked(linker, "Who works with Doctor Ellerby?") == [("Ellerby", "Wystan Ellerby")]
    assert linked(linker, "Who works with Dr Ellerby?") == [("Dr Ellerby", "Wystan Ellerby")]


@pytest.mark.parametrize(
    "question", ["who directed the Hobbit films", "who made the hobbit movies"]
)
def test_homonyms_are_asked_about(linker: LabelLinker, question: str) -> None:
    (mention,) = linker.link(question)
    assert mention.text.lower() == "hobbit"
    assert len(mention.candidates) == 3
    assert is_ambiguous(mention)


def test_who_is_much_better_known_is_meant(linker: LabelLinker) -> None:
    (mention,) = linker.link("what did spielberg direct")
    assert [c.label for c in mention.candidates] == ["Steven Spielberg", "Jo Spielberg"]
    assert not is_ambiguous(mention)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who directed Hobbit Smaug", [("Hobbit Smaug", "The Hobbit: The Desolation of Smaug")]),
        (
            "who directed the return of the king",
            [("return of the king", "The Lord of the Rings: The Return of the King")],
        ),
        ("who directed the two towers", []),
        ("who directed Two Towers", []),
        ("Who directed the Lord of the Kings?", []),
        ("who directed hobbit lyndon", [("lyndon", "Barry Lyndon"), ("hobbit", "")]),
    ],
)
def test_words_of_one_mention_narrow(
    linker: LabelLinker, question: str, expected: list[tuple[str, str]]
) -> None:
    found = linked(linker, question)
    assert sorted(text for text, _ in found) == sorted(text for text, _ in expected)
    assert all(label in dict(found)[text] for text, label in expected)


@pytest.mark.parametrize(
    "question",
    [
        "who did they sing with on the street",
        "what did Michael Smith do",
        "who won the war",
        "what are good tactics",
        "who is the President of Narnia",
        "who is the King of Narnia",
        "Who was Prime Minister then?",
        "who directed it in 1999",
        "what of Hobb",
    ],
)
def test_what_is_no_name_is_not_linked_by_parts(linker: LabelLinker, question: str) -> None:
    for mention in linker.link(question):
        assert all(candidate.matched != "part" for candidate in mention.candidates)


def test_whole_names_and_names_with_typos_come_first(linker: LabelLinker) -> None:
    assert linked(linker, "who directed Michael") == [("Michael", "Michael")]
    assert linked(linker, "who is stanley kubrik") == [("stanley kubrik", "Stanley Kubrick")]
    (mention,) = linker.link("who directed barry lindon")
    assert (mention.text, mention.candidates[0].matched) == ("barry lindon", "fuzzy")


def test_marked_names_are_exact_before_they_are_parts(linker: LabelLinker) -> None:
    (mention,) = linker.link("who directed [Michael]")
    assert mention.candidates[0].matched == "label"
    (mention,) = linker.link("who directed [the king's speech]")
    assert [c.label for c in mention.candidates] == ["King's Speech Club"]
    assert linker.link("who directed [Hobbit Lyndon]") == []


def test_what_many_names_share_names_nobody(tmp_path: Path) -> None:
    lines = "".join(f"John {chr(97 + i % 26)}{i}son|knows|Ann\n" for i in range(250))
    (tmp_path / "kb.txt").write_text(lines, encoding="utf-8")
    linker = LabelLinker(open_kg(str(tmp_path / "kb.txt"), cache=tmp_path / "cache").labels)
    assert linker.link("who knows John?") == []


@given(st.text(st.sampled_from("aA bB'.,of theHI1\u6771\u4eac\u0e01"), max_size=40))
def test_parts_are_stretches_outside_of_what_is_taken(question: str) -> None:
    tokens = tokenise(question)
    everyday = everyday_words([])
    casing = casing_of(tokens, everyday)
    for part in name_parts(question, tokens, casing, everyday, ()):
        assert question[part.span.start : part.span.end].strip()
        assert part.words
        again = name_parts(question, tokens, casing, everyday, [part.span])
        for other in again:
            assert other.span.end <= part.span.start or part.span.end <= other.span.start


@pytest.mark.parametrize(
    "word", ["sing", "sings", "sang", "studies", "loved", "loving", "stopped", "war", "recently"]
)
def test_ordinary_words(word: str) -> None:
    assert is_ordinary(word)


@pytest.mark.parametrize("word", ["kubrick", "potter", "obama", "rowling", "beatles", "hobbit"])
def test_words_that_are_not_ordinary(word: str) -> None:
    assert not is_ordinary(word)


def test_words_beside_a_part_say_which_of_several_is_meant(tmp_path: Path) -> None:
    concerts = "".join(f"Noonday Concert No. {n}|held in|Mill Hall\n" for n in range(1, 23))
    more = "Halvorn Choir|rehearses in|Mill Hall\nHalvorn Philharmonic|rehearses in|Mill Hall\n"
    (tmp_path / "kb.txt").write_text(concerts + more, encoding="utf-8")
    linker = LabelLinker(open_kg(str(tmp_path / "kb.txt"), cache=tmp_path / "cache").labels)
    for question, name, meant in (
        ("ticket price of noonday concert 20", "noonday concert 20", "Noonday Concert No. 20"),
        ("where does the halvorn choir rehearse", "halvorn choir", "Halvorn Choir"),
    ):
        assert linked(linker, question) == [(name, meant)]
    (several,) = linker.link("where was the noonday concert held")
    assert is_ambiguous(several)


def test_the_whole_name_of_several_things_is_recognised(tmp_path: Path) -> None:
    labels = {"r": "Heart & Soul", "t": "Heart & Soul", "o": "Heart of Glass"}
    name = "<http://www.w3.org/2000/01/rdf-schema#label>"
    lines = [f'<urn:{key}> {name} "{label}" ; <urn:sold> 1 .' for key, label in labels.items()]
    (tmp_path / "x.ttl").write_text("\n".join(lines), encoding="utf-8")
    linker = LabelLinker(open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache").labels)
    (mention,) = linker.link("how many sold of Heart and Soul")
    assert mention.text == "Heart and Soul" and is_ambiguous(mention)
    assert {candidate.label for candidate in mention.candidates} == {"Heart & Soul"}


def test_ordinary_words_with_a_number_name_what_has_them_all(tmp_path: Path) -> None:
    concerts = "".join(f"Harbour Concert No. {n}|held in|Mill Hall\n" for n in (1, 2, 9))
    more = "Bridge 9 Club Concert|held in|Mill Hall\nBridge 9 Spring Concert|held in|Mill Hall\n"
    more += "Top Selling Books 10|held in|Mill Hall\nRooms Capacity 20|held in|Mill Hall\n"
    (tmp_path / "kb.txt").write_text(concerts + more, encoding="utf-8")
    linker = LabelLinker(open_kg(str(tmp_path / "kb.txt"), cache=tmp_path / "cache").labels)
    meant = [("harbour concert 9", "Harbour Concert No. 9")]
    assert linked(linker, "was harbour concert 9 sold out") == meant
    for question in (
        "concerts held over 9 times",
        "is harbour club 9 open",
        "bridge concert 9",
        "top selling books in 10 cities",
        "top selling 10 books",
        "is the concert harbour 9 full",
    ):
        assert linked(linker, question) == []


PRODUCTS = """
@prefix : <https://x.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:drill a :Product ; rdfs:label "Cordless drill T20-V" ; :price 99 .
:grinder a :Product ; rdfs:label "Angle grinder AX-4410" ; :price 120 .
:saw a :Product ; rdfs:label "Circular saw CS 190" ; :price 150 .
:city a :Product ; rdfs:label "City map of the walks through old towns" ; :price 5 .
"""


@pytest.fixture(scope="module")
def products(tmp_path_factory: pytest.TempPathFactory) -> LabelLinker:
    folder = tmp_path_factory.mktemp("products")
    (folder / "x.ttl").write_text(PRODUCTS, encoding="utf-8")
    return LabelLinker(open_kg(str(folder / "x.ttl"), cache=folder / "cache").labels)


@pytest.mark.parametrize(
    ("question", "text", "name"),
    [
        ("What is the price of the angle grinder?", "angle grinder", "Angle grinder AX-4410"),
        ("how much is the cordless drill", "cordless drill", "Cordless drill T20-V"),
        ("price of drill T20-V", "drill T20-V", "Cordless drill T20-V"),
        ("price of T20-V", "T20-V", "Cordless drill T20-V"),
        ("What does the AX-4410 cost?", "AX-4410", "Angle grinder AX-4410"),
        ("what does the ax 4410 cost", "ax 4410", "Angle grinder AX-4410"),
        ("price of the CS 190", "CS 190", "Circular saw CS 190"),
        ("price of t20", "t20", "Cordless drill T20-V"),
    ],
)
def test_codes_and_two_words_name_what_has_them(
    products: LabelLinker, question: str, text: str, name: str
) -> None:
    assert linked(products, question) == [(text, name)]


@pytest.mark.parametrize(
    "question",
    [
        "products under 190 euros",
        "what is longer than 20v",
        "which old towns are there",
        "what sells for 4410",
        "T30-V",
    ],
)
def test_numbers_measures_and_few_words_of_a_name_name_nothing(
    products: LabelLinker, question: str
) -> None:
    assert linked(products, question) == []


PERSONS = """@prefix : <https://x.example/> . @prefix schema: <http://schema.org/> .
:a a schema:Person ; schema:name "Dr. Anna-Lena Müller-Schmidt" ; schema:honorificPrefix "Dr." ;
    schema:familyName "Müller-Schmidt" ; schema:givenName "Anna-Lena" .
:c a schema:Person ; schema:name "Mary Ann Whitaker" ; schema:familyName "Whitaker" ;
    schema:givenName "Mary Ann" .
"""


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the email of Dr. Müller-Schmidt?", "Müller-Schmidt"),
        ("What is the email of Dr. Anna-Lena?", "Anna-Lena"),
        ("who has the title Dr.", "Dr."),
    ],
)
def test_a_title_that_is_a_value_opens_a_name(tmp_path: Path, question: str, name: str) -> None:
    (tmp_path / "x.ttl").write_text(PERSONS, encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    mentions = LabelLinker(LabelsWithValues(kg)).link(question)
    assert [mention.candidates[0].label for mention in mentions] == [name]


BEARERS = """
@prefix : <https://x.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:n a :Person ; rdfs:label "Admiral Lord Nelson" . :w a :Person ; rdfs:label "Willie Nelson" .
:d a :Person ; rdfs:label "Beverly D'Angelo" ; :born 1951 . :k a :Person ; rdfs:label "Ann Kern" .
:o a :Town ; rdfs:label "Oslo" . :t a :Train ; rdfs:label "Night Mail" ; :stops :o .
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When was Lord Nelson born?", [("Lord Nelson", "Admiral Lord Nelson")]),
        ("Where was D'Angelo born?", [("D'Angelo", "Beverly D'Angelo")]),
        ("Which trains miss Oslo?", [("Oslo", "Oslo")]),
        ("which trains miss oslo", [("oslo", "Oslo")]),
        ("Is she a professor? Ann Kern lives in which city?", [("Ann Kern", "Ann Kern")]),
        ("Is there A Kern film?", [("A Kern", "Ann Kern")]),
    ],
)
def test_titles_and_initials_that_are_none(
    tmp_path: Path, question: str, expected: list[tuple[str, str]]
) -> None:
    (tmp_path / "x.ttl").write_text(BEARERS, encoding="utf-8")
    linker = LabelLinker(open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache").labels)
    assert linked(linker, question) == expected


MAILBOXES = """
@prefix : <https://x.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:p a :Person ; rdfs:label "Priya Nair" ; :mbox "p.nair@nordwind.example" ; :code "nair2" .
:j a :Person ; rdfs:label "Jonas Weber" ; :mbox <mailto:j.weber@x.org> .
"""


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("priya.nair@nordwind.example", []),
        ("Priya.Nair@nordwind.example", []),
        ("nair2+b@nordwind.example", []),
        ("n.nair@nordwind.example", []),
        ("p.nair@nordwind.example", ["p.nair@nordwind.example"]),
        ("j.weber@x.org", ["j.weber@x.org"]),
    ],
)
def test_an_address_is_one_value_or_unknown(tmp_path: Path, address: str, named: list[str]) -> None:
    (tmp_path / "x.ttl").write_text(MAILBOXES, encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    linker = LabelLinker(LabelsWithValues(kg))
    for question in (f"Who has the mbox {address}?", f"who has {address}", f"Is {address} used?"):
        assert [text for text, _ in linked(linker, question)] == named


DOCTORS = """
@prefix : <https://x.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:o a :Employee ; rdfs:label "Prof. Dr. Ada Okoye" ; :salary 100 .
:r a :Employee ; rdfs:label "Dr. Rita Rinaldi" ; :salary 120 .
"""


@pytest.mark.parametrize("second", ["Dr. Rinaldi", "Prof. Rinaldi", "Dr Rinaldi", "Ms. Rinaldi"])
def test_a_title_opens_the_name_after_it(tmp_path: Path, second: str) -> None:
    (tmp_path / "x.ttl").write_text(DOCTORS, encoding="utf-8")
    linker = LabelLinker(open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache").labels)
    expected = [("Dr. Okoye", "Prof. Dr. Ada Okoye"), (second, "Dr. Rita Rinaldi")]
    assert linked(linker, f"Who earns more, Dr. Okoye or {second}?") == expected


DRUGS = """
@prefix : <https://x.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:atcCode rdfs:label "ATC code" . :in rdfs:label "manufactured in" .
:i a :Drug ; rdfs:label "Ibuprofen" ; :atcCode "M01" ; :in :r . :r rdfs:label "Romania" .
:p a :Drug ; rdfs:label "Paracetamol" ; :atcCode "N02" . :m rdfs:label "Manufacturer" .
:k a :Drug ; rdfs:label "Carbamazine" . :l a :Drug ; rdfs:label "Carbamazone" ; :in :m .
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the ATC code of ibuprofin?", [("ibuprofin", "Ibuprofen")]),
        ("What is the ATC code of ibuprofins?", []),
        ("What is the ATC code of ibuprofin or paracetamal?", []),
        ("Is Paracetamol stronger than ibuprofin?", [("Paracetamol", "Paracetamol")]),
        ("What is the ATC code of carbamazene?", []),
        ("What is the ATC code of something manufactured?", []),
        ("What is the ATC code of romanian drugs?", []),
        ("What is the ATC code of unterstanding?", []),
    ],
)
def test_a_long_word_in_lower_case_may_be_the_one_name(
    tmp_path: Path, question: str, expected: list[tuple[str, str]]
) -> None:
    (tmp_path / "x.ttl").write_text(DRUGS, encoding="utf-8")
    linker = LabelLinker(open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache").labels)
    assert linked(linker, question) == expected


CUSTOMERS = """
@prefix : <https://x.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:h a :Customer ; rdfs:label "Helios Energy GmbH" ; :industry "Energy" .
:b a :Customer ; rdfs:label "Bergen Shipping AS" ; :city "Bergen" ; :industry "Logistics" .
:n a :Customer ; rdfs:label "The Nordic Bank of Bergen ASA" ; :partner :o .
:o a :Office ; rdfs:label "Oslo Energy Office" .
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the industry of Helios Energy?", [("Helios Energy", "Helios Energy GmbH")]),
        ("what is the industry of helios energy", [("helios energy", "Helios Energy GmbH")]),
        ("What is Helios Energy's industry?", [("Helios Energy", "Helios Energy GmbH")]),
        ("Who partners with Bergen Shipping?", [("Bergen Shipping", "Bergen Shipping AS")]),
        (
            "Is Nordic Bank of Bergen old?",
            [("Nordic Bank of Bergen", "The Nordic Bank of Bergen ASA")],
        ),
        ("Which customers are in Energy?", [("Energy", "Energy")]),
        ("Which customers are in Solar Energy?", [("Energy", "Energy")]),
        ("Which Bergen Customer ships most?", [("Bergen", "Bergen")]),
    ],
)
def test_the_beginning_of_a_name_is_more_than_a_value_in_it(
    tmp_path: Path, question: str, expected: list[tuple[str, str]]
) -> None:
    (tmp_path / "x.ttl").write_text(CUSTOMERS, encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    assert linked(LabelLinker(LabelsWithValues(kg)), question) == expected


STAFF = """
@prefix : <https://x.example/> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
:j a :Employee ; foaf:name "Jonas Weber" ; foaf:familyName "Weber" ;
    foaf:mbox <mailto:j.weber@x.org> .
:l a :Employee ; foaf:name "Lena Weber" ; foaf:familyName "Weber" ;
    foaf:mbox <mailto:l.weber@x.org> .
:m a :Employee ; foaf:name "Mia Holm" ; foaf:familyName "Holm" ; :code "H. Weber" .
"""


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("J. Weber", ["Jonas Weber"]),
        ("j. weber", ["Jonas Weber"]),
        ("Ms. L. Weber", ["Lena Weber"]),
        ("A. Weber", []),
        ("L Weber", ["Lena Weber"]),
        ("M Weber", []),
        ("M Holm", ["Mia Holm"]),
        ("H. Weber", ["H. Weber"]),
        ("Dr. Weber", ["Jonas Weber", "Lena Weber"]),
        ("dr. weber", ["Jonas Weber", "Lena Weber"]),
        ("Dr. Holm", ["Holm"]),
        ("Weber", ["Weber"]),
    ],
)
def test_titles_and_initials_before_a_name_that_is_a_value(
    tmp_path: Path, name: str, meant: list[str]
) -> None:
    (tmp_path / "x.ttl").write_text(STAFF, encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    mentions = LabelLinker(LabelsWithValues(kg)).link(f"What is the code of {name}?")
    assert [mention.text for mention in mentions] == [name] * bool(meant)
    candidates = [candidate.label for mention in mentions for candidate in mention.candidates]
    assert sorted(candidates) == meant
    assert all(is_ambiguous(mention) == (len(meant) > 1) for mention in mentions)


GIVEN = """
@prefix : <https://x.example/> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
:max a :Person ; foaf:givenName "Max" ; foaf:familyName "Weber" .
:mia a :Person ; foaf:givenName "Mia" ; foaf:familyName "Weber" .
:jan a :Person ; foaf:givenName "Jan Piet" ; foaf:familyName "Weber" .
:ann a :Person ; foaf:name "Max Karl Holm" ; foaf:familyName "Holm" .
"""


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Max M. Weber", ["Max Weber"]),
        ("Max M Weber", ["Max Weber"]),
        ("Max K. Holm", ["Max Karl Holm"]),
        ("M Weber", ["Max Weber", "Mia Weber"]),
        ("J Weber", ["Jan Piet Weber"]),
    ],
)
def test_initials_between_or_before_values_that_are_names(
    tmp_path: Path, name: str, meant: list[str]
) -> None:
    (tmp_path / "x.ttl").write_text(GIVEN, encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    (mention,) = LabelLinker(LabelsWithValues(kg)).link(f"Where was {name} born?")
    assert mention.text == name
    assert sorted(candidate.label for candidate in mention.candidates) == meant


HERBS = """
@prefix : <https://x.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:basil a :Herb ; rdfs:label "Basil" ; :sowing_month "May" . :june :sowing_month "June" .
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which orders were placed in May 2024?", []),
        ("Which orders were placed on 3 May?", []),
        ("Which orders were placed on May 3, 2024?", []),
        ("Which herbs are sown in May?", [("May", "May")]),
        ("Which herbs are sown in May or June?", [("May", "May"), ("June", "June")]),
    ],
)
def test_a_month_beside_a_number_is_no_value(
    tmp_path: Path, question: str, expected: list[tuple[str, str]]
) -> None:
    (tmp_path / "x.ttl").write_text(HERBS, encoding="utf-8")
    kg = open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache")
    assert linked(LabelLinker(LabelsWithValues(kg)), question) == expected
