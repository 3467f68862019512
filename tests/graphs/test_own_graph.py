"""A graph of somebody's own, which only the general reader knows: choices, brackets, follow-ups."""

from pathlib import Path
from typing import Any

import pytest
from groundwalk import Options, build_graph, open_kg
from groundwalk.agent.linking.plausible import everyday_words
from groundwalk.agent.nodes import read
from groundwalk.agent.query.account import LEFT_OUT
from groundwalk.agent.records import SILENT
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

COMPANY = """
@prefix : <https://corp.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:anna1 a :Employee ; rdfs:label "Anna Berg" ; :works_in :engineering ; :salary 70000 ;
    :reports_to :eva ; :hired_on "2019-03-01"^^xsd:date .
:anna2 a :Employee ; rdfs:label "Anna Berg" ; :works_in :finance ; :salary 61000 ;
    :reports_to :filip ; :hired_on "2021-09-15"^^xsd:date .
:eva a :Employee ; rdfs:label "Eva Novak" ; :works_in :engineering ; :salary 105000 .
:filip a :Employee ; rdfs:label "Filip Horn" ; :works_in :finance ; :salary 98000 .
:jon a :Employee ; rdfs:label "Jon Lind" ; :works_in :engineering ; :salary 66000 ;
    :reports_to :eva .
:engineering a :Department ; rdfs:label "Engineering" ; :located_in :oslo ; :head :eva .
:finance a :Department ; rdfs:label "Finance" ; :located_in :bergen ; :head :filip .
:atlas_p a :Project ; rdfs:label "Atlas" ; :led_by :anna1 ; :customer :nordbank .
:atlas_s a :Product ; rdfs:label "Atlas" ; :price 1200 ; :used_by :nordbank .
:nordbank a :Customer ; rdfs:label "Nordbank" ; :based_in :oslo .
:oslo a :City ; rdfs:label "Oslo" . :bergen a :City ; rdfs:label "Bergen" .
"""
SALARY = "What is the salary of {}?"


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path: Path = tmp_path_factory.mktemp("company") / "company.ttl"
    path.write_text(COMPANY, encoding="utf-8")
    return build_graph(kg=open_kg(str(path)), checkpointer=InMemorySaver()).with_state()


def thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


@pytest.mark.parametrize(
    ("marked", "what_to_do"),
    [
        ("[<https://corp.example/nobody>]", "check the term, or give a name in its place"),
        ("[Zacharias Quist]", "check how it is spelled, or leave the brackets out"),
    ],
)
def test_what_is_marked_and_not_there_is_told(company: Any, marked: str, what_to_do: str) -> None:
    state = company.invoke({"question": SALARY.format(marked)}, thread(marked))
    assert (state["status"], state["answers"]) == ("abstained", [])
    assert state["messages"][-1].text == "What is asked about is not in the graph."
    assert state["notes"] == [f"nothing in the graph is called {marked.strip('[]')}: {what_to_do}"]


@pytest.mark.parametrize(
    "question",
    [
        "What is the salary of [<https://corp.example/eva>] [<https://corp.example/eva>]?",
        "Which [employees] are there?",
        'What is the salary of ["Eva Novak"]?',
        "What is the salary of [ ]?",
        "Who is the head of the <https://corp.example/Department> [Finance]?",
    ],
)
def test_what_is_marked_and_there_is_read(company: Any, question: str) -> None:
    state = company.invoke({"question": question}, thread(question))
    assert not any("nothing in the graph is called" in note for note in state["notes"])


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("How many projects are there in Narnia?", "Narnia"),
        ("How many projects are there in August?", ""),
        ("Who was hired on Sunday?", ""),
        ("What is the salary of Eva Novak in EUR?", ""),
    ],
)
def test_only_what_may_be_a_name_is_missing(company: Any, question: str, missing: str) -> None:
    state = company.invoke({"question": question}, thread(question))
    notes = [note for note in state["notes"] if "nothing in the graph is called" in note]
    hint = f"nothing in the graph is called {missing}: check how it is spelled"
    assert notes == ([hint] if missing else [])
    assert state["answers"] == []


@pytest.mark.parametrize(
    ("address", "is_missing"),
    [("nobody.weber@acme.org", True), ("m.weber@acme.org", False), ("j.weber@acme.org", False)],
)
def test_an_address_that_is_not_there_is_told_whole(
    tmp_path: Path, address: str, is_missing: bool
) -> None:
    text = """@prefix : <https://corp.example/> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
    :m a :Person ; foaf:name "Mia Weber" ; foaf:mbox "m.weber@acme.org" ; :town "Bern" .
    :j a :Person ; foaf:name "Jan Weber" ; foaf:mbox <mailto:j.weber@acme.org> ; :town "Graz" ."""
    (tmp_path / "x.ttl").write_text(text, encoding="utf-8")
    with open_kg(str(tmp_path / "x.ttl"), cache=tmp_path / "cache") as kg:
        state = build_graph(kg=kg, checkpointer=False).invoke({"question": f"Who has {address}?"})
    hint = f"nothing in the graph is called {address}: check how it is spelled"
    assert (state["notes"] == [hint]) == is_missing


def test_the_words_of_a_graph_are_collected_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected = list[int]()

    def counted(vocabulary: Any) -> frozenset[str]:
        collected.append(1)
        return everyday_words(vocabulary)

    monkeypatch.setattr(read, "everyday_words", counted)
    (tmp_path / "company.ttl").write_text(COMPANY, encoding="utf-8")
    with open_kg(str(tmp_path / "company.ttl"), cache=tmp_path / "cache") as kg:
        graph = build_graph(kg=kg, checkpointer=False)
        for place in ("Narnia", "Mordor"):
            graph.invoke({"question": f"How many projects are there in {place}?"})
    assert len(collected) == 1


def test_a_name_beside_one_that_is_not_there_is_not_answered_alone(company: Any) -> None:
    question = SALARY.format("[<https://corp.example/eva>] and [Zacharias Quist]")
    state = company.invoke({"question": question}, thread("beside"))
    assert state["status"] == "abstained"
    assert state["notes"][-1].startswith("nothing in the graph is called Zacharias Quist:")


def test_brackets_are_as_sure_as_a_choice(company: Any) -> None:
    """Of every form in which a candidate is printed, and of the name alone where it is one."""
    asked = company.invoke({"question": SALARY.format("Anna Berg")}, thread("ask"))
    (waiting,) = asked["__interrupt__"]
    for number, option in enumerate(waiting.value["options"], 1):
        here = thread(f"ask {number}")
        company.invoke({"question": SALARY.format("Anna Berg")}, here)
        chosen = company.invoke(Command(resume=number), here)
        assert chosen["status"] == "answered"
        salary = {
            "<https://corp.example/anna1>": "70,000",
            "<https://corp.example/anna2>": "61,000",
        }
        assert chosen["answers"][0]["label"] == salary[option["term"]]
        described = f"Anna Berg ({option['description']})"
        for form in (option["term"], described) if number == 1 else (option["term"][1:-1],):
            state = company.invoke({"question": SALARY.format(f"[{form}]")}, thread(form))
            assert state["answers"] == chosen["answers"], form
            assert state["confidence"] == chosen["confidence"]
            here = thread(f"reply {form}")
            company.invoke({"question": SALARY.format("Anna Berg")}, here)
            assert company.invoke(Command(resume=form), here)["answers"] == chosen["answers"]
    plain, marked = (
        company.invoke({"question": SALARY.format(name)}, thread(name))
        for name in ("Jon Lind", "[Jon Lind]")
    )
    assert plain["confidence"] == marked["confidence"]
    assert plain["status"] == marked["status"] == "answered"


HOLLAND = """
@prefix : <https://places.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:nl a :Country ; rdfs:label "Netherlands" ; skos:altLabel "Holland" ; :capital :amsterdam .
:mi a :City ; rdfs:label "Holland (Michigan)" ; skos:altLabel "Holland" ; :capital :lansing .
:amsterdam a :City ; rdfs:label "Amsterdam" . :lansing a :City ; rdfs:label "Lansing" .
"""


@pytest.mark.parametrize("reply", ["Holland", "holland!"])
def test_an_alias_that_several_have_is_no_choice(tmp_path: Path, reply: str) -> None:
    """Though the label of one of them is that name with something in brackets."""
    (tmp_path / "holland.ttl").write_text(HOLLAND, encoding="utf-8")
    graph: Any = build_graph(kg=tmp_path / "holland.ttl", checkpointer=InMemorySaver())
    asked = "What is the capital of Holland?"
    graph.invoke({"question": asked}, thread("1"))
    (again,) = graph.invoke(Command(resume=reply), thread("1"))["__interrupt__"]
    assert again.value["ask"] == "Which Holland do you mean?" and again.value["hint"]
    graph.invoke(Command(resume="Netherlands"), thread("1"))
    for line in (asked, reply):
        told = Options(on_ambiguous="error")
        state = graph.invoke({"question": line}, thread("2"), context=told)
        assert (state["status"], len(state["mentions"][0]["candidates"])) == ("ambiguous", 2)
    state = graph.invoke({"question": "Netherlands"}, thread("2"), context=told)
    assert state["mentions"][0]["candidates"][0]["label"] == "Netherlands"
    assert not state["mentions"][0]["ambiguous"]


def test_a_count_of_the_answers_is_known(company: Any) -> None:
    """And what they are is not forgotten by it."""
    here = thread("count")
    company.invoke({"question": "Who works in Engineering?"}, here)
    counted = company.invoke({"question": "how many are there?"}, here)
    assert counted["status"] == "answered" and counted["result"]["value"] == 3
    them = company.invoke({"question": "what is their salary?"}, here)
    assert {answer["label"] for answer in them["answers"]} == {"70,000", "105,000", "66,000"}


@pytest.mark.parametrize("what", ["rivers", "unicorns"])
def test_a_count_of_other_things_is_not_one_of_the_answers(company: Any, what: str) -> None:
    here = thread(what)
    company.invoke({"question": "Who works in Engineering?"}, here)
    state = company.invoke({"question": f"how many {what} are there?"}, here)
    assert state["status"] != "answered", state["result"]


CHARTS = """
@prefix : <https://charts.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:c1 a :ChartEntry ; rdfs:label "VG-lista 1" ; :position 1 ; :country "NO" .
:c2 a :ChartEntry ; rdfs:label "Top 100 3" ; :position 3 ; :country "DE" .
:c3 a :ChartEntry ; rdfs:label "Top 100 9" ; :position 9 ; :country "DE" .
"""


@pytest.mark.parametrize("name", ["Norway", "SE"])
def test_a_value_that_no_thing_has_is_not_passed_over(name: str, tmp_path: Path) -> None:
    path = tmp_path / "charts.ttl"
    path.write_text(CHARTS, encoding="utf-8")
    asked = f"Which chart entries have the country {name}?"
    state: Any = build_graph(kg=open_kg(str(path))).with_state().invoke({"question": asked})
    assert (state["status"], state["answers"]) == ("abstained", [])
    assert any(f"nothing in the graph is called {name}" in note for note in state["notes"])


PUMPS = """
@prefix : <https://pumps.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a a :Product ; rdfs:label "Alpha" ; :listPrice "about 99" ; :places 3 .
:b a :Product ; rdfs:label "Beta" ; :listPrice "some 1200" ; :places 9 .
:c a :Product ; rdfs:label "Gamma" ; :listPrice "say 450" ; :places 5 .
"""


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which products have a list price over 400?", None),
        ("Which 2 products have the most places?", ["Beta", "Gamma"]),
    ],
)
def test_a_number_is_not_named_in_vain(
    question: str, answers: list[str] | None, tmp_path: Path
) -> None:
    path = tmp_path / "pumps.ttl"
    path.write_text(PUMPS, encoding="utf-8")
    state: Any = build_graph(kg=open_kg(str(path))).with_state().invoke({"question": question})
    if answers is None:
        assert state["status"] in SILENT
        assert state["answers"] == []
    else:
        words = {word["text"]: word["used_by"] for word in state["account"]}
        assert words["2"] not in LEFT_OUT
        assert [answer["label"] for answer in state["answers"]] == answers


DISKS = """
@prefix : <https://disks.example/> .
:Oak a :Disk ; :capacity "16 GB" . :Elm a :Disk ; :capacity "1 TB" .
:Ash a :Disk ; :capacity "4 GB" .
"""


def test_a_unit_in_capitals_is_no_name_that_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "disks.ttl"
    path.write_text(DISKS, encoding="utf-8")
    with open_kg(str(path)) as kg:
        graph = build_graph(kg=kg, checkpointer=False)
        state = graph.invoke(
            {"question": "Which disks have a capacity over 8 GB?"},
            context=Options(confidence=0.0),
        )
    assert {answer["label"] for answer in state["answers"]} == {"Oak", "Elm"}


CARDS = """
@prefix : <https://cards.example/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Cologne a :City ; :population 1084000 . :Ibuprofen a :Drug ; :molarMass 206 ; :halfLife 2 ;
  :meltingPoint 76 ; :maximumDose 3 .
:Ann a :Employee ; :phone "123" ; :email "a@b" ; :birthDate "1980-02-03"^^xsd:date ;
  :annualSalary 70000 .
"""


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path: Path = tmp_path_factory.mktemp("cards") / "cards.ttl"
    path.write_text(CARDS, encoding="utf-8")
    return build_graph(kg=open_kg(str(path)), checkpointer=False).with_state()


@pytest.mark.parametrize(
    ("question", "left_out"),
    [
        ("What is the population density of Cologne?", "density"),
        ("What is the molar volume of Ibuprofen?", "volume"),
        ("What is the shelf life of Ibuprofen?", "shelf"),
        ("What is the death date of Ann?", "death"),
        ("What is the date of death of Ann?", "death"),
        ("When did Ann die?", "die"),
        ("What is the boiling point of Ibuprofen?", "boiling"),
        ("What is the minimum dose of Ibuprofen?", "minimum"),
        ("What is the monthly salary of Ann?", "monthly"),
        ("What is the yearly salary of Ann?", ""),
        ("What is the melting point of Ibuprofen?", ""),
        ("What is the population of Cologne?", ""),
        ("What is the half life of Ibuprofen?", ""),
        ("What is the phone number of Ann?", ""),
        ("What is the email address of Ann?", ""),
        ("When is the birthday of Ann?", ""),
    ],
)
def test_a_word_that_makes_another_relation_of_a_label_is_left_out(
    cards: Any, question: str, left_out: str
) -> None:
    state = cards.invoke({"question": question})
    words = [word["text"] for word in state["account"] if word["used_by"] in LEFT_OUT]
    assert words == [left_out] * bool(left_out)
    assert (state["status"] in SILENT) == bool(left_out)


TOOLS = """
@prefix : <https://tools.example/> .
:Drill a :Product ; :color "blue" ; :status "active" ; :discontinued true ; :website "w" .
:Saw a :Product ; :color "red" ; :status "draft" ; :discontinued false .
:Axe a :Product ; :status "draft" ; :discontinued false .
"""


@pytest.mark.parametrize(
    ("question", "left_out", "answers"),
    [
        ("Which products have the color purple?", "purple", set[str]()),
        ("Which products have the status actve?", "actve", set[str]()),
        ("Which products have the color red?", "", {"Saw"}),
        ("Which products have a color?", "", {"Drill", "Saw"}),
        ("Which products have no color?", "", {"Axe"}),
        ("Which products have a website?", "", {"Drill"}),
        ("How many purple products are there?", "purple", set[str]()),
        ("How many products are there?", "", {"Drill", "Saw", "Axe"}),
    ],
)
def test_a_value_that_the_graph_lacks_is_left_out(
    question: str, left_out: str, answers: set[str], tmp_path: Path
) -> None:
    path = tmp_path / "tools.ttl"
    path.write_text(TOOLS, encoding="utf-8")
    with open_kg(str(path)) as kg:
        graph: Any = build_graph(kg=kg, checkpointer=False).with_state()
        state = graph.invoke({"question": question})
    words = [word["text"] for word in state["account"] if word["used_by"] in LEFT_OUT]
    assert words == [left_out] * bool(left_out)
    assert {answer["label"] for answer in state["answers"]} == answers


@pytest.mark.parametrize(
    "unsure", ["which of them are popular?", "which of them are gigantic?", "where was it born?"]
)
def test_what_was_talked_about_stays_after_a_question_without_an_answer(
    unsure: str, tmp_path: Path
) -> None:
    path = tmp_path / "tools.ttl"
    path.write_text(TOOLS, encoding="utf-8")
    with open_kg(str(path)) as kg:
        graph: Any = build_graph(kg=kg, checkpointer=InMemorySaver()).with_state()
        asked = ("Which products have a color?", unsure, "how many of them?")
        *_, state = [graph.invoke({"question": text}, thread("tools")) for text in asked]
    assert state["status"] == "answered"
    assert {answer["label"] for answer in state["answers"]} == {"Drill", "Saw"}


TEMPLES = """
@prefix : <https://temples.example/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Parthenon a :Temple ; :inception "-0447-07-28"^^xsd:date .
:Luxor a :Temple ; :inception "-1400"^^xsd:gYear .
:Eltz a :Temple ; :inception "0950-05-01"^^xsd:date .
:Speyer a :Temple ; :inception "1030-05-14"^^xsd:date .
"""


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which temples have an inception before 1000 BC?", {"Luxor"}),
        ("Which temples have an inception in the 5th century BC?", {"Parthenon"}),
        ("Which temples have an inception after AD 120?", {"Eltz", "Speyer"}),
        ("Which temples have an inception before 990?", {"Luxor", "Parthenon", "Eltz"}),
        ("Which temples have an inception in May?", {"Eltz", "Speyer"}),
    ],
)
def test_early_years_and_months_of_any_year_are_read(
    question: str, names: set[str], tmp_path: Path
) -> None:
    path = tmp_path / "temples.ttl"
    path.write_text(TEMPLES, encoding="utf-8")
    with open_kg(str(path)) as kg:
        graph = build_graph(kg=kg, checkpointer=False)
        state = graph.invoke({"question": question}, context=Options(confidence=0.5))
    assert {answer["label"] for answer in state["answers"]} == names


ANIMALS = """
@prefix : <https://zoo.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:r a :Animal ; rdfs:label "R-03" ; :weight_kg 0.345 ; :dose "5 g" ; :halfLife_h 3 .
:s a :Animal ; rdfs:label "R-01" ; :weight_kg 0.312 ; :dose "400 mg" ; :halfLife_h 30 .
"""


@pytest.mark.parametrize(
    ("question", "text", "notes"),
    [
        ("How many grams does R-03 weigh?", "0.345 kg", ["0.345 kg are 345 grams"]),
        ("What is the half-life of R-03?", "3 h", []),
        ("Which animals have a dose above 1 g?", "R-03", ["dose was converted from mg to g"]),
    ],
)
def test_units_of_a_question_and_of_its_answer(
    question: str, text: str, notes: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "zoo.ttl"
    path.write_text(ANIMALS, encoding="utf-8")
    with open_kg(str(path)) as kg:
        state = build_graph(kg=kg, checkpointer=False).invoke({"question": question})
    assert (state["messages"][-1].text, state["notes"]) == (text, notes)


STAFF = """
@prefix : <https://corp.example/> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
:j a :Employee ; foaf:name "Jonas Weber" ; foaf:givenName "Jonas" ; foaf:familyName "Weber" .
:l a :Employee ; foaf:name "Lena Weber" ; foaf:givenName "Lena" ; foaf:familyName "Weber" .
:m a :Employee ; foaf:name "Mia Holm" ; foaf:givenName "Mia" ; foaf:familyName "Holm" ;
    :city "Oslo" .
"""


@pytest.mark.parametrize(
    ("question", "called"),
    [
        ("Holm", ["Mia Holm"]),
        ("mia", ["Mia Holm"]),
        ("Tell me about Holm", ["Mia Holm"]),
        ("Weber", ["Jonas Weber", "Lena Weber"]),
        ("Oslo", []),
    ],
)
def test_a_family_name_alone_shows_who_has_it(
    tmp_path: Path, question: str, called: list[str]
) -> None:
    (tmp_path / "staff.ttl").write_text(STAFF, encoding="utf-8")
    with open_kg(str(tmp_path / "staff.ttl"), cache=tmp_path / "cache") as kg:
        graph: Any = build_graph(kg=kg, checkpointer=InMemorySaver()).with_state()
        state = graph.invoke({"question": question}, thread(question))
    operation: Any = state["operation"] or {"kind": "", "mentions": []}
    assert (operation["kind"] == "card") == bool(called)
    candidates = [one["label"] for named in operation["mentions"] for one in named["candidates"]]
    assert sorted(candidates) == called
    assert ("__interrupt__" in state) == (len(called) > 1)


DEALS = """
@prefix : <https://deals.example/> .
:Oak a :Deal ; :status "open" ; :buyer :Acme . :Elm a :Deal ; :status "lost" ; :buyer :Bell .
:Acme a :Firm . :Bell a :Firm .
"""


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("What is the status of Oak and Elm?", {"open", "lost"}),
        ("What status do both Oak and Elm have?", set[str]()),
        ("Which buyer do Oak and Elm have in common?", set[str]()),
    ],
)
def test_what_two_things_have_is_not_what_both_have(
    question: str, answers: set[str], tmp_path: Path
) -> None:
    path = tmp_path / "deals.ttl"
    path.write_text(DEALS, encoding="utf-8")
    with open_kg(str(path)) as kg:
        graph: Any = build_graph(kg=kg, checkpointer=False).with_state()
        state = graph.invoke({"question": question}, context=Options(confidence=0.5))
    assert {answer["label"] for answer in state["answers"]} == answers


HERBS = """
@prefix : <https://herbs.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:herb a :Category ; rdfs:label "Herb" . :veg a :Category ; rdfs:label "Vegetable" .
:Basil a :Plant ; :category :herb ; :sowing_month "March" ; :lives_in "Berlin" .
:Tomato a :Plant ; :category :veg ; :sowing_month "March" .
:Okoye a :Doctor ; :works_on :Icu . :Icu a :Ward . :Anna a :Patient ; :lives_in "Berlin" .
"""


@pytest.mark.parametrize(
    ("question", "left_out"),
    [
        ("Which herbs are sown in March?", ["herbs"]),
        ("Which doctors live in Berlin?", ["doctors"]),
        ("Which plants are sown in March?", []),
        ("Which doctors work on the ICU?", []),
    ],
)
def test_a_word_that_names_something_is_not_passed_over(
    question: str, left_out: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "herbs.ttl"
    path.write_text(HERBS, encoding="utf-8")
    with open_kg(str(path)) as kg:
        graph: Any = build_graph(kg=kg, checkpointer=False).with_state()
        state = graph.invoke({"question": question})
    words = [word["text"] for word in state["account"] if word["used_by"] in LEFT_OUT]
    assert words[: len(left_out)] == left_out
    assert (state["status"] in SILENT) == bool(left_out)


@pytest.mark.parametrize(("question", "value"), [("Is Saw red?", True), ("Is Saw blue?", False)])
def test_a_yes_or_no_is_no_number_with_a_unit(question: str, value: bool, tmp_path: Path) -> None:
    path = tmp_path / "tools.ttl"
    path.write_text(TOOLS, encoding="utf-8")
    with open_kg(str(path)) as kg:
        graph: Any = build_graph(kg=kg, checkpointer=False).with_state()
        state = graph.invoke({"question": question}, context=Options(confidence=0.0))
    assert state["result"]["value"] is value
